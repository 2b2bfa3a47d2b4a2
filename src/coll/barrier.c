/* The barrier interpreter: see barrier.h. Patterns are those of BSP §5.3; a process makes its own edges without the
 * matrices. */
#include "coll/barrier.h"

#include <stdlib.h>

/* ---- building ---- */

static sup_status stage_add(int **list, int *count, int rank) {
    int *grown = realloc(*list, ((size_t)*count + 1) * sizeof **list);
    if (!grown) return SUP_ENOMEM;
    grown[(*count)++] = rank;
    *list = grown;
    return SUP_OK;
}

static sup_status barrier_alloc(sup_net *net, int size, int stages, int slot, sup_barrier **out) {
    if (slot < 0 || slot + 1 >= SUP_NET_SLOTS || stages < 0 || size < 1 || size > net->size) return SUP_EINVAL;
    sup_barrier *b = calloc(1, sizeof *b);
    if (!b) return SUP_ENOMEM;
    b->stage = calloc((size_t)stages + 1, sizeof *b->stage);
    if (!b->stage) {
        free(b);
        return SUP_ENOMEM;
    }
    b->net = net;
    b->size = size;
    b->slot = slot;
    b->total = b->stage_count = stages;
    for (int s = 0; s < stages; s++) b->stage[s].number = s;
    *out = b;
    return SUP_OK;
}

void sup_barrier_free(sup_barrier *b) {
    if (!b) return;
    for (int s = 0; s < b->stage_count; s++) {
        free(b->stage[s].to);
        free(b->stage[s].from);
    }
    free(b->stage);
    free(b);
}

/* Notes edge from → to of stage s if this process is at one end of it. */
static sup_status edge(sup_barrier *b, int s, int from, int to) {
    sup_status st = SUP_OK;
    sup_barrier_stage *g = &b->stage[s];
    if (from == b->net->rank) st = stage_add(&g->to, &g->sends, to);
    if (!st && to == b->net->rank) st = stage_add(&g->from, &g->receives, from);
    return st;
}

static int levels(int size) {
    int n = 0;
    while ((1 << n) < size) n++;
    return n;
}

static sup_status build_dissemination(sup_barrier *b) {
    int size = b->size, me = b->net->rank;
    sup_status st = SUP_OK;
    for (int s = 0; s < b->stage_count && !st; s++) {
        int step = 1 << s;
        st = edge(b, s, me, (me + step) % size);
        if (!st) st = edge(b, s, (me - step + size) % size, me);
    }
    return st;
}

/* Up: in stage s the ranks with bit s set and lower bits clear signal rank minus 2^s. Down: the same, mirrored. */
static sup_status build_tree(sup_barrier *b) {
    int size = b->size, me = b->net->rank, up = b->stage_count / 2;
    sup_status st = SUP_OK;
    for (int s = 0; s < up && !st; s++) {
        int low = 1 << s, mirror = b->stage_count - 1 - s;
        if (me % low) continue;
        int child = me & low ? me : me + low, parent = child - low;
        if (child >= size) continue;
        st = edge(b, s, child, parent);
        if (!st) st = edge(b, mirror, parent, child);
    }
    return st;
}

static sup_status build_linear(sup_barrier *b) {
    sup_status st = SUP_OK;
    for (int i = 1; i < b->size && !st; i++) {
        st = edge(b, 0, i, 0);
        if (!st) st = edge(b, 1, 0, i);
    }
    return st;
}

static void drop_empty_stages(sup_barrier *b) {
    int kept = 0;
    for (int s = 0; s < b->stage_count; s++)
        if (b->stage[s].sends || b->stage[s].receives) b->stage[kept++] = b->stage[s];
    b->stage_count = kept;
}

sup_status sup_barrier_new(sup_net *net, int size, sup_barrier_kind kind, int slot, sup_barrier **out) {
    int n = levels(size);
    int stages = size == 1 ? 0 : kind == SUP_BARRIER_DISSEMINATION ? n : kind == SUP_BARRIER_TREE ? 2 * n : 2;
    sup_barrier *b;
    sup_status st = barrier_alloc(net, size, stages, slot, &b);
    if (st) return st;
    if (stages == 0)
        st = SUP_OK;
    else if (kind == SUP_BARRIER_DISSEMINATION)
        st = build_dissemination(b);
    else if (kind == SUP_BARRIER_TREE)
        st = build_tree(b);
    else
        st = build_linear(b);
    if (st) {
        sup_barrier_free(b);
        return st;
    }
    drop_empty_stages(b);
    *out = b;
    return SUP_OK;
}

sup_status sup_barrier_from_edges(sup_net *net, int size, int stages, size_t count, const int *stage, const int *from,
                                  const int *to, int slot, sup_barrier **out) {
    sup_barrier *b;
    sup_status st = barrier_alloc(net, size, stages, slot, &b);
    if (st) return st;
    for (size_t e = 0; e < count && !st; e++) {
        bool fits = stage[e] >= 0 && stage[e] < stages && from[e] >= 0 && from[e] < size && to[e] >= 0 && to[e] < size;
        st = fits ? edge(b, stage[e], from[e], to[e]) : SUP_EINVAL;
    }
    if (st) {
        sup_barrier_free(b);
        return st;
    }
    drop_empty_stages(b);
    *out = b;
    return SUP_OK;
}

/* ---- running ----
 *
 * A word is (origin + epoch · (stages + 1) + stage) << 8 | bits. It grows with every signal of a pair, and a later
 * signal of the same barrier carries at least the bits of an earlier one, so one slot serves all stages even if the
 * receiver sees only the later word. Two slots take turns, because a fast process may signal the next barrier before a
 * slow one has read this one's word; it cannot be two ahead. */
uint64_t sup_barrier_next(const sup_barrier *b) { return b->origin + (b->epoch + 1) * (uint64_t)(b->total + 1); }

sup_status sup_barrier_run(sup_barrier *b, unsigned bits, unsigned *all) {
    sup_net *net = b->net;
    uint64_t base = b->origin + ++b->epoch * (uint64_t)(b->total + 1);
    int slot = b->slot + (int)(b->epoch & 1);
    unsigned seen = bits & 0xff;
    for (int s = 0; s < b->stage_count; s++) {
        const sup_barrier_stage *g = &b->stage[s];
        uint64_t word = (base + (uint64_t)g->number) << 8;
        for (int i = 0; i < g->sends; i++) {
            sup_status st = sup_net_signal(net, g->to[i], slot, word | seen);
            if (st) return st;
        }
        for (int i = 0; i < g->receives; i++) {
            uint64_t got;
            sup_status st = sup_net_await(net, g->from[i], slot, word, &got);
            if (st) return st;
            seen |= (unsigned)got & 0xff;
        }
    }
    if (all) *all = seen;
    return SUP_OK;
}
