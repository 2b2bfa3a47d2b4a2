# Completion of superstep and bsprun for fish.
set -l verbs report topo measure show diff run check tune

complete -c superstep -f -n "not __fish_seen_subcommand_from $verbs help" -a "$verbs help"
complete -c superstep -f -n "not __fish_seen_subcommand_from $verbs" -l version -d "print the version"
complete -c superstep -f -n "__fish_seen_subcommand_from help" -a "$verbs"
complete -c superstep -f -l help -s h -d "explain"
complete -c superstep -f -n "__fish_seen_subcommand_from topo check show diff" -l json -d "for programs"

set -l file "__fish_seen_subcommand_from check"
complete -c superstep -n $file -F -l strict -d "a key that is not known is an error"
complete -c superstep -n $file -F -l here -d "is it of this machine"

set -l measure "__fish_seen_subcommand_from measure report"
complete -c superstep -n $measure -l out -r -d "the file that comes out of it"
complete -c superstep -n $measure -l budget -x -d "how long it may take: 30s, 5m"
complete -c superstep -n $measure -s n -x -d "number of processes"
complete -c superstep -n $measure -l net -x -a "all none shm openmpi mpich" -d "transports"
complete -c superstep -n $measure -l force -d "replace an existing file"
complete -c superstep -n $measure -l quiet -d "no progress, no summary"

set -l only_measure "__fish_seen_subcommand_from measure"
complete -c superstep -n $only_measure -l place -x -a "none compact scatter per-cache" -d "who runs on which core"
complete -c superstep -n $only_measure -l kernels -x -d "kernels by name"
complete -c superstep -n $only_measure -l kernel -r -d "a kernel of your own"
complete -c superstep -n $only_measure -l exhaustive -d "look at every pair"
complete -c superstep -n $only_measure -l resume -d "go on with an interrupted profile"

set -l report "__fish_seen_subcommand_from report"
complete -c superstep -n $report -l profile -r -d "of what this profile says"
complete -c superstep -n $report -l keep -r -d "also keep the profile"

set -l show "__fish_seen_subcommand_from show"
complete -c superstep -n $show -F -l csv -d "a line for each number"
complete -c superstep -n $show -l section -x -a "machine quality kernels classic pairs channels vectors sync copies overlap tiles" -d "only these"
complete -c superstep -n $show -l plot -r -d "draw figures into a folder"
complete -c superstep -n $show -l format -x -a "svg png" -d "of the figures"

set -l diff "__fish_seen_subcommand_from diff"
complete -c superstep -n $diff -F -l all -d "also what did not change"
complete -c superstep -n $diff -l at-least -x -d "percent"

set -l topo "__fish_seen_subcommand_from topo"
complete -c superstep -n $topo -l from -r -d "a machine from a file"
complete -c superstep -n $topo -l synthetic -x -d "a made-up machine"
complete -c superstep -n $topo -l place -x -a "none compact scatter per-cache" -d "who runs on which core"
complete -c superstep -n $topo -l processes -s n -x -d "number of processes to place"
complete -c superstep -n $topo -l hosts -r -d "file of hosts"

set -l tune "__fish_seen_subcommand_from tune"
complete -c superstep -f -n $tune -a "tile matmult matmult-int transpose transpose-int blur blur-rows saxpy series stencil all"
complete -c superstep -n $tune -l size -x -d "side of the matrices, or number of elements"
complete -c superstep -n $tune -l workers -x -d "threads"
complete -c superstep -n $tune -l seconds -x -d "for the sweep of one kernel"
complete -c superstep -n $tune -l plan -r -d "put the best there"
complete -c superstep -n $tune -l profile -r -d "put every time there"
complete -c superstep -n $tune -l plot -r -d "draw the sweep"
complete -c superstep -n $tune -l json -d "for programs"

for tool in superstep bsprun
    set -l when "__fish_seen_subcommand_from run"
    test $tool = bsprun; and set when true
    complete -c $tool -n $when -s n -x -d "number of processes"
    complete -c $tool -n $when -l net -x -a "auto self shm mpi openmpi mpich" -d "transport"
    complete -c $tool -n $when -l hosts -r -d "file of hosts"
    complete -c $tool -n $when -l rsh -r -d "how another host is reached"
    complete -c $tool -n $when -l place -x -a "none compact scatter per-cache" -d "who runs on which core"
    complete -c $tool -n $when -l plan -r -d "what was decided about the program"
    complete -c $tool -n $when -l trace -r -d "write a trace there"
    complete -c $tool -n $when -l check -d "look for programming errors"
    complete -c $tool -n $when -l engine -x -a "auto eager bulk" -d "engine of the BSP runtime"
    complete -c $tool -n $when -l deadlock -x -d "seconds until a stuck sync is reported"
    complete -c $tool -n $when -l prefix -d "label output with the rank"
    complete -c $tool -n $when -l dry-run -d "print what would be started"
    complete -c $tool -n $when -l json -d "for programs"
end
