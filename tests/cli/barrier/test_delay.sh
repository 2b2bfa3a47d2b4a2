#!/usr/bin/env bash
# Emitted barriers in the delay test of BSP §5.5, and ones without a signal, which must be caught:
# test_delay.sh SUPERSTEP shm|openmpi|mpich
set -u
tool=$(realpath "$1") form=$2 here=$(dirname "$(realpath "$0")")
work=$(mktemp -d /dev/shm/superstep-delay.XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
say() { echo "delay: $1"; wrong=1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
flags=(-std=c11 -Wall -Wextra -Werror -O2 -I"$here" -I.)

case $form in
shm) compilers=(cc) emit=--shm ;;
openmpi) compilers=(mpicc.openmpi) emit=--mpi ;;
mpich) compilers=(mpicc.mpich) emit=--mpi ;;
*) exit 2 ;;
esac
# MPICH burns the cores that the late one needs where there are fewer than processes.
[ "$form" = mpich ] && flags+=(-DREPEATS=2)
command -v "${compilers[0]}" >/dev/null || { echo "no ${compilers[0]}"; exit 77; }
[ "$form" = shm ] && command -v clang >/dev/null && compilers+=(clang)

# A barrier signal by signal, as a plan has it: gather in pairs to 0, all released at once by one word.
plan() { # P
    python3 - "$1" <<'P'
import json, sys
p = int(sys.argv[1])
up, step = [], 1
while step < p:
    up.append([[i, i - step] for i in range(step, p, 2 * step)])
    step *= 2
stages = [{"signals": sum(s, [])} for s in up]
stages.append({"signals": sum(([0, i] for i in range(1, p)), []), "common": True})
json.dump({"kind": "superstep-plan", "schema": 1, "created": "2026-01-01T00:00:00Z", "tool": "test",
           "signature": {"topology": "x", "cpu": "x", "cores": 1, "hosts": 1, "processes": p, "transport": "shm"},
           "barrier": {"processes": p, "algorithm": "stages", "stages": stages}}, open("plan.json", "w"))
P
}

# add FUNCTION ARGUMENT...: one more function in all.h
add() {
    local name=$1
    shift
    "$tool" barrier emit "$@" "$emit" --name "$name" --out "$name.c" --force >out 2>err || say "$*: $(cat err)"
    for c in "${alone[@]}"; do
        "$c" -std=c11 -Wall -Wextra -Werror -O2 -c "$name.c" -o one.o 2>err || say "$c: $*: $(head -5 err)"
    done
    echo "#include \"$name.c\"" >>all.h
    functions+=("$name")
}
begin() { functions=(); : >all.h; }
end() { printf '#define EACH(X)'; printf ' X(%s)' "${functions[@]}"; printf '\n#define PROCESSES %d\n' "$1"; }

# check P good|MS: of broken ones, how long the late one waits for somebody who leaves too early
check() {
    end "$1" >>all.h
    if [ "$form" = shm ]; then
        cc "${flags[@]}" "$here/delay_shm.c" -o delay -pthread || { say "P = $1 does not compile"; return; }
        for how in processes threads; do
            timeout 100 ./delay $how "$2" 2>err || say "P = $1, $how, $2: $(head -5 err)"
        done
    else
        "${compilers[0]}" "${flags[@]}" "$here/delay_mpi.c" -o delay || { say "P = $1 does not compile"; return; }
        : >words
        truncate -s 2M words
        local start=(mpiexec.mpich -n "$1")
        [ "$form" = openmpi ] && start=(mpirun.openmpi --oversubscribe --mca btl self,vader -n "$1")
        timeout 150 "${start[@]}" ./delay "$work/words" "$2" >err 2>&1 </dev/null || say "P = $1, $form, $2: $(head -5 err)"
    fi
}

# over the MPIs, whose processes spin, fewer numbers
counts="2 3 4 7"
[ "$form" = shm ] || counts="2 3 7"
words=$("$tool" barrier emit nothing -n 2 2>&1 | sed 's/.*barriers: //; s/ (.*//; s/,//g')
for p in $counts; do
    begin
    alone=() k=0 some="$words tree:3 tree:4 dissemination:3 dissemination:4"
    [ $p = 7 ] && alone=("${compilers[@]}")
    [ $p$form = 7mpich ] && some="tree:3 dissemination flags"
    for word in $some; do add "word_$((k++))" "$word" -n $p; done
    plan $p
    add stages plan.json -n $p
    check $p good
done

# One process waits for nobody.
alone=("${compilers[@]}")
add single dissemination -n 1
alone=()

# Each signal of a plan in turn, and of a tree: none of them is there for nothing.
begin
plan 4
for k in 1 2 3 4 5 6; do add "plan_$k" plan.json -n 4 --drop $k; done
[ "$form" = shm ] && for k in 1 2 3 4 5 6; do add "tree_$k" tree -n 4 --drop $k; done
flags+=(-UREPEATS -DREPEATS=1)
patience=200
[ "$form" = shm ] && patience=50
check 4 $patience

exit $wrong
