#!/bin/sh
# A paper's campaigns, simulated, and its report (make paper-NAME starts this).
#
#   bench/papers/run.sh NAME DLSBENCH OUT [option]...
#
# All that a paper has is in bench/papers/NAME/.  In this order, what is there:
#   campaigns.py OUT                writes campaigns to OUT/campaigns/
#   *.yaml, OUT/campaigns/*.yaml    each runs on two cores, as two shards, into
#                                   OUT/CAMPAIGN/; options are of dlsbench sim
#   also.sh DLSBENCH OUT [option]   runs what is no campaign
# Then bench/papers/report.py lets claims.py report on OUT, and
# analysis/report.py makes the page OUT/report.html.  What is complete in OUT
# already does not run again.  Paths in the campaigns are relative to the folder
# that holds bench/.
set -u
name=$1 dlsbench=$(realpath "$2")
mkdir -p "$3" || exit 1
out=$(realpath "$3")
shift 3
cd "$(dirname "$0")/../.." || exit 1

python=${PYTHON:-/usr/bin/python3}
paper=bench/papers/$name
[ -e "$paper/claims.py" ] || exec "$python" bench/papers/report.py "$name" "$out"
if [ -e "$paper/campaigns.py" ]; then
    "$python" "$paper/campaigns.py" "$out" || exit $?
fi
code=0
for campaign in "$paper"/*.yaml "$out"/campaigns/*.yaml; do
    [ -e "$campaign" ] || continue
    into=$out/$(basename "$campaign" .yaml)
    "$dlsbench" sim "$campaign" "$@" --out "$into" --prepare > /dev/null ||
        exit $?
    for shard in 0/2 1/2; do
        "$dlsbench" sim "$campaign" "$@" --out "$into" --resume \
            --shard $shard > /dev/null &
        last=${last:+$last }$!
    done
    for process in $last; do
        wait "$process" || code=$?
    done
    last=
done
if [ -e "$paper/also.sh" ]; then
    sh "$paper/also.sh" "$dlsbench" "$out" "$@" || exit $?
fi
"$python" bench/papers/report.py "$name" "$out" || code=$?
"$python" analysis/report.py "$out" || code=$?
exit $code
