/* Buffers of the engine by messages. Those of pieces are kept between supersteps: the one that fits best is taken; what
 * would be too much is freed.
 *
 * Long ones lie in huge pages where the machine has them: the kernel copies from one of those to another process nearly
 * twice as fast as from 4 KiB pages, which it looks up one by one. */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <sys/mman.h>

unsigned char *msg_room(msg_buffer *m, size_t need, const char *call) {
    if (need > m->room - m->used) {
        size_t room = m->room + m->room / 2 + need + 256;
        m->at = bsp_grow(m->at, room, call);
        m->room = room;
    }
    return m->at + m->used;
}

enum { PAGE = 2 << 20, LONG = 512 << 10 };

static msg_buffer fresh(size_t bytes, const char *call) {
    if (bytes < LONG || bytes > SIZE_MAX - PAGE) return (msg_buffer){bsp_grow(NULL, bytes, call), 0, bytes};
    size_t room = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    void *at = aligned_alloc(PAGE, room);
    if (!at) bsp_fail_status(call, SUP_ENOMEM);
    (void)madvise(at, room, MADV_HUGEPAGE);
    return (msg_buffer){at, 0, room};
}

msg_buffer msg_pool_take(msg_pool *p, size_t bytes, const char *call) {
    size_t most = bytes < LONG ? 2 * bytes : bytes < PAGE ? PAGE : 2 * bytes;
    int best = -1;
    for (int i = 0; i < p->count; i++)
        if (p->spare[i].room >= bytes && p->spare[i].room <= most &&
            (best < 0 || p->spare[i].room < p->spare[best].room))
            best = i;
    if (best < 0) return fresh(bytes, call);
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
