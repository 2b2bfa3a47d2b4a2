/* Trials: the small experiments that pairs, τ-Lop, sync, copies and classic are made of. Tcomm and Tsync, stage
 * "measure".
 *
 * A trial lets one or more groups of processes do the same thing side by side and times it: a round trip of m bytes, a
 * ring of τ processes, a barrier. Rank 0 decides which trial comes next and hands it out; within a group the first
 * process leads: it says how many repetitions make a batch and asks the others whether they were disturbed.
 *
 *     rank 0:       sup_lab lab …;  lab->run(lab, &trial, diag, timings);  …  sup_lab_net_close(lab)
 *     the others:   sup_lab_net_serve(net, …)                                 until rank 0 closes
 *
 * Everything that decides works on a sup_lab, so that a lab of made-up machines can take the place of the net. */
#ifndef SUP_MEASURE_TRIAL_H
#define SUP_MEASURE_TRIAL_H

#include "base/clock.h"
#include "base/measured.h"
#include "base/status.h"
#include "net/net.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sup_trial_kind {
    SUP_TRIAL_EMPTY,      /* group 1: one call that starts and completes `number` empty requests */
    SUP_TRIAL_ROUND_TRIP, /* group 2: half a round trip of `bytes` */
    SUP_TRIAL_STARTS,     /* group 2: `number` messages of `bytes` started together and completed by the first */
    SUP_TRIAL_SYNC_SEND,  /* group 2: an empty message and the answer that it was received */
    SUP_TRIAL_EAGER,      /* group 2: 1 if a send of `bytes` completes though nobody receives it yet, else 0 */
    SUP_TRIAL_RING,       /* group τ: everyone sends `bytes` to the right and receives from the left */
    SUP_TRIAL_STREAM,     /* group τ, even: couples, the first of each sends one message after another */
    SUP_TRIAL_BROADCAST,  /* group τ: the first copies into shared memory, all others out of it */
    SUP_TRIAL_EXCHANGE,   /* all: `bytes` from everyone to everyone, and a barrier */
    SUP_TRIAL_REDUCE,     /* group τ: each adds a vector of `bytes` (doubles) to another of its own */
    SUP_TRIAL_COPY,       /* group τ: each copies `bytes` of its own */
    /* all: supersteps of our runtime over shared memory; to `number` others `records` of `bytes` each */
    SUP_TRIAL_LOG,     /* the calls */
    SUP_TRIAL_DELIVER, /* the sync, with its barrier */
    SUP_TRIAL_SYNC,    /* all: the barrier sup_generators[number], begun when everybody is there */
    SUP_TRIAL_KINDS
} sup_trial_kind;

typedef struct sup_trial {
    sup_trial_kind kind;
    int groups;       /* side by side */
    int group;        /* processes in each */
    const int *ranks; /* groups × group, all different */
    size_t bytes;
    int number;
    int records; /* 0: 1 */
    int stride;  /* between partners, 0: 1 */
    bool cold;   /* buffers that are not in cache */
    /* how long: stops when the interval of the median is within `wanted`, but not before min_samples */
    int min_samples, max_samples;
    double wanted, max_seconds;
} sup_trial;

/* What a group found out: the median over batches of the seconds of one repetition. */
typedef struct sup_timing {
    double seconds;
    double ci; /* half width, 95 % */
    int64_t n, reruns, rejected, disturbed, batches;
    double spent_s;
    sup_status status; /* SUP_OK, or why this group has no result */
} sup_timing;

/* Share of its batches that something disturbed, or that had to wait for their turn on a core. */
double sup_timing_beside(const sup_timing *t);

/* Where many batches were disturbed, those that count were so too, unnoticed: the interval is widened by what a
 * neighbour on the same core costs. */
void sup_timing_widen(sup_timing *t);

/* Where a process is; gathered at rank 0. */
typedef struct sup_rank_place {
    int host;     /* ranks with equal numbers share memory */
    int cpu;      /* -1 not pinned */
    int core;     /* of the host; -1 unknown, as below */
    int numa;     /* memory node */
    int package;  /* processor */
    int cache[8]; /* [d]: which copy of the cache of depth d + 1 */
    int kind;     /* of core */
} sup_rank_place;

typedef struct sup_lab sup_lab;
struct sup_launches;
struct sup_lab {
    int size;
    const char *transport;
    bool oversubscribed;          /* more processes than cores: being switched out is part of the matter */
    const sup_rank_place *places; /* size */
    /* *out has trial->groups entries. SUP_EINTR, SUP_EPEER, SUP_EINVAL; a group's own trouble is in its status. */
    sup_status (*run)(sup_lab *lab, const sup_trial *trial, sup_diag *diag, sup_timing *out);
    struct sup_launches *launches; /* what earlier launches found (launches.h); NULL: nothing. Not the lab's own */
    /* counted by run */
    int64_t trials, measurements; /* measurements: groups of all trials */
    uint64_t batches, rejected;
};

typedef struct sup_lab_options {
    const sup_clock *clock; /* NULL: the machine's; each process its own in tests */
    bool no_watch;          /* count every batch, disturbed or not */
} sup_lab_options;

/* Collective: rank 0 gets the lab, the others a lab to serve with. places may be NULL on every process: they are
 * found by asking the machine and the net. */
sup_status sup_lab_net_open(sup_net *net, const sup_lab_options *options, sup_diag *diag, sup_lab **out);
/* The others' part: takes trials until rank 0 closes. */
sup_status sup_lab_net_serve(sup_lab *lab, sup_diag *diag);
/* Rank 0 releases the others from serve; everybody frees. */
void sup_lab_net_close(sup_lab *lab);

/* The usual trial of one group of two. */
sup_trial sup_trial_of(sup_trial_kind kind, const int *ranks, int groups, int group, size_t bytes);

/* A measured number for a file; scale multiplies value and interval. */
sup_status sup_timing_number(const sup_timing *timing, double scale, sup_number **out);
/* The same for a number that is made of several times: `counted` has their samples, added by sup_timing_count. A ci
 * that is not finite is unknown. */
sup_status sup_number_new(double value, double ci, const sup_timing *counted, sup_number **out);
void sup_timing_count(sup_timing *sum, const sup_timing *timing);

#endif
