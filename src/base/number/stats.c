/* Statistics of samples (BSP §4.1). Sums are made in two passes around the mean: samples of 1 ± 1e-6 are common, and
 * Σx² − n·mean² would leave nothing of their variance. */
#include "base/number/stats.h"
#include "base/number/student.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double sup_stats_mean(const double *x, size_t n) {
    if (n == 0) return NAN;
    double sum = 0.0, correction = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) correction += x[i] - mean;
    return mean + correction / (double)n;
}

double sup_stats_variance(const double *x, size_t n) {
    if (n < 2) return NAN;
    double mean = sup_stats_mean(x, n), sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)(n - 1);
}

double sup_stats_deviation(const double *x, size_t n) { return sqrt(sup_stats_variance(x, n)); }

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    if (x < y) return -1;
    if (x > y) return 1;
    return (x != x) - (y != y);
}

void sup_stats_sort(double *x, size_t n) {
    if (n > 1) qsort(x, n, sizeof *x, compare);
}

static double *sorted_copy(const double *x, size_t n) {
    if (n == 0 || n > SIZE_MAX / sizeof *x) return NULL;
    double *copy = malloc(n * sizeof *x);
    if (!copy) return NULL;
    memcpy(copy, x, n * sizeof *x);
    sup_stats_sort(copy, n);
    return copy;
}

double sup_stats_quantile_sorted(const double *x, size_t n, double p) {
    if (n == 0 || !(p >= 0.0 && p <= 1.0) || isnan(x[n - 1])) return NAN;
    double at = p * (double)(n - 1);
    size_t below = (size_t)at;
    if (below + 1 >= n) return x[n - 1];
    double part = at - (double)below;
    return part == 0.0 ? x[below] : x[below] + part * (x[below + 1] - x[below]);
}

double sup_stats_median_sorted(const double *x, size_t n) { return sup_stats_quantile_sorted(x, n, 0.5); }

double sup_stats_quantile(const double *x, size_t n, double p) {
    double *copy = sorted_copy(x, n);
    if (!copy) return NAN;
    double q = sup_stats_quantile_sorted(copy, n, p);
    free(copy);
    return q;
}

double sup_stats_median(const double *x, size_t n) { return sup_stats_quantile(x, n, 0.5); }

static sup_interval around(double centre, double half, double confidence) {
    return (sup_interval){centre - half, centre + half, confidence};
}

sup_interval sup_stats_mean_interval(const double *x, size_t n, double confidence) {
    if (n < 2) return (sup_interval){-INFINITY, INFINITY, confidence};
    double t = sup_student_two_sided(confidence, (double)(n - 1));
    return around(sup_stats_mean(x, n), t * sup_stats_deviation(x, n) / sqrt((double)n), confidence);
}

/* P(median < x_(1+k)) is the binomial tail P(Bin(n, 1/2) ≤ k): take the greatest k whose two tails leave enough. The
 * terms are made in logarithms because 2^−n underflows from n = 1075 on. */
sup_interval sup_stats_median_interval_sorted(const double *x, size_t n, double confidence) {
    if (n == 0 || isnan(x[n - 1]) || !(confidence >= 0.0 && confidence < 1.0)) return (sup_interval){NAN, NAN, 0.0};
    double log_term = -(double)n * M_LN2, tail = exp(log_term), inside = tail;
    size_t k = 0;
    for (size_t next = 1; next < n - next; next++) {
        log_term += log((double)(n - next + 1) / (double)next);
        tail += exp(log_term);
        if (1.0 - 2.0 * tail < confidence) break;
        k = next;
        inside = tail;
    }
    return (sup_interval){x[k], x[n - 1 - k], fmax(0.0, 1.0 - 2.0 * inside)};
}

sup_interval sup_stats_median_interval(const double *x, size_t n, double confidence) {
    double *copy = sorted_copy(x, n);
    if (!copy) return (sup_interval){NAN, NAN, 0.0};
    sup_interval r = sup_stats_median_interval_sorted(copy, n, confidence);
    free(copy);
    return r;
}

double sup_stats_middle_sorted(const double *x, size_t n) {
    size_t from = n / 4, to = n - from;
    return n < 4 ? sup_stats_median_sorted(x, n) : sup_stats_mean(x + from, to - from);
}
