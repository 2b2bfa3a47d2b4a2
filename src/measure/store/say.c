/* What all visits of a point say (store.h): estimates over launches, and their intervals. Stage "measure". */
#include "measure/store/work.h"

#include "base/number/stats.h"
#include "base/number/student.h"
#include "measure/store/modes.h"

#include <math.h>
#include <stdlib.h>

#define FULL_WEIGHT 4.0   /* batches of a launch that give it half the weight of one with very many */
#define FIRST_GUESS 0.03  /* relative scatter between launches, before there was a second one … */
#define FIRST_FREEDOM 3.0 /* … and what that is worth */
#define LEAST 0.006      /* relative: a shared machine differs by that from one minute to the next, all of it at once */
#define OF_QUANTILE 1.86 /* times the variance of a mean is that of a quantile of 25 % */
#define BETWEEN_QUANTILES 0.674 /* deviations from the 25 % quantile to the median */
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
    if (n < 3 || !sup_modes_split(low, batches, n, counts)) return n;
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

/* All batches of some launches together: which share of them took no longer than x grows in lines from break to break,
 * and the breaks are the quantiles of the launches. */
typedef struct pool {
    const sup_launch_found *f;
    size_t n;
    double weight[SUP_STORE_LAUNCHES + 1], sum;
    double at[3 * (SUP_STORE_LAUNCHES + 1)]; /* ascending, of all launches, whatever they weigh */
} pool;

static void open_pool(const sup_launch_found *f, size_t n, pool *p) {
    p->f = f;
    p->n = n;
    p->sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        p->weight[i] = weight_of(&f[i]);
        p->sum += p->weight[i];
        p->at[3 * i] = f[i].low;
        p->at[3 * i + 1] = f[i].typical;
        p->at[3 * i + 2] = f[i].bad;
    }
    sup_stats_sort(p->at, 3 * n);
}

static double weight_below(const pool *p, double x) {
    double below = 0.0;
    for (size_t i = 0; i < p->n; i++)
        if (p->weight[i] > 0.0) below += p->weight[i] * share_below(&p->f[i], x);
    return below;
}

/* How fast that grows behind x, up to the next break. */
static double growth(const pool *p, double x) {
    double sum = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        const sup_launch_found *f = &p->f[i];
        if (x < f->low || x >= f->bad || p->weight[i] <= 0.0) continue;
        sum += p->weight[i] *
               (x < f->typical ? (0.5 - SUP_FOUND_LOW) / (f->typical - f->low) : 0.4 / (f->bad - f->typical));
    }
    return sum;
}

/* The least time that a share q of them did not exceed: the first break where it is reached, or before it in a line. */
static double quantile(const pool *p, double q) {
    double wanted = q * p->sum, reached = wanted * (1.0 - 1e-12), before = 0.0; /* sums are rounded */
    size_t low = 0, high = 3 * p->n - 1; /* the first break is at `low` or later, and not after `high` */
    while (low < high) {
        size_t middle = (low + high) / 2;
        double below = weight_below(p, p->at[middle]);
        if (below >= reached) {
            high = middle;
        } else {
            low = middle + 1;
            before = below;
        }
    }
    if (!low) return p->at[0];
    double slope = growth(p, p->at[low - 1]), step = slope > 0.0 ? (wanted - before) / slope : INFINITY;
    return fmin(p->at[low - 1] + step, p->at[low]);
}

/* Relative variance of a launch's low quantile if nothing but its batches differed: that of a quantile of so many. */
static double chance_of(const sup_launch_found *f) {
    if (!(f->low > 0.0) || f->n < 1) return 0.0;
    double deviation = log(f->typical / f->low) / BETWEEN_QUANTILES;
    return OF_QUANTILE * deviation * deviation / (double)f->n;
}

/* Relative variance of an estimate from one launch. What launches differ by because their batches do is what a quantile
 * of all batches differs by. Beyond that launches do not overlap: the quantile is one of their low values, or between
 * two of them, and differs by more than these. */
static double scatter_of(const pool *all) {
    double count = 0.0, mean = 0.0, squares = 0.0, chance = 0.0;
    for (size_t i = 0; i < all->n; i++) {
        if (!(all->f[i].low > 0.0)) continue;
        count += 1.0;
        mean += log(all->f[i].low);
        chance += chance_of(&all->f[i]);
    }
    mean /= count;
    for (size_t i = 0; i < all->n; i++)
        if (all->f[i].low > 0.0) squares += pow(log(all->f[i].low) - mean, 2.0);
    if (!(count > 1.0)) return NAN;
    double variance = squares / (count - 1.0), batches = fmin(variance, chance / count);
    return batches + OF_QUANTILE * (variance - batches);
}

/* Values of a trial that differ in what they are, not only in who did it. */
static int quantity_of(const sup_point *p, int value) {
    return sup_trial_kinds[p->trial.kind].quantities > 1 ? value : 0;
}

static size_t gather(const sup_store *s, int kind, int quantity, double *variance, double *freedom) {
    sup_launch_found f[SUP_STORE_LAUNCHES + 1];
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const sup_point *p = s->points[i];
        if ((int)p->trial.kind != kind || quantity >= p->values || !sup_point_known(p)) continue;
        pool found;
        open_pool(f, collect(s, p, quantity, f), &found);
        variance[n] = scatter_of(&found);
        freedom[n] = (double)found.n - 1.0;
        n += isfinite(variance[n]);
    }
    return n;
}

void sup_store_settle(sup_store *s) {
    double *variance = malloc((s->count + 1) * sizeof *variance), *freedom = malloc((s->count + 1) * sizeof *freedom);
    for (int kind = 0; kind < SUP_TRIAL_KINDS && variance && freedom; kind++)
        for (int k = 0; k < SUP_STORE_QUANTITIES; k++)
            s->scatter[kind][k] = sup_pooled_of(variance, freedom, gather(s, kind, k, variance, freedom));
    free(variance);
    free(freedom);
}

/* Half the width of an interval in which another measurement like this one lies in 95 of 100 cases. */
static double interval(const sup_store *s, const sup_point *p, int value, const pool *found, double calm) {
    const sup_launch_found *f = found->f;
    size_t n = found->n;
    sup_pooled others = s->scatter[p->trial.kind][quantity_of(p, value)];
    if (isnan(others.variance)) others = (sup_pooled){FIRST_GUESS * FIRST_GUESS, FIRST_FREEDOM};
    sup_pooled scatter = sup_pooled_with(&others, scatter_of(found), (double)n - 1.0);
    if (n == 1 && f->low > 0.0) /* how far a launch's batches differ, and how few they are */
        scatter.variance += pow(fmin(1.0, f->typical / f->low - 1.0), 2.0) / (double)(f->n > 0 ? f->n : 1);
    double deviation = sqrt(2.0 * (scatter.variance / (double)n + LEAST * LEAST));
    return calm * fmin(WIDEST, sup_student_two_sided(0.95, scatter.freedom) * deviation);
}

static bool say_times(const sup_store *s, const sup_point *p, int value, sup_launch_found *f, pool *all,
                      sup_timing *out) {
    *out = (sup_timing){.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = p->status};
    size_t n = collect(s, p, value, f);
    if (!n) return false;
    for (size_t i = 0; i < n; i++) {
        out->n += f[i].n;
        out->dropped += f[i].dropped;
    }
    open_pool(f, n, all);
    out->launches = (int)n;
    out->footprint = isnan(p->footprint) ? (double)p->trial.bytes : p->footprint;
    out->seconds = quantile(all, SUP_FOUND_LOW);
    out->typical = fmax(out->seconds, quantile(all, 0.5));
    out->bad = fmax(out->typical, quantile(all, 0.9));
    return true;
}

void sup_store_say_times(const sup_store *s, const sup_point *p, int value, sup_timing *out) {
    sup_launch_found f[SUP_STORE_LAUNCHES + 1];
    pool all;
    say_times(s, p, value, f, &all, out);
}

void sup_store_say(const sup_store *s, const sup_point *p, int value, sup_timing *out) {
    sup_launch_found f[SUP_STORE_LAUNCHES + 1];
    pool all;
    if (say_times(s, p, value, f, &all, out)) out->ci = interval(s, p, value, &all, out->seconds);
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
