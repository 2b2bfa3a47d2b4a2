/* Launches that measure some collectives (collectives.h): what the tool does. Stage "measure", Tcomm. */
#include "measure/collective/work.h"

#include "base/clock.h"
#include "measure/launch/tool_path.h"
#include "measure/store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VISIT_S 1.5e-3 /* a visit of a case takes about so long; much longer where it is many bytes */
#define LEAST_S 0.25
#define MOST_S 20.0
#define MOST_BYTES ((int64_t)1 << 30)
#define START_S 0.25 /* of a duel's time, for a launch to start and to end */
enum { LAUNCHES = 3, MORE_LAUNCHES = 4, VISITS = 12, RUN_OPTIONS = 12 };

typedef struct work {
    const sup_collectives_order *order;
    char tool[4096], size[16];
    sup_folder folder;
    sup_store *store;
    char **texts; /* of all cases */
    int launches, done;
    double seconds, begin_s;
    sup_wish wish;
} work;

/* ---- what is ordered ---- */

static sup_status check(const sup_collectives_order *o, sup_diag *diag) {
    if (o->processes < 2)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a collective operation has two processes or more");
    if (o->count < 1 || o->count > SUP_COLLECTIVES_CASES)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%zu collectives: 1 to %d can be measured at once", o->count,
                            SUP_COLLECTIVES_CASES);
    for (size_t i = 0; i < o->count; i++) {
        const sup_collective_case *c = &o->cases[i];
        bool message = c->operation == SUP_CASE_MESSAGE;
        if (!message && (!c->choice.algorithm || c->choice.algorithm->operation != c->operation))
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "collective %zu has no algorithm", i + 1);
        const char *name = message ? SUP_CASE_MESSAGE_NAME : sup_operation_names[c->operation];
        int64_t blocks = sup_collective_has_blocks(c->operation) ? o->processes : 1;
        if (c->bytes < 0 || c->bytes > MOST_BYTES / blocks)
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%s of %" PRId64 " bytes: 0 to 1 GB in all are measured",
                                name, c->bytes);
        if (c->bytes % sup_collective_element(c->operation))
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                                "%s of %" PRId64 " bytes: sums of doubles are measured, so it must be a multiple of 8",
                                name, c->bytes);
    }
    return SUP_OK;
}

static bool write_texts(work *w) {
    const sup_collectives_order *o = w->order;
    if (!(w->texts = calloc(o->count, sizeof *w->texts))) return false;
    for (size_t i = 0; i < o->count; i++) {
        char text[SUP_COLLECTIVE_CASE_TEXT];
        if (!(w->texts[i] = strdup(sup_collective_case_text(&o->cases[i], text)))) return false;
    }
    return true;
}

/* ---- a launch ---- */

static sup_wish look(void *context, const char *text) {
    work *w = context;
    double all = w->launches * (w->seconds + 0.5), spent = sup_clock_now() - w->begin_s;
    if (!w->order->progress) return SUP_WISH_ON;
    sup_wish wish = w->order->progress(w->order->context, fmin(spent / all, 1.0), *text ? text : "collectives",
                                       fmax(all - spent, 0));
    if (wish > w->wish) w->wish = wish;
    return w->wish;
}

static sup_status take(work *w, const sup_outcome *outcome, sup_diag *diag) {
    const char *transport = w->order->transport;
    if (!outcome->done) {
        if (outcome->interrupted || w->wish != SUP_WISH_ON) return SUP_EINTR;
        return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "--net %s: %s", transport, outcome->why);
    }
    w->done++;
    if (sup_store_read(w->store, transport, outcome->result.visits, outcome->result.visits_count))
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    return SUP_OK;
}

/* What was found so far goes along: cases that had no turn are next. */
static sup_status launch(work *w, sup_diag *diag) {
    const sup_collectives_order *o = w->order;
    const char *options[RUN_OPTIONS + 1] = {0};
    const char *const all[][2] = {
        {"-n", w->size}, {"--net", o->transport}, {"--place", o->place}, {"--hosts", o->hosts_file}, {"--rsh", o->rsh}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2 && all[i][1]; k++) options[n++] = all[i][k];
    sup_request request = {.target = (char *)"collectives",
                           .transport = (char *)o->transport,
                           .launch = w->done + 1,
                           .seconds = w->seconds,
                           .until = NAN,
                           .collectives = w->texts,
                           .collectives_count = o->count,
                           .rotates = o->rotates};
    sup_outcome outcome;
    if (sup_store_write(w->store, o->transport, false, &request.visits, &request.visits_count))
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    sup_status status = sup_order_run(&(sup_order){.tool = w->tool,
                                                   .folder = w->folder.path,
                                                   .options = options,
                                                   .request = &request,
                                                   .look = look,
                                                   .context = w},
                                      diag, &outcome);
    for (size_t i = 0; i < request.visits_count; i++) sup_record_clear(&sup_visited_record, &request.visits[i]);
    free(request.visits);
    if (status) return status;
    status = take(w, &outcome, diag);
    sup_record_clear(&sup_result_record, &outcome.result);
    return status;
}

/* ---- what came out ---- */

static sup_status say(work *w, sup_timing *out, bool *complete) {
    const sup_collectives_order *o = w->order;
    int *everybody = malloc((size_t)o->processes * sizeof *everybody);
    if (!everybody) return SUP_ENOMEM;
    sup_store_settle(w->store);
    *complete = true;
    for (size_t i = 0; i < o->count; i++) {
        char word[SUP_COLLECTIVE_WORD];
        sup_trial trial = sup_collective_trial(&o->cases[i], o->processes, everybody, o->rotates, word);
        const sup_point *p = sup_store_find(w->store, &trial);
        out[i] = (sup_timing){.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = SUP_ETIMEOUT};
        if (p && sup_point_known(p)) {
            sup_store_say(w->store, p, 0, &out[i]);
            out[i].status = SUP_OK;
        }
        *complete = *complete && !out[i].status;
    }
    free(everybody);
    return SUP_OK;
}

/* A launch that fails after others came through is one less. Where its time was over before every case had its turn
 * there are some more, each twice as long, unless that would bring nothing new: what cannot be done never has one. */
static sup_status launch_all(work *w, sup_diag *diag, sup_timing *out) {
    sup_status status = SUP_OK;
    bool complete = false;
    size_t known = 0;
    int most = w->launches + (w->order->bounded ? 0 : MORE_LAUNCHES);
    for (int i = 0; i < most && !status && w->wish == SUP_WISH_ON; i++) {
        if (i >= w->launches) w->seconds *= 2;
        status = launch(w, diag);
        if (status == SUP_ENOTSUP && w->done) status = SUP_OK;
        if (status || i + 1 < w->launches) continue;
        if (say(w, out, &complete)) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
        if (complete || sup_store_count(w->store) == known) break;
        known = sup_store_count(w->store);
    }
    if (status && !(status == SUP_EINTR && w->done)) return status;
    return say(w, out, &complete) ? sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory") : SUP_OK;
}

sup_status sup_measure_cases(const sup_collectives_order *o, sup_diag *diag, sup_timing *out) {
    work w = {.order = o, .folder = {.open = -1, .keeper = -1}, .begin_s = sup_clock_now()};
    sup_status status = check(o, diag);
    if (!status) status = sup_tool_find(w.order->tool, w.tool, sizeof w.tool, diag);
    if (status) return status;
    snprintf(w.size, sizeof w.size, "%d", o->processes);
    w.launches = o->launches > 0 ? o->launches : LAUNCHES;
    w.seconds = o->seconds > 0 ? o->seconds : fmin(fmax(VISITS * VISIT_S * (double)o->count, LEAST_S), MOST_S);
    if (!write_texts(&w) || sup_store_new(w.launches + MORE_LAUNCHES + 1, &w.store))
        status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    if (!status) status = sup_folder_open(o->beside ? o->beside : P_tmpdir "/superstep", diag, &w.folder);
    if (!status) status = launch_all(&w, diag, out);
    sup_folder_close(&w.folder);
    sup_store_free(w.store);
    for (size_t i = 0; w.texts && i < o->count; i++) free(w.texts[i]);
    free(w.texts);
    return status;
}

/* Two launches where there is time for them: they differ more than rounds of one do. */
sup_status sup_measure_duel(const sup_duel *d, sup_diag *diag, double *seconds) {
    double all = d->seconds > 0 ? d->seconds : SUP_DUEL_S;
    int launches = all >= 4 * START_S ? 2 : 1;
    sup_collective_case *cases = calloc(d->count + 1, sizeof *cases);
    sup_timing *times = calloc(d->count + 1, sizeof *times);
    sup_status status = cases && times ? SUP_OK : SUP_ENOMEM;
    if (!status) {
        for (size_t i = 0; i < d->count; i++) cases[i] = (sup_collective_case){d->operation, d->choices[i], d->bytes};
        sup_collectives_order order = {.tool = d->tool,
                                       .transport = d->transport,
                                       .processes = d->processes,
                                       .place = d->place,
                                       .hosts_file = d->hosts_file,
                                       .rsh = d->rsh,
                                       .cases = cases,
                                       .count = d->count,
                                       .launches = launches,
                                       .seconds = fmax(all / launches - START_S, 0.05),
                                       .bounded = true};
        status = sup_measure_cases(&order, diag, times);
        for (size_t i = 0; i < d->count && !status; i++) seconds[i] = times[i].status ? NAN : times[i].seconds;
    } else {
        sup_diag_set(diag, status, NULL, 0, "out of memory");
    }
    free(times);
    free(cases);
    return status;
}
