/* What trials time: the communication patterns of BSP §5.6.3 (empty requests, several starts, messages of a size), TAU
 * §5 and PART §5.3 (ring, couples, broadcast through shared memory), barriers and total exchanges. Stage "measure",
 * terms Tcomm and Tsync. Every process of a group runs the same body; its index says
 * which part it has. */
#include "measure/lab/net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WATCH_S 0.010                 /* of a look for interruptions */
#define COLD_BYTES ((size_t)64 << 20) /* buffers out of cache wander through so much memory */

/* ---- buffers ---- */

static sup_status grow(sup_memory *memory, size_t size, sup_diag *diag) {
    if (memory->size >= size) return SUP_OK;
    sup_memory_free(memory);
    return sup_memory_alloc(size, 4096, SUP_MEMORY_PREFAULT, diag, memory);
}

static size_t blocks_of(const sup_trial *t) {
    if (sup_bodies[t->kind].to_all) return (size_t)t->group;
    if (sup_bodies[t->kind].collective) return sup_body_collective_blocks(t);
    return t->kind == SUP_TRIAL_PACK ? sup_body_pack_parts(t) : 1;
}

sup_status sup_participants_prepare(sup_participants *p, sup_diag *diag) {
    const sup_trial *t = &p->trial;
    size_t bytes = t->bytes > 0 ? t->bytes : 1, parts = blocks_of(t);
    if (bytes > SIZE_MAX / 2 / parts) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "messages of %zu bytes", bytes);
    size_t area = bytes * parts;
    if (t->cold && area < COLD_BYTES) area = COLD_BYTES;
    sup_status status = grow(&p->lab->out, area, diag);
    if (!status) status = grow(&p->lab->in, area, diag);
    if (status) return status;
    size_t reqs = 2 * (size_t)t->group + (size_t)(t->number > 0 ? t->number : 0) + 2;
    if (reqs <= p->lab->reqs_room) return SUP_OK;
    sup_net_req *grown = calloc(reqs, sizeof *grown);
    if (!grown) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %zu requests", reqs);
    free(p->lab->reqs);
    p->lab->reqs = grown;
    p->lab->reqs_room = reqs;
    return SUP_OK;
}

/* The buffer of the next message: always the same, or, out of cache, one that was not used for long. */
static char *next(const sup_participants *p, const sup_memory *memory, size_t *at) {
    if (!p->trial.cold) return memory->data;
    size_t step = (p->trial.bytes + 127) / 64 * 64;
    if (*at + step + p->trial.bytes > memory->size) *at = 0;
    char *buffer = (char *)memory->data + *at;
    *at += step;
    return buffer;
}
static char *next_out(sup_participants *p) { return next(p, &p->lab->out, &p->out_at); }
static char *next_in(sup_participants *p) { return next(p, &p->lab->in, &p->in_at); }

static int64_t now(const sup_participants *p) { return p->lab->clock->now_ns(p->lab->clock->context); }

static int peer_of(const sup_participants *p, int index) { return p->trial.ranks[index]; }

static sup_status send_data(sup_participants *p, int to, size_t bytes) {
    return sup_lab_send(p->lab->net, peer_of(p, to), SUP_LAB_TAG_DATA, next_out(p), bytes);
}
static sup_status receive_data(sup_participants *p, int from, size_t bytes) {
    return sup_lab_receive(p->lab->net, peer_of(p, from), SUP_LAB_TAG_DATA, next_in(p), bytes, NULL);
}

/* ---- bodies ---- */

/* The call that would start and complete messages, with nothing in it to do: a look at each request, and at the net. */
static sup_status empty(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    int number = p->trial.number;
    sup_status status = SUP_OK;
    for (int i = 0; i < number; i++) p->lab->reqs[i] = (sup_net_req){.done = true};
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        status = sup_net_progress(net);
        if (!status) status = sup_net_wait_all(net, p->lab->reqs, number);
    }
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

static sup_status round_trip(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_status status = SUP_OK;
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        status = p->me == 0 ? send_data(p, 1, p->trial.bytes) : receive_data(p, 0, p->trial.bytes);
        if (!status) status = p->me == 0 ? receive_data(p, 1, p->trial.bytes) : send_data(p, 0, p->trial.bytes);
    }
    *elapsed = sup_clock_seconds(from, now(p)) / 2.0;
    return status;
}

/* Only the start and the local completion count; the receiver then says that it is ready for more. */
static sup_status starts(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    const sup_trial *t = &p->trial;
    int64_t spent = 0;
    sup_status status = SUP_OK;
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        int64_t from = now(p);
        int started = 0;
        for (; started < t->number && !status; started++) {
            sup_net_req *req = &p->lab->reqs[started];
            status = p->me == 0 ? sup_net_isend(net, peer_of(p, 1), SUP_LAB_TAG_DATA, p->lab->out.data, t->bytes, req)
                                : sup_net_irecv(net, peer_of(p, 0), SUP_LAB_TAG_DATA, p->lab->in.data, t->bytes, req);
        }
        if (!status) status = sup_net_wait_all(net, p->lab->reqs, started);
        spent += now(p) - from;
        if (!status)
            status = p->me == 0 ? sup_lab_receive(net, peer_of(p, 1), SUP_LAB_TAG_ACK, NULL, 0, NULL)
                                : sup_lab_send(net, peer_of(p, 0), SUP_LAB_TAG_ACK, NULL, 0);
    }
    *elapsed = (double)spent * 1e-9;
    return status;
}

static sup_status sync_send(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    int peer = peer_of(p, 1 - p->me);
    sup_status status = SUP_OK;
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        if (p->me == 0) status = sup_lab_send(net, peer, SUP_LAB_TAG_DATA, NULL, 0);
        if (!status) status = sup_lab_receive(net, peer, SUP_LAB_TAG_DATA, NULL, 0, NULL);
        if (!status && p->me == 1) status = sup_lab_send(net, peer, SUP_LAB_TAG_DATA, NULL, 0);
    }
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

/* Looks at a send that nobody receives yet for longer than any copy of it takes. */
static sup_status wait_alone(sup_participants *p, sup_net_req *req) {
    double patience = 200e-6 + (double)p->trial.bytes * 2e-9;
    int64_t from = now(p);
    for (int looks = 0; looks < 1000 || sup_clock_seconds(from, now(p)) < patience; looks++) {
        sup_status status = sup_net_test(p->lab->net, req);
        if (status || req->done || looks > 1000000) return status;
    }
    return SUP_OK;
}

static sup_status eager(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    uint64_t yes = 0;
    sup_status status = SUP_OK;
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        if (p->me == 1) {
            status = sup_lab_receive(net, peer_of(p, 0), SUP_LAB_TAG_ACK, NULL, 0, NULL);
            if (!status) status = receive_data(p, 0, p->trial.bytes);
            if (!status) status = sup_lab_send(net, peer_of(p, 0), SUP_LAB_TAG_ACK, NULL, 0);
            continue;
        }
        sup_net_req req;
        status = sup_net_isend(net, peer_of(p, 1), SUP_LAB_TAG_DATA, next_out(p), p->trial.bytes, &req);
        if (status) break;
        status = wait_alone(p, &req);
        if (status) break;
        yes += req.done;
        status = sup_lab_send(net, peer_of(p, 1), SUP_LAB_TAG_ACK, NULL, 0);
        if (!status) status = sup_net_wait(net, &req);
        if (!status) status = sup_lab_receive(net, peer_of(p, 1), SUP_LAB_TAG_ACK, NULL, 0, NULL);
    }
    *elapsed = (double)yes;
    return status;
}

/* With number 1 even processes send first and odd ones receive first: two stages of τ/2 transmissions. */
static sup_status staged(sup_participants *p, uint64_t repetitions, int left, int right) {
    sup_status status = SUP_OK;
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        status = p->me % 2 == 0 ? send_data(p, right, p->trial.bytes) : receive_data(p, left, p->trial.bytes);
        if (!status)
            status = p->me % 2 == 0 ? receive_data(p, left, p->trial.bytes) : send_data(p, right, p->trial.bytes);
    }
    return status;
}

static sup_status together(sup_participants *p, uint64_t repetitions, int left, int right) {
    sup_net *net = p->lab->net;
    sup_net_req *reqs = p->lab->reqs;
    sup_status status = SUP_OK;
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        status = sup_net_irecv(net, peer_of(p, left), SUP_LAB_TAG_DATA, next_in(p), p->trial.bytes, &reqs[0]);
        if (status) break;
        status = sup_net_isend(net, peer_of(p, right), SUP_LAB_TAG_DATA, next_out(p), p->trial.bytes, &reqs[1]);
        if (!status) status = sup_net_wait_all(net, reqs, 2);
    }
    return status;
}

static sup_status ring(sup_participants *p, uint64_t repetitions, double *elapsed) {
    int size = p->trial.group, right = (p->me + 1) % size, left = (p->me + size - 1) % size;
    int64_t from = now(p);
    sup_status status = (p->trial.number == 1 ? staged : together)(p, repetitions, left, right);
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

static sup_status stream(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    bool sends = p->me % 2 == 0;
    int other = p->me ^ 1;
    sup_status status = SUP_OK;
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++)
        status = sends ? send_data(p, other, p->trial.bytes) : receive_data(p, other, p->trial.bytes);
    if (!status)
        status = sends ? sup_lab_receive(net, peer_of(p, other), SUP_LAB_TAG_ACK, NULL, 0, NULL)
                       : sup_lab_send(net, peer_of(p, other), SUP_LAB_TAG_ACK, NULL, 0);
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

/* Waits until everybody has copied the broadcast with number `beat` out of its segment. */
static sup_status all_copied(sup_participants *p, uint64_t beat) {
    sup_status status = SUP_OK;
    for (int i = 1; i < p->trial.group && !status; i++) {
        uint64_t value;
        status = sup_net_await(p->lab->net, peer_of(p, i), SUP_SLOT_BEAT + 1, beat, &value);
    }
    return status;
}

static sup_status broadcast(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    char *segments = sup_net_direct(net, p->lab->region, peer_of(p, 0));
    if (!segments || p->trial.bytes > SUP_LAB_BROADCAST_MAX) return SUP_ENOTSUP;
    uint64_t first = p->lab->serial << 32;
    sup_status status = SUP_OK;
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        uint64_t beat = first + ++p->beat;
        char *segment = segments + (p->beat & 1) * SUP_LAB_BROADCAST_MAX;
        if (p->me > 0) {
            uint64_t value;
            status = sup_net_await(net, peer_of(p, 0), SUP_SLOT_BEAT, beat, &value);
            if (!status) memcpy(next_in(p), segment, p->trial.bytes);
            if (!status) status = sup_net_signal(net, peer_of(p, 0), SUP_SLOT_BEAT + 1, beat);
            continue;
        }
        if (p->beat > 2) status = all_copied(p, beat - 2);
        memcpy(segment, next_out(p), p->trial.bytes);
        for (int i = 1; i < p->trial.group && !status; i++)
            status = sup_net_signal(net, peer_of(p, i), SUP_SLOT_BEAT, beat);
    }
    if (p->me == 0 && !status) status = all_copied(p, first + p->beat);
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

/* One superstep: everybody to everybody else, then a barrier. */
static sup_status exchange(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_net *net = p->lab->net;
    int size = p->trial.group;
    size_t bytes = p->trial.bytes;
    char *out = p->lab->out.data, *in = p->lab->in.data;
    sup_barrier *sync = sup_lab_sync_barrier(p->lab);
    sup_status status = SUP_OK;
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        int count = 0;
        for (int d = 1; d < size && bytes > 0 && !status; d++) {
            int to = (p->me + d) % size, source = (p->me + size - d) % size;
            status = sup_net_irecv(net, peer_of(p, source), SUP_LAB_TAG_DATA, in + (size_t)source * bytes, bytes,
                                   &p->lab->reqs[count]);
            if (status) break;
            count++;
            status = sup_net_isend(net, peer_of(p, to), SUP_LAB_TAG_DATA, out + (size_t)to * bytes, bytes,
                                   &p->lab->reqs[count]);
            if (!status) count++;
        }
        if (!status) status = sup_net_wait_all(net, p->lab->reqs, count);
        if (!status) status = sup_barrier_run(sync, 0, NULL);
    }
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

static sup_status reduce(sup_participants *p, uint64_t repetitions, double *elapsed) {
    size_t count = p->trial.bytes / sizeof(double);
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions; r++) {
        double *into = (double *)(void *)next_in(p);
        const double *add = (const double *)(void *)next_out(p);
        for (size_t i = 0; i < count; i++) into[i] += add[i];
        __asm__ volatile("" ::: "memory"); /* every repetition is done */
    }
    *elapsed = sup_clock_seconds(from, now(p));
    return SUP_OK;
}

static sup_status copy(sup_participants *p, uint64_t repetitions, double *elapsed) {
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions; r++) {
        memcpy(next_in(p), next_out(p), p->trial.bytes);
        __asm__ volatile("" ::: "memory"); /* every repetition is done */
    }
    *elapsed = sup_clock_seconds(from, now(p));
    return SUP_OK;
}

/* A barrier as a superstep meets it: everybody is there, nobody is still in the one before. */
static sup_status sync(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_barrier *barrier = sup_lab_begin_barrier(p->lab, p->trial.number);
    int64_t cost = sup_lab_clock_cost(p->lab), spent = 0;
    for (uint64_t r = 0; r < repetitions; r++) {
        sup_status status = sup_barrier_run(p->lab->together, 0, NULL);
        int64_t together = now(p);
        if (!status) status = sup_barrier_run(barrier, 0, NULL);
        int64_t done = now(p);
        if (status) return status;
        spent += done - together - cost;
    }
    *elapsed = spent > 0 ? (double)spent * 1e-9 : 0.0; /* the clock is only known on average */
    return SUP_OK;
}

/* Share of the time that was lost; which interruptions it were adds up in the lab. */
static sup_status gaps(sup_participants *p, uint64_t repetitions, double *elapsed) {
    double lost = sup_gaps_watch(p->lab->clock, WATCH_S, &p->lab->gaps);
    *elapsed = lost * (double)repetitions;
    return SUP_OK;
}

const sup_body_kind sup_bodies[SUP_TRIAL_KINDS] = {
    [SUP_TRIAL_EMPTY] = {empty},
    [SUP_TRIAL_ROUND_TRIP] = {round_trip},
    [SUP_TRIAL_STARTS] = {starts},
    [SUP_TRIAL_SYNC_SEND] = {sync_send},
    [SUP_TRIAL_EAGER] = {eager, .votes = true},
    [SUP_TRIAL_RING] = {ring, .slowest = true},
    [SUP_TRIAL_STREAM] = {stream, .slowest = true, .couples = true},
    [SUP_TRIAL_BROADCAST] = {broadcast, .slowest = true, .shares = true},
    [SUP_TRIAL_EXCHANGE] = {exchange, .slowest = true, .everybody = true, .to_all = true},
    [SUP_TRIAL_REDUCE] = {reduce, .slowest = true},
    [SUP_TRIAL_COPY] = {copy, .slowest = true},
    [SUP_TRIAL_PACK] = {sup_body_pack, .slowest = true},
    [SUP_TRIAL_SEGMENT] = {sup_body_segment, .votes = true},
    [SUP_TRIAL_FETCH] = {sup_body_fetch, .votes = true},
    [SUP_TRIAL_SYNC] = {sync, .slowest = true, .everybody = true, .barrier = true},
    [SUP_TRIAL_SIGNAL] = {sup_body_signal},
    [SUP_TRIAL_SIGNAL_OUT] = {sup_body_signal_out},
    [SUP_TRIAL_SIGNAL_BACK] = {sup_body_signal_back},
    [SUP_TRIAL_PUBLISH] = {sup_body_publish, .publishes = true},
    [SUP_TRIAL_COLLECTIVE] = {sup_body_collective, .slowest = true, .everybody = true, .collective = true},
    [SUP_TRIAL_INTERRUPTIONS] = {gaps, .slowest = true, .share = true},
};
