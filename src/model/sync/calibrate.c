/* What a signal of a barrier costs: Tsync's parameters for the model `flow`.
 *
 * Profiles have signals measured by themselves (signals.c). Those of earlier versions have not: there a signal is like
 * a message, and cheaper by a factor that no message shows. Either way the profile has barriers measured as a whole,
 * and factors on the parts of a signal (of what keeps a process busy, of what travels) are fitted to those, by relative
 * error: signals that go at the same time do not quite cost what each costs alone. What is then left is a ratio for
 * each barrier (sync/ratio.c) and a spread, which goes into the interval. A profile without measured barriers leaves
 * all factors at 1 and says so. */
#include "model/equation/model.h"

#include "base/number/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 48, PROCESSES_MAX = 1024, LEAST_TO_COMPARE = 4, MANY_EDGES = 50000 };
#define NEAR_1 0.01        /* weight of the wish that a factor is 1: it decides what barriers do not … */
#define NEAR_MEASURED 0.06 /* … and where signals were measured themselves */

typedef struct row {
    sup_pattern pattern;
    sup_path_list *list;
    double seconds, ci;
} row;

typedef struct fit {
    const sup_platform *m;
    row rows[ROWS_MAX];
    int count;
    double squares, freedom, runs; /* between launches */
    double *t;
    sup_signal *base, *signals; /* [class]: without factors, with those that are being tried */
    bool measured;              /* base is, by itself */
    int factors;
    double edges; /* of all rows */
} fit;

/* Factors: of measured signals one for each part that the machine has; else of what is busy, and of what travels. A
 * link that no measured barrier crossed keeps what it is said to take. */
static void set_signals(const fit *f, const double *x) {
    memcpy(f->signals, f->base, f->m->class_count * sizeof *f->signals);
    for (int part = 0; part < SUP_SIGNAL_PARTS; part++) {
        bool travels = part == 1 || part == 5;
        double factor = f->measured ? part < f->factors ? x[part] : 0 : part == 3 ? 0 : x[travels];
        if (factor != 0 && !(part > 3 && f->m->inside)) sup_signals_scale(f->m, f->signals, part, exp(factor));
    }
}

static double computed(const fit *f, const row *r) {
    double longest = 0;
    sup_path path = {.signals = f->signals, .words = f->m->words, .list = r->list};
    memset(f->t, 0, (size_t)r->pattern.processes * sizeof *f->t);
    if (sup_path_run(f->m, &r->pattern, &path, f->t)) return NAN;
    for (int64_t i = 0; i < r->pattern.processes; i++) longest = fmax(longest, f->t[i]);
    return longest;
}

/* Squared relative errors. */
static double badness(const fit *f, const double *x) {
    double sum = 0;
    for (int k = 0; k < f->factors; k++) sum += (f->measured ? NEAR_MEASURED : NEAR_1) * x[k] * x[k];
    set_signals(f, x);
    for (int i = 0; i < f->count; i++) {
        double e = log(computed(f, &f->rows[i]) / f->rows[i].seconds);
        sum += e * e;
    }
    return sum;
}

/* One step along an axis, or along two of them. */
static bool try_step(const fit *f, double *x, int a, double da, int b, double db, double *best) {
    double to[SUP_SIGNAL_PARTS];
    memcpy(to, x, sizeof to);
    to[a] += da;
    if (b >= 0) to[b] += db;
    if (fabs(to[a]) > 7 || (b >= 0 && fabs(to[b]) > 7)) return false;
    double now = badness(f, to);
    if (!(now < *best)) return false;
    *best = now;
    memcpy(x, to, sizeof to);
    return true;
}

/* Pattern search in the space of the logarithms. */
static void search(const fit *f, double *x) {
    double best = badness(f, x), least = f->edges > MANY_EDGES ? 0.05 : 0.002;
    for (double step = f->measured ? 0.4 : 1.6; step > least; step /= 2)
        for (bool moved = true; moved;) {
            moved = false;
            for (int a = 0; a < f->factors; a++) {
                moved |= try_step(f, x, a, step, -1, 0, &best) || try_step(f, x, a, -step, -1, 0, &best);
                for (int b = 0; b < a && f->edges <= MANY_EDGES; b++)
                    for (int sign = 0; sign < 4; sign++)
                        moved |= try_step(f, x, a, sign & 1 ? step : -step, b, sign & 2 ? step : -step, &best);
            }
        }
    badness(f, x); /* leaves its signals */
}

/* Where lines of shared memory happen to lie makes a barrier of one launch a tenth quicker than that of another: how
 * much, each number says itself. */
static void add_row(fit *f, const char *word, int64_t processes, const sup_number *n) {
    sup_pattern p;
    if (!n || !(n->value > 0) || processes < 2 || processes > PROCESSES_MAX || f->count == ROWS_MAX) return;
    if (!sup_platform_holds(f->m, processes) || sup_pattern_read(word, processes, &p)) return;
    double scatter = sup_number_scatter(n), launches = n->launches > 1 ? (double)n->launches : 1;
    f->squares += (launches - 1) * scatter * scatter;
    f->freedom += launches - 1;
    f->runs = fmax(f->runs, launches);
    double seconds = sup_platform_number(f->m, n).value;
    f->rows[f->count++] = (row){p, NULL, seconds, isnan(n->ci) ? 0 : n->ci};
    for (int s = 0; s < p.stages; s++) f->edges += (double)sup_pattern_stage(&p, s, NULL);
}

static bool over(const sup_platform *m, const sup_sync_time *s) {
    return s->algorithm && s->transport && !strcmp(s->transport, m->transport) && s->payload_bytes <= 0;
}

/* Barriers; where there are none, what ends with the runtime's own over shared memory: supersteps that ask for nothing,
 * then l of bspbench. */
static void collect(fit *f) {
    const sup_profile *p = f->m->profile;
    const char *usual = sup_generator_dissemination.name;
    for (size_t i = 0; i < p->sync_count; i++)
        if (over(f->m, &p->sync[i])) add_row(f, p->sync[i].algorithm, p->sync[i].processes, p->sync[i].time_s);
    bool none = !f->count, shared = sup_platform_shared_memory(f->m);
    for (size_t i = 0; i < p->sync_count && none && shared; i++)
        if (over(f->m, &p->sync[i]) && !strcmp(p->sync[i].algorithm, SUP_SYNC_EMPTY))
            add_row(f, usual, p->sync[i].processes, p->sync[i].time_s);
    for (size_t i = 0; i < p->classic_count && !f->count; i++)
        if (p->classic[i].transport && !strcmp(p->classic[i].transport, f->m->transport))
            add_row(f, usual, p->classic[i].processes, p->classic[i].sync_s);
}

static bool all_inside(const fit *f) {
    bool network = false;
    for (size_t c = 0; c < f->m->class_count; c++) network |= f->m->classes[c].network;
    for (int i = 0; i < f->count && network; i++)
        if (f->rows[i].pattern.processes > f->m->per_host) return false;
    return true;
}

/* ---- signals before the fit ---- */

static void find_base(fit *f, sup_platform *m) {
    f->measured = sup_signals_measured(m, f->base, m->words);
    f->factors = !f->measured ? 2 : m->inside ? 4 : SUP_SIGNAL_PARTS;
    if (f->measured) return;
    for (size_t c = 0; c < m->class_count; c++) {
        f->base[c] = sup_signals_message(&m->classes[c]);
        m->words[c] = NULL;
    }
}

/* ---- what is left ---- */

/* Generated ones are the same kind with any number of processes. */
static sup_pattern_ratio *ratio_for(sup_platform *m, const sup_pattern *p) {
    for (size_t i = 0; i < m->ratio_count; i++)
        if (sup_pattern_ratio_is(&m->ratios[i], p)) return &m->ratios[i];
    sup_pattern_ratio *r = &m->ratios[m->ratio_count++];
    *r = (sup_pattern_ratio){.ratio = 1, .distance = INFINITY};
    return r;
}

/* Each barrier's own ratio, from its row that is nearest in size, and what the fit itself leaves. */
static void find_ratios(sup_platform *m, fit *f) {
    double squares = 0;
    for (int i = 0; i < f->count; i++) {
        row *r = &f->rows[i];
        double ratio = r->seconds / computed(f, r), e = log(ratio) * log(ratio);
        double far = fabs(log((double)r->pattern.processes / (double)m->processes));
        squares += e + r->ci * r->ci / (r->seconds * r->seconds);
        sup_pattern_ratio *known = ratio_for(m, &r->pattern);
        if (far < known->distance) {
            sup_pattern_free(&known->pattern);
            known->distance = far;
            known->ratio = ratio;
            known->pattern = r->pattern; /* which is now its own */
            r->pattern = (sup_pattern){0};
        }
    }
    m->signal_spread = sqrt(squares / f->count);
}

/* How far off each would be if it had to be told from the others. */
static sup_status find_unlike(sup_platform *m, const fit *f) {
    double squares = 0;
    for (size_t i = 0; i < m->ratio_count; i++) {
        sup_status st = sup_pattern_traits(m, &m->ratios[i].pattern, f->signals, m->ratios[i].traits);
        if (st) return st;
    }
    for (size_t i = 0; i < m->ratio_count; i++) {
        double e = log(m->ratios[i].ratio) - sup_pattern_ratio_like(m, m->ratios[i].traits, &m->ratios[i]);
        squares += e * e;
    }
    if (m->ratio_count >= LEAST_TO_COMPARE) m->unlike_spread = sqrt(squares / (double)m->ratio_count);
    return SUP_OK;
}

/* Where one more launch falls. */
static double between_runs(const sup_platform *m, const fit *f) {
    if (f->freedom < 2) return NAN;
    return sqrt(f->squares / f->freedom * (1 + 1 / f->runs)) * sup_student_two_sided(m->confidence, f->freedom);
}

static void finish(sup_platform *m, const fit *f) {
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_class_cost *k = &m->classes[c];
        const sup_signal *s = &f->signals[c];
        m->signals[c] = (sup_signal){.gap = s->gap * k->overhead_f,
                                     .wire = s->wire * k->latency_f,
                                     .recv = s->recv * k->overhead_f,
                                     .word = s->word * k->latency_f};
        double o = k->overhead > 0 ? k->d_overhead / k->overhead : 0,
               l = k->latency > 0 ? k->d_latency / k->latency : 0;
        /* where barriers fixed the factors, what is unknown of those pairs is in the spread */
        double known = f->count && !(m->inside && k->network) ? 0 : 1;
        m->d_signals[c] = (sup_signal){.gap = known * o * m->signals[c].gap,
                                       .wire = known * l * m->signals[c].wire,
                                       .recv = known * o * m->signals[c].recv};
    }
}

static sup_status calibrate(sup_platform *m, fit *f) {
    double x[SUP_SIGNAL_PARTS] = {0};
    sup_status st = SUP_OK;
    bool ranged = m->ranged;
    m->ranged = false; /* the machine as it was measured */
    collect(f);
    m->inside = all_inside(f);
    find_base(f, m);
    set_signals(f, x);
    for (int i = 0; i < f->count && !st; i++) st = sup_path_list_make(m, &f->rows[i].pattern, &f->rows[i].list);
    if (st) return st;
    if (f->count) {
        search(f, x);
        find_ratios(m, f);
        st = find_unlike(m, f);
        m->again_spread = between_runs(m, f);
    } else if (m->processes > 1 && !f->measured) {
        sup_platform_note(m, "no barrier was measured over %s: a signal is taken to cost what a message does",
                          m->transport);
    }
    m->ranged = ranged;
    finish(m, f);
    return st;
}

sup_status sup_platform_calibrate(sup_platform *m, sup_diag *diag) {
    m->signal_spread = m->unlike_spread = m->again_spread = NAN;
    if (!m->pairs) return SUP_OK;
    fit f = {.m = m,
             .t = calloc(PROCESSES_MAX, sizeof(double)),
             .base = calloc(m->class_count + 1, sizeof(sup_signal)),
             .signals = calloc(m->class_count + 1, sizeof(sup_signal))};
    m->ratios = calloc(ROWS_MAX, sizeof *m->ratios);
    sup_status st = f.t && f.base && f.signals && m->ratios ? calibrate(m, &f) : SUP_ENOMEM;
    for (int i = 0; i < f.count; i++) {
        sup_path_list_free(f.rows[i].list);
        sup_pattern_free(&f.rows[i].pattern);
    }
    free(f.t);
    free(f.base);
    free(f.signals);
    return st ? sup_diag_set(diag, st, NULL, 0, "out of memory") : SUP_OK;
}
