/* The heap of a BSP process: start, stop, and the calls that choose between small blocks (heap/small.c) and large ones
 * (heap/large.c). The tables and the rules they follow are drawn in heap/page.h. */
#include "bsp/heap/heap.h"
#include "bsp/heap/lock.h"
#include "bsp/heap/small.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static heap_control *control_get(int *mode) {
    heap_control *c = atomic_load_explicit(&sup_heap_now, memory_order_acquire);
    *mode = atomic_load_explicit(&c->mode, memory_order_relaxed);
    return c;
}

/* ---- start and stop ---- */

static void *table_map(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void child_forgets(void) {
    heap_control *c = atomic_load_explicit(&sup_heap_now, memory_order_relaxed);
    atomic_store_explicit(&c->mode, HEAP_ABSENT, memory_order_relaxed);
}

/* A control block that is zero in forked children. The kernel sees to it before any handler of the program runs; where
 * it cannot (before Linux 4.14), a handler of ours does. */
static heap_control *control_make(void) {
    heap_control *c = table_map(sizeof *c);
    if (!c) return NULL;
    if (madvise(c, sizeof *c, MADV_WIPEONFORK) != 0 && pthread_atfork(NULL, NULL, child_forgets) != 0) {
        munmap(c, sizeof *c);
        return NULL;
    }
    return c;
}

/* Heaps that this process inherited when it was forked. Their blocks stay readable and writable, and are not given
 * back. */
enum { LEFT_MAX = 16 };
static struct {
    uintptr_t base;
    size_t bytes;
} left[LEFT_MAX];
static _Atomic int left_count;

static const unsigned char *left_end(const void *p) {
    int n = atomic_load_explicit(&left_count, memory_order_acquire);
    for (int i = 0; i < n; i++)
        if ((uintptr_t)p - left[i].base < left[i].bytes) return (const unsigned char *)left[i].base + left[i].bytes;
    return NULL;
}

size_t sup_heap_left(const void *p) {
    const unsigned char *end = left_end(p);
    return end ? (size_t)(end - (const unsigned char *)p) : 0;
}

static atomic_flag started = ATOMIC_FLAG_INIT;

/* In a forked child the heap is the parent's: a new one may be started in its place. */
static bool leave_heap(void) {
    int mode, n = atomic_load(&left_count);
    control_get(&mode);
    size_t bytes = atomic_load(&sup_heap_map.bytes);
    if (mode != HEAP_ABSENT || !bytes || n == LEFT_MAX) return false;
    left[n].base = atomic_load(&sup_heap_map.base);
    left[n].bytes = bytes;
    atomic_store_explicit(&left_count, n + 1, memory_order_release);
    atomic_store(&sup_heap_map.bytes, 0);
    atomic_store(&sup_heap_now, &sup_heap_absent);
    atomic_store(&sup_heap_lock, 0);
    sup_heap_backing_leave();
    atomic_flag_clear(&started);
    return true;
}

sup_status sup_heap_start(void *base, size_t bytes) {
    uintptr_t first = ((uintptr_t)base + HEAP_PAGE - 1) & ~(uintptr_t)(HEAP_PAGE - 1);
    size_t skip = first - (uintptr_t)base, pages = bytes < skip ? 0 : (bytes - skip) >> HEAP_PAGE_SHIFT;
    if (!base || pages == 0 || pages > UINT32_MAX / 2 || bytes > UINTPTR_MAX - (uintptr_t)base) return SUP_EINVAL;
    if (atomic_flag_test_and_set(&started) && (!leave_heap() || atomic_flag_test_and_set(&started))) return SUP_EBUSY;
    heap_control *c = control_make();
    if (!c) goto forget;
    sup_heap_map.pages = table_map(pages * sizeof *sup_heap_map.pages);
    if (!sup_heap_map.pages) goto unmap_control;
    sup_heap_map.bits = table_map(pages * sizeof *sup_heap_map.bits);
    if (!sup_heap_map.bits) goto unmap_pages;
    sup_heap_slab_init(c);
    c->root = HEAP_NIL;
    c->total = (uint32_t)pages;
    atomic_store_explicit(&sup_heap_map.base, first, memory_order_relaxed);
    atomic_store_explicit(&sup_heap_map.bytes, pages << HEAP_PAGE_SHIFT, memory_order_release);
    atomic_store_explicit(&c->mode, HEAP_ACTIVE, memory_order_relaxed);
    atomic_store_explicit(&sup_heap_now, c, memory_order_release);
    return SUP_OK;
unmap_pages:
    munmap(sup_heap_map.pages, pages * sizeof *sup_heap_map.pages);
unmap_control:
    munmap(c, sizeof *c);
forget:
    atomic_flag_clear(&started);
    return SUP_ENOMEM;
}

void sup_heap_stop(void) {
    int mode;
    heap_control *c = control_get(&mode);
    if (mode == HEAP_ACTIVE) atomic_store_explicit(&c->mode, HEAP_STOPPED, memory_order_relaxed);
}

void sup_heap_resume(void) {
    int mode;
    heap_control *c = control_get(&mode);
    if (mode == HEAP_STOPPED) atomic_store_explicit(&c->mode, HEAP_ACTIVE, memory_order_relaxed);
}

static inline bool offset_of(const void *p, size_t *offset) {
    size_t bytes = atomic_load_explicit(&sup_heap_map.bytes, memory_order_acquire);
    *offset = (uintptr_t)p - atomic_load_explicit(&sup_heap_map.base, memory_order_relaxed);
    return *offset < bytes;
}

bool sup_heap_owns(const void *p) {
    size_t offset;
    return offset_of(p, &offset);
}

/* ---- allocation ---- */

static uint32_t pages_for(size_t n) { return (uint32_t)((n + HEAP_PAGE - 1) >> HEAP_PAGE_SHIFT); }

/* Arrays that begin at equal offsets fall into the same sets of a cache, and a load seems to need what was just stored
 * at the same offset of another 4 KiB. So large blocks begin at one of 60 colours, lines that differ within 4 KiB as
 * well as within 64. Which one follows from the page, so that a block in the place of an equal one is in the same
 * memory; neighbours of any usual size differ, because multiples of the golden ratio are far apart. */
enum { COLOURS = 60, COLOUR_STEP = 17 * 64, COLOUR_ALIGN = 64, COLOURED_FROM = 4 * HEAP_PAGE };

static uint32_t colour_of(uint32_t page) {
    return (uint32_t)((uint64_t)(page * 2654435769u) * COLOURS >> 32) * COLOUR_STEP;
}

static uint32_t run_take(heap_control *c, uint32_t pages, bool *clean) {
    uint32_t first = sup_heap_run_take(c, pages, clean);
    return first == HEAP_NIL && sup_heap_slab_trim(c) ? sup_heap_run_take(c, pages, clean) : first;
}

static void *run_use(uint32_t first, uint32_t pages, size_t n, uint32_t colour) {
    sup_heap_map.pages[first] = (heap_page){.kind = PAGE_USED, .pages = pages, .summary = n, .last = colour};
    return heap_page_at(first) + colour;
}

/* A large block: with a colour, unless there is only just room. */
static void *large_take(heap_control *c, size_t n, bool *clean) {
    if (n > (size_t)c->total << HEAP_PAGE_SHIFT) return NULL;
    uint32_t pages = pages_for(n), more = pages_for(n + (COLOURS - 1) * COLOUR_STEP), first = HEAP_NIL;
    if (n >= COLOURED_FROM && (first = sup_heap_run_take(c, more, clean)) != HEAP_NIL)
        return run_use(first, more, n, colour_of(first));
    first = run_take(c, pages, clean);
    return first == HEAP_NIL ? NULL : run_use(first, pages, n, 0);
}

/* A large block whose address is a multiple of `align`. */
static void *large_take_aligned(heap_control *c, size_t align, size_t n, bool *clean) {
    if (align <= COLOUR_ALIGN) return large_take(c, n, clean);
    if (align < HEAP_PAGE) align = HEAP_PAGE;
    if (n > (size_t)c->total << HEAP_PAGE_SHIFT || align > (size_t)c->total << HEAP_PAGE_SHIFT) return NULL;
    uint32_t pages = pages_for(n), spare = (uint32_t)(align >> HEAP_PAGE_SHIFT) - 1;
    uint32_t first = run_take(c, pages + spare, clean);
    if (first == HEAP_NIL) return NULL;
    uint32_t head = (uint32_t)((-(uintptr_t)heap_page_at(first) & (align - 1)) >> HEAP_PAGE_SHIFT);
    void *p = run_use(first + head, pages, n, 0);
    if (head) sup_heap_run_give(c, first, head, *clean);
    if (spare > head) sup_heap_run_give(c, first + head + pages, spare - head, *clean);
    return p;
}

void *sup_heap_alloc(size_t n) {
    int mode;
    heap_control *c = control_get(&mode);
    if (__builtin_expect(mode != HEAP_ACTIVE, 0)) return NULL;
    bool taken = heap_lock_take(&sup_heap_lock), clean = false;
    void *p = __builtin_expect(n <= HEAP_SMALL, 1) ? heap_slab_take(c, heap_class_of(n)) : large_take(c, n, &clean);
    size_t fill = __builtin_expect(clean, 0) && p ? sup_heap_fill_wanted(c, n) : 0;
    heap_lock_give(&sup_heap_lock, taken);
    if (__builtin_expect(fill != 0, 0)) sup_heap_fill(c, p, fill);
    return p;
}

void *sup_heap_zalloc(size_t n) {
    if (n <= HEAP_SMALL) {
        void *p = sup_heap_alloc(n);
        return p ? memset(p, 0, n) : NULL;
    }
    int mode;
    heap_control *c = control_get(&mode);
    if (mode != HEAP_ACTIVE) return NULL;
    bool taken = heap_lock_take(&sup_heap_lock), clean = false;
    void *p = large_take(c, n, &clean);
    /* Giving memory back costs no more than writing it, and what is never used is never there. */
    if (p && !clean && pages_for(n) >= HEAP_GIVE_BACK) {
        size_t offset;
        offset_of(p, &offset);
        size_t page = offset >> HEAP_PAGE_SHIFT;
        clean = sup_heap_run_clear(c, (uint32_t)page, sup_heap_map.pages[page].pages);
    }
    size_t fill = p && clean ? sup_heap_fill_wanted(c, n) : 0;
    heap_lock_give(&sup_heap_lock, taken);
    if (p && !clean) memset(p, 0, n);
    if (fill) sup_heap_fill(c, p, fill);
    return p;
}

void *sup_heap_aligned(size_t align, size_t n) {
    if (align <= HEAP_UNIT) return sup_heap_alloc(n);
    int mode;
    heap_control *c = control_get(&mode);
    if (mode != HEAP_ACTIVE || n > PTRDIFF_MAX) return NULL;
    bool taken = heap_lock_take(&sup_heap_lock), clean = false;
    void *p;
    if (n <= HEAP_SMALL && align <= HEAP_SMALL) {
        /* Blocks of a class lie at multiples of its size; the next power of two is a class and suits at the latest. */
        unsigned cls = heap_class_of(n > align ? n : align);
        while (sup_heap_class_size[cls] & (align - 1)) cls++;
        p = heap_slab_take(c, cls);
    } else {
        p = large_take_aligned(c, align, n ? n : 1, &clean);
    }
    size_t fill = p && clean ? sup_heap_fill_wanted(c, n) : 0;
    heap_lock_give(&sup_heap_lock, taken);
    if (fill) sup_heap_fill(c, p, fill);
    return p;
}

/* ---- blocks in use ---- */

/* The page and offset within it of a block in use; NULL if p is none. */
static inline heap_page *block_page(const void *p, uint32_t *offset) {
    size_t all;
    if (!offset_of(p, &all)) return NULL;
    heap_page *page = &sup_heap_map.pages[all >> HEAP_PAGE_SHIFT];
    *offset = (uint32_t)(all & (HEAP_PAGE - 1));
    if (__builtin_expect(page->kind == PAGE_SLAB, 1)) return heap_slab_holds(page, *offset) ? page : NULL;
    return page->kind == PAGE_USED && *offset == page->last ? page : NULL;
}

static size_t block_bytes(const heap_page *page) {
    if (page->kind == PAGE_SLAB) return sup_heap_class_size[page->cls];
    return (page->summary + HEAP_UNIT - 1) & ~(size_t)(HEAP_UNIT - 1);
}

static void block_give(heap_control *c, heap_page *page, uint32_t offset) {
    if (__builtin_expect(page->kind == PAGE_SLAB, 1)) {
        heap_slab_give(c, page, offset);
    } else {
        page->kind = PAGE_NONE;
        sup_heap_run_give(c, heap_page_index(page), page->pages, false);
    }
}

sup_status sup_heap_free(void *p) {
    int mode;
    uint32_t offset;
    if (!sup_heap_owns(p)) return left_end(p) ? SUP_OK : SUP_ENOENT;
    heap_control *c = control_get(&mode);
    if (__builtin_expect(mode == HEAP_ABSENT, 0)) return SUP_OK;
    bool taken = heap_lock_take(&sup_heap_lock);
    heap_page *page = block_page(p, &offset);
    if (page) block_give(c, page, offset);
    heap_lock_give(&sup_heap_lock, taken);
    return page ? SUP_OK : SUP_EINVAL;
}

/* Another size for the block without moving it, where that is possible and wastes little. */
static bool resize(heap_control *c, heap_page *page, size_t n) {
    if (page->kind == PAGE_SLAB) {
        size_t size = sup_heap_class_size[page->cls];
        return n <= size && (n > size / 2 || size <= 64);
    }
    if (n <= HEAP_SMALL || n > (size_t)c->total << HEAP_PAGE_SHIFT) return false;
    uint32_t first = heap_page_index(page), have = page->pages, need = pages_for(n + page->last);
    if (need > have && !sup_heap_run_extend(c, first, have, need - have)) return false;
    page->pages = need;
    page->summary = n;
    if (need < have) sup_heap_run_give(c, first + need, have - need, false);
    return true;
}

sup_status sup_heap_realloc(void *p, size_t n, void **out) {
    int mode;
    uint32_t offset;
    heap_control *c = control_get(&mode);
    if (mode != HEAP_ACTIVE) return SUP_ENOMEM;
    bool taken = heap_lock_take(&sup_heap_lock);
    heap_page *page = block_page(p, &offset);
    size_t have = page ? block_bytes(page) : 0;
    bool stays = page && resize(c, page, n);
    heap_lock_give(&sup_heap_lock, taken);
    if (!page) return SUP_EINVAL;
    void *q = stays ? p : sup_heap_alloc(n);
    if (!q && n > have) return SUP_ENOMEM;
    if (!q) q = p; /* no room for less: it stays as large as it is */
    if (q != p) {
        memcpy(q, p, n < have ? n : have);
        sup_heap_free(p);
    }
    *out = q;
    return SUP_OK;
}

size_t sup_heap_usable(const void *p) {
    int mode;
    uint32_t offset;
    control_get(&mode);
    /* In a forked child other threads' work may be half done in the tables for ever, and so may be the lock; but not on
     * a block that the program still uses. */
    bool child = mode == HEAP_ABSENT, taken = !child && heap_lock_take(&sup_heap_lock);
    const heap_page *page = block_page(p, &offset);
    size_t bytes = page ? block_bytes(page) : 0;
    heap_lock_give(&sup_heap_lock, taken);
    return bytes;
}
