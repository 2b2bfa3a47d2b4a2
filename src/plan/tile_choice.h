/* How the runtime of data-parallel operations asks for a decision. The runtime (src/tile) knows what a call looks like
 * and how long it took; decisions and what is learned are tile records of the plan; src/choose fills them (tile.c: the
 * first guess; tile_learn.c: the rule by which real calls improve it). This header is the joint between the two: it
 * knows neither. All functions are pure: no clock, no file, no memory of their own.
 *
 * A candidate's shape has 0 entries (horizontal: one band a worker), 3 (elements along I, J, K) or 6 (and those of the
 * second level inside). Candidates stand in the order in which the first guess ranks them. */
#ifndef SUP_PLAN_TILE_CHOICE_H
#define SUP_PLAN_TILE_CHOICE_H

#include "plan/plan.h"

#define SUP_CHOICE_AXES 3
#define SUP_CHOICE_SETS 8
#define SUP_CHOICE_LEVELS 3
#define SUP_CHOICE_RECENT 9 /* samples of a candidate that its median is taken of */

typedef enum sup_choice_walk { SUP_CHOICE_ROWS, SUP_CHOICE_COLUMNS, SUP_CHOICE_WINDOW } sup_choice_walk;

typedef struct sup_choice_set {
    int row_axis, col_axis; /* 0 … 2, -1 not cut */
    int64_t rows, cols;
    size_t element, pitch_bytes;
    bool memory, written; /* memory: false for a range of indices */
    int walk;             /* sup_choice_walk */
    int64_t halo_rows, halo_cols;
} sup_choice_set;

/* A call as decisions see it. */
typedef struct sup_tile_problem {
    const char *kernel;
    int64_t extent[SUP_CHOICE_AXES], least[SUP_CHOICE_AXES];
    bool serial[SUP_CHOICE_AXES]; /* tasks along it go to one worker */
    int set_count;
    sup_choice_set set[SUP_CHOICE_SETS];
    int workers;
    bool shared; /* whoever of several workers is idle may do any part */
    /* the machine: bytes of each cache that one core can count on */
    size_t l1_bytes, l2_bytes, last_bytes, line_bytes, page_bytes;
    double
        dearer[SUP_CHOICE_LEVELS]; /* lines from L2, the last cache, memory, against those of the model; 0: as they */
} sup_tile_problem;

/* Samples behind a record's candidates, of this process. */
typedef struct sup_tile_samples {
    size_t count;
    struct sup_tile_ring {
        double s[SUP_CHOICE_RECENT];
        unsigned n;
        bool cold;        /* the one sample in it is of the first call */
        bool dirty;       /* something disturbed all calls that are in it */
        unsigned spoiled; /* calls in a row that something disturbed */
    } * ring;
    unsigned calls, disturbed; /* of all candidates, lately */
} sup_tile_samples;

/* "horizontal" and "guided": bands whose size follows from the number of workers, so that a record has no shape. */
bool sup_tile_is_banded(const char *strategy);

#define SUP_SIZE_CLASS 128
/* Calls of one class share what is learned: extents to half an octave, element sizes, workers, bad pitches. */
char *sup_tile_size_class(const sup_tile_problem *problem, char buf[SUP_SIZE_CLASS]);
/* Work of this call in units of its class, by which times are divided. */
double sup_tile_class_work(const sup_tile_problem *problem);

/* What a profile of this machine says about it. Refused as a plan is: SUP_ENOENT, SUP_EPARSE, another machine. */
typedef struct sup_tile_known sup_tile_known;
sup_status sup_tile_known_read(const char *file, const sup_origin *here, sup_diag *diag, sup_tile_known **out);
void sup_tile_known_free(sup_tile_known *known);
/* Fills `dearer` from the rates of a copy. */
void sup_tile_known_costs(const sup_tile_known *known, sup_tile_problem *problem);
/* The record that a sweep of this kernel, size class and number of workers makes. SUP_ENOENT: there was none. */
sup_status sup_tile_known_guess(const sup_tile_known *known, const sup_tile_problem *problem, sup_plan_tile *out);
/* The best of a sweep of the nearest other size class; false: none, or one that is not legal here. */
bool sup_tile_known_near(const sup_tile_known *known, const sup_tile_problem *problem, const char **strategy,
                         const int64_t **shape, size_t *count);

/* The first guess: fills the record (kernel, size class, strategy, shape, candidates). known: NULL, or a profile, whose
 * costs are in the problem already. */
sup_status sup_tile_first_guess(const sup_tile_problem *problem, const sup_tile_known *known, sup_plan_tile *out);
/* Which candidate the next call should use. */
size_t sup_tile_next(const sup_plan_tile *tile);
/* What it took. Updates candidates, counts and the record's own strategy and shape. disturbed: something else ran
 * meanwhile, which says nothing about the candidate unless it happens every time. SUP_ENOMEM. */
sup_status sup_tile_seen(const sup_tile_problem *problem, size_t candidate, double seconds, bool disturbed,
                         sup_tile_samples *samples, sup_plan_tile *tile);

#endif
