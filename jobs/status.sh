#!/usr/bin/env bash
# The progress of the jobs of jobs/submit.sh: cells of each shard, from the
# result directory and from squeue.
#
# Then, why cells failed and when the rest will be ready, if jobs go on as now.
#
#   jobs/status.sh DIR...    exit code 0 when every cell is done, 1 when not
#
# Of several directories, or of folders with some, it prints a line each.  One that
# was not submitted has the cells of its campaign on this machine.
set -u
here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
# shellcheck source=jobs/common.sh
. "$here/common.sh"

# A line for each directory, of what this program says of it.
each() { # DIR...
    local worst=0 dir said code
    printf '%6s %6s %8s %7s %8s  %s\n' cells 'done' running failed missing directory
    for dir; do
        said=$("$0" "$dir")
        code=$?
        [ $code -le $worst ] || worst=$code
        awk -v dir="$dir" '$1 == "all" {
            printf "%6s %6s %8s %7s %8s  %s\n", $2, $3, $4, $5, $6, dir }' <<<"$said"
    done
    exit $worst
}

# What this machine makes of the campaign must have the cells that ended here.
refuse_others() {
    local others
    others=$(cat "$dir"/runs-*.jsonl 2>/dev/null | grep '"type": *"cell_done"' |
        sed -E 's/.*"cell": *"([0-9a-f]+)".*/\1/' | grep -Fvxc -f <(cut -d, -f1 <<<"$cells"))
    [ "${others:-0}" = 0 ] ||
        fail "$1: $others of its cells are none of its campaign on this machine; it ran on another"
}

[ $# -ge 1 ] || fail "usage: ${0##*/} RESULT-DIRECTORY..."
directories=()
for dir; do
    [ -d "$dir" ] || fail "$dir is not a directory"
    below=("${dir%/}"/*/campaign.yaml)
    if [ -e "$dir/campaign.yaml" ] || [ ! -e "${below[0]}" ]; then
        directories+=("$dir")
    else
        directories+=("${below[@]%/campaign.yaml}")
    fi
done
[ ${#directories[@]} -eq 1 ] || each "${directories[@]}"
dir=$(cd -- "${directories[0]}" && pwd -P)
[ -r "$dir/campaign.yaml" ] || fail "$1 has no results, and none are directly below it"
program=$(find_program "$here") || exit 2
machine=()
if [ -r "$dir/submitted.tsv" ]; then
    machine=(--cores "$(tail -n 1 "$dir/submitted.tsv" | cut -f 5)")
    topology=$(tail -n 1 "$dir/submitted.tsv" | cut -f 7)
    [ -z "$topology" ] || machine+=(--topology "$topology")
fi
cells=$("$program" run "$dir/campaign.yaml" "${machine[@]}" --out "$dir" \
    --dry-run --format csv) || exit 2
[ -r "$dir/submitted.tsv" ] || refuse_others "${directories[0]}"

# Lines for awk: "array LAYOUT SHARDS ARRAY", "task LAYOUT SHARD STATE", and
# "cell LAYOUT PLACE STATUS" at last.
facts() {
    local layout array shards
    while read -r layout; do
        read -r array shards _ <<<"$(last_array "$dir" "$layout")"
        [ -n "$array" ] || continue
        printf 'array %s %s %s\n' "$layout" "$shards" "$array"
        queued_tasks "$array" | sed "s/^/task $layout /"
    done < <(tail -n +2 <<<"$cells" | cut -d, -f2 | uniq)
    tail -n +2 <<<"$cells" | awk -F, '{ print "cell", $2, $3, $4, $5 }'
}

facts | awk -v now="$(date +%s)" '
    # "123" and a task: 123_4; "123:0,125:4" names the job of each.
    function job_of(array, task,    n, k, entry, pair) {
        if (array !~ /:/) return array "_" task
        n = split(array, entry, ",")
        for (k = 1; k <= n; k++) {
            split(entry[k], pair, ":")
            if (pair[2] == task) return pair[1]
        }
        return "-"
    }
    function row(layout, shard, job, state, cells, done, running, failed, left) {
        printf "%-10s %-10s %-12s %-10s %6s %6s %8s %7s %8s\n", layout, shard,
            job, state, cells, done, running, failed, left
    }
    $1 == "array" { shards[$2] = $3; array[$2] = $4 }
    $1 == "task" { state[$2, $3] = $4 }
    $1 == "cell" {
        if (!($2 in seen)) { seen[$2] = 1; layout[layouts++] = $2 }
        n = ($2 in shards) ? shards[$2] : 1
        i = $3 % n
        cells[$2, i]++
        if ($4 == "ok") done[$2, i]++
        else if ($4 == "missing") { missing[$2, i]++; left += $5 }
        else failed[$2, i]++
    }
    END {
        row("layout", "shard", "job", "state", "cells", "done", "running",
            "failed", "missing")
        for (l = 0; l < layouts; l++) {
            name = layout[l]
            n = (name in shards) ? shards[name] : 1
            for (i = 0; i < n; i++) {
                d = done[name, i] + 0; f = failed[name, i] + 0
                m = missing[name, i] + 0
                s = state[name, i]
                # A job runs one cell at a time.
                r = (s == "RUNNING" && m > 0) ? 1 : 0
                jobs += r
                job = (name in array) ? job_of(array[name], i) : "-"
                row(name, i "/" n, job, s == "" ? "-" : s, cells[name, i] + 0,
                    d, r, f, m - r)
                all += cells[name, i]; alldone += d; allrun += r; allfail += f
                allmiss += m - r
            }
        }
        row("all", "", "", "", all + 0, alldone + 0, allrun + 0, allfail + 0,
            allmiss + 0)
        if (allmiss + allrun > 0 && jobs == 0)
            printf "about %d s of cells are left, and none of its jobs runs\n", left
        else if (allmiss + allrun > 0)
            printf "about %d s of cells are left, ready at %s if as many jobs run as now (%d)\n", \
                left, strftime("%Y-%m-%d %H:%M UTC", now + left / jobs, 1), jobs
        exit alldone < all
    }'
code=$?
# What their launches wrote, each reason once.
cat "$dir"/runs-*.jsonl 2>/dev/null | grep '"type": *"cell_done"' |
    grep -E '"status": *"(failed|unverified)"' |
    sed -E 's/.*"status": *"unverified".*/differs from the serial reference/
        s/.*"reason": *"(([^"\\]|\\.)*)".*/\1/' |
    cut -c1-160 | sort | uniq -c | sort -rn | head -n 10 |
    sed -E 's/^ *([0-9]+) /failed \1 times: /'
exit $code
