/* The part of base/number/curve_fit.c that knows a curve as a chain of lines between measured sizes: which sizes are
 * its knots, and what it is worth there. Private to base/curve_*. */
#ifndef SUP_BASE_NUMBER_CURVE_KNOTS_H
#define SUP_BASE_NUMBER_CURVE_KNOTS_H

#include "base/number/curve.h"

#include <stdbool.h>

typedef struct sup_fit_point {
    double x, y;
    double scale; /* what an error is relative to */
    double part;  /* relative deviation, in units of sigma */
    size_t order; /* as given */
    size_t rank;  /* number of different x below this one */
} sup_fit_point;

typedef struct sup_fit {
    sup_fit_point *p; /* ascending x */
    size_t n;
    size_t distinct;
    double sigma;        /* what the parts are in units of */
    bool known;          /* sigma is not an estimate */
    double unit_penalty; /* of one parameter */
    sup_curve_options options;
} sup_fit;

/* Weight of a point, up to 1/sigma². */
static inline double sup_fit_weight(const sup_fit_point *p) {
    double deviation = p->part * p->scale;
    return 1.0 / deviation / deviation;
}

/* Begins with knots at the sizes of the given ranks, ascending, the first and the last among them, and takes away,
 * moves and adds what makes the curve better. out has room for as many segments as different sizes, or
 * options.max_segments + 1. SUP_ENOMEM. */
sup_status sup_knots_fit(const sup_fit *fit, const size_t *ranks, size_t count, sup_segment *out, size_t *segments);

#endif
