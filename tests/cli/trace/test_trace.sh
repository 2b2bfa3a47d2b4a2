#!/usr/bin/env bash
# `superstep run --trace`: what the trace says a program did is what the program says it did, to the byte, on every
# transport; files that cannot be written, programs that abort: trace SUPERSTEP TRAFFIC TOTALS NET "P P …"
set -u
tool=$(realpath "$1") traffic=$(realpath "$2") totals=$(realpath "$3") net=$4 counts=$5
source=$(realpath "$(dirname "$0")/traffic.c")
work=$(mktemp -d)
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
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
        # What others sent tells supersteps apart: the first, two kinds, the last.
        record "$p" $engine apart 20
        shape "last_steps 4"
        shape "wrong_times 0"
        shape "behind 0"
        record "$p" $engine long 5
        shape "behind $p"
        shape "wrong_times 0"
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
    # No launcher looks before the run where the variable is set by hand: bsp_begin does.
    SUPERSTEP_TRACE=$work/none/t.json "$traffic" loop 1 >out 2>err
    [ $? = 1 ] && [ ! -s out ] && grep -q "^bsp_begin: .*none/t.json: cannot write: No such file" err ||
        say "folder gone: $(cat err)"
    SUPERSTEP_TRACE=/dev/full "$traffic" loop 1 >out 2>err
    [ $? = 3 ] && [ -s out ] && grep -q "the trace /dev/full was not written: " err || say "full, directly: $(cat err)"
    # A limit on the size of files: for the program alone, as shared memory is a file too.
    "$tool" run -n 2 --net shm --trace limit.json sh -c 'ulimit -f 1; exec "$0" random 300' "$traffic" >out 2>err
    [ $? = 3 ] && [ -s out ] && grep -q "limit.json was not written: .*File too large" err || say "a limit: $(cat err)"
    if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=8k tmpfs small 2>/dev/null; then
        "$tool" run -n 2 --net shm --trace small/t.json "$traffic" random 300 >out 2>err
        [ $? = 3 ] && [ -s out ] && grep -q "small/t.json was not written: .*No space left" err || say "a full disk: $(cat err)"
        [ -z "$(ls -A small)" ] || say "a full disk: $(ls -A small) is left"
        umount small
    fi
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
        echo precious >kept.json
        chmod 755 "$work"
        chmod 444 kept.json
        mkdir -m 777 open
        mv kept.json open/
        if setpriv --reuid 65534 --clear-groups "$tool" --version >/dev/null 2>&1; then
            setpriv --reuid 65534 --clear-groups "$tool" run -n 2 --net shm --trace open/kept.json "$traffic" loop 1 >out 2>err
            [ $? = 3 ] && [ ! -s out ] && grep -q "kept.json: cannot write: belongs to another user" err || say "protected: $(cat err)"
            [ "$(cat open/kept.json)" = precious ] || say "a protected file is replaced"
        fi
    fi
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
unset SUPERSTEP_NO_KERNEL_COPY

# A trace that cannot be written: known before the run where that is possible, and never status 0. The output is there.
# fails CODE OUTPUT PATTERN TRACE ARGUMENT…; OUTPUT: none, or all
fails() {
    local code=$1 output=$2 pattern=$3 trace=$4 got
    shift 4
    timeout -k 5 60 "$tool" run -n "$many" --net "$net" --trace "$trace" "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || say "$trace $*: exit $got, not $code: $(cat err)"
    [ -z "$pattern" ] || grep -q -- "$pattern" err || say "$trace $*: says $(cat err)"
    case $output in
    none) [ ! -s out ] || say "$trace $*: it was started: $(head -n 2 out)" ;;
    all) diff <(sort out) <(sort good) >/dev/null || say "$trace $*: output is lost: $(diff <(sort out) <(sort good))" ;;
    esac
}
many=${counts##* }
timeout -k 5 60 "$tool" run -n "$many" --net "$net" "$traffic" loop 5 >good 2>err || say "without a trace: $(cat err)"
fails 3 none 'none/t.json: cannot write: No such file' "$work/none/t.json" "$traffic" loop 5
fails 3 none 'is a folder' "$work" "$traffic" loop 5
fails 3 none 'cannot write: Not a directory' "$work/err/t.json" "$traffic" loop 5
fails 3 none 'cannot write: File name too long' "$(printf 'x%.0s' {1..300})" "$traffic" loop 5
fails 3 all 'the trace /dev/full was not written: cannot write: No space left' /dev/full "$traffic" loop 5
fails 7 all 'the trace /dev/full was not written' /dev/full "$traffic" away 5
echo '{"kind": "superstep-trace", "old": true}' >old.json
cp old.json old-as-it-was
fails 3 none 'no trace was written to old.json: the program never called bsp_begin' old.json true
fails 1 none "" old.json false
cmp -s old.json old-as-it-was || say "an old trace is touched by a program that writes none"
name=$(printf 'x%.0s' {1..250})
"$tool" run -n "$many" --net "$net" --trace "$name" "$traffic" loop 5 >out 2>err && [ -s "$name" ] || say "a long name: $(cat err)"

# Recorded here, predicted on another machine over another transport: its bytes cost what they cost there.
if [ "$net" = shm ]; then
    data=$(dirname "$source")/../../data/model
    sed 's/"transport": "shm"/"transport": "openmpi"/g' "$data/two-hosts.json" >there.json
    record 2 eager long 5
    "$tool" predict t.json --profile there.json >out 2>err && say "computation of another machine is taken as it is"
    grep -q 'does not carry over' err || say "predict says $(cat err)"
    "$tool" predict t.json --profile there.json --recorded-scale 0.001 --json >out 2>err || say "no prediction: $(cat err)"
    "$tool" predict t.json --profile there.json --recorded-scale 0.001 --what-if 'B*100' --json >slow 2>err || say "no prediction: $(cat err)"
    python3 - out slow <<'PY' || say "the bytes of unbuffered puts have no price over another transport"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["transport"] == "openmpi" and a["recorded"] and a["recorded_scale"]["value"] == 0.001
assert a["parts_s"]["bandwidth"] > 5 * 300000 * 1e-10 / 2, a["parts_s"]
assert b["parts_s"]["bandwidth"] > 50 * a["parts_s"]["bandwidth"], (a["parts_s"], b["parts_s"])
PY
fi
left=$(find . -name '.superstep-*' -o -name '*.tmp')
[ -z "$left" ] || say "left: $left"
exit $wrong
