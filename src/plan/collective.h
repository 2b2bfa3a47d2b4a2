/* Which collective algorithm holds where: a plan's rows, made ready for look-ups of a few nanoseconds. Tcomm, joint 2.
 *
 * A table is for one operation on one number of processes, transport and count of hosts: ranges of bytes
 * (sup_job_total) and the choice for each, found by the position of the highest bits of the size. Where the plan is
 * silent it answers from the defaults (plan/defaults.h), which fit any machine. */
#ifndef SUP_PLAN_COLLECTIVE_H
#define SUP_PLAN_COLLECTIVE_H

#include "plan/plan.h"
#include "schedule/schedule.h"

enum { SUP_CHOICES_MOST = 32, SUP_CHOICE_STEPS = 4 * 64 };

typedef struct sup_choices {
    int count;
    int64_t from[SUP_CHOICES_MOST]; /* ascending, from[0] = 0 */
    sup_choice choice[SUP_CHOICES_MOST];
    uint8_t first[SUP_CHOICE_STEPS]; /* by the exponent and the two bits below the highest: where to begin */
} sup_choices;

typedef struct sup_choices_for {
    int operation;
    int64_t processes;
    const char *transport;
    int hosts; /* 1: all share memory, if `memory` */
    bool memory;
    bool mpi; /* rows that leave it to MPI count; else they are passed over */
} sup_choices_for;

/* plan NULL: the defaults. Every member that asks for the same gets the same. A row counts only where its algorithm can
 * do the operation for so many processes, and where there is the memory that it works in: so the plan of one host does
 * not bind processes of several. */
void sup_plan_choices(const sup_plan *plan, const sup_choices_for *what, sup_choices *out);

static inline const sup_choice *sup_choices_at(const sup_choices *c, int64_t bytes) {
    uint64_t b = bytes > 0 ? (uint64_t)bytes : 0;
    int top = b ? 63 - __builtin_clzll(b) : 0;
    unsigned step = b < 4 ? (unsigned)b : (unsigned)top * 4 + (unsigned)(b >> (top - 2) & 3);
    int k = c->first[step];
    while (k + 1 < c->count && c->from[k + 1] <= bytes) k++;
    return &c->choice[k];
}

#endif
