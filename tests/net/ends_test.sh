#!/bin/bash
# How runs through an MPI end: what the MPI says is shown, the status is that of the rank that failed first, a launcher
# that stays is ended, and a batch system's allocation does not matter to a run on this machine.
#
#     ends_test.sh SUPERSTEP PROGRAM NET
set -u
superstep=$1 program=$2 net=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
check() { # WHAT CONDITION…
    local what=$1
    shift
    "$@" && return
    failures=$((failures + 1))
    echo "not ok $net: $what"
    sed 's/^/#   out: /' "$work/out" | head -5
    sed 's/^/#   err: /' "$work/err" | head -10
}
run() {
    timeout -k 1 60 "$superstep" run --net "$net" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}
has() { grep -q -- "$1" "$work/err"; }
none() { ! has "$1"; }
"$superstep" run --net "$net" --dry-run true >/dev/null 2>&1 || { echo "skipped: no $net here" >&2; exit 77; }

for ((i = 0; i < 5; i++)); do
    run -n 2 "$program" abort
    check "MPI_Abort: status $code, not 7" [ $code -eq 7 ]
    check "MPI_Abort: is said" has 'MPI_A[Bb][Oo][Rr][Tt]'
    check "MPI_Abort: last words on stdout" grep -q 'last on stdout' "$work/out"
    check "MPI_Abort: last words on stderr" has 'last on stderr'
done
run -n 2 "$program" error
check "an error of a call: status $code" [ $code -ne 0 ]
check "an error of a call: is said" has 'MPI_Send\|Open MPI ended the run'
run -n 1 sh -c 'exit 3'
check "one process: status $code, not 3" [ $code -eq 3 ]
check "one process: nothing to add" [ ! -s "$work/err" ]
run -n 2 sh -c 'exit 3'
check "two processes: status $code, not 3" [ $code -eq 3 ]
check "two processes: rank and cause, no banner of the MPI" [ "$(grep -cv '^superstep: rank [01] .*ended with status 3' "$work/err")" -eq 0 ]
if [ "$net" = openmpi ]; then # MPICH 4.0 of Debian cannot do it with its own launcher either
    run -n 2 "$program" spawn
    check "MPI_Comm_spawn: status $code" [ $code -eq 0 ]
    check "MPI_Comm_spawn: all four" [ "$(sort "$work/out" | tr '\n' ,)" = child,child,parent,parent, ]
fi

export SUPERSTEP_MPI_WHEN=always
for how in "slow 139" "segv 139" "kill 137" "exit 5"; do
    for p in 2 4; do
        run --mpi -n $p "$program" ${how% *}
        check "${how% *}, -n $p: status $code" [ $code -eq ${how#* } ]
        check "${how% *}, -n $p: one rank, one cause" [ "$(grep -c '^superstep: rank' "$work/err")" -eq 1 ]
        check "${how% *}, -n $p: and it is that one" has "^superstep: rank $((p - 1)) "
        check "${how% *}, -n $p: the others say nothing" none 'errhandler'
    done
done
unset SUPERSTEP_MPI_WHEN

# as in an allocation of hosts that are not called as this one is
for p in 1 3; do
    SLURM_JOBID=1 SLURM_JOB_ID=1 SLURM_NODELIST=nowhere SLURM_JOB_NODELIST=nowhere SLURM_TASKS_PER_NODE=1 SLURM_NNODES=1 \
        SLURM_JOB_NUM_NODES=1 run -n $p sh -c 'echo here'
    check "in an allocation: status $code" [ $code -eq 0 ]
    check "in an allocation: all are here" [ "$(grep -c here "$work/out")" -eq $p ]
done

# a launcher that stays when its ranks have ended, or are ended
mkdir "$work/bin"
name=mpirun.openmpi real=$(command -v mpirun.openmpi || command -v mpirun)
[ "$net" = mpich ] && name=mpiexec.hydra real=$(command -v mpiexec.hydra || command -v mpiexec.mpich || command -v mpiexec)
printf '#!/bin/sh\n"%s" "$@"\nexec sleep 1000\n' "$real" >"$work/bin/$name"
chmod +x "$work/bin/$name"
PATH=$work/bin:$PATH
run -n 2 sh -c 'echo well'
check "it stays and all is well: status $code" [ $code -eq 0 ]
check "it stays: nothing is said" [ ! -s "$work/err" ]
run -n 2 "$program" abort
check "it stays after MPI_Abort: status $code" [ $code -eq 1 ]
check "it stays after MPI_Abort: is said" has 'did not end when its processes had'
run -n 2 sh -c 'exit 4'
check "it stays after a failure: status $code" [ $code -eq 4 ]
echo "$net: ends: $failures failures"
[ $failures -eq 0 ]
