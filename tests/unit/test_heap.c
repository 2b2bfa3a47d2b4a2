/* The heap of a BSP process without the interposer. The heap starts once in a process, so every scenario runs in a
 * child of its own, with checks that end the child; the parent only looks at how it ended. */
#include "../sanitized.h"
#include "base/number/random.h"
#include "heap_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 65536 };
#define MIB ((size_t)1 << 20)

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                       \
        }                                                                   \
    } while (0)

static sup_heap_figures checked(void) {
    sup_heap_figures f = {0};
    sup_diag diag;
    if (sup_heap_check(&diag, &f) != SUP_OK) {
        fprintf(stderr, "heap: %s\n", diag.text);
        _exit(1);
    }
    return f;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static unsigned char *arena(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(p != MAP_FAILED);
    return p;
}

/* A started heap with exactly so many pages. */
static unsigned char *start(size_t pages) {
    unsigned char *p = arena((pages + 1) * PAGE);
    size_t skip = -(uintptr_t)p % PAGE;
    CHECK(sup_heap_start(p + skip, pages * PAGE) == SUP_OK);
    CHECK(checked().pages == pages);
    return p + skip;
}

static void in_child(void (*scenario)(void)) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        scenario();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define IN_CHILD(name)                      \
    static void test_##name(void **state) { \
        (void)state;                        \
        in_child(name);                     \
    }

/* ---- the model: blocks with a pattern in them ---- */

typedef struct block {
    unsigned char *p;
    size_t n;
    unsigned char fill;
} block;

/* Large blocks are looked at in places, both ends among them: overlaps touch an end of one of the two. */
static size_t stride_of(size_t n) { return n > 4096 ? 509 : 1; }

static void block_fill(block *b) {
    for (size_t i = 0; i < b->n; i += stride_of(b->n)) b->p[i] = (unsigned char)(b->fill + i);
    if (b->n) b->p[b->n - 1] = b->fill;
}

static bool block_intact(const block *b, size_t n) {
    for (size_t i = 0; i < n && i + 1 < b->n; i += stride_of(b->n))
        if (b->p[i] != (unsigned char)(b->fill + i)) return false;
    return n < b->n || n == 0 || b->p[n - 1] == b->fill;
}

static size_t random_size(sup_random *r) {
    unsigned kind = (unsigned)sup_random_below(r, 100);
    if (kind < 60) return sup_random_below(r, 300);
    if (kind < 85) return sup_random_below(r, 33000);
    if (kind < 99) return sup_random_below(r, 400000);
    return sup_random_below(r, 20 * MIB);
}

static void block_take(block *b, sup_random *r) {
    size_t n = random_size(r), align = (size_t)1 << sup_random_below(r, 19);
    unsigned how = (unsigned)sup_random_below(r, 8);
    unsigned char *p = how < 5 ? sup_heap_alloc(n) : how < 7 ? sup_heap_zalloc(n) : sup_heap_aligned(align, n);
    if (!p) return;
    CHECK((uintptr_t)p % (how == 7 && align > 16 ? align : 16) == 0);
    CHECK(sup_heap_owns(p) && sup_heap_owns(p + (n ? n - 1 : 0)));
    CHECK(sup_heap_usable(p) >= n);
    for (size_t i = 0; (how == 5 || how == 6) && i<n; i += n> MIB ? 61 : 1) CHECK(p[i] == 0);
    *b = (block){p, n, (unsigned char)sup_random_below(r, 256)};
    block_fill(b);
}

static void block_change(block *b, sup_random *r) {
    size_t n = random_size(r);
    void *q;
    sup_status status = sup_heap_realloc(b->p, n, &q);
    if (status == SUP_ENOMEM) return;
    CHECK(status == SUP_OK && (uintptr_t)q % 16 == 0 && sup_heap_usable(q) >= n);
    block old = {q, b->n, b->fill};
    CHECK(block_intact(&old, n < b->n ? n : b->n));
    *b = (block){q, n, b->fill};
    block_fill(b);
}

enum { BLOCKS = 1500 };

static void model_steps(block *blocks, size_t count, sup_random *r, int steps, bool alone) {
    for (int i = 0; i < steps; i++) {
        block *b = &blocks[sup_random_below(r, count)];
        if (!b->p) {
            block_take(b, r);
            continue;
        }
        CHECK(block_intact(b, b->n));
        if (sup_random_below(r, 3) == 0) {
            block_change(b, r);
        } else {
            CHECK(sup_heap_free(b->p) == SUP_OK);
            if (alone) CHECK(sup_heap_free(b->p) == SUP_EINVAL); /* else it may be another thread's by now */
            b->p = NULL;
        }
    }
}

static void model_of(size_t pages, uint64_t seed) {
    static block blocks[BLOCKS];
    sup_random r = {.state = seed};
    start(pages);
    for (int round = 0; round < (SANITIZED ? 3 : 8); round++) {
        model_steps(blocks, BLOCKS, &r, 2000, true);
        size_t live = 0;
        for (int i = 0; i < BLOCKS; i++) live += blocks[i].p != NULL;
        CHECK(checked().blocks == live);
    }
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].p) CHECK(block_intact(&blocks[i], blocks[i].n) && sup_heap_free(blocks[i].p) == SUP_OK);
    sup_heap_figures f = checked();
    CHECK(f.blocks == 0 && f.slabs <= 40);
    CHECK(f.free + f.slabs == f.reached);
}

static void model_roomy(void) { model_of(16384, 1); }
static void model_tight(void) { model_of(700, 2); } /* most large requests fail */
IN_CHILD(model_roomy)
IN_CHILD(model_tight)

/* ---- the rules one by one ---- */

static void classes(void) {
    start(4096);
    for (size_t n = 0; n <= 70000; n += n < 2000 ? 1 : 37) {
        unsigned char *p = sup_heap_alloc(n), *q = sup_heap_alloc(n);
        CHECK(p && q && p != q);
        size_t usable = sup_heap_usable(p);
        CHECK(usable >= n && usable >= 16 && (n < 16 || usable <= n + n / 4 + 16));
        CHECK(q >= p + usable || p >= q + usable);
        CHECK(sup_heap_free(p) == SUP_OK && sup_heap_free(q) == SUP_OK);
    }
    checked();
}
IN_CHILD(classes)

static void alignment(void) {
    start(8192);
    for (size_t align = 1; align <= 64 * MIB; align *= 2)
        for (size_t n = 0; n <= 200000; n = n * 3 + 7) {
            unsigned char *p = sup_heap_aligned(align, n), *q = sup_heap_aligned(align, n);
            CHECK(p && q && (uintptr_t)p % align == 0 && (uintptr_t)q % align == 0);
            CHECK(sup_heap_usable(p) >= n);
            memset(p, 1, n);
            memset(q, 2, n);
            CHECK(n == 0 || (p[0] == 1 && p[n - 1] == 1));
            CHECK(sup_heap_free(p) == SUP_OK && sup_heap_free(q) == SUP_OK);
            checked();
        }
    CHECK(!sup_heap_aligned((size_t)1 << 62, 1) && !sup_heap_aligned(64, SIZE_MAX) && !sup_heap_aligned(MIB, SIZE_MAX));
    CHECK(checked().blocks == 0);
}
IN_CHILD(alignment)

static void exhaustion(void) {
    static void *small[20000];
    start(16);
    CHECK(!sup_heap_alloc(SIZE_MAX) && !sup_heap_alloc(PTRDIFF_MAX) && !sup_heap_alloc(17 * PAGE));
    CHECK(!sup_heap_zalloc(17 * PAGE));
    errno = 0;
    for (int round = 0; round < 3; round++) {
        void *all = sup_heap_alloc(16 * PAGE);
        CHECK(all && !sup_heap_alloc(1) && !sup_heap_alloc(PAGE));
        memset(all, 1, 16 * PAGE);
        CHECK(sup_heap_free(all) == SUP_OK);
        size_t count = 0;
        while ((small[count] = sup_heap_alloc(100))) memset(small[count++], 2, 100);
        CHECK(count == 16 * (PAGE / 112) && !sup_heap_alloc(100) && !sup_heap_alloc(40000));
        /* The block stays what it was when it cannot grow, and may always shrink. */
        void *q = NULL;
        CHECK(sup_heap_realloc(small[5], 5000, &q) == SUP_ENOMEM && q == NULL && *(char *)small[5] == 2);
        CHECK(sup_heap_realloc(small[5], 1, &q) == SUP_OK && *(char *)q == 2);
        checked();
        CHECK(sup_heap_free(q) == SUP_OK);
        CHECK((small[5] = sup_heap_alloc(100)));
        for (size_t i = 0; i < count; i++) CHECK(sup_heap_free(small[i]) == SUP_OK);
        CHECK(checked().blocks == 0);
    }
    CHECK(errno == 0);
}
IN_CHILD(exhaustion)

static void misuse(void) {
    unsigned char *base = start(64), *p = sup_heap_alloc(48), *large = sup_heap_alloc(100000);
    CHECK(sup_heap_free(p + 16) == SUP_EINVAL && sup_heap_free(p + 1) == SUP_EINVAL);
    CHECK(sup_heap_free(p + 48) == SUP_EINVAL); /* a block, but free */
    CHECK(sup_heap_free(large + 16) == SUP_EINVAL && sup_heap_free(large + PAGE) == SUP_EINVAL);
    CHECK(sup_heap_free(base + 60 * PAGE) == SUP_EINVAL);
    CHECK(sup_heap_free(base + 65 * PAGE) == SUP_ENOENT && !sup_heap_owns(base + 64 * PAGE) && !sup_heap_owns(NULL));
    void *q = NULL;
    CHECK(sup_heap_realloc(p + 16, 5, &q) == SUP_EINVAL && !q && sup_heap_usable(p + 16) == 0);
    CHECK(sup_heap_free(p) == SUP_OK && sup_heap_free(p) == SUP_EINVAL);
    CHECK(sup_heap_free(large) == SUP_OK && sup_heap_free(large) == SUP_EINVAL);
    /* The end of a 24 KiB slab is no block. */
    unsigned char *odd = sup_heap_alloc(24576);
    CHECK(sup_heap_free(odd + (size_t)2 * 24576) == SUP_EINVAL && sup_heap_free(odd) == SUP_OK);
    CHECK(sup_heap_start(base, 64 * PAGE) == SUP_EBUSY);
    CHECK(checked().blocks == 0);
}
IN_CHILD(misuse)

static void starting(void) {
    unsigned char *p = arena(4 * PAGE), *q = p + -(uintptr_t)p % PAGE;
    CHECK(!sup_heap_alloc(1) && !sup_heap_zalloc(MIB) && !sup_heap_aligned(64, 1) && !sup_heap_owns(p));
    CHECK(sup_heap_start(NULL, MIB) == SUP_EINVAL && sup_heap_start(q, PAGE - 1) == SUP_EINVAL);
    CHECK(sup_heap_start(q + 1, PAGE) == SUP_EINVAL && sup_heap_start(q, SIZE_MAX) == SUP_EINVAL);
    CHECK(sup_heap_check(NULL, NULL) == SUP_EINVAL);
    CHECK(sup_heap_start(q + 4096, 2 * PAGE) == SUP_OK); /* one whole page lies in there */
    CHECK(checked().pages == 1 && sup_heap_alloc(PAGE) == q + PAGE && !sup_heap_alloc(1));
}
IN_CHILD(starting)

static void stopping(void) {
    start(64);
    unsigned char *p = sup_heap_alloc(100), *q = sup_heap_alloc(200000);
    memset(p, 7, 100);
    sup_heap_stop();
    void *r = NULL;
    CHECK(!sup_heap_alloc(1) && !sup_heap_zalloc(1) && !sup_heap_aligned(4096, 1));
    CHECK(sup_heap_realloc(p, 50, &r) == SUP_ENOMEM && sup_heap_owns(p) && sup_heap_usable(p) == 112 && p[99] == 7);
    CHECK(sup_heap_free(p) == SUP_OK && sup_heap_free(q) == SUP_OK && sup_heap_free(q) == SUP_EINVAL);
    CHECK(checked().blocks == 0);
}
IN_CHILD(stopping)

static void resizing(void) {
    start(1024);
    void *q;
    unsigned char *p = sup_heap_alloc(100000);
    memset(p, 9, 100000);
    CHECK(sup_heap_realloc(p, 30 * MIB, &q) == SUP_OK && q == p);   /* into pages never reached */
    CHECK(sup_heap_realloc(p, 2 * PAGE, &q) == SUP_OK && q == p);   /* the rest becomes a free run */
    CHECK(checked().free == 478 && checked().dirty == 0);           /* more than 16 MiB: given back */
    CHECK(sup_heap_realloc(p, 100 * PAGE, &q) == SUP_OK && q == p); /* into that */
    CHECK(sup_heap_realloc(p, 40 * MIB, &q) == SUP_OK && q == p);   /* and past its end */
    CHECK(sup_heap_usable(p) == 40 * MIB && checked().free == 0 && p[99999] == 9);
    unsigned char *wall = sup_heap_alloc(PAGE);
    CHECK(sup_heap_realloc(p, 41 * MIB, &q) == SUP_ENOMEM); /* 64 MiB in all, and the wall in the way */
    CHECK(sup_heap_realloc(p, 5 * PAGE, &q) == SUP_OK && q == p);
    CHECK(sup_heap_realloc(p, 1000 * PAGE, &q) == SUP_ENOMEM && sup_heap_usable(p) == 5 * PAGE);
    CHECK(sup_heap_realloc(p, 100, &q) == SUP_OK && q != p && sup_heap_usable(q) == 112);
    for (int i = 0; i < 100; i++) CHECK(((unsigned char *)q)[i] == 9);
    CHECK(sup_heap_free(q) == SUP_OK && sup_heap_free(wall) == SUP_OK && checked().blocks == 0);
}
IN_CHILD(resizing)

static size_t resident(void *p, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
    unsigned char *present = malloc(bytes / page + 1);
    CHECK(present && mincore(p, bytes, present) == 0);
    for (size_t i = 0; i < bytes / page; i++) count += present[i] & 1;
    free(present);
    return count * page;
}

static void memory_goes_back(void) {
    unsigned char *base = start(2048), *p = sup_heap_alloc(32 * MIB);
    memset(p, 1, 32 * MIB);
    CHECK(resident(base, 32 * MIB) == 32 * MIB);
    CHECK(sup_heap_free(p) == SUP_OK && resident(base, 32 * MIB) == 0);
    /* In pieces as well, whatever their order; what is there is less than 16 MiB a run. */
    static void *piece[512];
    for (int i = 0; i < 512; i++) CHECK((piece[i] = sup_heap_alloc(PAGE)) && memset(piece[i], 1, PAGE));
    for (int i = 0; i < 512; i++) CHECK(sup_heap_free(piece[(i * 5) % 512]) == SUP_OK);
    CHECK(resident(base, 32 * MIB) < 16 * MIB && checked().dirty * PAGE >= resident(base, 32 * MIB));
    /* Zeroed memory is not touched where it is known to be zero, and is zero where not. */
    CHECK((p = sup_heap_zalloc(100 * MIB)) == base && resident(p, 100 * MIB) == 0);
    for (size_t i = 0; i < 100 * MIB; i += 1000) CHECK(p[i] == 0);
    CHECK(sup_heap_free(p) == SUP_OK && (p = sup_heap_alloc(MIB)) && memset(p, 3, MIB) && sup_heap_free(p) == SUP_OK);
    CHECK((p = sup_heap_zalloc(MIB)) == base);
    for (size_t i = 0; i < MIB; i++) CHECK(p[i] == 0);
}
IN_CHILD(memory_goes_back)

/* New blocks are filled when that was asked for: of large ones the beginning, and no more than was said; memory that
 * has gone back may be filled again. */
static void filling(void) {
    unsigned char *base = start(4096), *p;
    CHECK((p = sup_heap_alloc(MIB)) && resident(base, 4 * MIB) == 0 && sup_heap_free(p) == SUP_OK);
    if (madvise(base, PAGE, MADV_POPULATE_WRITE) != 0) return; /* before Linux 5.14 */
    sup_heap_fill_up_to(80 * MIB);
    errno = 7;
    CHECK((p = sup_heap_zalloc(20 * MIB)) && resident(base, 128 * MIB) > 19 * MIB && errno == 7);
    for (size_t i = 0; i < 20 * MIB; i++) CHECK(p[i] == 0);
    CHECK(sup_heap_free(p) == SUP_OK && resident(base, 128 * MIB) == 0);
    CHECK((p = sup_heap_aligned(4096, 30 * MIB)) && resident(base, 256 * MIB) == 30 * MIB);
    CHECK(sup_heap_alloc(51 * MIB) && resident(base, 256 * MIB) == 30 * MIB);
    CHECK(sup_heap_alloc(9 * MIB) && resident(base, 256 * MIB) > 38 * MIB);
    CHECK(sup_heap_free(p) == SUP_OK && resident(base, 256 * MIB) < 10 * MIB);
    CHECK((p = sup_heap_aligned(4096, 100 * MIB)) && resident(p, 100 * MIB) == 64 * MIB);
}
IN_CHILD(filling)

/* Large blocks of equal size begin at offsets that differ, within 4 KiB as well; in the same place at the same one; and
 * where there is only just room a block begins with its page. */
static void colours(void) {
    enum { COUNT = 24 };
    unsigned char *p[COUNT], *base = start(2048);
    for (size_t n = MIB / 2; n <= 4 * MIB; n *= 2) {
        for (int i = 0; i < COUNT; i++) CHECK((p[i] = sup_heap_alloc(n)) && (uintptr_t)p[i] % 64 == 0);
        for (int i = 1; i < COUNT; i++) CHECK(((uintptr_t)p[i] ^ (uintptr_t)p[i - 1]) % 4096 != 0);
        CHECK(sup_heap_free(p[3]) == SUP_OK && sup_heap_alloc(n) == p[3]);
        for (int i = 0; i < COUNT; i++) CHECK(sup_heap_free(p[i]) == SUP_OK);
    }
    CHECK(sup_heap_alloc(2048 * PAGE) == base);
}
IN_CHILD(colours)

/* A comb of 10^5 holes: every second page free. Then holes of all lengths, and the best of them is found. */
static void fragmentation(void) {
    enum { COMB = 200000 };
    unsigned char **p = malloc(COMB * sizeof *p);
    unsigned char *base = start(COMB + 1000);
    for (int i = 0; i < COMB; i++) CHECK((p[i] = sup_heap_alloc(40000)));
    for (int i = 0; i < COMB; i += 2) CHECK(sup_heap_free(p[(i * 7919ll) % COMB]) == SUP_OK);
    CHECK(checked().free == COMB / 2);
    for (int i = 0; i < COMB / 2; i++) CHECK(sup_heap_alloc(50000) == base + (size_t)i * 2 * PAGE); /* lowest first */
    CHECK(checked().free == 0);
    /* Holes of 1, 2, … 400 pages with walls between: a request takes the hole that fits exactly. */
    for (int i = 0; i < COMB; i++) CHECK(sup_heap_free(base + (size_t)i * PAGE) == SUP_OK);
    CHECK(checked().free == COMB);
    for (int i = 1; i <= 400; i++) {
        CHECK((p[i] = sup_heap_alloc((size_t)i * PAGE)));
        CHECK(sup_heap_alloc(PAGE));
    }
    for (int i = 1; i <= 400; i++) CHECK(sup_heap_free(p[(i * 7) % 401]) == SUP_OK);
    checked();
    for (int i = 400; i >= 1; i--) {
        unsigned char *again = sup_heap_alloc((size_t)i * PAGE - 5);
        CHECK((again - base) / PAGE == (p[i] - base) / PAGE);
    }
    checked();
    free(p);
}
IN_CHILD(fragmentation)

/* One block left in every slab: the room in them is used before new pages are. */
static void sparse_slabs(void) {
    enum { COUNT = 100 * 1024 };
    void **p = malloc(COUNT * sizeof *p);
    start(1000);
    for (int i = 0; i < COUNT; i++) CHECK((p[i] = sup_heap_alloc(64)));
    CHECK(checked().slabs == 100);
    for (int i = 0; i < COUNT; i++)
        if (i % 1024) CHECK(sup_heap_free(p[i]) == SUP_OK);
    CHECK(checked().slabs == 100 && checked().blocks == 100);
    for (int i = 0; i < COUNT; i++)
        if (i % 1024) CHECK((p[i] = sup_heap_alloc(64)));
    CHECK(checked().slabs == 100 && checked().reached == 100);
    for (int i = 0; i < COUNT; i++) CHECK(sup_heap_free(p[i]) == SUP_OK);
    CHECK(checked().slabs == 1 && checked().free == 99);
    free(p);
}
IN_CHILD(sparse_slabs)

/* ---- forks ---- */

static void forking(void) {
    start(256);
    unsigned char *p = sup_heap_alloc(100), *q = sup_heap_alloc(MIB);
    memset(p, 5, 100);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        void *r = NULL;
        CHECK(!sup_heap_alloc(10) && !sup_heap_zalloc(MIB) && !sup_heap_aligned(64, 10));
        CHECK(sup_heap_owns(p) && sup_heap_usable(p) == 112 && sup_heap_usable(q) == MIB);
        CHECK(sup_heap_realloc(p, 20, &r) == SUP_ENOMEM);
        CHECK(sup_heap_free(p) == SUP_OK && sup_heap_free(q) == SUP_OK && sup_heap_usable(p) == 112);
        CHECK(sup_heap_check(NULL, NULL) == SUP_EINVAL);
        sup_heap_stop();
        _exit(0);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(checked().blocks == 2 && p[99] == 5 && sup_heap_free(p) == SUP_OK && sup_heap_free(q) == SUP_OK);
}
IN_CHILD(forking)

/* With the file known, neither sees what the other writes after the fork: not to small blocks at all, and the parent
 * nothing of what the child writes. */
static void private_view(void) {
    enum { BYTES = 64 * 1024 * 1024, FIRST = 3 * 4096 };
    int fd = memfd_create("heap", 0), ready[2], status;
    CHECK(fd >= 0 && ftruncate(fd, BYTES) == 0 && pipe(ready) == 0);
    unsigned char *base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    CHECK(base != MAP_FAILED && sup_heap_backing(base, fd, 0) == SUP_EINVAL);
    CHECK(sup_heap_start(base + FIRST, BYTES - FIRST) == SUP_OK);
    CHECK(sup_heap_backing(base, -1, 0) == SUP_EINVAL && sup_heap_backing(base + 9 * PAGE, fd, 0) == SUP_EINVAL);
    CHECK(sup_heap_backing(base + FIRST, fd, FIRST) == SUP_OK &&
          sup_heap_backing(base + FIRST, fd, FIRST) == SUP_EBUSY);
    close(fd);
    unsigned char *small = sup_heap_alloc(5000), *run = sup_heap_alloc(500000), *large = sup_heap_alloc(20 * MIB);
    for (int round = 0; round < 3; round++) {
        memset(small, 1, 5000);
        memset(run, 2, 500000);
        memset(large, 3, 20 * MIB);
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            char byte;
            CHECK(read(ready[0], &byte, 1) == 1);
            CHECK(small[0] == 1 && small[4999] == 1 && run[0] == 2 && run[499999] == 2);
            memset(small, 7, 5000);
            memset(run, 7, 500000);
            memset(large, 7, 20 * MIB);
            CHECK(sup_heap_free(small) == SUP_OK && !sup_heap_alloc(1));
            pid_t grandchild = fork(); /* has its parent's view, copied as usual */
            if (grandchild == 0) _exit(small[0] != 7 || large[20 * MIB - 1] != 7);
            CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
            _exit(0);
        }
        memset(small, 4, 5000);
        memset(run, 5, 500000);
        CHECK(write(ready[1], "x", 1) == 1 && waitpid(pid, &status, 0) == pid && status == 0);
        CHECK(small[0] == 4 && small[4999] == 4 && run[0] == 5 && large[0] == 3 && large[20 * MIB - 1] == 3);
        checked();
    }
}
IN_CHILD(private_view)

/* ---- threads ---- */

enum { THREADS = 4, EACH = 200 };

static _Atomic int busy;

static void *worker(void *argument) {
    static block all[THREADS][EACH];
    size_t me = (size_t)(uintptr_t)argument;
    sup_random r = {.state = 77 + me};
    model_steps(all[me], EACH, &r, 6000, false);
    for (int i = 0; i < EACH; i++)
        if (all[me][i].p) CHECK(block_intact(&all[me][i], all[me][i].n) && sup_heap_free(all[me][i].p) == SUP_OK);
    busy--;
    return NULL;
}

static void threads(void) {
    pthread_t t[THREADS];
    start(8192);
    busy = THREADS;
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, worker, (void *)(uintptr_t)i) == 0);
    while (busy) {
        checked();
        usleep(1000);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    CHECK(checked().blocks == 0);
}
IN_CHILD(threads)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_roomy),   cmocka_unit_test(test_model_tight),
        cmocka_unit_test(test_classes),       cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_exhaustion),    cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_starting),      cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_resizing),      cmocka_unit_test(test_memory_goes_back),
        cmocka_unit_test(test_fragmentation), cmocka_unit_test(test_sparse_slabs),
        cmocka_unit_test(test_forking),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_private_view),  cmocka_unit_test(test_colours),
        cmocka_unit_test(test_filling),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
