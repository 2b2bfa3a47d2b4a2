/* The profile, joint 1 of the flow: what was measured, and nothing else. superstep-profile(5) describes the file.
 *
 *     sup_profile *p;
 *     if (sup_profile_read("machine.json", false, &diag, &p)) …          whole, or not at all
 *     const sup_pairs *pairs = sup_profile_pairs(p, "shm");
 *     const sup_pair_class *c = &pairs->classes[sup_pairs_class(pairs, 0, 5)];
 *     double t = c->latency_s->value;
 *     sup_profile_free(p);
 *
 * Ownership: a profile owns everything reachable from it; strings and arrays come from malloc. A program fills one with
 * sup_profile_new, sup_record_set_…, SUP_APPEND (lists) and sup_record_make (single records), then sup_profile_write.
 * Derived members (curve, dense, first, ends) exist after reading; after filling by hand call sup_record_ready with
 * sup_profile_file.record.
 *
 * Absent numbers are NaN, absent strings, numbers and curves NULL, absent lists have count 0. */
#ifndef SUP_PROFILE_PROFILE_H
#define SUP_PROFILE_PROFILE_H

#include "base/exchange.h"
#include "base/number/measured.h"
#include "machine/origin.h"
#include "profile/pairs.h"
#include "profile/programs.h"
#include "profile/visits.h"
#include "profile/warning.h"

#define SUP_PROFILE_SCHEMA 1
#define SUP_PROFILE_KIND "superstep-profile"

enum { SUP_PROFILE_TRANSPORTS = 64 }; /* at most */

/* How far the numbers can be trusted. */
typedef struct sup_quality {
    double rejection_rate; /* batches thrown away because something else ran, of all */
    double budget_s;       /* time that was allowed; NaN no limit */
    double spent_s;
    bool complete; /* false: interrupted, or the budget ran out before the wanted confidence */
    bool busy;     /* the machine was not idle */
    double clock_resolution_s, clock_overhead_s;
    double calm_share; /* calm values, and "low" of visits, are this quantile of batches; NaN: an earlier version's */
    sup_warning *warnings;
    size_t warnings_count;
    struct json_t *extra;
} sup_quality;

/* ---- computation (BSP §3.3, ch. 4) ---- */

typedef struct sup_kernel_rate {
    char *kind;              /* of core, a name of sup_kinds; NULL where all are alike */
    int64_t active;          /* cores of the host that ran it at the same time */
    sup_file_curve *unit_s;  /* seconds per unit over bytes of memory footprint */
    double prediction_error; /* of the curve, relative, on much longer runs, the largest of several footprints; NaN not
                                checked */
    double
        prediction_length; /* how many times longer than the longest sample the shortest of them was; NaN not checked */
    double long_run_error; /* of what samples say of runs 4096 times longer, relative, the largest of those footprints
                              at which there was time for that; NaN at none */
    struct json_t *extra;
} sup_kernel_rate;

typedef struct sup_kernel_profile {
    char *name, *unit; /* "daxpy", "element" */
    double bytes_per_unit, flops_per_unit;
    char *source; /* file of a user's kernel, NULL for ours */
    sup_kernel_rate *rates;
    size_t rates_count;
    struct json_t *extra;
} sup_kernel_profile;

/* bspbench: the classic p, r, g, l of one scalar each, the baseline of BSP §3.1. */
typedef struct sup_classic {
    char *transport;
    int64_t processes;
    sup_number *flops_per_s;     /* r */
    sup_number *word_s, *sync_s; /* g and l, in seconds; × r they are flops */
    struct json_t *extra;
} sup_classic;

/* ---- τ-Lop (TAU §5, PART §5.3) ---- */

/* L(m,τ): one row a τ, one value a size. */
typedef struct sup_tau_row {
    int64_t tau;
    double *seconds, *ci, *typical, *bad;
    int64_t *n, *reruns;
    size_t seconds_count, ci_count, typical_count, bad_count, n_count, reruns_count;
    struct json_t *extra;
} sup_tau_row;

typedef struct sup_transfer {
    double *bytes; /* ascending */
    size_t bytes_count;
    sup_tau_row *rows; /* τ ascending */
    size_t rows_count;
    struct json_t *extra;
} sup_transfer;

typedef struct sup_gamma {
    char *operation, *type; /* "sum", "double" */
    int64_t tau;
    sup_file_curve *time_s; /* over bytes */
    struct json_t *extra;
} sup_gamma;

typedef struct sup_channel {
    char *name;                 /* "shm", "network" */
    int64_t number;             /* c: 0 shared memory, 1… networks */
    char *transport;            /* "shm", "openmpi", "mpich" */
    char *setup;                /* "ring", "ping", "broadcast" */
    char *mechanism;            /* "buffered", "single-copy", "rdma", "tcp" */
    bool cached;                /* buffers in cache */
    int64_t threshold_bytes;    /* H: eager below, rendezvous from here on; -1 none found */
    int64_t segment_bytes;      /* S; -1 not segmented */
    sup_file_curve *overhead_s; /* o(m) */
    sup_file_curve *packing_s;  /* p(m) */
    sup_transfer *transfer;     /* L(m,τ) */
    sup_gamma *gammas;
    size_t gammas_count;
    int64_t violations; /* of L(m,τ) ≤ L(m,Aτ) ≤ A·L(m,τ), beyond confidence */
    struct json_t *extra;
} sup_channel;

/* ---- vector transfers (VEC) ---- */

/* Times of one protocol, regions × bytes, row by row: seconds[r · bytes_count + b]. */
typedef struct sup_vector_times {
    char *protocol; /* "blocking", "pipelined", "packed" */
    double *seconds, *ci;
    int64_t *n;
    size_t seconds_count, ci_count, n_count;
    struct json_t *extra;
} sup_vector_times;

typedef enum sup_scope { SUP_SCOPE_INTRA, SUP_SCOPE_INTER } sup_scope;
typedef enum sup_statistic { SUP_STATISTIC_MAX, SUP_STATISTIC_MIN, SUP_STATISTIC_BARRIER } sup_statistic;

typedef struct sup_vector_profile {
    char *transport;
    int scope;                /* sup_scope */
    int64_t active;           /* processes of a host that transfer at once */
    char *load;               /* what that means: "one", "half", "all" */
    int statistic;            /* sup_statistic over the active processes; pessimistic is max */
    int64_t *regions, *bytes; /* N and S, ascending */
    size_t regions_count, bytes_count;
    sup_vector_times *protocols;
    size_t protocols_count;
    struct json_t *extra;
} sup_vector_profile;

/* ---- synchronisation, copies, overlap, tiles ---- */

typedef struct sup_sync_time {
    char *transport, *algorithm; /* "linear", "tree:4", "dissemination", "bsp-eager", "bsp-bulk", … */
    int64_t processes, payload_bytes;
    sup_number *time_s;
    struct json_t *extra;
} sup_sync_time;

/* A collective operation by one algorithm (the words of schedule/schedule.h), from all having begun until the last is
 * done: seconds over bytes, which are a block's or the whole vector's. */
typedef struct sup_collective_time {
    char *transport, *operation, *algorithm;
    int64_t processes, hosts;
    int64_t *bytes;                 /* ascending */
    double *seconds, *ci, *typical; /* calm, half width of its interval, median */
    size_t bytes_count, seconds_count, ci_count, typical_count;
    struct json_t *extra;
} sup_collective_time;

/* A signal between two processes of a level of pairs: what it takes of the sender, on the way, and of the receiver. Of
 * a word that many read, from before the store until the last has read it: seconds over readers. */
typedef struct sup_signal_time {
    char *transport, *class;
    sup_number *send_s, *travel_s, *receive_s;
    int64_t *readers; /* ascending; none: words are not shared */
    double *publish_s;
    size_t readers_count, publish_s_count;
    struct json_t *extra;
} sup_signal_time;

/* Algorithm of sync: a superstep that asks for nothing, as the runtime ends it (its counts included). */
#define SUP_SYNC_EMPTY "superstep"

/* Supersteps of an exchange (base/exchange.h) as the runtime records them, the slowest process in each part: what comes
 * before everybody is there, and the sync. Seconds over the bytes of one message. */
typedef struct sup_exchange_time {
    char *transport;
    int64_t processes;
    int shape, move; /* sup_exchange_shape, sup_move */
    int64_t records; /* messages to each partner */
    sup_file_curve *calls_s, *sync_s;
    struct json_t *extra;
} sup_exchange_time;

typedef struct sup_copy_time { /* ways to move bytes inside a host: "memcpy", "staged", "cma", "log", "deliver" */
    char *method;
    char *level;            /* level of pairs it was measured in, NULL any */
    int64_t processes;      /* that copied at once, 0 unknown */
    int64_t messages;       /* log, deliver: to and from so many others in a superstep */
    int64_t records;        /* … so many each */
    sup_file_curve *time_s; /* over bytes of each */
    struct json_t *extra;
} sup_copy_time;

typedef struct sup_overlap { /* share of communication that computation hides */
    char *transport, *engine;
    int64_t bytes;
    sup_number *share;
    struct json_t *extra;
} sup_overlap;

/* What a superstep takes more when something happens for the first time, the slowest process, all of them at once. */
typedef struct sup_first_time {
    char *transport;
    int64_t processes;
    sup_file_curve *memory_s;                 /* over bytes that nobody had touched; NULL, as below: not known */
    sup_file_curve *use_calls_s, *use_sync_s; /* over the bytes of a message: code, logs and data are in no cache */
    double *late_s, *waking_s, *ci,
        *typical; /* the sync, when a process comes so much later than the others; ascending */
    size_t late_s_count, waking_s_count, ci_count, typical_count;
    struct json_t *extra;
} sup_first_time;

typedef struct sup_tile_time { /* one point of a sweep over part sizes and shapes (CACHE ch. 5) */
    char *kernel, *size_class, *strategy;
    int64_t workers;
    int64_t *shape; /* elements per dimension */
    size_t shape_count;
    sup_number *time_s;
    struct json_t *extra;
} sup_tile_time;

/* How a run differs from calm time (superstep-profile(5)): of the points of a term, the median of typical/calm and of
 * bad/calm. */
typedef struct sup_noise {
    char *term;          /* "comp", "comm", "sync" */
    char *transport;     /* NULL: of no transport */
    double typical, bad; /* ratios to calm, ≥ 1 */
    int64_t points;
    struct json_t *extra;
} sup_noise;

/* Interruptions of processes that only watch the clock: how often a process is held up for how long. */
typedef struct sup_interruptions {
    char *transport;   /* whose processes watched; NULL: threads of one process */
    int64_t processes; /* that watched at once */
    double watched_s;  /* of all of them together */
    double *least_s;   /* classes: held up for at least so long, ascending */
    double *per_s;     /* so often in a second of a process; a class contains those after it */
    size_t least_s_count, per_s_count;
    struct json_t *extra;
} sup_interruptions;

/* A machine that nobody measured as a whole, made of parts that were (superstep machine). */
typedef struct sup_composed {
    char *node;             /* the profile that a node is like: its file or its name in the list */
    int64_t nodes;          /* of the machine */
    int64_t node_processes; /* processes on each */
    int64_t measured;       /* processes of the node's profile; fewer: the others by rule */
    char *link;             /* its name, or the profile it was taken from; NULL one node */
    char *link_source;      /* who says its numbers; NULL measured */
    char **rules;           /* what was assumed, for people */
    size_t rules_count;
    struct json_t *extra;
} sup_composed;

/* ---- the whole ---- */

typedef struct sup_profile {
    char *kind;
    int64_t schema;
    char *created; /* 2026-01-31T12:00:00Z */
    char *tool;    /* "superstep 0.1.0" */
    sup_origin signature;
    sup_quality *quality;
    sup_composed *composed; /* NULL: measured */
    sup_kinds *kinds;
    sup_kernel_profile *kernels;
    sup_classic *classic;
    sup_program_times *programs;
    sup_pairs *pairs;
    sup_channel *channels;
    sup_vector_profile *vectors;
    sup_sync_time *sync;
    sup_collective_time *collectives;
    sup_signal_time *signals;
    sup_exchange_time *exchanges;
    sup_copy_time *copies;
    sup_overlap *overlap;
    sup_first_time *first;
    sup_tile_time *tiles;
    sup_noise *noise;
    sup_interruptions *interruptions;
    sup_visited *visits; /* what the numbers above are made of; measuring goes on from them */
    size_t programs_count, noise_count, signals_count, exchanges_count, interruptions_count, visits_count,
        collectives_count;
    size_t kernels_count, classic_count, pairs_count, channels_count, vectors_count, sync_count, copies_count,
        overlap_count, first_count, tiles_count;
    struct json_t *extra;
} sup_profile;

SUP_RECORD_FILE_FUNCTIONS(sup_profile)

/* For SUP_APPEND and sup_record_make: kernel = SUP_APPEND(&sup_kernel_record, p->kernels, p->kernels_count). */
extern const sup_record sup_kernel_record, sup_kernel_rate_record, sup_classic_record, sup_channel_record,
    sup_tau_row_record, sup_transfer_record, sup_gamma_record, sup_vector_record, sup_vector_times_record,
    sup_sync_record, sup_collective_time_record, sup_signal_record, sup_exchange_record, sup_composed_record,
    sup_copy_record, sup_overlap_record, sup_tile_time_record, sup_quality_record, sup_noise_record,
    sup_interruptions_record, sup_first_time_record;

/* The section of a transport; NULL: not measured. */
const sup_pairs *sup_profile_pairs(const sup_profile *profile, const char *transport);
const sup_kernel_profile *sup_profile_kernel(const sup_profile *profile, const char *name);

#endif
