#!/usr/bin/env bash
# superstep taulop: expressions that are evaluated, expressions and costs of collectives under mappings, all algorithms
# by all models, and one clear line for each mistake: test_taulop.sh SUPERSTEP TESTS MACHINES
set -u
tool=$(realpath "$1") data=$(realpath "$2") machines=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
say() { echo "taulop: $1"; wrong=1; }

# expect CODE PATTERN ARGUMENT...: exit code and text; a failure is one line on stderr, unless a caret belongs to it.
expect() {
    local code=$1 what=$2 got lines
    shift 2
    timeout 60 "$tool" taulop "$@" >out 2>err </dev/null
    got=$?
    [ $got = "$code" ] || say "$*: exit code $got, not $code: $(head -c 300 err)"
    grep -aq -- "$what" out err || say "$*: nowhere \"$what\": $(cat out err | head -c 400)"
    lines=$(wc -l <err)
    if [ "$code" != 0 ] && [ "$lines" != 1 ] && ! grep -q '^ *^' err; then say "$*: wanted one line: $(cat err)"; fi
}
json() { python3 -c "import json,sys; d=json.load(open('out')); sys.exit(not ($1))" || say "JSON: not $1: $(head -c 400 out)"; }
# same LINE: a line of the output, exactly
same() { grep -aqxF -- "$1" out || say "no line \"$1\": $(head -c 600 out)"; }
xeon=$machines/xeon-16.json hosts=$data/golden/model/hosts-2x2/openmpi/4/profile.json

# ---- help and words ----
expect 0 'superstep taulop coll OPERATION' --help
expect 0 'superstep taulop eval' eval --help
expect 0 'superstep taulop bench' bench --help
expect 2 'there is: eval, coll, bench'
expect 2 'there is: eval, coll, bench' price
expect 2 'eval comes first' --json eval 'T0(1)'

# ---- eval ----
expect 0 'T⁰(64K)' eval '2 || T0(64K) + T1(1M)'
expect 2 '\^' eval '2 || T0(64K'
expect 2 '\^' eval 'T0(64Q)'
expect 2 '' eval 'T0(1, 0)'
expect 3 'channel 7' eval 'T7(1)' --profile "$xeon"
expect 0 'fluid' eval 'T0(1M)' --profile "$xeon"

# ---- coll: the papers' expressions ----
expect 0 '' coll bcast:binomial -P 16 --size 64K
same 'expression   T⁰(64K) + 2 ‖ T⁰(64K) + 4 ‖ T⁰(64K) + 8 ‖ T⁰(64K)'
expect 0 'broadcast binomial, 1 MB, 64 processes on 8 nodes' coll bcast:binomial -P 64 --map rr:8 --size 1M --expand
same 'expression   T⁰(1M) + 2 ‖ T⁰(1M) + 4 ‖ T⁰(1M) + 3 · [8 ‖ T¹(1M)]'
same 'stages 4-6   8 ‖ T¹(1M)'
same 'simplified   T⁰(1M) + 2 ‖ T⁰(1M) + 4 ‖ T⁰(1M) + 8 ‖ T¹(3M)'
expect 0 '' coll bcast:binomial -P 8 --map 1,1,1,1,5,5,5,5 --size 1K --root 4
same 'expression   T¹(1K) + T⁰(1K) + 2 ‖ T⁰(1K)'
expect 0 '' coll allgather:ring -P 8 --map seq:4 --size 1K
same 'expression   4 ‖ L⁰(1K, 1) + 7 · [[3 ‖ T⁰(1K)] ‖ T¹(1K)]'
expect 0 '' coll bcast:chain -P 5 --size 1K
same 'expression   4 · T⁰(1K)'
expect 0 '' coll bcast:pipeline -P 3 --size 128K --segment 64K
same 'expression   T⁰(64K) + 2 ‖ T⁰(64K) + T⁰(64K)'
expect 0 '' coll bcast:shared -P 4 --size 256K
same 'expression   L⁰(32K, 1) + 7 · [4 ‖ L⁰(32K, 1)] + 3 ‖ L⁰(32K, 1)'
expect 0 '' coll barrier:dissemination -P 6
same 'expression   3 · [6 ‖ T⁰(0)]'
expect 0 '' coll bcast:binomial -P 1 --size 1K
same 'expression   0'
expect 0 'T⁰(1K)' coll bcast:binomial -P 1048576 --map seq:8 --size 1K
expect 0 'T¹(0)' coll barrier:dissemination -P 1048576 --map rr:8

expect 0 '^T0(1M) + 2 || T0(1M)$' coll bcast:binomial -P 4 --size 1M --simplify

# ---- coll: costs ----
expect 0 '^paper' coll bcast:binomial -P 4 --size 1M --profile "$xeon" --evaluator paper
grep -q '^fluid' out && say "--evaluator paper: $(cat out)"
expect 0 'taulop-alone .* to ' coll allreduce:ring -P 16 --size 1M --profile "$xeon"
expect 0 'hockney' coll bcast:binomial --size 1K,1M --profile xeon-16
[ "$(grep -c '^expression' out)" = 2 ] || say "two sizes: $(cat out)"
expect 0 '' coll bcast:binomial -P 4 --map seq:2 --size 64K --profile "$hosts" --expand --json
json 'd["nodes"] == 2 and d["sizes"][0]["plain"] == "T1(64K) + T0(64K)" and len(d["sizes"][0]["stages"]) == 2'
json 'abs(sum(s["times"] * s["seconds"] for s in d["sizes"][0]["stages"]) / d["sizes"][0]["evaluators"]["fluid"] - 1) < 1e-6'
json 'all(m["low"] <= m["seconds"] <= m["high"] for m in d["sizes"][0]["models"].values())'
# what one command says the other evaluates to the same
plain=$(python3 -c "import json; print(json.load(open('out'))['sizes'][0]['plain'])")
cp out coll.json
expect 0 '' eval "$plain" --profile "$hosts" --json
python3 -c "
import json, sys
a, b = json.load(open('coll.json'))['sizes'][0]['evaluators'], json.load(open('out'))['seconds']
sys.exit(any(abs(a[k] / b[k] - 1) > 1e-6 for k in b))" || say "coll and eval differ"
expect 2 'the profile is of 16 processes on a node, not of 64; .superstep measure -n 64.' coll bcast:binomial -P 64 --size 1K --profile "$xeon"
expect 2 'the profile is of 2 processes on a node, not of 3' coll bcast:binomial -P 4 --map 7,7,7,9 --size 1K --profile "$hosts"
expect 0 '' coll bcast:binomial -P 64 --map seq:2 --size 1K --profile "$hosts"
expect 3 'channel 1' coll bcast:binomial -P 16 --map seq:8 --size 1K --profile "$xeon"

# ---- compare ----
expect 0 'cheapest of a model' coll bcast --compare -P 16 --size 1K,1M --profile "$xeon"
grep -q '^  binomial ' out && grep -q '^  pipeline/64K ' out && grep -q '\*' out || say "compare: $(cat out)"
expect 0 'hosts ring' coll allgather --compare -P 4 --map seq:2 --size 1K --profile "$hosts"
expect 0 '' coll allreduce --compare -P 8 --size 1K..64K --profile "$xeon" --json
json 'len(d["sizes"]) == 7 and all(s["cheapest"]["taulop"] in s["seconds"] for s in d["sizes"])'
json 'all(s["seconds"][s["cheapest"][m]][m] == min(a[m] for a in s["seconds"].values()) for s in d["sizes"] for m in s["cheapest"])'
expect 0 'dissemination' coll barrier --compare -P 8 --profile "$xeon"
if command -v gnuplot >/dev/null; then
    expect 0 '' coll bcast --compare -P 16 --size 1K..1M --profile "$xeon" --plot a.svg
    python3 -c "import xml.dom.minidom; xml.dom.minidom.parse('a.svg')" || say "a.svg is no XML"
fi

# ---- mistakes ----
expect 2 'there is no operation "bcost"; there is: broadcast, scatter' coll bcost:binomial -P 4 --size 1K
expect 2 'is no algorithm of broadcast: linear, chain' coll bcast:bruck -P 4 --size 1K
expect 2 'which algorithm of broadcast' coll bcast -P 4 --size 1K
expect 2 'of which collective' coll -P 4 --size 1K
expect 2 'one argument too many' coll bcast:binomial scatter:linear -P 4 --size 1K
expect 2 'how many processes' coll bcast:binomial --size 1K
expect 2 'is not a number of processes from 1 to' coll bcast:binomial -P 0 --size 1K
expect 2 'is not a number of processes from 1 to' coll bcast:binomial -P 99999999999 --size 1K
expect 2 'there is no rank 4 of 4' coll bcast:binomial -P 4 --root 4 --size 1K
expect 2 'nodes of 3 ranks, but there are 4' coll bcast:binomial -P 4 --map 0,0,1 --size 1K
expect 2 'is no mapping' coll bcast:binomial -P 4 --map seq:0 --size 1K
expect 2 'is no mapping' coll bcast:binomial -P 4 --map 0,x,1,1 --size 1K
expect 2 '--size BYTES is missing' coll bcast:binomial -P 4
expect 2 'is no size' coll bcast:binomial -P 4 --size 1X
expect 2 'is no size' coll bcast:binomial -P 4 --size 99999999999999999999
expect 2 'is no size' coll bcast:binomial -P 4 --size 1M..1K
expect 2 'a barrier has no bytes' coll barrier:dissemination -P 4 --size 1K
expect 2 'more than can be counted' coll allgather:ring -P 1048576 --size 1024T
expect 2 'works inside one node' coll bcast:shared -P 4 --map seq:2 --size 1K
expect 2 'cannot do this' coll allgather:neighbour -P 5 --size 1K
expect 2 'does not cut its vector' coll bcast:binomial -P 4 --size 1K --segment 64
expect 2 'no schedule' coll bcast:mpi -P 4 --size 1K
expect 2 'takes an operation alone' coll bcast:binomial --compare -P 4 --size 1K --profile "$xeon"
expect 2 '--profile FILE is missing' coll bcast --compare -P 4 --size 1K
expect 2 '--plot draws' coll bcast:binomial -P 4 --size 1K --plot a.svg
expect 2 'more than one size' coll bcast --compare -P 4 --size 1K --profile "$xeon" --plot b.svg
expect 2 'without --profile' coll bcast:binomial -P 4 --size 1K --evaluator paper
expect 2 'is none of fluid, paper' coll bcast:binomial -P 4 --size 1K --evaluator oracle
expect 2 'has no --expand' coll bcast --compare -P 4 --size 1K --profile "$xeon" --expand
expect 2 'without --profile' coll bcast:binomial -P 4 --size 1K --transport shm
expect 3 'nowhere.json' coll bcast:binomial -P 4 --size 1K --profile nowhere.json
expect 3 'mpich' coll bcast:binomial -P 4 --size 1K --profile "$xeon" --transport mpich
exit $wrong
