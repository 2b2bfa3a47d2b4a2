/* superstep measure: fills a profile of the machine it runs on, all terms of the equation; stage "measure" of the flow.
 * superstep-measure(1) is the manual. */
#include "cli/measure.h"
#include "report/units.h"

#include <stdio.h>
#include <string.h>

#define VERB "measure"

static const char help_text[] =
    "usage: superstep measure [OPTION]... --out FILE\n"
    "\n"
    "Measures this machine: rates of computation, then communication between P processes\n"
    "over each transport, and writes a profile.\n"
    "\n"
    "  --out FILE      the profile\n"
    "  --budget TIME   how long it may take: 30s, 5m (default 60s)\n"
    "  -n P            processes (default: as many as can run at full speed)\n"
    "  --net LIST      transports: shm, openmpi, mpich, all (default: all there are), none\n"
    "  --place POLICY  where processes go, as for superstep run (default compact)\n"
    "  --hosts FILE    hosts to measure between, a line each: NAME [slots=N]; this one first\n"
    "  --rsh COMMAND   how another host is reached (default ssh)\n"
    "  --kernels LIST  kernels by name, all (default), none\n"
    "  --kernel FILE   also a kernel of your own, from a shared object\n"
    "  --exhaustive    look at every pair of processes\n"
    "  --setups LIST   how shared transfers are measured: ring (default), ping, broadcast\n"
    "  --cold          transfers also with buffers that are not in cache\n"
    "  --rdma          the network between hosts reads and writes memory by itself\n"
    "  --resume        go on with an interrupted profile\n"
    "  --force         replace an existing file\n"
    "  --json          the summary as JSON\n"
    "  --quiet         no progress, no summary\n"
    "  -h, --help      this text\n"
    "\n"
    "Interrupted (Ctrl-C) it keeps what it has. Ends with 0, 2 if the command line is\n"
    "wrong, 3 if a file cannot be read or written, 4 if the profile is of another machine,\n"
    "5 if the system refuses.\n";

enum { O_OUT = 256, O_PLACE, O_HOSTS, O_RSH, O_KERNELS, O_KERNEL, O_EXHAUSTIVE, O_SETUPS, O_COLD, O_RDMA, O_RESUME };

static int set_setups(sup_measuring *m, const char *value) {
    static const char *const known[] = {"ring", "ping", "broadcast"};
    if (strlen(value) > 32) return sup_cli_usage(VERB, "--setups: the list is too long");
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        bool found = false;
        for (int i = 0; i < 3; i++) found |= strlen(known[i]) == length && !strncmp(at, known[i], length);
        if (!found)
            return sup_cli_usage(VERB, "--setups: \"%.*s\" is none of ring, ping, broadcast",
                                 (int)(length < 64 ? length : 64), at);
        at += length;
        if (!*at) break;
    }
    m->setups = value;
    return 0;
}

static int set_option(void *request, int option, const char *value) {
    sup_measuring *m = request;
    switch (option) {
    case O_OUT: m->out = m->file = value; return 0;
    case O_PLACE: m->place = value; return 0;
    case O_HOSTS: m->hosts_file = value; return *value ? 0 : sup_cli_usage(VERB, "--hosts: the name is empty");
    case O_RSH: m->rsh = value; return *value ? 0 : sup_cli_usage(VERB, "--rsh: the command is empty");
    case O_KERNELS: m->kernels = value; return 0;
    case O_KERNEL:
        if (!*value) return sup_cli_usage(VERB, "--kernel: the name is empty");
        if (m->plugin_count == SUP_MEASURE_PLUGINS)
            return sup_cli_usage(VERB, "--kernel: at most %d files", SUP_MEASURE_PLUGINS);
        m->plugins[m->plugin_count++] = value;
        return 0;
    case O_EXHAUSTIVE: m->exhaustive = true; return 0;
    case O_SETUPS: return set_setups(m, value);
    case O_COLD: m->cold = true; return 0;
    case O_RDMA: m->rdma = true; return 0;
    default: m->resume = true; return 0;
    }
}

/* -1: go on. */
static int parse(sup_measuring *m, int argc, char **argv) {
    static const struct option options[] = {
        {"out", required_argument, NULL, O_OUT},
        {"place", required_argument, NULL, O_PLACE},
        {"hosts", required_argument, NULL, O_HOSTS},
        {"rsh", required_argument, NULL, O_RSH},
        {"kernels", required_argument, NULL, O_KERNELS},
        {"kernel", required_argument, NULL, O_KERNEL},
        {"exhaustive", no_argument, NULL, O_EXHAUSTIVE},
        {"setups", required_argument, NULL, O_SETUPS},
        {"cold", no_argument, NULL, O_COLD},
        {"rdma", no_argument, NULL, O_RDMA},
        {"resume", no_argument, NULL, O_RESUME},
        SUP_MEASURE_OPTIONS,
        {0},
    };
    int code = sup_measuring_parse(m, &sup_verb_measure, options, set_option, m, argc, argv);
    if (code >= 0) return code;
    if (!m->out) return sup_cli_usage(VERB, "--out FILE is missing: where should the profile go?");
    if (m->resume && m->force) return sup_cli_usage(VERB, "--resume and --force exclude each other");
    return -1;
}

static void say(const sup_measuring *m) {
    char spent[SUP_UNIT_TEXT];
    const sup_quality *q = m->profile->quality;
    printf("%s: %s%s\n", m->file, m->complete ? "measured in " : "not complete after ",
           sup_unit_duration(q ? q->spent_s : 0.0, spent, sizeof spent));
    sup_measuring_summary(m->profile, stdout);
    sup_measuring_doubts(m->profile, stdout);
    if (m->interrupted)
        printf("interrupted: what was measured is kept; `superstep measure --resume --out %s` goes on\n", m->file);
}

static int run_measure(int argc, char **argv) {
    static sup_measuring m;
    int code = parse(&m, argc, argv);
    if (code >= 0) return code;
    code = sup_measuring_run(&m);
    if (!code && m.json)
        code = sup_cli_emit(VERB, sup_measuring_json(&m));
    else if (!code && !m.quiet)
        say(&m);
    return sup_measuring_end(&m, code);
}

const sup_verb sup_verb_measure = {VERB, "measure this machine and write a profile", help_text, run_measure};
