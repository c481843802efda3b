# shellcheck shell=bash disable=SC2154,SC2034
# Heterogeneous jobs: runs over nodes of two types.  Sourced by submit.sh.
# Slurm has no arrays of them: every shard is a separate job.

# "--nodes A+B": A nodes of the first type and B of the second.
het_nodes=()

parse_het_nodes() {
    [[ $1 =~ ^([1-9][0-9]{0,5})\+([1-9][0-9]{0,5})$ ]] || return 1
    het_nodes=("${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
    # The powers of two types of nodes are unknown, so they are measured.
    local word
    for word in ${sets[@]+"${sets[@]}"}; do
        [[ $word != power=* ]] || return 0
    done
    sets+=(--set power=measured)
}

is_het() {
    [ "${#het_nodes[@]}" -gt 0 ]
}

check_het() {
    is_het || return 0
    positive SITE_HET_CORES "$SITE_HET_CORES"
    [ "${#SITE_HET_SBATCH[@]}" -gt 0 ] ||
        fail "$site: SITE_HET_SBATCH is empty: which are the nodes of the second type (--nodes ${het_nodes[0]}+${het_nodes[1]})?"
    [ "${SITE_LAUNCHER##*/}" = srun ] || [ -z "$SITE_LAUNCHER" ] ||
        fail "$site: SITE_LAUNCHER='$SITE_LAUNCHER': only srun starts the ranks of a heterogeneous job"
}

# Sets het_ranks and het_per_node: the ranks are divided in proportion to the
# types' cores, with at least one on each node.  $1: ranks, $2: threads.
choose_het_nodes() {
    local a=${het_nodes[0]} b=${het_nodes[1]} room_a room_b first
    room_a=$((a * (SITE_CORES / $2)))
    room_b=$((b * (SITE_HET_CORES / $2)))
    first=$((($1 * room_a + (room_a + room_b) / 2) / (room_a + room_b > 0 ? room_a + room_b : 1)))
    [ "$first" -le $(($1 - b)) ] || first=$(($1 - b))
    [ "$first" -ge "$a" ] || first=$a
    het_ranks=("$first" $(($1 - first)))
    if [ "${het_ranks[0]}" -gt "$room_a" ] ||
        [ "${het_ranks[1]}" -gt "$room_b" ] || [ "${het_ranks[1]}" -lt "$b" ]; then
        fail "layout $1x$2 does not fit on $a nodes of $SITE_CORES cores (SITE_CORES) and $b of $SITE_HET_CORES (SITE_HET_CORES), with a rank on each at least"
    fi
    node_count=$a+$b per_node=
    het_per_node=($(((het_ranks[0] + a - 1) / a)) $(((het_ranks[1] + b - 1) / b)))
}

# The words of one part.  $1: which, $2: threads.
het_part() {
    part=(--nodes="${het_nodes[$1]}" --ntasks="${het_ranks[$1]}"
        --ntasks-per-node="${het_per_node[$1]}" --cpus-per-task="$2"
        --time="$time")
    [ -z "$SITE_PARTITION" ] || part+=(--partition="$SITE_PARTITION")
    [ -z "$SITE_ACCOUNT" ] || part+=(--account="$SITE_ACCOUNT")
}

# Sets words to those of one shard's job.  $1: ranks, $2: threads, $3: shard,
# $4: the job that it waits for, or nothing.
het_words() {
    local part log="${dir//%/%%}/slurm-%j_$3.out"
    het_part 0 "$2"
    words=(sbatch --parsable --job-name="$name" --signal=B:TERM@60 --requeue
        --open-mode=append --output="$log" --error="$log" "${part[@]}")
    [ -z "$4" ] || words+=(--dependency="afterany:$4")
    words+=(${SITE_SBATCH[@]+"${SITE_SBATCH[@]}"} :)
    het_part 1 "$2"
    words+=("${part[@]}" "${SITE_HET_SBATCH[@]}" "$here/task.sh" "$3/$shards")
    task_words "$1" "$2"
}

# Submits the shards; at most SITE_PARALLEL run at a time, because each waits
# for the one that many places before it.  $1: ranks, $2: threads.
submit_het() {
    local i n=0 words job jobs=() left
    mapfile -t left < <(tr , '\n' <<<"$indices")
    for i in "${left[@]}"; do
        het_words "$1" "$2" "$i" \
            "$([ "$n" -lt "$SITE_PARALLEL" ] || printf '%s' "${jobs[n - SITE_PARALLEL]%:*}")"
        if $dry_run; then
            print_words
            job=JOB
        elif $full || ! send; then
            full=true
            break
        fi
        jobs+=("$job:$i")
        n=$((n + 1))
        $dry_run || note "$old_array${old_array:+,}$(IFS=,; printf '%s' "${jobs[*]}")" "$layout" \
            "$old_tasks${old_tasks:+,}$(printf '%s\n' "${jobs[@]#*:}" | ranges)"
    done
    $dry_run && return
    [ "$n" -eq 0 ] || printf '    submitted as jobs %s\n' "$(printf '%s ' "${jobs[@]%:*}")"
    say_left "${left[@]:n}"
}
