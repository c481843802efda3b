#!/usr/bin/env bash
# Several hosts on this one, to test what goes between hosts: each has its own
# network, host name, processes and cores, and a bridge joins them.
#
#   jobs/hosts-here.sh start N [--rate 100mbit] [--cores LIST,LIST,...]
#   jobs/hosts-here.sh launcher     for dlsbench run --launcher "$(...)"
#   jobs/hosts-here.sh status
#   jobs/hosts-here.sh stop         ends all their processes and removes all
#
# Host dls1 gets the first list of --cores (as of taskset, such as 0 or 2-3),
# dls2 the next; by default one core each.  --rate shapes what leaves each host
# and what arrives there.  Latency is what it is.
#
# A host is a process that holds a network, UTS, mount and PID namespace: when it
# ends, so do all processes of the host.  As root, with Debian's iproute2, and
# with mpich, whose launcher enters the namespaces in place of ssh.  Exit code 3:
# this system does not allow such hosts.  The folder is DLSBENCH_HOSTS
# (/tmp/dlsbench-hosts).
set -u

folder=${DLSBENCH_HOSTS:-/tmp/dlsbench-hosts}
bridge=dlsbench0
net=10.99.0

fail() {
    printf 'hosts-here: %s\n' "$1" >&2
    exit "${2:-1}"
}

# Number and process of each host.
hosts() {
    local file
    for file in "$folder"/*.pid; do
        [ -e "$file" ] || continue
        printf '%s %s\n' "$(basename "$file" .pid)" "$(cat "$file")"
    done | sort -n
}

# The process is a host of this folder, and not a later one with its number.
is_host() {
    grep -qszxF "DLSBENCH_HOST=$folder" "/proc/$1/environ"
}

# ---- start ----

check_programs() {
    local program
    [ "$(id -u)" = 0 ] || fail "it must run as root, to make namespaces" 3
    for program in ip tc unshare nsenter taskset mpiexec.mpich; do
        command -v "$program" >/dev/null ||
            fail "$program is not installed: apt-get install iproute2 mpich" 3
    done
    unshare --net --uts --pid --mount --fork true 2>/dev/null ||
        fail "this system allows no namespaces" 3
}

make_bridge() {
    ip link add "$bridge" type bridge 2>/dev/null ||
        fail "this system allows no bridge, or $bridge is there already" 3
    ip addr add "$net.1/24" dev "$bridge" && ip link set "$bridge" up
}

# The process that is the host; it outlives this shell.
hold_host() {
    DLSBENCH_HOST=$folder setsid unshare --net --uts --mount --pid --fork \
        --kill-child --mount-proc sh -c "
            hostname dls$1
            mount --bind '$folder/hosts' /etc/hosts
            ip link set lo up
            touch '$folder/$1.up'
            exec sleep infinity" </dev/null >/dev/null 2>"$folder/$1.log" &
    local outer=$! tries=0
    until [ -e "$folder/$1.up" ]; do
        kill -0 "$outer" 2>/dev/null || fail "host dls$1: $(cat "$folder/$1.log")"
        [ $((tries += 1)) -lt 200 ] || fail "host dls$1 did not start"
        sleep 0.05
    done
    printf '%s\n' "$outer" >"$folder/$1.pid"
}

# The first process inside, whose namespaces are the host's.
inside() {
    tr -d ' ' <"/proc/$1/task/$1/children"
}

shape() {
    "$@" root tbf rate "$rate" burst 32kb latency 200ms
}

join_host() {
    local first
    first=$(inside "$2")
    ip link add "dls$1" type veth peer name eth0 netns "$first" &&
        ip link set "dls$1" master "$bridge" up &&
        nsenter -t "$first" -n ip addr add "$net.$((10 + $1))/24" dev eth0 &&
        nsenter -t "$first" -n ip link set eth0 up || return 1
    [ -n "$rate" ] || return 0
    shape tc qdisc add dev "dls$1" &&
        shape nsenter -t "$first" -n tc qdisc add dev eth0
}

# What mpiexec starts in place of ssh: [option]... address command...
write_ssh() {
    cat >"$folder/ssh" <<EOF
#!/usr/bin/env bash
while [ "\${1#-}" != "\$1" ]; do shift; done
number=\$((\${1##*.} - 10))
shift
first=\$(tr -d ' ' <"/proc/\$(cat "$folder/\$number.pid")/task/\$(cat "$folder/\$number.pid")/children" 2>/dev/null)
[ -n "\$first" ] || { echo "host dls\$number is gone" >&2; exit 255; }
exec nsenter -t "\$first" -n -u -m -p \\
    taskset -c "\$(cat "$folder/\$number.cores")" sh -c "cd '\$PWD' && \$*"
EOF
    chmod 755 "$folder/ssh"
}

write_names() {
    printf '127.0.0.1 localhost\n%s.1 %s\n' "$net" "$(hostname)"
    for ((i = 1; i <= $1; i++)); do
        printf '%s.%s dls%s\n' "$net" "$((10 + i))" "$i"
    done
}

# A start that fails leaves nothing.
undo() {
    [ "$1" = 0 ] || stop >/dev/null
    exit "$1"
}

start() {
    local count=$1 i list
    local -a cores
    check_programs
    mkdir "$folder" 2>/dev/null || fail "$folder is there: stop first"
    trap 'undo $?' EXIT
    IFS=, read -r -a cores <<<"$core_lists"
    write_names "$count" >"$folder/hosts"
    write_ssh
    make_bridge
    for ((i = 1; i <= count; i++)); do
        list=${cores[i - 1]:-$((i - 1))}
        taskset -c "$list" true 2>/dev/null ||
            fail "host dls$i: there is no core $list here" 3
        printf '%s\n' "$list" >"$folder/$i.cores"
        hold_host "$i"
        join_host "$i" "$(cat "$folder/$i.pid")" ||
            fail "host dls$i does not get its network"
    done
    printf '%s\n' "$rate" >"$folder/rate"
}

# ---- the rest ----

launcher() {
    local list
    list=$(hosts | while read -r number _; do
        printf '%s.%s,' "$net" "$((10 + number))"
    done)
    [ -n "$list" ] || fail "there are no hosts: start N"
    printf 'mpiexec.mpich -launcher ssh -launcher-exec %s/ssh -iface %s ' \
        "$folder" "$bridge"
    # Shared memory works across these namespaces, and would not be a network.
    printf -- '-genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0 '
    printf -- '-hosts %s -n {ranks}\n' "${list%,}"
}

status() {
    hosts | while read -r number process; do
        printf 'dls%s %s.%s cores %s: %s\n' "$number" "$net" \
            "$((10 + number))" "$(cat "$folder/$number.cores")" \
            "$(is_host "$process" && echo up || echo gone)"
    done
}

stop() {
    hosts | while read -r number process; do
        ! is_host "$process" || kill -9 "$process"
        while is_host "$process"; do sleep 0.05; done
        ip link delete "dls$number" 2>/dev/null
    done
    [ ! -e "$folder" ] || ip link delete "$bridge" 2>/dev/null
    rm -rf "$folder"
}

command=${1:-}
shift
count=
rate=
core_lists=
while [ $# -gt 0 ]; do
    case $1 in
    --rate) rate=${2:-} && shift ;;
    --cores) core_lists=${2:-} && shift ;;
    [1-9] | [1-9][0-9]) count=$1 ;;
    *) fail "$1: allowed: N, --rate R, --cores LIST,LIST" 2 ;;
    esac
    shift
done
case $command in
start) [ -n "$count" ] || fail "start needs a number of hosts" 2 && start "$count" ;;
launcher | status | stop) $command ;;
*) fail "allowed: start, launcher, status, stop" 2 ;;
esac
