/* A single-producer single-consumer queue from one process to one other: 64-byte slots, and a byte ring for what does
 * not fit.
 *
 * A slot's first word carries a stamp that is different on every lap, so the consumer polls one line, which is also the
 * line that holds a short message: one cache miss per message. The consumer publishes how far it has come every quarter
 * of the ring, so the producer rarely reads that line.
 *
 *     producer:  fill slot body / byte ring … then store-release word      (word = stamp | kind | tag | inline length)
 *     consumer:  load-acquire word, stamp matches → read, move on, sometimes store-release `taken`
 */
#ifndef SUP_NET_SHM_QUEUE_H
#define SUP_NET_SHM_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SHM_SLOTS = 256,
    SHM_INLINE = 56,            /* bytes of message inside a slot */
    SHM_RING = 128 * 1024,      /* bytes of the ring beside the slots */
    SHM_FRAGMENT = SHM_RING / 8 /* largest piece put into the ring at once */
};

typedef struct shm_slot {
    _Alignas(64) _Atomic uint64_t word;
    union {
        unsigned char bytes[SHM_INLINE];
        struct {
            uint64_t a, b, c, d;
        } arg;
    } u;
} shm_slot;

typedef struct shm_queue {
    _Alignas(128) _Atomic uint64_t taken_slots; /* written by the consumer */
    _Atomic uint64_t taken_bytes;
    _Alignas(128) shm_slot slot[SHM_SLOTS];
    _Alignas(128) unsigned char ring[SHM_RING];
} shm_queue;

/* Each end's private view. */
typedef struct shm_producer {
    shm_queue *q;
    uint64_t slots, bytes;             /* produced so far */
    uint64_t taken_slots, taken_bytes; /* last seen of the consumer */
} shm_producer;

typedef struct shm_consumer {
    shm_queue *q;
    uint64_t slots, bytes;           /* consumed so far */
    uint64_t told_slots, told_bytes; /* last published */
} shm_consumer;

static inline uint64_t shm_word(uint64_t position, unsigned kind, unsigned tag, unsigned inlined) {
    return (uint64_t)(uint32_t)(position + 1) | (uint64_t)(kind & 0xff) << 32 | (uint64_t)(inlined & 0xff) << 40 |
           (uint64_t)(tag & 0xffff) << 48;
}
static inline unsigned shm_word_kind(uint64_t w) { return (unsigned)(w >> 32) & 0xff; }
static inline unsigned shm_word_inlined(uint64_t w) { return (unsigned)(w >> 40) & 0xff; }
static inline unsigned shm_word_tag(uint64_t w) { return (unsigned)(w >> 48); }

/* The slot to fill next, or NULL while the consumer is a whole ring behind. */
static inline shm_slot *shm_produce_slot(shm_producer *p) {
    if (p->slots - p->taken_slots >= SHM_SLOTS) {
        p->taken_slots = atomic_load_explicit(&p->q->taken_slots, memory_order_acquire);
        if (p->slots - p->taken_slots >= SHM_SLOTS) return NULL;
    }
    return &p->q->slot[p->slots % SHM_SLOTS];
}

static inline void shm_publish(shm_producer *p, shm_slot *s, unsigned kind, unsigned tag, unsigned inlined) {
    atomic_store_explicit(&s->word, shm_word(p->slots, kind, tag, inlined), memory_order_release);
    p->slots++;
}

/* Is there room for len (<= SHM_FRAGMENT) bytes in the byte ring? */
static inline bool shm_produce_room(shm_producer *p, size_t len) {
    if (SHM_RING - (p->bytes - p->taken_bytes) >= len) return true;
    p->taken_bytes = atomic_load_explicit(&p->q->taken_bytes, memory_order_acquire);
    return SHM_RING - (p->bytes - p->taken_bytes) >= len;
}

static inline void shm_ring_in(shm_producer *p, const void *src, size_t len) {
    size_t at = p->bytes % SHM_RING, first = SHM_RING - at < len ? SHM_RING - at : len;
    memcpy(p->q->ring + at, src, first);
    memcpy(p->q->ring, (const char *)src + first, len - first);
    p->bytes += len;
}

/* The oldest unread slot and its word, or NULL. */
static inline shm_slot *shm_consume_peek(shm_consumer *c, uint64_t *word) {
    shm_slot *s = &c->q->slot[c->slots % SHM_SLOTS];
    uint64_t w = atomic_load_explicit(&s->word, memory_order_acquire);
    if ((uint32_t)w != (uint32_t)(c->slots + 1)) return NULL;
    *word = w;
    return s;
}

/* Copies len bytes of the ring to dst; dst NULL drops them. */
static inline void shm_ring_out(shm_consumer *c, void *dst, size_t len) {
    size_t at = c->bytes % SHM_RING, first = SHM_RING - at < len ? SHM_RING - at : len;
    if (dst) {
        memcpy(dst, c->q->ring + at, first);
        memcpy((char *)dst + first, c->q->ring, len - first);
    }
    c->bytes += len;
}

/* True if the producer has been told how far we are. */
static inline bool shm_consume_done(shm_consumer *c) {
    bool told = false;
    c->slots++;
    if (c->slots - c->told_slots >= SHM_SLOTS / 4) {
        c->told_slots = c->slots;
        atomic_store_explicit(&c->q->taken_slots, c->slots, memory_order_release);
        told = true;
    }
    if (c->bytes - c->told_bytes >= SHM_RING / 8) {
        c->told_bytes = c->bytes;
        atomic_store_explicit(&c->q->taken_bytes, c->bytes, memory_order_release);
        told = true;
    }
    return told;
}

#endif
