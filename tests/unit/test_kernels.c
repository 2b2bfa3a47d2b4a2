/* The kernels: right results at many sizes (each kernel's verification is a naive version of it), verifications that
 * notice a wrong result, work that stays inside the memory given, units that add up. */
#include "base/memory.h"
#include "kernels/grid.h"
#include "kernels/kernels.h"
#include "kernels/product.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GUARD 4096
#define PATTERN 0xa5

static bool available(const sup_kernel *k) { return !k->unavailable || !k->unavailable(); }

typedef struct bed {
    sup_memory memory;
    char *data;
    size_t bytes;
    sup_kernel_work work;
} bed;

/* Memory between two guards of a known pattern. */
static void lay(bed *b, const sup_kernel *k, size_t bytes) {
    assert_int_equal(sup_memory_alloc(bytes + 2 * GUARD, 0, 0, NULL, &b->memory), SUP_OK);
    b->data = (char *)b->memory.data + GUARD;
    b->bytes = bytes;
    memset(b->memory.data, PATTERN, GUARD);
    memset(b->data + bytes, PATTERN, GUARD);
    b->work = (sup_kernel_work){0};
    assert_int_equal(k->setup(b->data, bytes, &b->work), 0);
}

static void strip(bed *b, const sup_kernel *k) {
    if (k->teardown) k->teardown(b->work.state);
    const unsigned char *before = b->memory.data, *after = (const unsigned char *)b->data + b->bytes;
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(before[i], PATTERN);
        assert_int_equal(after[i], PATTERN);
    }
    sup_memory_free(&b->memory);
}

static void check_size(const sup_kernel *k, size_t bytes, unsigned passes) {
    bed b;
    lay(&b, k, bytes);
    assert_true(b.work.pass_units > 0 && b.work.pass_iterations > 0);
    assert_true(b.work.footprint_bytes > 0 && b.work.footprint_bytes <= bytes);
    uint64_t units = 0;
    for (unsigned p = 0; p < passes; p++) { /* in uneven pieces */
        uint64_t first = b.work.pass_iterations / 3;
        units += k->run(b.work.state, first);
        units += k->run(b.work.state, b.work.pass_iterations - first);
    }
    assert_int_equal(units, passes * b.work.pass_units);
    assert_int_equal(k->run(b.work.state, 0), 0);
    if (!k->verify(b.work.state)) fail_msg("%s: wrong result, %zu bytes, %u passes", k->name, bytes, passes);
    strip(&b, k);
}

static void right_at_many_sizes(void **state) {
    (void)state;
    for (size_t i = 0; sup_kernels[i]; i++) {
        const sup_kernel *k = sup_kernels[i];
        if (!available(k)) continue;
        bool cubic = strncmp(k->name, "dgemm", 5) == 0;
        size_t most = cubic ? (size_t)400 << 10 : (size_t)3 << 20;
        for (size_t bytes = k->least_bytes; bytes < most; bytes += bytes / 3 + 8) check_size(k, bytes, 1);
        for (size_t bytes = k->least_bytes; bytes < k->least_bytes + 1000; bytes += 72) check_size(k, bytes, 2);
        for (unsigned passes = 0; passes < 6; passes++)
            if (passes > 0 || k == &sup_kernel_scal) check_size(k, 20000, passes);
        check_size(k, most + 12345, cubic ? 1 : 3);
    }
}

/* Changing any part of the results must be noticed: one byte in each of many places, in what the run wrote. */
static void wrong_is_noticed(void **state) {
    (void)state;
    for (size_t i = 0; sup_kernels[i]; i++) {
        const sup_kernel *k = sup_kernels[i];
        if (!available(k)) continue;
        size_t bytes = 8192;
        bed before, after;
        lay(&before, k, bytes);
        lay(&after, k, bytes);
        k->run(after.work.state, after.work.pass_iterations);
        size_t head = sizeof(sup_product) > 256 ? sizeof(sup_product) : 256, changed = 0, noticed = 0;
        for (size_t at = head + 3; at < bytes; at += 4) { /* the high byte of a float, or of half a double */
            if (memcmp(before.data + at - 3, after.data + at - 3, 4) == 0) continue;
            char old = after.data[at];
            after.data[at] = (char)(old ^ 0x10);
            changed++;
            noticed += !k->verify(after.work.state);
            after.data[at] = old;
        }
        assert_true(k->verify(after.work.state));
        if (k != &sup_kernel_dot) assert_true(changed > 50);
        if (noticed != changed) fail_msg("%s: %zu of %zu mistakes noticed", k->name, noticed, changed);
        strip(&before, k);
        strip(&after, k);
    }
}

static void dot_notices_its_sum(void **state) {
    (void)state;
    bed b;
    lay(&b, &sup_kernel_dot, 4096);
    assert_false(sup_kernel_dot.verify(b.work.state)); /* nothing summed yet */
    sup_kernel_dot.run(b.work.state, b.work.pass_iterations);
    assert_true(sup_kernel_dot.verify(b.work.state));
    double *last = (double *)(void *)(b.data + 1024);
    *last *= 2;
    assert_false(sup_kernel_dot.verify(b.work.state));
    strip(&b, &sup_kernel_dot);
}

/* However long it runs: no overflow, no denormal number, which would change the speed. */
static void values_stay_ordinary(void **state) {
    (void)state;
    const sup_kernel *iterated[] = {&sup_kernel_stencil5, &sup_kernel_stencil9, &sup_kernel_wave};
    for (size_t i = 0; i < 3; i++) {
        bed b;
        lay(&b, iterated[i], 4096);
        iterated[i]->run(b.work.state, 20001 * b.work.pass_iterations);
        const sup_grid *g = b.work.state;
        for (uint64_t j = 0; j < g->side * g->side; j++) {
            assert_true(isfinite(g->first[j]) && fabs(g->first[j]) < 1e3);
            if (iterated[i] != &sup_kernel_wave) assert_true(g->first[j] >= 1.0 && g->first[j] <= 2.0);
        }
        strip(&b, iterated[i]);
    }
}

static void too_little_memory_is_refused(void **state) {
    (void)state;
    _Alignas(64) char memory[64];
    for (size_t i = 0; sup_kernels[i]; i++) {
        sup_kernel_work work;
        assert_int_not_equal(sup_kernels[i]->setup(memory, sizeof memory, &work), 0);
        assert_int_not_equal(sup_kernels[i]->setup(memory, 0, &work), 0);
    }
}

static void table_is_sound(void **state) {
    (void)state;
    size_t count = 0;
    for (; sup_kernels[count]; count++) {
        const sup_kernel *k = sup_kernels[count];
        assert_int_equal(k->abi, SUP_KERNEL_ABI);
        assert_int_equal(k->size, sizeof *k);
        assert_ptr_equal(sup_kernel_find(k->name), k);
        assert_true(k->unit[0] && k->bytes_per_unit >= 0 && k->flops_per_unit >= 0 && k->least_bytes > 0);
    }
    assert_int_equal(count, 14);
    assert_null(sup_kernel_find("no such kernel"));
}

/* An iteration of large data is a piece of a pass: samples stay short. */
static void large_data_is_visited_in_pieces(void **state) {
    (void)state;
    for (size_t i = 0; sup_kernels[i]; i++) {
        const sup_kernel *k = sup_kernels[i];
        if (!available(k)) continue;
        bed b;
        lay(&b, k, (size_t)16 << 20);
        assert_true(b.work.pass_units / b.work.pass_iterations <= (uint64_t)1 << 24);
        assert_true(b.work.pass_iterations >= 10);
        strip(&b, k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_at_many_sizes),
        cmocka_unit_test(wrong_is_noticed),
        cmocka_unit_test(dot_notices_its_sum),
        cmocka_unit_test(values_stay_ordinary),
        cmocka_unit_test(too_little_memory_is_refused),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(large_data_is_visited_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
