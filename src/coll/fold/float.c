/* Folds of floating-point and complex numbers (fold.h). Of equal numbers (zeros of both signs) MIN and MAX take the
 * first, and the first NaN wins over every number: brackets do not matter. A product of complex numbers is the plain
 * formula, without C's search for infinities behind a NaN. */
#include "coll/fold/kernels.h"

/* clang-format off */
/* A NaN in x stays; with one in y neither comparison is true, and y is taken. */
#define FLOATING(name, type) \
    SUP_FOLD_KERNEL(sum_##name, type, x + y) \
    SUP_FOLD_KERNEL(product_##name, type, x * y) \
    SUP_FOLD_KERNEL(min_##name, type, ((x <= y) | (x != x)) ? x : y) \
    SUP_FOLD_KERNEL(max_##name, type, ((x >= y) | (x != x)) ? x : y)
#define FLOATING_ROW(name, type) { \
        [SUP_SUM] = SUP_FOLD_ROW(sum_##name, type), \
        [SUP_PRODUCT] = SUP_FOLD_ROW(product_##name, type), \
        [SUP_MIN] = SUP_FOLD_ROW(min_##name, type), \
        [SUP_MAX] = SUP_FOLD_ROW(max_##name, type) \
    }

#define COMPLEX(name, type) \
    typedef struct name { type re, im; } name; \
    SUP_FOLD_KERNEL(sum_##name, name, ((name){x.re + y.re, x.im + y.im})) \
    SUP_FOLD_KERNEL(product_##name, name, ((name){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}))
#define COMPLEX_ROW(name) { \
        [SUP_SUM] = SUP_FOLD_ROW(sum_##name, name), \
        [SUP_PRODUCT] = SUP_FOLD_ROW(product_##name, name) \
    }

FLOATING(float, float)
FLOATING(double, double)
FLOATING(long_double, long double)
COMPLEX(complex_float, float)
COMPLEX(complex_double, double)
COMPLEX(complex_long_double, long double)

const sup_fold_row sup_fold_floats[SUP_FOLD_FLOATS + SUP_FOLD_COMPLEXES] = {
    FLOATING_ROW(float, float),    FLOATING_ROW(double, double),  FLOATING_ROW(long_double, long double),
    COMPLEX_ROW(complex_float), COMPLEX_ROW(complex_double), COMPLEX_ROW(complex_long_double),
};
/* clang-format on */
