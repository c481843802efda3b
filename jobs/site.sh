# shellcheck shell=bash disable=SC2034,SC2154
# The settings of a site, and their checks; sourced by submit.sh.

# Slurm's time: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
# days-hours:minutes, days-hours:minutes:seconds.
seconds_of() {
    local days=0 clock=$1 fields
    # More digits than any time has would overflow.
    [[ $1 =~ ^([0-9]{1,9}-)?[0-9]{1,9}(:[0-9]{1,9}){0,2}$ ]] || return 1
    if [[ $1 == *-* ]]; then
        days=${1%%-*}
        clock=${1#*-}
        while [[ $clock != *:*:* ]]; do clock+=:0; done
    elif [[ $clock != *:* ]]; then
        clock=0:$clock:0
    elif [[ $clock != *:*:* ]]; then
        clock=0:$clock
    fi
    IFS=: read -ra fields <<<"$clock"
    printf '%d\n' $((10#$days * 86400 + 10#${fields[0]} * 3600 + \
        10#${fields[1]} * 60 + 10#${fields[2]}))
}

positive() {
    [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] ||
        fail "$site: $1='$2' must be a number, 1 or more"
}

# Settings that end the shell would end this one silently, even with success, so
# another shell reads them first.
try_site() {
    local said
    said=$(bash -n "$site" 2>&1) || fail "bash cannot read ${said%%$'\n'*}"
    said=$(
        # shellcheck source=/dev/null
        . "$site" 2>&1 >/dev/null
        printf '\nall of it'
    )
    [[ $said == *$'\nall of it' ]] && return
    [ -z "$said" ] ||
        fail "bash cannot read ${said%%$'\n'*} (a file of settings)"
    fail "$site ends the shell that reads it: settings are SITE_NAME=value"
}

read_site() {
    SITE_PARTITION='' SITE_ACCOUNT='' SITE_CORES='' SITE_TIME='' SITE_PARALLEL=4
    SITE_LAUNCHER='' SITE_PROGRAM='' SITE_ARRAY=''
    SITE_LAUNCHER_FLAGS=() SITE_SBATCH=() SITE_MODULES=()
    SITE_TOPOLOGY='' SITE_HET_CORES='' SITE_HET_SBATCH=()
    [[ -f $site && -r $site ]] ||
        fail "$site is not there: copy $here/site.env.example to it and fill it in"
    try_site
    # shellcheck source=/dev/null
    . "$site"
    time=${time:-$SITE_TIME}
    positive SITE_CORES "$SITE_CORES"
    positive SITE_PARALLEL "$SITE_PARALLEL"
    find_largest_array
    check_het
    machine=(--cores "$SITE_CORES")
    [ -z "$SITE_TOPOLOGY" ] || machine+=(--topology "$SITE_TOPOLOGY")
    limit_s=$(seconds_of "$time") ||
        fail "the time limit '$time' (SITE_TIME or --time) must be minutes or [days-]hours:minutes:seconds"
    program=$(find_program "$here") || exit 2
    check_partition
}

# Sets tasks_max: the setting, the site's, or that of a Slurm that nobody changed.
find_largest_array() {
    tasks_max=$SITE_ARRAY
    [ -n "$tasks_max" ] || tasks_max=$(scontrol show config 2>/dev/null |
        sed -n 's/^MaxArraySize *= *\([0-9]*\)$/\1/p')
    [ "${tasks_max:-0}" != 0 ] || [ -n "$SITE_ARRAY" ] || tasks_max=1001
    positive SITE_ARRAY "$tasks_max"
}

# A job over the partition's limits would wait for ever.  Sets nodes_there.
check_partition() {
    local known most
    nodes_there=''
    [ -n "$SITE_PARTITION" ] && command -v sinfo >/dev/null || return 0
    if ! known=$(sinfo -h -o %R 2>/dev/null); then
        $dry_run && return
        fail "sinfo does not answer, is this a Slurm cluster?" 1
    fi
    grep -qxF -- "$SITE_PARTITION" <<<"$known" ||
        fail "$site: SITE_PARTITION='$SITE_PARTITION' is not known, there are: $(sort -u <<<"$known" | paste -sd ' ')"
    known=$(sinfo -h -p "$SITE_PARTITION" -o %a | sort -u | head -n 1)
    [[ $known == up* ]] ||
        fail "partition $SITE_PARTITION is $known: nothing would run there (sinfo -p $SITE_PARTITION)" 1
    most=$(sinfo -h -p "$SITE_PARTITION" -o %l | head -n 1)
    if [[ $most =~ ^[0-9] ]] && [ "$limit_s" -gt "$(seconds_of "$most")" ]; then
        fail "the time limit $time (SITE_TIME or --time) is over $most, that of partition $SITE_PARTITION"
    fi
    nodes_there=$(sinfo -h -N -p "$SITE_PARTITION" -o %N | sort -u | wc -l)
    check_nodes
}

# Cores of nodes that differ: times of one are not those of another.
check_nodes() {
    local counts least most
    counts=$(sinfo -h -N -p "$SITE_PARTITION" -o '%c %N' | sort -u |
        awk '{ n[$1]++ } END { for (c in n) print c, n[c] }' | sort -n)
    least=$(head -n 1 <<<"$counts") most=$(tail -n 1 <<<"$counts")
    least=${least%% *} most=${most%% *}
    [ "$SITE_CORES" -le "${most:-$SITE_CORES}" ] ||
        fail "$site: SITE_CORES=$SITE_CORES is over $most, the processors of a node of partition $SITE_PARTITION"
    [ "${least:-0}" != "${most:-0}" ] || return 0
    [[ " ${SITE_SBATCH[*]-} " != *\ --constraint* && " ${SITE_SBATCH[*]-} " != *\ -C* && \
        " ${SITE_SBATCH[*]-} " != *\ --nodelist* && " ${SITE_SBATCH[*]-} " != *\ -w* ]] || return 0
    printf '%s: the nodes of partition %s differ (%s): name one type in SITE_SBATCH, as --constraint=..., or times do not compare\n' \
        "${0##*/}" "$SITE_PARTITION" "$(awk '{ printf "%s%s of %s processors", (NR > 1 ? ", " : ""), $2, $1 }' <<<"$counts")" >&2
    [ "$SITE_CORES" -le "$least" ] ||
        fail "$site: SITE_CORES=$SITE_CORES is over $least, the processors of some nodes of partition $SITE_PARTITION"
}

# Sizes and estimates may go by a file of --calibration.  It has the host's own
# name, which is not always the node's in Slurm.
check_calibration() {
    local host nodes_known
    [ -n "$calibration" ] || return 0
    [ -r "$calibration" ] || fail "--calibration: cannot read $calibration"
    host=$(sed -n 's/^ *"host": "\([^"]*\)".*/\1/p' "$calibration" | head -n 1)
    command -v sinfo >/dev/null && nodes_known=$(sinfo -h -N \
        ${SITE_PARTITION:+-p "$SITE_PARTITION"} -o '%N %n' 2>/dev/null | tr ' ' '\n' | sed 's/[.].*//') || return 0
    [ -z "$host" ] || [ -z "$nodes_known" ] || grep -qxF -- "${host%%.*}" <<<"$nodes_known" ||
        printf '%s: %s was measured on %s, which is no node of %s, nor the name of a host of one: sizes and estimates are by it all the same\n' \
            "${0##*/}" "$calibration" "$host" "${SITE_PARTITION:-this cluster}" >&2
}
