#!/bin/bash
# Programs of an MPI under superstep run: they run through their own MPI, or it is said why not.
# test_mpi.sh SUPERSTEP PROGRAM IMPLEMENTATION OTHER "P P …"; OTHER is the other one
set -u
superstep=$1 program=$2 impl=$3 other=$4 counts=$5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset "${!SUPERSTEP_@}"
failures=0 checks=0
check() { # WHAT CONDITION…
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" && return
    failures=$((failures + 1))
    echo "not ok $what"
    head -n 5 "$work/out" "$work/err"
}
run() {
    timeout -k 1 60 "$superstep" run "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}
together() { # P: all P ranks are of one run
    [ "$(sort -n "$work/out")" = "$(for ((i = 0; i < $1; i++)); do echo "$i of $1, sum $(($1 * ($1 - 1) / 2))"; done)" ]
}
one_line() { [ "$(wc -l <"$work/err")" -eq 1 ]; }

for p in $counts; do
    run -n "$p" "$program"
    check "-n $p: ends with $code" [ "$code" = 0 ]
    check "-n $p is one run" together "$p"
    check "-n $p says through what" grep -q "is linked with .* and runs through it (--net $impl)" "$work/err"
    check "in one line" one_line
done
p=${counts%% *}
run -n "$p" --net "$impl" "$program"
check "asked for, nothing is said" [ ! -s "$work/err" ]
check "and it is one run" together "$p"
run -n "$p" --net mpi "$program"
check "any MPI is the right one" together "$p"
run -n "$p" --dry-run --json "$program"
check "a dry run says so too" grep -q "\"net\": \"$impl\"" "$work/out"
run -n "$p" --net "$other" "$program"
check "the other MPI is refused" [ "$code" = 2 ]
check "with the reason" grep -q "is linked with .*, which --net $other cannot start; use --net $impl" "$work/err"
check "in one line" one_line
check "and nothing is started" [ ! -s "$work/out" ]
run -n 2 --net shm "$program"
check "over shared memory it is alone, and warned of" grep -q 'to MPI each process is alone' "$work/err"
run -n 1 --net self "$program"
check "one process is what self means" [ "$code" = 0 ]
check "of which nothing is said" [ ! -s "$work/err" ]

# files that are no programs of an MPI, or not whole
head -c 300 "$program" >"$work/short"
printf '\x7fELF' >"$work/head"
chmod +x "$work/short" "$work/head"
for file in short head; do
    run -n 1 "$work/$file"
    check "$file: not a crash of ours ($code)" [ "$code" -lt 128 ]
done
run -n 2 sh -c 'exit 0'
check "a shell is no program of an MPI" [ ! -s "$work/err" ]

# no trace comes of it, and that is said
run -n "$p" --net "$impl" --trace "$work/trace" "$program"
check "no trace: status 3, not $code" [ "$code" = 3 ]
check "no trace: the output is there" together "$p"
check "no trace: said" grep -q "no trace was written to $work/trace: the program never called bsp_begin" "$work/err"
run -n "$p" --net "$impl" --check "$program"
check "nothing checked: status 0" [ "$code" = 0 ]
check "nothing checked: said" grep -q "nothing was checked: the program never called bsp_begin" "$work/err"
check "nothing checked: said once" one_line

echo "mpi programs, $impl: $checks checks, $failures failed"
[ $failures -eq 0 ]
