/* Which collective algorithm to take (stage choose, term Tcomm): what every algorithm that fits is expected to take
 * over sizes, and how few ranges of sizes lose little.
 *
 *     sup_coll_grid_open(&source, &set, diag, &grid);       candidates × sizes: predicted, and measured where it was
 *     sup_coll_grid_ties(&grid, …);                         what only a measurement can settle
 *     sup_coll_grid_cover(&grid);                           which candidate each size takes
 *
 * A time that the profile has measured counts, a prediction where it has none. What holds without a plan is left only
 * for what is faster beyond what is unknown of both (sup_choose_better); predictions are held against each other only
 * inside a kind: in memory, by messages, between hosts. What is wrong about a kind is wrong about all of it. The same
 * profile has the same outcome. */
#ifndef SUP_CHOOSE_COLLECTIVE_COLLECTIVE_H
#define SUP_CHOOSE_COLLECTIVE_COLLECTIVE_H

#include "choose/choose.h"
#include "model/collective/collective.h"
#include "plan/collective.h"

#define SUP_COLL_BYTES_LEAST 8
#define SUP_COLL_BYTES_MOST (8 << 20)

/* Where times come from. */
typedef struct sup_coll_source {
    const sup_profile *profile; /* its measured collectives; NULL: none */
    const char *transport;
    const sup_collective_model *model; /* NULL: measured times only */
    const sup_collective_platform *platform;
    bool memory; /* processes of a host share some */
    bool mpi;    /* what MPI does by itself takes part, where it was measured */
    /* What may be chosen; NULL: all that fits. */
    bool (*allowed)(int operation, const sup_choice *choice);
} sup_coll_source;

/* For plans: memory inside hosts, and over an MPI what that does by itself. platform NULL: measured times only. */
sup_coll_source sup_coll_source_of(const sup_profile *profile, const char *transport,
                                   const sup_collective_platform *platform);

/* Who does what. */
typedef struct sup_coll_set {
    int operation;
    int64_t processes;
    int hosts;
    const sup_mapping *mapping; /* of these processes to hosts */
} sup_coll_set;

typedef struct sup_coll_time {
    sup_prediction cost; /* value NaN: not known */
    double predicted_s;  /* by the model; NaN */
    double measured_s;   /* by the profile or a duel; NaN */
    bool settled;        /* the cost is measured, or predicted and mended by a duel at a size nearby */
} sup_coll_time;

typedef struct sup_coll_candidate {
    sup_choice choice;
    char text[SUP_CHOICE_TEXT];
    sup_coll_time *time; /* [sizes] */
} sup_coll_candidate;

typedef struct sup_coll_grid {
    sup_coll_set set;
    sup_choices defaults;
    size_t sizes;
    int64_t *total; /* [sizes] sup_job_total, ascending */
    int64_t *bytes; /* [sizes] of the job */
    sup_coll_candidate *at;
    size_t count;
    int *usual; /* [sizes] which candidate holds without a plan */
    int *taken; /* [sizes] which is taken; -1: the usual */
    sup_coll_time *memory;
} sup_coll_grid;

/* SUP_ENOMEM, or what the model says, except that something was not measured. */
sup_status sup_coll_grid_open(const sup_coll_source *source, const sup_coll_set *set, sup_diag *diag,
                              sup_coll_grid *out);
void sup_coll_grid_free(sup_coll_grid *grid);

/* Ties: the best candidate would gain, but not beyond what is unknown. One duel for neighbouring sizes with the same
 * best; up to `most` of them, the rest is left out. */
typedef struct sup_coll_tie {
    sup_choose_duel duel;
    double gain;           /* usual / best, as predicted */
    int grid, usual, best; /* candidates */
    size_t from, to, at;   /* sizes it settles, from … below to; the one to measure */
} sup_coll_tie;
size_t sup_coll_grid_ties(const sup_coll_grid *grid, int number, sup_coll_tie *ties, size_t most);
/* Takes what the duel measured. */
void sup_coll_grid_settle(sup_coll_grid *grid, const sup_coll_tie *tie);

/* After sup_coll_grid_cover: what is taken instead of the usual, as a tie of the two for each range of sizes and each
 * usual one in it, to be measured in the middle. */
size_t sup_coll_grid_changes(const sup_coll_grid *grid, int number, sup_coll_tie *changes, size_t most);
/* Keeps what a duel measured at its size; puts the usual back. */
void sup_coll_grid_measured(sup_coll_grid *grid, const sup_coll_tie *tie);
void sup_coll_grid_revert(sup_coll_grid *grid, const sup_coll_tie *tie);

/* Fills `taken`: least loss over sizes, with a price on every border. SUP_ENOMEM. */
sup_status sup_coll_grid_cover(sup_coll_grid *grid);
/* Without regard to what holds without a plan: the best everywhere. */
sup_status sup_coll_grid_best(sup_coll_grid *grid);

/* A range of sizes with one candidate; -1: the usual. */
typedef struct sup_coll_range {
    int candidate;
    int64_t from, to; /* bytes in all; to -1: and more */
} sup_coll_range;
/* Range k of `taken`; false: there are not so many. */
bool sup_coll_grid_range(const sup_coll_grid *grid, size_t k, sup_coll_range *out);

/* Candidate that counts at a size: that of `taken`, else the usual. */
static inline int sup_coll_grid_at(const sup_coll_grid *grid, size_t size) {
    return grid->taken[size] < 0 ? grid->usual[size] : grid->taken[size];
}

#endif
