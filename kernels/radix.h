/* The loop of the radix kernel, which programs that sort share with it (term Tcomp): one sweep over keys of 32 bits. */
#ifndef SUP_KERNELS_RADIX_H
#define SUP_KERNELS_RADIX_H

#include <stdint.h>
#include <string.h>

enum { SUP_RADIX = 256, SUP_RADIX_DIGITS = 4 };

static inline uint32_t sup_radix_digit(uint32_t key, unsigned digit) { return key >> (8 * digit) & (SUP_RADIX - 1); }

/* Lays keys in the order of a digit, and counts the digit after it, of the last one the first. */
static inline void sup_radix_scatter(uint32_t *restrict out, const uint32_t *restrict in, uint64_t count,
                                     unsigned digit, uint32_t *restrict at, uint32_t *restrict next) {
    unsigned following = (digit + 1) % SUP_RADIX_DIGITS;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t key = in[i];
        out[at[sup_radix_digit(key, digit)]++] = key;
        next[sup_radix_digit(key, following)]++;
    }
}

/* Where keys of each digit begin. The counts begin anew. */
static inline void sup_radix_places(uint32_t at[SUP_RADIX], uint32_t count[SUP_RADIX]) {
    uint32_t sum = 0;
    for (int d = 0; d < SUP_RADIX; d++) {
        at[d] = sum;
        sum += count[d];
    }
    memset(count, 0, SUP_RADIX * sizeof *count);
}

#endif
