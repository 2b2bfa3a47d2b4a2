/* Folds: every type and operator that MPI defines, in both forms, against a plain computation; what is not defined; the
 * corners: overflow, NaN, zeros of both signs, ties, complex infinities. */
#include "coll/fold/fold.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 67, WIDEST = 64 };

static uint64_t draw(uint64_t *s) {
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 31);
}

/* ---- which there are ---- */

static bool mpi_defines(int type, int operator) {
    bool integer = type <= SUP_TYPE_UINT64, pair = type >= SUP_TYPE_FLOAT_INT;
    bool real = type >= SUP_TYPE_FLOAT && type <= SUP_TYPE_LONG_DOUBLE;
    bool complex = type >= SUP_TYPE_FLOAT_COMPLEX && type <= SUP_TYPE_LONG_DOUBLE_COMPLEX;
    if (operator== SUP_SUM || operator== SUP_PRODUCT) return integer || real || complex;
    if (operator== SUP_MIN || operator== SUP_MAX) return integer || real;
    if (operator<= SUP_XOR) return integer;
    if (operator<= SUP_ODD) return integer || type == SUP_TYPE_BOOL;
    return pair;
}

static void what_mpi_defines_is_there(void **state) {
    (void)state;
    int found = 0;
    for (int t = -1; t <= SUP_TYPES; t++)
        for (int o = -1; o <= SUP_OPERATORS; o++) {
            bool defined = t >= 0 && t < SUP_TYPES && o >= 0 && o < SUP_OPERATORS && mpi_defines(t, o);
            const sup_fold *f = sup_fold_find(t, o);
            assert_int_equal(f != NULL, defined);
            if (!f) continue;
            found++;
            assert_true(f->into && f->to && f->commutes && f->element > 0 && f->element <= WIDEST);
        }
    assert_int_equal(found, 8 * 10 + 3 * 4 + 3 * 2 + 3 + 6 * 2);
    assert_true(sup_fold_rounds(SUP_TYPE_DOUBLE, SUP_SUM) && sup_fold_rounds(SUP_TYPE_FLOAT_COMPLEX, SUP_PRODUCT));
    assert_false(sup_fold_rounds(SUP_TYPE_DOUBLE, SUP_MIN) || sup_fold_rounds(SUP_TYPE_INT32, SUP_SUM));
}

/* x87's long double has ten bytes of sixteen, and the place behind one four: what is in the others is nobody's. */
static void no_padding(unsigned char *p, size_t bytes, int type) {
    if (LDBL_MANT_DIG != 64) return;
    if (type != SUP_TYPE_LONG_DOUBLE && type != SUP_TYPE_LONG_DOUBLE_COMPLEX && type != SUP_TYPE_LONG_DOUBLE_INT)
        return;
    for (size_t i = 0; i < bytes; i++)
        if (i % 16 >= 10 || (type == SUP_TYPE_LONG_DOUBLE_INT && i % 32 >= 20)) p[i] = 0;
}

/* Both forms give the same, whatever the addresses, and write nothing else. */
static void forms_agree(void **state) {
    (void)state;
    static _Alignas(64) unsigned char a[COUNT * WIDEST + 64], b[sizeof a], kept[sizeof a], to[sizeof a], into[sizeof a];
    uint64_t seed = 7;
    for (int t = 0; t < SUP_TYPES; t++)
        for (int o = 0; o < SUP_OPERATORS; o++) {
            const sup_fold *f = sup_fold_find(t, o);
            if (!f) continue;
            /* small numbers of any type, so that nothing is NaN: two equal bytes in a zeroed element */
            memset(a, 0, sizeof a);
            memset(b, 0, sizeof b);
            size_t step = t == SUP_TYPE_BOOL ? 1 : f->element;
            for (size_t i = 0; i < COUNT; i++) {
                a[i * step] = t == SUP_TYPE_BOOL ? draw(&seed) & 1 : draw(&seed) & 0x7f;
                b[i * step] = t == SUP_TYPE_BOOL ? draw(&seed) & 1 : draw(&seed) & 0x7f;
            }
            for (size_t count = 0; count <= COUNT; count += count < 9 ? 1 : 29) {
                size_t bytes = count * f->element;
                memset(to, 0, sizeof to);
                to[bytes] = 0x5c;
                f->to(to, a, b, count, f->context);
                assert_int_equal(to[bytes], 0x5c);
                memcpy(into, a, sizeof a);
                f->into(into, b, count, f->context);
                no_padding(to, bytes, t);
                no_padding(into, bytes, t);
                assert_memory_equal(into, to, bytes);
                assert_memory_equal(into + bytes, a + bytes, sizeof a - bytes);
                memcpy(kept, b, sizeof b); /* onto the second operand */
                f->to(kept, a, kept, count, f->context);
                no_padding(kept, bytes, t);
                assert_memory_equal(kept, to, bytes);
            }
        }
}

/* ---- integers ---- */

/* One element of every width by 64-bit arithmetic. */
static uint64_t plain(int operator, uint64_t x, uint64_t y, bool is_signed) {
    bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch (operator) {
    case SUP_SUM: return x + y;
    case SUP_PRODUCT: return x * y;
    case SUP_MIN: return less ? x : y;
    case SUP_MAX: return less ? y : x;
    case SUP_AND: return x & y;
    case SUP_OR: return x | y;
    case SUP_XOR: return x ^ y;
    case SUP_ALL: return x && y;
    case SUP_ANY: return x || y;
    default: return !x != !y;
    }
}

static void integers_wrap_around(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int t = SUP_TYPE_INT8; t <= SUP_TYPE_UINT64; t++)
        for (int o = SUP_SUM; o <= SUP_ODD; o++) {
            const sup_fold *f = sup_fold_find(t, o);
            bool is_signed = t <= SUP_TYPE_INT64;
            int bits = 8 * (int)f->element;
            uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
            assert_int_equal(bits, 8 << t % 4);
            for (int k = 0; k < 400; k++) {
                uint64_t x = draw(&seed) >> (k % 3 ? 0 : draw(&seed) % 64), y = k % 5 ? draw(&seed) : k % 2 ? 0 : x;
                x &= mask, y &= mask;
                if (k == 0) x = y = (mask >> 1) + is_signed; /* the least, or the greatest half */
                uint64_t wide_x = x, wide_y = y, z = 0;
                if (is_signed && x >> (bits - 1)) wide_x |= ~mask;
                if (is_signed && y >> (bits - 1)) wide_y |= ~mask;
                f->to(&z, &x, &y, 1, NULL);
                assert_int_equal(z, plain(o, wide_x, wide_y, is_signed) & mask);
            }
        }
}

static void truth_is_0_or_1(void **state) {
    (void)state;
    int32_t x[] = {0, 5, 0, 7}, y[] = {0, 0, 256, -1}, z[4];
    sup_fold_find(SUP_TYPE_INT32, SUP_ALL)->to(z, x, y, 4, NULL);
    assert_true(z[0] == 0 && z[1] == 0 && z[2] == 0 && z[3] == 1);
    sup_fold_find(SUP_TYPE_INT32, SUP_ANY)->to(z, x, y, 4, NULL);
    assert_true(z[0] == 0 && z[1] == 1 && z[2] == 1 && z[3] == 1);
    sup_fold_find(SUP_TYPE_INT32, SUP_ODD)->to(z, x, y, 4, NULL);
    assert_true(z[0] == 0 && z[1] == 1 && z[2] == 1 && z[3] == 0);
}

/* ---- floating point ---- */

static void nan_wins_and_the_first_of_equals(void **state) {
    (void)state;
    double x[] = {1, NAN, 2, -0.0, 0.0, INFINITY, 3}, y[] = {NAN, 1, 3, 0.0, -0.0, 1, -INFINITY}, z[7];
    sup_fold_find(SUP_TYPE_DOUBLE, SUP_MIN)->to(z, x, y, 7, NULL);
    assert_true(isnan(z[0]) && isnan(z[1]) && z[2] == 2 && signbit(z[3]) && !signbit(z[4]) && z[5] == 1 &&
                z[6] == -INFINITY);
    sup_fold_find(SUP_TYPE_DOUBLE, SUP_MAX)->to(z, x, y, 7, NULL);
    assert_true(isnan(z[0]) && isnan(z[1]) && z[2] == 3 && signbit(z[3]) && !signbit(z[4]) && z[5] == INFINITY &&
                z[6] == 3);
    float f[] = {1, NAN}, g[] = {NAN, 1}, h[2];
    sup_fold_find(SUP_TYPE_FLOAT, SUP_MAX)->to(h, f, g, 2, NULL);
    assert_true(isnan(h[0]) && isnan(h[1]));
    long double l[] = {1, NAN, 4}, m[] = {NAN, 1, 3}, n[3];
    sup_fold_find(SUP_TYPE_LONG_DOUBLE, SUP_MIN)->to(n, l, m, 3, NULL);
    assert_true(isnan(n[0]) && isnan(n[1]) && n[2] == 3);
}

/* One rounding an operation: a product and a sum are not joined. */
static void complex_products_are_the_plain_formula(void **state) {
    (void)state;
    uint64_t seed = 3;
    double x[2 * COUNT], y[2 * COUNT], z[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) {
        x[i] = (double)(int64_t)draw(&seed) / 3e17;
        y[i] = (double)(int64_t)draw(&seed) / 7e17;
    }
    sup_fold_find(SUP_TYPE_DOUBLE_COMPLEX, SUP_PRODUCT)->to(z, x, y, COUNT, NULL);
    for (int i = 0; i < 2 * COUNT; i += 2) {
        volatile double rr = x[i] * y[i], ii = x[i + 1] * y[i + 1], ri = x[i] * y[i + 1], ir = x[i + 1] * y[i];
        assert_true(z[i] == rr - ii && z[i + 1] == ri + ir);
    }
    double inf[2] = {INFINITY, INFINITY}, one[2] = {1, 0}, got[2];
    sup_fold_find(SUP_TYPE_DOUBLE_COMPLEX, SUP_PRODUCT)->to(got, inf, one, 1, NULL);
    assert_true(isnan(got[0]) && isnan(got[1])); /* C's own operator would look for the infinity */
    sup_fold_find(SUP_TYPE_DOUBLE_COMPLEX, SUP_SUM)->to(got, inf, one, 1, NULL);
    assert_true(isinf(got[0]) && isinf(got[1]));
}

/* ---- pairs ---- */

typedef struct double_int {
    double value;
    int place;
} double_int;

static void ties_take_the_lower_place(void **state) {
    (void)state;
    double_int x[] = {{1, 9}, {2, 3}, {2, 5}, {NAN, 7}, {1, 0}, {NAN, 8}};
    double_int y[] = {{2, 1}, {2, 1}, {2, 6}, {1, 0}, {NAN, 4}, {NAN, 2}}, z[6];
    sup_fold_find(SUP_TYPE_DOUBLE_INT, SUP_MIN_PLACE)->to(z, x, y, 6, NULL);
    assert_true(z[0].value == 1 && z[0].place == 9 && z[1].place == 1 && z[2].place == 5);
    assert_true(isnan(z[3].value) && z[3].place == 7 && isnan(z[4].value) && z[4].place == 4 && z[5].place == 2);
    sup_fold_find(SUP_TYPE_DOUBLE_INT, SUP_MAX_PLACE)->to(z, x, y, 6, NULL);
    assert_true(z[0].value == 2 && z[0].place == 1 && z[1].place == 1 && z[2].place == 5);
    struct {
        short value;
        int place;
    } s = {-3, 4}, t = {-3, 2}, u;
    assert_int_equal(sup_fold_find(SUP_TYPE_SHORT_INT, SUP_MIN_PLACE)->element, sizeof s);
    sup_fold_find(SUP_TYPE_SHORT_INT, SUP_MAX_PLACE)->to(&u, &s, &t, 1, NULL);
    assert_true(u.value == -3 && u.place == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_mpi_defines_is_there),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(integers_wrap_around),
        cmocka_unit_test(truth_is_0_or_1),
        cmocka_unit_test(nan_wins_and_the_first_of_equals),
        cmocka_unit_test(complex_products_are_the_plain_formula),
        cmocka_unit_test(ties_take_the_lower_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
