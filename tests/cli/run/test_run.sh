#!/bin/bash
# superstep run as people meet it: what it says, how it ends, what it leaves. test_run.sh SUPERSTEP
set -u
superstep=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0 checks=0
check() { # WHAT CONDITION…
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" && return
    failures=$((failures + 1))
    echo "not ok $what"
    sed 's/^/#   out: /' "$work/out" | head -5
    sed 's/^/#   err: /' "$work/err" | head -5
}
# runs with a bound on time; leaves $code, out and err
run() {
    timeout -k 1 30 "$superstep" run "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}
one_line() { [ "$(wc -l <"$work/err")" -eq 1 ]; }
# bad input: CODE, a pattern of the message, arguments
refuses() {
    local want=$1 pattern=$2
    shift 2
    run "$@"
    check "$*: exit status $code, not $want" [ "$code" -eq "$want" ]
    check "$*: one line" one_line
    check "$*: says why ($pattern)" grep -q -- "$pattern" "$work/err"
}

refuses 2 'not a number of processes' -n 0 true
refuses 2 'not a number of processes' -n -1 true
refuses 2 'not a number of processes' -n four true
refuses 2 'not a number of processes' -n 1.5 true
refuses 2 'not a number of processes' -n 99999999999999999999 true
refuses 2 'at most 1024' -n 1025 true
refuses 2 'needs a value' -n
refuses 2 'no program' -n 2
refuses 2 'unknown option' --nothing true
refuses 2 'none of auto' --net carrier-pigeon true
refuses 2 'one process' --net self -n 2 true
refuses 2 'place' --place nowhere true
refuses 2 'none of auto, eager, bulk' --engine steam true
refuses 2 'seconds' --deadlock soon true
refuses 127 'no such program' -n 2 no-such-program-here
refuses 127 'no such program' -n 2 ./no/such/program
echo text >"$work/plain"
refuses 126 'not an executable' -n 2 "$work/plain"
refuses 126 'not an executable' -n 2 /
refuses 3 'No such file' --hosts "$work/none" true
printf 'localhost slots=2\nlocalhost slots=many\n' >"$work/hosts"
refuses 3 'hosts:2:' --hosts "$work/hosts" true
refuses 3 'No such file' --plan "$work/none" true
echo '{"a": ' >"$work/plan"
refuses 3 'plan' --plan "$work/plan" true
refuses 3 'cannot write' --trace "$work/none/trace" true
refuses 3 'is a folder' --plan / true
corpus=$(cd "$(dirname "$0")/../../fuzz/corpus" && pwd)
refuses 3 'not a superstep-plan' --plan "$corpus/profile/good-full.json" true
refuses 3 'bad-barrier-half.json:1: ' --plan "$corpus/plan/bad-barrier-half.json" true
refuses 4 'made for' --plan "$corpus/plan/good-full.json" -n 4 true
refuses 4 'update superstep' --plan "$corpus/plan/bad-schema.json" true
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cat >"$work/as-nobody" <<END
#!/bin/bash
exec setpriv --reuid 65534 --clear-groups "$superstep" "\$@"
END
    chmod 755 "$work" "$work/as-nobody"
    (umask 077 && echo '{}' >"$work/secret")
    if setpriv --reuid 65534 --clear-groups "$superstep" --version >"$work/out" 2>&1; then
        real=$superstep superstep=$work/as-nobody
        refuses 3 'Permission denied' --plan "$work/secret" true
        superstep=$real
    fi
fi
# cpus that are not there, or not ours
refuses 2 'no such core' -n 2 --place 99999 true
first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//') second=$(taskset -cp $$ | sed 's/.*[-,]//')
if [ "$first" != "$second" ]; then
    cat >"$work/masked" <<END
#!/bin/bash
exec taskset -c $first "$superstep" "\$@"
END
    chmod +x "$work/masked"
    real=$superstep superstep=$work/masked
    refuses 2 'may not be used here' -n 2 --place "$second" true
    superstep=$real
fi
# limited KIND AMOUNT CODE PATTERN: no room for what the processes share; a sanitizer needs more than any limit leaves
limited() {
    cat >"$work/limited" <<END
#!/bin/bash
ulimit $1 $2
exec "$superstep" "\$@"
END
    chmod +x "$work/limited"
    (exec 2>"$work/out" && "$work/limited" --version >"$work/out") || return 0
    real=$superstep superstep=$work/limited
    refuses "$3" "$4" -n 4 --net shm true
    superstep=$real
}
limited -v 60000 5 'kB of address space each: the limit (ulimit -v) is 60000'
limited -f 1 5 'shared memory: File too large'
limited -n 6 5 'Too many open files'
echo nobody.invalid >"$work/hosts"
refuses 2 'stays on this machine' --net shm --hosts "$work/hosts" -n 1 true
# the shell itself still needs its tools
mkdir "$work/empty"
cat >"$work/no-mpi" <<END
#!/bin/bash
PATH=$work/empty exec "$superstep" "\$@"
END
chmod +x "$work/no-mpi"
real=$superstep superstep=$work/no-mpi
refuses 5 'no MPI is installed' --net mpi -n 2 /bin/true
superstep=$real

run -n 3 sh -c 'echo $SUPERSTEP_RANK of $SUPERSTEP_SIZE over $SUPERSTEP_NET'
check "ranks" [ "$(sort "$work/out" | tr '\n' ,)" = "0 of 3 over shm,1 of 3 over shm,2 of 3 over shm," ]
run -n3 --prefix -- sh -c 'echo a; echo b'
check "prefix" [ "$(sort "$work/out" | tr '\n' ,)" = "[0] a,[0] b,[1] a,[1] b,[2] a,[2] b," ]
run -n 4 sh -c 'exit $((SUPERSTEP_RANK == 2 ? 7 : 0))'
check "exit status of the program" [ "$code" -eq 7 ]
run -n 1 sh -c 'exit 3'
check "exit status of one process" [ "$code" -eq 3 ]
check "which says nothing" [ ! -s "$work/err" ]
run -n 3 sh -c '[ $SUPERSTEP_RANK = 1 ] && kill -KILL $$; exec sleep 25'
check "a killed rank" [ "$code" -eq 137 ]
check "is named" grep -q '^superstep: rank 1 killed by signal 9 (Killed); ending the other 2$' "$work/err"
run -n 2 sh -c '[ $SUPERSTEP_RANK = 0 ] && exit 5; trap "" TERM; sleep 25'
check "one that ignores SIGTERM" [ "$code" -eq 5 ]
echo first >"$work/in"
timeout 30 "$superstep" run -n 3 sh -c 'read -r l; echo "$SUPERSTEP_RANK:$l"' <"$work/in" >"$work/out" 2>"$work/err"
check "stdin is rank 0's" [ "$(sort "$work/out" | tr '\n' ,)" = "0:first,1:,2:," ]
# a session each, unless a terminal controls the run or they share cores
sessions() { # EXPECTED WHAT -n P: how many different ones
    local want=$1 what=$2
    shift 2
    timeout 30 "$@" sh -c 'echo "session $(cut -d" " -f6 /proc/$$/stat)"' </dev/null >"$work/out" 2>"$work/err"
    check "sessions $what" [ "$(grep -o 'session [0-9]*' "$work/out" | sort -u | wc -l)" -eq "$want" ]
}
[ "$(nproc)" -gt 1 ] && sessions 2 "without a terminal" setsid -w "$superstep" run -n 2 --net shm
sessions 1 "of more processes than cores" setsid -w "$superstep" run -n "$(($(nproc) + 1))" --net shm
sessions 1 "of a terminal" python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$superstep" run -n 2 --net shm
run -n 4 sh -c 'i=0; while [ $i -lt 2000 ]; do echo "$SUPERSTEP_RANK-abcdefghijklmnopqrstuvwxyz"; i=$((i+1)); done'
check "all lines" [ "$(wc -l <"$work/out")" -eq 8000 ]
check "whole lines" [ "$(grep -cvE '^[0-3]-abcdefghijklmnopqrstuvwxyz$' "$work/out")" -eq 0 ]
run -n 2 sh -c '[ $SUPERSTEP_RANK = 1 ] || head -c 3000000 /dev/zero'
check "bytes that are no lines" [ "$(wc -c <"$work/out")" -eq 3000000 ]
run -n 3 sh -c 'sleep 97.31 & echo started'
check "what is left behind does not hold us up" [ "$code" -eq 0 ]
check "and is ended" [ -z "$(grep -lsz '[9]7\.31' /proc/[0-9]*/cmdline)" ]
timeout 20 "$superstep" run -n 3 yes 2>"$work/err" | head -n 2 >"$work/out"
check "a reader who leaves" [ "$(wc -l <"$work/out")" -eq 2 ]
check "is no failure to talk about" [ ! -s "$work/err" ]
run -n 2 --place 0 sh -c 'grep Cpus_allowed_list /proc/self/status'
check "pinned" [ "$(grep -cE '[^0-9]0$' "$work/out")" -eq 2 ]
run -n 2 --dry-run --json -- true
check "dry run" grep -q '"processes": 2' "$work/out"
run -n 2 --dry-run -- echo 'a b' : $'c\nd'
check "dry run: the program" grep -qF "program: echo 'a b' : \$'c\nd'" "$work/out"
for net in openmpi mpich; do
    run -n 2 --net $net --dry-run -- echo 'a b' : $'c\nd'
    [ $code -eq 5 ] && continue # not installed
    check "dry run, $net: the program" grep -qF "program: echo 'a b' : \$'c\nd'" "$work/out"
    check "dry run, $net: no word of its own for a launcher to take" [ "$(grep -c '^command:.* : ' "$work/out")" -eq 0 ]
    refuses 2 '"no-such-agent": no such program' -n 2 --net $net --rsh no-such-agent true
    case $net in openmpi) agent=env:x why='for the end of a command' ;; *) agent="env x" why='a single word' ;; esac
    refuses 2 "$why" -n 2 --net $net --rsh "$agent" true
done
refuses 2 '--as-rank is for what mpirun starts' --as-rank true

# a signal to the launcher alone reaches the program, which may decide to end well
: >"$work/out" # or the lines of the run before count
"$superstep" run -n 2 sh -c 'trap "echo caught; exit 0" TERM; echo up; while :; do sleep 0.05; done' >"$work/out" 2>"$work/err" &
pid=$!
for ((t = 0; t < 200; t++)); do [ "$(grep -c up "$work/out")" -eq 2 ] && break; sleep 0.05; done
kill -TERM $pid
wait $pid
code=$?
check "SIGTERM passed on" [ "$(grep -c caught "$work/out")" -eq 2 ]
check "ends well" [ $code -eq 0 ]
: >"$work/out" # or the lines of the run before count
"$superstep" run -n 2 sh -c 'trap "" TERM; echo up; while :; do sleep 0.05; done' >"$work/out" 2>"$work/err" &
pid=$!
for ((t = 0; t < 200; t++)); do [ "$(grep -c up "$work/out")" -eq 2 ] && break; sleep 0.05; done
kill -TERM $pid
sleep 0.5
kill -TERM $pid
wait $pid
check "a second SIGTERM ends what ignores the first" [ $? -eq 137 ]
# started OPTION… PROGRAM…: a run in the background, whose processes have said "up"; $pid. SIGINT counts as by default.
started() {
    : >"$work/out"
    env --default-signal=INT timeout 60 "$superstep" run "$@" >"$work/out" 2>"$work/err" </dev/null &
    for ((t = 0; t < 400; t++)); do [ "$(grep -c up "$work/out")" -eq 2 ] && break; sleep 0.05; done
    pid=$(pgrep -P $! -f superstep)
}
slow='trap "echo caught; sleep 2; echo saved; exit 0" TERM INT HUP; echo up; while :; do sleep 0.05; done'
for signal in TERM INT; do
    started -n 2 sh -c "$slow"
    kill -$signal "$pid"
    wait $!
    code=$?
    check "SIG$signal: a program with a handler has its time: status $code" [ $code -eq 0 ]
    check "SIG$signal: once" [ "$(grep -c caught "$work/out")" -eq 2 ]
    check "SIG$signal: until it has ended" [ "$(grep -c saved "$work/out")" -eq 2 ]
done
for signal in TERM HUP; do
    started -n 2 sh -c "trap '' $signal; echo up; while :; do sleep 0.05; done"
    kill -$signal "$pid"
    wait $!
    check "SIG$signal: one that ignores it has not" [ $? -ge 128 ]
done
: >"$work/out" # what the run before wrote would be taken for this one's
(trap '' HUP; exec "$superstep" run -n 2 sh -c 'echo up; sleep 2; echo end') >"$work/out" 2>"$work/err" </dev/null &
for ((t = 0; t < 200; t++)); do [ "$(grep -c up "$work/out")" -eq 2 ] && break; sleep 0.05; done
kill -HUP $!
wait $!
check "nohup is obeyed" [ "$?:$(grep -c end "$work/out")" = 0:2 ]
mkfifo "$work/fifo"
sleep 50 <"$work/fifo" & # has it open, and reads nothing
reader=$!
"$superstep" run -n 2 yes >"$work/fifo" 2>"$work/err" </dev/null &
run=$!
sleep 0.5
kill -TERM $run
for ((t = 0; t < 200; t++)); do [ -d /proc/$run ] || break; sleep 0.05; done
check "a reader who reads nothing does not keep us when we are asked to end" [ $t -lt 200 ]
kill -KILL $run $reader 2>/dev/null
wait $run $reader 2>/dev/null

echo "run: $checks checks, $failures failed"
[ $failures -eq 0 ]
