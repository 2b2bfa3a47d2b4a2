/* Tagged messages: lengths around every limit a transport may have, order, many at a time, anyone, too long, withdrawn.
 */
#include "transport_checks.h"

#include <string.h>

static const size_t lengths[] = {0,     1,     2,      7,      8,       9,       15,     63,    64,    65,
                                 255,   1000,  2047,   2048,   3967,    3968,    3969,   3983,  3984,  3985,
                                 4095,  4096,  4097,   8191,   8192,    8193,    9999,   16384, 32768, 65535,
                                 65536, 65537, 100003, 262144, 1000001, 1048576, 5000011};
enum { LENGTHS = sizeof lengths / sizeof lengths[0], GUARD = 64 };

/* Everybody sends `len` bytes to the process `step` further on and checks what comes from the other side. */
static void exchange(env *e, int step, size_t len, size_t spare, unsigned id) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + step) % size, from = (rank + size - step) % size;
    unsigned char *out = take(e, len), *in = take(e, len + spare + GUARD);
    sup_net_req send, recv;
    fill(out, len, rank, to, id);
    memset(in, 0xa5, len + spare + GUARD);
    CHECK(e, sup_net_irecv(e->net, from, (int)(id % 100), in, len + spare, &recv) == SUP_OK);
    CHECK(e, sup_net_isend(e->net, to, (int)(id % 100), out, len, &send) == SUP_OK);
    CHECK(e, sup_net_wait(e->net, &send) == SUP_OK && send.done);
    CHECK(e, sup_net_wait(e->net, &recv) == SUP_OK && recv.done);
    CHECK(e, sup_net_test(e->net, &recv) == SUP_OK);
    CHECK(e, recv.length == len && recv.peer == from && recv.tag == (int)(id % 100));
    CHECK(e, filled(in, len, from, rank, id));
    for (int i = 0; i < GUARD; i++) CHECK(e, in[len + spare + (size_t)i] == 0xa5);
    free(in);
    free(out);
}

void check_sizes(env *e) {
    unsigned id = 0;
    for (int step = 0; step < sup_net_size(e->net); step++)
        for (int i = 0; i < LENGTHS; i++, id++)
            exchange(e, step, lengths[i], i % 3 == 0 ? 0 : (size_t)i * 101 % 7000, id);
}

/* Many of one tag, short and long mixed, posted late: they come in the order they were sent. */
void check_order(env *e) {
    enum { COUNT = 60 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    static sup_net_req send[COUNT], recv[COUNT];
    unsigned char *out[COUNT], *in = take(e, 300000);
    for (int i = 0; i < COUNT; i++) {
        size_t len = (size_t)(i * 7919 % 13 == 0 ? 200000 + i : i * 37 % 5000);
        out[i] = take(e, len);
        fill(out[i], len, rank, to, (unsigned)i);
        CHECK(e, sup_net_isend(e->net, to, 5, out[i], len, &send[i]) == SUP_OK);
    }
    barrier(e);
    for (int i = 0; i < COUNT; i++) {
        size_t len = (size_t)(i * 7919 % 13 == 0 ? 200000 + i : i * 37 % 5000);
        CHECK(e, sup_net_irecv(e->net, from, 5, in, 300000, &recv[i]) == SUP_OK);
        CHECK(e, sup_net_wait(e->net, &recv[i]) == SUP_OK);
        CHECK(e, recv[i].length == len && filled(in, len, from, rank, (unsigned)i));
    }
    CHECK(e, sup_net_wait_all(e->net, send, COUNT) == SUP_OK);
    for (int i = 0; i < COUNT; i++) free(out[i]);
    free(in);
}

/* Hundreds posted before any is waited for; receives are finished backwards, so that late ones must overtake. */
void check_outstanding(env *e) {
    enum { COUNT = 300, LEN = 700 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    static sup_net_req send[COUNT], recv[COUNT];
    unsigned char *out = take(e, (size_t)COUNT * LEN), *in = take(e, (size_t)COUNT * LEN);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < COUNT && pass == 0; i++)
            CHECK(e, sup_net_irecv(e->net, from, i, in + i * LEN, LEN, &recv[i]) == SUP_OK);
        for (int i = 0; i < COUNT; i++) {
            fill(out + i * LEN, (size_t)i + 1, rank, to, (unsigned)(i + pass));
            CHECK(e, sup_net_isend(e->net, to, i, out + i * LEN, (size_t)i + 1, &send[i]) == SUP_OK);
        }
        for (int i = COUNT - 1; i >= 0 && pass == 1; i--)
            CHECK(e, sup_net_irecv(e->net, from, i, in + i * LEN, LEN, &recv[i]) == SUP_OK);
        for (int i = COUNT - 1; i >= 0; i--) {
            CHECK(e, sup_net_wait(e->net, &recv[i]) == SUP_OK);
            CHECK(e, recv[i].length == (size_t)i + 1 && recv[i].tag == i);
            CHECK(e, filled(in + i * LEN, (size_t)i + 1, from, rank, (unsigned)(i + pass)));
        }
        CHECK(e, sup_net_wait_all(e->net, send, COUNT) == SUP_OK);
        barrier(e);
    }
    free(out);
    free(in);
}

/* Everybody sends to rank 0, which does not say from whom it wants to hear; another tag must not be taken. */
void check_anyone(env *e) {
    enum { COUNT = 20, CAP = 70000 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    static sup_net_req send[COUNT + 1];
    unsigned char *buf = take(e, (size_t)CAP * COUNT), *other = take(e, 16);
    for (int i = 0; i < COUNT; i++) {
        size_t len = i % 5 == 4 ? 60000 : (size_t)i * 11;
        fill(buf + (size_t)CAP * (size_t)i, len, rank, 0, (unsigned)i);
        CHECK(e, sup_net_isend(e->net, 0, 9, buf + (size_t)CAP * (size_t)i, len, &send[i]) == SUP_OK);
    }
    CHECK(e, sup_net_isend(e->net, 0, 10, buf, 0, &send[COUNT]) == SUP_OK);
    if (rank == 0) {
        int *seen = calloc((size_t)size, sizeof *seen);
        unsigned char *in = take(e, CAP);
        CHECK(e, seen != NULL);
        for (int i = 0; i < COUNT * size; i++) {
            sup_net_req q;
            CHECK(e, sup_net_irecv(e->net, SUP_NET_ANY, 9, in, CAP, &q) == SUP_OK);
            CHECK(e, sup_net_wait(e->net, &q) == SUP_OK);
            CHECK(e, q.peer >= 0 && q.peer < size && q.tag == 9);
            int k = seen[q.peer]++;
            CHECK(e, q.length == (k % 5 == 4 ? 60000 : (size_t)k * 11) && filled(in, q.length, q.peer, 0, (unsigned)k));
        }
        for (int i = 0; i < size; i++) CHECK(e, seen[i] == COUNT);
        for (int i = 0; i < size; i++) {
            sup_net_req q;
            CHECK(e, sup_net_irecv(e->net, i, 10, other, 16, &q) == SUP_OK);
            CHECK(e, sup_net_wait(e->net, &q) == SUP_OK && q.length == 0 && q.peer == i);
        }
        free(in);
        free(seen);
    }
    CHECK(e, sup_net_wait_all(e->net, send, COUNT + 1) == SUP_OK);
    free(other);
    free(buf);
}

/* To oneself, sent before it is asked for and after. */
void check_self(env *e) {
    static const size_t sizes[] = {0, 8, 4000, 70000, 3000000};
    int rank = sup_net_rank(e->net);
    unsigned char *out = take(e, 3000000), *in = take(e, 3000000);
    for (int i = 0; i < 10; i++) {
        size_t len = sizes[i / 2];
        sup_net_req send, recv;
        fill(out, len, rank, rank, (unsigned)i);
        memset(in, 0, len);
        if (i % 2) CHECK(e, sup_net_irecv(e->net, rank, 3, in, len, &recv) == SUP_OK);
        CHECK(e, sup_net_isend(e->net, rank, 3, out, len, &send) == SUP_OK);
        if (!(i % 2)) CHECK(e, sup_net_irecv(e->net, rank, 3, in, len, &recv) == SUP_OK);
        CHECK(e, sup_net_wait(e->net, &recv) == SUP_OK && sup_net_wait(e->net, &send) == SUP_OK);
        CHECK(e, recv.length == len && filled(in, len, rank, rank, (unsigned)i));
    }
    free(out);
    free(in);
}

static void truncate_one(env *e, size_t len, size_t cap, bool early) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    unsigned char *out = take(e, len), *in = take(e, len + GUARD), next[8] = {0}, after[8];
    sup_net_req send[2], recv[2];
    fill(out, len, rank, to, 1);
    fill(next, 8, rank, to, 2);
    memset(in, 0x5a, len + GUARD);
    if (early) CHECK(e, sup_net_irecv(e->net, from, 4, in, cap, &recv[0]) == SUP_OK);
    if (early) barrier(e);
    CHECK(e, sup_net_isend(e->net, to, 4, out, len, &send[0]) == SUP_OK);
    CHECK(e, sup_net_isend(e->net, to, 4, next, 8, &send[1]) == SUP_OK);
    if (!early) barrier(e);
    if (!early) CHECK(e, sup_net_irecv(e->net, from, 4, in, cap, &recv[0]) == SUP_OK);
    CHECK(e, sup_net_irecv(e->net, from, 4, after, 8, &recv[1]) == SUP_OK);
    CHECK(e, sup_net_wait(e->net, &recv[0]) == SUP_ETRUNC);
    CHECK(e, recv[0].done && recv[0].status == SUP_ETRUNC && recv[0].peer == from && recv[0].length == cap);
    CHECK(e, sup_net_wait(e->net, &recv[1]) == SUP_OK && filled(after, 8, from, rank, 2));
    CHECK(e, sup_net_wait_all(e->net, send, 2) == SUP_OK);
    unsigned char *whole = take(e, len);
    fill(whole, len, from, rank, 1);
    CHECK(e, memcmp(in, whole, cap) == 0);
    for (size_t i = cap; i < len + GUARD; i++) CHECK(e, in[i] == 0x5a);
    free(whole);
    free(in);
    free(out);
}

void check_truncation(env *e) {
    static const size_t pairs[][2] = {
        {1, 0},         {8, 3},           {100, 66},          {4000, 3999},      {3968, 3967},
        {3969, 3968},   {5000, 10},       {10000, 6666},      {70000, 46666},    {70000, 0},
        {300000, 3984}, {300000, 200000}, {5000000, 3333333}, {5000000, 4999999}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (int early = 0; early < 2; early++) truncate_one(e, pairs[i][0], pairs[i][1], early);
}

void check_cancel(env *e) {
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    unsigned char never[16], in[16] = {0}, out[16];
    sup_net_req gone, any, recv, send;
    memset(never, 0x33, sizeof never);
    fill(out, sizeof out, rank, to, 6);
    CHECK(e, sup_net_irecv(e->net, from, 6, never, sizeof never, &gone) == SUP_OK);
    CHECK(e, sup_net_irecv(e->net, SUP_NET_ANY, 6, never, sizeof never, &any) == SUP_OK);
    CHECK(e, sup_net_test(e->net, &gone) == SUP_OK && !gone.done);
    CHECK(e, sup_net_cancel(e->net, &gone) == SUP_OK && gone.done);
    CHECK(e, sup_net_cancel(e->net, &any) == SUP_OK && any.done);
    barrier(e); /* nobody sends before everybody has withdrawn */
    CHECK(e, sup_net_irecv(e->net, from, 6, in, sizeof in, &recv) == SUP_OK);
    CHECK(e, sup_net_isend(e->net, to, 6, out, sizeof out, &send) == SUP_OK);
    CHECK(e, sup_net_wait(e->net, &recv) == SUP_OK && sup_net_wait(e->net, &send) == SUP_OK);
    CHECK(e, filled(in, sizeof in, from, rank, 6));
    CHECK(e, sup_net_cancel(e->net, &recv) == SUP_EBUSY);
    for (size_t i = 0; i < sizeof never; i++) CHECK(e, never[i] == 0x33);
}

/* The receiver waits for the second message while the sender waits until the first, a long one, has gone. */
void check_crossed(env *e) {
    enum { LEN = 2000003 };
    int rank = sup_net_rank(e->net), size = sup_net_size(e->net);
    int peer = rank ^ 1;
    uint64_t value = ++e->signals;
    if (peer >= size) return;
    unsigned char *big = take(e, LEN), small[8] = {0};
    sup_net_req a, b;
    if (rank & 1) {
        fill(big, LEN, rank, peer, 8);
        CHECK(e, sup_net_isend(e->net, peer, 1, big, LEN, &a) == SUP_OK && sup_net_wait(e->net, &a) == SUP_OK);
        CHECK(e, sup_net_isend(e->net, peer, 2, small, 8, &b) == SUP_OK && sup_net_wait(e->net, &b) == SUP_OK);
        CHECK(e, sup_net_isend(e->net, peer, 1, big, LEN, &a) == SUP_OK && sup_net_wait(e->net, &a) == SUP_OK);
        CHECK(e, sup_net_signal(e->net, peer, 1, value) == SUP_OK);
    } else {
        CHECK(e, sup_net_irecv(e->net, peer, 1, big, LEN, &a) == SUP_OK);
        CHECK(e, sup_net_irecv(e->net, peer, 2, small, 8, &b) == SUP_OK);
        CHECK(e, sup_net_wait(e->net, &b) == SUP_OK && sup_net_wait(e->net, &a) == SUP_OK);
        CHECK(e, filled(big, LEN, peer, rank, 8));
        CHECK(e, sup_net_irecv(e->net, peer, 1, big, LEN, &a) == SUP_OK);
        CHECK(e, sup_net_await(e->net, peer, 1, value, NULL) == SUP_OK);
        CHECK(e, sup_net_wait(e->net, &a) == SUP_OK && filled(big, LEN, peer, rank, 8));
    }
    free(big);
}
