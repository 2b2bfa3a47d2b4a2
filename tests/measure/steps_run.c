/* Supersteps of target "net" over whatever transport the program is launched on: visits for a short time, then fills a
 * profile from what was found and checks it. No time decides.
 *
 *     superstep run -n 3 --net shm -- steps_run SECONDS [--first] [--others]
 *
 * SECONDS 0: the user stops at once; --first: after the first round. --show prints what was found. */
#include "measure/campaign/rounds.h"
#include "measure/exchange/plan.h"
#include "measure/launch/target.h"
#include "net/launch/launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(bool good, const char *what, const char *about, double value) {
    if (good) return;
    fprintf(stderr, "steps_run: %s: %s (%g)\n", about, what, value);
    failures++;
}

static void check_number(const sup_number *n, const char *about) {
    expect(n && isfinite(n->value) && n->value >= 0.0, "a value", about, n ? n->value : NAN);
    if (!n) return;
    expect(n->ci >= 0.0, "a half width", about, n->ci);
    expect(n->n >= 1, "batches", about, (double)n->n);
    expect(n->launches >= 1, "launches", about, (double)n->launches);
}

/* A curve of each part, over the sizes that the plan has. */
static void check_curve(const sup_file_curve *c, const sup_exchange_plan *plan, const char *about) {
    bool whole = c && c->points && c->points->x_count == (size_t)plan->count;
    expect(whole, "a curve", about, c && c->points ? (double)c->points->x_count : NAN);
    for (int i = 0; whole && i < plan->count; i++) {
        expect(c->points->x[i] == (double)plan->bytes[i], "a size", about, c->points->x[i]);
        expect(c->points->y[i] > 0.0, "a time", about, c->points->y[i]);
    }
}

static const sup_exchange_time *find_exchange(const sup_profile *p, const sup_exchange_plan *plan) {
    for (size_t i = 0; i < p->exchanges_count; i++) {
        const sup_exchange_time *x = &p->exchanges[i];
        if (x->shape == plan->shape && x->move == plan->move && x->records == plan->records) return x;
    }
    return NULL;
}

static void check_exchanges(const sup_profile *p, int size, const char *transport) {
    const sup_exchange_who who = {.processes = size, .far = true, .shared = !strcmp(transport, "shm"), .deep = true};
    sup_exchange_plan plan;
    size_t near = 0, far = 0;
    for (int k = 0; sup_exchange_plan_at(k, &who, &plan); k++) {
        const char *about = sup_exchange_names[plan.shape];
        const sup_exchange_time *x = find_exchange(p, &plan);
        bool is_far = sup_exchange_at(plan.shape)->far;
        if (!plan.count || (is_far && !x)) { /* here nobody may be far from anybody */
            expect(!x, "none", about, 0);
            continue;
        }
        far += is_far;
        near += !is_far;
        expect(x != NULL, sup_move_names[plan.move], about, plan.records);
        if (!x) continue;
        expect(x->processes == size, "processes", about, (double)x->processes);
        check_curve(x->calls_s, &plan, about);
        check_curve(x->sync_s, &plan, about);
    }
    expect(p->exchanges_count == near + far && near >= 10, "as many as planned", "exchanges", (double)near);
    const sup_sync_time *empty = NULL;
    for (size_t i = 0; i < p->sync_count; i++)
        if (!strcmp(p->sync[i].algorithm, SUP_SYNC_EMPTY)) empty = &p->sync[i];
    expect(empty != NULL, "a superstep", "empty", 0);
    if (empty) check_number(empty->time_s, "empty");
}

static void check_overlap(const sup_profile *p) {
    size_t bulk = 0;
    expect(p->overlap_count == 10, "five sizes, two engines", "overlap", (double)p->overlap_count);
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        check_number(o->share, "overlap");
        expect(o->share && o->share->value <= 1.0, "a share", "overlap", o->share ? o->share->value : NAN);
        bulk += !strcmp(o->engine, "bulk");
    }
    expect(bulk == 5, "both engines", "overlap", (double)bulk);
}

/* Differences of two times: that they are there, and none is negative. */
static void check_first(const sup_profile *p, int size) {
    expect(p->first_count == 1, "one entry", "first", (double)p->first_count);
    if (p->first_count != 1) return;
    const sup_first_time *f = &p->first[0];
    const sup_file_curve *curves[] = {f->memory_s, f->use_calls_s, f->use_sync_s};
    expect(f->processes == size, "processes", "first", (double)f->processes);
    expect(f->late_s_count == 5, "latenesses", "first", (double)f->late_s_count);
    for (int c = 0; c < 3; c++) {
        bool whole = curves[c] && curves[c]->points && curves[c]->points->x_count == (c ? 6 : 4);
        expect(whole, "a curve", "first", c);
        for (size_t i = 0; whole && i < curves[c]->points->x_count; i++)
            expect(curves[c]->points->y[i] > 0.0, "a time", "first", curves[c]->points->y[i]);
    }
    for (size_t i = 0; i < f->late_s_count; i++) expect(f->waking_s[i] > 0.0, "a time", "waking", f->waking_s[i]);
}

static void show_first(const sup_first_time *f) {
    const sup_file_curve *curves[] = {f->memory_s, f->use_calls_s, f->use_sync_s};
    static const char *const names[] = {"new memory", "calls, first use", "sync, first use"};
    for (int c = 0; c < 3; c++) {
        printf("%s:", names[c]);
        for (size_t i = 0; curves[c] && i < curves[c]->points->x_count; i++)
            printf(" %g:%.3f", curves[c]->points->x[i], 1e6 * curves[c]->points->y[i]);
        printf("\n");
    }
    printf("waking:");
    for (size_t i = 0; i < f->late_s_count; i++) printf(" %g ms:%.3f", 1e3 * f->late_s[i], 1e6 * f->waking_s[i]);
    printf(" us\n");
}

static void show(const sup_profile *p) {
    for (size_t i = 0; i < p->first_count; i++) show_first(&p->first[i]);
    for (size_t i = 0; i < p->exchanges_count; i++) {
        const sup_exchange_time *x = &p->exchanges[i];
        printf("%s %s, %d records:", sup_exchange_names[x->shape], sup_move_names[x->move], (int)x->records);
        for (size_t k = 0; k < x->calls_s->points->x_count; k++)
            printf(" %g:%.3f+%.3f", x->calls_s->points->x[k], 1e6 * x->calls_s->points->y[k],
                   1e6 * x->sync_s->points->y[k]);
        printf("\n");
    }
    for (size_t i = 0; i < p->sync_count; i++)
        printf("%s %.3f us\n", p->sync[i].algorithm, 1e6 * p->sync[i].time_s->value);
    for (size_t i = 0; i < p->overlap_count; i++)
        printf("overlap %s %s %d B: %.3f +- %.3f, typical %.3f\n", p->overlap[i].transport, p->overlap[i].engine,
               (int)p->overlap[i].bytes, p->overlap[i].share->value, p->overlap[i].share->ci,
               p->overlap[i].share->typical);
}

/* As the tool does it: a lab with what was found, and no way to find more; through a file, as results come. */
static void check(const sup_request *request, const sup_store *found, const sup_result *result, int size, bool shows) {
    sup_diag diag = {0};
    sup_visited *list = NULL;
    size_t count = 0;
    sup_store *store = NULL;
    sup_session *session = NULL;
    sup_session_options about = sup_session_defaults();
    sup_profile *profile = NULL;
    sup_status status = sup_store_write(found, request->transport, false, &list, &count);
    if (!status) status = sup_store_new(0, &store);
    if (!status) status = sup_store_read(store, request->transport, list, count);
    if (!status) status = sup_session_open(&about, &diag, &session);
    if (!status) status = sup_profile_new(-1, &diag, &profile);
    sup_rank_place *places = NULL;
    int placed = 0;
    if (!status) status = sup_places_read(result->places, result->places_count, &places, &placed);
    expect(placed == size, "everybody has a place", "places", placed);
    sup_lab lab = {.size = size,
                   .transport = request->transport,
                   .oversubscribed = result->oversubscribed,
                   .places = places,
                   .store = store};
    if (!status) status = sup_target_net.fill(&lab, request, session, profile, &diag);
    expect(status == SUP_OK || status == SUP_ETIMEOUT, diag.text, "fill", status);
    if (profile && result->complete) {
        check_exchanges(profile, size, request->transport);
        check_overlap(profile);
        check_first(profile, size);
    }
    expect(result->complete, "the first round is complete", "result", (double)result->rounds);
    if (profile && shows) show(profile);
    free(places);
    sup_profile_free(profile);
    sup_session_close(session);
    sup_store_free(store);
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
}

static bool stop_at_once(void *context, double fraction, const char *text, double seconds_left) {
    (void)context, (void)fraction, (void)text, (void)seconds_left;
    return false;
}

static bool stop_after_first(void *context, double fraction, const char *text, double seconds_left) {
    (void)context, (void)fraction, (void)seconds_left;
    return strncmp(text, "round", 5) != 0;
}

int main(int argc, char **argv) {
    char transport[16], target[] = "net";
    double seconds = argc > 1 ? atof(argv[1]) : -1.0;
    sup_launch launch;
    sup_launch_read(&launch);
    snprintf(transport, sizeof transport, "%s", launch.net);
    sup_request request = {.target = target,
                           .transport = transport,
                           .launch = 1,
                           .until = NAN,
                           .seconds = seconds,
                           .deep = SUP_MEASURE_EXCHANGES | SUP_MEASURE_OVERLAP | SUP_MEASURE_FIRST};
    bool shows = false, first = false;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--others")) request.others = true;
        if (!strcmp(argv[i], "--show")) shows = true;
        if (!strcmp(argv[i], "--first")) first = true;
    }
    if (seconds < 0.0 || !launch.launched) {
        fprintf(stderr, "usage: superstep run … -- steps_run SECONDS [--first] [--others] [--show]\n");
        return 2;
    }
    sup_diag diag = {0};
    sup_store *store = NULL;
    sup_session *session = NULL;
    sup_result result = {0};
    sup_session_options about = sup_session_defaults();
    about.budget_s = seconds > 0.0 ? seconds : 1.0;
    if (first) about.progress = stop_after_first;
    if (!(seconds > 0.0)) about.progress = stop_at_once;
    if (sup_session_open(&about, &diag, &session) || sup_store_new(1, &store)) return 3;
    sup_status status = sup_target_net.run(&request, session, store, &diag, &result);
    if (!(seconds > 0.0))
        expect(status == SUP_EINTR, "a stop ends it", "run", status);
    else
        expect(status == SUP_OK || (first && status == SUP_EINTR), diag.text[0] ? diag.text : "it runs", "run", status);
    expect(result.leads, "one process leads", "run", 0);
    if (seconds > 0.0 && !request.others) check(&request, store, &result, launch.size, shows);
    for (size_t i = 0; shows && i < sup_store_count(store); i++) {
        const sup_point *p = sup_store_at(store, i);
        sup_timing t[SUP_FIRST_VALUES];
        if (p->trial.kind == SUP_TRIAL_FIRST)
            printf("first %d, %zu B, %d us late: a visit takes %.2f ms\n", p->trial.number, p->trial.bytes,
                   p->trial.stride, 1e3 * p->visit_s);
        if (p->trial.kind != SUP_TRIAL_OVERLAP) continue;
        for (int k = 0; k < 3; k++) sup_store_say(store, p, k, &t[k]);
        printf("%zu B: transfer %.3f, work %.3f, both %.3f us\n", p->trial.bytes, 1e6 * t[0].seconds,
               1e6 * t[1].seconds, 1e6 * t[2].seconds);
    }
    if (shows) printf("%d rounds, %zu points\n", (int)result.rounds, sup_store_count(store));
    free(result.places);
    sup_store_free(store);
    sup_session_close(session);
    return failures ? 1 : 0;
}
