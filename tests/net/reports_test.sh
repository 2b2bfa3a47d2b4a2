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
    check "nothing but the program's output" [ "$(sort "$work/out" | tr '\n' ,)$(tr "\n" , <"$work/err")" = end,end,half,half ]
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

# what the program sees of itself and of whatever it was started by, up to the launcher, has no secret: environments, command
# lines, files, and its own standard error, which it could read
bare() { env -i PATH="$PATH" HOME="$work" TMPDIR="${TMPDIR:-/tmp}" timeout -k 1 60 "$@"; }
forge=$(dirname "$0")/forge.py
bare "$superstep" run --net "$net" -n 2 "$forge" find >"$work/out" 2>"$work/err" </dev/null
code=$?
check "it looks: status $code" [ $code -eq 0 ]
check "no secret to be found" [ "$(grep -c found "$work/out")" -eq 0 ]
run -n 2 sh -c 'env'
check "nor is the order in the environment" [ "$(grep -cE 'SECRET|ORDER' "$work/out")" -eq 0 ]
# an ordinary user's program cannot look into the process around it; root's can
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --clear-groups test -x "$superstep"; then
    mkdir "$work/other" && chmod 711 "$work" && chown 65534 "$work/other"
    TMPDIR=$work/other HOME=$work/other timeout -k 1 60 setpriv --reuid 65534 --clear-groups "$superstep" run --net "$net" \
        -n 2 sh -c 'for what in environ mem fd/2 maps; do timeout 5 cat /proc/$PPID/$what >/dev/null && echo open; done; echo well' \
        >"$work/out" 2>"$work/err" </dev/null
    code=$?
    check "as another user: status $code" [ $code -eq 0 ]
    check "the process around a rank is closed to its program" [ "$(sort "$work/out" | tr '\n' ,)" = well,well, ]
fi

# a program that forges reports does not get its failure called a success, whether the rank that it speaks for has said
# hello before or will say it after; all that it writes is output, and nothing that it writes makes others doubted
mkdir "$work/late"
real=$(command -v mpirun.openmpi || command -v mpirun)
[ "$net" = mpich ] && real=$(command -v mpiexec.hydra || command -v mpiexec.mpich || command -v mpiexec)
cat >"$work/late/mpirun.openmpi" <<END
#!/bin/bash
words=()
for word; do
    [ "\$word" = "$(realpath "$superstep")" ] && word=$work/late/rank
    words+=("\$word")
done
exec "$real" "\${words[@]}"
END
cp "$work/late/mpirun.openmpi" "$work/late/mpiexec.hydra"
cat >"$work/late/rank" <<END
#!/bin/sh
[ "$rank" = 1 ] && sleep 1
exec "$superstep" "\$@"
END
chmod +x "$work/late/"*
forges() { # WHAT STATUS
    run -n 2 "$forge" "$1" "$2"
    check "$when, $1: status $code, not $2" [ "$code" -eq "$2" ]
    check "$when, $1: nobody is doubted" [ "$(grep -c "none is believed" "$work/err")" -eq 0 ]
    check "$when, $1: is output" [ "$(grep -c "^superstep-report.*0123456789abcdef0123456789abcdef" "$work/err")" -ge 2 ]
}
when=afterwards
forges words 3
check "$when: the real one is read" has "^superstep: rank 1 $(printf '(host %s)' "$(uname -n)") ended with status 3"
forges hello 3
forges hello 1
forges failed 0
PATH=$work/late:$PATH
when=before
forges words 3
forges hello 1
forges failed 0
PATH=${PATH#*:}

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
