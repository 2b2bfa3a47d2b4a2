# Completion of superstep and bsprun for fish.
set -l verbs topo run check

complete -c superstep -f -n "not __fish_seen_subcommand_from $verbs help" -a "$verbs help"
complete -c superstep -f -n "not __fish_seen_subcommand_from $verbs" -l version -d "print the version"
complete -c superstep -f -n "__fish_seen_subcommand_from help" -a "$verbs"
complete -c superstep -f -l help -s h -d "explain"
complete -c superstep -f -n "__fish_seen_subcommand_from topo check" -l json -d "for programs"

set -l file "__fish_seen_subcommand_from check"
complete -c superstep -n $file -F -l strict -d "a key that is not known is an error"
complete -c superstep -n $file -F -l here -d "is it of this machine"

set -l topo "__fish_seen_subcommand_from topo"
complete -c superstep -n $topo -l from -r -d "a machine from a file"
complete -c superstep -n $topo -l synthetic -x -d "a made-up machine"
complete -c superstep -n $topo -l place -x -a "none compact scatter per-cache" -d "who runs on which core"
complete -c superstep -n $topo -l processes -s n -x -d "number of processes to place"
complete -c superstep -n $topo -l hosts -r -d "file of hosts"

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
