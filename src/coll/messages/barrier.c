/* The barrier interpreter: see barrier.h. */
#include "coll/messages/barrier.h"

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

/* Ranks of the members at the other ends of this process's edges in a stage: those that share memory with it and use
 * one word (common), or all others. */
static int find_ranks(const sup_net_group *group, const sup_pattern_edge *edges, size_t count, bool receives,
                      bool common, int *to) {
    int n = 0;
    for (size_t i = 0; i < count; i++) {
        int rank = sup_net_group_rank(group, (int)(receives ? edges[i].from : edges[i].to));
        if ((edges[i].common && sup_net_shares(group->net, rank)) == common) to[n++] = rank;
    }
    return n;
}

static int *fill_stage(const sup_net_group *group, const sup_pattern *p, sup_pattern_edge *edges, int *room,
                       sup_barrier_stage *g) {
    size_t out = sup_pattern_edges_of(p, g->number, group->self, false, edges);
    g->reader = room;
    g->readers = find_ranks(group, edges, out, false, true, g->reader);
    g->to = g->reader + g->readers;
    g->sends = find_ranks(group, edges, out, false, false, g->to);
    size_t in = sup_pattern_edges_of(p, g->number, group->self, true, edges);
    g->from = g->to + g->sends;
    g->receives = find_ranks(group, edges, in, true, false, g->from);
    g->publisher = g->from + g->receives;
    g->published = find_ranks(group, edges, in, true, true, g->publisher);
    return g->publisher + g->published;
}

sup_status sup_barrier_new(const sup_net_group *group, const sup_pattern *p, int slot, sup_barrier **out) {
    if (slot < 0 || slot + SUP_BARRIER_SLOTS > SUP_NET_SLOTS) return SUP_EINVAL;
    if (group->self < 0 || p->processes != group->size) return SUP_EINVAL;
    size_t most, edges = own_edges(group, p, &most);
    sup_pattern_edge *of_stage = calloc(most + 1, sizeof *of_stage);
    sup_barrier *b = calloc(1, sizeof *b);
    if (b) {
        b->ranks = calloc(edges + 1, sizeof *b->ranks);
        b->stage = calloc((size_t)p->stages + 1, sizeof *b->stage);
    }
    if (!of_stage || !b || !b->ranks || !b->stage) {
        free(of_stage);
        sup_barrier_free(b);
        return SUP_ENOMEM;
    }
    b->net = group->net;
    b->slot = slot;
    b->total = p->stages;
    int *room = b->ranks;
    for (int s = 0; s < p->stages; s++) {
        sup_barrier_stage g = {.number = s};
        room = fill_stage(group, p, of_stage, room, &g);
        if (g.readers || g.sends || g.receives || g.published) b->stage[b->stage_count++] = g;
    }
    free(of_stage);
    *out = b;
    return SUP_OK;
}

/* ---- running ----
 *
 * A word is (origin + epoch · (stages + 1) + stage) << 8 | bits. It grows with every signal of a pair, and a later
 * signal of the same barrier carries at least the bits of an earlier one, so one slot serves all stages even if the
 * receiver sees only the later word. Published words are words of another kind, by the same rules: there is one for all
 * that read it, and it, too, only grows and gains bits within a barrier.
 *
 * Two slots take turns, because a fast process may be in the next barrier before a slow one has read this one's word.
 * Two ahead it cannot be, whoever reads its words: to be out of barrier e + 1 it must have heard of everybody in it, so
 * everybody had come to e + 1 and was done with the words of e. Only then does it write to the slot of e again. */
uint64_t sup_barrier_next(const sup_barrier *b) { return b->origin + (b->epoch + 1) * (uint64_t)(b->total + 1); }

void sup_barrier_begin_at(sup_barrier *b, uint64_t word) {
    b->origin = word;
    b->epoch = 0;
}

static sup_status tell(sup_net *net, const sup_barrier_stage *g, int slot, uint64_t word) {
    sup_status st = g->readers ? sup_net_publish(net, slot, word, g->reader, g->readers) : SUP_OK;
    for (int i = 0; i < g->sends && !st; i++) st = sup_net_signal(net, g->to[i], slot, word);
    return st;
}

static sup_status hear(sup_net *net, const sup_barrier_stage *g, int slot, uint64_t word, unsigned *seen) {
    sup_status st = SUP_OK;
    uint64_t got, bits = 0;
    for (int i = 0; i < g->receives && !st; i++) {
        st = sup_net_await(net, g->from[i], slot, word, &got);
        if (!st) bits |= got;
    }
    for (int i = 0; i < g->published && !st; i++) {
        st = sup_net_await_published(net, g->publisher[i], slot, word, &got);
        if (!st) bits |= got;
    }
    *seen |= (unsigned)bits & 0xff;
    return st;
}

/* The words of this run begin here. */
static uint64_t base_of(const sup_barrier *b) { return b->origin + b->epoch * (uint64_t)(b->total + 1); }
static int slot_of(const sup_barrier *b) { return b->slot + (int)(b->epoch & 1); }

sup_status sup_barrier_run(sup_barrier *b, unsigned bits, unsigned *all) {
    sup_net *net = b->net;
    b->epoch++;
    uint64_t base = base_of(b);
    int slot = slot_of(b);
    unsigned seen = bits & 0xff;
    for (int s = 0; s < b->stage_count; s++) {
        const sup_barrier_stage *g = &b->stage[s];
        uint64_t word = (base + (uint64_t)g->number) << 8;
        sup_status st = tell(net, g, slot, word | seen);
        if (!st) st = hear(net, g, slot, word, &seen);
        if (st) return st;
    }
    if (all) *all = seen;
    return SUP_OK;
}

/* Who is out of this run knows that all are done with the words of the one before it, bits and all. Its own words may
 * be written over by larger ones before everybody has read them, which lets go as well. */
sup_status sup_barrier_leave(sup_barrier *b) { return b->epoch ? sup_barrier_run(b, 0, NULL) : SUP_OK; }

/* ---- in steps ---- */

/* Looks before a try gives up: an answer that is due comes between two of them. One for a message counts more; several
 * all the same, because an MPI may look at a network only every few calls. */
enum { LOOKS = 32, LOOK_FOR_MESSAGE = 4 };

static sup_status tell_stage(sup_barrier *b) {
    const sup_barrier_stage *g = &b->stage[b->at];
    b->heard = 0;
    return tell(b->net, g, slot_of(b), (base_of(b) + (uint64_t)g->number) << 8 | b->seen);
}

/* The word of the i-th that this process has to hear of in a stage, as far as it is known. */
static uint64_t look(const sup_barrier *b, const sup_barrier_stage *g, int i) {
    if (i < g->receives) return sup_net_peek(b->net, g->from[i], slot_of(b));
    return sup_net_peek_published(b->net, g->publisher[i - g->receives], slot_of(b));
}

static bool in_memory(const sup_barrier *b, const sup_barrier_stage *g, int i) {
    return i >= g->receives || sup_net_shares(b->net, g->from[i]);
}

bool sup_barrier_rung(const sup_barrier *b) {
    const sup_barrier_stage *g = &b->stage[b->at];
    for (int i = b->heard; b->at < b->stage_count && i < g->receives; i++)
        if (!sup_net_shares(b->net, g->from[i])) return false;
    return b->at < b->stage_count;
}

sup_status sup_barrier_start(sup_barrier *b, unsigned bits) {
    b->epoch++;
    b->at = 0;
    b->seen = bits & 0xff;
    return b->stage_count ? tell_stage(b) : SUP_OK;
}

sup_status sup_barrier_try(sup_barrier *b, bool *done, unsigned *all) {
    int looks = b->net->oversubscribed ? 1 : LOOKS;
    *done = false;
    while (b->at < b->stage_count) {
        const sup_barrier_stage *g = &b->stage[b->at];
        uint64_t want = (base_of(b) + (uint64_t)g->number) << 8;
        for (; b->heard < g->receives + g->published; b->heard++) {
            uint64_t got = 0;
            while ((got = look(b, g, b->heard)) < want)
                if ((looks -= in_memory(b, g, b->heard) ? 1 : LOOK_FOR_MESSAGE) <= 0) return SUP_OK;
            b->seen |= (unsigned)got & 0xff;
        }
        sup_status st = ++b->at < b->stage_count ? tell_stage(b) : SUP_OK;
        if (st) return st;
    }
    *done = true;
    if (all) *all = b->seen;
    return SUP_OK;
}
