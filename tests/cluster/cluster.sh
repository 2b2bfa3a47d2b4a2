#!/bin/bash
# A cluster of network namespaces on one machine: 2 to 8 hosts on a bridge, each link limited in bandwidth.
#
#     cluster.sh up N RATE             makes hosts sup<ID>h1 … and prints the folder of the cluster
#     cluster.sh run FOLDER CMD...     CMD on the first host, with the variables below
#     cluster.sh down FOLDER           removes it all
#     cluster.sh with N RATE -- CMD... up, run, down, whatever happens (Ctrl-C too)
#
# RATE is as tc(8) takes it: 1gbit, 100mbit. In CMD: CLUSTER_HOSTS is a hosts file for `superstep run --hosts`,
# CLUSTER_RSH the agent for --rsh, CLUSTER_NAMES the names, CLUSTER_NET the network; the variables that keep Open MPI
# and UCX on that network are set. Exit 77 without root or without network namespaces.
#
#     [h1]──veth──┐
#     [h2]──veth──┼── bridge        tbf at both ends of a veth: RATE in each direction
#     [h3]──veth──┘
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() { echo "cluster: $*" >&2; exit 1; }
skip() { echo "cluster: skipped: $*" >&2; exit 77; }

check() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    command -v ip >/dev/null && command -v tc >/dev/null || skip "needs ip and tc (package iproute2)"
    local probe=supprobe$$
    ip netns add $probe 2>/dev/null || skip "network namespaces are not permitted"
    ip netns del $probe
    ip link add sp$$ type bridge 2>/dev/null || skip "cannot make a bridge"
    ip link del sp$$
}

# Removes what the folder lists, in the reverse order; what is not there any more does not matter.
down() {
    local folder=$1 kind name pid
    [ -f "$folder/made" ] || return 0
    tac "$folder/made" | while read -r kind name; do
        case $kind in
        host)
            for pid in $(ip netns pids "$name" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null; done
            ip netns del "$name" 2>/dev/null
            rm -rf "/etc/netns/$name"
            ;;
        link) ip link del "$name" 2>/dev/null ;;
        esac
    done
    rmdir /etc/netns 2>/dev/null
    rm -rf "$folder"
}

# Traffic control in the host, then at the bridge's end. The burst lets a timer tick's worth of bytes through.
limit() { tc "$@" root tbf rate "$rate" burst 256kb latency 50ms; }

make_host() {
    local i=$1 host=$id$1 link=v$id$1
    echo "host $host" >>"$folder/made"
    ip netns add "$host" || return 1
    echo "link $link" >>"$folder/made"
    ip link add "$link" type veth peer name eth0 netns "$host" || return 1
    ip link set "$link" master "b$id" up || return 1
    ip -n "$host" addr add "10.$net.$i/24" dev eth0 || return 1
    ip -n "$host" link set lo up && ip -n "$host" link set eth0 up || return 1
    limit -n "$host" qdisc add dev eth0 && limit qdisc add dev "$link" || return 1
    # `ip netns exec` shows a host its own /etc/hosts
    mkdir -p "/etc/netns/$host"
    cp "$folder/names" "/etc/netns/$host/hosts"
}

up() {
    local n=$1 i
    rate=$2
    [[ $n =~ ^[2-8]$ ]] || fail "up N RATE: N is 2 to 8"
    check
    folder=$(mktemp -d /tmp/cluster.XXXXXX) || exit 1
    # names of links have 15 characters; the id keeps clusters apart that live at the same time
    id=s$(printf %05d $((RANDOM % 100000)))h
    net=$((100 + RANDOM % 100)).$((RANDOM % 250))
    : >"$folder/made"
    trap 'down "$folder"' EXIT
    trap 'exit 130' INT TERM HUP
    echo "127.0.0.1 localhost" >"$folder/names"
    for ((i = 1; i <= n; i++)); do echo "10.$net.$i $id$i" >>"$folder/names"; done
    echo "link b$id" >>"$folder/made"
    ip link add "b$id" type bridge && ip link set "b$id" up || fail "cannot make the bridge"
    for ((i = 1; i <= n; i++)); do
        make_host "$i" || fail "cannot make host $i"
        echo "$id$i slots=2" >>"$folder/hosts"
    done
    echo "10.$net.0/24" >"$folder/net"
    trap - EXIT INT TERM HUP
}

run() {
    local folder=$1 first
    shift
    [ -f "$folder/hosts" ] || fail "no cluster in $folder"
    first=$(awk 'NR == 1 {print $1}' "$folder/hosts")
    CLUSTER_HOSTS=$folder/hosts CLUSTER_RSH=$here/rsh CLUSTER_NET=$(cat "$folder/net")
    CLUSTER_NAMES=$(awk '{printf "%s ", $1}' "$folder/hosts")
    export CLUSTER_HOSTS CLUSTER_RSH CLUSTER_NET CLUSTER_NAMES
    export OMPI_MCA_btl=tcp,self,vader OMPI_MCA_pml=ob1 OMPI_MCA_btl_tcp_if_include=$CLUSTER_NET
    export OMPI_MCA_oob_tcp_if_include=$CLUSTER_NET OMPI_MCA_mpi_yield_when_idle=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none # hosts are apart in name only: no reading across
    export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
    "$here/rsh" "$first" "$(printf '%q ' "$@")"
}

with() {
    local n=$1 r=$2 child code
    shift 3
    up "$n" "$r"
    trap 'down "$folder"' EXIT
    trap '[ -z "${child:-}" ] || kill -TERM "$child" 2>/dev/null' INT TERM HUP
    run "$folder" "$@" <&0 &
    child=$!
    wait "$child"
    code=$?
    # a trapped signal ends the first wait only
    if [ -d "/proc/$child" ]; then
        wait "$child"
        code=$?
    fi
    exit $code
}

case ${1:-} in
up) [ $# -eq 3 ] || fail "up N RATE"; up "$2" "$3"; echo "$folder" ;;
run) [ $# -ge 3 ] || fail "run FOLDER CMD..."; run "${@:2}" ;;
down) [ $# -eq 2 ] || fail "down FOLDER"; down "$2" ;;
with) [ $# -ge 5 ] && [ "$4" = -- ] || fail "with N RATE -- CMD..."; with "${@:2}" ;;
*) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
