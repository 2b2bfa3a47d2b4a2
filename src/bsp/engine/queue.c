/* Messages that have arrived: stretches of the senders' logs, read in place.
 *
 * The order is by rank of the sender, then as it sent them. Nothing is copied until the program asks for it, so a
 * pointer that bsp_hpmove gives leads into the sender's log, which its owner leaves alone until the superstep after
 * next. */
#include "bsp/engine/state.h"

#include <stdlib.h>

void bsp_queue_clear(bsp_queue *q) {
    q->count = q->next = 0;
    q->at = q->end = NULL;
    q->packets = q->bytes = 0;
}

void bsp_queue_next(bsp_queue *q) {
    q->at = q->end = NULL;
    if (q->next == q->count) return;
    q->at = q->stretch[q->next].at;
    q->end = q->stretch[q->next].end;
    q->next++;
}

void bsp_queue_add(bsp_runtime *b, const unsigned char *at, const unsigned char *end) {
    bsp_queue *q = &b->queue;
    if (at == end) return;
    BSP_ROOM_FOR_ONE(q->stretch, q->count, q->room, 16, "bsp_sync");
    q->stretch[q->count++] = (bsp_stretch){at, end};
    if (q->count == 1) bsp_queue_next(q);
}

void bsp_queue_release(bsp_queue *q) {
    free(q->stretch);
    *q = (bsp_queue){0};
}
