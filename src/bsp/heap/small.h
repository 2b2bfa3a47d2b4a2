/* Small blocks of the heap (heap/small.c): classes of sizes, and what is done for most blocks without a call. */
#ifndef SUP_BSP_HEAP_SMALL_H
#define SUP_BSP_HEAP_SMALL_H

#include "bsp/heap/page.h"

extern const uint32_t sup_heap_class_size[HEAP_CLASSES];

/* Classes 0 … 7: 16 … 128 by 16; then four to a doubling: 160, 192, 224, 256, 320, … 32768. */
static inline unsigned heap_class_of(size_t n) {
    if (n <= 128) return n ? (unsigned)(n - 1) / HEAP_UNIT : 0;
    unsigned k = 63 - (unsigned)__builtin_clzll(n - 1);
    return 8 + (k - 7) * 4 + ((unsigned)((n - 1) >> (k - 2)) & 3);
}

/* The functions below want the lock. */

void sup_heap_slab_init(heap_control *c);
/* A page for the class becomes its current slab. False: no room. */
bool sup_heap_slab_refill(heap_control *c, unsigned cls);
/* After a block of a slab that was full, or the last one in use, has been freed, and it is not the current one. */
void sup_heap_slab_filed(heap_control *c, heap_page *slab);
/* Gives back the current slabs that are empty; whether there were any. */
bool sup_heap_slab_trim(heap_control *c);

static inline void *heap_slab_take(heap_control *c, unsigned cls) {
    heap_page *slab = c->current[cls];
    if (__builtin_expect(!slab->summary, 0)) {
        if (!sup_heap_slab_refill(c, cls)) return NULL;
        slab = c->current[cls];
    }
    uint32_t page = heap_page_index(slab);
    unsigned w = (unsigned)__builtin_ctzll(slab->summary);
    uint64_t *word = &sup_heap_map.bits[page][w], rest = *word & (*word - 1);
    unsigned bit = (unsigned)__builtin_ctzll(*word);
    *word = rest;
    if (!rest) slab->summary &= slab->summary - 1;
    slab->free--;
    return heap_page_at(page) + ((size_t)(w * 64 + bit) * HEAP_UNIT);
}

/* Whether a block of the slab in use starts at the offset. */
static inline bool heap_slab_holds(const heap_page *slab, uint32_t offset) {
    if (offset > slab->last || offset * slab->inverse >= slab->inverse) return false;
    uint64_t word = sup_heap_map.bits[heap_page_index(slab)][offset / (64 * HEAP_UNIT)];
    return !(word >> (offset / HEAP_UNIT % 64) & 1);
}

static inline void heap_slab_give(heap_control *c, heap_page *slab, uint32_t offset) {
    unsigned w = offset / (64 * HEAP_UNIT);
    bool full = !slab->summary;
    sup_heap_map.bits[heap_page_index(slab)][w] |= 1ull << (offset / HEAP_UNIT % 64);
    slab->summary |= 1ull << w;
    slab->free++;
    if (__builtin_expect(slab != c->current[slab->cls] && (full || slab->free == slab->pages), 0))
        sup_heap_slab_filed(c, slab);
}

#endif
