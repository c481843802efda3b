#!/bin/sh
# A paper's campaigns, simulated, and its report (make paper-NAME starts this).
#
#   bench/papers/run.sh NAME DLSBENCH OUT [option of dlsbench sim]...
#
# Runs each of bench/papers/NAME.yaml and NAME-*.yaml on two cores, as two
# shards, into OUT/CAMPAIGN/, then NAME.sh DLSBENCH OUT, if it is there, and
# analysis/paper_NAME.py OUT, and makes the page OUT/report.html.  What is
# complete in OUT already does not run again.  Paths in the campaigns are
# relative to the folder that holds bench/.  Where there is a
# bench/papers/NAME.py, it goes first, with OUT: campaigns that it writes to
# OUT/campaigns/ run too.
set -u
name=$1 dlsbench=$(realpath "$2")
mkdir -p "$3" || exit 1
out=$(realpath "$3")
shift 3
cd "$(dirname "$0")/../.." || exit 1

python=${PYTHON:-/usr/bin/python3}
if [ -e "bench/papers/$name.py" ]; then
    "$python" "bench/papers/$name.py" "$out" || exit $?
fi
code=0
for campaign in "bench/papers/$name.yaml" "bench/papers/$name"-*.yaml \
    "$out"/campaigns/*.yaml; do
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
if [ -e "bench/papers/$name.sh" ]; then
    sh "bench/papers/$name.sh" "$dlsbench" "$out" || exit $?
fi
"$python" "analysis/paper_$name.py" "$out" || code=$?
"$python" analysis/report.py "$out" || code=$?
exit $code
