/* Models: pure functions from a profile and a program's requirements to time. No clock, no file, no environment.
 *
 *     sup_platform *m;                                    a profile, made ready for one number of processes
 *     sup_platform_open(profile, &options, &diag, &m);
 *     sup_program_cost cost;
 *     sup_model_program(sup_model_find("flow"), m, program, &diag, &cost);
 *
 * The equation (BSP 1.4) is in superstep.c and nowhere else:
 *
 *     T = (Tcomp − T'comp) + (Tcomm − T'comm) + max(T'comp, T'comm) + Tsync       per process; the maximum counts
 *
 * The terms come from comp.c, pair.c and sync.c as vectors over processes. A model of the table models.c says how each
 * is priced: `flow`, the default, as our runtime does it; `meyer`, the document's cost functions kept as they are; the
 * baselines hockney, loggp, lognp and bsp.
 *
 * Every time has an interval: where one more measurement falls with the platform's confidence, as far as the profile
 * knows. What is unknown about one parameter is common to all its uses, so it adds up along a path; the terms of a
 * superstep are measured apart from each other, so they add up in squares. */
#ifndef SUP_MODEL_MODEL_H
#define SUP_MODEL_MODEL_H

#include "base/curve.h"
#include "profile/profile.h"
#include "program/program.h"

#define SUP_MODEL_DEFAULT "flow"
#define SUP_MODEL_CONFIDENCE 0.90

/* ---- the platform ---- */

/* A class of equal pairs, what-if applied. Half widths (d_…) are for the platform's confidence. */
typedef struct sup_class_cost {
    const char *name;
    bool known; /* has latency and a cost per byte: not a process with itself */
    double overhead, latency, per_byte;
    double d_overhead, d_latency, d_per_byte;
    const sup_curve *time;                /* seconds over bytes as measured; NULL */
    double overhead_f, latency_f, byte_f; /* what-if factors that are already in the numbers above */
    double measured_latency;              /* before them: where the curve starts */
} sup_class_cost;

typedef enum sup_edit_what { SUP_EDIT_O, SUP_EDIT_L, SUP_EDIT_B, SUP_EDIT_RATE, SUP_EDIT_SYNC } sup_edit_what;

/* One what-if: this quantity of these ranks (pairs) times a factor. */
typedef struct sup_edit {
    int what;
    bool ranged;
    int64_t from[2], to[2]; /* closed ranges */
    double factor;
} sup_edit;

/* Cost of a signal of the barrier interpreter, per class: what the sender is busy with, how long it then travels, what
 * the receiver is busy with. `over`: counts once a stage, not once a signal (BSP eq. 5.4). */
typedef struct sup_signal {
    double gap, wire, recv, over;
} sup_signal;

/* Copies of our runtime over shared memory (copies.c). */
enum { SUP_COPY_LOG, SUP_COPY_DELIVER, SUP_COPY_PARTS };
enum { SUP_FANS_MAX = 8, SUP_CALIBRATIONS_MAX = 512 };

/* Supersteps that were measured whole, all runs of one kind together. */
typedef struct sup_copy_calibration {
    bool many; /* messages to each partner */
    double partners, bytes;
    double puts;                 /* of a process */
    double part[SUP_COPY_PARTS]; /* seconds; the sync with its barrier */
    double variance;             /* of the logarithm, between runs */
    double between;              /* square of what neighbours miss it by, as a logarithm; for half their distance */
    double runs;
} sup_copy_calibration;

typedef struct sup_fan {
    double messages;                       /* partners */
    const sup_curve *time[SUP_COPY_PARTS]; /* over bytes for each */
} sup_fan;

typedef struct sup_copies {
    sup_fan fan[SUP_FANS_MAX]; /* by messages */
    size_t fan_count;          /* 0: not measured */
    int64_t processes;         /* with which they were measured */
    double barrier;            /* inside the deliveries */
    double many;               /* records of the curves below; 0 none */
    const sup_curve *record[SUP_COPY_PARTS];
    const sup_curve *own; /* own memory to own memory; NULL */
    sup_copy_calibration calibrated[SUP_CALIBRATIONS_MAX];
    size_t calibrated_count;
    bool calibrated_many; /* some are of many messages */
} sup_copies;

/* What messages take at one end: seconds, and their half width. */
typedef struct sup_moved {
    double value, half;
} sup_moved;

/* A barrier pattern: a rule, or edges from elsewhere (a plan). */
typedef enum sup_pattern_kind {
    SUP_PATTERN_LINEAR,
    SUP_PATTERN_TREE,
    SUP_PATTERN_DISSEMINATION,
    SUP_PATTERN_HALVING,  /* dissemination from the longest step to the shortest */
    SUP_PATTERN_BINOMIAL, /* a broadcast from 0, not a barrier */
    SUP_PATTERN_EDGES
} sup_pattern_kind;

typedef struct sup_pattern {
    int kind;
    int64_t processes;
    int stages; /* made by sup_pattern_make */
    /* SUP_PATTERN_EDGES, by stage; belong to the caller */
    size_t count;
    const int *stage, *from, *to;
} sup_pattern;

typedef struct sup_pattern_edge {
    int64_t from, to;
    bool waiting; /* the receiver is known to have been waiting for long (BSP §5.6.5, rule 2) */
} sup_pattern_edge;

extern const char *const sup_pattern_names[]; /* linear, tree, dissemination, halving, binomial, edges */

sup_pattern sup_pattern_make(int kind, int64_t processes);
/* Edges given stage by stage, not necessarily sorted: SUP_EINVAL if a rank or stage is out of range. Sorts a copy,
 * which sup_pattern_free frees. */
sup_status sup_pattern_from_edges(int64_t processes, int stages, size_t count, const int *stage, const int *from,
                                  const int *to, sup_pattern *out);
void sup_pattern_free(sup_pattern *pattern);
/* How many edges a stage has, and the edges. */
size_t sup_pattern_stage_count(const sup_pattern *pattern, int stage);
void sup_pattern_stage(const sup_pattern *pattern, int stage, sup_pattern_edge *out);
/* P ≤ 4096: has everyone heard of everyone (binomial: of 0)? */
sup_status sup_pattern_covers(const sup_pattern *pattern, bool *covers);

typedef struct sup_platform_options {
    const char *transport;      /* NULL: that of the profile's run */
    int64_t processes;          /* 0: as many as were measured */
    double confidence;          /* 0: SUP_MODEL_CONFIDENCE */
    const char *what_if;        /* NULL */
    const char *extend;         /* NULL */
    const sup_pattern *barrier; /* of bsp_sync over shared memory; NULL: dissemination */
    const char *counts;         /* of bsp_sync over messages: "direct", "map", "reduce-scatter"; NULL: by P */
    double compute_scale;       /* of recorded seconds; 0: 1 */
} sup_platform_options;

typedef struct sup_platform {
    const sup_profile *profile;
    const sup_pairs *pairs; /* NULL: one process, or nothing measured */
    const char *transport;
    int64_t processes, per_host;
    double confidence, widen; /* widen: half width of a 95 % interval → of ours */
    double compute_scale;
    size_t class_count;
    sup_class_cost *classes;
    sup_signal *signals, *d_signals; /* [class] of the model `flow`; d_: half widths */
    double signal_spread;            /* relative deviation left after calibration; NaN not calibrated */
    double pattern_ratio[3];         /* measured / computed of linear, tree, dissemination */
    bool pattern_known[3];           /* … and measured with just so many processes */
    double again_spread;             /* half width of one more run's, relative; NaN: measured in one run only */
    double sync_factor;              /* what-if */
    sup_copies copies;
    sup_edit *edits;
    size_t edit_count;
    bool ranged; /* some edit of pairs has ranges */
    /* class of a pair by the width of i XOR j, where levels are nested powers of two */
    bool by_width;
    uint16_t width_class[65];
    bool regular; /* levels of consecutive ranks, nothing else: classes change only at their ends */
    /* levels after --extend, NULL: those of pairs; or blocks of a matrix */
    int64_t *stride;
    int64_t block; /* processes of a host in an extended matrix; 0 */
    const sup_pattern *barrier;
    const char *counts;
    char notes[4][160]; /* what had to be assumed, for people */
    int note_count;
} sup_platform;

/* SUP_EINVAL: what-if or extension out of range, more processes than measured. SUP_ENOENT: the transport was not
 * measured. profile, and the option's strings and pattern, must outlive it. */
sup_status sup_platform_open(const sup_profile *profile, const sup_platform_options *options, sup_diag *diag,
                             sup_platform **out);
void sup_platform_free(sup_platform *platform);
void sup_platform_note(sup_platform *platform, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* whatif.c */
sup_status sup_edits_parse(const char *text, int64_t processes, sup_diag *diag, sup_edit **out, size_t *count);
double sup_edits_rate(const sup_platform *platform, int64_t rank);
/* "nodes=1024" → 1024. */
sup_status sup_extend_parse(const char *text, sup_diag *diag, int64_t *nodes);

/* sweep.c: numbers of processes. SUP_EINVAL with what was expected. */
enum { SUP_SWEEP_MAX = 256 };
typedef struct sup_sweep {
    int64_t at[SUP_SWEEP_MAX];
    int count; /* at least 1 */
} sup_sweep;
sup_status sup_sweep_parse(const char *text, sup_diag *diag, sup_sweep *out);

/* Class of a pair. */
int sup_platform_class_slow(const sup_platform *platform, int64_t i, int64_t j);
static inline int sup_platform_class(const sup_platform *m, int64_t i, int64_t j) {
    if (!m->by_width) return sup_platform_class_slow(m, i, j);
    uint64_t x = (uint64_t)i ^ (uint64_t)j;
    return m->width_class[x ? 64 - __builtin_clzll(x) : 0];
}
/* First rank after i, up to P, whose pair with its rank + shift (mod P, 0 < shift < P) may be of another class. */
int64_t sup_platform_run(const sup_platform *platform, int64_t processes, int64_t i, int64_t shift);
/* O_ii. */
double sup_platform_self(const sup_platform *platform, int64_t rank);
/* The class's numbers with the what-ifs of this very pair; the class itself where there are none. */
void sup_platform_pair(const sup_platform *platform, int64_t i, int64_t j, sup_class_cost *out);
/* SUP_ENOENT naming the measurement, unless every class that pairs of P processes need is there. */
sup_status sup_platform_need_pairs(const sup_platform *platform, const char *model, sup_diag *diag);

/* ---- terms ---- */

/* Vectors over processes, [processes] each. comm is latency + bytes. */
typedef struct sup_terms {
    int64_t processes;
    double *comp, *comp_over, *latency, *bytes, *comm_over, *sync;
    double *d_comp, *d_comm, *d_sync; /* half widths */
    double *scratch[3];               /* of whoever fills a term */
    double *memory;
} sup_terms;

sup_status sup_terms_open(int64_t processes, sup_diag *diag, sup_terms *out);
void sup_terms_close(sup_terms *terms);

/* comp.c: Σ_k R_pk · C_pk(footprint). */
sup_status sup_comp_terms(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
/* Seconds per unit of a kernel at a footprint; rank chooses the kind of core. SUP_ENOENT: not measured. */
sup_status sup_comp_unit(const sup_platform *platform, const char *kernel, double footprint, int64_t rank,
                         sup_diag *diag, sup_prediction *out);
/* Functional speed s(n): units per second when n units are worked on at once, PART ch. 4. */
sup_status sup_comp_speed(const sup_platform *platform, const char *kernel, double units, int64_t rank, sup_diag *diag,
                          double *out);

/* pair.c: one message of so many bytes, and the part of it that is not latency. */
sup_prediction sup_pair_time(const sup_platform *platform, const sup_class_cost *class, double bytes);
sup_prediction sup_pair_moving(const sup_platform *platform, const sup_class_cost *class, double bytes);
/* How much longer a transfer of so many bytes takes while `active` processes of a host transfer: L(m,τ)/L(m,1). */
double sup_pair_crowd(const sup_platform *platform, double bytes, int64_t active);

/* copies.c: fills copies; where it has any: all messages to all partners, one edge's, and the relative half width of
 * what that is off by. */
void sup_platform_copies(sup_platform *platform);
double sup_copies_time(const sup_platform *platform, int part, double partners, double bytes, double *half);
sup_moved sup_copies_edge(const sup_platform *platform, int part, double partners, double messages, double bytes);
double sup_copies_spread(const sup_platform *platform, double partners, double messages, double bytes);

/* calibrate.c: a barrier of just so many processes, on average over the runs in which it was measured; NaN: in none. */
double sup_barrier_measured(const sup_platform *platform, int kind, int64_t processes);
/* Fills signals, d_signals, pattern_ratio, signal_spread. */
sup_status sup_platform_calibrate(sup_platform *platform, sup_diag *diag);

/* path.c: the longest path through a pattern, from time t[i] on (in place). signals: [class]; vector: a stage's cost is
 * Σ gap + max over, at least O_ii, for all its signals (BSP eq. 5.4); else signals leave one after the other.
 * waiting: signals to receivers that wait; NULL: the same. prepare: called before each stage, to set signals of that
 * stage's payload; NULL: none. SUP_ENOMEM. */
typedef struct sup_path {
    sup_signal *signals;
    const sup_signal *waiting;
    bool vector;
    void (*prepare)(const sup_platform *platform, const sup_pattern *pattern, int stage, void *context,
                    sup_signal *signals);
    void *context;
} sup_path;
sup_status sup_path_run(const sup_platform *platform, const sup_pattern *pattern, const sup_path *path, double *t);
/* 2^s of a stage of dissemination and halving. */
int64_t sup_pattern_shift(const sup_pattern *pattern, int stage);

/* ---- models ---- */

typedef struct sup_model {
    const char *name, *summary;
    /* SUP_ENOENT with the measurement that is missing and the command that makes it. */
    sup_status (*check)(const sup_platform *platform, const sup_step *step, sup_diag *diag);
    sup_status (*comp)(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
    sup_status (*comm)(const sup_platform *platform, const sup_step *step, int64_t round, sup_terms *terms,
                       sup_diag *diag);
    /* Fills sync and d_sync. */
    sup_status (*sync)(const sup_platform *platform, const sup_step *step, int64_t round, sup_terms *terms,
                       sup_diag *diag);
} sup_model;

extern const sup_model *const sup_models[]; /* NULL-terminated; the default first */
extern const sup_model sup_model_flow, sup_model_pair, sup_model_meyer, sup_model_hockney, sup_model_loggp,
    sup_model_lognp, sup_model_bsp;
const sup_model *sup_model_find(const char *name); /* NULL: no such model */

/* sync.c */
sup_status sup_sync_flow(const sup_platform *platform, const sup_step *step, int64_t round, sup_terms *terms,
                         sup_diag *diag);
sup_status sup_sync_meyer(const sup_platform *platform, const sup_step *step, int64_t round, sup_terms *terms,
                          sup_diag *diag);
/* A barrier by name; bsp_sync's own where the name is NULL or "bsp". SUP_EINVAL: no such pattern. */
sup_status sup_sync_pattern(const sup_platform *platform, const char *name, sup_diag *diag, sup_pattern *out);
/* Time of a barrier alone, by the model flow or (vector) eq. 5.4. */
sup_status sup_barrier_cost(const sup_platform *platform, const sup_pattern *pattern, bool meyer, sup_diag *diag,
                            sup_prediction *out);
/* A collective schedule whose edges all carry so many bytes, by messages. */
sup_status sup_schedule_cost(const sup_platform *platform, const sup_pattern *pattern, double bytes, sup_diag *diag,
                             sup_prediction *out);
/* The forward pass with the same cost for every pair, for models that have one. */
sup_status sup_sync_scalar(const sup_platform *platform, const sup_step *step, sup_signal signal, double spread,
                           sup_terms *terms, sup_diag *diag);

/* ---- the equation ---- */

typedef enum sup_bound { SUP_BOUND_COMPUTATION, SUP_BOUND_BANDWIDTH, SUP_BOUND_LATENCY, SUP_BOUND_SYNC } sup_bound;
extern const char *const sup_bound_names[];

typedef struct sup_superstep_cost {
    sup_prediction total;
    sup_prediction comp, comm, sync; /* of the process that decides */
    double hidden_s;                 /* min(T'comp, T'comm): what overlap saves */
    double part_s[4];                /* by sup_bound: what its time consists of */
    int bound, second;               /* greatest part, and the next */
    bool tie;                        /* the two are within their intervals */
    double imbalance;                /* longest computation / average, 1 balanced */
    int64_t critical;                /* rank */
} sup_superstep_cost;

/* THE function that owns the equation. terms are filled by the model and may be used again. */
sup_status sup_model_superstep(const sup_model *model, const sup_platform *platform, const sup_step *step,
                               int64_t round, sup_terms *terms, sup_diag *diag, sup_superstep_cost *out);

typedef struct sup_step_cost {
    const sup_step *step;
    double repeat;           /* supersteps */
    sup_superstep_cost cost; /* of one; averages over its rounds */
} sup_step_cost;

typedef struct sup_program_cost {
    sup_step_cost *steps;
    size_t step_count;
    sup_prediction total;
    double part_s[4], hidden_s;
    int bound, second;
    bool tie;
    double imbalance; /* weighted by time of computation */
} sup_program_cost;

/* The program must fit the platform's processes (sup_program_fit). */
sup_status sup_model_program(const sup_model *model, const sup_platform *platform, const sup_program *program,
                             sup_diag *diag, sup_program_cost *out);
void sup_program_cost_free(sup_program_cost *cost);

/* Whether two predictions overlap so much that neither is the better. */
bool sup_prediction_tie(sup_prediction a, sup_prediction b);

#endif
