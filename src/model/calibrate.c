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
    double seconds, ci; /* seconds: geometric mean over runs */
} row;

typedef struct fit {
    const sup_platform *m;
    row rows[ROWS_MAX];
    int count;
    double squares, freedom, runs; /* between runs */
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

/* Launches of which a number is, and the logarithm of their mean; files of earlier versions have an entry a launch. */
typedef struct runs {
    double n, sum, squares, within;
} runs;

static void add_run(runs *r, const sup_number *number) {
    double x = log(number->value), n = number->launches > 1 ? (double)number->launches : 1;
    double scatter = sup_number_scatter(number);
    r->n += n;
    r->sum += n * x;
    r->squares += n * x * x;
    r->within += (n - 1) * scatter * scatter;
}

/* Where lines of shared memory happen to lie makes a barrier of one run a tenth quicker than that of another, so runs
 * that were started to calibrate this one count as much as it does. off: squared deviations of runs from their mean. */
static double mean_of_runs(const sup_platform *m, const sup_generator *g, int64_t processes, const sup_number *number,
                           double *off, double *count) {
    runs r = {0};
    add_run(&r, number);
    for (size_t i = 0; i < m->profile->calibration_count; i++) {
        const sup_calibration *c = &m->profile->calibration[i];
        if (!c->algorithm || strcmp(c->transport, m->transport) != 0 || !c->time_s || !(c->time_s->value > 0)) continue;
        if (sup_generator_find(c->algorithm) != g || c->processes != processes) continue;
        add_run(&r, c->time_s);
    }
    *off = fmax(0, r.squares - r.sum * r.sum / r.n) + r.within;
    *count = r.n;
    return exp(r.sum / r.n);
}

double sup_barrier_measured(const sup_platform *m, const sup_generator *g, int64_t processes) {
    for (size_t i = 0; i < m->profile->sync_count; i++) {
        const sup_sync_time *s = &m->profile->sync[i];
        double off, count;
        if (strcmp(s->transport, m->transport) != 0 || sup_generator_find(s->algorithm) != g) continue;
        if (s->processes == processes && s->payload_bytes <= 0 && s->time_s && s->time_s->value > 0)
            return mean_of_runs(m, g, processes, s->time_s, &off, &count);
    }
    return NAN;
}

static void add_row(fit *f, const sup_generator *g, int64_t processes, const sup_number *n) {
    if (!g || !n || !(n->value > 0) || processes < 2 || processes > PROCESSES_MAX || f->count == ROWS_MAX) return;
    if (processes > f->m->pairs->processes) return;
    double off, count, seconds = mean_of_runs(f->m, g, processes, n, &off, &count);
    f->squares += off;
    f->freedom += count - 1;
    f->runs = count;
    f->rows[f->count++] = (row){sup_pattern_make(g, processes), seconds, isnan(n->ci) ? 0 : n->ci};
}

static void collect(fit *f) {
    const sup_profile *p = f->m->profile;
    for (size_t i = 0; i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        if (s->algorithm && s->transport && !strcmp(s->transport, f->m->transport) && s->payload_bytes <= 0)
            add_row(f, sup_generator_find(s->algorithm), s->processes, s->time_s);
    }
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

/* Where one more run falls. */
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
