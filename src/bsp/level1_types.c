/* Oxford's level-1 library (bsp_level1.h) for one int, float, double or char: instances of its folds, scans and sorts.
 */
#include <bsp_level1.h>

/* An operator of `type`, and the fold and the scan with it. */
#define INSTANCE(type, name, expression)                                        \
    static void op_##name(void *result, void *left, void *right, int *nbytes) { \
        type x = *(const type *)left, y = *(const type *)right;                 \
        (void)nbytes;                                                           \
        *(type *)result = (expression);                                         \
    }                                                                           \
    type bsp_##name(type x) {                                                   \
        type result;                                                            \
        bsp_fold(op_##name, &x, &result, sizeof x);                             \
        return result;                                                          \
    }                                                                           \
    type bsp_##name##_prefix(type x) {                                          \
        type result;                                                            \
        bsp_scan(op_##name, &x, &result, sizeof x);                             \
        return result;                                                          \
    }

INSTANCE(int, sumI, (int)((unsigned)x + (unsigned)y))
INSTANCE(float, sumR, x + y)
INSTANCE(double, sumD, x + y)
INSTANCE(int, productI, (int)((unsigned)x *(unsigned)y))
INSTANCE(float, productR, x *y)
INSTANCE(double, productD, x *y)
INSTANCE(int, minI, x < y ? x : y)
INSTANCE(float, minR, x < y ? x : y)
INSTANCE(double, minD, x < y ? x : y)
INSTANCE(int, maxI, x > y ? x : y)
INSTANCE(float, maxR, x > y ? x : y)
INSTANCE(double, maxD, x > y ? x : y)

static void op_and(void *result, void *left, void *right, int *nbytes) {
    (void)nbytes;
    *(int *)result = *(int *)left && *(int *)right;
}

static void op_or(void *result, void *left, void *right, int *nbytes) {
    (void)nbytes;
    *(int *)result = *(int *)left || *(int *)right;
}

/* With one process no operator is applied, so truth becomes 1 before. */
int bsp_all(int x) {
    int truth = x != 0, result;
    bsp_fold(op_and, &truth, &result, sizeof truth);
    return result;
}

int bsp_any(int x) {
    int truth = x != 0, result;
    bsp_fold(op_or, &truth, &result, sizeof truth);
    return result;
}

int bsp_all_prefix(int x) {
    int truth = x != 0, result;
    bsp_scan(op_and, &truth, &result, sizeof truth);
    return result;
}

int bsp_any_prefix(int x) {
    int truth = x != 0, result;
    bsp_scan(op_or, &truth, &result, sizeof truth);
    return result;
}

/* Least and greatest, the latter as its complement: one fold. */
static void op_range(void *result, void *left, void *right, int *nbytes) {
    const int *x = left, *y = right;
    (void)nbytes;
    for (int i = 0; i < 2; i++) ((int *)result)[i] = x[i] < y[i] ? x[i] : y[i];
}

int bsp_constantI(int x) {
    int range[2] = {x, ~x}, all[2];
    bsp_fold(op_range, range, all, sizeof range);
    return all[0] == ~all[1];
}

#define SORT(type, name)                                    \
    static int less_##name(void *x, void *y, int *nbytes) { \
        (void)nbytes;                                       \
        return *(const type *)x < *(const type *)y;         \
    }                                                       \
    type bsp_sort##name(type x) {                           \
        type result;                                        \
        bsp_sort(less_##name, &x, &result, sizeof x);       \
        return result;                                      \
    }

SORT(int, I)
SORT(float, R)
SORT(double, D)
SORT(char, C)
