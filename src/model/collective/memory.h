/* What collectives take of the memory of their processes, beside what a channel's table says: as channels of their own,
 * for expressions that are priced (not for those that are shown). Term Tcomm, model stage. */
#ifndef SUP_MODEL_COLLECTIVE_MEMORY_H
#define SUP_MODEL_COLLECTIVE_MEMORY_H

#include "model/collective/platform.h"

/* Channels of expressions by sup_stages_expression(…, true, …). */
enum {
    SUP_CHANNEL_COPIES = SUP_EXPR_CHANNEL_MAX,   /* a process copies */
    SUP_CHANNEL_ROOM = SUP_EXPR_CHANNEL_MAX - 3, /* a process copies into or out of memory that all share */
    SUP_CHANNEL_MORE = SUP_EXPR_CHANNEL_MAX - 2  /* + c: each message more of a process, through channel c, 0 or 1 */
};

typedef struct sup_memory_costs sup_memory_costs;
/* For operations in which each process goes through so many bytes. SUP_ENOMEM. */
sup_status sup_memory_costs_open(const sup_collective_platform *platform, double data, sup_diag *diag,
                                 sup_memory_costs **out);
void sup_memory_costs_close(sup_memory_costs *costs);
const sup_taulop_costs *sup_memory_costs_of(const sup_memory_costs *costs);
/* Bytes that each process goes through. */
double sup_memory_data(const sup_job *job);

#endif
