/* Command lines of the verbs that measure: what `superstep measure` and `superstep report` have in common. */
#include "cli/measure.h"
#include "report/units.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

/* Exit code; -1: it is none of these. */
static int set_common(sup_measuring *m, int option, const char *value) {
    long processes;
    switch (option) {
    case SUP_MEASURE_O_BUDGET:
        if (sup_unit_parse_duration(value, &m->budget_s)) return 0;
        return sup_cli_usage(m->verb, "--budget: \"%.64s\" is not a time such as 30s or 5m", value);
    case 'n':
        if (!sup_cli_int(value, 1, SUP_MEASURE_PROCESSES, &processes))
            return sup_cli_usage(m->verb, "-n: \"%.64s\" is not a number of processes (1 to %d)", value,
                                 SUP_MEASURE_PROCESSES);
        m->processes = (int)processes;
        return 0;
    case SUP_MEASURE_O_NET: m->nets = value; return 0;
    case SUP_MEASURE_O_FORCE: m->force = true; return 0;
    case SUP_MEASURE_O_QUIET: m->quiet = true; return 0;
    case SUP_MEASURE_O_JSON: m->json = true; return 0;
    default: return -1;
    }
}

int sup_measuring_parse(sup_measuring *m, const sup_verb *verb, const struct option *options, sup_measuring_set *set,
                        void *request, int argc, char **argv) {
    int c;
    optind = 0;
    opterr = 0;
    m->verb = verb->name;
    while ((c = getopt_long(argc, argv, ":n:h", options, NULL)) != -1) {
        if (c == 'h') return sup_cli_help(verb);
        if (c == ':') return sup_cli_usage(verb->name, "%.80s needs a value", argv[optind - 1]);
        if (c == '?') return sup_cli_usage(verb->name, "unknown option %.80s", argv[optind - 1]);
        int code = set_common(m, c, optarg);
        if (code < 0) code = set(request, c, optarg);
        if (code) return code;
    }
    if (optind < argc) return sup_cli_usage(verb->name, "unexpected argument '%.64s'", argv[optind]);
    return -1;
}

int sup_measuring_end(sup_measuring *m, int code) {
    bool interrupted = !code && m->interrupted;
    sup_measuring_free(m);
    if (interrupted) {
        const struct rlimit none = {0};
        int number = sup_bar_signal();
        fflush(NULL);
        setrlimit(RLIMIT_CORE, &none); /* SIGQUIT is a wish here, no crash */
        signal(number, SIG_DFL);
        raise(number);
    }
    return code;
}
