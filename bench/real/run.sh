#!/bin/sh
# A campaign on several hosts of one machine, and on their simulation (make
# real-cluster and make real-link start this).
#
#   bench/real/run.sh cluster|link DLSBENCH OUT
#
# Makes two hosts with a core each and a network of 100 Mbit/s (RATE) between
# them (jobs/hosts-here.sh, as root), calibrates them, runs the campaign into
# OUT/native, removes the hosts, simulates it into OUT/simulated and compares:
# OUT/validate.txt.  The exit code is 0 when all cells ran both ways; 3: this
# system does not allow such hosts.
set -eu
what=$1 dlsbench=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3}
campaign=bench/real/$what.yaml
export DLSBENCH_HOSTS="$out/hosts"

# What the calibration is for: trace is charged as its file says.
case $what in
cluster) for="--for $campaign" ;;
link) for= ;;
*)
    echo "$0: allowed: cluster, link" >&2
    exit 2
    ;;
esac

jobs/hosts-here.sh start 2 --rate "${RATE:-100mbit}"
trap 'jobs/hosts-here.sh stop' EXIT
launcher=$(jobs/hosts-here.sh launcher)
# shellcheck disable=SC2086 # one option, or none
"$dlsbench" calibrate --nodes 2 --workers 1 $for --launcher "$launcher" \
    --out "$out/node.json" > "$out/calibration.txt"

code=0
step() {
    "$@" > /dev/null || code=$?
    [ $code -le 1 ] || exit $code
}
# Ranks 0 and 1 on one host where there are four.
[ "$what" = cluster ] || launcher="${launcher%% *} -ppn 2 ${launcher#* }"
step "$dlsbench" run "$campaign" --launcher "$launcher" --out "$out/native"
jobs/hosts-here.sh stop
trap - EXIT

if [ "$what" = cluster ]; then
    step "$dlsbench" sim "$campaign" --platform this-cluster \
        --calibration "$out/node.json" --out "$out/simulated"
else
    "$python" bench/real/platform.py "$out/node.json" 2 > "$out/hosts.xml"
    step "$dlsbench" sim "$campaign" --platform "$out/hosts.xml" \
        --out "$out/simulated"
fi
"$python" analysis/validate.py "$out" 15 || code=$?
exit $code
