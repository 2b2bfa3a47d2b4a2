/* Parts that happen at the same time, from event to event (taulop/events.h): which part of an expression follows when
 * one is done. Tcomm, model stage. */
#include "model/taulop/events.h"

#include "model/taulop/arena.h"
#include "model/taulop/flows.h"

#include <math.h>

#define MORE_MAX 3e6  /* leaves that repetitions add while something else is under way */
#define SINGLE 1024.0 /* of one transmission again and again; more turns of it are one flow */

/* A part that has begun and is not done. */
typedef struct task {
    const sup_expr *e;
    double count;      /* so many at the same time */
    double left;       /* parts (sequence, together) or turns that are not done */
    double times;      /* of a leaf, one after the other */
    bool begun, waits; /* a transmission: has it begun, and is it still at its overhead? */
    struct task *of;
} task;

typedef struct run {
    const sup_taulop_costs *costs;
    sup_events_price price;
    sup_flows *flows;
    sup_arena arena;
    task *unused;
    double left; /* leaves that may still begin */
    bool done;
} run;

double sup_events_alone(const sup_taulop_costs *costs, const sup_expr *e, double count) {
    if (e->kind == SUP_EXPR_WAIT) return e->seconds;
    double overhead =
        e->kind == SUP_EXPR_SEND ? sup_taulop_overhead(sup_taulop_channel_of(costs, e->channel), e->bytes) : 0;
    return overhead + sup_flows_duration(costs, e->kind, e->channel, e->bytes, e->tau * count);
}

static task *new_task(run *r, const sup_expr *e, double count, task *of) {
    task *t = r->unused;
    if (t)
        r->unused = t->of;
    else
        t = sup_arena_take(&r->arena, sizeof *t);
    if (t) *t = (task){.e = e, .count = count, .left = (double)e->count, .times = 1, .of = of};
    return t;
}

static bool is_leaf(const sup_expr *e) { return e->kind <= SUP_EXPR_WAIT; }

static bool same_leaf(const sup_expr *a, const sup_expr *b) {
    return is_leaf(a) && a->kind == b->kind && a->channel == b->channel && a->bytes == b->bytes &&
           a->seconds == b->seconds;
}

static sup_status start_leaf(run *r, task *t) {
    const sup_expr *e = t->e;
    if (r->left-- <= 0) return SUP_EINVAL;
    if (e->kind == SUP_EXPR_WAIT) return sup_flows_wait(r->flows, t->times * e->seconds, t);
    if (e->kind == SUP_EXPR_SEND && !t->begun) {
        double o = sup_taulop_overhead(sup_taulop_channel_of(r->costs, e->channel), e->bytes);
        t->begun = true;
        t->waits = o > 0;
        if (t->waits) return sup_flows_wait(r->flows, t->times * o, t);
    }
    return sup_flows_start(r->flows, e->kind, e->channel, e->bytes, t->count, t->times, t);
}

static sup_status start(run *r, const sup_expr *e, double count, task *of);

/* Equal transmissions beside one another are one task, of so many. */
static sup_status start_together(run *r, task *t) {
    const sup_expr *e = t->e;
    double outer = t->count;
    sup_status status = SUP_OK;
    for (size_t i = 0, next; i < e->count && !status; i = next) {
        double tau = e->parts[i]->tau;
        for (next = i + 1; next < e->count && same_leaf(e->parts[i], e->parts[next]); next++)
            tau += e->parts[next]->tau;
        t->left -= (double)(next - i - 1);
        status = start(r, e->parts[i], next - i > 1 ? outer * tau / e->parts[i]->tau : outer, t);
    }
    return status;
}

static bool is_finished(const task *t) { return !is_leaf(t->e) && t->left <= 0; }

/* Begins a part. As deep as expressions are, which is limited. */
static sup_status start(run *r, const sup_expr *e, double count, task *of) {
    for (; e->kind == SUP_EXPR_MANY; e = e->parts[0]) count *= e->times;
    task *t = new_task(r, e, count, of);
    if (!t) return SUP_ENOMEM;
    switch (e->kind) {
    case SUP_EXPR_SEQUENCE:
        if (!e->count) return sup_flows_wait(r->flows, 0, t);
        return start(r, e->parts[0], count, t);
    case SUP_EXPR_TOGETHER: return start_together(r, t);
    case SUP_EXPR_TIMES:
        t->left = e->times;
        if (is_leaf(e->parts[0]) && e->times > SINGLE) {
            t->left = 1;
            task *leaf = new_task(r, e->parts[0], count * e->parts[0]->tau, t);
            if (!leaf) return SUP_ENOMEM;
            leaf->times = e->times;
            return start_leaf(r, leaf);
        }
        return start(r, e->parts[0], count, t);
    default: t->count *= e->tau; return start_leaf(r, t);
    }
}

/* The next turn, or all that are left where nothing else is under way. */
static sup_status next_turn(run *r, task *t, bool alone, bool *finished) {
    double seconds;
    *finished = false;
    if (!alone || sup_flows_under_way(r->flows)) return start(r, t->e->parts[0], t->count, t);
    sup_status status = r->price(r->costs, t->e->parts[0], t->count, &seconds);
    if (status) return status;
    sup_flows_pass(r->flows, t->left * seconds);
    t->left = 0;
    *finished = true;
    return SUP_OK;
}

/* A task is done: what follows it begins. alone: nothing else ended at this moment. */
static sup_status finish(run *r, task *t, bool alone) {
    for (bool finished = true; finished;) {
        task *of = t->of;
        t->of = r->unused;
        r->unused = t;
        if (!of) {
            r->done = true;
            return SUP_OK;
        }
        t = of;
        t->left--;
        if (is_finished(t)) continue;
        if (t->e->kind == SUP_EXPR_SEQUENCE) return start(r, t->e->parts[t->e->count - (size_t)t->left], t->count, t);
        if (t->e->kind == SUP_EXPR_TOGETHER) return SUP_OK;
        sup_status status = next_turn(r, t, alone, &finished);
        if (status) return status;
    }
    return SUP_OK;
}

/* All that ended at one moment: transmissions behind their overhead go on, others make way for what follows. */
static sup_status follow(run *r, void **done, size_t count) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status; i++) {
        task *t = done[i];
        bool goes_on = t->waits;
        t->waits = false;
        status = goes_on ? start_leaf(r, t) : finish(r, t, count == 1);
    }
    return status;
}

static double leaves(const sup_expr *e) {
    double sum = is_leaf(e);
    for (size_t i = 0; i < e->count; i++) sum += leaves(e->parts[i]);
    return sum;
}

sup_status sup_events_run(const sup_taulop_costs *costs, const sup_expr *e, double count, sup_events_price price,
                          double *seconds) {
    run r = {.costs = costs, .price = price, .flows = sup_flows_new(costs), .left = 2 * (leaves(e) + MORE_MAX)};
    sup_status status = r.flows ? start(&r, e, count, NULL) : SUP_ENOMEM;
    while (!status && !r.done) {
        void **done;
        size_t ended;
        status = sup_flows_next(r.flows, &done, &ended);
        if (!status && !isfinite(sup_flows_now(r.flows))) break;
        if (!status) status = follow(&r, done, ended);
    }
    if (!status) *seconds = sup_flows_now(r.flows);
    sup_flows_free(r.flows);
    sup_arena_free(&r.arena);
    return status;
}
