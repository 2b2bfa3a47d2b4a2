/* Registrations: what a local address stands for on every other process.
 *
 * Pushes and pops are noted and take effect at the sync, in program order. All processes make the same sequence of
 * calls, so a push gets the same slot number everywhere without a word exchanged; only the areas themselves are made
 * known. */
#include "bsp/state.h"

#include <stdlib.h>
#include <string.h>

enum { EMPTY = -1, DELETED = -2 };

static size_t hash_of(const void *addr) {
    uint64_t x = (uintptr_t)addr;
    x ^= x >> 29;
    x *= 0x9e3779b97f4a7c15ull;
    return (size_t)(x >> 20);
}

/* Index of addr's entry, or of the place where it would go. */
static int hash_at(const bsp_table *t, const void *addr, bool insert) {
    size_t mask = (size_t)t->hash_room - 1, i = hash_of(addr) & mask;
    int grave = -1;
    for (;; i = (i + 1) & mask) {
        int s = t->hash[i];
        if (s == EMPTY) return insert && grave >= 0 ? grave : (int)i;
        if (s == DELETED && grave < 0) grave = (int)i;
        if (s >= 0 && t->slot[s].addr == addr) return (int)i;
    }
}

static void hash_rebuild(bsp_table *t) {
    int room = 64;
    while (room < 4 * (t->slots + 1)) room *= 2;
    t->hash = bsp_grow(t->hash, (size_t)room * sizeof *t->hash, "bsp_push_reg");
    t->hash_room = room;
    t->hash_used = 0;
    for (int i = 0; i < room; i++) t->hash[i] = EMPTY;
    for (int s = 0; s < t->slots; s++) t->slot[s].older = t->slot[s].used ? t->slot[s].older : -1;
    /* Only the newest registration of an address is entered: the ones it hides are reached through `older`. */
    unsigned char *hidden = calloc((size_t)t->slots + 1, 1);
    if (!hidden) bsp_fail_status("bsp_push_reg", SUP_ENOMEM);
    for (int s = 0; s < t->slots; s++)
        if (t->slot[s].used && t->slot[s].older >= 0) hidden[t->slot[s].older] = 1;
    for (int s = 0; s < t->slots; s++)
        if (t->slot[s].used && !hidden[s]) {
            t->hash[hash_at(t, t->slot[s].addr, true)] = s;
            t->hash_used++;
        }
    free(hidden);
}

const bsp_area *bsp_reg_find_slow(bsp_table *t, const void *addr, int nprocs) {
    if (!t->hash_room) return NULL;
    int s = t->hash[hash_at(t, addr, false)];
    if (s < 0) return NULL;
    t->last_addr = addr;
    t->last_area = &t->area[(size_t)s * (size_t)nprocs];
    return t->last_area;
}

void bsp_reg_note(bsp_runtime *b, const void *addr, size_t size, bool push) {
    bsp_table *t = &b->reg;
    const char *call = push ? "bsp_push_reg" : "bsp_pop_reg";
    if (t->changes == t->change_room) {
        t->change_room = t->change_room ? 2 * t->change_room : 16;
        t->change = bsp_grow(t->change, (size_t)t->change_room * sizeof *t->change, call);
        t->fresh = bsp_grow(t->fresh, (size_t)t->change_room * sizeof *t->fresh, call);
    }
    t->change[t->changes++] = (bsp_change){addr, size, -1, push};
    b->changed = true;
    if (push) t->fresh[t->pushes++] = (bsp_area){(uintptr_t)addr, addr ? size : 0};
}

static int take_slot(bsp_runtime *b) {
    bsp_table *t = &b->reg;
    if (t->vacants) return t->vacant[--t->vacants];
    if (t->slots == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->slot = bsp_grow(t->slot, (size_t)t->room * sizeof *t->slot, "bsp_push_reg");
        t->vacant = bsp_grow(t->vacant, (size_t)t->room * sizeof *t->vacant, "bsp_push_reg");
        t->area = bsp_grow(t->area, (size_t)t->room * (size_t)b->nprocs * sizeof *t->area, "bsp_push_reg");
    }
    return t->slots++;
}

static int do_push(bsp_runtime *b, const void *addr) {
    bsp_table *t = &b->reg;
    int s = take_slot(b);
    t->slot[s] = (bsp_slot){addr, -1, true};
    if (4 * (t->hash_used + 1) > 3 * t->hash_room) {
        t->slot[s].used = false; /* not yet: its place in the chain is found below */
        hash_rebuild(t);
        t->slot[s].used = true;
    }
    int at = hash_at(t, addr, true);
    if (t->hash[at] >= 0)
        t->slot[s].older = t->hash[at];
    else if (t->hash[at] == EMPTY)
        t->hash_used++;
    t->hash[at] = s;
    return s;
}

static int do_pop(bsp_table *t, const void *addr) {
    int at = t->hash_room ? hash_at(t, addr, false) : -1;
    int s = at < 0 ? -1 : t->hash[at];
    if (s < 0) bsp_fail("bsp_pop_reg", "address %p is not registered here", addr);
    t->hash[at] = t->slot[s].older >= 0 ? t->slot[s].older : DELETED;
    t->slot[s].used = false;
    t->slot[s].older = -1;
    t->vacant[t->vacants++] = s;
    return s;
}

uint64_t bsp_reg_prepare(bsp_runtime *b) {
    bsp_table *t = &b->reg;
    uint64_t sum = 0xcbf29ce484222325ull;
    for (int i = 0; i < t->changes; i++) {
        bsp_change *c = &t->change[i];
        c->slot = c->push ? do_push(b, c->addr) : do_pop(t, c->addr);
        sum = (sum ^ ((uint64_t)c->slot << 1 | c->push)) * 0x100000001b3ull;
    }
    t->last_addr = BSP_NO_ADDR;
    return sum;
}

void bsp_reg_apply(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid)) {
    bsp_table *t = &b->reg;
    for (int i = 0, pushed = 0; i < t->changes; i++) {
        const bsp_change *c = &t->change[i];
        if (!c->push) continue;
        bsp_area *area = &t->area[(size_t)c->slot * (size_t)b->nprocs];
        for (int p = 0; p < b->nprocs; p++) area[p] = of(b, p)[pushed];
        pushed++;
    }
    t->changes = t->pushes = 0;
    t->last_addr = BSP_NO_ADDR;
}

bool bsp_reg_covers(const bsp_runtime *b, const void *p, size_t len) {
    const bsp_table *t = &b->reg;
    if (t->slots > 256 || t->changes) return true; /* changes: the table is ahead of the superstep that ends */
    uintptr_t low = (uintptr_t)p, high = low + len;
    for (int s = 0; s < t->slots; s++) {
        const bsp_area *a = &t->area[(size_t)s * (size_t)b->nprocs + (size_t)b->pid];
        if (t->slot[s].used && a->base < high && low < a->base + a->size) return true;
    }
    return false;
}

void bsp_reg_release(bsp_table *t) {
    free(t->slot);
    free(t->area);
    free(t->vacant);
    free(t->hash);
    free(t->change);
    free(t->fresh);
    memset(t, 0, sizeof *t);
}
