/* What the kernels have in common: dividing memory into arrays, walking over data piece by piece, made-up data.
 *
 * An iteration is a piece of a pass, so that a sample of a kernel on data far larger than the caches stays short; the
 * next iteration goes on where the last one ended, so that the pattern of accesses is that of whole passes:
 *
 *     data  |-- iteration 0 --|-- iteration 1 --|-- 2 --|  then 3 starts from the left again
 *
 * Data are multiples of 1/32 between 1 and 2: sums and products of few of them are exact, so results can be compared
 * with ==, and no value ever becomes denormal. */
#ifndef SUP_KERNELS_SWEEP_H
#define SUP_KERNELS_SWEEP_H

#include "kernels/kernels.h"

#include <math.h>
#include <stdbool.h>

#define SUP_SWEEP_UNITS 8192 /* of an iteration: a few microseconds of streaming */
#define SUP_LINE 64

/* The loops must stay the loops they look like: not merged with the caller, not moved out of it. */
#define SUP_KERNEL_LOOP __attribute__((noinline))

typedef struct sup_sweep {
    uint64_t count, step; /* rows of a pass, rows of an iteration */
    uint64_t at;
    uint64_t passes; /* complete ones */
} sup_sweep;

typedef struct sup_range {
    uint64_t from, to;
    bool odd; /* in the second, fourth, … pass */
} sup_range;

/* count > 0 rows of units_a_row each. */
static inline sup_sweep sup_sweep_make(uint64_t count, uint64_t units_a_row) {
    uint64_t step = SUP_SWEEP_UNITS / units_a_row;
    if (step < 1) step = 1;
    return (sup_sweep){.count = count, .step = step < count ? step : count};
}

static inline uint64_t sup_sweep_iterations(const sup_sweep *s) { return (s->count + s->step - 1) / s->step; }

static inline sup_range sup_sweep_next(sup_sweep *s) {
    sup_range r = {s->at, s->at + s->step, s->passes & 1};
    if (r.to >= s->count) {
        r.to = s->count;
        s->at = 0;
        s->passes++;
    } else {
        s->at = r.to;
    }
    return r;
}

static inline double sup_datum(uint64_t index, unsigned salt) {
    return 1.0 + (double)((index * 7 + (uint64_t)salt * 13 + index / 37) % 32) / 32.0;
}

/* Memory handed out from the front. The arrays of a kernel begin one line off each other's place in a page: equal
 * places would make a load wait for an unrelated store on some processors. */
typedef struct sup_carve {
    char *at;
    size_t left;
} sup_carve;

#define SUP_CARVE_OVERHEAD (2 * SUP_LINE) /* at most, for each piece */

/* The kernel's own struct lies in the memory, too. NULL: no room. */
static inline void *sup_carve_take(sup_carve *c, size_t bytes) {
    if (bytes > SIZE_MAX - SUP_CARVE_OVERHEAD) return NULL;
    size_t whole = (bytes + SUP_LINE - 1) / SUP_LINE * SUP_LINE + SUP_LINE;
    if (whole > c->left) return NULL;
    void *piece = c->at;
    c->at += whole;
    c->left -= whole;
    return piece;
}

/* Elements of `each` bytes that fit when `arrays` arrays of them and one struct share the memory; 0: none. */
static inline uint64_t sup_carve_elements(size_t bytes, size_t head, unsigned arrays, size_t each) {
    size_t taken = head + (arrays + 1) * (size_t)SUP_CARVE_OVERHEAD;
    return bytes > taken ? (bytes - taken) / (arrays * each) : 0;
}

/* The side of the largest square that fits likewise. */
static inline uint64_t sup_carve_side(size_t bytes, size_t head, unsigned arrays, size_t each) {
    uint64_t elements = sup_carve_elements(bytes, head, arrays, each);
    uint64_t side = (uint64_t)sqrt((double)elements);
    while (side > 0 && side * side > elements) side--;
    return side;
}

/* Sums in another order than the kernel's differ by rounding. */
static inline bool sup_close(double a, double b) { return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)); }

#endif
