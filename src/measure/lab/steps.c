/* Supersteps of the runtime, timed (lab/steps.h). Rank 0 says what comes next by a put to everybody; after a batch each
 * process puts what it has seen to rank 0. Neither is in what is timed.
 *
 *     order │ warm-up … │ one that does not count, n that do │ … the next batch … │ reports │
 *
 * The runtime's recorder splits a superstep into what comes before everybody is there, and the sync itself. Of a batch
 * each process keeps the median superstep in each part, and the slowest process counts: a batch in which one superstep
 * was interrupted is as good as any, so every batch counts, also where processes share cores. */
#include "measure/lab/steps_work.h"

#include "base/clock.h"
#include "base/exchange.h"
#include "base/number/stats.h"
#include "bsp/heap/heap.h"
#include "bsp/tracing/trace.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_S 150e-6 /* a batch lasts about so long … */
#define LONG_S 4e-3    /* … and a superstep that takes longer is timed by itself */
enum {
    REPETITIONS_LEAST = 3,
    REPETITIONS_MOST = 256,
    WARM = 3,
    BATCHES = 3, /* at most in an order */
    TRIES = 2,
    WORK_TRIES = 6,
    AGAIN = 2 /* supersteps behind a first one: the last of them is as all that follow */
};
enum { WORKS_MAX = 16, SPIN_STEPS = 20000, SPIN_ROUNDS = 25, LOOKS = 16, LOOK_ROUNDS = 5 };

typedef sup_steps_order order;

typedef struct report {
    double calls[BATCHES], sync[BATCHES];             /* seconds of the median superstep */
    double whole[BATCHES];                            /* with waiting for the slowest */
    double again_calls[BATCHES], again_sync[BATCHES]; /* behind a first one: the same once more */
} report;

/* As much computation as a transfer takes: chosen once in a launch. */
typedef struct known_work {
    size_t bytes;
    bool bulk;
    int64_t steps;
} known_work;

typedef struct sup_lab_steps {
    sup_lab lab;
    sup_steps_mover mover;
    order *next;            /* registered: what rank 0 wants */
    report *report;         /* registered: of everybody, at rank 0 */
    double clock_s, spin_s; /* a look at the clock; a step of computation */
    known_work work[WORKS_MAX];
    int works;
} sup_lab_steps;

/* ---- what the recorder says ---- */

/* The first so many supersteps since it was last cleared. */
static struct {
    double calls[REPETITIONS_MOST], sync[REPETITIONS_MOST], whole[REPETITIONS_MOST];
    size_t count;
    const sup_steps_mover *mover; /* who was reading meanwhile; NULL: nobody yet */
} heard;

static void hear(void *context, const double time[BSP_TRACE_TIMES]) {
    (void)context;
    if (heard.count == REPETITIONS_MOST) return;
    double calls = time[BSP_TRACE_COMPUTE] + time[BSP_TRACE_CALLS];
    if (heard.mover) calls -= heard.mover->reading_s;
    heard.calls[heard.count] = calls;
    heard.sync[heard.count] = time[BSP_TRACE_SYNC];
    heard.whole[heard.count++] = calls + time[BSP_TRACE_SYNC] + time[BSP_TRACE_WAIT];
}

void sup_lab_steps_listen(void) { bsp_trace_tap_set(hear, NULL); }

/* Without the looks at the clock that are in it. */
static double median_of(double *values, double looks_s) {
    sup_stats_sort(values, heard.count);
    return heard.count ? fmax(sup_stats_middle_sorted(values, heard.count) - looks_s, 1e-9) : 1e-9;
}

/* ---- batches, on every process ---- */

/* A core is not always as fast, and calls of some 10 ns are shorter than the looks at the clock around them: what these
 * take is found before each batch, in a superstep that does not count. */
static void time_looks(sup_lab_steps *x) {
    x->clock_s = INFINITY;
    for (int i = 0; i < LOOK_ROUNDS; i++) {
        int64_t from = sup_clock_ns(), now = from;
        for (int k = 0; k < LOOKS; k++) now = sup_clock_ns();
        x->clock_s = fmin(x->clock_s, sup_clock_seconds(from, now) / LOOKS);
    }
    bsp_trace_adjust(&bsp_rt);
}

static void run_batch(sup_lab_steps *x, const order *o, int number, report *r) {
    time_looks(x);
    sup_steps_run(&x->mover, o);
    heard.count = 0;
    if (o->what == SUP_STEPS_KEPT) sup_trace_on();
    for (int i = 0; i < o->repetitions; i++) sup_steps_run(&x->mover, o);
    sup_trace_off();
    r->calls[number] = median_of(heard.calls, x->clock_s);
    r->sync[number] = median_of(heard.sync, x->clock_s);
    r->whole[number] = median_of(heard.whole, 3.0 * x->clock_s);
}

static double without_look(const sup_lab_steps *x, double seconds) { return fmax(seconds - x->clock_s, 1e-9); }

/* One that is the first of something, then the same again. */
static void run_first(sup_lab_steps *x, const order *o, int number, report *r) {
    order now = *o;
    now.turn = (o->turn + number) % x->lab.size;
    time_looks(x);
    bsp_sync();
    sup_steps_before_first(&x->mover, &now);
    heard.count = 0;
    for (int i = 0; i <= AGAIN; i++) sup_steps_run_first(&x->mover, &now, i == 0);
    r->calls[number] = without_look(x, heard.calls[0]);
    r->sync[number] = without_look(x, heard.sync[0]);
    r->again_calls[number] = without_look(x, heard.calls[AGAIN]);
    r->again_sync[number] = without_look(x, heard.sync[AGAIN]);
}

/* What is ordered, from the order to the reports. */
static void take_part(sup_lab_steps *x) {
    const order o = *x->next;
    report mine;
    memset(&mine, 0, sizeof mine);
    if (!sup_steps_prepare(&x->mover, &o)) bsp_abort("out of memory\n");
    bsp_rt.eager = !o.bulk;
    bool first = o.what == SUP_STEPS_FIRST;
    for (int i = 0; i < o.warm && first; i++) sup_steps_run_first(&x->mover, &o, false);
    for (int i = 0; i < o.warm && !first; i++) sup_steps_run(&x->mover, &o);
    for (int b = 0; b < o.batches; b++) (first ? run_first : run_batch)(x, &o, b, &mine);
    bsp_rt.eager = true;
    bsp_put(0, &mine, x->report, (size_t)x->mover.me * sizeof mine, sizeof mine);
    bsp_sync();
}

static void tell(sup_lab_steps *x, const order *o) {
    for (int q = 0; q < x->lab.size; q++) bsp_put(q, o, x->next, 0, sizeof *o);
    bsp_sync();
}

void sup_lab_steps_serve(sup_lab *lab) {
    sup_lab_steps *x = (sup_lab_steps *)lab;
    for (;;) {
        bsp_sync();
        if (x->next->what == SUP_STEPS_OVER) return;
        take_part(x);
    }
}

/* ---- visits, on rank 0 ---- */

/* A batch as all processes saw it: the slowest of them. */
typedef struct seen {
    double calls, sync, whole, again_calls, again_sync;
} seen;

static void run_order(sup_lab_steps *x, const order *o, seen out[BATCHES]) {
    tell(x, o);
    take_part(x);
    for (int b = 0; b < o->batches; b++) {
        seen s = {0};
        for (int q = 0; q < x->lab.size; q++) {
            const report *r = &x->report[q];
            s.calls = fmax(s.calls, r->calls[b]);
            s.sync = fmax(s.sync, r->sync[b]);
            s.whole = fmax(s.whole, r->whole[b]);
            s.again_calls = fmax(s.again_calls, r->again_calls[b]);
            s.again_sync = fmax(s.again_sync, r->again_sync[b]);
        }
        out[b] = s;
    }
}

static uint64_t repetitions_for(double each) {
    if (each > LONG_S) return 1;
    return (uint64_t)fmin(REPETITIONS_MOST, fmax(REPETITIONS_LEAST, BATCH_S / fmax(each, 1e-9)));
}

/* Trials of other kinds come in between, so what a superstep needs is brought back into caches first: very short ones
 * take many turns for that. A visit has one batch: those of one visit see one moment of the machine, and hardly differ.
 */
static void set_lengths(order *o, uint64_t repetitions) {
    o->repetitions = (int32_t)repetitions;
    o->warm = repetitions > 1 ? WARM + (int32_t)repetitions / 2 : 1;
    o->batches = 1;
}

/* How long one takes: the least of some runs, the first of them short. Who has slept while rank 0 was thinking is awake
 * by the second. */
static double probe(sup_lab_steps *x, order o, int tries) {
    double least = INFINITY;
    uint64_t repetitions = 1;
    for (int i = 0; i < tries; i++) {
        seen s[BATCHES];
        set_lengths(&o, repetitions);
        run_order(x, &o, s);
        for (int b = 0; b < o.batches; b++) least = fmin(least, s[b].whole);
        repetitions = repetitions_for(least);
    }
    return least;
}

/* The usual engine is eager; where it has a thread of its own that stays, and has nothing to do. */
static bool is_bulk(const sup_trial *t) { return t->engine && !strcmp(t->engine, "bulk"); }

static order order_of(const sup_trial *t) {
    return (order){.what = SUP_STEPS_EXCHANGE,
                   .shape = t->shape,
                   .move = t->move,
                   .records = t->records > 0 ? t->records : 1,
                   .bulk = is_bulk(t),
                   .bytes = t->bytes};
}

static bool possible(const sup_lab_steps *x, const sup_trial *t) {
    order o = order_of(t);
    if (t->engine && !is_bulk(t)) return false;
    if (t->kind == SUP_TRIAL_FIRST) return t->bytes <= SUP_STEPS_FRESH && x->mover.swept && x->lab.size > 1;
    if (t->kind == SUP_TRIAL_OVERLAP) return t->bytes > 0 && t->bytes <= SUP_EXCHANGE_BYTES_MAX && x->lab.size > 1;
    if (t->kind != SUP_TRIAL_STEP || t->shape < 0 || t->shape >= SUP_EXCHANGE_SHAPES) return false;
    if (t->move < 0 || t->move >= SUP_MOVES || x->lab.size < 2) return false;
    return t->bytes <= sup_exchange_most_bytes(t->shape, o.records, x->lab.size);
}

static sup_status add(sup_lab_steps *x, sup_point *point, int value, double seconds) {
    x->lab.batches++;
    return sup_point_add(point, value, seconds);
}

/* What is known from earlier launches needs no probe. */
static double expected(sup_lab_steps *x, const sup_point *point, const order *o) {
    sup_timing calls, sync;
    if (!sup_point_known(point)) return probe(x, *o, TRIES);
    sup_store_say_times(x->lab.store, point, 0, &calls);
    sup_store_say_times(x->lab.store, point, 1, &sync);
    return calls.typical + sync.typical;
}

static sup_status visit_step(sup_lab_steps *x, sup_point *point) {
    order o = order_of(&point->trial);
    seen s[BATCHES];
    if (!point->repetitions) point->repetitions = repetitions_for(expected(x, point, &o));
    set_lengths(&o, point->repetitions);
    run_order(x, &o, s);
    sup_status status = SUP_OK;
    for (int b = 0; b < o.batches && !status; b++) {
        status = add(x, point, 0, s[b].calls);
        if (!status) status = add(x, point, 1, s[b].sync);
    }
    return status;
}

/* About as long as the transfer takes, by what is known of it; chosen once in a launch. */
static int64_t work_for(sup_lab_steps *x, const sup_point *point, order o) {
    for (int i = 0; i < x->works; i++)
        if (x->work[i].bytes == point->trial.bytes && x->work[i].bulk == o.bulk) return x->work[i].steps;
    sup_timing before = {0};
    if (sup_point_known(point)) sup_store_say_times(x->lab.store, point, 0, &before);
    o.what = SUP_STEPS_TRANSFER;
    double wanted = before.n > 0 ? before.seconds : probe(x, o, WORK_TRIES);
    int64_t steps = (int64_t)fmin(1e9, wanted / x->spin_s) + 1;
    if (x->works < WORKS_MAX) x->work[x->works++] = (known_work){point->trial.bytes, o.bulk, steps};
    return steps;
}

/* The three are timed one after the other, so that what changes on the machine meets them alike. */
static sup_status visit_overlap(sup_lab_steps *x, sup_point *point) {
    static const sup_steps_content parts[] = {SUP_STEPS_TRANSFER, SUP_STEPS_WORK, SUP_STEPS_BOTH};
    order o = order_of(&point->trial);
    seen s[BATCHES];
    sup_status status = SUP_OK;
    o.work = work_for(x, point, o);
    if (!point->repetitions) point->repetitions = repetitions_for((double)o.work * x->spin_s);
    set_lengths(&o, point->repetitions);
    for (int k = 0; k < 3 && !status; k++) {
        o.what = (int32_t)parts[k];
        run_order(x, &o, s);
        for (int b = 0; b < o.batches && !status; b++)
            status = add(x, point, k, parts[k] == SUP_STEPS_WORK ? s[b].calls : s[b].whole);
    }
    return status;
}

/* Who comes late is another one each time. Late ones take so long that there are fewer of them. */
static sup_status visit_first(sup_lab_steps *x, sup_point *point) {
    enum { LATE_US = 10000, WARM_FIRST = 2 };
    const sup_trial *t = &point->trial;
    order o = {.what = SUP_STEPS_FIRST, .bytes = t->bytes, .first = t->number, .late_us = t->stride};
    seen s[BATCHES];
    o.batches = t->stride > LATE_US ? BATCHES - 1 : BATCHES;
    o.warm = WARM_FIRST;
    o.turn = (int32_t)(point->visits * o.batches % x->lab.size);
    point->repetitions = 1;
    run_order(x, &o, s);
    sup_status status = SUP_OK;
    for (int b = 0; b < o.batches; b++) {
        const double seconds[SUP_FIRST_VALUES] = {[SUP_FIRST_CALLS] = s[b].calls,
                                                  [SUP_FIRST_SYNC] = s[b].sync,
                                                  [SUP_AGAIN_CALLS] = s[b].again_calls,
                                                  [SUP_AGAIN_SYNC] = s[b].again_sync};
        for (int v = 0; v < SUP_FIRST_VALUES && !status; v++) status = add(x, point, v, seconds[v]);
    }
    return status;
}

static sup_status visit_kind(sup_lab_steps *x, sup_point *point) {
    switch (point->trial.kind) {
    case SUP_TRIAL_STEP: return visit_step(x, point);
    case SUP_TRIAL_FIRST: return visit_first(x, point);
    default: return visit_overlap(x, point);
    }
}

static sup_status visit(sup_lab *lab, sup_point *point, sup_diag *diag) {
    sup_lab_steps *x = (sup_lab_steps *)lab;
    if (!possible(x, &point->trial)) {
        point->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    double from = sup_clock_now();
    sup_status status = visit_kind(x, point);
    double took = sup_clock_now() - from;
    point->visit_s = point->visit_s > 0.0 ? fmin(took, point->visit_s) : took;
    return status ? sup_diag_set(diag, status, NULL, 0, "%s", sup_status_text(status)) : SUP_OK;
}

void sup_lab_steps_keep(sup_lab *lab, const sup_trial *trial, double seconds) {
    enum { LEAST = 24, MOST = 1000 };
    sup_lab_steps *x = (sup_lab_steps *)lab;
    order o = order_of(trial);
    seen s[BATCHES];
    o.repetitions = (int32_t)fmin(MOST, fmax(LEAST, seconds / fmax(probe(x, o, TRIES), 1e-9)));
    o.warm = WARM + o.repetitions / 10;
    o.batches = 1;
    o.what = SUP_STEPS_KEPT;
    run_order(x, &o, s);
}

/* ---- opening and closing ---- */

static void *take(size_t bytes) {
    void *p = sup_heap_zalloc(bytes); /* where malloc of a program has it from */
    if (!p) p = calloc(1, bytes);
    if (!p) bsp_abort("out of memory\n");
    return p;
}

static void drop(void *p) {
    if (p && sup_heap_free(p) == SUP_ENOENT) free(p);
}

/* The least of many: what a core does when nobody is in the way. */
static double time_spin(sup_lab_steps *x) {
    double best = INFINITY;
    for (int i = 0; i < SPIN_ROUNDS; i++) {
        int64_t from = sup_clock_ns();
        sup_steps_spin(&x->mover, SPIN_STEPS);
        best = fmin(best, sup_clock_seconds(from, sup_clock_ns()));
    }
    return fmax(best / SPIN_STEPS, 1e-12);
}

sup_lab *sup_lab_steps_open(const char *transport, sup_store *store) {
    sup_lab_steps *x = calloc(1, sizeof *x);
    if (!x) bsp_abort("out of memory\n");
    sup_steps_mover *m = &x->mover;
    *m = (sup_steps_mover){.me = bsp_pid(), .size = bsp_nprocs()};
    bool crowded = bsp_rt.launch.oversubscribed || bsp_rt.net->oversubscribed;
    x->lab =
        (sup_lab){.size = m->size, .transport = transport, .oversubscribed = crowded, .store = store, .visit = visit};
    m->out = take(SUP_EXCHANGE_BYTES_MAX);
    m->in = take(SUP_EXCHANGE_BYTES_MAX);
    m->fresh = take(SUP_STEPS_FRESH);
    m->swept = take(SUP_STEPS_SWEPT);
    x->next = take(sizeof *x->next);
    size_t reports = (size_t)m->size * sizeof *x->report;
    x->report = take(reports);
    memset(m->out, m->me + 1, SUP_EXCHANGE_BYTES_MAX); /* pages of its own */
    memset(m->in, 0, SUP_EXCHANGE_BYTES_MAX);
    memset(m->swept, 0, SUP_STEPS_SWEPT);
    sup_trace_off();
    bsp_push_reg(m->in, SUP_EXCHANGE_BYTES_MAX);
    bsp_push_reg(m->out, SUP_EXCHANGE_BYTES_MAX);
    bsp_push_reg(m->fresh, SUP_STEPS_FRESH);
    bsp_push_reg(x->next, sizeof *x->next);
    bsp_push_reg(x->report, reports);
    bsp_sync();
    heard.mover = m;
    time_looks(x);
    x->spin_s = m->me == 0 ? time_spin(x) : 1e-9;
    return &x->lab;
}

void sup_lab_steps_over(sup_lab *lab) { tell((sup_lab_steps *)lab, &(order){.what = SUP_STEPS_OVER}); }

void sup_lab_steps_close(sup_lab *lab) {
    sup_lab_steps *x = (sup_lab_steps *)lab;
    void *registered[] = {x->report, x->next, x->mover.fresh, x->mover.out, x->mover.in};
    enum { REGISTERED = sizeof registered / sizeof *registered };
    for (int i = 0; i < REGISTERED; i++) bsp_pop_reg(registered[i]);
    bsp_sync();
    heard.mover = NULL;
    for (int i = 0; i < REGISTERED; i++) drop(registered[i]);
    drop(x->mover.swept);
    free(x->mover.message);
    free(x);
}
