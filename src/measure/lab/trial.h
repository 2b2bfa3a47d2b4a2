/* Trials: the small experiments that everything in a profile is made of. Stage "measure", all terms.
 *
 * A trial says what is timed: a round trip of m bytes between two processes, a ring of τ processes, a barrier, a kernel
 * on so many cores, a superstep of the runtime. Everything that makes it the same trial in another launch is in it, and
 * nothing else. Sections (pair, taulop, copy, comp, …) ask a lab (lab.h) what visits of a trial have found. */
#ifndef SUP_MEASURE_LAB_TRIAL_H
#define SUP_MEASURE_LAB_TRIAL_H

#include "base/number/measured.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sup_trial_kind {
    SUP_TRIAL_EMPTY,         /* group 1: one call that starts and completes `number` empty requests */
    SUP_TRIAL_ROUND_TRIP,    /* group 2: half a round trip of `bytes` */
    SUP_TRIAL_STARTS,        /* group 2: `number` messages of `bytes` started together and completed by the first */
    SUP_TRIAL_SYNC_SEND,     /* group 2: an empty message and the answer that it was received */
    SUP_TRIAL_EAGER,         /* group 2: share of sends of `bytes` that complete though nobody receives them yet */
    SUP_TRIAL_RING,          /* group τ: everyone sends `bytes` to the right and receives from the left */
    SUP_TRIAL_STREAM,        /* group τ, even: couples, the first of each sends one message after another */
    SUP_TRIAL_BROADCAST,     /* group τ: the first copies into shared memory, all others out of it */
    SUP_TRIAL_EXCHANGE,      /* all: `bytes` from everyone to everyone, and a barrier */
    SUP_TRIAL_REDUCE,        /* group τ: each adds a vector of `bytes` (doubles) to another of its own */
    SUP_TRIAL_COPY,          /* group τ: each copies `bytes` of its own */
    SUP_TRIAL_SYNC,          /* all: the barrier that `kernel` names, begun when everybody is there */
    SUP_TRIAL_INTERRUPTIONS, /* all: watch the clock; seconds lost in a second to whatever interrupts */
    SUP_TRIAL_PACK,       /* group 1: `bytes` gathered from blocks of `number` bytes, `stride` apart, into one buffer */
    SUP_TRIAL_SEGMENT,    /* group 2: bytes in which a message of `bytes` comes at a time; 0: whole */
    SUP_TRIAL_FETCH,      /* group 2: share of a message of `bytes` that comes though its sender does something else */
    SUP_TRIAL_SIGNAL,     /* group 2: half a round trip of signals */
    SUP_TRIAL_SIGNAL_OUT, /* group k + 1: the first signals all others, the last of them answers */
    SUP_TRIAL_SIGNAL_BACK, /* group k + 1: the first signals all others, all answer */
    SUP_TRIAL_PUBLISH,     /* group k + 1: the first writes a word that all others read, all answer */
    SUP_TRIAL_COLLECTIVE, /* all: the collective operation that `kernel` names with its choice, "broadcast binomial", of
                            `bytes` (a block, or the vector), begun when everybody is there; root: number 1: each in
                            turn */
    /* threads of one process, group of them: */
    SUP_TRIAL_RATE, /* seconds a unit of `kernel`, on `group` cores of class `number`, with `bytes` of memory each */
    SUP_TRIAL_LONG_RUN, /* the same over a run that is `records` times as long as the shortest sample; 1: that sample */
    /* supersteps of the BSP runtime as it records them, all processes; over `engine` */
    SUP_TRIAL_STEP,    /* exchange `shape` by `move`, `records` messages of `bytes` to each partner; 0 bytes: nothing is
                          asked for. Two: calls, sync */
    SUP_TRIAL_OVERLAP, /* hpput of `bytes` to the next process. Three: alone, as much computation alone, both together
                        */
    SUP_TRIAL_FIRST,   /* put of `bytes` to the next process, when something (`number`: sup_first) happens for the first
                          time, `stride` microseconds late. Four: its calls, its sync, and both of the same again */
    SUP_TRIAL_KINDS
} sup_trial_kind;

/* What happens for the first time: memory is touched that nobody has; a process comes late, and others sleep; buffers
 * and code are in no cache. */
typedef enum sup_first { SUP_FIRST_MEMORY, SUP_FIRST_WAKING, SUP_FIRST_USE } sup_first;
enum { SUP_FIRST_CALLS, SUP_FIRST_SYNC, SUP_AGAIN_CALLS, SUP_AGAIN_SYNC, SUP_FIRST_VALUES };

typedef struct sup_trial {
    sup_trial_kind kind;
    const char *kernel, *engine; /* NULL where they do not apply */
    int groups;                  /* side by side */
    int group;                   /* processes in each */
    const int *ranks;            /* groups × group, all different; NULL: everybody, or threads */
    size_t bytes;
    int number;
    int records;     /* 0: 1 */
    int stride;      /* of blocks that are packed */
    int shape, move; /* of an exchange (base/exchange.h) */
    bool cold;       /* buffers that are not in cache */
    /* not part of what it is: */
    double use; /* how much predictions depend on it, relatively; 0: 1 */
} sup_trial;

/* What is said about kinds where all must agree: a row a kind. */
typedef struct sup_trial_row {
    const char *name; /* in files */
    int quantities;   /* that a visit times; 0: one a group */
    char term;        /* 'c' computation, 'm' communication, 's' synchronisation, 0 none: whose noise it shows */
    bool once;        /* its answer is no time: what is known stays so */
    bool check;       /* no number depends on it: some launches are enough */
    double share;     /* of a launch's time that its visits take, between all others; 0: it has its turn like them */
} sup_trial_row;
extern const sup_trial_row sup_trial_kinds[SUP_TRIAL_KINDS];

/* How many values a visit has. */
int sup_trial_values(const sup_trial *trial);

/* What all visits of a trial say, of one of its values. */
typedef struct sup_timing {
    double seconds;      /* calm */
    double ci;           /* half width of its interval (base/number/measured.h) */
    double typical, bad; /* median, 90 % quantile */
    int64_t n, dropped;  /* batches */
    int launches;
    double footprint;  /* of a rate: bytes really visited */
    sup_status status; /* SUP_OK, or why there is none: SUP_ENOTSUP, this cannot be done here */
} sup_timing;

/* The usual trial. */
sup_trial sup_trial_of(sup_trial_kind kind, const int *ranks, int groups, int group, size_t bytes);

/* A measured number for a file; scale multiplies all of it. */
sup_status sup_timing_number(const sup_timing *timing, double scale, sup_number **out);
/* The same for a number that is made of several times: `counted` has their batches, added by sup_timing_count. A ci
 * that is not finite is unknown. */
sup_status sup_number_new(double value, double ci, const sup_timing *counted, sup_number **out);
void sup_timing_count(sup_timing *sum, const sup_timing *timing);

#endif
