/* From calm time to what a run sees (noise.h). */
#include "model/equation/noise.h"

#include "base/number/student.h"

#include <math.h>
#include <string.h>

enum { COMP, COMM, SYNC, TERMS };
static const char *const term_names[TERMS] = {"comp", "comm", "sync"};

static bool same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* ---- what the profile says ---- */

/* The watch of the same processes, or the nearest to that: the same transport, then about as many of them. */
static const sup_interruptions *nearest(const sup_profile *p, const char *transport, int64_t processes) {
    const sup_interruptions *best = NULL;
    double distance = INFINITY;
    for (size_t i = 0; i < p->interruptions_count; i++) {
        const sup_interruptions *x = &p->interruptions[i];
        if (!x->least_s_count || !(x->watched_s > 0.0)) continue;
        double d = fabs(log((double)x->processes / (double)processes)) + (same(x->transport, transport) ? 0.0 : 100.0);
        if (d >= distance) continue;
        distance = d;
        best = x;
    }
    return best;
}

/* Computation has no transport; what processes of one compute does where there is nothing else. */
static const sup_noise *ratios(const sup_profile *p, const char *term, const char *transport) {
    const sup_noise *found = NULL;
    for (size_t i = 0; i < p->noise_count; i++) {
        const sup_noise *n = &p->noise[i];
        if (strcmp(n->term, term)) continue;
        if (same(n->transport, transport)) found = found ? found : n;
        if (!n->transport && !strcmp(term, term_names[COMP])) return n;
    }
    return found;
}

double sup_noise_rate(const sup_interruptions *r, double x) {
    size_t last = r->least_s_count - 1;
    if (x <= r->least_s[0]) return r->per_s[0];
    if (x > r->least_s[last]) return 0.0;
    size_t k = 0;
    while (k + 1 < last && x > r->least_s[k + 1]) k++;
    double at = log(x / r->least_s[k]) / log(r->least_s[k + 1] / r->least_s[k]);
    double a = r->per_s[k], b = r->per_s[k + 1];
    return b > 0.0 ? a * pow(b / a, at) : a * (1.0 - at); /* to none, a power does not lead */
}

#define LOST_MOST 0.9 /* of the time; who gets still less is beyond this model */

/* Share of the time in which a process does not run: it is held up for x at the rate at which that happens. */
static double lost_share(const sup_interruptions *r) {
    enum { PARTS = 64 };
    double low = r->least_s[0], top = r->least_s[r->least_s_count - 1], lost = low * r->per_s[0];
    if (!(low > 0.0)) return 0.0;
    for (int j = 0; j < PARTS; j++) {
        double a = low * pow(top / low, (double)j / PARTS), b = low * pow(top / low, (double)(j + 1) / PARTS);
        lost += (b - a) * sup_noise_rate(r, sqrt(a * b));
    }
    return fmin(lost, LOST_MOST);
}

/* How many deviations the greatest of P lies above the mean, in a share q of all cases. */
static double greatest(double q, int64_t processes) {
    return sup_student_quantile(pow(q, 1.0 / (double)processes), INFINITY);
}

void sup_noise_hold_up(const sup_interruptions *r, int64_t processes, sup_noise_model *out) {
    *out = (sup_noise_model){.processes = processes, .typical = {1, 1, 1}, .bad = {1, 1, 1}};
    double top = r && r->least_s_count ? r->least_s[r->least_s_count - 1] : 0.0;
    if (!(top > SUP_NOISE_BATCH_S)) return;
    double runs = 1.0 - lost_share(r);
    out->held_up = true;
    for (int j = 0; j < SUP_NOISE_LENGTHS; j++) {
        double x = SUP_NOISE_BATCH_S * pow(top / SUP_NOISE_BATCH_S, (double)j / (SUP_NOISE_LENGTHS - 1));
        out->length_s[j] = fmin(x, top);
        out->rate[j] = sup_noise_rate(r, out->length_s[j]) / runs;
    }
    out->middle = greatest(0.5, processes);
    out->wide = greatest(0.9, processes) - out->middle;
}

bool sup_noise_open(const sup_profile *p, const char *transport, int64_t processes, sup_noise_model *out) {
    const sup_interruptions *rates = nearest(p, transport, processes);
    bool known = rates != NULL;
    sup_noise_hold_up(rates, processes, out);
    for (int t = 0; t < TERMS; t++) {
        const sup_noise *n = ratios(p, term_names[t], transport);
        if (!n && t == SYNC) n = ratios(p, term_names[COMM], transport); /* a barrier is messages, too */
        if (!n) continue;
        out->typical[t] = n->typical;
        out->bad[t] = fmax(n->typical, n->bad);
        known = true;
    }
    return known;
}

/* ---- delays ---- */

/* Of a program, by length. */
typedef struct delays {
    double steps[SUP_NOISE_LENGTHS];   /* that are delayed so long or longer, expected */
    double longest[SUP_NOISE_LENGTHS]; /* none so long with probability exp(−this) */
    /* what adds up inside of steps: median of the sum, and the square of what is between that and its 90 % quantile */
    double sum_s, spread2;
} delays;

/* Sum, and sum of squares, of those delays of which there is more than one, where count[j] are of x[j] or longer. */
static void add_up(const double *x, const double *count, double *sum, double *squares) {
    *sum = *squares = 0.0;
    for (int j = 0; j < SUP_NOISE_LENGTHS && count[j] > 1.0; j++) {
        double next = j + 1 < SUP_NOISE_LENGTHS ? fmax(1.0, count[j + 1]) : 1.0;
        double length = j + 1 < SUP_NOISE_LENGTHS ? sqrt(x[j] * x[j + 1]) : x[j];
        *sum += (count[j] - next) * length;
        *squares += (count[j] - next) * length * length;
    }
}

/* Steps of so many seconds. */
static void delay_steps(const sup_noise_model *m, double times, double seconds, delays *d) {
    double count[SUP_NOISE_LENGTHS], mean, squares;
    for (int j = 0; j < SUP_NOISE_LENGTHS; j++) {
        count[j] = m->rate[j] * seconds;
        double longest = (double)m->processes * fmin(1.0, count[j]);
        d->longest[j] += times * longest;
        d->steps[j] += times * -expm1(-longest);
    }
    add_up(m->length_s, count, &mean, &squares);
    d->sum_s += times * (mean + m->middle * sqrt(squares));
    d->spread2 += times * m->wide * m->wide * squares;
}

/* The length that the longest delay exceeds with probability 1 − exp(−expected). */
static double length_of(const double *x, const double *longest, double expected) {
    int j = 0;
    if (longest[0] < expected) return 0.0;
    while (j + 1 < SUP_NOISE_LENGTHS && longest[j + 1] >= expected) j++;
    if (j + 1 == SUP_NOISE_LENGTHS || !(longest[j + 1] > 0.0)) return x[j];
    double at = log(longest[j] / expected) / log(longest[j] / longest[j + 1]);
    return x[j] * pow(x[j + 1] / x[j], at);
}

static sup_seen delay_of(const sup_noise_model *m, const delays *d) {
    static const double z90 = 1.2815515655446004;
    double sum, squares;
    add_up(m->length_s, d->steps, &sum, &squares);
    double half = length_of(m->length_s, d->longest, M_LN2), tenth = length_of(m->length_s, d->longest, -log(0.9));
    double typical = d->sum_s + sum + half;
    return (sup_seen){typical, typical + sqrt(d->spread2 + z90 * z90 * squares + (tenth - half) * (tenth - half))};
}

sup_seen sup_noise_see(const sup_noise_model *m, const sup_noise_steps *steps, size_t count) {
    sup_seen seen = {0};
    delays d = {.sum_s = 0};
    for (size_t i = 0; i < count; i++) {
        const sup_noise_steps *s = &steps[i];
        const double part[TERMS] = {s->comp_s, s->comm_s, s->sync_s};
        double typical = 0.0, bad = 0.0;
        for (int t = 0; t < TERMS; t++) {
            typical += part[t] * m->typical[t];
            bad += part[t] * m->bad[t];
        }
        seen.typical_s += s->times * (typical + s->recorded_s);
        seen.bad_s += s->times * (bad + s->recorded_s);
        if (m->held_up && typical > 0.0) delay_steps(m, s->times, typical, &d);
    }
    if (!m->held_up) return seen;
    sup_seen more = delay_of(m, &d);
    return (sup_seen){seen.typical_s + more.typical_s, seen.bad_s + more.bad_s};
}

sup_seen sup_noise_delays(const sup_noise_model *m, const sup_noise_steps *steps, size_t count) {
    delays d = {.sum_s = 0};
    if (!m->held_up) return (sup_seen){0};
    for (size_t i = 0; i < count; i++) {
        const sup_noise_steps *s = &steps[i];
        double seconds = s->comp_s * m->typical[COMP] + s->comm_s * m->typical[COMM] + s->sync_s * m->typical[SYNC];
        if (seconds > 0.0) delay_steps(m, s->times, seconds, &d);
    }
    return delay_of(m, &d);
}
