#!/bin/sh
# Runs unit test programs, as many at a time as there are cores, all of them
# even when one fails, each with a time limit; prints `== program` and its
# output in the order of the words.
#   unit.sh PROGRAM...

# In simulation, with the model that dlsbench sim asks for
# (bench/simgrid/simulate.c).  smpirun ends well after a deadlock, too: the
# tests must have said that they passed.
simulated() {
    timeout 300 smpirun -quiet -np 5 -platform harness/engine/sim/testing.xml \
        -hostfile harness/engine/sim/testing.hosts \
        --cfg=smpi/privatization:no --cfg=smpi/shared-malloc:local \
        --cfg=contexts/factory:raw --cfg=contexts/stack-size:16 \
        --cfg=contexts/guard-size:1 --cfg=smpi/lat-factor:0:1 \
        --cfg=smpi/bw-factor:0:1 --cfg=smpi/simulate-computation:no \
        --cfg=smpi/test:0 --cfg=smpi/iprobe:0 --log=root.thres:critical \
        "$1" > "$1.out" 2>&1
    code=$?
    cat "$1.out"
    [ $code = 0 ] && grep -qF '[  PASSED  ]' "$1.out" &&
        ! grep -qF '[  FAILED  ]' "$1.out"
}

one() {
    echo "== $1"
    case $1 in
    */sim/harness/*) simulated "$1" ;;
    *) timeout 300 "$1" ;;
    esac || { echo "FAILED $1"; return 1; }
}

if [ "$1" = --one ]; then
    one "$2" > "$2.log" 2>&1
    exit
fi
for program in "$@"; do
    rm -f "$program.log"
done
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" sh "$0" --one
status=$?
for program in "$@"; do
    cat "$program.log"
done
exit $status
