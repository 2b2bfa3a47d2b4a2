/* One-sided transfers: allocated and registered regions, parts of different length, direct memory. */
#include "transport_checks.h"

#include <stdatomic.h>
#include <string.h>

enum { PART = 3000001 };

/* Everybody writes its own stripe of everybody's part, then reads back what others wrote into a third one's. */
void check_region_alloc(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    sup_net_region *r;
    CHECK(e, sup_net_region_alloc(e->net, PART, &r) == SUP_OK && r->len == PART && r->base);
    unsigned char *mine = r->base;
    for (size_t i = 0; i < PART; i += 997) CHECK(e, mine[i] == 0);
    barrier(e);
    size_t stripe = PART / (size_t)size;
    unsigned char *out = take(e, stripe * (size_t)size), *in = take(e, stripe);
    for (int to = 0; to < size; to++) {
        unsigned char *piece = out + stripe * (size_t)to;
        fill(piece, stripe, rank, to, 11);
        /* odd pieces: a small one, the large rest, nothing at all */
        size_t off = stripe * (size_t)rank, cut = 13 < stripe ? 13 : stripe;
        CHECK(e, sup_net_put(e->net, r, to, off, piece, cut) == SUP_OK);
        CHECK(e, sup_net_put(e->net, r, to, off + cut, piece + cut, stripe - cut) == SUP_OK);
        CHECK(e, sup_net_put(e->net, r, to, off, piece, 0) == SUP_OK);
        if (to % 2) CHECK(e, sup_net_flush(e->net, r, to) == SUP_OK);
    }
    CHECK(e, sup_net_flush(e->net, r, SUP_NET_ANY) == SUP_OK);
    barrier(e);
    for (int from = 0; from < size; from++) CHECK(e, filled(mine + stripe * (size_t)from, stripe, from, rank, 11));
    for (int at = 0; at < size; at++) {
        int writer = (at + rank) % size;
        CHECK(e, sup_net_get(e->net, r, at, stripe * (size_t)writer, in, stripe) == SUP_OK);
        CHECK(e, sup_net_flush(e->net, r, at) == SUP_OK);
        CHECK(e, filled(in, stripe, writer, at, 11));
    }
    CHECK(e, sup_net_put(e->net, r, 0, PART, out, 1) == SUP_EINVAL);
    CHECK(e, sup_net_put(e->net, r, 0, 1, out, SIZE_MAX) == SUP_EINVAL);
    CHECK(e, sup_net_get(e->net, r, size, 0, in, 1) == SUP_EINVAL);
    CHECK(e, sup_net_get(e->net, r, 0, PART - 1, in, 2) == SUP_EINVAL);
    barrier(e); /* others may still read mine */
    free(in);
    free(out);
    sup_net_region_free(e->net, r);
}

static size_t length_of(int rank) { return rank % 3 == 2 ? 0 : (size_t)1000 * (size_t)(rank + 1) + 1; }

/* The caller's memory, as long as each likes, also nothing; two regions at a time, freed in either order. */
void check_region_register(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    size_t len = length_of(rank);
    unsigned char *a = take(e, len), *b = take(e, 64), src[1000], dst[1000];
    memset(a, 0, len);
    memset(b, rank, 64);
    sup_net_region *first, *second;
    CHECK(e, sup_net_region_register(e->net, len ? a : NULL, len, &first) == SUP_OK);
    CHECK(e, sup_net_region_register(e->net, b, 64, &second) == SUP_OK);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    fill(src, sizeof src, rank, to, 12);
    if (length_of(to)) {
        CHECK(e, sup_net_put(e->net, first, to, length_of(to) - sizeof src, src, sizeof src) == SUP_OK);
        CHECK(e, sup_net_flush(e->net, first, to) == SUP_OK);
    }
    CHECK(e, sup_net_put(e->net, first, to, length_of(to), src, 1) == SUP_EINVAL);
    CHECK(e, sup_net_get(e->net, second, to, 60, dst, 4) == SUP_OK);
    CHECK(e, sup_net_flush(e->net, second, to) == SUP_OK && dst[0] == (unsigned char)to && dst[3] == (unsigned char)to);
    barrier(e);
    if (len) CHECK(e, filled(a + len - sizeof src, sizeof src, from, rank, 12));
    barrier(e);
    if (e->seed & 1) {
        sup_net_region_free(e->net, first);
        sup_net_region_free(e->net, second);
    } else {
        sup_net_region_free(e->net, second);
        sup_net_region_free(e->net, first);
    }
    free(b);
    free(a);
}

/* A long receive is open while its process enters a collective call that the sender joins only after the send. */
void check_region_pending(env *e) {
    enum { LEN = 1500007 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net), peer = rank ^ 1;
    unsigned char *buf = take(e, LEN);
    sup_net_req q;
    bool paired = peer < size;
    if (paired && (rank & 1)) {
        fill(buf, LEN, rank, peer, 13);
        CHECK(e, sup_net_isend(e->net, peer, 7, buf, LEN, &q) == SUP_OK && sup_net_wait(e->net, &q) == SUP_OK);
    } else if (paired) {
        CHECK(e, sup_net_irecv(e->net, peer, 7, buf, LEN, &q) == SUP_OK);
    }
    sup_net_region *r;
    CHECK(e, sup_net_region_alloc(e->net, 128, &r) == SUP_OK);
    if (paired && !(rank & 1)) CHECK(e, sup_net_wait(e->net, &q) == SUP_OK && filled(buf, LEN, peer, rank, 13));
    sup_net_region_free(e->net, r);
    free(buf);
}

/* Plain stores into another process's memory, then a signal: whoever awaits it sees them. */
void check_direct(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    sup_net_region *r;
    CHECK(e, sup_net_region_alloc(e->net, 4096, &r) == SUP_OK);
    uint64_t *theirs = sup_net_direct(e->net, r, to);
    uint64_t *mine = r->base;
    barrier(e);
    for (uint64_t round = 1; round <= 200; round++) {
        if (theirs)
            for (int i = 0; i < 16; i++) theirs[i * 8] = round * 1000 + (uint64_t)i;
        CHECK(e, sup_net_signal(e->net, to, 2, e->signals + 2 * round) == SUP_OK);
        CHECK(e, sup_net_await(e->net, from, 2, e->signals + 2 * round, NULL) == SUP_OK);
        if (theirs)
            for (int i = 0; i < 16; i++) CHECK(e, ((volatile uint64_t *)mine)[i * 8] == round * 1000 + (uint64_t)i);
        /* read before it is overwritten */
        CHECK(e, sup_net_signal(e->net, from, 3, e->signals + 2 * round) == SUP_OK);
        CHECK(e, sup_net_await(e->net, to, 3, e->signals + 2 * round, NULL) == SUP_OK);
    }
    e->signals += 500;
    /* an address in the heap of the other, if the transport can reach it at all */
    uint64_t word = 77 + (uint64_t)rank, address = (uint64_t)(uintptr_t)&word;
    if (theirs) theirs[1] = address;
    barrier(e);
    if (theirs) {
        uint64_t *there = sup_net_reach(e->net, from, (const void *)(uintptr_t)mine[1], sizeof word);
        CHECK(e, !there || *there == 77 + (uint64_t)from);
    }
    barrier(e);
    sup_net_region_free(e->net, r);
}
