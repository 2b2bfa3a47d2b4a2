#!/bin/bash
# `superstep measure` between two hosts of namespaces: the channels and classes are there, and what is wrong is said
# before anything is measured. No time is looked at, except that a network takes some.
#
#     test_measure.sh SUPERSTEP openmpi|mpich
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${CLUSTER_HOSTS:-}" ]; then
    exec "$here/cluster.sh" with 2 10gbit -- "$here/test_measure.sh" "$@"
fi
superstep=$1 net=$2
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # WHAT CONDITION…
    local what=$1
    shift
    if "$@"; then echo "ok $what"; else echo "not ok $what"; failures=$((failures + 1)); fi
}
measure() { timeout 100 "$superstep" measure --kernels none --rsh "$CLUSTER_RSH" "$@" >"$work/said" 2>&1; }
refused() { # CODE PATTERN OPTION…
    local code=$1 pattern=$2
    shift 2
    measure --out "$work/refused.json" "$@"
    check "refused: $pattern" [ $? -eq "$code" ]
    check "said: $pattern" grep -q -- "$pattern" "$work/said"
    check "no file is left" [ ! -e "$work/refused.json" ]
}
"$superstep" run --net "$net" --dry-run true >/dev/null 2>&1 || { echo "skipped: no $net here" >&2; exit 77; }

# hosts share the cores of this machine, so each pinning its own would pile up on the first; two processes a host are
# more than there are cores, which MPICH, that never yields, cannot do in so short a time
case $net in openmpi) processes=4 place=none ;; *) processes=2 place=none/cyclic ;; esac
cat >"$work/needs.py" <<'PY'
import json, sys
profile, net, processes = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
wrong = []
def want(what, ok):
    if not ok: wrong.append(what)
want("the signature has two hosts", profile["signature"]["hosts"] == 2 and profile["signature"]["processes"] == processes)
pairs = profile["pairs"][0]
want("pairs of " + net, pairs["transport"] == net)
names = [c["name"].split()[0] for c in pairs["classes"]]
want("a class of the network, not %s" % names, "network" in names)
want("and one of the host, not %s" % names, processes < 4 or "host" in names)
for c in pairs["classes"]:
    if c["name"] == "network":
        want("a curve over the network", len(c["time_s"]["points"]["x"]) >= 5 and min(c["time_s"]["points"]["y"]) > 1e-6)
channels = {c["number"]: c for c in profile.get("channels", [])}
want("a channel between hosts, not %s" % sorted(channels), 1 in channels) # with time, 0 is there as well
want("none inside hosts of one process", processes == 4 or 0 not in channels)
if 1 in channels:
    c = channels[1]
    want("the second is a network by tcp", c["name"] == "network" and c["mechanism"] == "tcp")
    want("its overhead is some", c["overhead_s"]["segments"][0]["intercept"] > 1e-6)
    rows = {r["tau"]: r for r in c.get("transfer", {"rows": []})["rows"]}
    want("L(m,1), not %s" % sorted(rows), 1 in rows)
    want("long transfers take time", 1 in rows and max(rows[1]["seconds"]) > 0)
shapes = {x["shape"] for x in profile.get("exchanges", []) if x["transport"] == net}
want("supersteps, not %s" % sorted(shapes), "shift" in shapes and "one" in shapes)
# far ones come late: where everything takes long, they are beyond their share of the time, and that is said
said = [w for w in profile["quality"].get("warnings", []) if w["code"] == "left-out" and "section exchanges" in w["text"]]
want("far ones where hosts have two, not %s" % sorted(shapes), processes < 4 or "shift-far" in shapes or said)
for w in wrong: print("not ok", w)
sys.exit(len(wrong) > 0)
PY
# how much time that takes depends on who else wants the cores: where there was not enough, it is gone on with
resume=
for _ in 1 2 3 4 5 6; do
    measure --hosts "$CLUSTER_HOSTS" --net "$net" --place $place -n $processes --budget 12s $resume --out "$work/p.json"
    code=$?
    python3 "$work/needs.py" "$work/p.json" "$net" $processes >"$work/lacks" 2>&1
    fits=$?
    [ $code -eq 0 ] && [ $fits -eq 0 ] && break
    echo "goes on: $code" && cat "$work/lacks"
    [ -e "$work/p.json" ] && resume=--resume
done
check "$processes processes on two hosts are measured" [ $code -eq 0 ]
cat "$work/said" "$work/lacks"
"$superstep" check --strict "$work/p.json" || failures=$((failures + 1))
check "the profile has what a network needs" [ $fits -eq 0 ]

refused 2 "stays on this machine" --hosts "$CLUSTER_HOSTS" --net shm --budget 5s
tac "$CLUSTER_HOSTS" >"$work/reversed"
refused 2 "the first host must be" --hosts "$work/reversed" --net "$net" --budget 5s
{ cat "$CLUSTER_HOSTS"; echo "nobody-here slots=2"; } >"$work/bad"
refused 5 "host nobody-here does not answer" --hosts "$work/bad" --net "$net" --place none -n 6 --budget 5s
refused 3 "No such file" --hosts "$work/absent" --net "$net" --budget 5s
[ $failures -eq 0 ]
