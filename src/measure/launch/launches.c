/* Launches one after another (launches.h). */
#include "measure/launch/launches.h"

#include "base/clock.h"
#include "measure/launch/tool_path.h"

#include <math.h>
#include <stdio.h>

enum { RUN_OPTIONS = 14 };

sup_status sup_launches_open(const sup_launch_place *at, const char *what, sup_diag *diag, sup_launches *out) {
    *out = (sup_launches){.at = at, .what = what, .begin_s = sup_clock_now(), .folder = {.open = -1, .keeper = -1}};
    snprintf(out->size, sizeof out->size, "%d", at->processes);
    sup_status status = sup_tool_find(at->tool, out->tool, sizeof out->tool, diag);
    return status ? status : sup_folder_open(at->beside ? at->beside : P_tmpdir "/superstep", diag, &out->folder);
}

void sup_launches_close(sup_launches *l) { sup_folder_close(&l->folder); }

static sup_wish look(void *context, const char *text) {
    sup_launches *l = context;
    double spent = sup_clock_now() - l->begin_s, left = l->expected_s - spent;
    if (!l->at->progress) return SUP_WISH_ON;
    sup_wish wish =
        l->at->progress(l->at->context, fmin(spent / l->expected_s, 1.0), *text ? text : l->what, fmax(left, 0));
    if (wish > l->wish) l->wish = wish;
    return l->wish;
}

sup_status sup_launches_run(sup_launches *l, const sup_request *request, const char *plan, sup_store *store,
                            sup_diag *diag) {
    const char *options[RUN_OPTIONS + 1] = {0};
    const char *const all[][2] = {{"-n", l->size},           {"--net", request->transport},
                                  {"--plan", plan},          {"--engine", request->engine},
                                  {"--place", l->at->place}, {"--hosts", l->at->hosts_file},
                                  {"--rsh", l->at->rsh}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2 && all[i][1]; k++) options[n++] = all[i][k];
    sup_outcome outcome;
    sup_status status = sup_order_run(&(sup_order){.tool = l->tool,
                                                   .folder = l->folder.path,
                                                   .options = options,
                                                   .request = request,
                                                   .look = look,
                                                   .context = l},
                                      diag, &outcome);
    if (status) return status;
    if (!outcome.done) {
        status = outcome.interrupted || l->wish != SUP_WISH_ON
                     ? SUP_EINTR
                     : sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "--net %s: %s", request->transport, outcome.why);
    } else if (sup_store_read(store, request->transport, outcome.result.visits, outcome.result.visits_count)) {
        status = sup_diag_no_memory(diag);
    }
    sup_record_clear(&sup_result_record, &outcome.result);
    return status;
}

sup_timing sup_launches_say(const sup_store *store, const sup_trial *trial, int value) {
    sup_timing t = {.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = SUP_ETIMEOUT};
    const sup_point *p = sup_store_find(store, trial);
    if (!p || !sup_point_known(p)) return t;
    sup_store_say(store, p, value, &t);
    t.status = SUP_OK;
    return t;
}
