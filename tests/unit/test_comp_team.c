/* Teams of threads: real threads, real kernels, no look at the time. One team does many kernels, sizes and numbers of
 * cores after each other, and keeps its memory. */
#include "kernels/kernels.h"
#include "measure/comp/team.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static sup_comp_setting setting_of(const sup_kernel *kernel, int active) {
    return (sup_comp_setting){.kernel = kernel, .active = active};
}

static void run_some(sup_team *t, int batches) {
    for (int i = 1; i <= batches; i++) {
        double seconds = -1.0;
        sup_status status = sup_team_run(t, (uint64_t)i, &seconds);
        assert_true((status == SUP_OK || status == SUP_EBUSY) && seconds >= 0.0);
    }
}

static void one_team_for_all(void **state) {
    (void)state;
    static const sup_kernel *const kernels[] = {&sup_kernel_triad, &sup_kernel_dot, &sup_kernel_dgemm,
                                                &sup_kernel_spmv};
    static const size_t bytes[] = {300000, 4096, 50000};
    sup_team *t = NULL;
    assert_int_equal(sup_team_new(NULL, NULL, &t), SUP_OK);
    for (int active = 3; active >= 1; active--)
        for (size_t k = 0; k < 4; k++)
            for (size_t b = 0; b < 3; b++) {
                sup_comp_setting s = setting_of(kernels[k], active);
                assert_int_equal(sup_team_prepare(t, &s, bytes[b], NULL), SUP_OK);
                const sup_kernel_work *work = sup_team_work(t);
                assert_true(work->footprint_bytes > bytes[b] / 4 && work->footprint_bytes <= bytes[b]);
                run_some(t, 5);
                assert_int_equal(sup_team_memory(t), 3 * bytes[0]); /* grown once, kept by all three workers */
            }
    sup_team_free(t);
}

/* Data that is set up anew begins with zeros; the same data is not set up again. */
static atomic_int setups, teardowns;

static int count_setup(void *memory, size_t bytes, sup_kernel_work *work) {
    const char *m = memory;
    for (size_t i = 0; i < bytes; i++)
        if (m[i]) return 1;
    atomic_fetch_add(&setups, 1);
    return sup_kernel_triad.setup(memory, bytes, work);
}

static void count_teardown(void *memory) { atomic_fetch_add(&teardowns, memory != NULL); }

static void sets_up_when_it_must(void **state) {
    (void)state;
    sup_kernel counting = sup_kernel_triad;
    counting.setup = count_setup;
    counting.teardown = count_teardown;
    sup_comp_setting s = setting_of(&counting, 1), other = setting_of(&sup_kernel_daxpy, 1);
    sup_team *t = NULL;
    setups = teardowns = 0;
    assert_int_equal(sup_team_new(NULL, NULL, &t), SUP_OK);
    assert_int_equal(sup_team_prepare(t, &s, 10000, NULL), SUP_OK);
    assert_int_equal(sup_team_prepare(t, &s, 10000, NULL), SUP_OK);
    assert_int_equal(setups, 1);
    run_some(t, 3);
    assert_int_equal(sup_team_prepare(t, &s, 20000, NULL), SUP_OK);
    assert_int_equal(sup_team_prepare(t, &s, 10000, NULL), SUP_OK);
    assert_int_equal(setups, 3);
    assert_int_equal(teardowns, 2);
    assert_int_equal(sup_team_prepare(t, &other, 9000, NULL), SUP_OK);
    assert_int_equal(teardowns, 3);
    assert_int_equal(sup_team_prepare(t, &s, 10000, NULL), SUP_OK);
    assert_true(counting.verify(sup_team_work(t)->state) == 0); /* no pass yet: z is not x + a·y */
    double seconds;
    sup_team_run(t, sup_team_work(t)->pass_iterations, &seconds);
    assert_true(counting.verify(sup_team_work(t)->state));
    sup_team_free(t);
    assert_int_equal(setups, 4);
    assert_int_equal(teardowns, 4);
}

static int impossible(void *memory, size_t bytes, sup_kernel_work *work) {
    *work = (sup_kernel_work){memory, 1, 1, bytes + 1};
    return 0;
}

/* A refusal leaves a team that can do other things. */
static void refusals(void **state) {
    (void)state;
    sup_kernel lies = sup_kernel_triad;
    lies.setup = impossible;
    lies.teardown = count_teardown;
    sup_team *t = NULL;
    sup_diag diag;
    assert_int_equal(sup_team_new(NULL, NULL, &t), SUP_OK);
    sup_comp_setting s = setting_of(&sup_kernel_triad, 2), bad = setting_of(&lies, 2), none = setting_of(&lies, 0);
    assert_int_equal(sup_team_prepare(t, &s, 64, &diag), SUP_EINVAL);
    assert_int_equal(sup_team_prepare(t, &s, SIZE_MAX / 2 + 1, &diag), SUP_ENOMEM);
    assert_int_equal(sup_team_prepare(t, &none, 4096, &diag), SUP_EINVAL);
    teardowns = 0;
    assert_int_equal(sup_team_prepare(t, &bad, 4096, &diag), SUP_EINVAL);
    assert_int_equal(teardowns, 2);
    assert_int_equal(sup_team_prepare(t, &s, 4096, &diag), SUP_OK);
    run_some(t, 3);
    sup_team_free(t);
    sup_team_free(NULL);
}

static bool always(void *context) { return context != NULL; }

/* Pinned workers, one of them of another class; the caller's own affinity comes back. */
static void pins_and_puts_back(void **state) {
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    int cpus[2], n = 0, some = 1;
    for (int c = 0; c < CPU_SETSIZE && n < 2; c++)
        if (CPU_ISSET(c, &before)) cpus[n++] = c;
    sup_team_options o = {.disturbed = always, .context = &some};
    sup_team *t = NULL;
    assert_int_equal(sup_team_new(&o, NULL, &t), SUP_OK);
    sup_comp_setting s = {.kernel = &sup_kernel_daxpy, .cpus = cpus, .active = n, .counted = 1};
    assert_int_equal(sup_team_prepare(t, &s, 8192, NULL), SUP_OK);
    double seconds = -1.0;
    assert_int_equal(sup_team_run(t, 10, &seconds), SUP_EBUSY); /* as the judge says */
    assert_true(seconds >= 0.0);
    sup_warning_code code;
    (void)sup_team_warning(t, &code);
    if (n == 2) { /* the same workers in another order */
        int turned[2] = {cpus[1], cpus[0]};
        s.cpus = turned;
        assert_int_equal(sup_team_prepare(t, &s, 4096, NULL), SUP_OK);
        assert_int_equal(sup_team_run(t, 10, &seconds), SUP_EBUSY);
        assert_int_equal(sup_team_memory(t), 2 * 8192);
    }
    sup_team_free(t);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_team_for_all), cmocka_unit_test(sets_up_when_it_must),
                                       cmocka_unit_test(refusals), cmocka_unit_test(pins_and_puts_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
