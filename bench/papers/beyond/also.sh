#!/bin/sh
# Replays beside the campaign: its convolutions, for the error beside SimGrid,
# and a larger one on the cores of the largest machines, 1.1 and 7.6 million,
# which no simulation on a workstation gets to.  A few minutes, 1.5 GB.
#
#   bench/papers/beyond/also.sh DLSBENCH OUT     (bench/papers/run_papers.py starts it)
#
# REPLAYS: lines of "KERNEL WORKERS HIERARCHY..." in place of both.
set -u
dlsbench=$1 out=$2/replayed
rm -rf "$out"

# As bench/platforms/ranger.xml and dlsbench sim have it: two operations of
# 1/2.3e9 s, 2 us and 1 GB/s between nodes of 16 cores, workers of a master
# 0.25 us apart at the start.
replay() {
    for hierarchy in $3; do
        "$dlsbench" replay --kernel "$1" --cp 8.695652173913e-10 \
            --workers "$2" --hierarchy "$hierarchy" --master dedicated \
            --min-chunk 5 --scheme dfss --node-ranks 16 --latency 2e-6 \
            --near 0.5e-6 --byte-cost 1e-9 --apart 0.25e-6 \
            --request-cost 0.2e-6 --state-cost 25e-9 --out "$out" \
            > /dev/null || exit $?
    done
}

if [ -n "${REPLAYS:-}" ]; then
    echo "$REPLAYS" | while read -r kernel workers hierarchies; do
        replay "$kernel" "$workers" "$hierarchies"
    done
    exit
fi
for workers in 8192 16384 32768 65536; do
    replay adjoint:size=1600 $workers "16 64 256 4x16 16x16"
done
for workers in 1130496 7630848; do
    replay adjoint:size=8800 $workers "256 1024 16x16 32x32"
done
