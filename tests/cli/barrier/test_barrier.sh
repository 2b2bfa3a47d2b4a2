#!/usr/bin/env bash
# superstep barrier: what each word says, of words, plans and files of stages, and one clear line for each mistake:
# test_barrier.sh SUPERSTEP TESTS
set -u
tool=$(realpath "$1") data=$(realpath "$2")/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
say() { echo "barrier: $1"; wrong=1; }

# expect CODE PATTERN ARGUMENT...: exit code and text; a failure is one line on stderr.
expect() {
    local code=$1 what=$2 got
    shift 2
    timeout 60 "$tool" barrier "$@" >out 2>err </dev/null
    got=$?
    [ $got = "$code" ] || say "$*: exit code $got, not $code: $(head -c 300 err)"
    grep -aq -- "$what" out err || say "$*: nowhere \"$what\": $(cat out err | head -c 400)"
    if [ "$code" != 0 ] && [ "${*: -1}" != --json ] && [ "$(wc -l <err)" != 1 ]; then say "$*: wanted one line: $(cat err)"; fi
}
json() { python3 -c "import json,sys; d=json.load(open('out')); sys.exit(not ($1))" || say "JSON: not $1: $(head -c 400 out)"; }
two=$data/model/two-hosts.json four=$data/model/four.json core=$data/profile/two-core.json

# ---- show ----
expect 0 'tree: 4 processes, 4 stages, 6 signals, at most 1 ' show tree -n 4
grep -q 'stage 3' out || say "show draws no stage 3"
expect 0 'flags: 4 processes, 2 stages, 6 signals, at most 3 ' show flags --hosts 2,2
grep -q 'host' out || say "show --hosts names no host"
expect 0 '' show dissemination -n 1
expect 0 '"widest_fan": 3' show linear -n 4 --json
json 'd["processes"] == 4 and d["stages"] == 2 and [s["from"] for s in d["signals_of_stages"][0]] == [1, 2, 3]'
expect 0 'signals' show tree:4 -n 16 --svg a.svg
python3 -c "import xml.dom.minidom; xml.dom.minidom.parse('a.svg')" || say "a.svg is no XML"
expect 3 'exists; --force replaces it' show tree -n 4 --svg a.svg
expect 0 '' show tree -n 4 --svg a.svg --force
expect 0 'usual: 6 processes' show usual --hosts 3,3
printf 'node1 slots=2\nnode2 slots=2\n' >hosts
expect 0 'usual: 4 processes' show usual --hosts hosts

# ---- verify ----
for p in 1 2 3 4 7 16 4096; do
    for b in linear tree dissemination flags tree:4 dissemination:3 usual; do
        expect 0 'is a barrier' verify $b -n $p
    done
done
printf '0: 1>0 2>0 3>0\n1: 0>>1 0>>2 0>>3\n' >good
printf '# nobody releases 3\n0: 1>0 2>0 3>0\n1: 0>1 0>2\n' >broken
expect 0 'is a barrier: all of 4 hear of all, in 2 stages and 6 signals' verify good
expect 0 '"barrier": true' verify good --json -n 4
expect 1 'is no barrier: 3 never hears of 0' verify broken
grep -q 'process 3 may leave before process 0' out || say "no trace of why: $(cat out)"
expect 1 '"barrier": false' verify broken --json
json 'd["gap"]["process"] == 3 and d["gap"]["never_hears_of"] == 0'
expect 0 ' 1 1 1 1' verify dissemination -n 4 --counts
expect 2 '64 processes at most' verify tree -n 65 --counts

# ---- hostile ----
printf '0: 1>0 5000>0\n' >bad && expect 3 'bad:1: ' verify bad
printf '0: 1>0\n1: 2>2\n' >bad && expect 3 'bad:2: .*signals itself' verify bad
printf 'processes 2\n0: 1>0 2>0\n' >bad && expect 3 'bad:2: ' verify bad
printf '0: 1>0\nnonsense\n' >bad && expect 3 'bad:2: ' verify bad
head -c 4096 /dev/urandom | tr -d '\n{' >bad && expect 3 'bad:1: ' verify bad
: >bad && expect 3 'bad' verify bad
printf '{"kind": "superstep-plan"' >bad && expect 3 'bad:' verify bad
printf '{"kind": "superstep-profile"}' >bad && expect 3 'bad:' verify bad
expect 2 'is for 4 processes, not for 5' verify good -n 5
expect 2 'is for 4 processes, not for 6' verify good --hosts 3,3
expect 3 'missing' verify ./missing
expect 3 '' verify .
expect 2 'there is no barrier and no file "nothing"; barriers: linear, ' verify nothing -n 4
expect 2 'linear has no radix' show linear:4 -n 4
expect 2 'the radix of tree is a number from 2 to ' show tree:1 -n 4
expect 2 'the radix of tree' show tree:x -n 4
expect 2 '-n P is missing' show tree
expect 2 'a number of processes' show tree -n 0
expect 2 'a number of processes' show tree -n 5000
expect 2 'is no list of processes' show tree --hosts 2,,2
expect 2 'is no list of processes' show tree --hosts 0,2
expect 2 'has places for 4 processes, not for 5' show tree --hosts 2,2 -n 5
expect 2 'barrier what? there is: show' -n 4
expect 2 'there is nothing called "draw"' draw tree
expect 2 'show which barrier' show -n 4
expect 2 'verify takes one barrier' verify tree linear -n 4
expect 2 'verify has no option --svg' verify tree -n 4 --svg x.svg
expect 2 'show has no option --seconds' show tree -n 4 --seconds 3

# ---- cost and synth ----
expect 0 'tree, 8 processes over shm: predicted .* measured 5.00' cost tree --profile "$two"
expect 0 '' cost tree --profile "$two" --json
json 'abs(d["stages"][-1]["until_s"] / d["predicted_s"] - 1) < 1e-6 and all(s["takes_s"] >= 0 for s in d["stages"])'
json 'len(d["stages"]) == 6 and d["stages"][1]["until_s"] < d["predicted_s"] / 2 and d["low_s"] <= d["predicted_s"] <= d["high_s"]'
expect 0 'dissemination' cost all --profile "$four"
expect 0 '' cost all --profile "$four" --json
json 'd["processes"] == 4 and all(a["predicted_s"] < 1.001 * b["predicted_s"] for a, b in zip(d["candidates"], d["candidates"][1:]))'
json 'all(n in [c["barrier"] for c in d["candidates"]] for n in (d["choice"], d["usual"], d["greedy"]))'
expect 0 'good, 4 processes' cost good --profile "$four"
expect 2 'the profile is of 4 processes, not of 9' cost tree -n 9 --profile "$four"
expect 2 'the profile is of 2 processes' cost good --profile "$core"
expect 3 'missing.json' cost tree --profile missing.json
expect 2 '--profile FILE is missing' cost tree -n 4
expect 2 'no pattern\|--profile FILE is missing\|synth takes no barrier' synth tree --profile "$four"
expect 0 'greedy algorithm: ' synth --profile "$two" --out plan.json
[ "$("$tool" check --strict plan.json | wc -l)" -ge 1 ] || say "the plan is malformed"
expect 3 'exists; --force replaces it' synth --profile "$two" --out plan.json
expect 0 '' synth --profile "$two" --out plan2.json --json
json 'd["processes"] == 8 and d["cheapest"]["predicted_s"] <= d["greedy"]["predicted_s"] and d["plan"] == "plan2.json"'
python3 - <<'P' || say "two plans of one profile differ"
import json, sys
a, b = (json.load(open(f)) for f in ("plan.json", "plan2.json"))
sys.exit(a["barrier"] != b["barrier"])
P
expect 0 'is a barrier: all of 8' verify plan.json
expect 0 '8 processes' show plan.json
expect 0 ', 8 processes over shm: predicted' cost plan.json --profile "$two"
expect 2 'has no barrier for 5 processes placed so; it has: 8' verify plan.json -n 5
sed 's/"topology": "[^"]*/&0/' plan.json >other.json
expect 4 'do not belong together' cost other.json --profile "$two"

# ---- emit ----
expect 0 'int superstep_barrier(MPI_Comm comm)' emit tree -n 4
expect 0 'void mine(struct mine_shared \*shared, int rank)' emit plan.json --shm --name mine
expect 0 'x.c: superstep_barrier, for 4 processes, over shm' emit good --shm --out x.c
expect 3 'exists; --force replaces it' emit good --shm --out x.c
expect 0 '"function": "superstep_barrier"' emit good --shm --out x.c --force --json
expect 1 'is no barrier: 3 never hears of 0' emit broken
expect 2 'exclude each other' emit tree -n 4 --mpi --shm
expect 2 'is no name of a function in C' emit tree -n 4 --name 'a-b'
expect 2 'is no name of a function in C' emit tree -n 4 --name '1a'
expect 2 'means something else in C' emit tree -n 4 --name while
expect 2 'means something else in C' emit tree -n 4 --name MPI_Barrier
expect 2 'longer than 63' emit tree -n 4 --name "$(printf 'a%.0s' {1..64})"
expect 2 'json needs --out' emit --json tree -n 4
expect 3 'nowhere' emit tree -n 4 --out nowhere/x.c
cp good 'a*/b' 2>/dev/null || { mkdir -p 'a*' && cp good 'a*/b'; }
expect 0 'a?/b' emit 'a*/b' --shm # its name must not end the comment

# ---- bench ----
expect 2 '-n P is missing' bench
expect 2 'two processes or more' bench -n 1
expect 2 'names a file of hosts' bench --hosts 2,2
expect 1 'no barrier\|does not synchronise' bench broken
expect 4 'processor\|machine\|topology\|placement\|cores' bench -n 8 --profile "$two"
expect 0 '"barriers": ' bench good tree -n 4 --seconds 0.4 --json
json 'd["processes"] == 4 and len(d["barriers"]) == 2 and all(b["measured_s"] > 0 for b in d["barriers"])'
json 'd["barriers"][0]["measured_s"] <= d["barriers"][1]["measured_s"] and d["mean_error"] is None'

exit $wrong
