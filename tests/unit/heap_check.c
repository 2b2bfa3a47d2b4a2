/* Whether the tables of the heap agree with each other: every page belongs to one slab or run, free runs are joined and
 * in the tree in order, slabs count their blocks and wait in the list where they should. */
#include "heap_check.h"
#include "bsp/heap/small.h"

#include <assert.h>

typedef struct walk {
    heap_control *c;
    sup_diag *diag;
    sup_heap_figures figures;
    size_t free_runs;             /* met in the arena */
    size_t waiting[HEAP_CLASSES]; /* slabs that should be in the list of their class */
} walk;

static sup_status wrong(const walk *w, uint32_t page, const char *what) {
    return sup_diag_set(w->diag, SUP_EINVAL, NULL, 0, "page %u of the heap: %s", (unsigned)page, what);
}

static sup_status check_slab(walk *w, uint32_t page) {
    const heap_page *s = &sup_heap_map.pages[page];
    if (s->cls >= HEAP_CLASSES) return wrong(w, page, "a slab of no class");
    uint32_t size = sup_heap_class_size[s->cls], count = 0;
    if (s->pages != HEAP_PAGE / size || s->last != (s->pages - 1) * size)
        return wrong(w, page, "wrong number of blocks");
    for (uint32_t i = 0; i < HEAP_WORDS; i++) {
        uint64_t word = sup_heap_map.bits[page][i];
        if ((word != 0) != (s->summary >> i & 1)) return wrong(w, page, "the summary is not that of the bits");
        for (; word; word &= word - 1, count++) {
            uint32_t offset = (i * 64 + (uint32_t)__builtin_ctzll(word)) * HEAP_UNIT;
            if (offset % size || offset > s->last) return wrong(w, page, "a free block where none begins");
        }
    }
    if (count != s->free) return wrong(w, page, "wrong number of free blocks");
    bool current = w->c->current[s->cls] == s;
    if (!current && count == s->pages) return wrong(w, page, "an empty slab was kept");
    if (!current && count) w->waiting[s->cls]++;
    w->figures.slabs++;
    w->figures.blocks += s->pages - count;
    return SUP_OK;
}

static sup_status check_free(walk *w, uint32_t page) {
    const heap_page *run = &sup_heap_map.pages[page], *end = run + run->pages - 1;
    if (end != run && (end->kind != PAGE_FREE_END || end->pages != run->pages))
        return wrong(w, page, "the end of the free run is not marked");
    if (page + run->pages < w->c->top && end[1].kind == PAGE_FREE) return wrong(w, page, "two free runs not joined");
    if (run->summary > run->pages) return wrong(w, page, "more dirty pages than pages");
    w->figures.free += run->pages;
    w->figures.dirty += run->summary;
    w->free_runs++;
    return SUP_OK;
}

static sup_status check_pages(walk *w) {
    for (uint32_t page = 0; page < w->c->top;) {
        const heap_page *p = &sup_heap_map.pages[page];
        uint32_t length = p->kind == PAGE_SLAB ? 1 : p->pages;
        if (length == 0 || length > w->c->top - page) return wrong(w, page, "a run of impossible length");
        sup_status status = SUP_OK;
        if (p->kind == PAGE_SLAB)
            status = check_slab(w, page);
        else if (p->kind == PAGE_FREE)
            status = check_free(w, page);
        else if (p->kind != PAGE_USED)
            status = wrong(w, page, "no beginning of anything");
        else if (p->summary > (uint64_t)length << HEAP_PAGE_SHIFT || p->summary == 0)
            status = wrong(w, page, "a block of impossible size");
        else
            w->figures.blocks++;
        if (status) return status;
        for (uint32_t i = 1; i < length; i++)
            if (p[i].kind != PAGE_NONE && !(p->kind == PAGE_FREE && i == length - 1))
                return wrong(w, page + i, "marked though inside a run");
        page += length;
    }
    return SUP_OK;
}

/* In order of the tree; *last is the run before this one. Depth is O(log n) with the treap's priorities. */
static sup_status check_tree(walk *w, uint32_t page, uint32_t *last) {
    if (page == HEAP_NIL) return SUP_OK;
    if (w->free_runs-- == 0) return wrong(w, page, "in the tree, but no free run");
    assert(sup_heap_map.pages);
    const heap_page *run = &sup_heap_map.pages[page];
    if (page >= w->c->top || run->kind != PAGE_FREE) return wrong(w, page, "in the tree, but no free run");
    sup_status status = check_tree(w, run->left, last);
    if (status) return status;
    const heap_page *before = *last == HEAP_NIL ? NULL : &sup_heap_map.pages[*last];
    if (before && (before->pages > run->pages || (before->pages == run->pages && *last >= page)))
        return wrong(w, page, "the tree is out of order");
    *last = page;
    return check_tree(w, run->right, last);
}

static sup_status check_lists(walk *w) {
    for (unsigned cls = 0; cls < HEAP_CLASSES; cls++) {
        uint32_t before = HEAP_NIL;
        for (uint32_t page = w->c->partial[cls]; page != HEAP_NIL; page = sup_heap_map.pages[page].right) {
            const heap_page *s = &sup_heap_map.pages[page];
            if (w->waiting[cls]-- == 0) return wrong(w, page, "one slab too many in the list");
            if (s->kind != PAGE_SLAB || s->cls != cls || !s->free || s == w->c->current[cls])
                return wrong(w, page, "in a list of slabs where it does not belong");
            if (s->left != before) return wrong(w, page, "a broken list");
            before = page;
        }
        if (w->waiting[cls]) return wrong(w, before, "a slab with room is not in the list");
    }
    return SUP_OK;
}

sup_status sup_heap_check(sup_diag *diag, sup_heap_figures *out) {
    walk w = {.c = sup_heap_control(), .diag = diag};
    uint32_t last = HEAP_NIL;
    if (!w.c) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the heap is not started");
    bool taken = heap_lock_take(&sup_heap_lock);
    w.figures.pages = w.c->total;
    w.figures.reached = w.c->top;
    sup_status status = check_pages(&w);
    if (!status) status = check_tree(&w, w.c->root, &last);
    if (!status && w.free_runs) status = wrong(&w, last, "a free run is not in the tree");
    if (!status) status = check_lists(&w);
    heap_lock_give(&sup_heap_lock, taken);
    if (!status && out) *out = w.figures;
    return status;
}
