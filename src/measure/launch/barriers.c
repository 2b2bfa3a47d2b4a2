/* Launches that measure barriers of any pattern (barriers.h): what the tool does. Stage "measure", Tsync. */
#include "measure/launch/barriers_work.h"

#include "base/clock.h"
#include "measure/launch/tool_path.h"
#include "measure/store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VISIT_S 2e-3 /* a visit of one takes about so long between hosts; less inside one */
#define LEAST_S 0.3
#define MOST_S 6.0
enum { VISITS = 24, RUN_OPTIONS = 12, MORE_LAUNCHES = 4 };

typedef struct work {
    const sup_barriers_order *order;
    char tool[4096], size[16];
    sup_folder folder;
    sup_store *store;
    int64_t *list;
    size_t length;
    int launches, done;
    double seconds, begin_s;
    sup_wish wish;
} work;

static sup_status check_one(const sup_barriers_order *o, const sup_pattern *p, size_t index, sup_diag *diag) {
    bool covers = true;
    int64_t deaf = 0, unheard = 0;
    if (p->processes != o->processes)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "barrier %zu is of %" PRId64 " processes, not of %d", index + 1,
                            p->processes, o->processes);
    if (p->processes > SUP_PATTERN_COVERS_MAX) return SUP_OK;
    sup_status status = sup_pattern_covers(p, &covers, &deaf, &unheard);
    if (status) return sup_diag_set(diag, status, NULL, 0, "out of memory");
    if (covers) return SUP_OK;
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                        "barrier %zu does not synchronise: process %" PRId64 " never hears of process %" PRId64,
                        index + 1, deaf, unheard);
}

static sup_status check(const sup_barriers_order *o, sup_diag *diag) {
    sup_status status = SUP_OK;
    if (o->processes < 2) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a barrier has two processes or more");
    if (o->count < 1 || o->count > SUP_BARRIERS_MOST)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%zu barriers: 1 to %d can be measured at once", o->count,
                            SUP_BARRIERS_MOST);
    for (size_t i = 0; i < o->count && !status; i++) status = check_one(o, &o->patterns[i], i, diag);
    return status;
}

static sup_wish look(void *context, const char *text) {
    work *w = context;
    double all = w->launches * (w->seconds + 0.5), spent = sup_clock_now() - w->begin_s;
    if (!w->order->progress) return SUP_WISH_ON;
    sup_wish wish =
        w->order->progress(w->order->context, fmin(spent / all, 1.0), *text ? text : "barriers", fmax(all - spent, 0));
    if (wish > w->wish) w->wish = wish;
    return w->wish;
}

static sup_status launch(work *w, sup_diag *diag) {
    const sup_barriers_order *o = w->order;
    const char *options[RUN_OPTIONS + 1] = {0};
    const char *const all[][2] = {
        {"-n", w->size}, {"--net", o->transport}, {"--place", o->place}, {"--hosts", o->hosts_file}, {"--rsh", o->rsh}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2 && all[i][1]; k++) options[n++] = all[i][k];
    sup_request request = {.target = (char *)"barriers",
                           .transport = (char *)o->transport,
                           .launch = w->done + 1,
                           .seconds = w->seconds,
                           .until = NAN,
                           .barriers = w->list,
                           .barriers_count = w->length};
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
        status = sup_store_read(w->store, o->transport, outcome.result.visits, outcome.result.visits_count);
    else if (outcome.interrupted || w->wish != SUP_WISH_ON)
        status = SUP_EINTR;
    else
        status = sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "--net %s: %s", o->transport, outcome.why);
    sup_record_clear(&sup_result_record, &outcome.result);
    w->done += outcome.done;
    return status;
}

static sup_status say(work *w, sup_timing *out) {
    const sup_barriers_order *o = w->order;
    int *everybody = malloc((size_t)o->processes * sizeof *everybody);
    if (!everybody) return SUP_ENOMEM;
    sup_store_settle(w->store);
    for (size_t i = 0; i < o->count; i++) {
        char word[SUP_PATTERN_WORD];
        sup_trial trial = sup_barriers_trial(o->processes, everybody, sup_barriers_word(i, word));
        const sup_point *p = sup_store_find(w->store, &trial);
        out[i] = (sup_timing){.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = SUP_ETIMEOUT};
        if (!p || !sup_point_known(p)) continue;
        sup_store_say(w->store, p, 0, &out[i]);
        out[i].status = SUP_OK;
    }
    free(everybody);
    return SUP_OK;
}

static bool complete(const sup_timing *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (out[i].status) return false;
    return true;
}

/* One that fails after others came through is one less. On a machine so busy that a launch's time was over before every
 * barrier had its turn there are some more, each twice as long. */
static sup_status launch_all(work *w, sup_diag *diag, sup_timing *out) {
    sup_status status = SUP_OK;
    bool all = false;
    for (int i = 0; i < w->launches + MORE_LAUNCHES && !all && !status && w->wish == SUP_WISH_ON; i++) {
        if (i >= w->launches) w->seconds *= 2;
        status = launch(w, diag);
        if (status == SUP_ENOTSUP && w->done) status = SUP_OK;
        if (!status && i + 1 >= w->launches) status = say(w, out);
        all = !status && i + 1 >= w->launches && complete(out, w->order->count);
    }
    return !status || (status == SUP_EINTR && w->done) ? say(w, out) : status;
}

sup_status sup_measure_barriers(const sup_barriers_order *o, sup_diag *diag, sup_timing *out) {
    work w = {.order = o, .folder = {.open = -1, .keeper = -1}, .begin_s = sup_clock_now()};
    sup_status status = check(o, diag);
    if (!status) status = sup_tool_find(w.order->tool, w.tool, sizeof w.tool, diag);
    if (status) return status;
    snprintf(w.size, sizeof w.size, "%d", o->processes);
    w.launches = o->launches > 0 ? o->launches : SUP_BARRIERS_LAUNCHES;
    w.seconds = o->seconds > 0 ? o->seconds : fmin(fmax(VISITS * VISIT_S * (double)o->count, LEAST_S), MOST_S);
    status = sup_barriers_pack(o->patterns, o->count, &w.list, &w.length);
    if (!status) status = sup_store_new(w.launches + MORE_LAUNCHES + 1, &w.store);
    if (status) sup_diag_set(diag, status, NULL, 0, "barriers: %s", sup_status_text(status));
    if (!status) status = sup_folder_open(o->beside ? o->beside : P_tmpdir "/superstep", diag, &w.folder);
    if (!status) status = launch_all(&w, diag, out);
    sup_folder_close(&w.folder);
    sup_store_free(w.store);
    free(w.list);
    return status;
}
