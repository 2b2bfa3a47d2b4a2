/* A call of a data-parallel operation as decisions see it: its axes, how its data sets lie along them and are walked
 * through, and the caches. The runtime (src/tile) describes its calls like this, src/model prices cuts of them,
 * src/choose guesses which is best; plans and profiles keep what is known under the kernel and the size class. */
#ifndef SUP_BASE_TILE_PROBLEM_H
#define SUP_BASE_TILE_PROBLEM_H

#include <superstep/tile.h>

enum { SUP_TILE_LEVELS = 3 /* where lines come from that are not in L1: L2, the last cache, memory */ };

typedef struct sup_problem_set {
    int row_axis, col_axis; /* 0 … 2, -1 not cut */
    int64_t rows, cols;
    size_t element, pitch_bytes;
    bool memory, written; /* memory: false for a range of indices */
    int walk;             /* sup_tile_walk */
    int64_t halo_rows, halo_cols;
} sup_problem_set;

typedef struct sup_tile_problem {
    const char *kernel;
    int64_t extent[SUP_TILE_AXES], least[SUP_TILE_AXES];
    bool serial[SUP_TILE_AXES]; /* tasks along it go to one worker */
    int set_count;
    sup_problem_set set[SUP_TILE_SETS];
    int workers;
    bool shared; /* whoever of several workers is idle may do any part */
    /* the machine: bytes of each cache that one core can count on */
    size_t l1_bytes, l2_bytes, last_bytes, line_bytes, page_bytes;
    double line_cost[SUP_TILE_LEVELS]; /* of a line from there, relative to what the model assumes; 0: just that */
} sup_tile_problem;

/* Elements of a block along each axis; every entry within 1 … extent. */
typedef struct sup_tile_shape {
    int64_t size[SUP_TILE_AXES];
} sup_tile_shape;

/* The axis that is cut into bands: the first that is long enough for so many, or the longest; -1: none can be cut. */
int sup_tile_band_axis(const int64_t *extent, const bool *serial, int64_t bands);
/* One band a worker. */
sup_tile_shape sup_tile_band_shape(const sup_tile_problem *problem);
/* Does the kernel walk down columns of anything? Where it does not there is nothing that smaller parts could save. */
bool sup_tile_has_columns(const sup_tile_problem *problem);
/* Is every element visited once? Then no part can be used again, and what counts is how soon it is there. */
bool sup_tile_once(const sup_tile_problem *problem);
/* The axis of the innermost loop: down the columns of the set that is walked so, along rows otherwise. */
int sup_tile_inner_axis(const sup_tile_problem *problem);

#define SUP_SIZE_CLASS 128
/* Calls of one class share what is learned: extents to a quarter of an octave, element sizes, workers, bad pitches. */
char *sup_tile_size_class(const sup_tile_problem *problem, char buf[SUP_SIZE_CLASS]);
/* Work of this call in units of its class, by which times are divided. */
double sup_tile_class_work(const sup_tile_problem *problem);
/* What the text of a size class says. */
typedef struct sup_tile_class {
    double extent[SUP_TILE_AXES];
    double element[SUP_TILE_SETS]; /* bytes, one a data set */
    int set_count;
    int64_t workers;
    bool aligned;     /* rows that fall into the same lines of a cache */
    const char *rest; /* of the text: all but the extents */
} sup_tile_class;

/* False: the text is none. */
bool sup_tile_class_parse(const char *size_class, sup_tile_class *out);
/* How far a size class is from the problem, in octaves along its axes; infinity where anything else differs. */
double sup_tile_class_distance(const sup_tile_problem *problem, const char *size_class);

#endif
