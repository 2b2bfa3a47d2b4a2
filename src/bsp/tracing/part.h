/* What one process has recorded, as the file has it: made of the process's book, sent to rank 0, and added to the trace
 * there. It travels as the text of a record, and the sequence of its steps behind it as it is. */
#ifndef SUP_BSP_TRACING_PART_H
#define SUP_BSP_TRACING_PART_H

#include "bsp/tracing/trace.h"

typedef struct bsp_trace_part {
    sup_trace_site *sites; /* that its steps number */
    size_t sites_count;
    sup_trace_process process;
    int64_t supersteps, left_out;
    int64_t cpu;        /* where the process is pinned, -1 nowhere */
    uint32_t *sequence; /* of steps; no part of the record */
    size_t sequence_count;
    bool borrowed; /* the sequence is the book's */
    struct json_t *extra;
} bsp_trace_part;

/* Of this process; refers to the book's sequence. */
sup_status bsp_trace_part_make(const bsp_trace_book *k, double wall_s, bsp_trace_part *out);
/* To rank 0; NULL: there is none, for want of memory. */
sup_status bsp_trace_part_send(sup_net *net, const bsp_trace_part *p);
/* Rank 0: that of rank. It is taken from the net whatever happens, and with out NULL that is all. SUP_ENOMEM: also if
 * the rank has none. */
sup_status bsp_trace_part_receive(sup_net *net, int rank, sup_diag *diag, bsp_trace_part *out);
/* Moves the process to the end of the trace. */
sup_status bsp_trace_part_add(bsp_trace_part *p, sup_trace *t);
void bsp_trace_part_free(bsp_trace_part *p);

#endif
