/* bench/heap: what allocation costs in the heap of BSP processes, beside the C library's and, where it is installed,
 * mimalloc in an arena of the same kind of memory; and what the first touch of a large block costs beside private
 * memory in pages of 4 KiB. Each allocator replays the same sizes and the same order of blocks given back.
 *
 *     small      16 B … 256 B, 4096 blocks live
 *     mixed      16 B … 32 KiB, as many small ones as large ones in bytes, 4096 blocks live
 *     large      64 KiB … 4 MiB, 16 live, one byte of each written
 *     threads    small, by two threads at once
 *     touch      a block of 17 and 64 MiB, each page written, given back
 *
 * What processes that touch at once cost each other is bench_touch's. */
#include "harness.h"

#include "base/clock.h"
#include "bsp/heap/heap.h"

#ifdef BENCH_MIMALLOC
#include <mimalloc.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIVE_MOST = 4096, STEPS = 8192, THREADS = 2 };
static const size_t arena_bytes = (size_t)1 << 32;

typedef struct allocator {
    const char *name;
    void *(*take)(void *self, size_t n);
    void (*give)(void *self, void *p);
    void *(*enter)(void); /* NULL: take and give need nothing of the thread */
    void (*leave)(void *self);
} allocator;

/* ---- allocators ---- */

static void *heap_take(void *self, size_t n) {
    (void)self;
    return sup_heap_alloc(n);
}

static void heap_give(void *self, void *p) {
    (void)self;
    (void)sup_heap_free(p);
}

/* By glibc's second names: mimalloc's library has functions of the first ones. */
extern void *__libc_malloc(size_t n);
extern void __libc_free(void *p);

static void *libc_take(void *self, size_t n) {
    (void)self;
    return __libc_malloc(n);
}

static void libc_give(void *self, void *p) {
    (void)self;
    __libc_free(p);
}

static const allocator ours = {.name = "heap", .take = heap_take, .give = heap_give};
static const allocator libc = {.name = "C library", .take = libc_take, .give = libc_give};

static void *arena_map(void) {
    int fd = memfd_create("bench-heap", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)arena_bytes)) return NULL;
    size_t align = (size_t)64 << 20;
    char *room = mmap(NULL, arena_bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return NULL;
    room += -(uintptr_t)room & (align - 1);
    void *at = mmap(room, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

#ifdef BENCH_MIMALLOC
static mi_arena_id_t arena;
static void *mi_take(void *self, size_t n) { return mi_heap_malloc(self, n); }
static void mi_give(void *self, void *p) {
    (void)self;
    mi_free(p);
}
static void *mi_enter(void) { return mi_heap_new_in_arena(arena); }
static void mi_leave(void *self) { mi_heap_delete(self); }
static const allocator mimalloc = {
    .name = "mimalloc", .take = mi_take, .give = mi_give, .enter = mi_enter, .leave = mi_leave};
static bool mimalloc_start(void) {
    void *at = arena_map();
    return at && mi_manage_os_memory_ex(at, arena_bytes, true, false, true, -1, true, &arena);
}
#endif

/* ---- cases ---- */

typedef struct work {
    const char *name;
    size_t least;
    int doublings, live;
    int threads; /* 1: on this thread */
} work;

typedef struct run {
    const allocator *with;
    const work *what;
    long reps;
    bool failed;
} run;

/* The same for all allocators: sizes equally likely in each doubling. */
static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static size_t size_of(const work *w, uint64_t *state) {
    size_t base = w->least << next(state) % (uint64_t)w->doublings;
    return base + next(state) % base;
}

/* A repetition replaces STEPS blocks. */
static bool replay(run *r, void *self) {
    unsigned char **block = calloc((size_t)r->what->live, sizeof *block);
    const allocator *a = r->with;
    uint64_t state = 1;
    bool fine = block != NULL;
    for (long i = 0; fine && i < r->reps * (r->what->live < STEPS / 4 ? 256 : STEPS); i++) {
        unsigned char **at = &block[next(&state) % (uint64_t)r->what->live];
        if (*at) a->give(self, *at);
        *at = a->take(self, size_of(r->what, &state));
        fine = *at != NULL;
        if (fine) **at = 1;
    }
    for (int i = 0; block && i < r->what->live; i++)
        if (block[i]) a->give(self, block[i]);
    free(block);
    return fine;
}

static void *thread(void *context) {
    run *r = context;
    void *self = r->with->enter ? r->with->enter() : NULL;
    r->failed = (r->with->enter && !self) || !replay(r, self);
    if (self) r->with->leave(self);
    return NULL;
}

static bool batch(void *context, long reps, double *seconds, bool *disturbed) {
    run each[THREADS];
    pthread_t id[THREADS];
    const run *r = context;
    int count = r->what->threads, started = 1;
    *disturbed = false;
    for (int i = 0; i < count; i++) each[i] = (run){r->with, r->what, reps, false};
    double begin = sup_clock_now();
    while (started < count && !pthread_create(&id[started], NULL, thread, &each[started])) started++;
    thread(&each[0]);
    for (int i = 1; i < started; i++) pthread_join(id[i], NULL);
    *seconds = sup_clock_now() - begin;
    bool fine = started == count;
    for (int i = 0; i < started; i++) fine = fine && !each[i].failed;
    return fine;
}

static void race(bench *b, const work *w, bool with_mimalloc) {
    run a = {&ours, w, 0, false}, c = {&libc, w, 0, false};
    bench_contender list[3] = {{.name = "heap", .batch = batch, .context = &a},
                               {.name = "C library", .batch = batch, .context = &c}};
    int count = 2;
#ifdef BENCH_MIMALLOC
    run m = {&mimalloc, w, 0, false};
    if (with_mimalloc) list[count++] = (bench_contender){.name = "mimalloc", .batch = batch, .context = &m};
#endif
    bench_race(b, list, count);
    double scale = 1e9 / (w->live < STEPS / 4 ? 256 : STEPS);
    bench_row(b, w->name, bench_scaled(list[0].time_s, scale), "ns", bench_scaled(list[1].time_s, scale), "C library",
              NULL);
    bench_value other = with_mimalloc ? bench_scaled(list[2].time_s, scale) : BENCH_ABSENT;
    bench_row(b, w->name, bench_scaled(list[0].time_s, scale), "ns", other, "mimalloc", "<= 1.05");
}

/* ---- first touch ---- */

typedef struct touch {
    size_t bytes;
    bool private;
} touch;

static void touch_once(const touch *t) {
    char *p = t->private ? mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                         : sup_heap_alloc(t->bytes);
    if (!p || p == MAP_FAILED) abort();
    if (t->private) (void)madvise(p, t->bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < t->bytes; i += 4096) p[i] = 1;
    if (t->private)
        munmap(p, t->bytes);
    else
        sup_heap_free(p);
}

static void touches(void *context, long reps) {
    while (reps-- > 0) touch_once(context);
}

static bool touch_batch(void *context, long reps, double *seconds, bool *disturbed) {
    return bench_timed(touches, context, reps, seconds, disturbed);
}

/* The heap keeps less than 16 MiB for the next block, so that only what is larger is touched for the first time. */
static void touch_race(bench *b, const char *name, size_t mib) {
    touch heap = {mib << 20, false}, private = {mib << 20, true};
    bench_contender c[] = {{.name = "heap", .batch = touch_batch, .context = &heap},
                           {.name = "private", .batch = touch_batch, .context = &private}};
    bench_race(b, c, 2);
    double pages = (double)mib * 256;
    bench_row(b, name, bench_scaled(c[0].time_s, 1e6 / pages), "us/page", bench_scaled(c[1].time_s, 1e6 / pages),
              "private, 4 KiB pages", "<= 1.3");
}

int main(int argc, char **argv) {
    static const work all[] = {{"small", 16, 4, 4096, 1},
                               {"mixed", 16, 11, 4096, 1},
                               {"large", 65536, 6, 16, 1},
                               {"small, 2 threads", 16, 4, 4096, THREADS}};
    bench b;
    int rc = bench_begin(&b, "heap", argc, argv);
    if (rc >= 0) return rc;
    void *at = arena_map();
    if (!at || sup_heap_start(at, arena_bytes)) return EXIT_FAILURE;
    bool with_mimalloc = false;
#ifdef BENCH_MIMALLOC
    with_mimalloc = mimalloc_start();
#endif
    touch_race(&b, "first touch, 17 MiB", 17);
    touch_race(&b, "first touch, 64 MiB", 64);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) race(&b, &all[i], with_mimalloc);
    return bench_end(&b);
}
