/* Calls that all processes must make alike: registrations and the tag size. Found at the sync, in every run.
 *
 * What a process has done in a superstep is one number, its digest, which travels with what a sync exchanges anyway: in
 * the packets of the engine by messages, and over shared memory by a bit of the barrier that says that somebody has
 * changed something at all; only then does anybody look. A superstep without changes pays nothing. Everybody comes to
 * the same conclusion in the same words, so that they are said once. */
#include "bsp/engine/state.h"

#include <stdarg.h>
#include <stdio.h>

bool bsp_accord_make(bsp_runtime *b) {
    bsp_accord *a = &b->accord;
    b->changed = false;
    if (!b->reg.changes && b->next_tag_size == b->tag_size) return false;
    *a = (bsp_accord){.tag_size = b->next_tag_size,
                      .pushes = (uint32_t)b->reg.pushes,
                      .pops = (uint32_t)(b->reg.changes - b->reg.pushes)};
    if (b->reg.changes) bsp_reg_prepare(b, a);
    uint64_t sum = (a->digest ^ a->tag_size) * 0x9e3779b97f4a7c15ull;
    sum ^= sum >> 29;
    a->digest = sum ? sum : 1;
    return true;
}

/* ---- in words ---- */

typedef enum subject { PUSHES, POPS, ORDER, TAG_SIZE, SUBJECTS } subject;

static uint64_t value_of(const bsp_accord *a, subject s) {
    switch (s) {
    case PUSHES: return a->pushes;
    case POPS: return a->pops;
    case TAG_SIZE: return a->tag_size;
    default: return a->digest ^ a->names << 1;
    }
}

static bool differs(const bsp_accord *all, int n, subject s) {
    for (int r = 1; r < n; r++)
        if (value_of(&all[r], s) != value_of(&all[0], s)) return true;
    return false;
}

static void add_value(char *text, size_t size, size_t *used, subject s, uint64_t value) {
    unsigned long long v = value;
    if (s == TAG_SIZE) bsp_text_add(text, size, used, "%llu bytes on ", v);
    if (s == PUSHES || s == POPS) bsp_text_add(text, size, used, v == 1 ? "%llu call on " : "%llu calls on ", v);
}

/* Everybody's value, the ranks with the same one together. */
static void add_groups(const bsp_accord *all, int n, subject s, char *text, size_t size, size_t *used) {
    bool *in = bsp_grow(NULL, 2 * (size_t)n * sizeof *in, "bsp_sync"), *told = in + n;
    char ranks[400];
    for (int r = 0; r < n; r++) told[r] = false;
    for (int r = 0; r < n; r++) {
        if (told[r]) continue;
        for (int q = 0; q < n; q++) {
            in[q] = value_of(&all[q], s) == value_of(&all[r], s);
            told[q] |= in[q];
        }
        bsp_ranks_text(in, n, ranks, sizeof ranks);
        if (r) bsp_text_add(text, size, used, s == ORDER ? " and " : ", ");
        add_value(text, size, used, s, value_of(&all[r], s));
        bsp_text_add(text, size, used, "%s", ranks);
    }
}

static _Noreturn void disagree(const bsp_accord *all, int n) {
    static const struct {
        const char *call, *reason;
    } words[SUBJECTS] = {
        [PUSHES] = {"bsp_push_reg", "not called alike on all processes: "},
        [POPS] = {"bsp_pop_reg", "not called alike on all processes: "},
        [ORDER] = {"bsp_pop_reg", "other registrations, or another order of calls, on "},
        [TAG_SIZE] = {"bsp_set_tagsize", "not the same on all processes: "},
    };
    subject s = differs(all, n, PUSHES)     ? PUSHES
                : differs(all, n, POPS)     ? POPS
                : differs(all, n, TAG_SIZE) ? TAG_SIZE
                                            : ORDER;
    char text[900];
    size_t used = 0;
    bsp_text_add(text, sizeof text, &used, "%s", words[s].reason);
    add_groups(all, n, s, text, sizeof text, &used);
    bsp_fail(words[s].call, "%s", text);
}

void bsp_accord_compare(bsp_runtime *b, bsp_accord (*of)(const bsp_runtime *b, int pid)) {
    const bsp_accord own = of(b, b->pid);
    bool differ = false, other_names = false, nulls = false;
    for (int p = 0; p < b->nprocs; p++) {
        const bsp_accord a = of(b, p);
        differ |= a.digest != own.digest;
        other_names |= a.names != own.names;
        nulls |= a.nulls > 0;
    }
    b->reg.unsettled = nulls;
    if (!differ && (nulls || !other_names)) return;
    bsp_accord *all = bsp_grow(NULL, (size_t)b->nprocs * sizeof *all, "bsp_sync");
    for (int p = 0; p < b->nprocs; p++) all[p] = of(b, p);
    disagree(all, b->nprocs);
}

static _Noreturn void disagree_on_pop(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid), bsp_quarrel q) {
    int n = b->nprocs, slot = q.slot;
    bool *alike = bsp_grow(NULL, 3 * (size_t)n * sizeof *alike, "bsp_sync"), *other = alike + n, *wrong = other + n;
    bool others = false;
    char text[3][400];
    for (int p = 0; p < n; p++) {
        int named = (int)of(b, p)[q.change].base - 1;
        alike[p] = named == slot;
        other[p] = named >= 0 && named != slot;
        wrong[p] = named < 0 && slot >= 0 && b->reg.area[(size_t)slot * (size_t)n + (size_t)p].base;
        others |= other[p];
    }
    bsp_ranks_text(alike, n, text[0], sizeof text[0]);
    if (slot < 0) bsp_fail("bsp_pop_reg", "NULL on %s, and there is no registration in which all gave NULL", text[0]);
    bsp_ranks_text(other, n, text[1], sizeof text[1]);
    if (others)
        bsp_fail("bsp_pop_reg", "other registrations, or another order of calls, on %s and %s", text[0], text[1]);
    bsp_ranks_text(wrong, n, text[2], sizeof text[2]);
    bsp_fail("bsp_pop_reg", "NULL on %s, for a registration in which an address was given there; rank %d names it",
             text[2], q.namer);
}

void bsp_accord_apply(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid)) {
    bsp_quarrel q;
    if (!bsp_reg_apply(b, of, &q)) disagree_on_pop(b, of, q);
}
