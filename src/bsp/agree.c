/* Calls that all processes must make alike: registrations and the tag size. Found at the sync, in every run.
 *
 * What a process has done in a superstep is one number, its digest, which travels with what a sync exchanges anyway: in
 * the packets of the engine by messages, and over shared memory by a bit of the barrier that says that somebody has
 * changed something at all; only then does anybody look. A superstep without changes pays nothing. Everybody comes to
 * the same conclusion in the same words, so that they are said once. */
#include "bsp/state.h"

#include <stdarg.h>
#include <stdio.h>

bool bsp_accord_make(bsp_runtime *b) {
    bsp_accord *a = &b->accord;
    b->changed = false;
    if (!b->reg.changes && b->next_tag_size == b->tag_size) return false;
    *a = (bsp_accord){.tag_size = b->next_tag_size,
                      .pushes = (uint32_t)b->reg.pushes,
                      .pops = (uint32_t)(b->reg.changes - b->reg.pushes)};
    uint64_t sum = b->reg.changes ? bsp_reg_prepare(b) : 0;
    sum = (sum ^ a->tag_size) * 0x9e3779b97f4a7c15ull;
    sum ^= sum >> 29;
    a->digest = sum ? sum : 1;
    return true;
}

/* ---- in words ---- */

/* Appends; what does not fit is left out. */
typedef enum subject { PUSHES, POPS, ORDER, TAG_SIZE, SUBJECTS } subject;

static uint64_t value_of(const bsp_accord *a, subject s) {
    switch (s) {
    case PUSHES: return a->pushes;
    case POPS: return a->pops;
    case TAG_SIZE: return a->tag_size;
    default: return a->digest;
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

void bsp_disagree(bsp_runtime *b, const bsp_accord *all) {
    static const struct {
        const char *call, *reason;
    } words[SUBJECTS] = {
        [PUSHES] = {"bsp_push_reg", "not called alike on all processes: "},
        [POPS] = {"bsp_pop_reg", "not called alike on all processes: "},
        [ORDER] = {"bsp_pop_reg", "other registrations, or another order of calls, on "},
        [TAG_SIZE] = {"bsp_set_tagsize", "not the same on all processes: "},
    };
    int n = b->nprocs;
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
