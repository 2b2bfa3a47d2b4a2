/* Small blocks of the heap: slabs, pages that hold blocks of one size.
 *
 * Which blocks are free is a set of bits, found in two steps (summary word, word), so that taking and giving are a few
 * instructions, the lowest block is reused first, and a block freed twice or never given out is noticed. Where a class
 * has several slabs with room one is current and the others wait in a list; full slabs are in no list. A slab that
 * becomes empty goes back to the runs unless it is current: one that alternates between empty and not stays. */
#include "bsp/heap/small.h"

#include <string.h>

#define FOUR(k) (5u << (k)), (6u << (k)), (7u << (k)), (8u << (k))
const uint32_t sup_heap_class_size[HEAP_CLASSES] = {16,      32,       48,       64,      80,      96,
                                                    112,     128,      FOUR(5),  FOUR(6), FOUR(7), FOUR(8),
                                                    FOUR(9), FOUR(10), FOUR(11), FOUR(12)};

static void list_push(heap_control *c, uint32_t page) {
    heap_page *slab = &sup_heap_map.pages[page];
    uint32_t *head = &c->partial[slab->cls];
    slab->left = HEAP_NIL;
    slab->right = *head;
    if (*head != HEAP_NIL) sup_heap_map.pages[*head].left = page;
    *head = page;
}

static void list_remove(heap_control *c, heap_page *slab) {
    if (slab->left == HEAP_NIL)
        c->partial[slab->cls] = slab->right;
    else
        sup_heap_map.pages[slab->left].right = slab->right;
    if (slab->right != HEAP_NIL) sup_heap_map.pages[slab->right].left = slab->left;
}

/* Cuts a page into blocks, all free. `pages` of a slab is the number of its blocks. */
static void slab_cut(uint32_t page, unsigned cls) {
    uint32_t size = sup_heap_class_size[cls], blocks = HEAP_PAGE / size;
    uint64_t *bits = sup_heap_map.bits[page], summary = 0;
    memset(bits, 0, sizeof sup_heap_map.bits[page]);
    for (uint32_t i = 0, unit = 0; i < blocks; i++, unit += size / HEAP_UNIT) {
        bits[unit / 64] |= 1ull << unit % 64;
        summary |= 1ull << unit / 64;
    }
    sup_heap_map.pages[page] = (heap_page){.kind = PAGE_SLAB,
                                           .cls = (uint8_t)cls,
                                           .free = (uint16_t)blocks,
                                           .pages = blocks,
                                           .summary = summary,
                                           .left = HEAP_NIL,
                                           .right = HEAP_NIL,
                                           .inverse = UINT32_MAX / size + 1,
                                           .last = (blocks - 1) * size};
}

bool sup_heap_slab_refill(heap_control *c, unsigned cls) {
    uint32_t page = c->partial[cls];
    if (page != HEAP_NIL) {
        list_remove(c, &sup_heap_map.pages[page]);
    } else {
        bool clean;
        page = sup_heap_run_take(c, 1, &clean);
        if (page == HEAP_NIL && sup_heap_slab_trim(c)) page = sup_heap_run_take(c, 1, &clean);
        if (page == HEAP_NIL) return false;
        slab_cut(page, cls);
    }
    c->current[cls] = &sup_heap_map.pages[page];
    return true;
}

static void slab_release(heap_control *c, heap_page *slab) {
    slab->kind = PAGE_NONE;
    sup_heap_run_give(c, heap_page_index(slab), 1, false);
}

void sup_heap_slab_filed(heap_control *c, heap_page *slab) {
    if (slab->free < slab->pages) {
        list_push(c, heap_page_index(slab));
    } else {
        list_remove(c, slab); /* at least two blocks to a slab: it had room before this one came back */
        slab_release(c, slab);
    }
}

/* Stands for "no slab yet": it is full. */
static heap_page none;

void sup_heap_slab_init(heap_control *c) {
    for (unsigned i = 0; i < HEAP_CLASSES; i++) {
        c->current[i] = &none;
        c->partial[i] = HEAP_NIL;
    }
}

bool sup_heap_slab_trim(heap_control *c) {
    bool any = false;
    for (unsigned i = 0; i < HEAP_CLASSES; i++) {
        heap_page *slab = c->current[i];
        if (slab->kind != PAGE_SLAB || slab->free < slab->pages) continue;
        c->current[i] = &none;
        slab_release(c, slab);
        any = true;
    }
    return any;
}
