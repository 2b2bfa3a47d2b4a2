#!/usr/bin/env bash
# Rules of `superstep choose --rules` in Open MPI itself: it takes the algorithms that the file names, and all results are
# right: test_rules.sh SUPERSTEP PROGRAM TESTS-FOLDER
set -u
command -v mpirun.openmpi >/dev/null || exit 77
mpirun.openmpi --version 2>/dev/null | grep -q ' 4\.1\.' || exit 77 # others have other numbers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 wrong=0
"$1" choose --only collectives --rules "$work/rules" "$3/golden/model/hosts-2x2/openmpi/4/profile.json" >/dev/null || exit 1
for processes in 3 4; do
    timeout 60 mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 -n $processes --mca coll_tuned_use_dynamic_rules 1 \
        --mca coll_tuned_dynamic_rules_filename "$work/rules" "$2" >"$work/out" 2>"$work/err" ||
        { echo "rules: $processes processes: $(cat "$work/out" "$work/err")"; wrong=1; }
    python3 - "$work/rules" "$work/out" $processes <<'PY' || wrong=1
import sys
numbers = iter(int(x) for line in open(sys.argv[1]) for x in line.split("#")[0].split())
processes, rules = int(sys.argv[3]), {}
for _ in range(next(numbers)):
    collective = next(numbers)
    for _ in range(next(numbers)):
        size = next(numbers)
        rows = [[next(numbers) for _ in range(4)] for _ in range(next(numbers))]
        if size == processes: rules[collective] = rows
names = {"bcast": (7, ["", "basic_linear", "chain", "pipeline", "", "bintree", "binomial", "", "scatter_allgather", "scatter_allgather_ring"]),
         "allgather": (0, ["", "", "bruck", "recursivedoubling", "ring", "neighborexchange"]),
         "gather": (9, ["", "basic_linear", "binomial"]), "scatter": (15, ["", "basic_linear", "binomial"]),
         "alltoall": (3, ["", "basic_linear", "pairwise", "bruck"])}
seen = 0
for line in open(sys.argv[2]):
    what, size, used = line.replace(":", "").split()
    collective, algorithms = names[what]
    rule = [r for r in rules[collective] if r[0] <= int(size)][-1]
    if not rule[1]: continue
    seen += 1
    assert used == what + "_intra_" + algorithms[rule[1]], (line, rule)
assert seen >= 15, seen
PY
done
exit $wrong
