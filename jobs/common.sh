# shellcheck shell=bash disable=SC2154
# The common parts of submit.sh and status.sh, which source this file.

fail() {
    local said=${1//$'\n'/\\n}
    printf '%s: %s\n' "${0##*/}" "${said//[[:cntrl:]]/?}" >&2
    exit "${2:-2}"
}

# Whether this is no checkout.
is_installed() {
    [[ $here == */share/dlsbench/jobs ]]
}

# Sets site: in this folder, or the user's own where it is installed.
find_site() {
    site=$here/site.env
    [ -e "$site" ] || ! is_installed ||
        site=${XDG_CONFIG_HOME:-${HOME-}/.config}/dlsbench/site.env
}

# The program: SITE_PROGRAM, else that which came with this folder, else PATH's.
# $1: this folder.
find_program() {
    local program=${SITE_PROGRAM:-} said
    if [ -z "$program" ] && [ -x "$1/../build/dlsbench" ]; then
        program=$1/../build/dlsbench
    elif [ -z "$program" ] && is_installed && [ -x "$1/../../../bin/dlsbench" ]; then
        program=$1/../../../bin/dlsbench
    fi
    program=$(command -v -- "${program:-dlsbench}") ||
        fail "${SITE_PROGRAM:-dlsbench} is not found: make it, or set SITE_PROGRAM in site.env"
    # Another program could accept every command and succeed without doing
    # anything.
    said=$(timeout 60 "$program" --version 2>/dev/null </dev/null)
    [[ $said == 'dlsbench '* ]] ||
        fail "$program is not dlsbench: --version does not say so, set SITE_PROGRAM in site.env"
    realpath -- "$program"
}

# The array of this layout that was submitted last, from submitted.tsv:
# "array shards nodes cores tasks".  $1: result directory, $2: layout.
last_array() {
    [ -r "$1/submitted.tsv" ] || return 0
    awk -F '\t' -v layout="$2" '$2 == layout { last = $1 " " $3 " " $4 " " $5 " " $8 }
        END { if (last != "") print last }' "$1/submitted.tsv"
}

# The tasks of this array, or of several ("12,13"), in the queue: "task state" in
# lines.  Heterogeneous jobs, which have no arrays, are given as "job:task,job:task,...".
queued_tasks() {
    local entry state
    command -v squeue >/dev/null || return 0
    if [[ $1 == *:* ]]; then
        for entry in ${1//,/ }; do
            state=$(squeue -h -j "${entry%:*}" -o %T 2>/dev/null | head -n 1)
            [ -z "$state" ] || printf '%s %s\n' "${entry#*:}" "$state"
        done
        return
    fi
    squeue -h -r -j "$1" -o '%K %T' 2>/dev/null
}

# As "1 cell" and "2 cells".
count() {
    printf '%s %s' "$1" "$2"
    [ "$1" -eq 1 ] || printf s
}
