/* Counts without counting: everybody sends a packet to everybody. Receives of the next superstep's packets are posted
 * in advance. */
#include "bsp/message/message.h"

static void post(bsp_runtime *b, int parity) {
    const msg_exchange *x = b->ex;
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && !x->peer[q].packet_posted[parity]) msg_post_packet(b, q, parity);
}

static void receive(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    int parity = (int)(b->epoch & 1);
    for (int k = 1; k < b->nprocs; k++) {
        int q = (b->pid + b->nprocs - k) % b->nprocs;
        msg_peer *p = &x->peer[q];
        msg_wait(b, &p->packet_req[parity]);
        p->packet_posted[parity] = false;
        msg_open_packet(b, q, p->packet_in[parity]);
    }
}

const msg_counts msg_counts_direct = {.name = "direct", .everyone = true, .post = post, .receive = receive};
