/* Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014). For tests, synthetic
 * workloads and the choice of sizes to measure; not for secrets.
 *
 *     sup_random r = {.state = seed};
 *     uint64_t x = sup_random_below(&r, 6);
 */
#ifndef SUP_BASE_NUMBER_RANDOM_H
#define SUP_BASE_NUMBER_RANDOM_H

#include <stdint.h>

typedef struct sup_random {
    uint64_t state; /* any value is a good seed */
} sup_random;

uint64_t sup_random_next(sup_random *r);

/* 0 … bound−1, every value equally likely; 0 for bound 0. */
uint64_t sup_random_below(sup_random *r, uint64_t bound);

#endif
