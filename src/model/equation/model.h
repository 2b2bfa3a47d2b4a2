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
 * and where a barrier separates two phases, calls before it and deliveries behind it, the maximum of each: nobody
 * delivers before everybody has called.
 *
 * The terms come from comp.c, pair.c and sync.c as vectors over processes. A model of the table models.c says how each
 * is priced: `flow`, the default, as our runtime does it; `meyer`, the document's cost functions kept as they are; the
 * baselines hockney, loggp, lognp and bsp.
 *
 * Every time has an interval: where one more measurement falls with the platform's confidence, as far as the profile
 * knows. What is unknown about one parameter is common to all its uses, so it adds up along a path; the terms of a
 * superstep are measured apart from each other, so they add up in squares. */
#ifndef SUP_MODEL_EQUATION_MODEL_H
#define SUP_MODEL_EQUATION_MODEL_H

#include "base/number/curve.h"
#include "base/pattern/pattern.h"
#include "model/compose/whatif.h"
#include "model/equation/exchanges.h"
#include "model/equation/models.h"
#include "model/equation/regular.h"
#include "profile/profile.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

#define SUP_MODEL_CONFIDENCE 0.90

/* ---- the platform ---- */

/* A class of equal pairs, what-if applied. Half widths (d_…) are for the platform's confidence. */
struct sup_class_cost {
    const char *name;
    bool known;   /* has latency and a cost per byte: not a process with itself */
    bool network; /* joins processes of different hosts */
    double overhead, latency, per_byte;
    double d_overhead, d_latency, d_per_byte;
    const sup_curve *time;                /* seconds over bytes as measured; NULL */
    double overhead_f, latency_f, byte_f; /* what-if factors that are already in the numbers above */
    double measured_latency;              /* before them: where the curve starts */
};

/* Cost of a signal of the barrier interpreter, per class: what the sender is busy with, how long it then travels, what
 * the receiver is busy with. `over`: counts once a stage, not once a signal (BSP eq. 5.4). `less`: of the gap, for the
 * first signal that a sender has in a stage (LogGP). `word`: factor on what a word takes that many read. */
typedef struct sup_signal {
    double gap, wire, recv, over, less, word;
} sup_signal;

/* What a barrier's time depends on: the shares of it that are sending, travelling, receiving and reading of common
 * words inside hosts, the first three between hosts; and how many stages it has. */
enum { SUP_SIGNAL_PARTS = 7, SUP_PATTERN_TRAITS = SUP_SIGNAL_PARTS + 1 };

/* How long a barrier takes by measurement, beside what its signals add up to. */
typedef struct sup_pattern_ratio {
    sup_pattern pattern; /* with the number of processes that is nearest */
    double ratio;        /* measured / computed, with the number of processes that is nearest */
    double distance;     /* how near: difference of the logarithms, 0 just so many */
    double traits[SUP_PATTERN_TRAITS];
} sup_pattern_ratio;

typedef struct sup_platform_options {
    const char *transport;      /* NULL: that of the profile's run */
    int64_t processes;          /* 0: as many as were measured */
    double confidence;          /* 0: SUP_MODEL_CONFIDENCE */
    const char *what_if;        /* NULL */
    const char *extend;         /* NULL */
    bool extends;               /* the caller has an option --extend, which may be advised */
    const sup_pattern *barrier; /* of bsp_sync over shared memory; NULL: the default */
    const char *counts;         /* of bsp_sync over messages, see sup_sync_counts_word; NULL: the runtime's default */
    double compute_scale;       /* of recorded seconds; 0: 1 */
    double compute_spread;      /* of that scale: relative half width */
    const char *engine;         /* of the runtime over messages, by which overlap was measured; NULL: the default */
    int64_t regular_from;       /* processes from which ranks that are alike are priced once; 0: the default */
    bool typical;               /* all numbers are what a run usually sees, instead of calm ones */
} sup_platform_options;

struct sup_platform {
    const sup_profile *profile;
    const sup_pairs *pairs; /* NULL: one process, or nothing measured */
    const char *transport;
    int64_t processes, per_host;
    double confidence, widen; /* widen: half width of a 95 % interval → of ours */
    double compute_scale, compute_spread;
    const char *engine;
    bool typical;
    size_t class_count;
    sup_class_cost *classes;
    sup_signal *signals, *d_signals; /* [class] of the model `flow`; d_: half widths */
    const sup_signal_time **words;   /* [class] what a word takes that many read; NULL: as one signal */
    double signal_spread;            /* relative deviation left after calibration; NaN not calibrated */
    double unlike_spread;            /* the same of barriers that were not measured; NaN: too few to say */
    sup_pattern_ratio *ratios;       /* of the barriers that were measured */
    size_t ratio_count;
    double again_spread; /* half width of one more launch's, relative; NaN: measured in one only */
    bool inside;         /* no measured barrier went between hosts: ratios say nothing about links */
    double sync_factor;  /* what-if */
    sup_exchanges exchanges;
    sup_platform *twin; /* the same in typical numbers; NULL: this is it */
    sup_edit *edits;
    size_t edit_count;
    bool ranged; /* some edit of pairs has ranges */
    /* class of a pair by the width of i XOR j, where levels are nested powers of two */
    bool by_width;
    uint16_t width_class[65];
    uint16_t *table; /* otherwise, of few processes: [i · tabled + j]; NULL: too many */
    int64_t tabled;
    bool regular; /* levels of consecutive ranks, nothing else: classes change only at their ends */
    int64_t regular_from;
    sup_regular **alike; /* ranks that are alike in the superstep that is being priced; *alike NULL: none are */
    /* levels after --extend, NULL: those of pairs; or blocks of a matrix */
    int64_t *stride;
    int64_t block;      /* processes of a host in an extended matrix; 0 */
    int64_t unknown[2]; /* a pair without its numbers; -1 none */
    const sup_pattern *barrier;
    const char *counts;
    char notes[4][160]; /* what had to be assumed, for people */
    int note_count;
};

/* SUP_EINVAL: what-if or extension out of range, more processes than measured. SUP_ENOENT: the transport was not
 * measured. profile, and the option's strings and pattern, must outlive it. */
sup_status sup_platform_open(const sup_profile *profile, const sup_platform_options *options, sup_diag *diag,
                             sup_platform **out);
void sup_platform_free(sup_platform *platform);
/* What was recorded elsewhere takes so many times as long here, give or take `spread`, relatively. */
void sup_platform_scale(sup_platform *platform, double scale, double spread);
/* Of bsp_sync over shared memory. */
void sup_platform_barrier(sup_platform *platform, const sup_pattern *barrier);
void sup_platform_note(sup_platform *platform, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Behind a message: "; `superstep measure -n 4 --net shm` measures that", or nothing where no command would. processes
 * 0: any number. Returns text. */
enum { SUP_MODEL_ADVICE = 120, SUP_MODEL_MEASURED_MOST = 4096 };
char *sup_model_advice(const char *transport, int64_t processes, char text[SUP_MODEL_ADVICE]);

/* The nodes that the machine is put together of; NULL: it is one, or was measured as a whole. What such a profile says
 * of so many processes happened inside a node. */
static inline const sup_composed *sup_platform_nodes(const sup_platform *m) {
    const sup_composed *c = m->profile->composed;
    return c && c->nodes > 1 ? c : NULL;
}
/* Can so many processes of this machine have done what the profile says of as many? */
static inline bool sup_platform_holds(const sup_platform *m, int64_t processes) {
    const sup_composed *c = sup_platform_nodes(m);
    return processes <= (c ? c->node_processes : m->pairs->processes);
}

/* The lower end of value ± half: what is unknown of a time is a factor, and a time is never nothing. */
static inline double sup_prediction_least(double value, double half) {
    return value > 0 ? value * exp(-half / value) : 0;
}

/* Measured numbers as this platform wants them: calm, or typical (the interval grows alike). NULL: 0. */
sup_prediction sup_platform_number(const sup_platform *platform, const sup_number *number);
sup_prediction sup_platform_curve(const sup_platform *platform, const sup_file_curve *curve, double x);

/* Class of a pair. */
int sup_platform_class_slow(const sup_platform *platform, int64_t i, int64_t j);
static inline int sup_platform_class(const sup_platform *m, int64_t i, int64_t j) {
    if (i < m->tabled && j < m->tabled) return m->table[i * m->tabled + j];
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
/* hosts.c: says which classes join hosts. */
void sup_platform_hosts(sup_platform *platform);
/* Applies a what-if about pairs. */
void sup_platform_edit(const sup_edit *edit, sup_class_cost *cost);
/* SUP_ENOENT naming the measurement, unless every class that pairs of P processes need is there. */
sup_status sup_platform_need_pairs(const sup_platform *platform, const char *model, sup_diag *diag);

/* ---- terms ---- */

/* What a process has to do with others in a superstep, by one way of moving bytes: out (asks), in (is asked). */
typedef struct sup_tally {
    double bytes[2];
    float partners[2], messages[2], largest[2];
    float near_latency[2], near_bytes[2]; /* exchanges.h */
    float far_latency[2], far_bytes[2];   /* the same; of pairs that are priced one by one: overhead, moving */
    float reach, overlap;                 /* greatest latency of those; bytes that may be overlapped */
    float last;                           /* who had to do with it last, + 1 */
} sup_tally;

/* Vectors over processes, [processes] each. Communication is latency + bytes; `late_` is the part of it that comes
 * after the barrier: deliveries. */
struct sup_terms {
    int64_t processes;
    double *comp, *comp_over, *latency, *bytes, *comm_over, *sync, *late_latency, *late_bytes;
    double *d_comp, *d_comm, *d_sync, *d_late; /* half widths */
    double *scratch[3];                        /* of whoever fills a term */
    sup_tally *tally;                          /* the same memory, for communication */
    double *memory;
};

sup_status sup_terms_open(int64_t processes, sup_diag *diag, sup_terms *out);
void sup_terms_clear(sup_terms *terms); /* before each superstep: who fills a term adds to it */
void sup_terms_close(sup_terms *terms);

/* comp.c: Σ_k R_pk · C_pk(footprint). */
sup_status sup_comp_terms(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
/* Seconds of one unit on the first process. */
sup_status sup_comp_unit(const sup_platform *platform, const char *kernel, double footprint, sup_diag *diag,
                         sup_prediction *out);
/* first.c: adds what is there because something happens for the first time; and says what that is of the processes that
 * decide before the barrier and behind it, from the same terms. */
void sup_first_add(const sup_platform *platform, const sup_step *step, sup_terms *terms);
void sup_first_parts(const sup_platform *platform, const sup_step *step, const sup_terms *terms, int64_t before,
                     int64_t behind, double seconds[SUP_FIRST_PARTS]);
/* overlap.c: share of communication that goes on while processes compute, for messages of so many bytes. */
double sup_overlap_share(const sup_platform *platform, double bytes);
/* flow_pairs.c: what a process takes for messages that are priced pair by pair. */
void sup_flow_pairs(const sup_platform *platform, const sup_asked *asked, const sup_tally *tally, int class,
                    sup_amount out[SUP_PARTS]);
/* pair.c: one message of so many bytes, and the part of it that is not latency. */
sup_prediction sup_pair_time(const sup_platform *platform, const sup_class_cost *class, double bytes);
sup_prediction sup_pair_moving(const sup_platform *platform, const sup_class_cost *class, double bytes);

/* The last message that was priced: neighbours of a regular pattern ask the same again and again. Starts with class -1.
 */
typedef struct sup_priced {
    int64_t active; /* processes of a host that transfer at once; 0: this one alone */
    int class;
    double bytes;
    double value, half; /* seconds that are not latency, and their half width */
    double crowd;       /* how many times longer while all active ones transfer */
} sup_priced;

void sup_pair_price_anew(const sup_platform *platform, const sup_class_cost *cost, int class, double bytes,
                         sup_priced *last);
static inline void sup_pair_price(const sup_platform *m, const sup_class_cost *cost, int class, double bytes,
                                  sup_priced *last) {
    if (class != last->class || bytes != last->bytes) sup_pair_price_anew(m, cost, class, bytes, last);
}
/* The costs of a pair, and the number of its class. room: for those of a pair that a what-if names. */
static inline const sup_class_cost *sup_pair_costs(const sup_platform *m, int64_t i, int64_t j, sup_class_cost *room,
                                                   int *class) {
    *class = sup_platform_class(m, i, j);
    if (!m->ranged) return &m->classes[*class];
    sup_platform_pair(m, i, j, room);
    return room;
}

/* Averages over all pairs, for models that know no pairs. */
typedef struct sup_pair_average {
    double overhead, latency, per_byte;
    double self;   /* O_ii, of all processes */
    double spread; /* relative deviation between pairs */
} sup_pair_average;
sup_pair_average sup_pair_average_of(const sup_platform *platform);

static inline bool sup_platform_shared_memory(const sup_platform *m) {
    return !strcmp(m->transport, "shm") || !strcmp(m->transport, "self");
}
/* Calls visit for every edge of the round, by sender. */
void sup_comm_visit(const sup_platform *platform, const sup_step *step, int64_t round, sup_edge_visit visit,
                    void *context);

/* calibrate.c: fills signals, d_signals, words, ratios, signal_spread, unlike_spread, again_spread. */
sup_status sup_platform_calibrate(sup_platform *platform, sup_diag *diag);
/* signals.c: a signal of each class as the profile has it, before calibration and what-ifs; words of those classes.
 * false: the profile has none of this transport. */
bool sup_signals_measured(const sup_platform *platform, sup_signal *out, const sup_signal_time **words);
/* What a signal costs where it is a message. */
sup_signal sup_signals_message(const sup_class_cost *class);
/* Multiplies one of the SUP_SIGNAL_PARTS of all signals: 0 … 2 sending, travelling, receiving inside hosts, 3 reading
 * of common words, 4 … 6 the first three between hosts. */
void sup_signals_scale(const sup_platform *platform, sup_signal *signals, int part, double factor);

/* sync/ratio.c: what a barrier takes beside what its signals add up to: as it was measured, where its kind was, else as
 * those took that are most alike. *known: NULL where it was not measured. */
double sup_pattern_ratio_of(const sup_platform *platform, const sup_pattern *pattern, const sup_pattern_ratio **known);
/* Is it of this barrier? Generated ones may be of another number of processes. */
static inline bool sup_pattern_ratio_is(const sup_pattern_ratio *r, const sup_pattern *p) {
    if (p->edges || r->pattern.edges) return sup_pattern_same(&r->pattern, p);
    return r->pattern.generator == p->generator && r->pattern.radix == p->radix;
}
/* SUP_ENOMEM. signals: [class]. */
sup_status sup_pattern_traits(const sup_platform *platform, const sup_pattern *pattern, const sup_signal *signals,
                              double traits[SUP_PATTERN_TRAITS]);
/* The logarithm of the ratio that the measured ones say of a barrier with these traits; but: one that does not count.
 */
double sup_pattern_ratio_like(const sup_platform *platform, const double traits[SUP_PATTERN_TRAITS],
                              const sup_pattern_ratio *but);

/* path.c: the longest path through a pattern, from time t[i] on (in place). signals: [class]; vector: a stage's cost is
 * Σ gap + max over, at least O_ii, for all its signals (BSP eq. 5.4), over is O_jj for receivers j that wait; else
 * signals leave one after the other. same: what-ifs of single pairs are in the signals, which are averages. prepare:
 * called before each stage, to set signals of that stage's payload; NULL: none. words: [class] of what many read; NULL:
 * edges that are common are signals like others. list: the pattern's, see below; NULL: none. SUP_ENOMEM. */
typedef struct sup_path_list sup_path_list;
typedef struct sup_path {
    sup_signal *signals;
    const sup_signal_time *const *words;
    bool vector, same;
    void (*prepare)(const sup_platform *platform, const sup_pattern *pattern, int stage, void *context,
                    sup_signal *signals);
    void *context;
    sup_path_list *list;
} sup_path;
sup_status sup_path_run(const sup_platform *platform, const sup_pattern *pattern, const sup_path *path, double *t);
/* Who signals whom, and the classes of the pairs, for those who run a pattern again and again with other signals, never
 * with `vector`, and the platform's `ranged` as it is now. NULL, without an error: there is nothing to list, or too
 * much. */
sup_status sup_path_list_make(const sup_platform *platform, const sup_pattern *pattern, sup_path_list **out);
void sup_path_list_free(sup_path_list *list);

/* sync.c, sync_….c */
/* Algorithms of counts that have a price, by index; NULL: no more. */
const char *sup_sync_counts_word(size_t index);
sup_status sup_sync_flow(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
/* The same for models that do not price by measured exchanges: what gets take more in a sync is not in those. */
sup_status sup_sync_pair(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
sup_status sup_sync_meyer(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
/* Does anybody get? */
bool sup_sync_reads(const sup_step *step);
/* A barrier by name; bsp_sync's own where the name is NULL or "bsp". SUP_EINVAL: no such pattern. */
sup_status sup_sync_pattern(const sup_platform *platform, const char *name, sup_diag *diag, sup_pattern *out);
/* Time of a barrier alone, by the model flow or (vector) eq. 5.4. */
sup_status sup_barrier_cost(const sup_platform *platform, const sup_pattern *pattern, bool meyer, sup_diag *diag,
                            sup_prediction *out);
/* A collective schedule whose edges all carry so many bytes, by messages. */
sup_status sup_schedule_cost(const sup_platform *platform, const sup_pattern *pattern, double bytes, sup_diag *diag,
                             sup_prediction *out);
/* The forward pass with a cost for each class, what-ifs of single pairs included, or with one for every pair. */
sup_status sup_sync_classes(const sup_platform *platform, const sup_step *step, sup_signal *signals, double spread,
                            sup_terms *terms, sup_diag *diag);
sup_status sup_sync_scalar(const sup_platform *platform, const sup_step *step, sup_signal signal, double spread,
                           sup_terms *terms, sup_diag *diag);

#endif
