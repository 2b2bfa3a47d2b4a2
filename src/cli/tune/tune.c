/* superstep tune: decisions made offline, by trying them out (CACHE ch. 5 and the learning stage it asks for). So far
 * there is `tune tile`, which sweeps over sizes and shapes of parts; superstep-tune(1) is the manual. */
#include "cli/tune/tune.h"

#include "base/file/file.h"
#include "kernels/tile/cases.h"
#include "machine/usable.h"
#include "profile/composed.h"

#include <stdio.h>
#include <string.h>

#define VERB "tune"

/* -1: go on. */
static int parse(sup_tune *t, int argc, char **argv) {
    int code = sup_options_parse(&sup_verb_tune, t, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "tune what? there is: tile");
    if (strcmp(argv[0], "tile") != 0)
        return sup_cli_usage(VERB, "there is nothing to tune called \"%.64s\"; there is: tile", argv[0]);
    if (argc > 1) t->kernel = argv[1];
    return -1;
}

static int check_files(const sup_tune *t) {
    int code = sup_cli_check_out(VERB, t->plan_file, SUP_FILE_PLAN, true);
    if (!code) code = sup_cli_check_out(VERB, t->profile_file, SUP_FILE_PROFILE, true);
    return code ? code : sup_cli_check_out(VERB, t->plot_file, SUP_FILE_FIGURE, t->force);
}

/* What more threads than there is room for take is the scheduler's doing, and no program's. */
static int check_workers(const sup_tune *t) {
    sup_diag diag = {0};
    sup_topology *topology = NULL;
    sup_usable usable = {0};
    if (!t->workers) return SUP_EXIT_OK;
    sup_status status = sup_topology_load(0, &diag, &topology);
    if (!status) status = sup_usable_read(topology, &diag, &usable);
    int cpus = usable.cpu_count;
    if (!status) sup_usable_free(&usable);
    sup_topology_free(topology);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    if (t->workers <= cpus) return SUP_EXIT_OK;
    return sup_cli_usage(VERB, "--workers: %ld threads, and this process can use %d cpu%s", t->workers, cpus,
                         cpus == 1 ? "" : "s");
}

/* Reads what is there, of this machine; begins anew where nothing is. */
static int open_files(sup_tune *t, const sup_origin *here) {
    sup_diag diag = {0};
    sup_status status = t->plan_file && !sup_file_is_nothing(t->plan_file)
                            ? sup_plan_read(t->plan_file, false, &diag, &t->plan)
                            : SUP_ENOENT;
    if (!status) status = sup_origin_match(&t->plan->signature, here, SUP_SIGNATURE_ANY_RUN, &diag);
    if (status == SUP_ENOENT) {
        status = sup_plan_new(-1, &diag, &t->plan);
        if (!status) status = sup_record_copy(&sup_origin_record, here, &t->plan->signature);
    }
    if (status) return sup_cli_fail_diag(VERB, &diag);
    status = t->profile_file && !sup_file_is_nothing(t->profile_file)
                 ? sup_profile_read(t->profile_file, false, &diag, &t->profile)
                 : SUP_ENOENT;
    if (!status) status = sup_profile_measured(t->profile, t->profile_file, &diag);
    if (!status) status = sup_origin_match(&t->profile->signature, here, SUP_SIGNATURE_ANY_RUN, &diag);
    if (status == SUP_ENOENT) {
        status = sup_profile_new(-1, &diag, &t->profile);
        if (!status) status = sup_record_copy(&sup_origin_record, here, &t->profile->signature);
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
    if (code >= 0 || (code = check_workers(&t)) || (code = check_files(&t))) return code;
    sup_diag diag;
    sup_status status = sup_cli_here(NULL, &diag, &here);
    if (!status && sup_origin_set_placement(&here, 1, (const int[]){0}, NULL)) status = sup_diag_no_memory(&diag);
    code = status ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
    if (!code) code = open_files(&t, &here);
    if (!code) code = sup_tune_tiles(&t);
    if (!code) code = save_files(&t);
    sup_profile_free(t.profile);
    sup_plan_free(t.plan);
    sup_record_clear(&sup_origin_record, &here);
    return code;
}

static const char *kernel_word(size_t index) { return sup_tile_cases[index] ? sup_tile_cases[index]->name : NULL; }

static const sup_option options[] = {
    {"size", .value = "N", SUP_TO(sup_tune, size), .low = 1, .high = 1L << 32,
     .help = "side of the matrices, or number of elements (default: the kernel's usual one)"},
    {"workers", .value = "N", SUP_TO(sup_tune, workers), .low = 1, .high = 4096,
     .help = "threads (default: as many as this process can use)"},
    {"seconds", .value = "S", .kind = SUP_VALUE_TIME, SUP_TO(sup_tune, seconds),
     .help = "for the sweep of one kernel (default 30)"},
    SUP_FILE("plan", sup_tune, plan_file, "put the best there; other decisions in the file stay"),
    SUP_FILE("profile", sup_tune, profile_file,
             "put every time there, for `superstep show` and the report; the rest of it stays"),
    SUP_FILE("plot", sup_tune, plot_file, "draw the sweep (.svg or .png; needs gnuplot)"),
    SUP_FLAG("force", sup_tune, force, "replace an existing figure"),
    SUP_FLAG("json", sup_tune, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_tune = {
    .name = VERB,
    .summary = "try out sizes and shapes of parts, keep the best",
    .usage = "superstep tune tile [KERNEL] [OPTION]...",
    .about = "Tries sizes, shapes and schedules of parts for a data-parallel kernel, prints what they take, and keeps "
             "the best in a plan. Kernels: {words}.",
    .more = "Ends with 0, 2 if the command line is wrong, 3 if a file cannot be read or written, 4 if a file is of "
            "another machine, 5 without gnuplot or memory.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "WHAT", SUP_WORDS("tile")},
                                      {.value = "KERNEL", .word = kernel_word, SUP_WORDS("all")},
                                      {0}},
    .most = 2,
    .run = run,
};
