#!/bin/bash
# Collective operations between two hosts: ranks side by side, and in turn.
#
#     test_coll.sh SUPERSTEP COLL_TRANSPORT openmpi|mpich
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${CLUSTER_HOSTS:-}" ]; then
    exec "$here/cluster.sh" with 2 1gbit -- "$here/test_coll.sh" "$@"
fi
superstep=$1 transport=$2 net=$3
"$superstep" run --net "$net" --dry-run true >/dev/null 2>&1 || { echo "skipped: no $net here" >&2; exit 77; }
for place in none none/cyclic; do
    timeout 120 "$superstep" run --net "$net" --hosts "$CLUSTER_HOSTS" --rsh "$CLUSTER_RSH" --place $place -n 4 \
        "$transport" --brief yes || { echo "not ok $place"; exit 1; }
done
