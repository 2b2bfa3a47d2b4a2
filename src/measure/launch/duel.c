/* Launches that time a superstep done in two ways in turn (duel.h): what the tool does. Stage "measure". */
#include "measure/launch/duel.h"

#include "base/clock.h"
#include "measure/launch/tool_path.h"
#include "measure/store/store.h"

#include <math.h>
#include <string.h>

enum { RUN_OPTIONS = 14, CALLS = 0, SYNC, TRANSFER = 0, WORK, BOTH, VALUES };

typedef struct work {
    const sup_step_duel *duel;
    char tool[4096], size[16];
    sup_folder folder;
    sup_store *store[2];
    int done[2];
    double begin_s;
    sup_wish wish;
} work;

static sup_wish look(void *context, const char *text) {
    work *w = context;
    double all = 2 * w->duel->launches * (w->duel->seconds + 0.3), spent = sup_clock_now() - w->begin_s;
    (void)text;
    if (!w->duel->progress) return SUP_WISH_ON;
    sup_wish wish = w->duel->progress(w->duel->context, fmin(spent / all, 1), "supersteps", fmax(all - spent, 0));
    if (wish > w->wish) w->wish = wish;
    return w->wish;
}

static sup_status launch(work *w, int side, sup_diag *diag) {
    const sup_step_duel *d = w->duel;
    const sup_step_side *s = &d->side[side];
    const char *options[RUN_OPTIONS + 1] = {0};
    const char *const all[][2] = {{"-n", w->size},
                                  {"--net", s->transport},
                                  {"--plan", s->plan ? s->plan : "none"},
                                  {"--engine", s->engine},
                                  {"--place", d->place}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2 && all[i][1]; k++) options[n++] = all[i][k];
    sup_request request = {.target = (char *)"duel",
                           .transport = (char *)s->transport,
                           .engine = (char *)s->engine,
                           .launch = w->done[side] + 1,
                           .seconds = d->seconds,
                           .until = NAN,
                           .bytes = (int64_t)d->bytes};
    sup_outcome outcome;
    sup_status status = sup_order_run(&(sup_order){.tool = w->tool,
                                                   .folder = w->folder.path,
                                                   .options = options,
                                                   .request = &request,
                                                   .look = look,
                                                   .context = w},
                                      diag, &outcome);
    if (status) return status;
    if (outcome.done)
        status = sup_store_read(w->store[side], s->transport, outcome.result.visits, outcome.result.visits_count);
    else if (outcome.interrupted || w->wish != SUP_WISH_ON)
        status = SUP_EINTR;
    else
        status = sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "--net %s: %s", s->transport, outcome.why);
    sup_record_clear(&sup_result_record, &outcome.result);
    w->done[side] += outcome.done;
    return status == SUP_ENOMEM ? sup_diag_set(diag, status, NULL, 0, "out of memory") : status;
}

/* What it takes; of what computes besides, beyond that computation, of which each launch has its own. */
static void say(work *w, int side, sup_timing *out, double *computed) {
    const sup_step_duel *d = w->duel;
    sup_timing t[VALUES];
    *out = (sup_timing){.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = SUP_ETIMEOUT};
    sup_store_settle(w->store[side]);
    sup_trial trial = sup_step_duel_trial(d->processes, d->bytes, d->side[side].engine);
    const sup_point *p = sup_store_find(w->store[side], &trial);
    if (!p || !sup_point_known(p)) return;
    for (int k = 0; k < sup_trial_values(&trial); k++) sup_store_say(w->store[side], p, k, &t[k]);
    *out = d->bytes ? t[BOTH] : t[SYNC];
    if (d->bytes) {
        out->seconds -= t[WORK].seconds;
        out->ci = hypot(t[BOTH].ci, t[WORK].ci);
        out->typical -= t[WORK].typical;
        *computed = t[WORK].seconds;
    }
    out->status = SUP_OK;
}

sup_status sup_measure_step_duel(const sup_step_duel *d, sup_diag *diag, sup_timing out[2]) {
    work w = {.duel = d, .folder = {.open = -1, .keeper = -1}, .begin_s = sup_clock_now()};
    if (d->processes < 2) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a duel has two processes or more");
    sup_status status = sup_tool_find(w.duel->tool, w.tool, sizeof w.tool, diag);
    snprintf(w.size, sizeof w.size, "%d", d->processes);
    for (int k = 0; k < 2 && !status; k++)
        if (sup_store_new(d->launches + 1, &w.store[k]))
            status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    if (!status) status = sup_folder_open(d->beside ? d->beside : P_tmpdir "/superstep", diag, &w.folder);
    for (int i = 0; i < 2 * d->launches && !status; i++) status = launch(&w, i % 2, diag);
    double computed[2] = {0, 0};
    for (int k = 0; k < 2 && !status; k++) say(&w, k, &out[k], &computed[k]);
    for (int k = 0; k < 2 && !status; k++) { /* the same computation for both */
        out[k].seconds += (computed[0] + computed[1]) / 2;
        out[k].typical += (computed[0] + computed[1]) / 2;
    }
    sup_folder_close(&w.folder);
    for (int k = 0; k < 2; k++) sup_store_free(w.store[k]);
    return status;
}
