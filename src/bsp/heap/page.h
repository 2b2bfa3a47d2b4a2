/* Inside the heap of a BSP process: pages, and who looks after them.
 *
 *     arena   | 64 KiB | 64 KiB | 64 KiB | 64 KiB | …          shared: data only
 *             | slab   |   used run      | free   | never reached
 *     pages   [ 32 B  ][ 32 B  ][ 32 B  ][ 32 B  ] …           private, sparse
 *     bits    [ 512 B ][       ][       ][       ] …           private, sparse: one bit per 16 bytes of a slab
 *
 * A slab is one page cut into blocks of one size class (heap/small.c); a run is one or more whole pages (heap/large.c).
 * Only the first page of a run, and the last of a free one, say what they are; the pages between say PAGE_NONE. The
 * block of a used run begins somewhere in its first page (colours, heap.c). */
#ifndef SUP_BSP_HEAP_PAGE_H
#define SUP_BSP_HEAP_PAGE_H

#include "bsp/heap/heap.h"
#include "bsp/heap/lock.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
    HEAP_PAGE_SHIFT = 16,
    HEAP_PAGE = 1 << HEAP_PAGE_SHIFT,
    HEAP_UNIT = 16,
    HEAP_WORDS = HEAP_PAGE / HEAP_UNIT / 64, /* of 64 bits, so that one more word can say which of them are not 0 */
    HEAP_SMALL = 32768,                      /* the largest block of a slab */
    HEAP_CLASSES = 40,
    HEAP_GIVE_BACK = 256 /* dirty pages of a free run from which on its memory goes back: 16 MiB */
};

#define HEAP_NIL UINT32_MAX

enum { PAGE_NONE, PAGE_SLAB, PAGE_USED, PAGE_FREE, PAGE_FREE_END };

typedef struct heap_page {
    uint8_t kind;
    uint8_t cls;    /* slab */
    uint16_t free;  /* slab: blocks */
    uint32_t pages; /* run: its length, at both ends of a free one */
    uint64_t
        summary;   /* slab: bit w says that word w of its bits has a free block. Used run: bytes. Free: dirty pages */
    uint32_t left; /* free run: tree. Slab: list of those of its class that have room */
    uint32_t right;
    uint32_t inverse; /* slab: of the block size, to test divisibility by a multiplication */
    uint32_t last;    /* slab: offset of the last block. Used run: offset of the block */
} heap_page;

_Static_assert(sizeof(heap_page) == 32 && HEAP_WORDS == 64, "table layout");

enum { HEAP_ABSENT, HEAP_ACTIVE, HEAP_STOPPED };

/* Wiped to zero in forked children by the kernel: there the heap is absent from the first instruction on. */
typedef struct heap_control {
    _Atomic int mode;
    uint32_t root;       /* tree of free runs */
    uint32_t top;        /* first page never reached */
    uint32_t total;      /* pages */
    bool keep;           /* the mapping refuses to give memory back */
    _Atomic size_t fill; /* bytes that may still be filled in advance, of fill_most */
    _Atomic size_t fill_most;
    heap_page *current[HEAP_CLASSES]; /* the slab that serves a class */
    uint32_t partial[HEAP_CLASSES];   /* others with room */
} heap_control;

/* Where things are; the same in forked children. */
typedef struct heap_map {
    _Atomic uintptr_t base;
    _Atomic size_t bytes; /* 0: not started */
    heap_page *pages;
    uint64_t (*bits)[HEAP_WORDS];
} heap_map;

#define HEAP_OWN extern __attribute__((visibility("hidden")))
HEAP_OWN heap_map sup_heap_map;
HEAP_OWN heap_lock sup_heap_lock;
/* The control block; sup_heap_absent before the start, and as long as nothing better is known. */
HEAP_OWN heap_control *_Atomic sup_heap_now;
HEAP_OWN heap_control sup_heap_absent;
#undef HEAP_OWN

static inline unsigned char *heap_page_at(uint32_t page) {
    return (unsigned char *)atomic_load_explicit(&sup_heap_map.base, memory_order_relaxed) +
           ((size_t)page << HEAP_PAGE_SHIFT);
}

static inline uint32_t heap_page_index(const heap_page *page) { return (uint32_t)(page - sup_heap_map.pages); }

/* NULL before the start and in forked children. */
heap_control *sup_heap_control(void);

/* The functions below want the lock. */

/* First page of n; *clean says that they hold zeros. HEAP_NIL: no room. The caller gives the page its kind. */
uint32_t sup_heap_run_take(heap_control *c, uint32_t n, bool *clean);
void sup_heap_run_give(heap_control *c, uint32_t first, uint32_t n, bool clean);
/* Makes the n pages of a used run `more` longer in place. */
bool sup_heap_run_extend(heap_control *c, uint32_t first, uint32_t n, uint32_t more);
/* Makes n pages zero by giving their memory back. */
bool sup_heap_run_clear(heap_control *c, uint32_t first, uint32_t n);

/* heap/fill.c: how many of the n bytes of a new block are to be filled, which the caller then does without the lock;
 * and n bytes have gone back to the system. */
size_t sup_heap_fill_wanted(heap_control *c, size_t n);
void sup_heap_fill_gone(heap_control *c, size_t n);
void sup_heap_fill(heap_control *c, void *p, size_t n);

/* heap/fork.c: what sup_heap_backing was told is of no use any more. */
void sup_heap_backing_leave(void);

#endif
