/* Target "steps" over whatever transport the program is launched on: visits for a short time, then fills a profile from
 * what was found and checks it. No time decides.
 *
 *     superstep run -n 3 --net shm -- steps_run SECONDS [--first] [--others] [--engine E]
 *
 * SECONDS 0: the user stops at once; --first: after the first round. --show prints what was found. */
#include "measure/rounds.h"
#include "measure/target.h"
#include "net/launch.h"

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

static void check_copies(const sup_profile *p, int size) {
    int logs = 0, delivers = 0;
    for (size_t i = 0; i < p->copies_count; i++) {
        const sup_copy_time *c = &p->copies[i];
        expect(c->processes == size, "processes", c->method, (double)c->processes);
        expect(c->time_s && c->time_s->points && c->time_s->points->x_count >= 4, "a curve", c->method, 0);
        for (size_t k = 0; c->time_s && c->time_s->points && k < c->time_s->points->y_count; k++)
            expect(c->time_s->points->y[k] > 0.0, "a time", c->method, c->time_s->points->y[k]);
        logs += !strcmp(c->method, "log");
        delivers += !strcmp(c->method, "deliver");
    }
    int fans = 1 + (size > 2) + (size > 4) + (size > 3 && size != 5) + 1; /* 1, 2, 4, all; many records */
    expect(logs == fans && delivers == fans, "as many curves as there are fans", "copies", logs);
}

static void check_calibration(const sup_profile *p, int size) {
    int barriers = 0, steps = 0;
    for (size_t i = 0; i < p->calibration_count; i++) {
        const sup_calibration *c = &p->calibration[i];
        check_number(c->time_s, "calibration");
        if (c->calls_s) check_number(c->calls_s, "calls");
        if (c->calls_s) expect(c->calls_s->value <= c->time_s->value, "calls are part of it", "calibration", 0);
        expect(c->messages < size, "partners", "calibration", (double)c->messages);
        barriers += c->algorithm != NULL;
        steps += c->algorithm == NULL;
    }
    expect(barriers == 1 && steps >= 22, "a barrier and supersteps", "calibration", steps);
}

static void check_overlap(const sup_profile *p, const char *engine) {
    expect(p->overlap_count == 5, "five sizes", "overlap", (double)p->overlap_count);
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        check_number(o->share, "overlap");
        expect(o->share && o->share->value <= 1.0, "a share", "overlap", o->share ? o->share->value : NAN);
        expect(!strcmp(o->engine, engine ? engine : "eager"), "the engine", "overlap", 0);
    }
}

static void show(const sup_profile *p) {
    for (size_t i = 0; i < p->calibration_count; i++) {
        const sup_calibration *c = &p->calibration[i];
        printf("step %2d x %6d B x %d: calls %.3f us, whole %.3f +- %.3f, typical %.3f us, n %d, %d launches\n",
               (int)c->messages, (int)c->bytes, (int)c->records, c->calls_s ? 1e6 * c->calls_s->value : 0,
               1e6 * c->time_s->value, 1e6 * c->time_s->ci, 1e6 * c->time_s->typical, (int)c->time_s->n,
               (int)c->time_s->launches);
    }
    for (size_t i = 0; i < p->copies_count; i++) {
        const sup_copy_time *c = &p->copies[i];
        printf("%s to %d, %d records:", c->method, (int)c->messages, (int)c->records);
        for (size_t k = 0; k < c->time_s->points->x_count; k++)
            printf(" %g:%.3f", c->time_s->points->x[k], 1e6 * c->time_s->points->y[k]);
        printf("\n");
    }
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
    sup_lab lab = {.size = size,
                   .transport = request->transport,
                   .oversubscribed = result->oversubscribed,
                   .store = store};
    if (!status) status = sup_target_steps.fill(&lab, request, session, profile, &diag);
    bool other = request->engine != NULL, shm = !strcmp(request->transport, "shm");
    expect(status == SUP_OK || (other && status == SUP_ETIMEOUT), diag.text, "fill", status);
    if (profile && result->complete) {
        if (shm && !other) check_copies(profile, size);
        if (shm && !other && !lab.oversubscribed) check_calibration(profile, size);
        check_overlap(profile, request->engine);
    }
    expect(result->complete, "the first round is complete", "result", (double)result->rounds);
    if (profile && shows) show(profile);
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
    char transport[16], target[] = "steps";
    double seconds = argc > 1 ? atof(argv[1]) : -1.0;
    sup_launch launch;
    sup_launch_read(&launch);
    snprintf(transport, sizeof transport, "%s", launch.net);
    sup_request request = {.target = target, .transport = transport, .launch = 1, .until = NAN, .seconds = seconds};
    bool shows = false, first = false;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--others")) request.others = true;
        if (!strcmp(argv[i], "--show")) shows = true;
        if (!strcmp(argv[i], "--first")) first = true;
        if (!strcmp(argv[i], "--engine") && i + 1 < argc) request.engine = argv[i + 1];
    }
    if (seconds < 0.0 || !launch.launched) {
        fprintf(stderr, "usage: superstep run … -- steps_run SECONDS [--first] [--others] [--engine E] [--show]\n");
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
    sup_status status = sup_target_steps.run(&request, session, store, &diag, &result);
    if (!(seconds > 0.0))
        expect(status == SUP_EINTR, "a stop ends it", "run", status);
    else
        expect(status == SUP_OK || (first && status == SUP_EINTR), diag.text[0] ? diag.text : "it runs", "run", status);
    expect(result.leads, "one process leads", "run", 0);
    if (seconds > 0.0 && !request.others) check(&request, store, &result, launch.size, shows);
    for (size_t i = 0; shows && i < sup_store_count(store); i++) {
        const sup_point *p = sup_store_at(store, i);
        sup_timing t[3];
        if (p->trial.kind != SUP_TRIAL_OVERLAP) continue;
        for (int k = 0; k < 3; k++) sup_store_say(store, p, k, &t[k]);
        printf("%zu B: transfer %.3f, work %.3f, both %.3f us\n", p->trial.bytes, 1e6 * t[0].seconds,
               1e6 * t[1].seconds, 1e6 * t[2].seconds);
    }
    if (shows) printf("%d rounds, %zu points\n", (int)result.rounds, sup_store_count(store));
    sup_store_free(store);
    sup_session_close(session);
    return failures ? 1 : 0;
}
