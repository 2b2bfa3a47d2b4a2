/* Communication patterns in stages: barriers (BSP §5.3, boolean matrices S_s) and schedules of collectives.
 *
 *     sup_pattern p = sup_pattern_make(sup_generator_find("tree"), processes);
 *
 * The one place that knows who signals whom: the runtime asks for the edges of its own rank, the model for those of a
 * whole stage, the reader of plans whether everybody hears of everybody. A generator is one small file pattern/NAME.c
 * and one row of the table in generators.c; patterns from elsewhere (a plan's stages, levels of clusters) are lists of
 * edges behind the same functions.
 *
 * A stage is a few runs of edges whose ends advance by constant steps, so that patterns of millions of processes take
 * no memory, and everything else (all edges, the edges of one rank, whether a stage is one shift) follows from them. */
#ifndef SUP_BASE_PATTERN_PATTERN_H
#define SUP_BASE_PATTERN_PATTERN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUP_PATTERN_COVERS_MAX 4096 /* processes up to which coverage is checked */
#define SUP_PATTERN_RADIX_MAX 64    /* of any generator */

typedef struct sup_pattern sup_pattern;

/* In this stage `from` signals `to`. */
typedef struct sup_pattern_edge {
    int64_t from, to;
    int stage;
    bool waiting; /* the receiver is known to have been waiting for long (BSP §5.6.5, rule 2) */
    bool common;  /* where memory is shared: the receiver reads the one word that `from` writes for all of these */
} sup_pattern_edge;

/* `count` edges: the k-th goes from member from + k·from_step to member to + k·to_step. Receivers may wrap around,
 * modulo the processes, with step 1. */
typedef struct sup_pattern_run {
    int64_t count, from, from_step, to, to_step;
    bool waiting, common;
} sup_pattern_run;

/* What a generator's stages achieve. */
typedef enum sup_pattern_effect {
    SUP_PATTERN_GATHERS,   /* member 0 hears of everyone: the pattern goes on with the release */
    SUP_PATTERN_SPREADS,   /* everyone hears of everyone */
    SUP_PATTERN_BROADCASTS /* everyone hears of member 0 */
} sup_pattern_effect;

typedef struct sup_generator {
    const char *name;
    sup_pattern_effect effect;
    bool barrier;        /* offered as a barrier: measured, and named in plans, programs and options */
    bool common_release; /* its release is one word of member 0 that all read */
    int radix;           /* where it is not said; 0: it has none */
    int radix_most;
    int (*stages)(int64_t processes, int radix);
    /* The index-th run of one of these stages; false: there are no more. */
    bool (*run)(const sup_pattern *pattern, int stage, size_t index, sup_pattern_run *out);
    /* The runs of a release in one stage, member 0 to everyone. NULL: it is the arrival backwards. */
    bool (*release)(const sup_pattern *pattern, size_t index, sup_pattern_run *out);
} sup_generator;

extern const sup_generator sup_generator_linear, sup_generator_tree, sup_generator_dissemination,
    sup_generator_butterfly, sup_generator_ring, sup_generator_pairwise, sup_generator_flags, sup_generator_halving,
    sup_generator_binomial;
extern const sup_generator *const sup_generators[]; /* all of them, then NULL */

/* One that is offered as a barrier, by name. NULL: there is none. */
const sup_generator *sup_generator_find(const char *name);

/* A generator and its radix: "tree", "tree:4". The one form in which files and options name a barrier. */
typedef struct sup_pattern_kind {
    const sup_generator *generator;
    int radix; /* 0: it has none */
} sup_pattern_kind;

#define SUP_PATTERN_WORD 48 /* characters of one, as text */

/* false: no such barrier, or a radix that it does not take. */
bool sup_pattern_kind_read(const char *word, sup_pattern_kind *out);
/* What is wrong with a word that was refused: "no barrier "star": …", "the radix of tree is 2 to 64". */
void sup_pattern_kind_why(const char *word, char *text, size_t size);
/* The radix is left out where it is the usual one. */
const char *sup_pattern_kind_word(sup_pattern_kind kind, char text[SUP_PATTERN_WORD]);

/* The name of the index-th of these; NULL behind the last. All of them, as "linear, tree, …". */
const char *sup_generator_word(size_t index);
void sup_generator_names(char *text, size_t size);

/* For generators. How often n can be divided by the radix (0: 2), rounding up, until 1 is left; radix^exponent;
 * arrivals that several share. */
int sup_pattern_log(int64_t n, int radix);
int64_t sup_pattern_power(int radix, int exponent);
bool sup_pattern_tree_run(const sup_pattern *pattern, int stage, size_t index, sup_pattern_run *out);
int sup_pattern_linear_stages(int64_t processes, int radix);
bool sup_pattern_linear_run(const sup_pattern *pattern, int stage, size_t index, sup_pattern_run *out);

struct sup_pattern {
    const sup_generator *generator;
    int64_t processes;
    int radix; /* of the generator; 0: it has none */
    int stages;
    int generated;           /* stages of the generator's own; the others are its release */
    sup_pattern_edge *edges; /* of a pattern from edges, by stage, sender and receiver; NULL */
    size_t *begin;           /* [stages + 1]: where each stage begins in edges */
};

/* Nothing to free. make: with the generator's usual radix. */
sup_pattern sup_pattern_of(sup_pattern_kind kind, int64_t processes);
sup_pattern sup_pattern_make(const sup_generator *generator, int64_t processes);

/* From `count` edges in any order. `edges` is from malloc and now belongs to the pattern, or is freed on failure:
 * SUP_EINVAL if a rank or stage is out of range, SUP_ENOMEM. */
sup_status sup_pattern_from_edges(int64_t processes, int stages, sup_pattern_edge *edges, size_t count,
                                  sup_pattern *out);

/* Clusters of `size` members, counted in steps of `stride`; size 0: all. The first member of each goes on to the next
 * level. Release is arrival backwards or as its generator has it, and a top that leaves all of its members informed
 * needs none. */
typedef struct sup_pattern_level {
    sup_pattern_kind kind;
    int64_t size, stride;
} sup_pattern_level;
sup_status sup_pattern_from_levels(int64_t processes, const sup_pattern_level *levels, size_t count, sup_pattern *out);

/* A barrier of so many processes by its word: a kind, or levels, the innermost first, all but the last with the size of
 * their clusters: "4 flags, dissemination". SUP_EINVAL: it names none; SUP_ENOMEM. */
enum { SUP_PATTERN_LEVELS_MOST = 4 };
sup_status sup_pattern_read(const char *word, int64_t processes, sup_pattern *out);

/* The same edges in the same stages, both listed; or the same kind, of as many processes. */
bool sup_pattern_same(const sup_pattern *a, const sup_pattern *b);

void sup_pattern_free(sup_pattern *pattern);

/* How many edges a stage has; out: the edges, those of one sender together; NULL: not wanted. */
size_t sup_pattern_stage(const sup_pattern *pattern, int stage, sup_pattern_edge *out);
/* The index-th run of a stage, which together are its edges; false: there are no more. */
bool sup_pattern_run_at(const sup_pattern *pattern, int stage, size_t index, sup_pattern_run *out);
/* The most edges that a stage of it has. */
size_t sup_pattern_widest(const sup_pattern *pattern);

/* How many processes `rank` signals in a stage, or (receives) how many signal it; out: which, in
 * no order; NULL: not wanted. */
size_t sup_pattern_peers(const sup_pattern *pattern, int stage, int64_t rank, bool receives, int64_t *out);

/* The same as whole edges, as many as sup_pattern_peers says. */
size_t sup_pattern_edges_of(const sup_pattern *pattern, int stage, int64_t rank, bool receives, sup_pattern_edge *out);

/* d where the stage is: everyone signals rank + d modulo the processes. 0: it is something else. */
int64_t sup_pattern_shift(const sup_pattern *pattern, int stage);

/* Does everyone hear of everyone (a broadcast: of 0)? By the algebra of BSP §5.5: K_0 = I, K_s = K_{s−1} + K_{s−1}·S_s
 * has no zero in the end. Where it has: *deaf has not heard of *unheard. processes ≤ SUP_PATTERN_COVERS_MAX. */
sup_status sup_pattern_covers(const sup_pattern *pattern, bool *covers, int64_t *deaf, int64_t *unheard);

#endif
