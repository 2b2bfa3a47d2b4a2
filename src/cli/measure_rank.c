/* One of the P processes that measure over a transport (hidden verb __measure FOLDER SECONDS [exhaustive|calibration]):
 * terms Tcomm and Tsync. Rank 0 reads the profile so far, says how far it is, looks whether it should stop, and leaves
 * the profile with what was measured; the others do as it says. */
#include "cli/measure.h"
#include "measure/sections.h"
#include "net/launch.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "measure"

struct rank {
    char stop[SUP_MEASURE_PATH];
    int file; /* progress */
};

/* One line of fixed length, so that a reader never sees a piece of an older one behind it. */
static bool tell(void *context, double fraction, const char *text, double seconds_left) {
    struct rank *r = context;
    char line[200];
    (void)seconds_left;
    int used = snprintf(line, sizeof line - 1, "%.4f %.150s", fraction, text ? text : "");
    if (used > 0 && (size_t)used < sizeof line - 1) {
        memset(line + used, '\n', sizeof line - (size_t)used);
        if (r->file >= 0 && pwrite(r->file, line, sizeof line, 0) < 0) r->file = -1; /* then without */
    }
    return access(r->stop, F_OK) != 0;
}

static sup_status lead(sup_net *net, const char *folder, double seconds, const char *how, sup_diag *diag) {
    static struct rank r;
    char path[SUP_MEASURE_PATH], launches[SUP_MEASURE_PATH];
    bool complete = true;
    sup_profile *profile = NULL;
    sup_session *session = NULL;
    bool calibration = sup_option_has(how, "calibration");
    sup_measure_net_options options = {.parts = calibration ? SUP_MEASURE_CALIBRATION : SUP_MEASURE_CURVES,
                                       .pairs = {.exhaustive = sup_option_has(how, "exhaustive")},
                                       .taulop = {.cold = sup_option_has(how, "cold"),
                                                  .rdma = sup_option_has(how, "rdma")},
                                       .complete = &complete};
    if (!calibration) options.launches = sup_measuring_path(folder, SUP_MEASURE_LAUNCHES, launches);
    if (sup_option_has(how, "ring")) options.taulop.setups |= SUP_SETUP_RING;
    if (sup_option_has(how, "ping")) options.taulop.setups |= SUP_SETUP_PING;
    if (sup_option_has(how, "broadcast")) options.taulop.setups |= SUP_SETUP_BROADCAST;
    sup_session_options about = sup_session_defaults();
    sup_measuring_path(folder, SUP_MEASURE_STOP, r.stop);
    sup_status status = sup_profile_read(sup_measuring_path(folder, SUP_MEASURE_IN, path), false, diag, &profile);
    if (status) return status;
    r.file = open(sup_measuring_path(folder, SUP_MEASURE_PROGRESS, path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    about.budget_s = seconds;
    about.progress = tell;
    about.progress_context = &r;
    status = sup_session_open(&about, diag, &session);
    if (status) goto free_profile;
    status = sup_measure_net(net, &options, session, profile, diag);
    if (status == SUP_EINTR) { /* what is there is there */
        sup_session_warn(session, SUP_WARNING_INTERRUPTED, &(sup_about){.transport = sup_net_name(net)});
        status = SUP_OK;
    }
    if (!status) status = sup_profile_write(profile, sup_measuring_path(folder, SUP_MEASURE_OUT, path), diag);
    if (!status) status = sup_measuring_write_notes(folder, session, complete, diag);
    sup_session_close(session);
free_profile:
    if (r.file >= 0) close(r.file);
    sup_profile_free(profile);
    return status;
}

static int run_rank(int argc, char **argv) {
    static char why[SUP_MEASURE_PATH];
    sup_launch launch;
    sup_net *net = NULL;
    sup_diag diag = {0};
    char *end;
    double seconds = argc > 2 ? strtod(argv[2], &end) : NAN;
    sup_launch_take(&launch);
    if (argc < 3 || argc > 4 || !(seconds > 0.0) || *end || !launch.launched)
        return sup_cli_usage(NULL, "unknown verb \"%.64s\"", argv[0]);
    sup_cli_also_in(sup_measuring_path(argv[1], SUP_MEASURE_WHY, why));
    if (sup_net_open(&launch, &diag, &net)) return sup_cli_fail_diag(VERB, &diag);
    sup_status status = sup_net_rank(net) ? sup_measure_net(net, NULL, NULL, NULL, &diag)
                                          : lead(net, argv[1], seconds, argc > 3 ? argv[3] : "", &diag);
    if (status) {
        sup_cli_fail_diag(VERB, &diag);
        fflush(NULL);
        _exit(sup_cli_exit_code(status)); /* closing would wait for those who do not know yet */
    }
    sup_net_close(net);
    return SUP_EXIT_OK;
}

const sup_verb sup_verb_measure_rank = {.name = "__measure", .hidden = true, .run = run_rank};
