/* Memory: aligned, zero, present, and honest about what was refused. */
#include "../sanitized.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void aligned_and_zero(void **state) {
    (void)state;
    static const size_t aligns[] = {0, 1, 8, 64, 4096, 65536, (size_t)1 << 21, (size_t)1 << 24};
    static const size_t sizes[] = {1, 63, 4096, 4097, 1000000, ((size_t)3 << 20) + 1};
    for (size_t a = 0; a < sizeof aligns / sizeof *aligns; a++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            sup_memory m;
            assert_int_equal(sup_memory_alloc(sizes[s], aligns[a], 0, NULL, &m), SUP_OK);
            assert_int_equal((uintptr_t)m.data % (aligns[a] ? aligns[a] : 64), 0);
            assert_int_equal(m.size, sizes[s]);
            char *p = m.data;
            for (size_t i = 0; i < sizes[s]; i++) assert_int_equal(p[i], 0);
            memset(p, 0x5a, sizes[s]);
            sup_memory_free(&m);
            assert_null(m.data);
            sup_memory_free(&m);
        }
}

static void prefault_makes_resident(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = 64;
    unsigned char present[64];
    sup_memory m;
    assert_int_equal(sup_memory_alloc(page * pages, 0, 0, NULL, &m), SUP_OK);
    sup_memory_free(&m);
    assert_int_equal(sup_memory_alloc(page * pages, page, SUP_MEMORY_PREFAULT, NULL, &m), SUP_OK);
    assert_int_equal(mincore(m.data, page * pages, present), 0);
    for (size_t i = 0; i < pages; i++) assert_true(present[i] & 1);
    assert_int_equal(m.locked, SUP_EBUSY);
    sup_memory_free(&m);
}

/* In a child, because a limit once lowered stays. As root the limit does not bind: give root's privilege up first. */
static int lock_with_limit(rlim_t limit) {
    pid_t child = fork();
    if (child == 0) {
        struct rlimit r = {limit, limit};
        if (setrlimit(RLIMIT_MEMLOCK, &r) != 0) _exit(100);
        if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(101);
        sup_memory m;
        if (sup_memory_alloc(1 << 20, 0, SUP_MEMORY_LOCK, NULL, &m) != SUP_OK) _exit(102);
        memset(m.data, 1, m.size);
        int locked = -m.locked;
        sup_memory_free(&m);
        _exit(locked);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -200;
}

static void refused_lock_is_soft(void **state) {
    (void)state;
    if (SANITIZED) skip(); /* mlock does nothing there */
    assert_int_equal(lock_with_limit(0), SUP_EPERM);
    assert_int_equal(lock_with_limit(65536), SUP_ENOMEM);
}

static void lock_where_permitted(void **state) {
    (void)state;
    sup_memory m;
    assert_int_equal(sup_memory_alloc(8192, 0, SUP_MEMORY_LOCK, NULL, &m), SUP_OK);
    assert_true(m.locked == SUP_OK || m.locked == SUP_EPERM || m.locked == SUP_ENOMEM);
    sup_memory_free(&m);
}

static void huge_advice(void **state) {
    (void)state;
    sup_memory m;
    assert_int_equal(sup_memory_alloc((size_t)5 << 20, 0, SUP_MEMORY_HUGE | SUP_MEMORY_PREFAULT, NULL, &m), SUP_OK);
    assert_true(m.huge == SUP_OK || m.huge == SUP_ENOTSUP);
    assert_int_equal((uintptr_t)m.data % ((size_t)2 << 20), 0);
    sup_memory_free(&m);
}

static void bad_requests(void **state) {
    (void)state;
    sup_memory m = {.size = 77};
    sup_diag d;
    assert_int_equal(sup_memory_alloc(1, 3, 0, &d, &m), SUP_EINVAL);
    assert_string_equal(d.text, "alignment 3 is not a power of two");
    assert_int_equal(sup_memory_alloc(1, 0, 0x100, &d, &m), SUP_EINVAL);
    assert_int_equal(sup_memory_alloc(SIZE_MAX, 0, 0, &d, &m), SUP_ENOMEM);
    assert_int_equal(sup_memory_alloc(SIZE_MAX - 4096, 64, 0, &d, &m), SUP_ENOMEM);
    assert_int_equal(sup_memory_alloc(PTRDIFF_MAX - 8192, (size_t)1 << 30, 0, &d, &m), SUP_ENOMEM);
    assert_int_equal(sup_memory_alloc(1, (SIZE_MAX >> 1) + 1, 0, &d, &m), SUP_ENOMEM);
    assert_int_equal(m.size, 77); /* untouched on failure */
    assert_int_equal(sup_memory_alloc(0, 0, SUP_MEMORY_LOCK, &d, &m), SUP_OK);
    assert_null(m.data);
    sup_memory_free(&m);
    sup_memory_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_and_zero),     cmocka_unit_test(prefault_makes_resident),
        cmocka_unit_test(refused_lock_is_soft), cmocka_unit_test(lock_where_permitted),
        cmocka_unit_test(huge_advice),          cmocka_unit_test(bad_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
