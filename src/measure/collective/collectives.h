/* Collective operations, measured: what each algorithm takes over bytes, from all having begun until the last is done.
 * Tcomm, stage "measure". Models correct their predictions by it (model/collective/collective.h), choices are made with
 * it. The section of a profile is in collective/work.h; here is what the tool asks for besides.
 *
 *     sup_measure_cases(&order, diag, times);                     the tool: some cases, over several launches
 *     sup_measure_duel(&duel, diag, times);                       … a few choices for one operation, in bounded time
 *
 * Sizes are powers of 8: what is wanted between them is interpolated. */
#ifndef SUP_MEASURE_COLLECTIVE_COLLECTIVES_H
#define SUP_MEASURE_COLLECTIVE_COLLECTIVES_H

#include "measure/lab/trial.h"
#include "measure/launch/start.h"
#include "schedule/schedule.h"

enum { SUP_COLLECTIVES_SIZES = 16, SUP_COLLECTIVES_CHOICES = 64, SUP_COLLECTIVES_CASES = 4096 };
#define SUP_COLLECTIVES_LARGEST ((int64_t)8 << 20) /* bytes of the vector, or of all blocks */

/* How an operation is measured on so many processes of so many hosts: every algorithm that fits some of the sizes, with
 * its usual radix and segments of some sizes, over all processes and (hosts > 1) between hosts. Returns how many. */
size_t sup_collectives_choices(int operation, int processes, int hosts, sup_choice out[SUP_COLLECTIVES_CHOICES]);
/* The sizes at which profiles have it: of the vector or of a block, ascending; a barrier's is 0. */
size_t sup_collectives_sizes(int operation, int processes, int64_t bytes[SUP_COLLECTIVES_SIZES]);
/* Does it make sense to measure the choice at this size? Segments that are longer than what is cut are none. */
bool sup_collectives_fit(int operation, int processes, const sup_choice *choice, int64_t bytes);

/* ---- launches by the tool ---- */

/* Beside operations: half a round trip between the first two processes; it has no choice. */
enum { SUP_CASE_MESSAGE = SUP_OPERATIONS };
#define SUP_CASE_MESSAGE_NAME "message"

typedef struct sup_collective_case {
    int operation; /* or SUP_CASE_MESSAGE */
    sup_choice choice;
    int64_t bytes;
} sup_collective_case;

typedef struct sup_collectives_order {
    const char *tool;                     /* this program; NULL: /proc/self/exe */
    const char *beside;                   /* temporary files go beside this one; NULL: in the folder for such files */
    const char *transport;                /* "shm", "openmpi", "mpich" */
    int processes;                        /* 2 or more */
    const char *place, *hosts_file, *rsh; /* as for superstep run; NULL */
    const sup_collective_case *cases;
    size_t count;
    bool rotates;   /* every process is root in turn */
    int launches;   /* 0: some */
    double seconds; /* of measuring in each launch; 0: enough for some visits of each */
    bool bounded;   /* no more launches than that, also if some case has not had its turn */
    /* Called about 20 times a second, as that of a campaign; NULL. */
    sup_wish (*progress)(void *context, double fraction, const char *text, double seconds_left);
    void *context;
} sup_collectives_order;

/* out: [count]; an entry whose status is not SUP_OK has no time: SUP_ENOTSUP, it cannot be done here; SUP_ETIMEOUT.
 * Cases are visited in turn, round after round. SUP_EINVAL: what is ordered makes no sense; SUP_ENOTSUP: the processes
 * cannot be launched, diag says why; SUP_EINTR: somebody wished so, before the first launch was over; SUP_EIO,
 * SUP_ENOMEM. */
sup_status sup_measure_cases(const sup_collectives_order *order, sup_diag *diag, sup_timing *out);

/* Which of a few choices is the quickest here? */
typedef struct sup_duel {
    const char *tool, *transport, *place, *hosts_file, *rsh; /* as in an order */
    int processes;
    int operation;
    int64_t bytes; /* of the vector, or of a block */
    const sup_choice *choices;
    size_t count;
    double seconds; /* about so long in all, starting included; 0: SUP_DUEL_S */
} sup_duel;
#define SUP_DUEL_S 1.0

/* seconds: [count], calm times; NaN: it cannot be done, or there was no time for it. As sup_measure_cases. */
sup_status sup_measure_duel(const sup_duel *duel, sup_diag *diag, double *seconds);

/* ---- how cases travel: "broadcast pipeline/64K 1048576", "message 4096" ---- */

#define SUP_COLLECTIVE_CASE_TEXT 128
const char *sup_collective_case_text(const sup_collective_case *c, char text[SUP_COLLECTIVE_CASE_TEXT]);
sup_status sup_collective_case_read(const char *text, sup_collective_case *out);

#endif
