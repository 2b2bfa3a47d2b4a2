# Completion of superstep and bsprun for bash. The tables below are compared with the tool's own help by a test.

_superstep_verbs='report topo measure show diff run check predict compare tune'

_superstep_options() {
    case $1 in
    topo) echo '--json --from --synthetic --place --processes --hosts --help' ;;
    run)
        echo '--net --hosts --rsh --place --plan --trace --check --engine --deadlock --prefix --dry-run --json --help'
        ;;
    report) echo '--out --profile --trace --keep --budget --net --force --json --quiet --help' ;;
    measure)
        echo '--out --budget --net --place --hosts --rsh --kernels --kernel --exhaustive --setups --cold --rdma --resume --force --json --quiet --help'
        ;;
    show) echo '--json --csv --section --plot --format --help' ;;
    diff) echo '--json --all --at-least --help' ;;
    check) echo '--strict --here --json --help' ;;
    predict)
        echo '--profile --processes --net --model --barrier --counts --what-if --extend --recorded-on --sweep
              --confidence --plot --json --help'
        ;;
    compare) echo '--profile --model --net --barrier --limit --json --help' ;;
    tune) echo '--size --workers --seconds --plan --profile --plot --json --help' ;;
    esac
}

# Values of an option that has few of them.
_superstep_values() {
    case $1 in
    --net) echo 'auto self shm mpi openmpi mpich' ;;
    --place) echo 'none compact scatter per-cache' ;;
    --section) echo 'machine quality kernels classic pairs channels vectors sync copies overlap tiles' ;;
    --format) echo 'svg png' ;;
    --engine) echo 'auto eager bulk' ;;
    --setups) echo 'ring ping broadcast' ;;
    --model) echo 'flow pair meyer hockney loggp lognp bsp all' ;;
    --counts) echo 'direct map reduce-scatter' ;;
    esac
}

# _superstep_verb VERB WORD PREVIOUS FIRST: FIRST is the index of the verb's first argument.
_superstep_verb() {
    local verb=$1 word=$2 previous=$3 values i
    # Behind the program's name of `run` everything belongs to the program.
    if [ "$verb" = run ]; then
        for ((i = $4; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            -n | -np | --net | --hosts | --rsh | --place | --plan | --trace | --engine | --deadlock) i=$((i + 1)) ;;
            -* | =) ;;
            *) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
            esac
        done
    fi
    values=$(_superstep_values "$previous")
    if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_superstep_options "$verb")" -- "$word")
    elif [ "$verb" = run ] && [[ $previous != --hosts && $previous != --plan && $previous != --trace ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word"; compgen -c -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

_superstep() {
    local word=$2 previous=$3
    if [ "$COMP_CWORD" -le 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$_superstep_verbs help --help --version --json" -- "$word")
    elif [ "${COMP_WORDS[1]}" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$_superstep_verbs" -- "$word")
    else
        _superstep_verb "${COMP_WORDS[1]}" "$word" "$previous" 2
    fi
}

_bsprun() { _superstep_verb run "$2" "$3" 1; }

complete -o filenames -o bashdefault -F _superstep superstep
complete -o filenames -o bashdefault -F _bsprun bsprun
