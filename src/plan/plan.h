/* The plan, joint 2 of the flow: what was decided, and nothing else. superstep-plan(5) describes the file.
 *
 * Choices are made before (src/choose); the runtime only looks them up: the functions at the end of this header are all
 * it needs, and each says what holds where the plan is silent. Ownership as in a profile: a plan owns everything
 * reachable from it. Absent upper limits are -1 (integers) and NaN (seconds): no limit. Where rows of a table overlap
 * the first that fits counts. */
#ifndef SUP_PLAN_PLAN_H
#define SUP_PLAN_PLAN_H

#include "base/number/measured.h"
#include "base/pattern/pattern.h"
#include "machine/origin.h"

#define SUP_PLAN_SCHEMA 1
#define SUP_PLAN_KIND "superstep-plan"
#define SUP_PLAN_EXPLICIT_MAX SUP_PATTERN_COVERS_MAX /* processes of a barrier given as stages */
#define SUP_PLAN_STAGE_MAX 1024
#define SUP_PLAN_PARTITION_MAX 16384

/* ---- barrier (BSP ch. 5, 7) ---- */

/* Algorithms of a barrier besides the generators of base/pattern/pattern.h. */
#define SUP_PLAN_LEVELS "levels" /* a generator for each level of clusters */
#define SUP_PLAN_STAGES "stages" /* given signal by signal */

/* Explicit: in this stage signals[2k] signals signals[2k+1]; ascending, no repetition. */
typedef struct sup_plan_stage {
    int64_t *signals;
    size_t signals_count;
    bool common; /* where memory is shared a sender writes one word, which all that it signals read */
    struct json_t *extra;
} sup_plan_stage;

/* As sup_pattern_level; strides count as those of levels of pairs in a profile. The last level has one cluster. */
typedef struct sup_plan_level {
    char *algorithm; /* a generator that is offered as a barrier */
    int64_t size, stride;
    struct json_t *extra;
} sup_plan_level;

typedef struct sup_plan_barrier {
    int64_t processes;
    char *transport; /* NULL: any */
    int64_t *hosts; /* runs [members, host, …] in the order of members, hosts numbered as they appear; none: one host,
                       or it does not matter */
    size_t hosts_count;
    char *algorithm; /* a generator, with or without its radix, SUP_PLAN_LEVELS or SUP_PLAN_STAGES */
    double predicted_s;
    sup_plan_level *levels;
    size_t levels_count;
    sup_plan_stage *stages;
    size_t stages_count;
    struct json_t *extra;
} sup_plan_barrier;

/* ---- the BSP runtime ---- */

typedef enum sup_plan_engine { SUP_PLAN_EAGER, SUP_PLAN_BULK } sup_plan_engine;
typedef enum sup_plan_progress {
    SUP_PLAN_PROGRESS_NONE,
    SUP_PLAN_PROGRESS_SHARED,
    SUP_PLAN_PROGRESS_OWN
} sup_plan_progress;

/* A superstep with so many messages and bytes per process and so much computation uses this engine. */
typedef struct sup_plan_engine_row {
    int64_t messages_from, messages_to, bytes_from, bytes_to;
    double compute_from_s, compute_to_s;
    int engine; /* sup_plan_engine */
    struct json_t *extra;
} sup_plan_engine_row;

/* How processes learn how many messages are still coming: "direct", "map", "reduce-scatter". */
typedef struct sup_plan_counts_row {
    int64_t processes_from, processes_to;
    char *algorithm;
    struct json_t *extra;
} sup_plan_counts_row;

/* How bytes reach memory of another process: memory "heap" or "foreign"; method "direct", "staged", "cma". */
typedef struct sup_plan_staging_row {
    char *memory, *method;
    int64_t bytes_from, bytes_to;
    struct json_t *extra;
} sup_plan_staging_row;

/* Lengths from … below to. */
typedef struct sup_plan_range {
    int64_t from, to;
} sup_plan_range;

typedef struct sup_plan_bsp {
    sup_plan_engine_row *engines;
    sup_plan_counts_row *counts;
    sup_plan_staging_row *staging;
    size_t engines_count, counts_count, staging_count;
    int progress;  /* sup_plan_progress: core of the progress thread */
    double spin_s; /* how long a process looks before it sleeps; NaN: it learns that */
    struct json_t *extra;
} sup_plan_bsp;

/* ---- vector transfers, collectives, partitions, ghosts, tiles ---- */

/* winners[r · bytes_count + b] is the protocol for regions[r] … and bytes[b] …, up to the next entry. */
typedef struct sup_plan_vector {
    char *transport;
    int scope;      /* 0 intra, 1 inter */
    char *profiles; /* which profile it came from: "P", "N", "HN"; NULL */
    char **protocols;
    int64_t *regions, *bytes, *winners;
    size_t protocols_count, regions_count, bytes_count, winners_count;
    struct json_t *extra;
} sup_plan_vector;

typedef struct sup_plan_collective_row {
    int64_t processes_from, processes_to;
    int64_t bytes_from, bytes_to; /* of the whole operation: sup_job_total of schedule/schedule.h */
    int64_t segment_bytes;        /* -1: as `algorithm` says */
    char *algorithm;              /* sup_choice_text */
    struct json_t *extra;
} sup_plan_collective_row;

typedef struct sup_plan_collective {
    char *operation;               /* "broadcast", "allgather", … */
    char *transport;               /* NULL: any */
    int64_t hosts;                 /* that the processes are on; 0: any */
    sup_plan_collective_row *rows; /* no two for the same processes and bytes */
    size_t rows_count;
    struct json_t *extra;
} sup_plan_collective;

/* The unit square cut into one rectangle a process: x, y, width, height of process 0, of process 1, … */
typedef struct sup_plan_partition {
    char *kernel;
    int64_t size; /* problem size it was made for */
    int64_t processes;
    char *metric; /* what was minimised: "beta", "theta" */
    double predicted_s;
    double *rectangles;
    size_t rectangles_count;
    struct json_t *extra;
} sup_plan_partition;

typedef struct sup_plan_ghost { /* depth b of the border of a stencil: one exchange every b steps (BSP §8.5) */
    char *program;
    int64_t size, processes, depth;
    struct json_t *extra;
} sup_plan_ghost;

/* What real calls have shown about one way of cutting. */
typedef struct sup_plan_candidate {
    int64_t *shape; /* none: one band a worker */
    size_t shape_count;
    char *strategy;
    sup_number *call_s; /* NULL: not tried yet */
    struct json_t *extra;
} sup_plan_candidate;

typedef struct sup_plan_learned {
    int64_t calls, explored; /* calls seen, and those of them that tried something else than the best known */
    double lost_s, total_s;  /* time lost to exploring, and time of all calls */
    bool settled;            /* the search is over */
    sup_plan_candidate *candidates;
    size_t candidates_count;
    struct json_t *extra;
} sup_plan_learned;

typedef struct sup_plan_tile {
    char *kernel, *size_class;
    char *strategy;               /* a name of base/tile_strategy.h */
    int64_t bytes;                /* target size of a part; -1 none */
    int64_t *shape, *inner_shape; /* elements per dimension; inner: second level, inside the first */
    size_t shape_count, inner_shape_count;
    sup_plan_learned *learned;
    struct json_t *extra;
} sup_plan_tile;

/* ---- why ---- */

/* What was not taken. */
typedef struct sup_plan_beaten {
    char *choice;
    double predicted_s; /* NaN: not known */
    double measured_s;
    struct json_t *extra;
} sup_plan_beaten;

/* What changes a default is held against it once more before it is written: both in turn, in launches of their own.
 * Calm seconds of what the decision is about, with the half widths of their intervals. */
typedef struct sup_plan_duel {
    char *where;              /* "allgather of 8 KB, 2 processes"; NULL: as the decision */
    char *choice, *otherwise; /* what was to be taken; what holds without a plan */
    double seconds, ci, otherwise_s, otherwise_ci;
    int64_t launches;
    bool won; /* quicker beyond both intervals; else the default stays */
    struct json_t *extra;
} sup_plan_duel;

/* One decision, for people and for the report: the runtime reads none of it. Seconds are of what it is about: a
 * barrier, a superstep, a call; NaN: not known. */
typedef struct sup_plan_decision {
    char *about;                             /* a row of choose/choose.h: "barrier", "counts", "engine", "tiles", … */
    char *where;                             /* of which processes, transport, program; NULL: of all */
    char *choice, *otherwise;                /* what was decided; what holds without a plan */
    double predicted_s, otherwise_s;         /* by the model */
    double measured_s, measured_otherwise_s; /* by the profile */
    double gain_low, gain_high; /* interval of how many times faster the choice is, or what is proposed, by the
                                   profile */
    char *reason;               /* a sentence; NULL */
    char *command;              /* that applies it; NULL: superstep run --plan does */
    char *proposed; /* what would have been taken if a duel had confirmed it; NULL: nothing but the choice */
    sup_plan_duel *duels;
    size_t duels_count;
    sup_plan_beaten *beaten; /* alternatives, best first */
    size_t beaten_count;
    struct json_t *extra;
} sup_plan_decision;

/* ---- the whole ---- */

typedef struct sup_plan {
    char *kind;
    int64_t schema;
    char *created, *tool;
    char *profile; /* digest or name of the profile it was made from, NULL unknown */
    sup_origin signature;
    sup_plan_barrier *barrier;  /* of all processes of the signature */
    sup_plan_barrier *barriers; /* of other sets of processes: fewer, or spread otherwise over hosts */
    sup_plan_bsp *bsp;
    sup_plan_vector *vectors;
    sup_plan_collective *collectives;
    sup_plan_partition *partitions;
    sup_plan_ghost *ghosts;
    sup_plan_tile *tiles;
    sup_plan_decision *decisions;
    size_t barriers_count, vectors_count, collectives_count, partitions_count, ghosts_count, tiles_count,
        decisions_count;
    struct json_t *extra;
} sup_plan;

SUP_RECORD_FILE_FUNCTIONS(sup_plan)

extern const sup_record sup_plan_barrier_record, sup_plan_level_record, sup_plan_stage_record, sup_plan_bsp_record,
    sup_plan_engine_row_record, sup_plan_counts_row_record, sup_plan_vector_record, sup_plan_collective_record,
    sup_plan_collective_row_record, sup_plan_partition_record, sup_plan_ghost_record, sup_plan_tile_record,
    sup_plan_learned_record, sup_plan_candidate_record, sup_plan_decision_record, sup_plan_beaten_record,
    sup_plan_duel_record;

/* Does it change anything? And has a duel confirmed that? */
bool sup_plan_decision_changes(const sup_plan_decision *decision);
bool sup_plan_decision_confirmed(const sup_plan_decision *decision);

/* ---- what the runtime asks ---- */

/* The barrier as a pattern, for sup_pattern_free. SUP_ENOMEM. */
sup_status sup_plan_barrier_pattern(const sup_plan_barrier *barrier, sup_pattern *out);

/* Engine for a superstep; `otherwise` where no row fits. */
sup_plan_engine sup_plan_find_engine(const sup_plan *plan, int64_t messages, int64_t bytes, double compute_s,
                                     sup_plan_engine otherwise);
/* These answer from the defaults (defaults.h) where the plan does not say, or is NULL. */
const sup_plan_bsp *sup_plan_find_bsp(const sup_plan *plan);
/* A set of processes that meet in a barrier. */
typedef struct sup_plan_set {
    int64_t processes;
    const char *transport; /* NULL: any row does */
    const int *host_of;    /* [processes], hosts numbered as they appear; NULL: all on one */
} sup_plan_set;
/* The barrier for a set, for sup_pattern_free: the plan's, or where it has none (or is NULL) the usual one: on one host
 * that of the defaults; over several each host gathers, the first of each meet, each host is released. SUP_ENOMEM;
 * SUP_EINVAL: a host that is none of 0 … processes − 1. */
sup_status sup_plan_find_barrier(const sup_plan *plan, const sup_plan_set *set, sup_pattern *out);
/* Is it the plan's own? */
bool sup_plan_has_barrier(const sup_plan *plan, const sup_plan_set *set);
const char *sup_plan_find_counts(const sup_plan *plan, int64_t processes);
/* *holds: lengths around `bytes` that have the same answer, for callers that ask often. NULL: no such memory. */
const char *sup_plan_find_staging(const sup_plan *plan, const char *memory, int64_t bytes, sup_plan_range *holds);

#endif
