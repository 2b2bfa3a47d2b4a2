/* Launches that measure cases (cases.h): what the tool does. Stage "measure", Tsync and Tcomm. */
#include "measure/launch/cases.h"

#include "measure/collective/work.h"
#include "measure/launch/launches.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((int64_t)1 << 30)
#define START_S 0.5
enum { MORE_LAUNCHES = 4 };

/* What is usual for a kind of cases. */
typedef struct kind {
    const char *one, *all; /* "a barrier", "barriers" */
    size_t most;
    int launches;
    double case_s;          /* of a launch, for the visits of one case; much longer where it is many bytes */
    double least_s, most_s; /* of a launch */
} kind;
static const kind barriers = {"a barrier", "barriers", SUP_BARRIERS_MOST, SUP_BARRIERS_LAUNCHES, 48e-3, 0.3, 6.0};
static const kind collectives = {"a collective operation", "collectives", SUP_COLLECTIVES_CASES, 3, 18e-3, 0.25, 20.0};

static const kind *kind_of(const sup_cases_order *o) { return o->patterns ? &barriers : &collectives; }

typedef struct work {
    const sup_cases_order *order;
    sup_launches launches;
    sup_store *store;
    sup_request request;
    int *everybody; /* room for ranks */
    int done;
} work;

/* ---- what is ordered ---- */

static sup_status check_barrier(const sup_cases_order *o, size_t index, sup_diag *diag) {
    const sup_pattern *p = &o->patterns[index];
    bool covers = true;
    int64_t deaf = 0, unheard = 0;
    if (p->processes != o->at.processes)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "barrier %zu is of %" PRId64 " processes, not of %d", index + 1,
                            p->processes, o->at.processes);
    if (p->processes > SUP_PATTERN_COVERS_MAX) return SUP_OK;
    sup_status status = sup_pattern_covers(p, &covers, &deaf, &unheard);
    if (status) return sup_diag_set(diag, status, NULL, 0, "out of memory");
    if (covers) return SUP_OK;
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                        "barrier %zu does not synchronise: process %" PRId64 " never hears of process %" PRId64,
                        index + 1, deaf, unheard);
}

static sup_status check_collective(const sup_cases_order *o, size_t index, sup_diag *diag) {
    const sup_collective_case *c = &o->collectives[index];
    bool message = c->operation == SUP_CASE_MESSAGE;
    if (!message && (!c->choice.algorithm || c->choice.algorithm->operation != c->operation))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "collective %zu has no algorithm", index + 1);
    const char *name = message ? SUP_CASE_MESSAGE_NAME : sup_operation_names[c->operation];
    int64_t blocks = sup_collective_has_blocks(c->operation) ? o->at.processes : 1;
    if (c->bytes < 0 || c->bytes > MOST_BYTES / blocks)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%s of %" PRId64 " bytes: 0 to 1 GB in all are measured", name,
                            c->bytes);
    if (c->bytes % sup_collective_element(c->operation))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "%s of %" PRId64 " bytes: sums of doubles are measured, so it must be a multiple of 8",
                            name, c->bytes);
    return SUP_OK;
}

static sup_status check(const sup_cases_order *o, sup_diag *diag) {
    const kind *k = kind_of(o);
    sup_status status = SUP_OK;
    if (o->at.processes < 2) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%s has two processes or more", k->one);
    if (o->count < 1 || o->count > k->most)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%zu %s: 1 to %zu can be measured at once", o->count, k->all,
                            k->most);
    for (size_t i = 0; i < o->count && !status; i++)
        status = o->patterns ? check_barrier(o, i, diag) : check_collective(o, i, diag);
    return status;
}

/* As a request has them. */
static sup_status write_cases(const sup_cases_order *o, sup_request *r) {
    if (o->patterns) return sup_barriers_pack(o->patterns, o->count, &r->barriers, &r->barriers_count);
    if (!(r->collectives = calloc(o->count, sizeof *r->collectives))) return SUP_ENOMEM;
    for (r->collectives_count = 0; r->collectives_count < o->count; r->collectives_count++) {
        char text[SUP_COLLECTIVE_CASE_TEXT], **at = &r->collectives[r->collectives_count];
        if (!(*at = strdup(sup_collective_case_text(&o->collectives[r->collectives_count], text)))) return SUP_ENOMEM;
    }
    return SUP_OK;
}

/* ---- launches ---- */

/* What was found so far goes along: cases that had no turn are next. */
static sup_status launch(work *w, sup_diag *diag) {
    sup_request *r = &w->request;
    r->launch = w->done + 1;
    if (sup_store_write(w->store, r->transport, false, &r->visits, &r->visits_count)) return sup_diag_no_memory(diag);
    sup_status status = sup_launches_run(&w->launches, r, NULL, w->store, diag);
    for (size_t i = 0; i < r->visits_count; i++) sup_record_clear(&sup_visited_record, &r->visits[i]);
    free(r->visits);
    r->visits = NULL;
    r->visits_count = 0;
    w->done += !status;
    return status;
}

/* True: all are known. */
static bool say(work *w, sup_timing *out) {
    const sup_cases_order *o = w->order;
    bool complete = true;
    sup_store_settle(w->store);
    for (size_t i = 0; i < o->count; i++) {
        char word[SUP_COLLECTIVE_WORD]; /* the longer of the two */
        sup_trial trial =
            o->patterns ? sup_barrier_trial(i, o->at.processes, w->everybody, word)
                        : sup_collective_trial(&o->collectives[i], o->at.processes, w->everybody, o->rotates, word);
        out[i] = sup_launches_say(w->store, &trial, 0);
        complete = complete && !out[i].status;
    }
    return complete;
}

/* A launch that fails after others came through is one less. Where its time was over before every case had its turn, on
 * a busy machine, there are some more, each twice as long, unless that brings nothing new: what cannot be done never
 * has one. */
static sup_status launch_all(work *w, int usual, sup_diag *diag, sup_timing *out) {
    const sup_cases_order *o = w->order;
    sup_launches *l = &w->launches;
    sup_status status = SUP_OK;
    size_t known = 0;
    int most = usual + (o->bounded ? 0 : MORE_LAUNCHES);
    for (int i = 0; i < most && !status && l->wish == SUP_WISH_ON; i++) {
        if (i >= usual) w->request.seconds *= 2;
        l->expected_s = usual * (w->request.seconds + START_S);
        status = launch(w, diag);
        if (status == SUP_ENOTSUP && w->done) status = SUP_OK;
        if (status || i + 1 < usual) continue;
        if (say(w, out) || (!o->patterns && sup_store_count(w->store) == known)) break;
        known = sup_store_count(w->store);
    }
    if (status && !(status == SUP_EINTR && w->done)) return status;
    say(w, out);
    return SUP_OK;
}

static sup_status open_work(work *w, int launches, sup_diag *diag) {
    const sup_cases_order *o = w->order;
    sup_status status = sup_store_new(launches + MORE_LAUNCHES + 1, &w->store);
    if (!status) status = write_cases(o, &w->request);
    w->everybody = malloc((size_t)o->at.processes * sizeof *w->everybody);
    if (!status && !w->everybody) status = SUP_ENOMEM;
    if (status) return sup_diag_set(diag, status, NULL, 0, "%s: %s", kind_of(o)->all, sup_status_text(status));
    return sup_launches_open(&o->at, kind_of(o)->all, diag, &w->launches);
}

static void close_work(work *w) {
    sup_request *r = &w->request;
    sup_launches_close(&w->launches);
    sup_store_free(w->store);
    for (size_t i = 0; i < r->collectives_count; i++) free(r->collectives[i]);
    free(r->collectives);
    free(r->barriers);
    free(w->everybody);
}

sup_status sup_measure_cases(const sup_cases_order *o, sup_diag *diag, sup_timing *out) {
    const kind *k = kind_of(o);
    int launches = o->launches > 0 ? o->launches : k->launches;
    sup_status status = check(o, diag);
    if (status) return status;
    work w = {.order = o,
              .launches.folder = {.open = -1, .keeper = -1},
              .request = {.target = (char *)"cases",
                          .transport = (char *)o->transport,
                          .seconds = fmin(fmax(k->case_s * (double)o->count, k->least_s), k->most_s),
                          .until = NAN,
                          .rotates = o->rotates}};
    if (o->seconds > 0) w.request.seconds = o->seconds;
    status = open_work(&w, launches, diag);
    if (!status) status = launch_all(&w, launches, diag, out);
    close_work(&w);
    return status;
}
