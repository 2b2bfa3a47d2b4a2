/* Append-only logs: what a process has for one other in one superstep, in chunks.
 *
 *     first chunk ──▶ chunk ──▶ chunk          each: head (32 bytes), then records
 *
 * A chunk belongs to the superstep whose stamp (epoch) it carries: nobody has to clear it, and chunks stay linked for
 * the next superstep that needs them. Chunks are found by offset from the owner's base, so that a reader in another
 * process can follow them. A one-record log fits into the first chunk's cache line. */
#ifndef SUP_BSP_ENGINE_LOG_H
#define SUP_BSP_ENGINE_LOG_H

#include "bsp/engine/state.h"
#include "plan/defaults.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct bsp_chunk {
    uint64_t epoch;    /* superstep that filled it, counted from 1 */
    uint64_t used;     /* bytes of records */
    uint64_t next;     /* offset of the next chunk from the owner's base, 0 none */
    uint64_t capacity; /* bytes there is room for */
} bsp_chunk;

enum { BSP_LOG_HOME = 32 * 1024 }; /* bytes of the first chunk, which every log has, and its head */

static inline unsigned char *bsp_chunk_data(bsp_chunk *c) { return (unsigned char *)(c + 1); }

/* Where chunks come from: a bump allocator over the owner's arena. */
typedef struct bsp_arena {
    unsigned char *base;
    size_t used, bytes;
} bsp_arena;

/* What is needed to append eight bytes without a call stands together: a log of puts keeps the area that its process
 * was last reached under, a log of messages counts them. A cache line each: finding one takes no multiplication.
 * (cursor and limit are no neighbours: read as a pair they would have to wait for the last write to cursor.) */
typedef struct bsp_log {
    _Alignas(64) unsigned char *cursor; /* where the next record goes; NULL when nothing was appended yet */
    union {
        struct {
            const void *addr; /* name of that area here */
            size_t room;      /* offsets below this leave eight bytes of it: 0 for no area */
            uintptr_t base;   /* where it is there … */
            uintptr_t mapped; /* … and here, if it is mapped, else 0 */
        };
        struct {
            uint64_t packets, bytes;
        };
    };
    unsigned char *limit;
    bsp_chunk *first, *current;
} bsp_log;

/* The areas that logs of puts keep are not valid any more. */
static inline void bsp_logs_forget(bsp_log *logs, int count) {
    for (int i = 0; i < count; i++)
        if (logs[i].room) logs[i].room = 0; /* a log that was never used costs no memory */
}

/* pid was reached under addr: so it may be again. */
static inline void bsp_log_aim(bsp_runtime *b, int pid, const void *addr, const bsp_area *area) {
    bsp_log *l = &b->put_log[pid];
    l->addr = addr;
    l->room = area->size < 8 ? 0 : area->size - 7;
    l->base = area->base;
    l->mapped = 0;
    if (!b->views) return;
    uintptr_t at = area->base - b->views[pid].there;
    if (at < b->view_bytes && area->size <= b->view_bytes - at) l->mapped = (uintptr_t)b->views[pid].here + at;
}

/* So many empty logs, or NULL; free() them. */
bsp_log *bsp_logs_new(int count);

/* The same, without memory until they are used. */
bsp_log *bsp_logs_map(size_t count);
void bsp_logs_unmap(bsp_log *logs, size_t count);

/* Zeroed on first use, 64-byte aligned; NULL when the arena is full. */
void *bsp_arena_take(bsp_arena *a, size_t bytes);

/* Room for `need` contiguous bytes in the superstep `epoch`: goes to the first chunk, to the next one, or makes one.
 * NULL when the arena is full. *opened is set to true if this was the log's first record of the superstep. */
unsigned char *bsp_log_room_slow(bsp_arena *a, bsp_log *l, uint64_t epoch, size_t need, bool *opened);

/* After the last record of the superstep: makes the chunks readable (the caller's barrier publishes them). */
static inline void bsp_log_close(bsp_log *l) {
    l->current->used = (uint64_t)(l->cursor - bsp_chunk_data(l->current));
    l->cursor = l->limit = NULL;
}

/* The next chunk of the same superstep, or NULL. */
static inline bsp_chunk *bsp_log_next(unsigned char *base, const bsp_chunk *c) {
    if (!c->next) return NULL;
    bsp_chunk *n = (bsp_chunk *)(base + c->next);
    return n->epoch == c->epoch ? n : NULL;
}

/* A call of memcpy costs more than these. */
static inline void bsp_copy_short(void *to, const void *from, size_t len) {
    if (len == 8)
        memcpy(to, from, 8);
    else if (len == 16)
        memcpy(to, from, 16);
    else if (len)
        memcpy(to, from, len);
}

/* A put in a log is one word, address and length together, then the bytes padded to 8; a length that does not fit into
 * 16 bits stands in a word of its own. User addresses have 47 or 48 bits on the machines that are supported. */
enum { BSP_LONG_RECORD = 0xffff };
#define BSP_ADDR_BITS 48
#define BSP_ADDR_MASK (((uint64_t)1 << BSP_ADDR_BITS) - 1)

_Static_assert(sizeof(uint64_t) == SUP_WIRE_PUT_HEAD, "what models take the word of a put for");
static inline size_t bsp_record_bytes(size_t len) { return (len < BSP_LONG_RECORD ? 8 : 16) + bsp_pad8(len); }

/* Writes a record at p, which has room for it. Eight bytes are the commonest length by far. */
static inline void bsp_record_write(unsigned char *p, uintptr_t addr, const void *src, size_t len) {
    if (len == 8) {
        uint64_t w = addr | (uint64_t)8 << BSP_ADDR_BITS;
        memcpy(p, &w, 8);
        memcpy(p + 8, src, 8);
        return;
    }
    uint64_t w[2] = {addr | (uint64_t)(len < BSP_LONG_RECORD ? len : BSP_LONG_RECORD) << BSP_ADDR_BITS, len};
    size_t head = len < BSP_LONG_RECORD ? 8 : 16;
    memcpy(p, w, head);
    memcpy(p + head, src, len);
}

/* Writes a message at p, which has room for it. */
static inline void bsp_message_write(unsigned char *p, const void *tag, size_t tag_len, const void *payload,
                                     size_t len) {
    *(bsp_message *)(void *)p = (bsp_message){len, tag_len};
    p += sizeof(bsp_message);
    bsp_copy_short(p, tag, tag_len);
    bsp_copy_short(p + bsp_pad16(tag_len), payload, len);
}

/* The commonest messages, with a tag of one word or none, where the current chunk has room for them. */
static inline bool bsp_log_send(bsp_log *l, const void *tag, size_t tag_len, const void *payload, size_t len) {
    unsigned char *p = l->cursor;
    size_t need = bsp_message_bytes(tag_len, len);
    if ((len != 8 && len != 16) || (tag_len && (tag_len != 8 || !tag)) || (size_t)(l->limit - p) < need) return false;
    l->cursor = p + need;
    l->packets++;
    l->bytes += len;
    bsp_message m = {len, tag_len};
    memcpy(p, &m, sizeof m);
    if (tag_len) memcpy(p + sizeof m, tag, 8);
    p += need - 16;
    if (len == 16)
        memcpy(p, payload, 16);
    else
        memcpy(p, payload, 8);
    return true;
}

/* A request to read is the word of a put without its bytes. */
static inline size_t bsp_ask_bytes(size_t len) { return len < BSP_LONG_RECORD ? 8 : 16; }

static inline void bsp_ask_write(unsigned char *p, uintptr_t addr, size_t len) {
    uint64_t w[2] = {addr | (uint64_t)(len < BSP_LONG_RECORD ? len : BSP_LONG_RECORD) << BSP_ADDR_BITS, len};
    memcpy(p, w, 8);
    if (len >= BSP_LONG_RECORD) memcpy(p + 8, &w[1], 8);
}

/* Reads the request at *p and goes on to the next. */
static inline const void *bsp_ask_read(const unsigned char **p, size_t *len) {
    uint64_t w;
    memcpy(&w, *p, 8);
    *len = (size_t)(w >> BSP_ADDR_BITS);
    if (*len == BSP_LONG_RECORD) memcpy(len, *p + 8, 8);
    *p += bsp_ask_bytes(*len);
    return (const void *)(uintptr_t)(w & BSP_ADDR_MASK);
}

/* A get in a list of them, in program order: where it goes as in a put's record, and what the engine notes besides.
 * Length BSP_LONG_RECORD: not a short one, `value` is the number of a note. */
typedef struct bsp_short_get {
    uint64_t value, place;
} bsp_short_get;

typedef struct bsp_get_list {
    bsp_short_get *at;
    size_t count, room;
} bsp_get_list;

/* Room for one more, for the caller to fill; what bsp_get appended by itself is counted, and the list closed to it. */
bsp_short_get *bsp_get_list_add(bsp_runtime *b, bsp_get_list *l);
void bsp_get_list_close(bsp_runtime *b, bsp_get_list *l);
/* bsp_get may append by itself from now on. */
static inline void bsp_get_list_open(bsp_runtime *b, const bsp_get_list *l) {
    b->get_cursor = l->at + l->count;
    b->get_limit = l->at + l->room;
}
/* Does the place of note `own` share a byte with that of another get? `place` tells where a note goes; one without
 * length is out of the way. A cautious yes where there are more than `most` to look at. */
bool bsp_get_list_overlaps(const bsp_get_list *l, size_t most, const void *notes, uint64_t own,
                           bsp_region (*place)(const void *notes, uint64_t number));

/* Widens reach to all that the records would write. false: one of them is shorter than `least`. */
bool bsp_log_reach(const unsigned char *at, const unsigned char *end, size_t least, uintptr_t reach[2]);
/* Carries out the puts of one chunk. */
void bsp_log_apply(const unsigned char *at, const unsigned char *end);

#endif
