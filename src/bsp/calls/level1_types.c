/* Oxford's level-1 library (bsp_level1.h) for one int, float, double or char: instances of its folds, scans and sorts.
 */
#include <bsp_level1.h>
#include <superstep/coll.h>

/* An operator on one `type`, and the fold and the scan with it. */
/* clang-format off */
#define OPERATOR(type, name, expression) \
    static void op_##name(void *accumulator, const void *operand, size_t count, void *context) { \
        type *a = accumulator; \
        const type *b = operand; \
        (void)context; \
        for (size_t i = 0; i < count; i++) { \
            type x = a[i], y = b[i]; \
            a[i] = (expression); \
        } \
    }
#define INSTANCE(type, name, expression) \
    OPERATOR(type, name, expression) \
    type bsp_##name(type x) { \
        sup_bsp_allreduce(op_##name, NULL, sizeof x, &x, &x, 1); \
        return x; \
    } \
    type bsp_##name##_prefix(type x) { \
        sup_bsp_scan(op_##name, NULL, sizeof x, &x, &x, 1); \
        return x; \
    }

INSTANCE(int, sumI, (int)((unsigned)x + (unsigned)y))
INSTANCE(float, sumR, x + y)
INSTANCE(double, sumD, x + y)
INSTANCE(int, productI, (int)((unsigned)x * (unsigned)y))
INSTANCE(float, productR, x * y)
INSTANCE(double, productD, x * y)
INSTANCE(int, minI, x < y ? x : y)
INSTANCE(float, minR, x < y ? x : y)
INSTANCE(double, minD, x < y ? x : y)
INSTANCE(int, maxI, x > y ? x : y)
INSTANCE(float, maxR, x > y ? x : y)
INSTANCE(double, maxD, x > y ? x : y)
/* clang-format on */

/* Truth is 0 or 1, so that all is the least of it and any the greatest. */
int bsp_all(int x) { return bsp_minI(x != 0); }
int bsp_any(int x) { return bsp_maxI(x != 0); }
int bsp_all_prefix(int x) { return bsp_minI_prefix(x != 0); }
int bsp_any_prefix(int x) { return bsp_maxI_prefix(x != 0); }

OPERATOR(int, least, x < y ? x : y)

/* The complement of the greatest is the least complement: one fold of two elements. */
int bsp_constantI(int x) {
    int range[2] = {x, ~x};
    sup_bsp_allreduce(op_least, NULL, sizeof x, range, range, 2);
    return range[0] == ~range[1];
}

/* clang-format off */
#define SORT(type, name) \
    static int less_##name(void *x, void *y, int *nbytes) { \
        (void)nbytes; \
        return *(const type *)x < *(const type *)y; \
    } \
    type bsp_sort##name(type x) { \
        bsp_sort(less_##name, &x, &x, sizeof x); \
        return x; \
    }

/* The size could be const, but is not in Oxford's type. */
SORT(int, I)    /* NOLINT(readability-non-const-parameter) */
SORT(float, R)  /* NOLINT(readability-non-const-parameter) */
SORT(double, D) /* NOLINT(readability-non-const-parameter) */
SORT(char, C)   /* NOLINT(readability-non-const-parameter) */
/* clang-format on */
