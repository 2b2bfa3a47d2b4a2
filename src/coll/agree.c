/* What members of a group tell each other beside the data (ways.h): the worst status of all, and that somebody cannot
 * go on. Both travel as signals, which need no memory: who has none must still be able to say so.
 *
 *     SLOT_AGREE   turn and status, an exchange of two turns between two members:
 *                  2k + 1   my status
 *                  2k + 2   the same: I have heard yours
 *     SLOT_END     status: this member has given up
 *
 * Both of a pair read k off the last word that they have got from each other. Nobody is a turn ahead of who has not
 * heard of it, so the first word from 2k + 1 on is one of this exchange. */
#include "coll/room/room.h"
#include "coll/ways.h"

enum { SLOT_AGREE = 1, SLOT_END = 2 /* of the group's own; 0 is the room's */ };
_Static_assert((int)SLOT_END < (int)SUP_COLL_SLOTS, "the group has these slots");

enum { STATUS_BITS = 8, SAID = 1 << STATUS_BITS };

static uint64_t word_of(uint64_t turn, sup_status st) { return turn << STATUS_BITS | (uint64_t)(-(int)st & 0xff); }
static sup_status status_of(uint64_t word) { return (sup_status)(-(int)(word & 0xff)); }

/* ---- the worst of all ---- */

static sup_status exchange(const sup_net_group *g, int slot, const int *peer, int count, sup_status *worst) {
    uint64_t turn[2], word;
    sup_status st = SUP_OK, mine = *worst;
    for (int i = 0; i < count && !st; i++) {
        turn[i] = sup_net_peek(g->net, peer[i], slot) >> STATUS_BITS & ~(uint64_t)1;
        st = sup_net_signal(g->net, peer[i], slot, word_of(turn[i] + 1, mine));
    }
    for (int i = 0; i < count && !st; i++) {
        st = sup_net_await(g->net, peer[i], slot, word_of(turn[i] + 1, SUP_OK), &word);
        if (!st && status_of(word) < *worst) *worst = status_of(word);
    }
    for (int i = 0; i < count && !st; i++) st = sup_net_signal(g->net, peer[i], slot, word_of(turn[i] + 2, mine));
    for (int i = 0; i < count && !st; i++)
        st = sup_net_await(g->net, peer[i], slot, word_of(turn[i] + 2, SUP_OK), NULL);
    return st;
}

/* After the round of distance d each has heard of the 2d members up to itself, if not of more. */
sup_status sup_coll_agree(const sup_net_group *g, int slot, sup_status st) {
    sup_status net = SUP_OK;
    for (int d = 1; d < g->size && !net; d *= 2) {
        int to = (g->self + d) % g->size, from = (g->self + g->size - d) % g->size;
        int peer[2] = {sup_net_group_rank(g, to), sup_net_group_rank(g, from)};
        net = exchange(g, slot + SLOT_AGREE, peer, to == from ? 1 : 2, &st);
    }
    return net ? net : st;
}

/* ---- the end ---- */

sup_status sup_coll_heard(const sup_net_group *g, int slot) {
    for (int i = 0; i < g->size; i++) {
        uint64_t word = sup_net_peek(g->net, sup_net_group_rank(g, i), slot + SLOT_END);
        if (word) return status_of(word);
    }
    return SUP_OK;
}

void sup_coll_end(sup_coll *c, sup_status st) {
    const sup_net_group *g = &c->all.group;
    if (c->broken) return;
    c->broken = st;
    if (c->room) sup_room_break(c->room, st);
    if (st == SUP_EPEER) return; /* the net says so itself, and to whom it cannot be said it is not known */
    for (int i = 0; i < g->size; i++)
        (void)sup_net_signal(g->net, sup_net_group_rank(g, i), c->options.slot + SLOT_END, word_of(1, st));
}
