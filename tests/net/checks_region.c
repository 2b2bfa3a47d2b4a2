/* Memory of others: regions, which all can address, and single copies. */
#include "transport_checks.h"

#include <stdatomic.h>
#include <string.h>

enum { PART = 3000001 };

/* How many processes this one shares memory with, itself included. */
static int neighbours(env *e) {
    int count = 0;
    for (int p = 0; p < sup_net_size(e->net); p++) count += sup_net_shares(e->net, p);
    return count;
}

/* A region, where the processes of this host share memory; else NULL. */
static sup_net_region *allocate(env *e, size_t len) {
    sup_net_region *r = NULL;
    bool own = !strcmp(sup_net_name(e->net), "shm") || !strcmp(sup_net_name(e->net), "self");
    bool alone = neighbours(e) == 1 && sup_net_size(e->net) > 1;
    bool shared = own || (neighbours(e) > 0 && !alone && !getenv("SUPERSTEP_NO_KERNEL_COPY") && !getenv("NO_SEGMENT"));
    CHECK(e, sup_net_region_alloc(e->net, len, &r) == (shared ? SUP_OK : SUP_ENOTSUP));
    return r;
}

/* Everybody writes its own stripe of everybody's part, then reads back what others wrote into a third one's. */
void check_region_alloc(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    sup_net_region *r = allocate(e, PART);
    if (!r) return;
    CHECK(e, r->len == PART && r->base && sup_net_direct(e->net, r, rank) == r->base);
    CHECK(e, sup_net_region_there(e->net, r, rank) == (uintptr_t)r->base);
    unsigned char *mine = r->base;
    for (size_t i = 0; i < PART; i += 997) CHECK(e, mine[i] == 0);
    barrier(e);
    size_t stripe = PART / (size_t)size;
    for (int to = 0; to < size; to++) {
        unsigned char *theirs = sup_net_direct(e->net, r, to);
        CHECK(e, (theirs != NULL) == sup_net_shares(e->net, to));
        if (theirs) fill(theirs + stripe * (size_t)rank, stripe, rank, to, 11);
    }
    barrier(e);
    for (int from = 0; from < size; from++)
        CHECK(e, !sup_net_shares(e->net, from) || filled(mine + stripe * (size_t)from, stripe, from, rank, 11));
    for (int at = 0; at < size; at++) {
        int writer = (at + rank) % size;
        const unsigned char *theirs = sup_net_direct(e->net, r, at);
        if (theirs && sup_net_shares(e->net, writer))
            CHECK(e, filled(theirs + stripe * (size_t)writer, stripe, writer, at, 11));
    }
    int fd;
    size_t offset;
    CHECK(e, sup_net_region_backing(e->net, r, &fd, &offset) == SUP_ENOTSUP || fd >= 0);
    barrier(e); /* others may still read mine */
    sup_net_region_free(e->net, r);
}

/* Memory of a neighbour that is in no region, by its address, without its help. */
void check_single_copy(env *e) {
    enum { LEN = 100003 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    unsigned char *own = take(e, LEN), *other = take(e, LEN);
    fill(own, LEN, rank, rank, 12);
    uint64_t mine = (uintptr_t)own, theirs = 0;
    sup_net_req q[2];
    CHECK(e, sup_net_irecv(e->net, to, 9, &theirs, sizeof theirs, &q[0]) == SUP_OK);
    CHECK(e, sup_net_isend(e->net, from, 9, &mine, sizeof mine, &q[1]) == SUP_OK);
    CHECK(e, sup_net_wait_all(e->net, q, 2) == SUP_OK);
    bool copies = sup_net_copies(e->net, to);
    if (copies) {
        CHECK(e, sup_net_copy_from(e->net, to, other, (void *)(uintptr_t)theirs, LEN) == SUP_OK);
        CHECK(e, filled(other, LEN, to, to, 12));
        CHECK(e, sup_net_copy_from(e->net, to, other, (void *)(uintptr_t)theirs, 0) == SUP_OK);
    }
    barrier(e);
    fill(other, LEN, rank, to, 15);
    if (copies) CHECK(e, sup_net_copy_to(e->net, to, (void *)(uintptr_t)theirs, other, LEN - 1) == SUP_OK);
    unsigned char last = own[LEN - 1];
    barrier(e);
    if (sup_net_copies(e->net, from)) CHECK(e, filled(own, LEN - 1, from, rank, 15) && own[LEN - 1] == last);
    CHECK(e, sup_net_copy_to(e->net, size, own, other, 1) != SUP_OK);
    free(other);
    free(own);
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
    sup_net_region *r = allocate(e, 128);
    barrier(e);
    if (paired && !(rank & 1)) CHECK(e, sup_net_wait(e->net, &q) == SUP_OK && filled(buf, LEN, peer, rank, 13));
    sup_net_region_free(e->net, r);
    free(buf);
}

/* Plain stores into another process's memory, then a signal: whoever awaits it sees them. */
void check_direct(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    sup_net_region *r = allocate(e, 4096);
    if (!r) return;
    uint64_t *theirs = sup_net_direct(e->net, r, to), *mine = r->base;
    bool comes = sup_net_shares(e->net, from);
    barrier(e);
    for (uint64_t round = 1; round <= 200; round++) {
        for (int i = 0; i < 16 && theirs; i++) theirs[i * 8] = round * 1000 + (uint64_t)i;
        CHECK(e, sup_net_signal(e->net, to, 2, e->signals + 2 * round) == SUP_OK);
        CHECK(e, sup_net_await(e->net, from, 2, e->signals + 2 * round, NULL) == SUP_OK);
        for (int i = 0; i < 16 && comes; i++)
            CHECK(e, ((volatile uint64_t *)mine)[i * 8] == round * 1000 + (uint64_t)i);
        /* read before it is overwritten */
        CHECK(e, sup_net_signal(e->net, from, 3, e->signals + 2 * round) == SUP_OK);
        CHECK(e, sup_net_await(e->net, to, 3, e->signals + 2 * round, NULL) == SUP_OK);
    }
    e->signals += 500;
    barrier(e);
    sup_net_region_free(e->net, r);
}
