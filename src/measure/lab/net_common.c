/* What every part of the lab uses (lab/net.h): blocking messages, the barriers,
 * and what the clock costs. Stage "measure". */
#include "measure/lab/net.h"

#include <string.h>

sup_status sup_lab_send(sup_net *net, int peer, int tag, const void *data, size_t length) {
    sup_net_req req;
    sup_status status = sup_net_isend(net, peer, tag, data, length, &req);
    return status ? status : sup_net_wait(net, &req);
}

sup_status sup_lab_receive(sup_net *net, int peer, int tag, void *data, size_t room, size_t *length) {
    sup_net_req req;
    sup_status status = sup_net_irecv(net, peer, tag, data, room, &req);
    if (!status) status = sup_net_wait(net, &req);
    if (!status && length) *length = req.length;
    return status;
}

int sup_lab_find_barrier(const sup_lab_net *lab, const char *word) {
    for (size_t i = 0; word && i < lab->barrier_count; i++)
        if (!strcmp(lab->barriers[i].word, word)) return (int)i;
    return -1;
}

sup_barrier *sup_lab_begin_barrier(sup_lab_net *lab, int number) {
    sup_barrier *b = lab->barriers[number].barrier;
    if (lab->latest && lab->latest != b) sup_barrier_begin_at(b, sup_barrier_next(lab->latest));
    lab->latest = b;
    return b;
}

sup_barrier *sup_lab_sync_barrier(sup_lab_net *lab) {
    return sup_lab_begin_barrier(lab, sup_lab_find_barrier(lab, sup_generator_dissemination.name));
}

/* On average: a clock may be coarser than it is quick. */
int64_t sup_lab_clock_cost(const sup_lab_net *lab) {
    enum { LOOKS = 64 };
    int64_t from = lab->clock->now_ns(lab->clock->context), last = from;
    for (int i = 0; i < LOOKS; i++) last = lab->clock->now_ns(lab->clock->context);
    return (last - from + LOOKS / 2) / LOOKS;
}
