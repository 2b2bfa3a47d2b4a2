/* Buffers of pieces between supersteps. The one that fits best is taken; what would be too much is freed. */
#include "bsp/message.h"

#include <stdlib.h>

msg_buffer msg_pool_take(msg_pool *p, size_t bytes, const char *call) {
    int best = -1;
    for (int i = 0; i < p->count; i++)
        if (p->spare[i].room >= bytes && p->spare[i].room / 2 <= bytes &&
            (best < 0 || p->spare[i].room < p->spare[best].room))
            best = i;
    if (best < 0) return (msg_buffer){bsp_grow(NULL, bytes, call), 0, bytes};
    msg_buffer m = p->spare[best];
    p->spare[best] = p->spare[--p->count];
    p->bytes -= m.room;
    m.used = 0;
    return m;
}

void msg_pool_give(msg_pool *p, msg_buffer m) {
    if (!m.at) return;
    if (p->count == MSG_POOL || m.room > MSG_POOL_BYTES - p->bytes) {
        free(m.at);
        return;
    }
    p->spare[p->count++] = m;
    p->bytes += m.room;
}

void msg_pool_free(msg_pool *p) {
    while (p->count) free(p->spare[--p->count].at);
    p->bytes = 0;
}
