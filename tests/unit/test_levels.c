/* Two levels: found where the host has moved cores, not where launches merely scatter. */
#include "measure/store/modes.h"

#include "base/number/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LAUNCHES = 8 };
static const int64_t tens[LAUNCHES] = {10, 10, 10, 10, 10, 10, 10, 10};

static double uniform(sup_random *r) { return ((double)(sup_random_next(r) >> 11) + 0.5) * 0x1p-53; }
static double normal(sup_random *r) { return sqrt(-2 * log(uniform(r))) * cos(6.283185307179586 * uniform(r)); }

#define SPLITS(other, bits, ...)                                                   \
    do {                                                                           \
        const double low_[] = {__VA_ARGS__};                                       \
        splits(low_, tens, sizeof low_ / sizeof *low_, other, bits, #__VA_ARGS__); \
    } while (0)

/* bits: a digit a launch, 1 on the frequent level. */
static void splits(const double *low, const int64_t *n, size_t count, size_t other, const char *bits,
                   const char *what) {
    bool frequent[LAUNCHES];
    size_t got = sup_modes_split(low, n, count, frequent);
    if (got != other) fail_msg("%s: %zu of the rare level, not %zu", what, got, other);
    for (size_t i = 0; i < count; i++)
        if (frequent[i] != (bits[i] == '1')) fail_msg("%s: launch %zu is on the wrong level", what, i);
}

static void launches_fall_into_two_groups(void **state) {
    (void)state;
    SPLITS(1, "11011", 0.2, 0.21, 0.045, 0.2, 0.19);       /* one fast launch */
    SPLITS(2, "10110", 0.045, 0.2, 0.044, 0.046, 0.21);    /* fast is frequent */
    SPLITS(2, "110110", 1.0, 1.02, 0.7, 0.99, 1.01, 0.71); /* a third */
    SPLITS(1, "110", 0.2, 0.21, 0.6);                      /* slow alone, but far */
    SPLITS(1, "01", 0.045, 0.2);                           /* a tie: the slower */
    SPLITS(2, "0101", 0.045, 0.2, 0.046, 0.21);
    const double low[] = {0.2, 0.045};
    splits(low, (const int64_t[]){5, 9}, 2, 1, "01", "more batches");
    splits(low, (const int64_t[]){9, 9}, 2, 1, "10", "as many batches: the slower");
}

static void other_things_are_one_level(void **state) {
    (void)state;
    SPLITS(0, "1", 0.2);
    SPLITS(0, "11", 0.2, 0.3);                         /* two launches say little */
    SPLITS(0, "11111", 1.0, 1.02, 0.98, 1.01, 1.6);    /* a noisy launch */
    SPLITS(0, "11111", 1.0, 1.1, 1.2, 1.35, 1.5);      /* no gap */
    SPLITS(0, "111111", 1.0, 1.3, 0.9, 1.9, 2.5, 2.0); /* groups as wide as the gap */
    SPLITS(0, "1111", 1.0, 1.1, 0.95, 1.05);
    SPLITS(0, "1111", 0.0, 0.2, NAN, 0.2); /* no times */
    bool frequent[2];
    assert_int_equal(sup_modes_split((const double[]){0.2, 0.01}, (const int64_t[]){9, 0}, 2, frequent), 0);
    assert_true(frequent[0] && frequent[1]);
    assert_int_equal(sup_modes_split(NULL, NULL, 0, NULL), 0);
}

/* ---- points of a pair ---- */

enum { POINTS = 12 };
typedef struct data {
    sup_found found[POINTS];
    double low[POINTS][LAUNCHES];
    int64_t launch[LAUNCHES];
    const sup_found *list[POINTS];
} data;

/* Each point with its own scatter; times of launch i are multiplied by level[i]. */
static data *make(size_t launches, double scatter, const double *level, uint64_t seed) {
    static data d;
    sup_random r = {.state = seed};
    memset(&d, 0, sizeof d);
    for (size_t i = 0; i < launches; i++) d.launch[i] = 100 + 3 * (int64_t)i; /* numbers may be any */
    for (int p = 0; p < POINTS; p++) {
        for (size_t i = 0; i < launches; i++)
            d.low[p][i] = 2e-7 * (1 << p) * (level ? level[i] : 1) * exp(scatter * normal(&r));
        d.found[p] = (sup_found){.launch = d.launch, .n = (int64_t *)tens, .low = d.low[p], .launch_count = launches};
        d.list[p] = &d.found[p];
    }
    return &d;
}

static void scatter_is_no_alarm(void **state) {
    (void)state;
    sup_modes l;
    for (uint64_t seed = 1; seed <= 300; seed++)
        for (size_t launches = 2; launches <= LAUNCHES; launches++)
            for (int s = 0; s < 2; s++)
                if (sup_modes_look(make(launches, s ? 0.10 : 0.05, NULL, seed)->list, POINTS, &l))
                    fail_msg("%zu of %zu points of %zu launches, seed %d", l.split, l.points, launches, (int)seed);
}

/* One launch in which everything is slower by a half is a noisy launch, not another place. */
static void a_noisy_launch_is_no_alarm(void **state) {
    (void)state;
    static const double level[LAUNCHES] = {1, 1, 1.5, 1, 1, 1, 1, 1};
    sup_modes l;
    for (uint64_t seed = 1; seed <= 100; seed++)
        for (size_t launches = 3; launches <= LAUNCHES; launches++)
            assert_false(sup_modes_look(make(launches, 0.05, level, seed)->list, POINTS, &l));
}

static void moved_cores_are_found(void **state) {
    (void)state;
    static const double level[5] = {1, 1, 0.22, 1, 1};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        sup_modes l;
        data *d = make(5, 0.05, level, seed);
        assert_true(sup_modes_look(d->list, POINTS, &l));
        assert_int_equal(l.points, POINTS);
        assert_true(l.split >= POINTS - 1);
        assert_int_equal(l.launches, 5);
        assert_int_equal(l.rare, 1);
        assert_int_equal(l.shown, 0); /* the smallest message */
        assert_true(l.rare_s < 0.3 * l.usual_s && l.usual_s < 2.4e-7);
        for (int p = 3; p < POINTS; p++) /* most points stay where they were */
            for (int i = 0; i < 5; i++) d->low[p][i] = 1e-6;
        assert_false(sup_modes_look(d->list, POINTS, &l));
        assert_true(sup_modes_look(d->list, 3, &l)); /* at least three */
        assert_false(sup_modes_look(d->list, 2, &l));
    }
}

/* Half of the points split in one way and half in another: nothing has moved as a whole… unless one half is half. */
static void points_must_split_together(void **state) {
    (void)state;
    sup_modes l;
    data *d = make(6, 0.01, NULL, 1);
    for (int p = 0; p < POINTS; p++) d->low[p][p % 6] *= 0.2;
    assert_false(sup_modes_look(d->list, POINTS, &l));
}

/* ---- warnings ---- */

static sup_profile *profile_of(const data *d, const char *transport, const char *kernel) {
    sup_profile *p = NULL;
    sup_diag diag;
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    int host[16] = {0}, core[16];
    for (int i = 0; i < 16; i++) core[i] = 15 - i;
    assert_int_equal(sup_origin_set_placement(&p->signature, 16, host, core), SUP_OK);
    assert_int_equal(sup_record_ready(&sup_origin_record, &p->signature, &diag), SUP_OK);
    for (int i = 0; i < POINTS; i++) {
        sup_visited *v = SUP_APPEND(&sup_visited_record, p->visits, p->visits_count);
        sup_record_set_string(&v->kind, transport ? "round trip" : "rate");
        sup_record_set_string(&v->transport, transport);
        sup_record_set_string(&v->kernel, kernel);
        v->groups = transport ? 2 : 1;
        v->group = 2;
        v->bytes = (int64_t)1 << i;
        const int64_t runs[] = {4, 2, 11, 1, 2, 1}; /* 4 and 5, 11 and 2 */
        if (transport) sup_record_set_ints(&v->ranks, &v->ranks_count, runs, 6);
        for (int g = 0; g < (transport ? 2 : 1); g++) {
            sup_found *f = SUP_APPEND(&sup_found_record, v->found, v->found_count);
            double flat[LAUNCHES], *low = transport && g == 0 ? flat : (double *)d->low[i];
            for (int k = 0; k < LAUNCHES; k++) flat[k] = 1e-6;
            sup_record_set_ints(&f->launch, &f->launch_count, d->launch, d->found[i].launch_count);
            sup_record_set_ints(&f->n, &f->n_count, tens, d->found[i].launch_count);
            sup_record_set_reals(&f->low, &f->low_count, low, d->found[i].launch_count);
        }
    }
    return p;
}

static void warns(const data *d, const char *transport, const char *kernel, const char *text) {
    sup_warning *list = NULL;
    size_t count = 0;
    sup_profile *p = profile_of(d, transport, kernel);
    assert_int_equal(sup_modes_warn(p, &list, &count), SUP_OK);
    assert_int_equal(count, text ? 1 : 0);
    if (text) assert_string_equal(list[0].text, text);
    while (count) sup_warning_drop(list, &count, count - 1);
    free(list);
    sup_profile_free(p);
}

static void warnings_say_who_and_how_far(void **state) {
    (void)state;
    static const double moved[5] = {1, 1, 0.225, 1, 1}, home[5] = {0.225, 0.225, 1, 0.225, 0.225},
                        slower[5] = {4, 4, 1, 4, 4};
    warns(
        make(5, 0, moved, 1), "shm", NULL,
        "shm: processes 2 and 11: 0.045 us instead of 0.2 us a message in 1 of 5 launches: the host had cores 13 and 4 "
        "on one physical core then");
    warns(
        make(5, 0, home, 1), "shm", NULL,
        "shm: processes 2 and 11: 0.2 us instead of 0.045 us a message in 1 of 5 launches: the host had cores 13 and 4 "
        "on one physical core except then");
    warns(make(5, 0, slower, 1), "openmpi", NULL, /* too slow for one core: no cause is named */
          "openmpi: processes 2 and 11: 0.2 us instead of 0.8 us a message in 1 of 5 launches (cores 13 and 4)");
    warns(make(5, 0, moved, 1), NULL, "daxpy",
          "computation on 2 cores: 12 of 12 rates took 0.23 times as long in 1 of 5 launches; first daxpy");
    warns(make(5, 0.05, NULL, 1), "shm", NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_fall_into_two_groups), cmocka_unit_test(other_things_are_one_level),
        cmocka_unit_test(scatter_is_no_alarm),           cmocka_unit_test(a_noisy_launch_is_no_alarm),
        cmocka_unit_test(moved_cores_are_found),         cmocka_unit_test(points_must_split_together),
        cmocka_unit_test(warnings_say_who_and_how_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
