#!/bin/bash
# Kills a random rank by a random signal at a random moment, many times, and looks at what is left.
#
#     kill_test.sh SUPERSTEP KILL_TARGET NET COUNT
#
# Every time: the run ends within BOUND seconds (2 s are promised; SUPERSTEP_KILL_BOUND allows more on a loaded machine),
# with 128 + signal, with a line that names rank and signal; no process of it is left; at the end no object in /dev/shm
# and no System V segment. Only processes that the target itself named are killed.
set -u
superstep=$1 target=$2 net=$3 count=$4
read -ra options <<<"${SUPERSTEP_KILL_OPTIONS:-}" # more of `superstep run`
bound=${SUPERSTEP_KILL_BOUND:-5}
bound_us=$((bound * 1000000))
work=$(mktemp -d) || exit 1
run=
trap '[ -z "$run" ] || kill -KILL "$run" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failures=0 worst_us=0
signals=(KILL SEGV TERM ABRT)
RANDOM=${SUPERSTEP_TEST_SEED:-$$}

now_us() { echo "${EPOCHREALTIME/[.,]/}"; }
complain() {
    echo "not ok $net $i: $*"
    sed 's/^/#   /' "$work/err" | head -20
    failures=$((failures + 1))
}
left_over() { # processes that carry the tag; the pattern must not find grep itself
    grep -ls -- "[k]${1#k}" /proc/[0-9]*/cmdline
}
objects() { ls /dev/shm; }
# System V segments that nobody has attached, as key and number
segments() { awk 'NR > 1 && $7 == 0 { print $1 ":" $2 }' /proc/sysvipc/shm 2>/dev/null | sort; }

objects >"$work/before"
segments >"$work/segments"
ulimit -c 0
for ((i = 1; i <= count; i++)); do
    size=$((2 + RANDOM % 4)) victim=$((RANDOM % size)) signal=${signals[RANDOM % 4]}
    tag=kill-target-$$-$i.
    : >"$work/out" # before the shell that starts the run gets to it
    "$superstep" run --net "$net" "${options[@]}" -n $size "$target" "$tag" >"$work/out" 2>"$work/err" </dev/null &
    run=$!
    for ((t = 0; t < 1500; t++)); do
        [ "$(grep -c '^ready' "$work/out")" -eq $size ] && break
        [ -d /proc/$run ] || break
        sleep 0.02
    done
    pid=$(awk -v r=$victim '$1 == "ready" && $2 == r {print $3}' "$work/out")
    if [ -z "$pid" ]; then
        complain "did not start"
        kill -KILL $run 2>/dev/null
        wait $run 2>/dev/null
        run=
        continue
    fi
    sleep 0.0$((RANDOM % 6))$((RANDOM % 10))
    start=$(now_us)
    kill -s "$signal" "$pid"
    wait $run 2>/dev/null
    code=$?
    run=
    took=$(($(now_us) - start))
    ((took > worst_us)) && worst_us=$took
    number=$(kill -l "$signal")
    ((took <= bound_us)) || complain "rank $victim by $signal: took $((took / 1000)) ms"
    ((code == 128 + number)) || complain "rank $victim by $signal: exit status $code"
    grep -Eq "rank $victim (\(host [^)]*\) )?killed by signal $number \(" "$work/err" || complain "rank $victim by $signal: not named"
    ! grep -q '^not SUP_EPEER' "$work/err" || complain "another status than SUP_EPEER"
    left=$(left_over "$tag")
    [ -z "$left" ] || complain "left over: $left"
done

# Others may run on this machine: an object counts as left only if nobody has it mapped any more.
objects >"$work/after"
for name in $(comm -13 "$work/before" "$work/after"); do
    [ -e "/dev/shm/$name" ] || continue
    grep -qs "/dev/shm/$name" /proc/[0-9]*/maps && continue
    sleep 1
    [ -e "/dev/shm/$name" ] || continue
    grep -qs "/dev/shm/$name" /proc/[0-9]*/maps && continue
    i=end
    complain "left in /dev/shm: $name"
done
for name in $(segments | comm -13 "$work/segments" -); do
    sleep 1 # somebody else's may be on its way
    segments | grep -qx -- "$name" || continue
    i=end
    complain "System V segment left: $name"
done
echo "$net: killed $count times, $failures failures, slowest end $((worst_us / 1000)) ms"
[ $failures -eq 0 ]
