/* radix: sorts 32-bit keys by their digits, least first (term Tcomp; local sort of a sample sort). A unit is a key in
 * one of four sweeps; a sweep scatters by one digit and counts the next, so that all units are alike:
 *
 *     keys ──digit 0──▶ first ──digit 1──▶ second ──digit 2──▶ first ──digit 3──▶ second
 *
 * The keys themselves stay in disorder, so that the next pass has as much to do. */
#include "kernels/radix.h"
#include "kernels/sweep.h"

#include <stdlib.h>
#include <string.h>

#define KEY_BYTES (3 * sizeof(uint32_t))

typedef struct radix {
    sup_sweep sweep; /* over keys */
    uint64_t n;
    uint32_t *keys, *first, *second;
    uint32_t *at, *next; /* where keys of a digit go; how many have each of the following digit */
    unsigned digit;
} radix;

static SUP_KERNEL_LOOP void scatter(uint32_t *restrict out, const uint32_t *restrict in, uint64_t count, unsigned digit,
                                    uint32_t *restrict at, uint32_t *restrict next) {
    sup_radix_scatter(out, in, count, digit, at, next);
}

static uint32_t key_of(uint64_t index) {
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((z ^ (z >> 27)) >> 16);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    size_t tables = 2 * SUP_RADIX * sizeof(uint32_t), taken = sizeof(radix) + tables + 6 * SUP_CARVE_OVERHEAD;
    uint64_t n = bytes > taken ? (bytes - taken) / KEY_BYTES : 0;
    if (n > UINT32_MAX) n = UINT32_MAX;
    radix *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k) return 1;
    k->n = n;
    k->at = sup_carve_take(&carve, SUP_RADIX * sizeof(uint32_t));
    k->next = sup_carve_take(&carve, SUP_RADIX * sizeof(uint32_t));
    k->keys = sup_carve_take(&carve, n * sizeof(uint32_t));
    k->first = sup_carve_take(&carve, n * sizeof(uint32_t));
    k->second = sup_carve_take(&carve, n * sizeof(uint32_t));
    if (!k->at || !k->next || !k->keys || !k->first || !k->second) return 1;
    for (uint64_t i = 0; i < n; i++) {
        k->keys[i] = key_of(i);
        k->next[sup_radix_digit(k->keys[i], 0)]++;
    }
    sup_radix_places(k->at, k->next);
    k->sweep = sup_sweep_make(n, 1);
    *work =
        (sup_kernel_work){k, SUP_RADIX_DIGITS * n, SUP_RADIX_DIGITS * sup_sweep_iterations(&k->sweep), n * KEY_BYTES};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    radix *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        const uint32_t *in = k->digit == 0 ? k->keys : k->digit % 2 ? k->first : k->second;
        scatter(k->digit % 2 ? k->second : k->first, in + r.from, r.to - r.from, k->digit, k->at, k->next);
        units += r.to - r.from;
        if (r.to < k->n) continue;
        k->digit = (k->digit + 1) % SUP_RADIX_DIGITS;
        sup_radix_places(k->at, k->next);
    }
    return units;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Are these the keys, by the digits of the mask, equal ones in the order in which `before` has them? */
static int in_order(const radix *k, uint32_t mask, const uint32_t *sorted) {
    uint64_t *all = malloc(k->n * sizeof *all);
    int right = all != NULL;
    for (uint64_t i = 0; all && i < k->n; i++) all[i] = (uint64_t)(key_of(i) & mask) << 32 | i;
    if (all) qsort(all, k->n, sizeof *all, ascending);
    for (uint64_t i = 0; right && i < k->n; i++) right = sorted[i] == key_of(all[i] & UINT32_MAX);
    free(all);
    return right;
}

static int verify(void *state) {
    const radix *k = state;
    uint32_t count[SUP_RADIX] = {0}, at[SUP_RADIX];
    for (uint64_t i = 0; i < k->n; i++) {
        if (k->keys[i] != key_of(i)) return 0;
        count[sup_radix_digit(k->keys[i], 0)]++;
    }
    sup_radix_places(at, count);
    if (k->digit || memcmp(at, k->at, sizeof at) != 0 || memcmp(count, k->next, sizeof count) != 0) return 0;
    return in_order(k, UINT32_MAX >> 8, k->first) && in_order(k, UINT32_MAX, k->second);
}

const sup_kernel sup_kernel_radix = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "radix", "key", 3.0, 0.0, 4096, NULL, setup, run, verify, NULL};
