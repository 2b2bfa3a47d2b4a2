/* Append-only logs of puts and messages: chunk chains in an arena. See log.h. */
#include "bsp/engine/log.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    CHUNK_MIN = 128 * 1024,
    CHUNK_MAX_STEP =
        16 * 1024 * 1024,    /* chunks double up to here; a single larger record gets a chunk of its own size */
    HUGE = 64 * 1024 * 1024, /* a chunk of this size does not keep its memory for ever … */
    HUGE_IDLE = 64           /* … but for so many supersteps without use */
};

bsp_log *bsp_logs_new(int count) {
    size_t bytes = (size_t)count * sizeof(bsp_log);
    bsp_log *logs = aligned_alloc(_Alignof(bsp_log), bytes ? bytes : sizeof(bsp_log));
    if (logs) memset(logs, 0, bytes);
    return logs;
}

bsp_log *bsp_logs_map(size_t count) {
    void *p = mmap(NULL, count * sizeof(bsp_log), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void bsp_logs_unmap(bsp_log *logs, size_t count) {
    if (logs) munmap(logs, count * sizeof *logs);
}

void *bsp_arena_take(bsp_arena *a, size_t bytes) {
    size_t at = (a->used + 63) & ~(size_t)63;
    if (bytes > a->bytes || at > a->bytes - bytes) return NULL;
    a->used = at + bytes;
    return a->base + at;
}

/* Gives back the pages of a huge chunk that has not been used for long; it stays in the chain. */
static void rest_if_idle(bsp_chunk *c, uint64_t epoch) {
    if (c->capacity < HUGE || c->used == 0 || c->epoch + HUGE_IDLE > epoch) return;
    uintptr_t low = ((uintptr_t)bsp_chunk_data(c) + 4095) & ~(uintptr_t)4095;
    uintptr_t high = ((uintptr_t)bsp_chunk_data(c) + c->capacity) & ~(uintptr_t)4095;
    madvise((void *)low, high - low, MADV_REMOVE);
    c->used = 0;
}

/* The next chunk with room for `need`, in place or new; it follows c in the chain. */
static bsp_chunk *chunk_after(bsp_arena *a, bsp_chunk *c, size_t need) {
    if (c->next) {
        bsp_chunk *n = (bsp_chunk *)(a->base + c->next);
        if (n->capacity >= need) return n;
    }
    size_t capacity = c->capacity * 2 < CHUNK_MAX_STEP ? c->capacity * 2 : CHUNK_MAX_STEP;
    if (capacity < CHUNK_MIN) capacity = CHUNK_MIN;
    if (capacity < need) capacity = need;
    capacity = (capacity + 63) & ~(size_t)63;
    bsp_chunk *n = bsp_arena_take(a, sizeof *n + capacity);
    if (!n) return NULL;
    n->capacity = capacity;
    n->next = c->next;
    c->next = (uint64_t)((unsigned char *)n - a->base);
    return n;
}

unsigned char *bsp_log_room_slow(bsp_arena *a, bsp_log *l, uint64_t epoch, size_t need, bool *opened) {
    *opened = !l->cursor;
    bsp_chunk *c = l->current;
    if (!l->cursor) {
        c = l->first;
        c->used = 0;
        c->epoch = epoch; /* the chunks behind it carry older epochs until they are used again */
        if (c->next) rest_if_idle((bsp_chunk *)(a->base + c->next), epoch);
    } else {
        c->used = (uint64_t)(l->cursor - bsp_chunk_data(c));
    }
    if (*opened && need <= c->capacity) {
        l->current = c;
    } else {
        bsp_chunk *n = chunk_after(a, c, need);
        if (!n) return NULL;
        n->epoch = epoch;
        n->used = 0;
        l->current = n;
    }
    l->cursor = bsp_chunk_data(l->current);
    l->limit = l->cursor + l->current->capacity;
    return l->cursor;
}

bool bsp_log_reach(const unsigned char *at, const unsigned char *end, size_t least, uintptr_t reach[2]) {
    while (at < end) {
        uint64_t w, len;
        memcpy(&w, at, 8);
        at += 8;
        len = w >> BSP_ADDR_BITS;
        if (len == BSP_LONG_RECORD) {
            memcpy(&len, at, 8);
            at += 8;
        }
        uintptr_t to = (uintptr_t)(w & BSP_ADDR_MASK);
        if (len < least) return false;
        if (to < reach[0]) reach[0] = to;
        if (to + len > reach[1]) reach[1] = to + len;
        at += bsp_pad8(len);
    }
    return true;
}

void bsp_log_apply(const unsigned char *at, const unsigned char *end) {
    while (at < end) {
        uint64_t w, len;
        memcpy(&w, at, 8);
        at += 8;
        len = w >> BSP_ADDR_BITS;
        void *to = (void *)(uintptr_t)(w & BSP_ADDR_MASK);
        if (len == 8) {
            memcpy(to, at, 8);
            at += 8;
            continue;
        }
        if (len == BSP_LONG_RECORD) {
            memcpy(&len, at, 8);
            at += 8;
        }
        memcpy(to, at, len);
        at += bsp_pad8(len);
    }
}
