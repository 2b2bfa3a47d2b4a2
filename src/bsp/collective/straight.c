/* Collective operations straight between the buffers of a call (coll.h): after the sync that the call contains, the
 * runtime's own (coll/coll.h) move the data, in memory that processes share or by messages, by the algorithm that the
 * plan has for them. Pays for long data, which so need not go through a registered area.
 *
 *     sync      what was asked for before is complete: a put into `send` is in it, a get of `recv` has what was there
 *     data
 *     barrier   nobody is out before all have read: unbuffered transfers of the next superstep may write to any `send`
 *
 * Where a recorded run or the checking mode looks at transfers they are made as puts: a trace says what a program asks
 * for in terms that a model can price. */
#include "bsp/collective/straight.h"

#include "bsp/collective/coll.h"
#include "bsp/engine/state.h"
#include "coll/coll.h"
#include "net/numbers.h"

#include <bsp.h>

static sup_coll *group; /* of this section; opened when it is first needed */

static bool looked_at(const bsp_runtime *b) {
    for (int i = 0; i < b->layers; i++)
        if (b->layer[i] == &bsp_layer_trace || b->layer[i] == &bsp_layer_check) return true;
    return false;
}

/* From how many bytes on it pays, in all blocks or a vector: where puts are stores to memory, where they are messages
 * to processes of other hosts, and where they are messages although all could share memory. */
static const size_t least[3][3] = {
    {[BSP_COLL_BROADCAST] = 256 * 1024, [BSP_COLL_BLOCKS] = 64 * 1024, [BSP_COLL_FOLD] = 64 * 1024},
    {[BSP_COLL_BROADCAST] = 64 * 1024, [BSP_COLL_BLOCKS] = 64 * 1024, [BSP_COLL_FOLD] = 64 * 1024},
    {[BSP_COLL_BROADCAST] = 1024, [BSP_COLL_BLOCKS] = 1024, [BSP_COLL_FOLD] = 1024},
};

static bool long_enough(bsp_coll_kind kind, size_t nbytes, size_t count) {
    const bsp_runtime *b = &bsp_rt;
    (void)count;
    if (b->nprocs < 2 || looked_at(b)) return false;
    bool stores = b->layer[b->layers - 1] == &bsp_layer_shared;
    return nbytes >= least[stores ? 0 : b->net->far ? 1 : 2][kind];
}

static void lock(bool locks) {
    if (!bsp_rt.net_lock) return;
    if (locks)
        pthread_mutex_lock(bsp_rt.net_lock);
    else
        pthread_mutex_unlock(bsp_rt.net_lock);
}

static void run(const char *name, const sup_coll_call *call) {
    static const sup_coll_call all = {.operation = SUP_BARRIER};
    sup_status st = SUP_OK;
    bsp_sync();
    lock(true);
    if (!group) {
        sup_net_group members = sup_net_group_first(bsp_rt.net, bsp_rt.nprocs);
        sup_coll_options options = {.plan = bsp_rt.plan, .tag = SUP_TAG_COLL, .slot = SUP_SLOT_COLL};
        st = sup_coll_open(&members, &options, NULL, &group);
    }
    if (!st) st = sup_coll_run(group, call);
    if (!st) st = sup_coll_run(group, &all);
    lock(false);
    if (st) bsp_fail_status(name, st);
}

void bsp_coll_straight_close(void) {
    sup_coll_close(group);
    group = NULL;
}

static void broadcast(int root, void *data, size_t nbytes) {
    sup_coll_call call = {.operation = SUP_BROADCAST, .root = root, .out = data, .bytes = (int64_t)nbytes};
    run("sup_bsp_broadcast", &call);
}

static void blocks(bsp_coll_blocks what, int root, const void *send, size_t nbytes, void *recv) {
    static const struct {
        const char *name;
        int operation;
    } of[] = {[BSP_COLL_GATHER] = {"sup_bsp_gather", SUP_GATHER},
              [BSP_COLL_SCATTER] = {"sup_bsp_scatter", SUP_SCATTER},
              [BSP_COLL_ALLGATHER] = {"sup_bsp_allgather", SUP_ALLGATHER},
              [BSP_COLL_EXCHANGE] = {"sup_bsp_total_exchange", SUP_ALLTOALL}};
    sup_coll_call call = {
        .operation = of[what].operation, .root = root, .in = send, .out = recv, .bytes = (int64_t)nbytes};
    run(of[what].name, &call);
}

static void fold(int operation, const bsp_coll_vector *v, int root, const void *send, void *recv) {
    sup_coll_call call = {.operation = operation,
                          .root = root,
                          .in = send,
                          .out = recv,
                          .bytes = (int64_t)(v->count * v->fold.element),
                          .fold = &v->fold};
    run(v->call, &call);
}

static void reduce(const bsp_coll_vector *v, const void *send, void *recv, int first, int last) {
    fold(first == last ? SUP_REDUCE : SUP_ALLREDUCE, v, first, send, recv);
}

static void scan(const bsp_coll_vector *v, const void *send, void *recv) { fold(SUP_SCAN, v, 0, send, recv); }

const bsp_coll bsp_coll_straight = {long_enough, broadcast, blocks, NULL, reduce, scan};
