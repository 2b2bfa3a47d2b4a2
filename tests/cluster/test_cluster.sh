#!/bin/bash
# The transports between two hosts with a link of 200 Mbit/s between them.
#
#     test_cluster.sh SUPERSTEP NET_TRANSPORT BANDWIDTH KILL_TARGET openmpi|mpich [BSP_PROGRAMS]
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${CLUSTER_HOSTS:-}" ]; then
    exec "$here/cluster.sh" with 2 200mbit -- "$here/test_cluster.sh" "$@"
fi
superstep=$1 transport=$2 bandwidth=$3 kill_target=$4 net=$5 programs=${6:-}
failures=0
check() { # WHAT CONDITION…
    local what=$1
    shift
    if "$@"; then echo "ok $what"; else echo "not ok $what"; failures=$((failures + 1)); fi
}
# hosts share the cores of this machine, so each placing its own would pile up on the first
on_cluster() { timeout 120 "$superstep" run --net "$net" --hosts "$CLUSTER_HOSTS" --rsh "$CLUSTER_RSH" --place "$@"; }

"$superstep" run --net "$net" --dry-run true >/dev/null 2>&1 || { echo "skipped: no $net here" >&2; exit 77; }

read -r first second _ <<<"$CLUSTER_NAMES"
names=$(on_cluster none -n 4 --prefix hostname | sort | tr '\n' ' ')
check "ranks fill one host, then the next" [ "$names" = "[0] $first [1] $first [2] $second [3] $second " ]
names=$(OMPI_MCA_plm=isolated on_cluster none/cyclic -n 4 --prefix hostname | sort | tr '\n' ' ')
check "or take turns, whatever way to start hosts the environment has chosen" [ "$names" = "[0] $first [1] $second [2] $first [3] $second " ]

words=$(on_cluster none/cyclic -n 2 --prefix sh -c 'printf "<%s>" "$@"; echo' sh : '' '$(id)' "a'b" 'c  d' -- | sort)
check "arguments arrive on every host as they were given" \
    [ "$words" = "$(printf "[%d] <:><><\$(id)><a'b><c  d><-->\n" 0 1)" ]
on_cluster none/cyclic -n 2 sh -c 'echo "superstep: rank 1 (host x) ended with status 7" >&2; sleep 2; env' >"$CLUSTER_HOSTS.env" 2>&1
check "a line that looks like a report is output" [ $? -eq 0 ]
check "and the secret of reports is not the program's" [ "$(grep -cE 'SUPERSTEP_(SECRET|ORDER)' "$CLUSTER_HOSTS.env")" -eq 0 ]
rm -f "$CLUSTER_HOSTS.env"

on_cluster none -n 4 "$transport"
check "the transport holds between hosts" [ $? -eq 0 ]

# Heaps are shared inside the hosts; three processes: one of them has no neighbour.
for p in $([ -n "$programs" ] && echo 3 4); do
    on_cluster none -n "$p" "$programs/bsp_conformance" >"$CLUSTER_HOSTS.out"
    check "the rules of BSPlib on $p processes of two hosts" [ $? -eq 0 ]
    grep -A1 '^not ok' "$CLUSTER_HOSTS.out"
    on_cluster none/cyclic -n "$p" "$programs/bsp_random" "7$p" 40 >/dev/null
    check "a random program on $p processes of two hosts" [ $? -eq 0 ]
done
rm -f "$CLUSTER_HOSTS.out"

mbit=$(on_cluster none/cyclic -n 2 "$bandwidth" 16 | awk '$1 == "MBIT" {print int($2)}')
echo "# $mbit Mbit/s over a link of 200"
check "the link is as slow as it should be" [ "${mbit:-999}" -le 240 ]
check "and not much slower" [ "${mbit:-0}" -ge 40 ]

SUPERSTEP_KILL_OPTIONS="--hosts $CLUSTER_HOSTS --rsh $CLUSTER_RSH --place none/cyclic" \
    "$here/../net/kill_test.sh" "$superstep" "$kill_target" "$net" "${SUPERSTEP_CLUSTER_KILLS:-5}"
check "a rank that is killed takes the others with it" [ $? -eq 0 ]

{ cat "$CLUSTER_HOSTS"; echo "nobody-here slots=2"; } >"$CLUSTER_HOSTS.bad"
said=$(timeout 30 "$superstep" run --net "$net" --hosts "$CLUSTER_HOSTS.bad" --rsh "$CLUSTER_RSH" -n 6 true 2>&1)
check "a host that does not answer: exit status" [ $? -eq 5 ]
check "a host that does not answer: its name" grep -q "host nobody-here does not answer" <<<"$said"
[ $failures -eq 0 ]
