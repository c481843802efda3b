#!/usr/bin/env bash
# A Slurm of four nodes on this one host, to try the job scripts and to test
# them: munged, slurmctld and four slurmd under one folder, without systemd.
#
#   jobs/slurm-here.sh start [--hosts]    then: export SLURM_CONF=... as it says
#   jobs/slurm-here.sh status
#   jobs/slurm-here.sh stop      cancels all jobs and removes the folder
#
# As root, with Debian's slurm-wlm and munge (built with multiple-slurmd).
# The folder is DLSBENCH_SLURM (/tmp/dlsbench-slurm); every node says that it
# has SLURM_HERE_CPUS cores (2), whatever this host has.  With --hosts the nodes
# are the hosts of jobs/hosts-here.sh, which must be up, with their own network
# and cores.
set -u

folder=${DLSBENCH_SLURM:-/tmp/dlsbench-slurm}
cpus=${SLURM_HERE_CPUS:-2}
conf=$folder/slurm.conf
nodes=(n1 n2 n3 n4)
hosts= # their folder

fail() {
    printf 'slurm-here: %s\n' "$1" >&2
    exit "${2:-1}"
}

# ---- what runs ----

# Processes of this Slurm: its daemons carry DLSBENCH_SLURM_DAEMON, its jobs
# this configuration and a job's number.  A shell that only has SLURM_CONF
# exported has no such number.  slurmstepd writes its title over both, and waits
# for minutes when its slurmd is gone: it stays in the folder of its log.
processes() {
    local entry where
    {
        grep -lszxF "DLSBENCH_SLURM_DAEMON=$folder" /proc/[0-9]*/environ
        grep -lszxF "SLURM_CONF=$conf" /proc/[0-9]*/environ |
            xargs -r grep -lsz '^SLURM_JOB_ID='
        grep -lsxF slurmstepd /proc/[0-9]*/comm | while read -r entry; do
            where=$(readlink "${entry%/comm}/cwd")
            [ "${where% (deleted)}" != "$folder" ] || printf '%s\n' "$entry"
        done
    } | cut -d / -f 3 | sort -u
}

# What the nodes of a running Slurm are, by its settings.
find_nodes() {
    local conf_hosts
    conf_hosts=$(sed -n 's/^# hosts: //p' "$conf" 2>/dev/null)
    [ -z "$conf_hosts" ] || take_hosts "$conf_hosts"
}

take_hosts() {
    local file
    hosts=$1
    nodes=()
    for file in "$hosts"/*.cores; do
        [ ! -e "$file" ] || nodes+=("dls$(basename "$file" .cores)")
    done
    [ "${#nodes[@]}" -gt 0 ] ||
        fail "$hosts: there are no hosts: jobs/hosts-here.sh start N" 2
}

# The running daemons, by name.
daemons() {
    local pid
    for pid in $(processes); do
        cat "/proc/$pid/comm" 2>/dev/null
    done | grep -E '^(munged|slurmctld|slurmd)$'
}

# ---- start ----

check_programs() {
    local program
    [ "$(id -u)" = 0 ] || fail "it must run as root, as the daemons do" 2
    for program in munged slurmctld slurmd scontrol srun; do
        command -v "$program" >/dev/null ||
            fail "$program is not installed: apt-get install slurm-wlm munge" 2
    done
    # The socket's path is longer; 108 bytes are the system's limit.
    [ "${#folder}" -le 80 ] || fail "$folder: the folder's path is too long" 2
    [[ $folder =~ ^/[A-Za-z0-9._/-]+$ ]] ||
        fail "$folder: the folder must be a plain absolute path" 2
}

# The first of six free ports in a row.
free_ports() {
    local used base port
    used=$(awk '$4 == "0A" { sub(/.*:/, "", $2); print $2 }' \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null)
    for ((base = 17000 + $$ % 1000 * 10; base < 32000; base += 10)); do
        for ((port = base; port < base + 6; port++)); do
            grep -qix "$(printf '%04X' "$port")" <<<"$used" && continue 2
        done
        printf '%s\n' "$base"
        return
    done
    fail "no six free ports between 17000 and 32000"
}

control_address() {
    [ -n "$hosts" ] && echo 10.99.0.1 || echo 127.0.0.1
}

# NodeHostname NodeAddr Port: a slurmd for each node on this host, or on its own.
node_lines() {
    local node number
    if [ -z "$hosts" ]; then
        cat <<END
NodeName=n[1-2] NodeHostname=$1 NodeAddr=127.0.0.1 Port=[$(($2 + 1))-$(($2 + 2))] CPUs=$cpus Feature=first State=UNKNOWN
NodeName=n[3-4] NodeHostname=$1 NodeAddr=127.0.0.1 Port=[$(($2 + 3))-$(($2 + 4))] CPUs=$cpus Feature=second State=UNKNOWN
PartitionName=here Nodes=n[1-4] Default=YES MaxTime=04:00:00 State=UP
END
        return
    fi
    for node in "${nodes[@]}"; do
        number=${node#dls}
        printf 'NodeName=%s NodeHostname=%s NodeAddr=10.99.0.%s Port=%s CPUs=%s State=UNKNOWN\n' \
            "$node" "$node" "$((10 + number))" "$(($2 + 1))" "$cpus"
    done
    printf 'PartitionName=here Nodes=ALL Default=YES MaxTime=04:00:00 State=UP\n'
}

write_conf() {
    local host port
    host=$(hostname -s)
    port=$(free_ports) || exit 1
    cat >"$conf" <<END
ClusterName=here
${hosts:+# hosts: $hosts}
SlurmctldHost=$host($(control_address))
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000,bf_interval=2,batch_sched_delay=0
MpiDefault=pmi2
ReturnToService=2
KillWait=5
OverTimeLimit=0
MinJobAge=600
SlurmctldTimeout=30
SlurmdTimeout=30
$(node_lines "$host" "$port")
END
}

start_slurmd() {
    if [ -z "$hosts" ]; then
        slurmd -N "$1" -f "$conf"
    else
        "$hosts/ssh" "10.99.0.$((10 + ${1#dls}))" slurmd -N "$1" -f "$conf"
    fi
}

# In a subshell, so that no other process carries the daemons' variable.
start_daemons() (
    export DLSBENCH_SLURM_DAEMON=$folder SLURM_CONF=$conf
    munged --force --socket="$folder/munge.socket" \
        --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" \
        >"$folder/start.log" 2>&1 || exit 1
    slurmctld -c -f "$conf" >>"$folder/start.log" 2>&1 || exit 1
    for node in "${nodes[@]}"; do
        start_slurmd "$node" >>"$folder/start.log" 2>&1 || exit 1
    done
)

idle_nodes() {
    SLURM_CONF=$conf timeout 3 sinfo -h -N -o '%N %t' 2>/dev/null | grep -c ' idle$'
}

start() {
    local tries
    check_programs
    if [ "$(daemons | wc -l)" -eq $((2 + ${#nodes[@]})) ]; then
        say_how
        return
    fi
    # The rest of a half dead one would be in the way.
    stop || exit 1
    # The key stays readable for root only; others must reach the socket.
    mkdir -m 755 "$folder" || fail "$folder: cannot make the folder"
    mkdir "$folder/state" || fail "$folder: cannot make the folder"
    (umask 077 && head -c 128 /dev/urandom >"$folder/munge.key") ||
        fail "$folder: cannot write"
    write_conf
    if start_daemons; then
        for ((tries = 0; tries < 150; tries++)); do
            if [ "$(idle_nodes)" = "${#nodes[@]}" ]; then
                say_how
                return
            fi
            sleep 0.2
        done
    fi
    tail -n 3 "$folder"/*.log >&2
    stop
    fail "Slurm did not start, the ends of its logs are above"
}

say_how() {
    printf '%s nodes with %s cores each are up; to use them:\n' \
        "$([ -n "$hosts" ] && echo "${#nodes[@]}" || echo four)" "$cpus"
    printf '    export SLURM_CONF=%s\n' "$conf"
}

# ---- stop ----

# Sends a signal to all remaining processes and waits for some seconds: true
# when none is left.
end_with() {
    local left end=$((SECONDS + 4))
    while [ "$SECONDS" -lt "$end" ]; do
        mapfile -t left < <(processes)
        [ "${#left[@]}" -gt 0 ] || return 0
        kill "-$1" "${left[@]}" 2>/dev/null
        sleep 0.3
    done
    return 1
}

stop() {
    if [ -e "$folder" ] && [ ! -e "$conf" ] && [ -n "$(ls -A "$folder")" ]; then
        fail "$folder: not a folder of this program, it stays as it is"
    fi
    end_with TERM || end_with KILL ||
        fail "these processes do not end: $(processes | tr '\n' ' ')"
    rm -rf -- "$folder"
}

status() {
    local count all=$((2 + ${#nodes[@]}))
    count=$(daemons | wc -l)
    if [ "$count" -eq 0 ]; then
        printf 'not running\n'
        return 1
    fi
    if [ "$count" -lt "$all" ]; then
        printf 'half dead: %s of %s daemons run, start or stop it\n' "$count" "$all"
        return 1
    fi
    say_how
    printf '%s of %s nodes are idle\n' "$(idle_nodes)" "${#nodes[@]}"
    SLURM_CONF=$conf timeout 3 squeue && return
    printf 'the controller does not answer, start or stop it\n'
    return 1
}

case ${2-} in
"") find_nodes ;;
--hosts) take_hosts "${DLSBENCH_HOSTS:-/tmp/dlsbench-hosts}" ;;
*) fail "'$2' is not known, allowed: start --hosts" 2 ;;
esac
case ${1-} in
start) start ;;
stop) stop ;;
status) status ;;
*)
    fail "'${1-}' is not known, allowed: start, stop, status" 2
    ;;
esac
