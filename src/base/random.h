/* Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014). For tests, synthetic
 * workloads and the choice of sizes to measure; not for secrets.
 *
 *     sup_random r = {.state = seed};
 *     double x = sup_random_uniform(&r);
 */
#ifndef SUP_BASE_RANDOM_H
#define SUP_BASE_RANDOM_H

#include <stdint.h>

typedef struct sup_random {
    uint64_t state; /* any value is a good seed */
} sup_random;

uint64_t sup_random_next(sup_random *r);

/* 0 … bound−1, every value equally likely; 0 for bound 0. */
uint64_t sup_random_below(sup_random *r, uint64_t bound);

/* [0, 1), 53 bits. */
double sup_random_uniform(sup_random *r);

/* Mean 0, deviation 1. */
double sup_random_normal(sup_random *r);

#endif
