#!/bin/sh
# Runs unit test programs one after the other, all of them even when one
# fails, each with a time limit; prints `== program` and its output.
status=0
for program in "$@"; do
    echo "== $program"
    timeout 300 "$program" || { echo "FAILED $program"; status=1; }
done
exit $status
