/* Aligned, prefaulted, lockable memory (BSP §4.1: "pre-faulting all allocated pages, and pinning them").
 *
 * Everything is a mapping of its own, never a piece of the heap: locking works on whole pages, and unlocking a page
 * that somebody else's data shares would undo their lock. */
#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CACHE_LINE 64
#define HUGE_PAGE ((size_t)2 << 20)

static sup_status lock_pages(void *data, size_t size) {
    if (mlock(data, size) == 0) return SUP_OK;
    /* EPERM: RLIMIT_MEMLOCK is 0. ENOMEM and EAGAIN: it is not enough. */
    return errno == EPERM || errno == ENOSYS ? SUP_EPERM : SUP_ENOMEM;
}

static void touch_pages(volatile char *data, size_t size, size_t page) {
    /* a write, not a read: reading would map the shared zero page and leave the fault for later */
    for (size_t at = 0; at < size; at += page) data[at] = 0;
}

/* Maps `size` bytes (whole pages) at a multiple of align: more is mapped than needed and the rest is given back. */
static void *map_aligned(size_t size, size_t align, size_t page) {
    size_t extra = align > page ? align - page : 0;
    if (size > PTRDIFF_MAX - extra) return NULL;
    char *raw = mmap(NULL, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return NULL;
    size_t head = (align - ((uintptr_t)raw & (align - 1))) & (align - 1);
    if (align <= page) head = 0;
    if (head > 0) munmap(raw, head);
    if (extra > head) munmap(raw + head + size, extra - head);
    return raw + head;
}

sup_status sup_memory_alloc(size_t size, size_t align, unsigned flags, sup_diag *diag, sup_memory *out) {
    if (align == 0) align = CACHE_LINE;
    if ((align & (align - 1)) != 0)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "alignment %zu is not a power of two", align);
    if (flags & ~(unsigned)(SUP_MEMORY_PREFAULT | SUP_MEMORY_LOCK | SUP_MEMORY_HUGE))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "unknown memory flags %#x", flags);
    sup_memory m = {.size = size, .locked = SUP_EBUSY, .huge = SUP_EBUSY};
    if (size == 0) {
        *out = m;
        return SUP_OK;
    }

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > PTRDIFF_MAX - page || align > PTRDIFF_MAX / 2)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "cannot map %zu bytes: too large", size);
    m.mapped = (size + page - 1) / page * page;
    /* huge pages need a huge-page boundary to start at */
    if ((flags & SUP_MEMORY_HUGE) && m.mapped >= HUGE_PAGE && align < HUGE_PAGE) align = HUGE_PAGE;
    m.mapping = map_aligned(m.mapped, align, page);
    if (!m.mapping) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "cannot map %zu bytes", size);
    m.data = m.mapping;

    if (flags & SUP_MEMORY_HUGE) m.huge = madvise(m.mapping, m.mapped, MADV_HUGEPAGE) == 0 ? SUP_OK : SUP_ENOTSUP;
    if (flags & (SUP_MEMORY_PREFAULT | SUP_MEMORY_LOCK)) touch_pages(m.data, m.mapped, page);
    if (flags & SUP_MEMORY_LOCK) m.locked = lock_pages(m.mapping, m.mapped);
    *out = m;
    return SUP_OK;
}

void sup_memory_free(sup_memory *memory) {
    if (!memory) return;
    if (memory->mapping) munmap(memory->mapping, memory->mapped); /* unlocks too */
    memset(memory, 0, sizeof *memory);
}
