/* The barrier interpreter: see barrier.h. */
#include "coll/barrier.h"

#include <stdlib.h>

/* ---- building ---- */

void sup_barrier_free(sup_barrier *b) {
    if (!b) return;
    free(b->ranks);
    free(b->stage);
    free(b);
}

/* Signals that this process sends and receives in all stages, and the most of either in one. */
static size_t own_edges(const sup_net_group *group, const sup_pattern *p, size_t *most) {
    size_t sum = 0;
    *most = 0;
    for (int s = 0; s < p->stages; s++)
        for (int receives = 0; receives < 2; receives++) {
            size_t n = sup_pattern_peers(p, s, group->self, receives, NULL);
            sum += n;
            if (n > *most) *most = n;
        }
    return sum;
}

/* Ranks of the members that this process has to do with in a stage, at `to`; members: room for them. */
static int find_ranks(const sup_net_group *group, const sup_pattern *p, int stage, bool receives, int64_t *members,
                      int *to) {
    int n = (int)sup_pattern_peers(p, stage, group->self, receives, members);
    for (int i = 0; i < n; i++) to[i] = sup_net_group_rank(group, (int)members[i]);
    return n;
}

sup_status sup_barrier_new(const sup_net_group *group, const sup_pattern *p, int slot, sup_barrier **out) {
    if (slot < 0 || slot + SUP_BARRIER_SLOTS > SUP_NET_SLOTS) return SUP_EINVAL;
    if (group->self < 0 || p->processes != group->size) return SUP_EINVAL;
    size_t most, edges = own_edges(group, p, &most);
    int64_t *members = calloc(most + 1, sizeof *members);
    sup_barrier *b = calloc(1, sizeof *b);
    if (b) {
        b->ranks = calloc(edges + 1, sizeof *b->ranks);
        b->stage = calloc((size_t)p->stages + 1, sizeof *b->stage);
    }
    if (!members || !b || !b->ranks || !b->stage) {
        free(members);
        sup_barrier_free(b);
        return SUP_ENOMEM;
    }
    b->net = group->net;
    b->slot = slot;
    b->total = p->stages;
    int *room = b->ranks;
    for (int s = 0; s < p->stages; s++) {
        sup_barrier_stage g = {.number = s, .to = room};
        g.sends = find_ranks(group, p, s, false, members, g.to);
        g.from = g.to + g.sends;
        g.receives = find_ranks(group, p, s, true, members, g.from);
        room = g.from + g.receives;
        if (g.sends || g.receives) b->stage[b->stage_count++] = g;
    }
    free(members);
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

void sup_barrier_begin_at(sup_barrier *b, uint64_t word) {
    b->origin = word;
    b->epoch = 0;
}

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
