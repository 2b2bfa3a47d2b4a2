#!/usr/bin/env bash
# `superstep run --trace`: what the trace says a program did is what the program says it did, to the byte, on every
# transport; files that cannot be written, programs that abort: trace SUPERSTEP TRAFFIC TOTALS NET "P P …"
set -u
tool=$(realpath "$1") traffic=$(realpath "$2") totals=$(realpath "$3") net=$4 counts=$5
source=$(realpath "$(dirname "$0")/traffic.c")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
: >shape
unset "${!SUPERSTEP_@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=0}
say() { echo "trace: $net: $*"; wrong=1; }

case $net in openmpi | mpich)
    if [ "$net" = openmpi ]; then command -v mpirun.openmpi || command -v mpirun; else command -v mpiexec.mpich; fi \
        >/dev/null || exit 77 ;;
esac

# record P ENGINE ARGUMENT…: runs and compares the books; the shape is in $work/shape.
record() {
    local p=$1 engine=$2 got
    shift 2
    rm -f t.json
    timeout -k 5 60 "$tool" run -n "$p" --net "$net" --engine "$engine" --trace t.json "$traffic" "$@" >out 2>err
    got=$?
    # a status other than 0 is said by the launcher
    [ "$got" = "${expected:-0}" ] && { [ "$got" != 0 ] || [ ! -s err ]; } || say "$* on $p: exit $got: $(head -n 3 err)"
    "$totals" t.json >said 2>&1 || { say "$* on $p: $(cat said)"; return; }
    grep '^#' said >shape
    diff <(sort out) <(grep -v '^#' said | sort) >different || say "$* on $p ($engine) differs: $(head -n 5 different)"
    grep -q "^# transport $net\$" shape || say "$* on $p: $(cat shape)"
    grep -q "^# processes $p\$" shape || say "$* on $p: $(cat shape)"
}
shape() { grep -q "^# $1\$" shape || say "no \"$1\" in $(tr '\n' ' ' <shape)"; }

for p in $counts; do
    for engine in eager bulk; do
        record "$p" $engine loop 1000
        shape "runs 3"
        shape "length 3002"
        shape "merged 0"
        shape "same 1"
        record "$p" $engine random 300
        shape "length 302"
        shape "same 1"
        record "$p" $engine off 50
        shape "left_out 50"
        shape "length 102"
    done
    expected=7 record "$p" eager away 5
done
# Call sites are lines of the source where the program knows them, else object and offset.
"$tool" run -n "${counts##* }" --net "$net" --trace t.json "$traffic" loop 10 >out 2>err || say "loop 10: $(head -n 3 err)"
for call in bsp_sync bsp_end; do
    for line in $(grep -n "^ *$call();" "$source" | cut -d: -f1); do
        grep -q "\"line\": *\"[^\"]*traffic.c:$line\"" t.json || say "traffic.c:$line is not in the trace"
    done
done
if command -v strip >/dev/null; then
    strip -o stripped "$traffic"
    "$tool" run -n "${counts##* }" --net "$net" --trace t.json ./stripped loop 10 >out 2>err || say "stripped: $(head -n 3 err)"
    grep -q '"place": *"stripped+0x' t.json || say "no places of a program without symbols"
    grep -q 'stripped.*"line"' t.json && say "lines of a program without symbols"
fi
if [ "$net" = shm ]; then
    # More different supersteps than a process keeps apart: totals stay exact.
    record 2 eager random 9000
    grep -q "^# merged [1-9]" shape || say "nothing merged: $(cat shape)"
    shape "length 9002"

    "$tool" run -n 2 --net shm --trace t2.json "$traffic" abort >out 2>err && say "abort did not abort"
    [ -e t2.json ] && say "a trace of a program that aborted"
    "$tool" run -n 2 --trace "$work/none/t.json" "$traffic" loop 1 >out 2>err
    [ $? = 3 ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "--trace: cannot write" err || say "absent folder: $(cat err)"
    # Nobody looks before the run where the variable is set by hand: one line, and the program's status.
    SUPERSTEP_TRACE=$work/none/t.json "$traffic" loop 1 >out 2>err
    [ $? = 0 ] && [ "$(wc -l <err)" = 1 ] && grep -q "the trace .*none/t.json was not written: " err ||
        say "folder gone: $(cat err)"
    SUPERSTEP_TRACE=direct.json "$traffic" loop 1 >out 2>err && "$totals" direct.json >/dev/null || say "direct: $(cat err)"
    "$tool" run -n 2 --net shm --check --trace checked.json "$traffic" loop 3 >out 2>err
    "$totals" checked.json | grep -v '^#' | sort | diff <(sort out) - || say "with --check: $(cat err)"
fi
if [ "$net" != self ] && [ "$net" != shm ]; then
    # Pieces that were on their way before the sync; processes of one host fetch them at the sync, unless forbidden.
    record 2 eager long 10
    shape "early 0"
    export SUPERSTEP_NO_KERNEL_COPY=1
    record 2 eager long 10
    grep -q "^# early [1-9]" shape || say "nothing early: $(cat shape)"
    record 2 bulk long 10
    shape "early 0"
fi
exit $wrong
