/* Collective operations of random programs: drawn by all processes alike, and each knows what must come out of them. */
#include "random.h"

#include <bsp.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

static uint64_t salt; /* of this call */

static unsigned char byte_of(int owner, int of, size_t i) {
    uint64_t x = (salt + (uint64_t)owner * 1000003 + (uint64_t)of * 8191 + i) * 0x9e3779b97f4a7c15u;
    return (unsigned char)(x >> 40);
}

static int64_t number_of(int owner, size_t i) { return (int64_t)byte_of(owner, 0, i) * ((int)i % 3 - 1) + owner; }

/* n blocks of `owner`, for processes 0 … n-1. */
static void fill(unsigned char *p, int owner, int n, size_t nbytes) {
    for (int of = 0; of < n; of++)
        for (size_t i = 0; i < nbytes; i++) *p++ = byte_of(owner, of, i);
}

/* Block q is the one for `of` of process `first` + q. */
static int blocks_are(const unsigned char *p, int first, int n, int of, size_t nbytes) {
    for (int q = first; q < first + n; q++)
        for (size_t i = 0; i < nbytes; i++)
            if (*p++ != byte_of(q, of, i)) return 0;
    return 1;
}

static int bytes_move(int what, int root, size_t n, unsigned char *send, unsigned char *recv) {
    int p = bsp_nprocs(), me = bsp_pid();
    fill(send, me, p, n);
    memset(recv, 0x5a, (size_t)p * n + 1);
    switch (what) {
    case 0: sup_bsp_broadcast(root, send, n); return blocks_are(send, root, 1, 0, n);
    case 1: sup_bsp_broadcast_one_phase(root, send, n); return blocks_are(send, root, 1, 0, n);
    case 2: sup_bsp_broadcast_two_phase(root, send, n); return blocks_are(send, root, 1, 0, n);
    case 3:
        sup_bsp_gather(root, send, n, me == root ? recv : NULL);
        return me == root ? blocks_are(recv, 0, p, 0, n) : recv[0] == 0x5a;
    case 4: sup_bsp_scatter(root, me == root ? send : NULL, n, recv); return blocks_are(recv, root, 1, me, n);
    case 5: sup_bsp_allgather(send, n, recv); return blocks_are(recv, 0, p, 0, n);
    default: sup_bsp_total_exchange(send, n, recv); return blocks_are(recv, 0, p, me, n);
    }
}

static int numbers_fold(int what, int root, size_t n, int64_t *send, int64_t *recv, bool in_place) {
    int p = bsp_nprocs(), me = bsp_pid(), last = what == 2 ? me : p - 1;
    for (size_t i = 0; i < n; i++) send[i] = number_of(me, i);
    if (in_place) recv = send;
    sup_bsp_op op = salt % 3 == 0 ? SUP_BSP_MAX : SUP_BSP_SUM;
    if (what == 0)
        sup_bsp_reduce_int64(root, op, send, recv, n);
    else if (what == 1)
        sup_bsp_allreduce_int64(op, send, recv, n);
    else
        sup_bsp_scan_int64(op, send, recv, n);
    for (size_t i = 0; i < n && (what || me == root); i++) {
        int64_t expected = number_of(0, i);
        for (int q = 1; q <= last; q++) {
            int64_t x = number_of(q, i);
            expected = op == SUP_BSP_SUM ? expected + x : x > expected ? x : expected;
        }
        if (recv[i] != expected) return 0;
    }
    return 1;
}

bool random_collective(sim *s) {
    static const size_t most[] = {64, 64, 2000, 12000, 90000};
    int what = (int)sim_random(s, 11), root = (int)sim_random(s, (uint64_t)s->nprocs);
    size_t n = sim_random(s, most[sim_random(s, 5)]);
    bool in_place = sim_random(s, 2);
    salt = sim_random(s, 1u << 30);
    if (what == 10) {
        sup_bsp_release(); /* ends the superstep if there is something to give back */
        bsp_sync();
        return true;
    }
    size_t room = (size_t)s->nprocs * n + 16;
    unsigned char *send = malloc(room), *recv = malloc(room);
    if (!send || !recv) bsp_abort("random: out of memory");
    int right = what < 7
                    ? bytes_move(what, root, n, send, recv)
                    : numbers_fold(what - 7, root, n / 8, (int64_t *)(void *)send, (int64_t *)(void *)recv, in_place);
    free(send);
    free(recv);
    return right;
}
