/* A transfer, and the layers that it passes: engines carry it out, wrappers look at it first.
 *
 *     program ──▶ watchdog ──▶ trace ──▶ check ──▶ auto ──▶ engine: shared memory, or messages
 *
 * Each is a const object with the functions below, in a file of its own, and a row of the table in chain.c. Which of
 * them a section of the program has is decided when it begins; a transfer that no wrapper wants to see goes straight to
 * the engine. */
#ifndef SUP_BSP_ENGINE_LAYER_H
#define SUP_BSP_ENGINE_LAYER_H

#include "net/net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bsp_runtime bsp_runtime;

typedef enum bsp_kind {
    BSP_PUT,
    BSP_HPPUT,
    BSP_GET,
    BSP_HPGET,
    BSP_SEND,
    BSP_DIRECT_GET, /* complete when it returns, and sees the puts of earlier supersteps */
    BSP_KINDS
} bsp_kind;

/* One end of a transfer: a block of memory. Ends of several blocks will be described here as well (number and stride,
 * or a list), so that wrappers and engines need no other signature. */
typedef struct bsp_region {
    uintptr_t at;
    size_t len;
} bsp_region;

/* Inside begin and end, with arguments already checked. */
typedef struct bsp_transfer {
    bsp_kind kind;
    int pid;           /* the other process */
    bsp_region local;  /* here: source of a put or send, destination of a get */
    bsp_region remote; /* at the other one, by its own addresses; of a send, only its length */
    const void *tag;   /* of a send */
} bsp_transfer;

typedef void bsp_transfer_call(bsp_runtime *b, const bsp_transfer *t);

/* What cannot go on calls bsp_fail. */
typedef struct bsp_layer {
    /* Is it part of a section that begins now? Of the engines one is. */
    bool (*wanted)(const bsp_runtime *b);
    /* Engines open and close before wrappers, which may use what the engine has, and the net when it is closed. NULL:
     * nothing to do. */
    sup_status (*open)(bsp_runtime *b, sup_diag *diag);
    void (*close)(bsp_runtime *b);
    /* NULL: need not see transfers of this kind. A wrapper only looks: they go on to the next layer behind it. */
    bsp_transfer_call *transfer[BSP_KINDS];
    /* Wrapper, of the kinds that it wants to see: behind the transfer of the layers below. NULL: nothing to do. */
    bsp_transfer_call *called;
    /* Ends the superstep; `ending`: with bsp_end. The engine delivers, makes the registrations in b->reg known to all
     * and fills the queue. A wrapper does what comes before that. */
    void (*sync)(bsp_runtime *b, bool ending);
    /* Wrapper: behind the sync of the layers below. */
    void (*synced)(bsp_runtime *b, bool ending);
    /* Engine: until a request of a wrapper on the net is done. */
    void (*wait)(bsp_runtime *b, sup_net_req *req);
} bsp_layer;

extern const bsp_layer bsp_layer_watchdog, bsp_layer_trace, bsp_layer_check, bsp_layer_auto, bsp_layer_shared,
    bsp_layer_message;

enum { BSP_LAYERS = 6 };

/* The layers of the section that begins: chosen and opened. */
sup_status bsp_chain_open(bsp_runtime *b, sup_diag *diag);
void bsp_chain_close(bsp_runtime *b);

/* Beside the transfers: sends out_len bytes to the process `distance` above (modulo the processes) and receives in_len
 * from the one as far below, and waits for both; where a length is 0 nothing is sent. */
void bsp_swap(bsp_runtime *b, int tag, int distance, const void *out, size_t out_len, void *in, size_t in_len);

#endif
