/* Who sends how much to whom in the exchanges of apps/exchange.c (term Tcomm). Every process can tell the messages of
 * all of them, so that each knows where the others keep what it sends or fetches.
 *
 *     none                    nobody
 *     one, back               0 → 1, 1 → 0
 *     couples                 0 → 1, 2 → 3, …
 *     shift, ring             i → i + 1, i → i ± 1, around
 *     grid                    four neighbours on the most even grid of processes, around
 *     out, in, all            0 → others, others → 0, everybody → others
 *     tree                    the last stage of a binomial broadcast
 *     half                    i → i + P/2, from the first half
 *     transpose               the process at (row, column) of the grid → that at (column, row)
 *     sparse                  everybody → three others, chosen at random; sizes are a half to three halves
 *
 * tests/golden/model/cases.py has the same in another language. */
#ifndef APPS_PATTERNS_H
#define APPS_PATTERNS_H

#include <stddef.h>

/* To whom `me` of p processes sends its k-th message: < 0, there is none and no further one; me: not this one. */
typedef int pattern_target(int p, int me, int k);

typedef struct pattern {
    const char *name;
    pattern_target *target;
    int random; /* sizes differ */
} pattern;

const pattern *pattern_find(const char *name); /* NULL: none */
size_t pattern_bytes(const pattern *which, size_t bytes, int me, int k);

#endif
