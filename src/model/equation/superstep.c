/* The equation (BSP 1.4), and the only place where it is:
 *
 *     T = (Tcomp − T'comp) + (Tcomm − T'comm) + max(T'comp, T'comm) + Tsync
 *
 * for each process; the maximum over processes is the superstep's time. In a model of two phases the barrier lies
 * between calls and deliveries, and the maximum of each phase counts; a process is busy while it calls, so what overlap
 * hides is missing from what comes after the barrier. Terms arrive as vectors and do not collapse
 * before this. A program is the sum of its supersteps. */
#include "model/equation/model.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *const sup_bound_names[] = {"computation", "bandwidth", "latency", "synchronisation", NULL};

/* ---- memory ---- */

enum { PAGE = 2 << 20, LARGE = 16 << 20 };
enum { TERMS = 12, SCRATCH = 3, VECTORS = TERMS + SCRATCH };
static_assert(sizeof(sup_tally) >= SCRATCH * sizeof(double), "tallies lie over the scratch");

/* Of a million processes: large pages are had in a quarter of the time. */
static void *take_memory(size_t bytes) {
    void *all = NULL;
    if (bytes < LARGE) return malloc(bytes);
    if (posix_memalign(&all, PAGE, bytes)) return NULL;
    (void)madvise(all, bytes, MADV_HUGEPAGE);
    return all;
}

sup_status sup_terms_open(int64_t processes, sup_diag *diag, sup_terms *out) {
    size_t n = (size_t)processes, each = TERMS * sizeof(double) + sizeof(sup_tally);
    double *all = n <= SIZE_MAX / each ? take_memory(n * each) : NULL;
    if (!all)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the terms of %" PRId64 " processes", processes);
    *out = (sup_terms){.processes = processes, .memory = all};
    double **vectors[VECTORS] = {&out->comp,       &out->comp_over,  &out->latency,      &out->bytes,
                                 &out->comm_over,  &out->sync,       &out->late_latency, &out->late_bytes,
                                 &out->d_comp,     &out->d_comm,     &out->d_sync,       &out->d_late,
                                 &out->scratch[0], &out->scratch[1], &out->scratch[2]};
    for (size_t v = 0; v < VECTORS; v++) *vectors[v] = all + v * n;
    out->tally = (sup_tally *)(void *)out->scratch[0];
    return SUP_OK;
}

void sup_terms_clear(sup_terms *t) { memset(t->memory, 0, VECTORS * (size_t)t->processes * sizeof *t->memory); }

/* Communication alone: the next round of a step computes, and synchronises, as the one before. */
static void clear_communication(sup_terms *t) {
    double *const vectors[] = {t->latency,    t->bytes,  t->comm_over, t->late_latency,
                               t->late_bytes, t->d_comm, t->d_late};
    size_t bytes = (size_t)t->processes * sizeof(double);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) memset(vectors[v], 0, bytes);
    for (int k = 0; k < SCRATCH; k++) memset(t->scratch[k], 0, bytes);
}

void sup_terms_close(sup_terms *terms) {
    free(terms->memory);
    *terms = (sup_terms){0};
}

/* ---- the equation ---- */

typedef struct process_time {
    double total, half, hidden;
} process_time;

/* As fmin, fmax and hypot are, where nothing is NaN or huge; a million processes ask for them. */
static inline double less(double a, double b) { return a < b ? a : b; }
static inline double more(double a, double b) { return a > b ? a : b; }
static inline double both(double a, double b) { return sqrt(a * a + b * b); }

static double late_of(const sup_terms *t, int64_t p) { return t->late_latency[p] + t->late_bytes[p]; }

/* What comes before the barrier. What goes on behind it is what computation hides, where there is such a part: a call
 * keeps its process busy. */
static process_time before(const sup_terms *t, int64_t p) {
    double comp = t->comp[p], comm = t->latency[p] + t->bytes[p];
    double comp_over = less(t->comp_over[p], comp), comm_over = late_of(t, p) > 0 ? 0 : less(t->comm_over[p], comm);
    process_time r;
    r.total = (comp - comp_over) + (comm - comm_over) + more(comp_over, comm_over);
    r.hidden = less(comp_over, comm_over);
    r.half = both(t->d_comp[p], t->d_comm[p]);
    return r;
}

/* The barrier, and what comes behind it: what has not gone on beside computation. */
static process_time behind(const sup_terms *t, int64_t p) {
    double late = late_of(t, p), hidden = less(less(t->comp_over[p], t->comp[p]), less(t->comm_over[p], late));
    return (process_time){t->sync[p] + late - hidden, both(t->d_sync[p], t->d_late[p]), hidden};
}

static sup_prediction around(double value, double half) {
    return (sup_prediction){value, sup_prediction_least(value, half), value + half};
}

static double left_of(double all, double hidden) { return all > 0 ? (all - hidden) / all : 1; }

/* What is hidden is taken from the smaller of the two that overlap: the other one is what the time consists of. `first`
 * decides before the barrier, `second` behind it. Returns what is hidden. */
static double take_apart(const sup_terms *t, int64_t first, int64_t second, double part[4]) {
    double comm = t->latency[first] + t->bytes[first], share = 1;
    double hidden = before(t, first).hidden, late_hidden = behind(t, second).hidden;
    double left = left_of(late_of(t, second), late_hidden);
    part[SUP_BOUND_COMPUTATION] = t->comp[first];
    if (fmin(t->comp_over[first], t->comp[first]) <= fmin(t->comm_over[first], comm))
        part[SUP_BOUND_COMPUTATION] -= hidden;
    else
        share = left_of(comm, hidden);
    part[SUP_BOUND_BANDWIDTH] = share * t->bytes[first] + left * t->late_bytes[second];
    part[SUP_BOUND_LATENCY] = share * t->latency[first] + left * t->late_latency[second];
    part[SUP_BOUND_SYNC] = t->sync[second];
    return hidden + late_hidden;
}

static void rank_parts(const double part[4], int *bound, int *second) {
    *bound = 0;
    for (int k = 1; k < 4; k++)
        if (part[k] > part[*bound]) *bound = k;
    *second = *bound == 0;
    for (int k = 0; k < 4; k++)
        if (k != *bound && part[k] > part[*second]) *second = k;
}

/* The greatest of some times, whose it is, and how high and low it may be. */
typedef struct greatest {
    double value, high, low;
    int64_t rank;
} greatest;

static void take(greatest *g, const process_time *x, int64_t rank) {
    if (x->total > g->value) {
        g->value = x->total;
        g->rank = rank;
    }
    g->high = more(g->high, x->total + x->half);
    g->low = more(g->low, sup_prediction_least(x->total, x->half));
}

/* Factors of two times that are added weigh as those do, and neither is negative. */
static double least_of_both(const greatest *a, const greatest *b) {
    double sum = a->value + b->value, first = 0, second = 0;
    if (a->low > 0) first = a->value * log(a->value / a->low);
    if (b->low > 0) second = b->value * log(b->value / b->low);
    return sum > 0 ? more(sum * exp(-hypot(first, second) / sum), more(a->low, b->low)) : 0;
}

/* Returns who decides behind the barrier. */
static int64_t reduce(const sup_terms *t, bool phased, sup_superstep_cost *out) {
    double sum = 0, most = 0;
    greatest first = {.value = -1}, second = {.value = -1};
    for (int64_t p = 0; p < t->processes; p++) {
        process_time x = before(t, p), y = behind(t, p);
        if (!phased) {
            x = (process_time){x.total + y.total, both(x.half, y.half), x.hidden + y.hidden};
            y = (process_time){0};
        }
        take(&first, &x, p);
        take(&second, &y, p);
        sum += t->comp[p];
        most = more(most, t->comp[p]);
    }
    int64_t a = first.rank, b = phased ? second.rank : a;
    double high = hypot(first.high - first.value, second.high - second.value);
    *out = (sup_superstep_cost){.critical = a};
    out->total.value = first.value + second.value;
    out->total.high = out->total.value + high;
    out->total.low = least_of_both(&first, &second);
    out->comp = around(t->comp[a], t->d_comp[a]);
    out->comm =
        around(t->latency[a] + t->bytes[a] + t->late_latency[b] + t->late_bytes[b], hypot(t->d_comm[a], t->d_late[b]));
    out->sync = around(t->sync[b], t->d_sync[b]);
    out->calls_s = phased ? t->latency[a] + t->bytes[a] : NAN;
    out->imbalance = sum > 0 ? most * (double)t->processes / sum : 1;
    out->hidden_s = take_apart(t, a, b, out->part_s);
    rank_parts(out->part_s, &out->bound, &out->second);
    /* no less than any of its parts */
    out->total.low = fmax(out->total.low, fmax(out->comp.low, out->sync.low));
    out->tie = out->part_s[out->bound] - out->part_s[out->second] < high;
    return b;
}

static sup_status cost_one(const sup_model *model, const sup_platform *m, const sup_step *step, int64_t round,
                           sup_terms *t, sup_diag *diag, sup_superstep_cost *out) {
    bool again = round > 0 && !m->twin && !m->typical; /* nobody else has used the vectors since */
    if (again)
        clear_communication(t);
    else
        sup_terms_clear(t);
    sup_status st = again ? SUP_OK : model->comp(m, step, t, diag);
    if (st) return st;
    st = sup_regular_open(m, step, round, diag, m->alike);
    if (st) return st;
    model->comm(m, step, round, t);
    if (*m->alike) sup_regular_spread(*m->alike, t);
    sup_regular_close(*m->alike);
    *m->alike = NULL;
    st = again ? SUP_OK : model->sync(m, step, t, diag);
    if (!st && model->first) model->first(m, step, t);
    if (st) return st;
    int64_t behind_it = reduce(t, model->phased, out);
    if (model->first) sup_first_parts(m, step, t, out->critical, behind_it, out->first_s);
    return SUP_OK;
}

/* Calm, and as a run usually sees it. */
static sup_status cost_round(const sup_model *model, const sup_platform *m, const sup_step *step, int64_t round,
                             sup_terms *t, sup_diag *diag, sup_superstep_cost *out) {
    sup_superstep_cost usual;
    sup_status st = model->check ? model->check(m, step, diag) : sup_platform_need_pairs(m, model->name, diag);
    if (!st) st = cost_one(model, m, step, round, t, diag, out);
    if (st) return st;
    out->typical = out->total;
    if (!m->twin) return SUP_OK;
    st = cost_one(model, m->twin, step, round, t, diag, &usual);
    if (st) return st;
    sup_prediction p = usual.total;
    if (p.value < out->total.value) p.value = out->total.value; /* nothing is quicker than calm */
    out->typical = (sup_prediction){p.value, fmin(p.low, p.value), fmax(p.high, p.value)};
    return SUP_OK;
}

/* ---- programs ---- */

static void add(sup_prediction *sum, sup_prediction x, double weight) {
    sum->value += weight * x.value;
    sum->low += weight * x.low;
    sum->high += weight * x.high;
}

/* The first of its supersteps, in which more is new. */
static sup_status cost_first(const sup_model *model, const sup_platform *m, const sup_step *step, sup_terms *t,
                             sup_diag *diag, sup_step_cost *out) {
    if (!step->has_first || !model->first || !(out->repeat > 1)) return SUP_OK;
    sup_step one = *step;
    one.usual = step->first;
    sup_status st = cost_round(model, m, &one, 0, t, diag, &out->first);
    out->has_first = !st && out->first.total.value > out->cost.total.value;
    return st;
}

/* Rounds of a step, weighted by how often each is run. */
static sup_status cost_step(const sup_model *model, const sup_platform *m, const sup_step *step, sup_terms *t,
                            sup_diag *diag, sup_step_cost *out) {
    int64_t rounds = sup_step_rounds(step, m->processes);
    *out = (sup_step_cost){.step = step};
    double most = -1;
    for (int64_t r = 0; r < rounds; r++) out->repeat += sup_step_round_repeat(step, m->processes, r);
    for (int64_t r = 0; r < rounds; r++) {
        sup_superstep_cost c;
        double w = sup_step_round_repeat(step, m->processes, r) / out->repeat;
        sup_status st = cost_round(model, m, step, r, t, diag, &c);
        if (st) return st;
        add(&out->cost.total, c.total, w);
        add(&out->cost.typical, c.typical, w);
        add(&out->cost.comp, c.comp, w);
        add(&out->cost.comm, c.comm, w);
        add(&out->cost.sync, c.sync, w);
        out->cost.hidden_s += w * c.hidden_s;
        out->cost.calls_s += w * c.calls_s;
        out->cost.imbalance += w * c.imbalance;
        for (int k = 0; k < 4; k++) out->cost.part_s[k] += w * c.part_s[k];
        for (int k = 0; k < SUP_FIRST_PARTS; k++) out->cost.first_s[k] += w * c.first_s[k];
        if (c.total.value > most) {
            most = c.total.value;
            out->cost.critical = c.critical;
        }
    }
    sup_superstep_cost *c = &out->cost;
    rank_parts(c->part_s, &c->bound, &c->second);
    c->tie = c->part_s[c->bound] - c->part_s[c->second] < (c->total.high - c->total.low) / 2;
    return cost_first(model, m, step, t, diag, out);
}

/* What these steps, or one of them alone, take with noise. Seconds that somebody recorded are no calm ones. */
static sup_noise_steps as_seen(const sup_step_cost *x, double times) {
    const double *part = x->cost.part_s;
    bool recorded = x->step->work_count > 0;
    for (size_t i = 0; i < x->step->work_count; i++) recorded = recorded && !x->step->works[i].kernel;
    return (sup_noise_steps){.times = times,
                             .comp_s = recorded ? 0 : part[SUP_BOUND_COMPUTATION],
                             .recorded_s = recorded ? part[SUP_BOUND_COMPUTATION] : 0,
                             .comm_s = part[SUP_BOUND_BANDWIDTH] + part[SUP_BOUND_LATENCY],
                             .sync_s = part[SUP_BOUND_SYNC]};
}

/* What a program meets on its way and a median superstep does not: the delays of interruptions. */
static void delay(const sup_noise_model *noise, const sup_noise_steps *all, size_t count, sup_prediction *typical) {
    sup_seen later = sup_noise_delays(noise, all, count);
    double wide = fmax(0, later.bad_s - later.typical_s);
    *typical = (sup_prediction){typical->value + later.typical_s, typical->low,
                                typical->value + later.typical_s + hypot(typical->high - typical->value, wide)};
}

/* Profiles whose curves say only what is calm have ratios for all of a term. */
static void usual_by_ratios(const sup_noise_model *noise, const sup_noise_steps *one, double repeat,
                            sup_superstep_cost *x, sup_program_cost *all) {
    sup_noise_model ratios = *noise;
    ratios.held_up = false;
    double longer = fmax(0, sup_noise_see(&ratios, one, 1).typical_s - x->total.value);
    x->typical.value += longer;
    x->typical.high += 2 * longer; /* a run falls somewhere between calm and twice as far */
    all->typical.value += repeat * longer;
    all->typical.high += repeat * 2 * longer;
}

static sup_status see(const sup_platform *m, sup_program_cost *c, sup_diag *diag) {
    sup_noise_model noise;
    bool known = sup_noise_open(m->profile, m->transport, m->processes, &noise);
    c->seen = (sup_seen){NAN, NAN};
    for (size_t s = 0; s < c->step_count; s++) {
        sup_noise_steps one = as_seen(&c->steps[s], 1);
        sup_superstep_cost *x = &c->steps[s].cost;
        double before_s = x->typical.value;
        if (known && !(x->typical.value > x->total.value)) usual_by_ratios(&noise, &one, c->steps[s].repeat, x, c);
        c->steps[s].first.typical.value += x->typical.value - before_s; /* the first one as all others */
        x->seen = known ? (sup_seen){x->typical.value, sup_noise_see(&noise, &one, 1).bad_s} : c->seen;
        x->seen.bad_s = fmax(x->seen.bad_s, x->seen.typical_s);
    }
    if (!known) return SUP_OK;
    sup_noise_steps *all = malloc((c->step_count + 1) * sizeof *all);
    if (!all) return sup_diag_no_memory(diag);
    for (size_t s = 0; s < c->step_count; s++) all[s] = as_seen(&c->steps[s], c->steps[s].repeat);
    delay(&noise, all, c->step_count, &c->typical);
    c->seen = (sup_seen){c->typical.value, fmax(c->typical.value, sup_noise_see(&noise, all, c->step_count).bad_s)};
    free(all);
    return SUP_OK;
}

static void add_supersteps(sup_program_cost *c, const sup_superstep_cost *x, double times) {
    add(&c->total, x->total, times);
    add(&c->typical, x->typical, times);
    c->hidden_s += times * x->hidden_s;
    for (int k = 0; k < 4; k++) c->part_s[k] += times * x->part_s[k];
    for (int k = 0; k < SUP_FIRST_PARTS; k++) c->first_s[k] += times * x->first_s[k];
}

sup_status sup_model_program(const sup_model *model, const sup_platform *m, const sup_program *program, sup_diag *diag,
                             sup_program_cost *out) {
    sup_program_cost c = {.step_count = program->step_count};
    sup_terms t;
    double weight = 0;
    sup_status st = sup_terms_open(m->processes, diag, &t);
    if (st) return st;
    c.steps = calloc(program->step_count ? program->step_count : 1, sizeof *c.steps);
    if (!c.steps) st = sup_diag_no_memory(diag);
    for (size_t s = 0; s < program->step_count && !st; s++) {
        st = cost_step(model, m, &program->steps[s], &t, diag, &c.steps[s]);
        if (st) break;
        const sup_step_cost *x = &c.steps[s];
        add_supersteps(&c, &x->cost, x->repeat - x->has_first);
        if (x->has_first) add_supersteps(&c, &x->first, 1);
        c.imbalance += x->repeat * x->cost.comp.value * x->cost.imbalance;
        weight += x->repeat * x->cost.comp.value;
    }
    sup_terms_close(&t);
    if (!st) st = see(m, &c, diag);
    if (st) {
        free(c.steps);
        return st;
    }
    c.imbalance = weight > 0 ? c.imbalance / weight : 1;
    rank_parts(c.part_s, &c.bound, &c.second);
    c.tie = c.part_s[c.bound] - c.part_s[c.second] < (c.total.high - c.total.low) / 2;
    *out = c;
    return SUP_OK;
}

void sup_program_cost_free(sup_program_cost *cost) {
    free(cost->steps);
    *cost = (sup_program_cost){0};
}

bool sup_prediction_tie(sup_prediction a, sup_prediction b) { return a.low <= b.high && b.low <= a.high; }
