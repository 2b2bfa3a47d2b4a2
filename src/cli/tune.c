/* superstep tune: decisions made offline, by trying them out (CACHE ch. 5 and the learning stage it asks for). So far
 * there is `tune tile`, which sweeps over sizes and shapes of parts; superstep-tune(1) is the manual. */
#include "cli/tune.h"

#include "machine/placement.h"
#include "report/units.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define VERB "tune"

static const char help_text[] =
    "usage: superstep tune tile [KERNEL] [OPTION]...\n"
    "\n"
    "Tries sizes, shapes and schedules of parts for a data-parallel kernel, prints what they take, and keeps\n"
    "the best in a plan. Kernels: matmult, matmult-int, transpose, transpose-int, blur, blur-rows, saxpy,\n"
    "series, stencil, all.\n"
    "\n"
    "  --size N       side of the matrices, or number of elements (default: the kernel's usual one)\n"
    "  --workers N    threads (default: as many as this process can use)\n"
    "  --seconds S    for the sweep of one kernel (default 30)\n"
    "  --plan FILE    put the best there; other decisions in the file stay\n"
    "  --profile FILE put every time there, for `superstep show` and the report; the rest of it stays\n"
    "  --plot FILE    draw the sweep (.svg or .png; needs gnuplot)\n"
    "  --json         JSON instead of text\n"
    "  -h, --help     this text\n"
    "\n"
    "Ends with 0, 2 if the command line is wrong, 3 if a file cannot be read or written, 4 if a file is of\n"
    "another machine, 5 without gnuplot or memory.\n";

static int set_number(const char *name, const char *text, long most, long *out) {
    if (sup_cli_int(text, 1, most, out)) return 0;
    return sup_cli_usage(VERB, "--%s: \"%.64s\" is not a number from 1 to %ld", name, text, most);
}

static int set_option(sup_tune *t, int c, const char *value) {
    switch (c) {
    case 's': return set_number("size", value, 1L << 32, &t->size);
    case 'w': return set_number("workers", value, 4096, &t->workers);
    case 't':
        if (sup_unit_parse_duration(value, &t->seconds)) return 0;
        return sup_cli_usage(VERB, "--seconds: \"%.64s\" is not a time", value);
    case 'p': t->plan_file = value; return 0;
    case 'f': t->profile_file = value; return 0;
    case 'd': t->plot_file = value; return 0;
    case 'j': t->json = true; return 0;
    default: return -1;
    }
}

/* -1: go on. */
static int parse(sup_tune *t, int argc, char **argv) {
    static const struct option options[] = {{"size", required_argument, NULL, 's'},
                                            {"workers", required_argument, NULL, 'w'},
                                            {"seconds", required_argument, NULL, 't'},
                                            {"plan", required_argument, NULL, 'p'},
                                            {"profile", required_argument, NULL, 'f'},
                                            {"plot", required_argument, NULL, 'd'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (c == 'h') return sup_cli_help(&sup_verb_tune);
        if (c == ':') return sup_cli_usage(VERB, "%s needs a value", argv[optind - 1]);
        if (c == '?') return sup_cli_usage(VERB, "unknown option %s", argv[optind - 1]);
        int code = set_option(t, c, optarg);
        if (code) return code;
    }
    if (optind == argc) return sup_cli_usage(VERB, "tune what? there is: tile");
    if (strcmp(argv[optind], "tile") != 0)
        return sup_cli_usage(VERB, "there is nothing to tune called \"%.64s\"; there is: tile", argv[optind]);
    if (optind + 1 < argc) t->kernel = argv[optind + 1];
    if (optind + 2 < argc) return sup_cli_usage(VERB, "unexpected argument \"%.64s\"", argv[optind + 2]);
    return -1;
}

/* What the files are, or would be, of: this machine. */
static int signature(sup_origin *here) {
    sup_diag diag = {0};
    sup_topology *topology = NULL;
    sup_signature s;
    sup_record_init(&sup_origin_record, here);
    sup_status status = sup_topology_load(0, &diag, &topology);
    if (!status) status = sup_signature_make(topology, NULL, NULL, NULL, &s);
    if (!status) status = sup_origin_set(here, &s, NULL);
    if (!status) status = sup_origin_set_placement(here, 1, (const int[]){0}, NULL);
    sup_topology_free(topology);
    if (!status) return 0;
    if (!diag.status) sup_diag_set(&diag, status, NULL, 0, "cannot describe this machine");
    return sup_cli_fail_diag(VERB, &diag);
}

/* Reads what is there, of this machine; begins anew where nothing is. */
static int open_files(sup_tune *t, const sup_origin *here) {
    sup_diag diag = {0};
    sup_status status = t->plan_file ? sup_plan_read(t->plan_file, false, &diag, &t->plan) : SUP_ENOENT;
    if (!status) status = sup_origin_match(&t->plan->signature, here, SUP_SIGNATURE_ANY_RUN, &diag);
    if (status == SUP_ENOENT) {
        status = sup_plan_new(-1, &diag, &t->plan);
        if (!status) status = sup_origin_copy(here, &t->plan->signature);
    }
    if (status) return sup_cli_fail_diag(VERB, &diag);
    status = t->profile_file ? sup_profile_read(t->profile_file, false, &diag, &t->profile) : SUP_ENOENT;
    if (!status) status = sup_origin_match(&t->profile->signature, here, SUP_SIGNATURE_ANY_RUN, &diag);
    if (status == SUP_ENOENT) {
        status = sup_profile_new(-1, &diag, &t->profile);
        if (!status) status = sup_origin_copy(here, &t->profile->signature);
    }
    return status ? sup_cli_fail_diag(VERB, &diag) : 0;
}

static int save_files(const sup_tune *t) {
    sup_diag diag = {0};
    if (t->plan_file && sup_plan_write(t->plan, t->plan_file, &diag)) return sup_cli_fail_diag(VERB, &diag);
    if (t->profile_file && sup_profile_write(t->profile, t->profile_file, &diag)) return sup_cli_fail_diag(VERB, &diag);
    return t->plot_file ? sup_tune_plot(t) : SUP_EXIT_OK;
}

static int run(int argc, char **argv) {
    sup_tune t = {.kernel = "all", .seconds = 30};
    sup_origin here;
    int code = parse(&t, argc, argv);
    if (code >= 0) return code;
    code = signature(&here);
    if (!code) code = open_files(&t, &here);
    if (!code) code = sup_tune_tiles(&t);
    if (!code) code = save_files(&t);
    sup_profile_free(t.profile);
    sup_plan_free(t.plan);
    sup_record_clear(&sup_origin_record, &here);
    return code;
}

const sup_verb sup_verb_tune = {VERB, "try out sizes and shapes of parts, keep the best", help_text, run};
