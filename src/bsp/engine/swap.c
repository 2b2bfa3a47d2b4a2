/* Messages beside those of the transfers: of wrappers, and of rounds in which processes tell each other something. */
#include "bsp/engine/state.h"

void bsp_swap(bsp_runtime *b, int tag, int distance, const void *out, size_t out_len, void *in, size_t in_len) {
    int to = (b->pid + distance) % b->nprocs, from = (b->pid - distance + b->nprocs) % b->nprocs;
    sup_net_req sent, received;
    sup_status st = SUP_OK;
    const bsp_layer *engine = b->layer[b->layers - 1];
    if (b->net_lock) pthread_mutex_lock(b->net_lock);
    if (in_len) st = sup_net_irecv(b->net, from, tag, in, in_len, &received);
    if (!st && out_len) st = sup_net_isend(b->net, to, tag, out, out_len, &sent);
    if (b->net_lock) pthread_mutex_unlock(b->net_lock);
    if (st) bsp_fail_status("bsp_sync", st);
    if (in_len) engine->wait(b, &received);
    if (out_len) engine->wait(b, &sent);
}
