/* Channels made up for tests of τ-Lop expressions. */
#ifndef SUP_TESTS_TAULOP_COSTS_H
#define SUP_TESTS_TAULOP_COSTS_H

#include "base/number/random.h"
#include "model/taulop/taulop.h"

#include <math.h>
#include <stdlib.h>

/* L(m,τ) = y + m·b·τ^e, with 0 ≤ e ≤ 1 within the bounds L(m,τ) ≤ L(m,Aτ) ≤ A·L(m,τ). */
typedef struct made_channel {
    double o, o_rendezvous, y, b, e;
    int transfers;
} made_channel;

static inline const made_channel *made_of(const sup_taulop_channel *c) { return c->context; }
static inline int made_transfers(const sup_taulop_channel *c, double bytes) {
    (void)bytes;
    return made_of(c)->transfers;
}
static inline double made_overhead(const sup_taulop_channel *c, double bytes) {
    bool eager = c->threshold_bytes < 0 || bytes < c->threshold_bytes;
    return made_of(c)->o + (eager ? 0 : made_of(c)->o_rendezvous);
}
static inline double made_transfer(const sup_taulop_channel *c, double bytes, double tau) {
    return made_of(c)->y + bytes * made_of(c)->b * pow(tau, made_of(c)->e);
}
static inline double made_fold(const sup_taulop_costs *costs, double bytes, double tau) {
    (void)costs;
    return 1e-8 + bytes * 3e-10 * (0.5 + 0.5 * tau);
}

static inline sup_taulop_channel made(int number, const made_channel *of) {
    return (sup_taulop_channel){.number = number,
                                .segment_bytes = -1,
                                .threshold_bytes = -1,
                                .transfers = made_transfers,
                                .overhead = made_overhead,
                                .transfer = made_transfer,
                                .context = of};
}

static inline double random_share(sup_random *r) { return (double)(sup_random_next(r) >> 11) * 0x1p-53; }

#endif
