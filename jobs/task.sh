#!/usr/bin/env bash
# One task of a job array; jobs/submit.sh submits it with these words:
#   task.sh SHARDS MODULE... -- PROGRAM run ... --resume
# A job outside an array has I/N for SHARDS.
set -u

shard=$1
[[ $shard == */* ]] || shard=$SLURM_ARRAY_TASK_ID/$shard
shift
if [ "$1" != -- ] && ! command -v module >/dev/null; then
    for file in /etc/profile.d/modules.sh /etc/profile.d/*lmod.sh; do
        # shellcheck source=/dev/null
        [ ! -r "$file" ] || . "$file"
    done
fi
while [ "$1" != -- ]; do
    command -v module >/dev/null ||
        { echo "task.sh: $1 cannot be loaded, this node has no modules" >&2; exit 2; }
    module load "$1" || { echo "task.sh: no module $1" >&2; exit 2; }
    shift
done
shift

# Slurm sends TERM to this process before the time limit (--signal=B:TERM@60),
# so it must be the driver itself.  The driver then drops the running cell, says
# what is left and ends.  It also ends when the slurmstepd above it is killed.
exec "$@" --shard "$shard"
