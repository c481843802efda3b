#!/bin/sh
# Simulation against reality (make validate starts this).
#
#   bench/validate.sh DLSBENCH CAMPAIGN OUT
#
# Measures in rounds (ROUNDS, 3): calibrates this machine with the campaign's
# own kernels and sync intervals, then runs the campaign here, and after it the
# one in HELD (a file, or none), for which nothing is calibrated: OUT/native-1
# and so on; and calibrates once more at the end.  Then simulates all on
# this-machine with each calibration, OUT/simulated-1 and so on: how far they
# differ is how far the machine did.  Compares the medians: OUT/validate.txt,
# OUT/validate.csv, and both on one page, OUT/report.html.  The exit code is 0
# when all cells ran both ways.
set -eu
dlsbench=$1 campaign=$2 out=$3
rounds=${ROUNDS:-3} held=${HELD:-}
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$out"

# A failed cell (1) leaves the others to compare; the tables of each alone are
# in its directory, as dlsbench summary prints them.
code=0
step() {
    "$@" > /dev/null || code=$?
    [ $code -le 1 ] || exit $code
}

for round in $(seq $((rounds + 1))); do
    "$dlsbench" calibrate --for "$campaign" \
        --out "$out/calibration-$round.json" > "$out/calibration-$round.txt"
    [ "$round" -le "$rounds" ] || break
    step "$dlsbench" run "$campaign" --out "$out/native-$round"
    [ -z "$held" ] ||
        step "$dlsbench" run "$held" --out "$out/native-held-$round"
done
simulate() {
    step "$dlsbench" sim "$1" --platform this-machine \
        --calibration "$out/calibration-$2.json" --out "$out/simulated-$3$2"
}
for round in $(seq $((rounds + 1))); do
    simulate "$campaign" "$round" ""
    [ -z "$held" ] || simulate "$held" "$round" held-
done
"$python" "$(dirname "$0")/../analysis/validate.py" "$out"
"$python" "$(dirname "$0")/../analysis/report.py" "$out" ||
    echo "no report" >&2
exit $code
