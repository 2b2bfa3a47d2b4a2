/* Random numbers that are the same on every machine. One state word, so that a seed in a failing test's message is all
 * that is needed to see the failure again. */
#include "base/number/random.h"

uint64_t sup_random_next(sup_random *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t sup_random_below(sup_random *r, uint64_t bound) {
    if (bound == 0) return 0;
    /* values below 2^64 mod bound would make the small remainders more likely */
    uint64_t reject = (0 - bound) % bound, z;
    do z = sup_random_next(r);
    while (z < reject);
    return z % bound;
}
