#!/bin/sh
# What the models predict for Andronikos et al.'s experiments, with the
# parameters of their table 1 (bench/papers/run_papers.py starts this).
#
#   bench/papers/andronikos/also.sh DLSBENCH OUT
#
# Writes OUT/predicted/MODEL-EXPERIMENT-K.csv (h, time_s, optimal), MODEL being
# andronikos, stream (ours: boundaries as in DMPS) or, for k = 1, chen-xue.
set -eu
dlsbench=$1 out=$2/predicted
mkdir -p "$out"
h=10,20,25,29,30,35,39,40,45,50,55,60,65,70,75,80,85,90,95,100,105,110,120
h=$h,130,150,162,175,200,225,250,300,400

# EXPERIMENT ROWS COLUMNS WORKERS C_P C_C C_SCH
experiment() {
    costs="--chunk-dim $2 --sync-dim $3 --workers $4 --cp $5 --cd 99e-6"
    costs="$costs --cc $6 --csched $7 --h $h --format csv"
    for k in 1 4 8; do
        # shellcheck disable=SC2086  # words
        "$dlsbench" predict $costs --k $k --model andronikos \
            > "$out/andronikos-$1-$k.csv"
        # shellcheck disable=SC2086
        "$dlsbench" predict $costs --k $k --stream > "$out/stream-$1-$k.csv"
    done
    # shellcheck disable=SC2086
    "$dlsbench" predict $costs --model chen-xue > "$out/chen-xue-$1-1.csv"
}

experiment 1 10000 20000 10 0.526e-6 0.69e-6 500e-6
experiment 2 8000 16000 6 0.319e-6 0.65e-6 500e-6
experiment 3 10000 20000 5:1,5:0.63 0.319e-6,0.526e-6 0.69e-6 650e-6
