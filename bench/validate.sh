#!/bin/sh
# Simulation against reality (make validate starts this).
#
#   bench/validate.sh DLSBENCH CAMPAIGN OUT
#
# Calibrates this machine with the campaign's own kernels, runs the campaign
# here into OUT/native, simulates it on this-machine into OUT/simulated and
# compares: OUT/validate.txt, OUT/validate.csv, and both on one page,
# OUT/report.html.  The exit code is 0 when all
# cells ran both ways.
set -eu
dlsbench=$1 campaign=$2 out=$3
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$out"

kernels=$("$dlsbench" run "$campaign" --dry-run --format csv | "$python" -c '
import csv, sys
print(*sorted({row["kernel"] for row in csv.DictReader(sys.stdin)}), sep="\n")
')
set --
while read -r kernel; do
    set -- "$@" --kernel "$kernel"
done <<END
$kernels
END
"$dlsbench" calibrate "$@" --out "$out/calibration.json" > "$out/calibration.txt"

# A failed cell (1) leaves the others to compare; the tables of each alone are
# in its directory, as dlsbench summary prints them.
code=0
step() {
    "$@" > /dev/null || code=$?
    [ $code -le 1 ] || exit $code
}
step "$dlsbench" run "$campaign" --out "$out/native"
step "$dlsbench" sim "$campaign" --platform this-machine \
    --calibration "$out/calibration.json" --out "$out/simulated"
"$python" "$(dirname "$0")/../analysis/validate.py" "$out"
"$python" "$(dirname "$0")/../analysis/report.py" "$out" ||
    echo "no report" >&2
exit $code
