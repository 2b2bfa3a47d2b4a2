/* Collective operations, measured: what each algorithm takes over bytes, from all having begun until the last is done.
 * Tcomm, stage "measure". Models correct their predictions by it (model/collective/collective.h), choices are made with
 * it. The section of a profile is in collective/work.h, what the tool asks for besides in launch/cases.h.
 *
 * Sizes are powers of 8: what is wanted between them is interpolated. */
#ifndef SUP_MEASURE_COLLECTIVE_COLLECTIVES_H
#define SUP_MEASURE_COLLECTIVE_COLLECTIVES_H

#include "schedule/schedule.h"

enum { SUP_COLLECTIVES_SIZES = 16, SUP_COLLECTIVES_CHOICES = 64 };
#define SUP_COLLECTIVES_LARGEST ((int64_t)8 << 20) /* bytes of the vector, or of all blocks */

/* How an operation is measured on so many processes of so many hosts: every algorithm that fits some of the sizes, with
 * its usual radix and segments of some sizes, over all processes and (hosts > 1) between hosts. Returns how many. */
size_t sup_collectives_choices(int operation, int processes, int hosts, sup_choice out[SUP_COLLECTIVES_CHOICES]);
/* The sizes at which profiles have it: of the vector or of a block, ascending; a barrier's is 0. */
size_t sup_collectives_sizes(int operation, int processes, int64_t bytes[SUP_COLLECTIVES_SIZES]);
/* Does it make sense to measure the choice at this size? Segments that are longer than what is cut are none. */
bool sup_collectives_fit(int operation, int processes, const sup_choice *choice, int64_t bytes);

/* ---- cases by themselves (launch/cases.h) ---- */

/* Beside operations: half a round trip between the first two processes; it has no choice. */
enum { SUP_CASE_MESSAGE = SUP_OPERATIONS };
#define SUP_CASE_MESSAGE_NAME "message"

typedef struct sup_collective_case {
    int operation; /* or SUP_CASE_MESSAGE */
    sup_choice choice;
    int64_t bytes;
} sup_collective_case;

/* ---- how cases travel: "broadcast pipeline/64K 1048576", "message 4096" ---- */

#define SUP_COLLECTIVE_CASE_TEXT 128
const char *sup_collective_case_text(const sup_collective_case *c, char text[SUP_COLLECTIVE_CASE_TEXT]);
sup_status sup_collective_case_read(const char *text, sup_collective_case *out);

#endif
