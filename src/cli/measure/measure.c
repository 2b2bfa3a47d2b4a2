/* superstep measure: fills a profile of the machine it runs on, all terms of the equation; stage "measure" of the flow.
 * superstep-measure(1) is the manual. */
#include "cli/measure/measure.h"
#include "base/text.h"
#include "kernels/kernels.h"
#include "measure/campaign/budget.h"
#include "report/page/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "measure"

static int add_plugin(void *request, const char *value) {
    sup_measuring *m = request;
    if (m->plugin_count == SUP_MEASURE_PLUGINS)
        return sup_cli_usage(VERB, "--kernel: at most %d files", SUP_MEASURE_PLUGINS);
    m->plugins[m->plugin_count++] = value;
    return 0;
}

/* -1: go on. */
static int parse(sup_measuring *m, int argc, char **argv) {
    m->verb = VERB;
    int code = sup_options_parse(&sup_verb_measure, m, &argc, &argv);
    if (code >= 0) return code;
    if (!m->out) return sup_cli_usage(VERB, "--out FILE is missing: where should the profile go?");
    if (m->resume && m->force) return sup_cli_usage(VERB, "--resume and --force exclude each other");
    if (!m->program != !m->sizes)
        return sup_cli_usage(VERB, m->program ? "--program needs --sizes N1,N2" : "--sizes is for --program");
    m->file = m->out;
    return -1;
}

/* "5%" or "5": a half width. */
static int take_until(void *request, const char *value) {
    sup_measuring *m = request;
    char *end;
    double percent = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "%") != 0) || !(percent > 0.0 && percent <= 100.0))
        return sup_cli_usage(VERB, "--until: \"%.64s\" is not a share such as 5%%", value);
    m->until = percent / 100.0;
    return 0;
}

static void say(const sup_measuring *m) {
    char spent[SUP_UNIT_TEXT], word[4096];
    const sup_quality *q = m->profile->quality;
    sup_text_print(stdout, "%s: %s%s\n", m->file, q && q->complete ? "measured in " : "not complete after ",
                   sup_unit_duration(q ? q->spent_s : 0.0, spent, sizeof spent));
    sup_measuring_summary(m->profile, stdout);
    sup_measuring_doubts(m->profile, stdout);
    if (m->interrupted)
        sup_text_print(stdout,
                       "interrupted: what was measured is kept; `superstep measure --resume --out %s` goes on\n",
                       sup_text_word(m->file, word, sizeof word));
}

static int run_measure(int argc, char **argv) {
    static sup_measuring m;
    int code = parse(&m, argc, argv);
    if (code >= 0) return code;
    if (m.program) return sup_measuring_end(&m, sup_measuring_program(&m));
    code = sup_measuring_run(&m);
    if (!code && m.json)
        code = sup_cli_emit(VERB, sup_measuring_json(&m));
    else if (!code && !m.quiet)
        say(&m);
    return sup_measuring_end(&m, code);
}

static const char *section_word(size_t index) { return sup_budget_rows[index].name; }
static const char *kernel_word(size_t index) { return sup_kernels[index] ? sup_kernels[index]->name : NULL; }

static const sup_option options[] = {
    SUP_FILE("out", sup_measuring, out, "the profile"),
    SUP_MEASURE_WHAT(sup_measuring, ),
    {"place", .value = "POLICY", SUP_TO(sup_measuring, place), .word = sup_policy_word,
     .help = "where processes go, as for superstep run (default compact)"},
    SUP_FILE("hosts", sup_measuring, hosts_file,
             "hosts to measure between, a line each: NAME [slots=N]; this one first"),
    {"rsh", .value = "COMMAND", .kind = SUP_VALUE_COMMAND, SUP_TO(sup_measuring, rsh),
     .help = "how another host is reached (default ssh)"},
    {"kernels", .value = "LIST", SUP_TO(sup_measuring, kernels), .word = kernel_word, SUP_WORDS("all", "none"),
     .help = "kernels by name, all, none (default: the usual ones)"},
    {"deep", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(sup_measuring, deep), .word = section_word,
     SUP_WORDS("all"),
     .help = "sections of which everything is measured, not only what predictions and choices read: {words}"},
    {"kernel", .value = "FILE", .kind = SUP_VALUE_FILE, .set = add_plugin,
     .help = "also a kernel of your own, from a shared object"},
    SUP_FLAG("exhaustive", sup_measuring, exhaustive, "look at every pair of processes"),
    {"setups", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(sup_measuring, setups),
     SUP_WORDS("ring", "ping", "broadcast"),
     .help = "how shared transfers are measured: ring (default), ping, broadcast"},
    SUP_FLAG("cold", sup_measuring, cold, "transfers also with buffers that are not in cache"),
    SUP_FLAG("rdma", sup_measuring, rdma, "the network between hosts reads and writes memory by itself"),
    {"until", .value = "SHARE", .set = take_until,
     .help = "end when 95 % of the numbers are within this: 5% (default: use all of the time)"},
    {"program", .value = "COMMAND", SUP_TO(sup_measuring, program),
     .help = "instead of the machine, measure what a program's supersteps compute, and add it to the profile; {n} in "
             "COMMAND is the size"},
    {"sizes", .value = "LIST", SUP_TO(sup_measuring, sizes), .help = "with --program: two or more sizes, ascending"},
    SUP_FLAG("resume", sup_measuring, resume, "go on with a profile: narrow it, or add to it"),
    SUP_MEASURE_OUTPUT(sup_measuring, ),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_measure = {
    .name = VERB,
    .summary = "measure this machine and write a profile",
    .usage = "superstep measure [OPTION]... --out FILE\n"
             "superstep measure --program \"PROGRAM ARGUMENTS {n}\" --sizes N1,N2[,...] [-n P]\n"
             "                  [--net LIST] --out FILE",
    .about = "Measures this machine: rates of computation, and communication between P processes over each transport, "
             "in turn, and writes a profile.",
    .more = "Interrupted (Ctrl-C) it keeps what it has. Ends with 0, 2 if the command line is wrong, 3 if a file "
            "cannot be read or written, 4 if the profile is of another machine, 5 if the system refuses.",
    .options = options,
    .run = run_measure,
};
