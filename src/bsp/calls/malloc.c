/* malloc and its family for programs that run under libbsp: from the heap that the process shares with its peers as
 * soon as that is started, from the C library before, after, in forked children, and where the shared heap is full.
 *
 * glibc exports second names of its own functions (__libc_malloc, …): forwarding needs no search for the next malloc,
 * which could need malloc itself. With sanitizers this file is empty: they bring their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUP_NO_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SUP_NO_MALLOC 1
#endif
#endif

#include "bsp/heap/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(SUP_NO_MALLOC)

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

typedef size_t usable_call(void *p);

/* Usable bytes of a block of the C library, for which it has no second name; 0 if that cannot be known. */
static size_t foreign_usable(void *p) {
    static usable_call *_Atomic next;
    usable_call *call = atomic_load_explicit(&next, memory_order_relaxed);
    if (!call) {
        /* Searched for once; two threads at the same time find the same. */
        void *found = dlsym(RTLD_NEXT, "malloc_usable_size");
        if (!found) return 0;
        memcpy(&call, &found, sizeof call);
        atomic_store_explicit(&next, call, memory_order_relaxed);
    }
    return call(p);
}

/* As the C library does with a heap that a program has damaged: there is nobody to return an error to. */
static _Noreturn void misused(const char *message) {
    if (write(STDERR_FILENO, message, strlen(message)) < 0) abort();
    abort();
}

SUP_API void *malloc(size_t n) {
    void *p = sup_heap_alloc(n);
    return __builtin_expect(p != NULL, 1) ? p : __libc_malloc(n);
}

SUP_API void free(void *p) {
    sup_status status = sup_heap_free(p);
    if (__builtin_expect(status == SUP_OK, 1)) return;
    if (status != SUP_ENOENT) misused("free: the pointer is not the start of a block in use (freed twice?)\n");
    __libc_free(p);
}

SUP_API void *calloc(size_t count, size_t size) {
    size_t n;
    void *p = __builtin_mul_overflow(count, size, &n) ? NULL : sup_heap_zalloc(n);
    return p ? p : __libc_calloc(count, size);
}

/* To a block elsewhere, of which `have` bytes are of use. */
static void *moved(void *to, void *p, size_t have, size_t n) {
    if (!to) return NULL;
    memcpy(to, p, have < n ? have : n);
    free(p);
    return to;
}

SUP_API void *realloc(void *p, size_t n) {
    if (!p) return malloc(n);
    if (n == 0) {
        free(p);
        return NULL;
    }
    if (sup_heap_owns(p)) {
        void *q;
        sup_status status = sup_heap_realloc(p, n, &q);
        if (status == SUP_OK) return q;
        size_t have = sup_heap_usable(p);
        if (status == SUP_EINVAL || have == 0) misused("realloc: the pointer is not the start of a block in use\n");
        return moved(__libc_malloc(n), p, have, n);
    }
    size_t rest = sup_heap_left(p);
    if (rest) return moved(malloc(n), p, rest, n);
    /* Memory of before the start comes over when it changes size, if its size can be known. */
    void *q = sup_heap_alloc(n);
    size_t have = q ? foreign_usable(p) : 0;
    if (have) return moved(q, p, have, n);
    if (q) sup_heap_free(q);
    return __libc_realloc(p, n);
}

SUP_API void *reallocarray(void *p, size_t count, size_t size) {
    size_t n;
    if (__builtin_mul_overflow(count, size, &n)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, n);
}

/* The C library takes any alignment here and rounds it up; beyond the last power of two it refuses. */
SUP_API void *memalign(size_t align, size_t n) {
    size_t power = 16;
    while (power < align && power <= SIZE_MAX / 4) power *= 2;
    void *p = power >= align ? sup_heap_aligned(power, n) : NULL;
    return p ? p : __libc_memalign(align, n);
}

SUP_API void *aligned_alloc(size_t align, size_t n) { return memalign(align, n); }

SUP_API int posix_memalign(void **out, size_t align, size_t n) {
    if (align == 0 || align % sizeof(void *) || (align & (align - 1))) return EINVAL;
    int saved = errno;
    void *p = memalign(align, n);
    errno = saved;
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

static size_t system_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

SUP_API void *valloc(size_t n) { return memalign(system_page(), n); }

SUP_API void *pvalloc(size_t n) {
    size_t page = system_page();
    if (n > PTRDIFF_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign(page, n ? (n + page - 1) / page * page : page);
}

SUP_API size_t malloc_usable_size(void *p) {
    if (!p || sup_heap_left(p)) return 0;
    return sup_heap_owns(p) ? sup_heap_usable(p) : foreign_usable(p);
}

#endif
