/* Supersteps over shared memory, timed in their two parts: the calls that write into logs, and the sync that carries
 * them out. The logs are those of the runtime (bsp/log.h) in memory laid out as bsp/shared.c has it: a log for every
 * process and parity, its head read by the receiver whether anything is in it or not. What a short copy into memory
 * that another core read last takes shows only so: most of it is waiting for the line with the head. Tcomm and Tsync,
 * stage "measure".
 *
 *     … append to the logs of `number` others │ everybody together │ barrier, look at all logs, carry out │ …
 *       SUP_TRIAL_LOG                                                SUP_TRIAL_DELIVER
 *
 * Processes come together before the sync as they do in a recorded run, so that one's calls are not another's sync. */
#include "measure/lab_net.h"

#include "bsp/log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { HOME_LEAST = 4096, HOMES_MAX = 16 << 20, LARGER = 192 * 1024 };

/* At the start of everybody's region. */
typedef struct card {
    _Alignas(128) _Atomic uint64_t applied;
    _Alignas(128) uintptr_t in; /* where the owner wants what arrives */
    _Alignas(128) char rest[128];
} card;

struct sup_lab_logs {
    size_t home; /* bytes of a log's first chunk */
    bsp_arena arena;
    bsp_log *log[2];
    card **cards;
    int *to;
    uint64_t epoch;
};

static size_t home_bytes(int size) {
    size_t home = BSP_LOG_HOME;
    while (home > HOME_LEAST && home * 2 * (size_t)size > HOMES_MAX) home /= 2;
    return home;
}

/* Up to SUP_LAB_COPY_MAX bytes in each parity: chunks of their own, when they do not fit into the homes. */
size_t sup_lab_logs_bytes(int size) {
    size_t chunks = (size_t)(size < SUP_LAB_FAN_MAX ? size : SUP_LAB_FAN_MAX) * 2 * LARGER;
    return sizeof(card) + 2 * (size_t)size * home_bytes(size) + 2 * SUP_LAB_COPY_MAX + chunks;
}

static bsp_chunk *home_of(const sup_lab_logs *x, int owner, uint64_t epoch, int to, int size) {
    size_t index = (size_t)(epoch & 1) * (size_t)size + (size_t)to;
    return (bsp_chunk *)(void *)((unsigned char *)(x->cards[owner] + 1) + index * x->home);
}

void sup_lab_logs_free(sup_lab_logs *x) {
    if (!x) return;
    free(x->log[0]);
    free(x->log[1]);
    free(x->cards);
    free(x->to);
    free(x);
}

static sup_status open_logs(sup_lab_net *lab) {
    size_t size = (size_t)lab->net->size;
    sup_lab_logs *x = calloc(1, sizeof *x);
    if (!x) return SUP_ENOMEM;
    x->home = home_bytes(lab->net->size);
    x->log[0] = calloc(size, sizeof **x->log);
    x->log[1] = calloc(size, sizeof **x->log);
    x->cards = calloc(size, sizeof *x->cards);
    x->to = calloc(size, sizeof *x->to);
    if (!x->log[0] || !x->log[1] || !x->cards || !x->to) {
        sup_lab_logs_free(x);
        return SUP_ENOMEM;
    }
    for (int i = 0; i < lab->net->size; i++) x->cards[i] = sup_net_direct(lab->net, lab->region, i);
    lab->logs = x;
    return SUP_OK;
}

/* Neighbours on a ring of every stride-th process, one on each side in turn; then whoever is left. */
static void choose_partners(sup_party *p, int *to) {
    int size = p->trial.group, stride = p->trial.stride > 0 ? p->trial.stride : 1, count = 0;
    for (int pass = 0; pass < 2; pass++, stride = 1)
        for (int k = 2; k < 2 * size && count < p->trial.number; k++) {
            int64_t shift = (int64_t)(k / 2) * stride % size;
            int peer = (int)((p->me + (k % 2 ? size - shift : shift)) % size);
            bool known = peer == p->me;
            for (int i = 0; i < count && !known; i++) known = to[i] == peer;
            if (!known) to[count++] = peer;
        }
}

/* Everything is empty, and older epochs are past. Nobody reads it before the batch begins. */
static void reset(sup_party *p, sup_lab_logs *x) {
    int size = p->lab->net->size, me = p->lab->net->rank;
    x->epoch = p->lab->serial << 32;
    x->arena =
        (bsp_arena){(unsigned char *)x->cards[me], sizeof(card) + 2 * (size_t)size * x->home, sup_lab_logs_bytes(size)};
    x->cards[me]->in = (uintptr_t)p->lab->in.data;
    for (uint64_t parity = 0; parity < 2; parity++)
        for (int to = 0; to < size; to++) {
            bsp_chunk *c = home_of(x, me, parity, to, size);
            *c = (bsp_chunk){.capacity = x->home - sizeof *c};
            x->log[parity][to] = (bsp_log){.first = c};
        }
    choose_partners(p, x->to);
}

sup_status sup_lab_logs_prepare(sup_party *p) {
    if (!p->lab->region || !p->lab->logs_fit) return SUP_OK; /* the leader says that it cannot be done */
    sup_status status = p->lab->logs ? SUP_OK : open_logs(p->lab);
    if (!status) reset(p, p->lab->logs);
    return status;
}

/* ---- one superstep ---- */

static bool append(sup_party *p, sup_lab_logs *x, uint64_t epoch) {
    size_t bytes = p->trial.bytes, need = bsp_record_bytes(bytes);
    const char *from = p->lab->out.data;
    for (int i = 0; i < p->trial.number; i++) {
        int to = x->to[i];
        bsp_log *l = &x->log[epoch & 1][to];
        uintptr_t at = x->cards[to]->in + (size_t)i * (size_t)p->trial.records * bytes;
        for (int r = 0; r < p->trial.records; r++, from += bytes, at += bytes) {
            unsigned char *room = l->cursor;
            bool opened;
            if (!room || need > (size_t)(l->limit - room)) {
                if (!l->first->capacity) return false;
                room = bsp_log_room_slow(&x->arena, l, epoch, need, &opened);
                if (!room) return false;
            }
            bsp_record_write(room, at, from, bytes);
            l->cursor = room + need;
        }
    }
    return true;
}

static sup_status deliver(sup_party *p, sup_lab_logs *x, uint64_t epoch, sup_barrier *sync) {
    int size = p->trial.group;
    for (int i = 0; i < p->trial.number; i++) bsp_log_close(&x->log[epoch & 1][x->to[i]]);
    unsigned all;
    sup_status status = sup_barrier_run(sync, 1, &all);
    for (int from = 0; from < size && !status; from++) {
        bsp_chunk *c = home_of(x, from, epoch, p->me, size);
        if (c->epoch != epoch) continue;
        for (; c; c = bsp_log_next((unsigned char *)x->cards[from], c))
            bsp_log_apply(bsp_chunk_data(c), bsp_chunk_data(c) + c->used);
    }
    atomic_store_explicit(&x->cards[p->me]->applied, epoch, memory_order_release);
    return status;
}

/* parts: which of the two are timed. */
enum { CALLS = 1, SYNC = 2 };

static sup_status supersteps(sup_party *p, uint64_t repetitions, int parts, double *elapsed) {
    sup_lab_logs *x = p->lab->logs;
    if (!x) return SUP_ENOTSUP;
    sup_barrier *sync = sup_lab_sync_barrier(p->lab);
    const sup_clock *clock = p->lab->clock;
    int64_t cost = sup_lab_clock_cost(p->lab), spent = 0;
    for (uint64_t r = 0; r < repetitions; r++) {
        uint64_t epoch = ++x->epoch;
        int64_t begin = clock->now_ns(clock->context);
        if (!append(p, x, epoch)) return SUP_ENOMEM;
        int64_t called = clock->now_ns(clock->context);
        sup_status status = sup_barrier_run(p->lab->together, 0, NULL);
        int64_t together = clock->now_ns(clock->context);
        if (!status) status = deliver(p, x, epoch, sync);
        int64_t done = clock->now_ns(clock->context);
        if (status) return status;
        if (parts & CALLS) spent += called - begin - cost;
        if (parts & SYNC) spent += done - together - cost;
    }
    *elapsed = spent > 0 ? (double)spent * 1e-9 : 0.0; /* the clock is only known on average */
    return SUP_OK;
}

sup_status sup_body_log(sup_party *p, uint64_t repetitions, double *elapsed) {
    return supersteps(p, repetitions, CALLS, elapsed);
}
sup_status sup_body_deliver(sup_party *p, uint64_t repetitions, double *elapsed) {
    return supersteps(p, repetitions, SYNC, elapsed);
}

/* A barrier as a superstep meets it: everybody is there, nobody is still in the one before. */
sup_status sup_body_sync(sup_party *p, uint64_t repetitions, double *elapsed) {
    const sup_clock *clock = p->lab->clock;
    sup_barrier *barrier = sup_lab_barrier(p->lab, p->trial.number);
    int64_t cost = sup_lab_clock_cost(p->lab), spent = 0;
    for (uint64_t r = 0; r < repetitions; r++) {
        sup_status status = sup_barrier_run(p->lab->together, 0, NULL);
        int64_t together = clock->now_ns(clock->context);
        if (!status) status = sup_barrier_run(barrier, 0, NULL);
        int64_t done = clock->now_ns(clock->context);
        if (status) return status;
        spent += done - together - cost;
    }
    *elapsed = spent > 0 ? (double)spent * 1e-9 : 0.0; /* the clock is only known on average */
    return SUP_OK;
}
