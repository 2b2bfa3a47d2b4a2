/* What one process has recorded, as it travels to rank 0: a head, one piece of bytes with call sites and steps, and the
 * sequence. All processes run the same program on the same kind of processor, so structs travel as they are. */
#ifndef SUP_BSP_TRACE_PACK_H
#define SUP_BSP_TRACE_PACK_H

#include "bsp/trace.h"

typedef struct bsp_trace_head {
    uint64_t bytes, sequence; /* lengths of what follows: bytes, numbers */
    uint64_t sites, steps;
    uint64_t supersteps, left_out;
    double wall_s;
    int32_t cpu; /* where the process is pinned, -1 nowhere */
    int32_t broken;
} bsp_trace_head;

typedef struct bsp_trace_parcel {
    bsp_trace_head head;
    unsigned char *bytes;
    size_t room;
    uint32_t *sequence;
    bool borrowed; /* the sequence is the book's */
} bsp_trace_parcel;

/* The parcel refers to the book's sequence. */
sup_status bsp_trace_pack(const bsp_trace_book *k, double wall_s, bsp_trace_parcel *p);
sup_status bsp_trace_send(sup_net *net, const bsp_trace_parcel *p);
/* Rank 0: the parcel of rank, or away with it. */
sup_status bsp_trace_receive(sup_net *net, int rank, bsp_trace_parcel *p);
sup_status bsp_trace_discard(sup_net *net, int rank);
/* Appends a process to the trace. */
sup_status bsp_trace_unpack(const bsp_trace_parcel *p, sup_trace *t);
void bsp_trace_parcel_free(bsp_trace_parcel *p);

#endif
