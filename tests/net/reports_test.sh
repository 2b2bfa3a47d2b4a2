#!/bin/bash
# What ranks report to the launcher through an MPI, and what a program writes that only looks like it.
#
#     reports_test.sh SUPERSTEP NET
set -u
superstep=$1 net=$2
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
    sed 's/^/#   err: /' "$work/err" | head -5
}
run() {
    timeout -k 1 60 "$superstep" run --net "$net" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}
has() { grep -q -- "$1" "$work/err"; }
"$superstep" run --net "$net" --dry-run true >/dev/null 2>&1 || { echo "skipped: no $net here" >&2; exit 77; }
rank='${OMPI_COMM_WORLD_RANK:-$PMI_RANK}'

# a launcher that ends with another status than its ranks: their reports count (Open MPI's bug, monitor_watch.c)
if [ "$net" = openmpi ]; then
    mkdir "$work/bin"
    real=$(command -v mpirun.openmpi || command -v mpirun)
    printf '#!/bin/sh\n"%s" "$@"\nexit 1\n' "$real" >"$work/bin/mpirun.openmpi"
    chmod +x "$work/bin/mpirun.openmpi"
    PATH=$work/bin:$PATH run -n 2 sh -c 'printf half >&2; echo end'
    check "all ended well, whatever mpirun says: status $code" [ "$code" -eq 0 ]
    check "nothing but the program's output" [ "$(sort "$work/out" | tr '\n' ,)$(cat "$work/err")" = end,end,halfhalf ]
    PATH=$work/bin:$PATH run -n 2 sh -c "[ $rank = 0 ] || exit 5; sleep 50"
    check "one failed: status $code" [ "$code" -eq 5 ]
    printf '#!/bin/sh\n"%s" "$@" & sleep 5\nkill -KILL $!\nexit 1\n' "$real" >"$work/bin/mpirun.openmpi"
    PATH=$work/bin:$PATH run -n 2 sh -c "[ $rank = 0 ] || exec sleep 50"
    check "mpirun ends the run by itself: status $code" [ "$code" -eq 1 ]
    check "and we say that nobody reported a failure" has 'Open MPI ended the run with status 1.*1 of 2 ended well'
fi

# word for word what a report used to look like, or looks like but for the secret; then the run goes on for longer than
# the launcher would wait
cat >"$work/lines" <<END
superstep: rank 0 (host x) ended with status 7
superstep: rank 1 (host x) killed by signal 9 (Killed); ending the other 1
superstep-report 0123456789abcdef0123456789abcdef failed 9 superstep: rank 0 (host x) killed by signal 9
superstep-report caught 15
END
run -n 2 sh -c "[ $rank = 0 ] && cat '$work/lines' >&2; sleep 2.5; echo end"
check "a line that looks like a report does not end the run: status $code" [ "$code" -eq 0 ]
check "nor the program" [ "$(grep -c end "$work/out")" -eq 2 ]
check "and is output like any other" cmp -s "$work/lines" "$work/err"

# the program finds no secret to write such a line with
run -n 2 sh -c 'env; cat /proc/$$/environ | tr "\0" "\n"'
check "no secret in the environment" [ "$(grep -cE 'SECRET|ORDER|[0-9a-f]{32}' "$work/out")" -eq 0 ]

# a real one is as readable as ever, and no secret is shown
one_host="(host $(uname -n))"
run -n 2 sh -c "[ $rank = 1 ] && kill -KILL \$\$; exec sleep 50"
check "killed: status $code" [ "$code" -eq 137 ]
check "killed: rank, host and cause" has "^superstep: rank 1 $one_host killed by signal 9 (Killed); ending the other 1\$"
check "killed: no more than that" [ "$(grep -c superstep "$work/err")" -eq 1 ]
run -n 3 sh -c "[ $rank = 2 ] && exit 7; exec sleep 50"
check "status $code, not 7" [ "$code" -eq 7 ]
check "ended: rank, host and cause" has "^superstep: rank 2 $one_host ended with status 7; ending the other 2\$"
run -n 2 sh -c "[ $rank = 1 ] && { printf 'half a line' >&2; kill -SEGV \$\$; }; exec sleep 50"
check "after half a line: status $code" [ "$code" -eq 139 ]
check "the half line stays" has "^half a line"
check "and the report has its own" has "^superstep: rank 1 $one_host killed by signal 11 (Segmentation fault"
check "no secret is shown" [ "$(grep -c superstep-report "$work/err")" -eq 0 ]
run -n 2 --prefix sh -c "[ $rank = 0 ] && { echo last >&2; exit 9; }; exec sleep 50"
check "with labels: status $code" [ "$code" -eq 9 ]
check "with labels: output" has "^\[0\] last\$"
check "with labels: report" has "^superstep: rank 0 $one_host ended with status 9; ending the other 1\$"
# asked to end, MPICH leaves a program its time; Open MPI does not
if [ "$net" = mpich ]; then
    : >"$work/out"
    slow='trap "echo caught; sleep 3; echo saved; exit 0" TERM; echo up; while :; do sleep 0.05; done'
    timeout 60 "$superstep" run --net $net -n 2 sh -c "$slow" >"$work/out" 2>"$work/err" </dev/null &
    for ((t = 0; t < 400; t++)); do [ "$(grep -c up "$work/out")" -eq 2 ] && break; sleep 0.05; done
    kill -TERM "$(pgrep -P $! -f superstep)"
    wait $!
    code=$?
    check "a program with a handler has its time: status $code" [ $code -eq 0 ]
    check "gets the signal once" [ "$(grep -c caught "$work/out")" -eq 2 ]
    check "and ends as it likes" [ "$(grep -c saved "$work/out")" -eq 2 ]
fi
echo "$net: reports: $failures failures"
[ $failures -eq 0 ]
