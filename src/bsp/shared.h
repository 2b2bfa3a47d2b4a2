/* State of the exchange over shared memory (shared.c). */
#ifndef SUP_BSP_SHARED_H
#define SUP_BSP_SHARED_H

#include "bsp/log.h"
#include "bsp/state.h"

#include <stdatomic.h>

/* Kinds of logs; bit 1 << kind of a sync's bits says that somebody has one (BSP_DID_PUT …). */
enum { BSP_LOG_PUT = 0, BSP_LOG_REPLY = 1, BSP_LOG_SEND = 2, BSP_LOG_ASK = 3, BSP_LOGS = 4 };

/* What each process shows to all others, at the start of its arena. */
typedef struct bsp_card {
    _Alignas(128) _Atomic uint64_t applied; /* last superstep (from 1) whose puts and gets are carried out here */
    /* For even and odd supersteps: a fast process may be one ahead of the one that reads. */
    _Alignas(128) uint64_t change_epoch[2]; /* superstep of the last registrations */
    uint64_t board[2];                      /* where the new areas are */
    uint64_t pushes[2];
    uintptr_t heap; /* where this process sees its own heap */
    _Alignas(128) unsigned char rest[128];
} bsp_card;

/* Number and length of the messages in a log: its first 16 bytes. */
typedef struct bsp_sum {
    uint64_t packets, bytes;
} bsp_sum;

typedef struct bsp_get_note {
    union {
        const void *near;       /* where to read it, NULL: the owner answers */
        unsigned char value[8]; /* between reading and writing: what was read, if that is no more than this */
    } at;
    void *dst; /* NULL: already there */
    size_t len;
    int pid;
    bool asked; /* the owner answers */
} bsp_get_note;

/* Another process's heap: where it sees it, and where we do. */
typedef struct bsp_heap_view {
    uintptr_t there;
    unsigned char *here;
} bsp_heap_view;

typedef struct bsp_copy {
    void *near, *local;
    size_t len;
    int pid;
    bool put;
} bsp_copy;

typedef struct bsp_cursor {
    bsp_chunk *chunk;
    size_t at;
} bsp_cursor;

typedef struct bsp_shared {
    sup_net_region *region;
    unsigned char **base; /* of every process's arena, here */
    bsp_arena arena;      /* own */
    bsp_heap_view *heap;  /* of every process */
    size_t heap_bytes;
    bsp_log *log[2][BSP_LOGS];
    int *touched[BSP_LOGS], touches[BSP_LOGS]; /* logs opened in this superstep */
    unsigned did;
    sup_barrier *barrier;
    uint64_t busy_epoch; /* last superstep in which anybody had puts or gets */
    uint64_t *applied;   /* last seen of the others' cards */
    bsp_get_note *gets;
    size_t get_count, get_room;
    unsigned char *buffer; /* bytes of longer gets between reading and writing */
    size_t buffer_room, buffer_need;
    bsp_cursor *reply; /* per process: where its next answer is */
    bsp_copy *deferred;
    int deferrals, deferred_room;
    size_t board_bytes[2];
} bsp_shared;

#endif
