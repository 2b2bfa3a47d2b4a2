/* What the runtime does where there is no plan, or the plan is silent: said here, and read by the runtime, by the
 * look-ups of a plan (plan.h) and by the models that price the runtime.
 *
 * Numbers that a fast path compares with, and sizes of what it sends, are constants; the rest is a plan. */
#ifndef SUP_PLAN_DEFAULTS_H
#define SUP_PLAN_DEFAULTS_H

#include "plan/plan.h"

enum {
    /* Everybody to everybody is the fewest rounds; beyond so many processes it is too many messages. */
    SUP_DEFAULT_DIRECT_COUNTS_MAX = 6,
    /* Unbuffered puts over shared memory are copied straight to their place from so many bytes on. A shorter one is
     * cheaper in the log: writing into another's cache line waits for the line. */
    SUP_DEFAULT_STRAIGHT_MIN = 512,
    /* From so many bytes on the kernel copies what cannot be addressed: a system call and the pinning of pages cost
     * less than the second copy. */
    SUP_DEFAULT_CMA_MIN = 256 * 1024,
    /* Over messages, puts from so many bytes on travel on their own; shorter ones for one process travel together.
     * Unbuffered ones from the second number on: no copy is saved below. */
    SUP_DEFAULT_PIECE_MIN = 65536,
    SUP_DEFAULT_UNBUFFERED_MIN = 16384
};

/* What processes exchange in bytes, besides what the program asks for: what stands before the bytes of a short put; a
 * packet of bsp_sync over messages with nothing in it, and one number of the counts. */
enum { SUP_WIRE_PUT_HEAD = 8, SUP_WIRE_PACKET_HEAD = 72, SUP_WIRE_COUNT = 4 };

/* Its barrier is for any number of processes. Nothing in it may be changed or freed. */
extern const sup_plan sup_plan_defaults;

/* Collectives: the first row that is for the processes and bytes (sup_job_total) and works for the processes counts. */
typedef struct sup_default_choice {
    int operation;      /* sup_operation */
    int64_t from, to;   /* bytes; to -1: and more */
    const char *choice; /* sup_choice_text */
    bool each;          /* from and to are bytes for each of the processes: of a block */
    int least, most;    /* processes; most 0: and more */
} sup_default_choice;
/* Is it for so many? */
bool sup_default_is_for(const sup_default_choice *row, int64_t processes);
/* Of bytes, in all: one of from and to of a row that is for so many. */
int64_t sup_default_border(const sup_default_choice *row, int64_t processes, int64_t bytes);
extern const sup_default_choice sup_default_choices[]; /* up to one without a choice */

#endif
