/* Registrations: what a local address stands for on every other process.
 *
 * Pushes and pops are noted and take effect at the sync, in program order. All processes make the same sequence of
 * calls, so a push gets the same slot number everywhere without a word exchanged; only the areas themselves are made
 * known, and which slot a pop names: a process that gave NULL may have done so in many. */
#include "bsp/engine/state.h"

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
    /* Only the newest registration of an address is entered: the ones it hides are reached through `older`. */
    for (int s = 0; s < t->slots; s++)
        if (t->slot[s].used && t->slot[s].newer < 0) {
            t->hash[hash_at(t, t->slot[s].addr, true)] = s;
            t->hash_used++;
        }
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
    t->fresh[t->changes] = push ? (bsp_area){(uintptr_t)addr, addr ? size : 0} : (bsp_area){0};
    t->change[t->changes++] = (bsp_change){addr, -1, push};
    t->pushes += push;
    b->changed = true;
}

/* ---- slots ---- */

static int take_slot(bsp_runtime *b, const void *addr) {
    bsp_table *t = &b->reg;
    int s = t->vacants ? t->vacant[--t->vacants] : t->slots;
    if (s == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->slot = bsp_grow(t->slot, (size_t)t->room * sizeof *t->slot, "bsp_push_reg");
        t->vacant = bsp_grow(t->vacant, (size_t)t->room * sizeof *t->vacant, "bsp_push_reg");
        t->area = bsp_grow(t->area, (size_t)t->room * (size_t)b->nprocs * sizeof *t->area, "bsp_push_reg");
    }
    t->slots += s == t->slots;
    t->slot[s] = (bsp_slot){addr, ++t->numbers, -1, -1, false};
    return s;
}

/* The slot is now what its address names. */
static void enter_slot(bsp_table *t, int s) {
    if (4 * (t->hash_used + 1) > 3 * t->hash_room) hash_rebuild(t);
    int at = hash_at(t, t->slot[s].addr, true), older = t->hash[at];
    t->slot[s].used = true;
    if (older >= 0) {
        t->slot[s].older = older;
        t->slot[older].newer = s;
    } else if (older == EMPTY) {
        t->hash_used++;
    }
    t->hash[at] = s;
}

/* at: where its address is in the hash; -1: it is looked up if need be. */
static void leave_slot(bsp_table *t, int s, int at) {
    int older = t->slot[s].older, newer = t->slot[s].newer;
    t->slot[s].used = false;
    if (older >= 0) t->slot[older].newer = newer;
    if (newer >= 0) {
        t->slot[newer].older = older;
        return;
    }
    if (at < 0) at = hash_at(t, t->slot[s].addr, false);
    t->hash[at] = older >= 0 ? older : DELETED;
}

int bsp_reg_latest_null(const bsp_table *t) {
    int s = t->hash_room ? t->hash[hash_at(t, NULL, false)] : EMPTY;
    return s < 0 ? -1 : s;
}

/* ---- the sync ---- */

static uint64_t mixed(uint64_t sum, uint64_t value) { return (sum ^ value) * 0x100000001b3ull; }

/* The slot that a pop of addr leaves; -1: addr is NULL. */
static int pop(bsp_table *t, const void *addr) {
    int at = addr && t->hash_room ? hash_at(t, addr, false) : -1;
    int s = at < 0 ? -1 : t->hash[at];
    if (addr ? s < 0 : !t->nulls) bsp_fail("bsp_pop_reg", "address %p is not registered here", addr);
    if (!addr) {
        t->nulls--;
        return -1;
    }
    leave_slot(t, s, at);
    return s;
}

/* Slots are free again only behind the sync, so pushes find the same ones on all processes although what a NULL stands
 * for is not known here yet. For the same reason registrations of NULL are entered then, in their turn. */
void bsp_reg_prepare(bsp_runtime *b, bsp_accord *a) {
    bsp_table *t = &b->reg;
    uint64_t digest = 0xcbf29ce484222325ull, names = digest;
    for (int i = 0; i < t->changes; i++) {
        bsp_change *c = &t->change[i];
        digest = mixed(digest, c->push);
        if (c->push) {
            c->slot = take_slot(b, c->addr);
            if (c->addr)
                enter_slot(t, c->slot);
            else
                t->nulls++;
            continue;
        }
        c->slot = pop(t, c->addr);
        t->fresh[i].base = (uintptr_t)c->slot + 1;
        names = mixed(names, (uint64_t)c->slot + 1);
        a->nulls += !c->addr;
    }
    a->digest = digest;
    a->names = names;
    t->last_addr = BSP_NO_ADDR;
}

static bool is_null_everywhere(const bsp_table *t, int s, int nprocs) {
    const bsp_area *area = &t->area[(size_t)s * (size_t)nprocs];
    for (int p = 0; p < nprocs; p++)
        if (area[p].base) return false;
    return true;
}

/* Change i is a pop, and some process gave NULL in this superstep: that stands for the registration that the others
 * name; where nobody names one, for the latest in which all gave NULL. Everybody comes to the same conclusion. */
static bool settle_pop(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid), int i, bsp_quarrel *q) {
    bsp_table *t = &b->reg;
    int s = -1;
    *q = (bsp_quarrel){i, -1, -1};
    for (int p = 0; p < b->nprocs; p++) {
        int named = (int)of(b, p)[i].base - 1;
        if (s >= 0 && named >= 0 && named != s) return false;
        if (s < 0 && named >= 0) *q = (bsp_quarrel){i, s = named, p};
    }
    for (int p = 0; p < b->nprocs && s >= 0; p++)
        if (!of(b, p)[i].base && t->area[(size_t)s * (size_t)b->nprocs + (size_t)p].base) return false;
    if (s < 0)
        for (s = bsp_reg_latest_null(t); s >= 0 && !is_null_everywhere(t, s, b->nprocs);) s = t->slot[s].older;
    if (s < 0) return false;
    if (t->change[i].addr) return true;
    t->change[i].slot = s;
    leave_slot(t, s, -1);
    return true;
}

bool bsp_reg_apply(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid), bsp_quarrel *q) {
    bsp_table *t = &b->reg;
    for (int i = 0; i < t->changes; i++) {
        const bsp_change *c = &t->change[i];
        if (!c->push) {
            if (t->unsettled && !settle_pop(b, of, i, q)) return false;
            t->vacant[t->vacants++] = c->slot;
            continue;
        }
        bsp_area *area = &t->area[(size_t)c->slot * (size_t)b->nprocs];
        for (int p = 0; p < b->nprocs; p++) area[p] = of(b, p)[i];
        if (!c->addr) enter_slot(t, c->slot);
    }
    t->changes = t->pushes = 0;
    t->unsettled = false;
    t->last_addr = BSP_NO_ADDR;
    return true;
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
