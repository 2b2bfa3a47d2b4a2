/* Signals: values only grow, none blocks, everybody sees the newest; and the random mixture of everything. */
#include "transport_checks.h"

#include <string.h>

/* All pairs, several slots, values with gaps; what is awaited may be passed over. */
void check_signals(env *e) {
    static const int slots[] = {0, 1, 31, SUP_NET_SLOTS - 1};
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    uint64_t base = e->signals, value = 0;
    for (uint64_t step = 1; step <= 50; step++)
        for (int s = 0; s < 4; s++) {
            for (int to = 0; to < size; to++)
                CHECK(e, sup_net_signal(e->net, to, slots[s], base + step * 3 + (uint64_t)rank) == SUP_OK);
            if (step % 7 != 0) continue; /* some are never awaited by name */
            for (int from = 0; from < size; from++) {
                uint64_t want = base + step * 3 - 1 + (uint64_t)from, seen = sup_net_peek(e->net, from, slots[s]);
                CHECK(e, sup_net_await(e->net, from, slots[s], want, &value) == SUP_OK);
                CHECK(e, value >= want && value >= seen && value <= base + 150 + (uint64_t)from);
                CHECK(e, sup_net_peek(e->net, from, slots[s]) >= value);
            }
        }
    for (int s = 0; s < 4; s++)
        for (int from = 0; from < size; from++) {
            CHECK(e, sup_net_await(e->net, from, slots[s], base + 150 + (uint64_t)from, &value) == SUP_OK);
            CHECK(e, value == base + 150 + (uint64_t)from);
        }
    e->signals = base + 200 + (uint64_t)size;
}

/* Thousands to a process that does not look: the sender must come through. Then peek alone must find the last. */
void check_signal_burst(env *e) {
    enum { COUNT = 20000 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    uint64_t base = e->signals, last = 0;
    for (uint64_t i = 1; i <= COUNT; i++) CHECK(e, sup_net_signal(e->net, to, 20, base + i) == SUP_OK);
    while (last < base + COUNT) {
        uint64_t now = sup_net_peek(e->net, from, 20);
        CHECK(e, now >= last && now <= base + COUNT);
        CHECK(e, now != last || sup_net_progress(e->net) == SUP_OK);
        last = now;
    }
    e->signals = base + COUNT;
}

/* Words that one process writes and all that share memory with it read. Apart from signals of the same slot. */
void check_published(env *e) {
    enum { SLOTS = 3 };
    static const int slots[SLOTS] = {0, 21, SUP_NET_SLOTS - 1};
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net), count = 0;
    int *readers = take(e, (size_t)size * sizeof *readers);
    uint64_t base = e->signals, value = 0;
    CHECK(e, sup_net_shares(e->net, rank) || !sup_net_shares(e->net, (rank + 1) % size));
    CHECK(e, !sup_net_shares(e->net, size) && !sup_net_shares(e->net, -1));
    for (int r = 0; r < size; r++)
        if (sup_net_shares(e->net, r)) {
            CHECK(e, !strcmp(sup_net_host(e->net, r), sup_net_host(e->net, rank)));
            readers[count++] = r;
        }
    if (!count) CHECK(e, sup_net_publish(e->net, 0, 1, NULL, 0) == SUP_ENOTSUP);
    for (uint64_t step = 1; step <= 100 && count; step++) {
        int slot = slots[step % SLOTS];
        uint64_t word = base + step;
        CHECK(e, sup_net_publish(e->net, slot, word + (uint64_t)rank, readers, count) == SUP_OK);
        for (int i = 0; i < count; i++) {
            uint64_t want = word + (uint64_t)readers[i];
            CHECK(e, sup_net_await_published(e->net, readers[i], slot, want, &value) == SUP_OK);
            CHECK(e, value >= want && value <= base + 100 + (uint64_t)readers[i]);
            CHECK(e, sup_net_peek_published(e->net, readers[i], slot) >= value);
            CHECK(e, sup_net_peek(e->net, readers[i], slot) <= base);
        }
    }
    CHECK(e, sup_net_publish(e->net, SUP_NET_SLOTS, 1, NULL, 0) == SUP_EINVAL);
    CHECK(e, sup_net_await_published(e->net, size, 0, 1, NULL) == SUP_EINVAL);
    free(readers);
    e->signals = base + 100 + (uint64_t)size;
}

void check_barriers(env *e) {
    for (int i = 0; i < 300; i++) barrier(e);
}

/* ---- random mixture: every process derives the same list of messages and plays its part of it -------------------*/

typedef struct item {
    int from, to, tag;
    size_t len;
    unsigned id;
    unsigned char *buf;
    sup_net_req req;
    bool posted, any;
} item;

enum { ITEMS = 400, WINDOW = 24 };

static size_t random_length(uint64_t *s) {
    uint64_t kind = draw(s) % 20;
    if (kind < 10) return draw(s) % 64;
    if (kind < 15) return draw(s) % 5000;
    if (kind < 19) return draw(s) % 70000;
    return draw(s) % 1500000;
}

static void post(env *e, item *it, uint64_t *mine) {
    int rank = sup_net_rank(e->net);
    it->buf = take(e, it->len + 8);
    it->posted = true;
    if (it->from == rank) {
        fill(it->buf, it->len, it->from, it->to, it->id);
        CHECK(e, sup_net_isend(e->net, it->to, it->tag, it->buf, it->len, &it->req) == SUP_OK);
    } else {
        size_t spare = draw(mine) % 9;
        CHECK(e, sup_net_irecv(e->net, it->from, it->tag, it->buf, it->len + spare % 8, &it->req) == SUP_OK);
    }
}

static void settle(env *e, item *it) {
    CHECK(e, sup_net_wait(e->net, &it->req) == SUP_OK);
    if (it->to == sup_net_rank(e->net))
        CHECK(e, it->req.length == it->len && it->req.peer == it->from &&
                     filled(it->buf, it->len, it->from, it->to, it->id));
    free(it->buf);
    it->buf = NULL;
}

/* Posts in list order, completes at random among the open ones. A message keeps its window: sender and receiver are at
 * most WINDOW apart, and waiting for the oldest can always end because it is posted at both ends or will be. */
static void play(env *e, uint64_t seed) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net), open = 0;
    uint64_t common = seed, mine = seed * 31 + (uint64_t)rank;
    item *items = take(e, ITEMS * sizeof *items), *window[WINDOW];
    for (int i = 0; i < ITEMS; i++) {
        item *it = &items[i];
        *it = (item){.from = (int)(draw(&common) % (uint64_t)size), .to = (int)(draw(&common) % (uint64_t)size)};
        it->tag = (int)(draw(&common) % 3);
        it->len = random_length(&common);
        it->id = (unsigned)i;
        if (it->from == it->to || (it->from != rank && it->to != rank)) continue;
        post(e, it, &mine);
        window[open++] = it;
        if (draw(&mine) % 16 == 0) CHECK(e, sup_net_progress(e->net) == SUP_OK);
        if (draw(&mine) % 4 == 0) CHECK(e, sup_net_test(e->net, &window[draw(&mine) % (uint64_t)open]->req) == SUP_OK);
        if (open == WINDOW) {
            settle(e, window[0]);
            memmove(window, window + 1, (size_t)(--open) * sizeof window[0]);
        }
    }
    while (open) {
        int k = (int)(draw(&mine) % (uint64_t)open);
        settle(e, window[k]);
        window[k] = window[--open];
    }
    free(items);
}

void check_stress(env *e) {
    for (int i = 0; i < e->rounds; i++) {
        play(e, e->seed * 1000 + (uint64_t)i);
        if (i % 2) barrier(e);
    }
}

/* Beyond the int counts of MPI. */
void check_huge(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net), peer = rank ^ 1;
    size_t len = ((size_t)2 << 30) + 123457;
    if (peer >= size) peer = rank;
    unsigned char *buf = take(e, len);
    sup_net_req q[2];
    if (!(rank & 1)) fill(buf, len, rank, peer, 14);
    if (!(rank & 1)) CHECK(e, sup_net_isend(e->net, peer, 1, buf, len, &q[0]) == SUP_OK);
    unsigned char *in = peer == rank ? take(e, len) : buf;
    if ((rank & 1) || peer == rank) {
        CHECK(e, sup_net_irecv(e->net, peer, 1, in, len, &q[1]) == SUP_OK && sup_net_wait(e->net, &q[1]) == SUP_OK);
        CHECK(e, q[1].length == len && filled(in, len, peer, rank, 14));
    }
    if (!(rank & 1)) CHECK(e, sup_net_wait(e->net, &q[0]) == SUP_OK);
    if (in != buf) free(in);
    barrier(e);
    /* the same by a single copy, where the kernel makes one */
    uint64_t there = (uintptr_t)buf;
    if (rank & 1) {
        memset(buf, 0, len);
        CHECK(e, sup_net_isend(e->net, peer, 2, &there, sizeof there, &q[0]) == SUP_OK);
        CHECK(e, sup_net_wait(e->net, &q[0]) == SUP_OK);
    } else if (peer != rank) {
        CHECK(e, sup_net_irecv(e->net, peer, 2, &there, sizeof there, &q[0]) == SUP_OK);
        CHECK(e, sup_net_wait(e->net, &q[0]) == SUP_OK);
        if (sup_net_copies(e->net, peer))
            CHECK(e, sup_net_copy_to(e->net, peer, (void *)(uintptr_t)there, buf, len) == SUP_OK);
    }
    barrier(e);
    if ((rank & 1) && sup_net_copies(e->net, peer)) CHECK(e, filled(buf, len, peer, rank, 14));
    free(buf);
}
