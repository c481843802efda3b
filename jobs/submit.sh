#!/usr/bin/env bash
# Submits a campaign to Slurm: a job array for each launch shape, whose tasks
# share one result directory.  See --help and site.env.example.
set -u
here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
# shellcheck source=jobs/common.sh
. "$here/common.sh"
# shellcheck source=jobs/heterogeneous.sh
. "$here/heterogeneous.sh"
# shellcheck source=jobs/site.sh
. "$here/site.sh"

# Seconds of a job that are not for cells: Slurm sends the signal 60 s before
# the limit and up to 60 s earlier than that, and a launch takes time to start.
margin_s=150

help() {
    local command=jobs/submit.sh
    ! is_installed || command=dlsbench-submit
    cat <<END
Usage: $command CAMPAIGN [OPTION...]
Submits a campaign (a file, or the name of one that comes with DLSBench, as
cluster) as job arrays, one for each layout (ranks x threads).  What is skipped
and how many node-hours it takes is said before anything is submitted.

  --out DIR          result directory, as of dlsbench run; one that exists is
                     gone on with: only what is missing is submitted
  --nodes N[,N...]   numbers of nodes that may be used: a layout takes the
                     first on which it fits (default: as few as it fits on);
                     layouts by nodes (nodesxcores, allx1) are made for each
  --nodes A+B        A nodes of the site's first type and B of the second, in
                     jobs of their own; powers are measured at their start
  --time T           time limit of a job, instead of SITE_TIME
  --cell-time S      seconds that a cell takes, instead of
                     an estimate: from it follows how many jobs there are
  --from DIR         estimate by this earlier result directory (default: --out)
  --calibration FILE estimate what that directory does not know by this file of
                     dlsbench calibrate, made on the nodes that will run it
                     (default: of the machine that submits)
  --set KEY=VALUE    as of dlsbench run
  --site FILE        settings, instead of jobs/site.env (where it is
                     installed, of ~/.config/dlsbench/site.env)
  --dry-run          say what would be submitted

Where the site takes no more jobs now (MaxSubmitJobs), what fits is submitted in
smaller arrays; the exit code is 1, and the same command submits the rest later.
END
}

# ---- command line ----

# Words for the program: --nodes and --calibration.
asked=()
trap 'fail "interrupted: what is above is submitted, the same command submits the rest" 1' INT TERM HUP

campaign='' out='' from='' calibration='' time='' cell_time='' site='' dry_run=false
nodes=() sets=()

need_value() {
    [ "$2" -ge 2 ] || fail "$1: a value is missing"
}

parse() {
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h) help && exit 0 ;;
        --dry-run) dry_run=true && shift && continue ;;
        --out | --nodes | --time | --cell-time | --from | --calibration | --set | --site)
            need_value "$1" $# ;;
        -*) fail "'$1' is not known, see --help" ;;
        *)
            [ -z "$campaign" ] ||
                fail "'$1' is one word too many, the campaign is $campaign"
            campaign=$1
            shift
            continue
            ;;
        esac
        case $1 in
        --out) out=$2 ;;
        --nodes) parse_nodes "$2" ;;
        --time) time=$2 ;;
        --cell-time) cell_time=$2 ;;
        --from) from=$2 ;;
        --calibration) calibration=$2 && asked+=(--calibration "$2") ;;
        --set) sets+=(--set "$2") ;;
        --site) site=$2 ;;
        esac
        shift 2
    done
    [ -n "$campaign" ] || fail "a campaign file is missing, see --help"
    [ -n "$site" ] || find_site
    [ -z "$cell_time" ] || [[ $cell_time =~ ^[0-9]{1,9}$ && $cell_time -gt 0 ]] ||
        fail "--cell-time: '$cell_time' must be whole seconds, 1 or more"
}

parse_nodes() {
    ! parse_het_nodes "$1" || return 0
    [[ $1 =~ ^[1-9][0-9]{0,5}(,[1-9][0-9]{0,5})*$ ]] ||
        fail "--nodes: '$1' must be numbers of nodes, e.g. 1,2,4, or 2+1 of two types"
    mapfile -t nodes < <(tr , '\n' <<<"$1" | sort -n)
    asked+=(--nodes "$1")
}

# One word of a --launcher template.
template_word() {
    if [[ $1 == *\'* ]]; then
        [[ $1 != *\"* ]] ||
            fail "$site: SITE_LAUNCHER_FLAGS: '$1' holds both kinds of quotes"
        printf ' "%s"' "$1"
    else
        printf " '%s'" "$1"
    fi
}

is_open_mpi() {
    [[ ${SITE_LAUNCHER##*/} == *openmpi* ]] ||
        "$SITE_LAUNCHER" --version 2>/dev/null | grep -qE 'OpenRTE|Open MPI'
}

# The template for a layout; both starters are told the geometry themselves.
# srun (22.05 and later) does not take cpus-per-task from the job.  Empty: the
# program chooses in the job, and takes the geometry from there.
# $1: nodes, $2: ranks of a node, $3: threads.
launcher() {
    local word text=$SITE_LAUNCHER
    [ -n "$text" ] || { check_template DLSBENCH_LAUNCHER "${DLSBENCH_LAUNCHER-}"; return; }
    for word in ${SITE_LAUNCHER_FLAGS[@]+"${SITE_LAUNCHER_FLAGS[@]}"}; do
        text+=$(template_word "$word") || exit 2
    done
    case ${SITE_LAUNCHER##*/} in
    srun)
        if is_het; then
            text+=" --het-group=0,1 -c {threads}"
        else
            text+=" -N $1 --ntasks-per-node=$2 -n {ranks} -c {threads}"
        fi
        ;;
    mpiexec* | mpirun*)
        # Hydra and Open MPI say ranks of a node differently; Open MPI would
        # also bind ranks, which find their cores themselves.
        if is_open_mpi; then
            text+=" --map-by ppr:$2:node --bind-to none -n {ranks}"
        else
            text+=" -ppn $2 -n {ranks}"
        fi
        ;;
    *) fail "$site: SITE_LAUNCHER='$SITE_LAUNCHER' is not known, allowed: srun, mpiexec, mpirun (or their paths)" ;;
    esac
    check_template SITE_LAUNCHER_FLAGS "$text"
}

check_template() {
    local word=${2//\{ranks\}/}
    word=${word//\{threads\}/}
    [[ $word != *\{* ]] ||
        fail "$site: $1: '{${word#*\{}' is unknown, only {ranks} and {threads} stand for numbers"
    printf '%s\n' "$2"
}

# ---- the plan: what is submitted for a layout ----

# Sets node_count and per_node.  $1: ranks, $2: threads.
choose_nodes() {
    local n
    if is_het; then
        choose_het_nodes "$1" "$2"
        return
    fi
    [ "$2" -le "$SITE_CORES" ] ||
        fail "layout $1x$2: $2 threads do not fit on a node of $SITE_CORES cores (SITE_CORES)"
    node_count=''
    if [ "${#nodes[@]}" -eq 0 ]; then
        n=$((SITE_CORES / $2))
        node_count=$((($1 + n - 1) / n))
    fi
    for n in ${nodes[@]+"${nodes[@]}"}; do
        per_node=$((($1 + n - 1) / n))
        if [ "$n" -le "$1" ] && [ $((per_node * $2)) -le "$SITE_CORES" ]; then
            node_count=$n
            break
        fi
    done
    [ -n "$node_count" ] ||
        fail "layout $1x$2 does not fit on ${nodes[*]} nodes (--nodes) of $SITE_CORES cores, with a rank on each at least"
    [ "$node_count" -le "${nodes_there:-$node_count}" ] ||
        fail "layout $1x$2 needs $node_count nodes, partition $SITE_PARTITION has $nodes_there"
    per_node=$((($1 + node_count - 1) / node_count))
}

# The shards of the last round that are in the queue still, as "array shards
# tasks": what was submitted together.  Nothing: none is.
queued_round() {
    local array shards tasks
    read -r array shards _ _ tasks <<<"$(last_array "$dir" "$1")"
    [ -n "$array" ] && [ -n "$(queued_tasks "$array")" ] &&
        printf '%s %s %s\n' "$array" "$shards" "${tasks:-0-$((shards - 1))}"
}

# The least number of shards whose missing cells fit into the time of a job, and
# the shards that miss any: "shards cells seconds i,j,... how", where how names
# the source of the seconds.  A line "too-long seconds how" when not even one
# cell fits.  stdin: the layout's cells.  $1 and $2: the number of shards, and
# those that are taken, of a round in the queue.
cut_shards() {
    awk -F, -v usable=$((limit_s - margin_s)) -v given="$cell_time" \
        -v most="$tasks_max" -v fixed="$1" -v taken="$2" '
        BEGIN {
            count = 0
            for (i = split(taken, part, ","); i > 0; i--) {
                split(part[i], ends, "-")
                for (k = ends[1]; k <= (2 in ends ? ends[2] : ends[1]); k++)
                    is_taken[k + 0] = 1
                delete ends
            }
        }
        $4 != "ok" && !(fixed && ($3 % fixed) in is_taken) {
            place[count] = $3
            seconds[count] = given != "" ? given : $5
            sum += seconds[count]
            by = given != "" ? "--cell-time" : $6
            if (!(by in kinds)) kind[++all_kinds] = by
            kinds[by]++
            if (seconds[count] > longest) { longest = seconds[count]; why = by }
            count++
        }
        function fits(n,    i, shard, full) {
            for (i = 0; i < count; i++) {
                shard = place[i] % n
                full[shard] += seconds[i]
                if (full[shard] > usable) return 0
            }
            return 1
        }
        END {
            if (count == 0) { print 0, 0, 0, "-"; exit }
            if (longest > usable) { print "too-long", longest, why; exit }
            for (n = int(sum / usable) + (sum % usable > 0); n <= most; n++)
                if (fixed || n > 0 && fits(n)) break
            if (fixed) n = fixed
            if (n > most) { print "too-many", count; exit }
            for (i = 0; i < count; i++) misses[place[i] % n] = 1
            for (i = 0; i < n; i++)
                if (i in misses) list = list (list == "" ? "" : ",") i
            for (i = 1; i <= all_kinds; i++)
                how = how (i > 1 ? ", " : "") kinds[kind[i]] " by " kind[i]
            print n, count, sum, list, how
        }'
}

plan_layout() {
    local cut old_shards for_cells=$((limit_s - margin_s))
    [ "$for_cells" -gt 0 ] ||
        fail "a time limit of $time leaves nothing for cells ($margin_s s go to starting and to ending cleanly): a longer --time"
    read -r old_array old_shards old_tasks <<<"$(queued_round "$1")"
    cut=$(grep "^[^,]*,$1," <<<"$cells" | cut_shards "$old_shards" "$old_tasks")
    read -r shards missing seconds indices how <<<"$cut"
    case $shards in
    too-long)
        fail "a time limit of $time leaves $for_cells s for cells ($margin_s s go to starting and to ending cleanly), and a cell may take $missing s (by $seconds): a longer --time, or --cell-time if you know better" ;;
    too-many)
        fail "$missing cells of layout $1 do not fit into an array of $tasks_max jobs of $time (SITE_ARRAY, or MaxArraySize of the site): a longer --time" ;;
    esac
}

# ---- submitting ----

sbatch_words() {
    words=(sbatch --parsable --job-name="$name" --nodes="$node_count"
        --ntasks="$1" --ntasks-per-node="$per_node" --cpus-per-task="$2"
        --time="$time" --signal=B:TERM@60 --requeue --open-mode=append
        --array="$indices%$SITE_PARALLEL" --output="${dir//%/%%}/slurm-%A_%a.out"
        --error="${dir//%/%%}/slurm-%A_%a.out")
    [ -z "$SITE_PARTITION" ] || words+=(--partition="$SITE_PARTITION")
    [ -z "$SITE_ACCOUNT" ] || words+=(--account="$SITE_ACCOUNT")
    words+=(${SITE_SBATCH[@]+"${SITE_SBATCH[@]}"} "$here/task.sh" "$shards")
    task_words "$1" "$2"
}

# The words after the shards: modules and the program.  $1: ranks, $2: threads.
task_words() {
    words+=(${SITE_MODULES[@]+"${SITE_MODULES[@]}"} -- "$program" run
        "$dir/campaign.yaml" --set "name=$name" --out "$dir" --resume
        "${machine[@]}" --shape "$1x$2" ${template:+--launcher "$template"})
}

print_words() {
    printf '   '
    printf ' %q' "${words[@]}"
    printf '\n'
}

# Numbers that rise, one a line, as "0-3,5".
ranges() {
    awk 'function put() { text = text (text == "" ? "" : ",") a (b > a ? "-" b : "") }
        NR == 1 { a = b = $1; next }
        $1 == b + 1 { b = $1; next }
        { put(); a = b = $1 }
        END { put(); print text }'
}

# Records what is queued: a later call must know it.  $1: arrays, $2: layout,
# $3: shards.
note() {
    [ ! -L "$dir/submitted.tsv" ] ||
        fail "array $1 is in the queue, but $dir/submitted.tsv is a symbolic link: scancel it, and remove the link" 1
    # shellcheck disable=SC2094 # the brace makes it
    {
        [ -s "$dir/submitted.tsv" ] ||
            printf 'array\tlayout\tshards\tnodes\tcores\tat\ttopology\ttasks\n'
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$shards" "$node_count" \
            "$SITE_CORES" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$SITE_TOPOLOGY" "$3"
    } >>"$dir/submitted.tsv" ||
        fail "array $1 is in the queue, which cannot be written to $dir/submitted.tsv: scancel it before you submit again" 1
}

# Submits `words` and sets job.  1: the site takes no more jobs now, and `limit`
# is its reason.
send() {
    local said code
    said=$("${words[@]}" 2>&1)
    code=$?
    job=$(grep -E '^[0-9]+(;.*)?$' <<<"$said" | tail -n 1)
    job=${job%%;*} # with several clusters: number;cluster
    said=$(grep -vE '^[0-9]+(;.*)?$' <<<"$said")
    [ "$code" -eq 0 ] || limit=$(submit_limit "$said") || {
        printf '%s\n' "$said" >&2
        fail "sbatch refused layout $layout; what is above it was submitted" 1
    }
    [ "$code" -eq 0 ] || return 1
    [ -z "$said" ] || printf '%s\n' "$said" >&2
}

# The name of the limit on submitted jobs in what sbatch said; not of others, as
# of a job's time, which later calls would meet again.
submit_limit() {
    local name
    name=$(grep -oE '[A-Za-z]+Limit\b' <<<"$1" | head -n 1)
    case $name in
    *Submit*) ;;
    '') name=$(grep -oE 'job submit limit|Resource temporarily unavailable' <<<"$1" | head -n 1) ;;
    *) return 1 ;;
    esac
    [ -n "$name" ] && printf '%s\n' "$name"
}

# Submits the shards of a layout: in one array, or where the site takes no more
# jobs in smaller ones as long as it takes any.  $1: ranks, $2: threads.
submit_arrays() {
    local words job arrays=$old_array tasks=$old_tasks left size
    mapfile -t left < <(tr , '\n' <<<"$indices")
    size=${#left[@]}
    while [ "$size" -gt 0 ] && ! $full; do
        indices=$(printf '%s\n' "${left[@]:0:size}" | ranges)
        sbatch_words "$1" "$2"
        if $dry_run; then
            print_words
            return
        fi
        if send; then
            arrays+=${arrays:+,}$job tasks+=${tasks:+,}$indices
            note "$arrays" "$layout" "$tasks"
            printf '    submitted as array %s%s\n' "$job" "${limit:+, shards $indices}"
            left=("${left[@]:size}")
            [ "$size" -le "${#left[@]}" ] || size=${#left[@]}
        else
            size=$((size / 2))
            [ "$size" -gt 0 ] || full=true
        fi
    done
    say_left "${left[@]}"
}

# Shards that the site does not take now.
say_left() {
    [ $# -gt 0 ] || return 0
    left_out=$((left_out + $#))
    printf '    not queued: %s (%s)\n' "$(count $# shard)" "$limit"
}

submit_layout() {
    local layout=$1 ranks=${1%x*} threads=${1#*x}
    plan_layout "$layout"
    choose_nodes "$ranks" "$threads"
    if [ -n "$old_array" ]; then
        printf 'layout %s: array %s is in the queue still%s\n' "$layout" "$old_array" \
            "$([ "$missing" -gt 0 ] || printf ', nothing is submitted')"
    elif [ "$missing" -eq 0 ]; then
        printf 'layout %s: all cells are complete\n' "$layout"
    fi
    [ "$missing" -gt 0 ] || return 0
    template=$(launcher "$node_count" "$per_node" "$threads") || exit 2
    printf 'layout %s: %s on %s, about %s s in all (%s), %s of at most %s\n' \
        "$layout" "$(count "$missing" cell)" "$(count "$node_count" node)" \
        "$seconds" "$how" "$(count "$shards" shard)" "$time"
    if is_het; then
        submit_het "$ranks" "$threads"
    else
        submit_arrays "$ranks" "$threads"
    fi
}

# Of the program, by all options that say what runs and where.
ask() {
    "$program" run "$campaign" ${sets[@]+"${sets[@]}"} "${machine[@]}" \
        ${asked[@]+"${asked[@]}"} ${out:+--out "$out"} "$@"
}

# Sets dir and name, those that `run` would take: the path stands for --out from
# here on.  Slurm would interpret a backslash in the name of a job's output.
find_place() {
    local said
    $dry_run || command -v sbatch >/dev/null ||
        fail "sbatch is not found: this is no Slurm cluster (jobs/slurm-here.sh starts one to try)" 1
    said=$(ask --dry-run --prepare) || exit 2
    { IFS= read -r dir && IFS= read -r name; } <<<"$said"
    [[ $dir != *\\* ]] ||
        fail "--out: '$dir' holds a backslash, which Slurm cannot have in a job's output: give another --out"
    out=$dir
}

# Sets cells.
look_at_campaign() {
    local from_words=(--dry-run --format csv ${from:+--from "$from"})
    cells=$(ask "${from_words[@]}" 2>/dev/null) ||
        { ask "${from_words[@]}" >/dev/null; exit 2; }
}

# What the program says of the plan: warnings, and what the lists cross to and
# cannot be.
say_plan() {
    printf 'results: %s\n' "$dir"
    ask --dry-run 2>&1 >/dev/null | grep -v '^dlsbench: .*, results in ' >&2
    ask --dry-run 2>/dev/null | sed -n '/^[0-9]* impossible combination/,/^[^ ]/p'
}

# Of what is missing, summed over layouts: "cells seconds node-seconds".
add_up() {
    local n=${node_count//+/ + }
    total_cells=$((total_cells + missing))
    node_seconds=$(awk -v a="$node_seconds" -v s="$seconds" -v n="$((n))" \
        'BEGIN { print a + s * n }')
}

say_sum() {
    say_plan
    printf 'in all %s in %s, about %s node-hours\n' \
        "$(count "$total_cells" cell)" "$(count "${#layouts[@]}" layout)" \
        "$(awk -v s="$node_seconds" 'BEGIN { printf "%.3g", s / 3600 }')"
}

main() {
    local total_cells=0 node_seconds=0 left_out=0 full=false limit=''
    parse "$@"
    read_site
    check_calibration
    find_place
    look_at_campaign
    mapfile -t layouts < <(tail -n +2 <<<"$cells" | cut -d, -f2 | uniq)
    # Impossible layouts are refused before anything is made or submitted.
    for layout in "${layouts[@]}"; do
        plan_layout "$layout"
        choose_nodes "${layout%x*}" "${layout#*x}"
        template=$(launcher 1 1 1) || exit 2
        add_up
    done
    say_sum
    $dry_run || ask --prepare >/dev/null || exit 2
    for layout in "${layouts[@]}"; do
        submit_layout "$layout"
    done
    $dry_run && return
    printf 'progress: %q %q\n' "$here/status.sh" "$dir"
    [ "$left_out" -eq 0 ] ||
        fail "not queued: $(count "$left_out" shard), the site takes no more jobs of you now ($limit): give the same command again when some have ended" 1
}

main "$@"
