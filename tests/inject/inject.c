/* The nth allocation, mapping or system call of this process fails: a library in front of the C library, which a test
 * links before everything else. Only calls from the library under test count, known by the object in which the caller
 * lies: those whose name has "superstep" or "bsp" in it, which the tests' programs have, too, where they contain it. */
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static _Atomic bool armed;
static _Atomic long calls;
static long fails_at;
static bool lasts, no_files;

SHOWN void inject_arm(long n, int lasting) {
    fails_at = n;
    lasts = lasting;
    atomic_store(&calls, 0);
    atomic_store(&armed, true);
}

SHOWN void inject_no_files(void) { no_files = true; }

SHOWN long inject_calls(void) { return atomic_load(&calls); }

SHOWN long inject_disarm(void) {
    atomic_store(&armed, false);
    return inject_calls();
}

/* ---- whose call ---- */

typedef struct question {
    uintptr_t at;
    bool ours;
} question;

static bool is_ours(const char *path) {
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    return strstr(name, "superstep") || strstr(name, "libbsp");
}

static int look(struct dl_phdr_info *object, size_t size, void *context) {
    question *q = context;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || q->at < from || q->at >= from + p->p_memsz) continue;
        const char *name = object->dlpi_name;
        q->ours = is_ours(name && *name ? name : program_invocation_short_name);
        return 1;
    }
    return 0;
}

static bool fails(const void *caller) {
    if (!atomic_load_explicit(&armed, memory_order_relaxed)) return false;
    question q = {.at = (uintptr_t)caller};
    dl_iterate_phdr(look, &q);
    if (!q.ours) return false;
    long n = atomic_fetch_add(&calls, 1) + 1;
    return fails_at && (n == fails_at || (lasts && n > fails_at));
}

#define FAILS(error) (fails(__builtin_return_address(0)) && (errno = (error), true))

/* ---- memory ---- */

/* The next library's; the C library's own while that is looked for, which may take memory itself. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);

__attribute__((constructor(101))) static void find(void) {
    *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
}

SHOWN void *malloc(size_t n) {
    if (FAILS(ENOMEM)) return NULL;
    return next_malloc ? next_malloc(n) : __libc_malloc(n);
}

SHOWN void *calloc(size_t count, size_t size) {
    if (FAILS(ENOMEM)) return NULL;
    return next_calloc ? next_calloc(count, size) : __libc_calloc(count, size);
}

SHOWN void *realloc(void *p, size_t n) {
    if (FAILS(ENOMEM)) return NULL;
    return next_realloc ? next_realloc(p, n) : __libc_realloc(p, n);
}

SHOWN void *aligned_alloc(size_t alignment, size_t n) {
    if (FAILS(ENOMEM)) return NULL;
    return next_aligned_alloc ? next_aligned_alloc(alignment, n) : __libc_memalign(alignment, n);
}

/* ---- system calls ---- */

#define NEXT(type, name, ...)         \
    static type (*next)(__VA_ARGS__); \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, name)

SHOWN void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    NEXT(void *, "mmap", void *, size_t, int, int, int, off_t);
    if (FAILS(ENOMEM)) return MAP_FAILED;
    return next(at, bytes, protection, flags, fd, offset);
}

SHOWN int memfd_create(const char *name, unsigned flags) {
    NEXT(int, "memfd_create", const char *, unsigned);
    return FAILS(EMFILE) || (no_files && (errno = EMFILE)) ? -1 : next(name, flags);
}

SHOWN int ftruncate(int fd, off_t length) {
    NEXT(int, "ftruncate", int, off_t);
    return FAILS(ENOSPC) ? -1 : next(fd, length);
}

SHOWN int open(const char *path, int flags, ...) {
    NEXT(int, "open", const char *, int, ...);
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return FAILS(EMFILE) ? -1 : next(path, flags, mode);
}

SHOWN FILE *fopen(const char *path, const char *mode) {
    NEXT(FILE *, "fopen", const char *, const char *);
    return FAILS(EMFILE) ? NULL : next(path, mode);
}

SHOWN int pipe2(int fd[2], int flags) {
    NEXT(int, "pipe2", int *, int);
    return FAILS(EMFILE) ? -1 : next(fd, flags);
}

SHOWN int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context) {
    NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return FAILS(EAGAIN) ? EAGAIN : next(thread, attributes, start, context);
}

SHOWN ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long tos, const struct iovec *from,
                               unsigned long froms, unsigned long flags) {
    NEXT(ssize_t, "process_vm_readv", pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
         unsigned long);
    return FAILS(ENOMEM) ? -1 : next(pid, to, tos, from, froms, flags);
}

SHOWN ssize_t process_vm_writev(pid_t pid, const struct iovec *from, unsigned long froms, const struct iovec *to,
                                unsigned long tos, unsigned long flags) {
    NEXT(ssize_t, "process_vm_writev", pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
         unsigned long);
    return FAILS(EPERM) ? -1 : next(pid, from, froms, to, tos, flags);
}
