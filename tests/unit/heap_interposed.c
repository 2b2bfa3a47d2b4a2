/* malloc and its family as programs under libbsp get them: blocks of before the start, blocks of the heap, the border
 * between the two, threads, forks, and the C library itself as a user. 77 (skipped) where the interposer is empty. */
#include "base/number/random.h"
#include "heap_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define ARENA (512 * MIB)

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                       \
        }                                                                   \
    } while (0)

/* What the compiler does not know it does not optimise away or warn about. */
static volatile size_t huge = SIZE_MAX, odd = 100;
static void *(*volatile resize)(void *, size_t) = realloc;
static void (*volatile release)(void *) = free;
static void *keep(void *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}

static void check_heap(void) {
    sup_diag diag;
    if (sup_heap_check(&diag, NULL) == SUP_OK) return;
    fprintf(stderr, "heap: %s\n", diag.text);
    _exit(1);
}

static bool filled(const unsigned char *p, unsigned char with, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != with) return false;
    return true;
}

/* Blocks of before the start stay where they are and are freed and resized from there. */
static void check_border(unsigned char **before, const size_t *sizes, int count) {
    for (int i = 0; i < count; i++) {
        CHECK(!sup_heap_owns(before[i]) && filled(before[i], (unsigned char)i, sizes[i]));
        CHECK(malloc_usable_size(before[i]) >= sizes[i]);
        size_t n = i % 3 == 0 ? sizes[i] / 2 + 1 : sizes[i] * 2 + 1;
        unsigned char *p = realloc(before[i], n);
        CHECK(p && sup_heap_owns(p) && malloc_usable_size(p) >= n);
        CHECK(filled(p, (unsigned char)i, n < sizes[i] ? n : sizes[i]));
        free(p);
    }
    check_heap();
}

static void check_rules(void) {
    void *p = NULL, *q = malloc(0);
    CHECK(keep(q) && q != keep(p = malloc(0)) && sup_heap_owns(q));
    free(p);
    free(q);
    free(NULL);
    errno = 0;
    CHECK(!keep(malloc(huge)) && errno == ENOMEM);
    errno = 0;
    CHECK(!keep(malloc(huge / 2 + 1)) && errno == ENOMEM);
    errno = 0;
    CHECK(!keep(calloc(huge / 2, 3)) && errno == ENOMEM);
    errno = 0;
    CHECK(!keep(reallocarray(NULL, huge / 2, 3)) && errno == ENOMEM);
    p = malloc(100);
    memset(p, 3, 100);
    errno = 0;
    CHECK(!resize(p, huge) && errno == ENOMEM && filled(p, 3, 100));
    errno = 7;
    CHECK(posix_memalign(&q, 24, 8) == EINVAL && posix_memalign(&q, 4, 8) == EINVAL);
    CHECK(posix_memalign(&q, 0, 8) == EINVAL && posix_memalign(&q, 64, huge) == ENOMEM && errno == 7);
    CHECK(!resize(p, 0));
    CHECK(malloc_usable_size(NULL) == 0);
    check_heap();
}

static void check_alignment(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t align = sizeof(void *); align <= MIB; align *= 2) {
        void *p[3] = {NULL};
        CHECK(posix_memalign(&p[0], align, 1000) == 0);
        p[1] = memalign(align, 77777);
        p[2] = aligned_alloc(align, align);
        for (int i = 0; i < 3; i++) CHECK(sup_heap_owns(p[i]) && (uintptr_t)p[i] % align == 0);
        for (int i = 0; i < 3; i++) free(p[i]);
    }
    void *p = memalign(odd, 5), *v = valloc(10), *pv = pvalloc(page + 1); /* 100 counts as 128 */
    CHECK((uintptr_t)p % 128 == 0 && (uintptr_t)v % page == 0 && (uintptr_t)pv % page == 0);
    CHECK(malloc_usable_size(pv) >= 2 * page);
    free(p);
    free(v);
    free(pv);
    unsigned char *z = calloc(1000, 999);
    CHECK(z && sup_heap_owns(z) && filled(z, 0, 999000));
    free(z);
}

/* When the arena is full the C library serves; blocks move between the two as they are resized. */
static void check_full(void) {
    unsigned char *small = malloc(100), *most[600];
    int count = 0;
    memset(small, 8, 100);
    while (count < 600 && (most[count] = malloc(MIB)) && sup_heap_owns(most[count])) count++;
    CHECK(count > 400 && count < 600 && most[count]);
    unsigned char *p = realloc(small, 10 * MIB);
    CHECK(p && !sup_heap_owns(p) && filled(p, 8, 100));
    free(most[count]);
    while (count) free(most[--count]);
    p = realloc(p, 5 * MIB);
    CHECK(p && sup_heap_owns(p) && filled(p, 8, 100));
    free(p);
    check_heap();
}

/* The C library allocates through the same names. */
static void check_users(void) {
    char *s = strdup("a string"), *line = NULL, *text = NULL;
    size_t room = 0;
    CHECK(s && sup_heap_owns(s) && asprintf(&text, "%0500d", 7) == 500 && sup_heap_owns(text));
    FILE *f = popen("echo one; echo two", "r");
    CHECK(f && getline(&line, &room, f) == 4 && sup_heap_owns(line) && getline(&line, &room, f) == 4);
    CHECK(pclose(f) == 0 && strcmp(line, "two\n") == 0);
    void *library = dlopen("libm.so.6", RTLD_NOW);
    CHECK(library && dlsym(library, "cos") && !dlsym(library, "no_such_name") && dlerror());
    dlclose(library);
    free(s);
    free(line);
    free(text);
}

static void check_fork(unsigned char *before) {
    unsigned char *p = malloc(1000), *q = malloc(100);
    memset(p, 6, 1000);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        for (int i = 0; i < 1000; i++) {
            unsigned char *r = malloc((size_t)i * 100);
            CHECK(r && !sup_heap_owns(r));
            free(r);
        }
        free(q); /* the parent still has it */
        p = realloc(p, 2000);
        CHECK(p && !sup_heap_owns(p) && filled(p, 6, 1000));
        memset(p, 0, 2000);
        before = realloc(before, 100);
        CHECK(before && !sup_heap_owns(before));
        free(before);
        free(p);
        _exit(system("true") != 0);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(filled(p, 6, 1000) && malloc_usable_size(q) >= 100);
    free(p);
    free(q);
    check_heap();
}

/* A block freed twice ends the program, as it does with the C library. */
static void check_double_free(void) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        /* The child of a fork has no heap of its own: run the mistake in a fresh program. */
        execl("/proc/self/exe", "heap_interposed", "twice", (char *)NULL);
        _exit(1);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void free_twice(void) {
    void *p = keep(malloc(100));
    if (!freopen("/dev/null", "w", stderr)) _exit(1);
    release(p);
    release(p);
    _exit(2);
}

enum { SLOTS = 300, STEPS = 30000 };

typedef struct slot {
    unsigned char *p;
    size_t n;
    unsigned char fill;
} slot;

/* Blocks change hands between threads through this table. */
static slot shared[SLOTS];
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void slot_renew(slot *s, sup_random *r) {
    size_t n = sup_random_below(r, 20) ? sup_random_below(r, 1000) : sup_random_below(r, 200000);
    CHECK(!s->p || filled(s->p, s->fill, s->n));
    switch (sup_random_below(r, 4)) {
    case 0:
        s->p = realloc(s->p, n + 1);
        CHECK(s->p && filled(s->p, s->fill, s->n < n + 1 ? s->n : n + 1));
        break;
    case 1:
        free(s->p);
        s->p = calloc(1, n + 1);
        CHECK(s->p && filled(s->p, 0, n + 1));
        break;
    case 2:
        free(s->p);
        CHECK(posix_memalign((void **)&s->p, 64, n + 1) == 0);
        break;
    default: free(s->p); CHECK((s->p = malloc(n + 1)));
    }
    s->n = n + 1;
    s->fill = (unsigned char)sup_random_next(r);
    memset(s->p, s->fill, s->n);
}

static void *worker(void *argument) {
    sup_random r = {.state = (uintptr_t)argument};
    for (int i = 0; i < STEPS; i++) {
        slot mine, *place = &shared[sup_random_below(&r, SLOTS)];
        pthread_mutex_lock(&table);
        mine = *place;
        *place = (slot){0};
        pthread_mutex_unlock(&table);
        slot_renew(&mine, &r);
        pthread_mutex_lock(&table);
        slot other = *place;
        *place = mine;
        pthread_mutex_unlock(&table);
        free(other.p);
    }
    return NULL;
}

static void check_threads(void) {
    pthread_t t[4];
    for (uintptr_t i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, worker, (void *)(i + 1)) == 0);
    for (int i = 0; i < 20; i++) {
        /* Forks while others are in the middle of an allocation. */
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            void *p = malloc(10);
            _exit(!keep(p) || sup_heap_owns(p));
        }
        int status;
        CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < SLOTS; i++) free(shared[i].p);
    check_heap();
}

int main(int argc, char **argv) {
    enum { BEFORE = 40 };
    unsigned char *before[BEFORE], *late = malloc(50);
    size_t sizes[BEFORE];
    for (int i = 0; i < BEFORE; i++) {
        sizes[i] = (size_t)1 + (size_t)i * (size_t)i * 400;
        before[i] = malloc(sizes[i]);
        CHECK(before[i]);
        memset(before[i], i, sizes[i]);
    }
    void *base = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(base != MAP_FAILED && sup_heap_start(base, ARENA) == SUP_OK);
    void *p = malloc(10);
    bool ours = sup_heap_owns(keep(p));
    free(p);
    if (!ours) _exit(77); /* without a search for leaks */
    if (argc > 1 && strcmp(argv[1], "twice") == 0) free_twice();
    check_border(before, sizes, BEFORE);
    check_rules();
    check_alignment();
    check_full();
    check_users();
    check_fork(late);
    check_double_free();
    check_threads();
    p = malloc(1000);
    memset(p, 4, 1000);
    sup_heap_stop();
    void *q = malloc(1000);
    CHECK(!sup_heap_owns(q) && filled(p, 4, 1000));
    p = realloc(p, 3000);
    CHECK(p && !sup_heap_owns(p) && filled(p, 4, 1000));
    check_heap();
    free(q);
    free(p);
    free(late);
    return 0;
}
