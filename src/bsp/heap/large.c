/* Large blocks of the heap: runs of 64 KiB pages.
 *
 * Free runs are never neighbours (they are joined at once) and form a tree by length, then address: the best fit, the
 * lowest among equals, is found in O(log n), also with 10^5 holes. The tree is a treap whose priorities are a hash of
 * the page number, so that nothing has to be stored or rebalanced. Pages never reached are no run: they are used last,
 * and are known to be zero.
 *
 * A free run counts how many of its pages may hold memory ("dirty"). When that reaches 16 MiB the memory goes back to
 * the system: one call for every 16 MiB freed at most, whatever the pieces, and the run is known to be zero after. */
#include "bsp/heap/page.h"

#include <errno.h>
#include <sys/mman.h>

static heap_page *at(uint32_t page) { return &sup_heap_map.pages[page]; }

/* ---- the tree ---- */

/* A mixing function that is one to one: no two pages have the same priority. */
static uint32_t priority(uint32_t page) {
    page ^= page >> 16;
    page *= 0x7feb352du;
    page ^= page >> 15;
    page *= 0x846ca68bu;
    return page ^ page >> 16;
}

static bool before(uint32_t a, uint32_t b) {
    return at(a)->pages != at(b)->pages ? at(a)->pages < at(b)->pages : a < b;
}

static void tree_insert(heap_control *c, uint32_t page) {
    uint32_t *link = &c->root;
    while (*link != HEAP_NIL && priority(*link) > priority(page))
        link = before(page, *link) ? &at(*link)->left : &at(*link)->right;
    uint32_t rest = *link, *less = &at(page)->left, *more = &at(page)->right;
    *link = page;
    while (rest != HEAP_NIL) {
        if (before(rest, page)) {
            *less = rest;
            less = &at(rest)->right;
            rest = *less;
        } else {
            *more = rest;
            more = &at(rest)->left;
            rest = *more;
        }
    }
    *less = *more = HEAP_NIL;
}

static void tree_remove(heap_control *c, uint32_t page) {
    uint32_t *link = &c->root;
    while (*link != page) link = before(page, *link) ? &at(*link)->left : &at(*link)->right;
    uint32_t a = at(page)->left, b = at(page)->right;
    while (a != HEAP_NIL && b != HEAP_NIL) {
        if (priority(a) > priority(b)) {
            *link = a;
            link = &at(a)->right;
            a = *link;
        } else {
            *link = b;
            link = &at(b)->left;
            b = *link;
        }
    }
    *link = a != HEAP_NIL ? a : b;
}

static uint32_t tree_best(const heap_control *c, uint32_t pages) {
    uint32_t best = HEAP_NIL;
    for (uint32_t page = c->root; page != HEAP_NIL;) {
        if (at(page)->pages >= pages) {
            best = page;
            page = at(page)->left;
        } else {
            page = at(page)->right;
        }
    }
    return best;
}

/* ---- runs ---- */

static void free_put(heap_control *c, uint32_t first, uint32_t n, uint64_t dirty) {
    *at(first + n - 1) = (heap_page){.kind = PAGE_FREE_END, .pages = n};
    *at(first) = (heap_page){.kind = PAGE_FREE, .pages = n, .summary = dirty};
    tree_insert(c, first);
}

/* Returns the number of dirty pages. */
static uint64_t free_take(heap_control *c, uint32_t first) {
    uint64_t dirty = at(first)->summary;
    tree_remove(c, first);
    at(first + at(first)->pages - 1)->kind = PAGE_NONE;
    at(first)->kind = PAGE_NONE;
    return dirty;
}

/* The free run that ends before `page`, HEAP_NIL if none does. */
static uint32_t free_before(uint32_t page) {
    if (page == 0) return HEAP_NIL;
    const heap_page *end = at(page - 1);
    return end->kind == PAGE_FREE || end->kind == PAGE_FREE_END ? page - end->pages : HEAP_NIL;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

bool sup_heap_run_clear(heap_control *c, uint32_t first, uint32_t n) {
    int saved = errno;
    size_t bytes = (size_t)n << HEAP_PAGE_SHIFT;
    if (!c->keep && madvise(heap_page_at(first), bytes, MADV_REMOVE) != 0) c->keep = true;
    if (!c->keep) sup_heap_fill_gone(c, bytes);
    errno = saved;
    return !c->keep;
}

void sup_heap_run_give(heap_control *c, uint32_t first, uint32_t n, bool clean) {
    uint64_t dirty = clean ? 0 : n;
    uint32_t left = free_before(first), right = first + n;
    if (right < c->top && at(right)->kind == PAGE_FREE) {
        n += at(right)->pages;
        dirty += free_take(c, right);
    }
    if (left != HEAP_NIL) {
        n += at(left)->pages;
        dirty += free_take(c, left);
        first = left;
    }
    if (dirty >= HEAP_GIVE_BACK && sup_heap_run_clear(c, first, n)) dirty = 0;
    free_put(c, first, n, dirty);
}

/* Takes n pages from the beginning of a free run. */
static bool run_cut(heap_control *c, uint32_t first, uint32_t n) {
    uint32_t rest = at(first)->pages - n;
    uint64_t dirty = free_take(c, first);
    if (rest) free_put(c, first + n, rest, least(dirty, rest));
    return dirty == 0;
}

uint32_t sup_heap_run_take(heap_control *c, uint32_t n, bool *clean) {
    uint32_t first = tree_best(c, n);
    if (first != HEAP_NIL) {
        *clean = run_cut(c, first, n);
        return first;
    }
    uint32_t last = free_before(c->top), have = last == HEAP_NIL ? 0 : at(last)->pages;
    if (n - have > c->total - c->top) return HEAP_NIL;
    *clean = have == 0 || free_take(c, last) == 0;
    first = c->top - have;
    c->top += n - have;
    return first;
}

bool sup_heap_run_extend(heap_control *c, uint32_t first, uint32_t n, uint32_t more) {
    uint32_t next = first + n, have = next < c->top && at(next)->kind == PAGE_FREE ? at(next)->pages : 0;
    if (have >= more) {
        run_cut(c, next, more);
        return true;
    }
    if (next + have != c->top || more - have > c->total - c->top) return false;
    if (have) free_take(c, next);
    c->top += more - have;
    return true;
}
