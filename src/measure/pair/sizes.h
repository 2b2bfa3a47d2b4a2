/* Which message size to measure next: sizes are chosen while measuring. Tcomm, stage "measure".
 *
 *     sup_sizes s;
 *     sup_sizes_init(&s, 1, 1 << 20, 36, 2.0);
 *     for (size_t x; (x = sup_sizes_next(&s)) > 0;) sup_sizes_add(&s, x, time_of(x), …);
 *     sup_sizes_fit(&s, diag, &curve);
 *
 * Libraries switch protocol between powers of two, so a fixed grid misses the jumps. The first sizes are `step` times
 * as large each; then the interval that is least explained by the curve fitted so far is halved (geometrically): where
 * the curve jumps, until the jump is located to within `ratio`; where it is bent; and where nothing was measured over
 * more than that step. What the intervals of the points explain is no reason to look: later, when more is known about
 * them, the same question has a better answer. */
#ifndef SUP_MEASURE_PAIR_SIZES_H
#define SUP_MEASURE_PAIR_SIZES_H

#include "base/number/curve.h"
#include "base/number/lsq.h"
#include "base/status.h"
#include "measure/lab/trial.h"

#define SUP_SIZES_MAX 128

typedef struct sup_sizes {
    double low, high;
    size_t most;  /* sizes to measure at most */
    double step;  /* each of the first sizes is so many times the one before */
    double ratio; /* a jump between x and x·ratio is located */
    size_t count;
    double x[SUP_SIZES_MAX], y[SUP_SIZES_MAX]; /* ascending x, and seconds */
    sup_timing timing[SUP_SIZES_MAX];
} sup_sizes;

/* low ≥ 1; most ≤ SUP_SIZES_MAX; step > 1. */
void sup_sizes_init(sup_sizes *s, size_t low, size_t high, size_t most, double step);
/* 0: everything is explained, or `most` sizes are there. Never a size that is there. The same points give the same
 * size. */
size_t sup_sizes_next(const sup_sizes *s);
/* What is known about a size; it replaces what was. */
void sup_sizes_add(sup_sizes *s, size_t bytes, const sup_timing *timing);
/* The curve through all points, which falls only where they do beyond their intervals. */
sup_status sup_sizes_fit(const sup_sizes *s, sup_diag *diag, sup_curve **out);
/* The curve and its points as files hold them. */
sup_status sup_sizes_file_curve(const sup_sizes *s, sup_diag *diag, sup_file_curve **out);
/* L and B: the straight line through all sizes, every octave with the same weight, relative errors, neither of the two
 * negative. SUP_EINVAL with fewer than two sizes. */
sup_status sup_sizes_line(const sup_sizes *s, sup_line *out);

#endif
