/* Random numbers for tests, the same on every machine. */
#ifndef TEST_RANDOM_REAL_H
#define TEST_RANDOM_REAL_H

#include "base/number/random.h"

#include <math.h>

/* [0, 1), 53 bits. */
static inline double sup_random_uniform(sup_random *r) { return (double)(sup_random_next(r) >> 11) * 0x1p-53; }

/* Mean 0, deviation 1. */
static inline double sup_random_normal(sup_random *r) {
    /* Box and Muller; the second variate is thrown away to keep the state one word */
    double u = 1.0 - sup_random_uniform(r), v = sup_random_uniform(r);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

#endif
