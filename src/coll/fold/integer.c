/* Folds of integers and of C's _Bool (fold.h). Sums and products are those of unsigned numbers of at least the width of
 * int, so that they wrap around; logical operators give 0 or 1. */
#include "coll/fold/kernels.h"

#include <stdint.h>

/* clang-format off */
#define LOGICAL(name, type) \
    SUP_FOLD_KERNEL(all_##name, type, x && y) \
    SUP_FOLD_KERNEL(any_##name, type, x || y) \
    SUP_FOLD_KERNEL(odd_##name, type, !x != !y)
#define LOGICAL_ROWS(name, type) \
    [SUP_ALL] = SUP_FOLD_ROW(all_##name, type), \
    [SUP_ANY] = SUP_FOLD_ROW(any_##name, type), \
    [SUP_ODD] = SUP_FOLD_ROW(odd_##name, type)
/* wide: unsigned, and not promoted to a signed type. */
#define INTEGER(name, type, wide) \
    SUP_FOLD_KERNEL(sum_##name, type, (type)((wide)x + (wide)y)) \
    SUP_FOLD_KERNEL(product_##name, type, (type)((wide)x * (wide)y)) \
    SUP_FOLD_KERNEL(min_##name, type, x < y ? x : y) \
    SUP_FOLD_KERNEL(max_##name, type, x > y ? x : y) \
    SUP_FOLD_KERNEL(and_##name, type, (type)(x & y)) \
    SUP_FOLD_KERNEL(or_##name, type, (type)(x | y)) \
    SUP_FOLD_KERNEL(xor_##name, type, (type)(x ^ y)) \
    LOGICAL(name, type)
#define INTEGER_ROW(name, type) { \
        [SUP_SUM] = SUP_FOLD_ROW(sum_##name, type), \
        [SUP_PRODUCT] = SUP_FOLD_ROW(product_##name, type), \
        [SUP_MIN] = SUP_FOLD_ROW(min_##name, type), \
        [SUP_MAX] = SUP_FOLD_ROW(max_##name, type), \
        [SUP_AND] = SUP_FOLD_ROW(and_##name, type), \
        [SUP_OR] = SUP_FOLD_ROW(or_##name, type), \
        [SUP_XOR] = SUP_FOLD_ROW(xor_##name, type), \
        LOGICAL_ROWS(name, type) \
    }

INTEGER(int8, int8_t, unsigned)
INTEGER(int16, int16_t, unsigned)
INTEGER(int32, int32_t, uint32_t)
INTEGER(int64, int64_t, uint64_t)
INTEGER(uint8, uint8_t, unsigned)
INTEGER(uint16, uint16_t, unsigned)
INTEGER(uint32, uint32_t, uint32_t)
INTEGER(uint64, uint64_t, uint64_t)
LOGICAL(bool, _Bool)

const sup_fold_row sup_fold_integers[SUP_FOLD_INTEGERS] = {
    INTEGER_ROW(int8, int8_t),   INTEGER_ROW(int16, int16_t),   INTEGER_ROW(int32, int32_t),
    INTEGER_ROW(int64, int64_t), INTEGER_ROW(uint8, uint8_t),   INTEGER_ROW(uint16, uint16_t),
    INTEGER_ROW(uint32, uint32_t), INTEGER_ROW(uint64, uint64_t),
};
const sup_fold_row sup_fold_booleans[1] = {{LOGICAL_ROWS(bool, _Bool)}};
/* clang-format on */
