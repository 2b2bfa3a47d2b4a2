/* What a signal of a barrier costs: Tsync's parameters for the model `flow`.
 *
 * Pairs are measured by messages; our barriers over shared memory use signals, which are cheaper by a factor that no
 * message shows. The profile also has barriers measured as a whole, so two factors (of what keeps a process busy, and
 * of what travels) are fitted to those, by relative error. What is then left is a ratio for each algorithm and a
 * spread, which goes into the interval. A profile without measured barriers leaves both factors at 1 and says so. */
#include "model/model.h"

#include "base/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 24, PROCESSES_MAX = 1024 };

typedef struct row {
    sup_pattern pattern;
    double seconds, ci;
} row;

typedef struct fit {
    const sup_platform *m;
    row rows[ROWS_MAX];
    int count;
    double squares, freedom, runs; /* between launches */
    double *t;
    sup_signal *signals;
} fit;

/* Busy at the sender and at the receiver, travelling; without what-ifs. */
static sup_signal signal_with(const sup_class_cost *c, double busy, double travel) {
    double o = c->overhead / c->overhead_f, l = c->latency / c->latency_f;
    return (sup_signal){.gap = 0.5 * busy * o, .wire = travel * l, .recv = 0.5 * busy * o};
}

static double computed(const fit *f, const row *r) {
    double longest = 0;
    sup_path path = {.signals = f->signals};
    memset(f->t, 0, (size_t)r->pattern.processes * sizeof *f->t);
    if (sup_path_run(f->m, &r->pattern, &path, f->t)) return NAN;
    for (int64_t i = 0; i < r->pattern.processes; i++) longest = fmax(longest, f->t[i]);
    return longest;
}

/* Squared relative errors; a weak wish to stay near 1 decides what the barriers do not. */
static double badness(const fit *f, double busy, double travel) {
    double sum = 0.01 * (log(busy) * log(busy) + log(travel) * log(travel));
    for (size_t c = 0; c < f->m->class_count; c++) f->signals[c] = signal_with(&f->m->classes[c], busy, travel);
    for (int i = 0; i < f->count; i++) {
        double e = log(computed(f, &f->rows[i]) / f->rows[i].seconds);
        sum += e * e;
    }
    return sum;
}

/* Pattern search in the plane of the two logarithms. */
static void search(const fit *f, double *busy, double *travel) {
    double x = 0, y = 0, best = badness(f, 1, 1);
    for (double step = 1.6; step > 0.002; step /= 2)
        for (bool moved = true; moved;) {
            static const double steps[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
            moved = false;
            for (int d = 0; d < 8; d++) {
                double a = x + step * steps[d][0], b = y + step * steps[d][1];
                if (fabs(a) > 7 || fabs(b) > 7) continue;
                double now = badness(f, exp(a), exp(b));
                if (now < best) {
                    best = now;
                    x = a;
                    y = b;
                    moved = true;
                }
            }
        }
    *busy = exp(x);
    *travel = exp(y);
    badness(f, *busy, *travel); /* leaves its signals */
}

/* Where lines of shared memory happen to lie makes a barrier of one launch a tenth quicker than that of another: how
 * much, each number says itself. */
static void add_row(fit *f, const sup_generator *g, int64_t processes, const sup_number *n) {
    if (!g || !n || !(n->value > 0) || processes < 2 || processes > PROCESSES_MAX || f->count == ROWS_MAX) return;
    if (processes > f->m->pairs->processes) return;
    double scatter = sup_number_scatter(n), launches = n->launches > 1 ? (double)n->launches : 1;
    f->squares += (launches - 1) * scatter * scatter;
    f->freedom += launches - 1;
    f->runs = fmax(f->runs, launches);
    double seconds = sup_platform_number(f->m, n).value;
    f->rows[f->count++] = (row){sup_pattern_make(g, processes), seconds, isnan(n->ci) ? 0 : n->ci};
}

static bool over(const sup_platform *m, const sup_sync_time *s) {
    return s->algorithm && s->transport && !strcmp(s->transport, m->transport) && s->payload_bytes <= 0;
}

/* Barriers; where there are none, what ends with the runtime's own over shared memory: supersteps that ask for nothing,
 * then l of bspbench. */
static void collect(fit *f) {
    const sup_profile *p = f->m->profile;
    for (size_t i = 0; i < p->sync_count; i++)
        if (over(f->m, &p->sync[i]))
            add_row(f, sup_generator_find(p->sync[i].algorithm), p->sync[i].processes, p->sync[i].time_s);
    bool none = !f->count, shared = sup_platform_shared_memory(f->m);
    for (size_t i = 0; i < p->sync_count && none && shared; i++)
        if (over(f->m, &p->sync[i]) && !strcmp(p->sync[i].algorithm, SUP_SYNC_EMPTY))
            add_row(f, &sup_generator_dissemination, p->sync[i].processes, p->sync[i].time_s);
    for (size_t i = 0; i < p->classic_count && !f->count; i++)
        if (p->classic[i].transport && !strcmp(p->classic[i].transport, f->m->transport))
            add_row(f, &sup_generator_dissemination, p->classic[i].processes, p->classic[i].sync_s);
}

static sup_pattern_ratio *ratio_for(sup_platform *m, const sup_generator *g) {
    for (size_t i = 0; i < m->ratio_count; i++)
        if (m->ratios[i].generator == g) return &m->ratios[i];
    sup_pattern_ratio *r = &m->ratios[m->ratio_count++];
    *r = (sup_pattern_ratio){.generator = g, .ratio = 1, .distance = INFINITY};
    return r;
}

/* Each algorithm's own ratio, from its row that is nearest in size, and what the fit itself leaves. */
static void find_ratios(sup_platform *m, const fit *f) {
    double squares = 0;
    for (int i = 0; i < f->count; i++) {
        const row *r = &f->rows[i];
        double ratio = r->seconds / computed(f, r), e = log(ratio) * log(ratio);
        double far = fabs(log((double)r->pattern.processes / (double)m->processes));
        squares += e + r->ci * r->ci / (r->seconds * r->seconds);
        sup_pattern_ratio *known = ratio_for(m, r->pattern.generator);
        if (far < known->distance) {
            known->distance = far;
            known->ratio = ratio;
        }
    }
    m->signal_spread = sqrt(squares / f->count);
}

/* Where one more launch falls. */
static double between_runs(const sup_platform *m, const fit *f) {
    if (f->freedom < 2) return NAN;
    return sqrt(f->squares / f->freedom * (1 + 1 / f->runs)) * sup_student_two_sided(m->confidence, f->freedom);
}

static void finish(sup_platform *m, const fit *f, double busy, double travel) {
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_class_cost *k = &m->classes[c];
        sup_signal s = signal_with(k, busy, travel);
        m->signals[c] = (sup_signal){s.gap * k->overhead_f, s.wire * k->latency_f, s.recv * k->overhead_f, 0};
        double o = k->overhead > 0 ? k->d_overhead / k->overhead : 0,
               l = k->latency > 0 ? k->d_latency / k->latency : 0;
        /* where barriers fixed the factors, what is unknown of pairs is in the spread */
        double known = f->count ? 0 : 1;
        m->d_signals[c] = (sup_signal){known * o * m->signals[c].gap, known * l * m->signals[c].wire,
                                       known * o * m->signals[c].recv, 0};
    }
}

sup_status sup_platform_calibrate(sup_platform *m, sup_diag *diag) {
    m->signal_spread = m->again_spread = NAN;
    if (!m->pairs) return SUP_OK;
    fit f = {.m = m,
             .t = calloc(PROCESSES_MAX, sizeof(double)),
             .signals = calloc(m->class_count ? m->class_count : 1, sizeof(sup_signal))};
    m->ratios = calloc(ROWS_MAX, sizeof *m->ratios);
    double busy = 1, travel = 1;
    bool good = f.t && f.signals && m->ratios, ranged = m->ranged;
    if (good) {
        m->ranged = false; /* the machine as it was measured */
        collect(&f);
        if (f.count) {
            search(&f, &busy, &travel);
            find_ratios(m, &f);
            m->again_spread = between_runs(m, &f);
        } else if (m->processes > 1) {
            sup_platform_note(m, "no barrier was measured over %s: a signal is taken to cost what a message does",
                              m->transport);
        }
        m->ranged = ranged;
        finish(m, &f, busy, travel);
    }
    free(f.t);
    free(f.signals);
    return good ? SUP_OK : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
}
