/* Folds of pairs (fold.h): the least or greatest value and its place. Of equal values the lower place is taken, and a
 * NaN wins over every number: neither order nor brackets matter. */
#include "coll/fold/kernels.h"

/* clang-format off */
/* y is taken if it is less (greater), or the only NaN, or as good and at a lower place. */
#define TAKES_Y(less) \
    ((y.value less x.value) | ((y.value != y.value) & (x.value == x.value)) | \
     (((y.value == x.value) | ((y.value != y.value) & (x.value != x.value))) & (y.place < x.place)))
#define PAIR(name, type) \
    typedef struct name { type value; int place; } name; \
    SUP_FOLD_KERNEL(min_##name, name, TAKES_Y(<) ? y : x) \
    SUP_FOLD_KERNEL(max_##name, name, TAKES_Y(>) ? y : x)
#define PAIR_ROW(name) {[SUP_MIN_PLACE] = SUP_FOLD_ROW(min_##name, name), [SUP_MAX_PLACE] = SUP_FOLD_ROW(max_##name, name)}

PAIR(float_int, float)
PAIR(double_int, double)
PAIR(long_int, long)
PAIR(short_int, short)
PAIR(int_int, int)
PAIR(long_double_int, long double)

const sup_fold_row sup_fold_pairs[SUP_FOLD_PAIRS] = {
    PAIR_ROW(float_int), PAIR_ROW(double_int), PAIR_ROW(long_int),
    PAIR_ROW(short_int), PAIR_ROW(int_int), PAIR_ROW(long_double_int),
};
/* clang-format on */
