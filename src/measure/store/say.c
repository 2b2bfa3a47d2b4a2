/* What all visits of a point say (store.h): estimates over launches, and their intervals. Stage "measure". */
#include "measure/store/work.h"

#include "base/number/random.h"
#include "base/number/stats.h"
#include "base/number/student.h"
#include "measure/store/levels.h"

#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 40, HALVINGS = 26 };
#define FULL_WEIGHT 4.0  /* batches of a launch that give it half the weight of one with very many */
#define FIRST_GUESS 0.03 /* relative scatter between launches, before there was a second one */
#define LEAST 0.006      /* relative: a shared machine differs by that from one minute to the next, all of it at once */
#define FEW 3.0          /* launches: resampling so few shows too little of how they scatter; found by trying */
#define WIDEST 9.0

/* Those on the frequent level, if there are two. */
static size_t collect(const sup_store *s, const sup_point *p, int value, sup_launch_found *out) {
    double low[SUP_STORE_LAUNCHES + 1];
    int64_t batches[SUP_STORE_LAUNCHES + 1];
    bool counts[SUP_STORE_LAUNCHES + 1];
    size_t n = sup_point_found(s, p, value, out), kept = 0;
    for (size_t i = 0; i < n; i++) {
        low[i] = out[i].low;
        batches[i] = out[i].n;
    }
    if (n < 3 || !sup_levels_split(low, batches, n, counts)) return n;
    for (size_t i = 0; i < n; i++)
        if (counts[i]) out[kept++] = out[i];
    return kept;
}

static double weight_of(const sup_launch_found *f) { return (double)f->n / ((double)f->n + FULL_WEIGHT); }

/* Share of a launch's batches that took no longer than x. */
static double share_below(const sup_launch_found *f, double x) {
    if (x < f->low) return 0.0;
    if (x < f->typical) return SUP_FOUND_LOW + (0.5 - SUP_FOUND_LOW) * (x - f->low) / (f->typical - f->low);
    if (x < f->bad) return 0.5 + 0.4 * (x - f->typical) / (f->bad - f->typical);
    return 1.0;
}

/* The quantile of all batches of the launches with those numbers (NULL: all). */
static double pooled(const sup_launch_found *f, const size_t *which, size_t n, double q) {
    double low = INFINITY, high = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const sup_launch_found *one = &f[which ? which[i] : i];
        low = fmin(low, one->low);
        high = fmax(high, one->bad);
        sum += weight_of(one);
    }
    for (int k = 0; k < HALVINGS && high > low; k++) {
        double middle = 0.5 * (low + high), share = 0.0;
        for (size_t i = 0; i < n; i++) {
            const sup_launch_found *one = &f[which ? which[i] : i];
            share += weight_of(one) * share_below(one, middle);
        }
        if (share >= q * sum)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Relative deviation of a single launch, by resampling launches. */
static double scatter_of(const sup_launch_found *f, size_t n, double calm) {
    sup_random random = {.state = 1};
    size_t which[SUP_STORE_LAUNCHES + 1];
    double squares = 0.0;
    if (n < 2 || !(calm > 0.0)) return NAN;
    for (int r = 0; r < RESAMPLES; r++) {
        for (size_t i = 0; i < n; i++) which[i] = (size_t)(sup_random_next(&random) % n);
        double off = pooled(f, which, n, SUP_FOUND_LOW) / calm - 1.0;
        squares += off * off;
    }
    /* resampling shows the variance of the estimate, (n − 1)/n of it */
    return sqrt(squares / RESAMPLES * (double)n * (double)n / (double)(n - 1) * (1.0 + FEW / (double)n));
}

void sup_store_settle(sup_store *s) {
    double *all = malloc((s->count + 1) * sizeof *all);
    for (int kind = 0; kind < SUP_TRIAL_KINDS && all; kind++) {
        size_t n = 0;
        for (size_t i = 0; i < s->count; i++) {
            sup_launch_found f[SUP_STORE_LAUNCHES + 1];
            const sup_point *p = s->points[i];
            if ((int)p->trial.kind != kind || !sup_point_known(p)) continue;
            size_t launches = collect(s, p, 0, f);
            double off = scatter_of(f, launches, pooled(f, NULL, launches, SUP_FOUND_LOW));
            if (isfinite(off)) all[n++] = off;
        }
        s->scatter[kind] = n ? sup_stats_median(all, n) : NAN;
    }
    free(all);
}

/* Half the width of an interval in which another measurement like this one lies in 95 of 100 cases. */
static double interval(const sup_store *s, const sup_point *p, const sup_launch_found *f, size_t n, double calm) {
    double own = scatter_of(f, n, calm), kind = s->scatter[p->trial.kind], freedom = SUP_NUMBER_BORROWED;
    if (isnan(kind)) kind = isnan(own) ? FIRST_GUESS : own;
    double variance = kind * kind;
    if (isfinite(own)) {
        variance =
            (SUP_NUMBER_BORROWED * variance + (double)(n - 1) * own * own) / (SUP_NUMBER_BORROWED + (double)(n - 1));
        freedom += (double)(n - 1);
    }
    if (n == 1 && f->low > 0.0) /* how far a launch's batches differ, and how few they are */
        variance += pow(fmin(1.0, f->typical / f->low - 1.0), 2.0) / (double)(f->n > 0 ? f->n : 1);
    double deviation = sqrt(2.0 * (variance / (double)n + LEAST * LEAST));
    return calm * fmin(WIDEST, sup_student_two_sided(0.95, freedom) * deviation);
}

static size_t say_times(const sup_store *s, const sup_point *p, int value, sup_launch_found *f, sup_timing *out) {
    *out = (sup_timing){.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = p->status};
    size_t n = collect(s, p, value, f);
    if (!n) return 0;
    for (size_t i = 0; i < n; i++) {
        out->n += f[i].n;
        out->dropped += f[i].dropped;
    }
    out->launches = (int)n;
    out->footprint = isnan(p->footprint) ? (double)p->trial.bytes : p->footprint;
    out->seconds = pooled(f, NULL, n, SUP_FOUND_LOW);
    out->typical = fmax(out->seconds, pooled(f, NULL, n, 0.5));
    out->bad = fmax(out->typical, pooled(f, NULL, n, 0.9));
    return n;
}

void sup_store_say_times(const sup_store *s, const sup_point *p, int value, sup_timing *out) {
    sup_launch_found f[SUP_STORE_LAUNCHES + 1];
    say_times(s, p, value, f, out);
}

void sup_store_say(const sup_store *s, const sup_point *p, int value, sup_timing *out) {
    sup_launch_found f[SUP_STORE_LAUNCHES + 1];
    size_t n = say_times(s, p, value, f, out);
    if (n) out->ci = interval(s, p, f, n, out->seconds);
}

double sup_store_width(const sup_store *s, const sup_point *p) {
    double widest = 0.0;
    for (int v = 0; v < p->values; v++) {
        sup_timing t;
        sup_store_say(s, p, v, &t);
        widest = fmax(widest, t.seconds > 0.0 ? t.ci / t.seconds : t.n ? 0.0 : INFINITY);
    }
    return widest;
}
