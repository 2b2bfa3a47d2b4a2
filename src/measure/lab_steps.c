/* Supersteps of the runtime, timed (lab_steps.h). Rank 0 says what comes next by a put to everybody; after a batch each
 * process puts what it has seen to rank 0. Neither is in what is timed.
 *
 *     order │ warm-up … │ one that does not count, n that do │ … the next batch … │ reports │
 *
 * The runtime's recorder splits a superstep into what comes before everybody is there, and the sync itself; the slowest
 * process counts in both. A process that waits in a sync may sleep, so that a batch counts unless the kernel says that
 * somebody else was given a core of ours. Where processes share cores, or wait for another host and give their cores to
 * those who move their data, that says nothing, and every batch counts. */
#include "measure/lab_steps.h"

#include "base/clock.h"
#include "bsp/heap.h"
#include "bsp/trace.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_S 100e-6 /* a batch lasts about so long … */
#define LONG_S 2e-3    /* … and a superstep that takes longer is timed by itself */
enum { REPETITIONS_LEAST = 2, REPETITIONS_MOST = 64, WARM = 3, BATCHES = 2, TRIES = 2, WORK_TRIES = 6 };
enum { WORKS_MAX = 16, SPIN_STEPS = 20000, SPIN_ROUNDS = 25 };

/* What a batch has in it: a superstep as its trial says, which a trace may keep; of an overlap one of three kinds. */
typedef enum content { STEPS, KEPT, TRANSFER, WORK, BOTH, OVER } content;

typedef struct order {
    int32_t what, partners, records, stride;
    uint64_t bytes;
    int32_t warm, repetitions, batches;
    int64_t work; /* steps of computation in a superstep */
} order;

typedef struct report {
    double calls[BATCHES], sync[BATCHES]; /* seconds a superstep */
    double whole[BATCHES];                /* with waiting for the slowest */
    bool disturbed[BATCHES];
} report;

/* As much computation as a transfer takes: chosen once in a launch. */
typedef struct known_work {
    size_t bytes;
    int64_t steps;
} known_work;

typedef struct sup_lab_steps {
    sup_lab lab;
    const char *engine;
    bool watch; /* ask the kernel whether a batch was disturbed */
    int me, size;
    char *out, *in;
    order *next;    /* registered: what rank 0 wants */
    report *report; /* registered: of everybody, at rank 0 */
    int to[SUP_STEPS_PARTNERS_MAX];
    double clock_s, spin_s; /* a look at the clock; a step of computation */
    uint64_t spun;
    known_work work[WORKS_MAX];
    int works;
} sup_lab_steps;

/* ---- what the recorder says ---- */

static double heard[BSP_TRACE_TIMES];

static void hear(void *context, const double time[BSP_TRACE_TIMES]) {
    (void)context;
    for (int i = 0; i < BSP_TRACE_TIMES; i++) heard[i] += time[i];
}

void sup_lab_steps_listen(void) { bsp_trace_tap_set(hear, NULL); }

/* ---- one superstep ---- */

/* Neighbours on a ring of every stride-th process, one on each side in turn; then whoever is left. */
static void choose_partners(sup_lab_steps *x, int partners, int stride) {
    int count = 0;
    for (int pass = 0; pass < 2; pass++, stride = 1)
        for (int k = 2; k < 2 * x->size && count < partners; k++) {
            int shift = (int)((int64_t)(k / 2) * stride % x->size);
            int peer = (x->me + (k % 2 ? x->size - shift : shift)) % x->size;
            bool known = peer == x->me;
            for (int i = 0; i < count && !known; i++) known = x->to[i] == peer;
            if (!known) x->to[count++] = peer;
        }
}

/* An amount and not a time: each step waits for the last. */
static void spin(sup_lab_steps *x, int64_t steps) {
    uint64_t s = x->spun;
    for (int64_t i = 0; i < steps; i++) {
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(s));
    }
    x->spun = s;
}

static void superstep(sup_lab_steps *x, const order *o, content what) {
    size_t bytes = (size_t)o->bytes, at = 0;
    if (what == STEPS || what == KEPT)
        for (int r = 0; r < o->records; r++)
            for (int i = 0; i < o->partners; i++, at += bytes) bsp_put(x->to[i], x->out + at, x->in, at, bytes);
    if (what == TRANSFER || what == BOTH) bsp_hpput((x->me + 1) % x->size, x->out, x->in, 0, bytes);
    if (what == WORK || what == BOTH) spin(x, o->work);
    bsp_sync();
}

/* ---- batches, on every process ---- */

static void run_batch(sup_lab_steps *x, const order *o, int number, report *r) {
    sup_usage_mark mark;
    sup_usage usage;
    if (x->watch) sup_usage_begin(&mark);
    superstep(x, o, (content)o->what);
    memset(heard, 0, sizeof heard);
    if (o->what == KEPT) sup_trace_on();
    for (int i = 0; i < o->repetitions; i++) superstep(x, o, (content)o->what);
    sup_trace_off();
    if (x->watch) sup_usage_end(&mark, &usage);
    double n = o->repetitions, clock_s = x->clock_s;
    r->calls[number] = fmax((heard[BSP_TRACE_COMPUTE] + heard[BSP_TRACE_CALLS]) / n - clock_s, 1e-9);
    r->sync[number] = fmax(heard[BSP_TRACE_SYNC] / n - clock_s, 1e-9);
    r->whole[number] = r->calls[number] + r->sync[number] + fmax(heard[BSP_TRACE_WAIT] / n - clock_s, 0.0);
    r->disturbed[number] = x->watch && sup_usage_disturbed(&usage, false);
}

/* What is ordered, from the order to the reports. */
static void take_part(sup_lab_steps *x) {
    const order o = *x->next;
    report mine;
    memset(&mine, 0, sizeof mine);
    choose_partners(x, o.partners, o.stride);
    for (int i = 0; i < o.warm; i++) superstep(x, &o, (content)o.what);
    for (int b = 0; b < o.batches; b++) run_batch(x, &o, b, &mine);
    bsp_put(0, &mine, x->report, (size_t)x->me * sizeof mine, sizeof mine);
    bsp_sync();
}

static void tell(sup_lab_steps *x, const order *o) {
    for (int q = 0; q < x->size; q++) bsp_put(q, o, x->next, 0, sizeof *o);
    bsp_sync();
}

void sup_lab_steps_serve(sup_lab *lab) {
    sup_lab_steps *x = (sup_lab_steps *)lab;
    for (;;) {
        bsp_sync();
        if (x->next->what == OVER) return;
        take_part(x);
    }
}

/* ---- visits, on rank 0 ---- */

/* A batch as all processes saw it: the slowest of them. */
typedef struct seen {
    double calls, sync, whole;
    bool disturbed;
} seen;

static void run_order(sup_lab_steps *x, const order *o, seen out[BATCHES]) {
    tell(x, o);
    take_part(x);
    for (int b = 0; b < o->batches; b++) {
        seen s = {0};
        for (int q = 0; q < x->size; q++) {
            const report *r = &x->report[q];
            s.calls = fmax(s.calls, r->calls[b]);
            s.sync = fmax(s.sync, r->sync[b]);
            s.whole = fmax(s.whole, r->whole[b]);
            s.disturbed |= r->disturbed[b];
        }
        out[b] = s;
    }
}

static uint64_t repetitions_for(double each) {
    if (each > LONG_S) return 1;
    return (uint64_t)fmin(REPETITIONS_MOST, fmax(REPETITIONS_LEAST, BATCH_S / fmax(each, 1e-9)));
}

static void set_lengths(order *o, uint64_t repetitions) {
    o->repetitions = (int32_t)repetitions;
    o->warm = repetitions > 1 ? WARM + (int32_t)repetitions / 4 : 1;
    o->batches = repetitions > 1 ? BATCHES : 1;
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

static order order_of(const sup_trial *t) {
    return (order){.what = STEPS,
                   .partners = t->number,
                   .records = t->records > 0 ? t->records : 1,
                   .stride = t->stride > 0 ? t->stride : 1,
                   .bytes = t->bytes};
}

static bool possible(const sup_lab_steps *x, const sup_trial *t) {
    order o = order_of(t);
    if (t->kind == SUP_TRIAL_OVERLAP) return t->bytes > 0 && t->bytes <= SUP_STEPS_BYTES_MAX && x->size > 1;
    if (t->kind != SUP_TRIAL_STEP || t->number < 0 || t->number > SUP_STEPS_PARTNERS_MAX) return false;
    size_t blocks = (size_t)t->number * (size_t)o.records;
    return t->number < x->size && (!blocks || t->bytes <= SUP_STEPS_BYTES_MAX / blocks);
}

static sup_status add(sup_lab_steps *x, sup_point *point, int value, double seconds, bool disturbed) {
    x->lab.batches++;
    x->lab.dropped += disturbed;
    return sup_point_add(point, value, disturbed ? -seconds : seconds);
}

static sup_status visit_step(sup_lab_steps *x, sup_point *point) {
    order o = order_of(&point->trial);
    seen s[BATCHES];
    if (!point->repetitions) point->repetitions = repetitions_for(probe(x, o, TRIES));
    set_lengths(&o, point->repetitions);
    run_order(x, &o, s);
    sup_status status = SUP_OK;
    for (int b = 0; b < o.batches && !status; b++) {
        status = add(x, point, 0, s[b].calls, s[b].disturbed);
        if (!status) status = add(x, point, 1, s[b].sync, s[b].disturbed);
    }
    return status;
}

/* About as long as the transfer takes, by what is known of it; chosen once in a launch. */
static int64_t work_for(sup_lab_steps *x, const sup_point *point, order o) {
    for (int i = 0; i < x->works; i++)
        if (x->work[i].bytes == point->trial.bytes) return x->work[i].steps;
    sup_timing before = {0};
    if (sup_point_known(point)) sup_store_say(x->lab.store, point, 0, &before);
    o.what = TRANSFER;
    double wanted = before.n > 0 ? before.seconds : probe(x, o, WORK_TRIES);
    int64_t steps = (int64_t)fmin(1e9, wanted / x->spin_s) + 1;
    if (x->works < WORKS_MAX) x->work[x->works++] = (known_work){point->trial.bytes, steps};
    return steps;
}

/* The three are timed one after the other, so that what changes on the machine meets them alike. */
static sup_status visit_overlap(sup_lab_steps *x, sup_point *point) {
    static const content parts[] = {TRANSFER, WORK, BOTH};
    order o = order_of(&point->trial);
    seen s[BATCHES];
    sup_status status = SUP_OK;
    o.partners = 0;
    o.work = work_for(x, point, o);
    if (!point->repetitions) point->repetitions = repetitions_for((double)o.work * x->spin_s);
    set_lengths(&o, point->repetitions);
    for (int k = 0; k < 3 && !status; k++) {
        o.what = (int32_t)parts[k];
        run_order(x, &o, s);
        for (int b = 0; b < o.batches && !status; b++)
            status = add(x, point, k, parts[k] == WORK ? s[b].calls : s[b].whole, s[b].disturbed);
    }
    return status;
}

/* A point of another launch's engine is left as it is. */
static bool is_ours(const sup_lab_steps *x, const sup_trial *t) {
    if (!t->engine || !x->engine) return t->engine == x->engine;
    return !strcmp(t->engine, x->engine);
}

static sup_status visit(sup_lab *lab, sup_point *point, sup_diag *diag) {
    sup_lab_steps *x = (sup_lab_steps *)lab;
    if (!is_ours(x, &point->trial)) return SUP_OK;
    if (!possible(x, &point->trial)) {
        point->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    double from = sup_clock_now();
    sup_status status = point->trial.kind == SUP_TRIAL_STEP ? visit_step(x, point) : visit_overlap(x, point);
    point->visit_s = sup_clock_now() - from;
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
    o.what = KEPT;
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
        spin(x, SPIN_STEPS);
        best = fmin(best, sup_clock_seconds(from, sup_clock_ns()));
    }
    return fmax(best / SPIN_STEPS, 1e-12);
}

static bool on_one_host(int size) {
    for (int q = 1; q < size; q++)
        if (strcmp(sup_net_host(bsp_rt.net, 0), sup_net_host(bsp_rt.net, q)) != 0) return false;
    return true;
}

sup_lab *sup_lab_steps_open(const char *transport, const char *engine, sup_store *store) {
    sup_lab_steps *x = calloc(1, sizeof *x);
    if (!x) bsp_abort("out of memory\n");
    x->me = bsp_pid();
    x->size = bsp_nprocs();
    x->engine = engine;
    bool crowded = bsp_rt.launch.oversubscribed || bsp_rt.net->oversubscribed;
    x->watch = !crowded && on_one_host(x->size);
    x->lab =
        (sup_lab){.size = x->size, .transport = transport, .oversubscribed = crowded, .store = store, .visit = visit};
    x->out = take(SUP_STEPS_BYTES_MAX);
    x->in = take(SUP_STEPS_BYTES_MAX);
    x->next = take(sizeof *x->next);
    size_t reports = (size_t)x->size * sizeof *x->report;
    x->report = take(reports);
    memset(x->out, x->me + 1, SUP_STEPS_BYTES_MAX); /* pages of its own */
    memset(x->in, 0, SUP_STEPS_BYTES_MAX);
    sup_trace_off();
    bsp_push_reg(x->in, SUP_STEPS_BYTES_MAX);
    bsp_push_reg(x->next, sizeof *x->next);
    bsp_push_reg(x->report, reports);
    bsp_sync();
    x->clock_s = sup_clock_system()->overhead_s;
    x->spin_s = x->me == 0 ? time_spin(x) : 1e-9;
    return &x->lab;
}

void sup_lab_steps_close(sup_lab *lab) {
    sup_lab_steps *x = (sup_lab_steps *)lab;
    if (x->me == 0) tell(x, &(order){.what = OVER});
    bsp_pop_reg(x->report);
    bsp_pop_reg(x->next);
    bsp_pop_reg(x->in);
    bsp_sync();
    drop(x->report);
    drop(x->next);
    drop(x->in);
    drop(x->out);
    free(x);
}
