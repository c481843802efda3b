#!/bin/sh
# The fuzzers of tests/fuzz, all of them even when one finds something:
#
#   tests/fuzz.sh replay BUILD NAME...            each reads its corpus once
#   tests/fuzz.sh search BUILD SECONDS NAME...    each searches so long
#
# Prints `== NAME` and what is wrong; what was found is in BUILD/found/NAME.
what=$1 build=$2
shift 2
if [ "$what" = search ]; then
    seconds=$1
    shift
fi
# What MPI and hwloc keep until the end is not ours, and is not loaded here.
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1"
export LSAN_OPTIONS="suppressions=tests/fuzz/leaks.supp:print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1"
status=0
for name in "$@"; do
    program=$build/tests/fuzz/${name}_$what
    corpus=tests/fuzz/corpus/$name
    log=$build/tests/fuzz/$name.log
    if [ "$what" = replay ]; then
        set -- "$program" "$corpus"
    else
        found=$build/found/$name
        # New inputs go to the first folder, which is not the checkout's.
        mkdir -p "$found" "$build/corpus/$name"
        set -- "$program" "$build/corpus/$name" "$corpus" -artifact_prefix="$found/" \
            -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
            -malloc_limit_mb=1024 -max_len=16384 -dict=tests/fuzz/words.dict \
            -print_final_stats=1 -close_fd_mask=1
    fi
    echo "== $name"
    if "$@" >"$log" 2>&1; then
        sed -n 's/^stat::number_of_executed_units: */inputs: /p' "$log"
    else
        tail -n 60 "$log"
        echo "FAILED $program"
        status=1
    fi
done
exit $status
