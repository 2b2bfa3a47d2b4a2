/* Data-parallel operations on the cores of one node, cut to fit the caches.
 *
 * Write a kernel that works on a part, name the data sets and how their parts belong together, and run it:
 *
 *     static int matmult(const sup_tile_task *t, void *unused) {
 *         const sup_tile_part *a = &t->part[0], *b = &t->part[1], *c = &t->part[2];
 *         const double *A = a->data, *B = b->data;
 *         double *C = c->data;
 *         for (size_t i = 0; i < c->rows; i++)
 *             for (size_t j = 0; j < c->cols; j++) {
 *                 double sum = t->first ? 0 : C[i * c->pitch + j];
 *                 for (size_t k = 0; k < a->cols; k++) sum += A[i * a->pitch + k] * B[k * b->pitch + j];
 *                 C[i * c->pitch + j] = sum;
 *             }
 *         return 0;
 *     }
 *
 *     sup_tile *tile;
 *     sup_tile_open(NULL, NULL, &tile);
 *     sup_tile_op op = {.name = "matmult", .kernel = matmult, .set_count = 3, .set = {
 *         sup_tile_left(A, n, n, n, sizeof *A), sup_tile_right(B, n, n, n, sizeof *B),
 *         sup_tile_product(C, n, n, n, sizeof *C)}};
 *     sup_tile_run(tile, &op, NULL, NULL);
 *     sup_tile_close(tile);
 *
 * The library decides into which parts the data sets are cut, which worker has which and in what order, and gets better
 * at it from call to call. Parts are views of the caller's memory: nothing is copied.
 *
 * How parts belong together: the work has up to three axes I, J and K, and a data set says which axis cuts its rows and
 * which its columns. Tasks that write the same part (the steps along K of a matrix product) go to one worker, in order;
 * `first` and `last` say where a task stands among them. Whatever has been asked for, no two workers ever write the
 * same part of such a data set. Data sets that cannot be described like this bring a distribution of their own.
 *
 * Rows follow each other in memory at `pitch` elements; a vector is one row. superstep-tile(3) has the whole story. */
#ifndef SUPERSTEP_TILE_H
#define SUPERSTEP_TILE_H

#include <superstep/status.h>
#include <superstep/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
#define SUP_TILE_EMPTY_ \
    {}
#else
#define SUP_TILE_EMPTY_ \
    { 0 }
#endif

#define SUP_TILE_SETS 8
#define SUP_TILE_AXES 3
#define SUP_TILE_WORKERS 4096 /* at most */

/* ---- what a kernel sees ------------------------------------------------------------------------------------------ */

/* A part of a data set. The halo (above … right) is there to be read, not to be written; it is shorter, or missing,
 * where the data set ends. */
typedef struct sup_tile_part {
    void *data; /* first element; NULL for a range of indices */
    size_t rows, cols, pitch;
    size_t row, col; /* where the part begins in the data set */
    size_t above, below, left, right;
} sup_tile_part;

typedef struct sup_tile_task {
    const sup_tile_part *part; /* one for each data set */
    int64_t index;             /* of the task, counted through */
    int worker, phase;
    bool first, last; /* among the tasks that write the same part */
    void *scratch;    /* scratch_bytes of the worker's own, kept from task to task; aligned to 64 bytes */
    void *result;     /* result_bytes to add to; see `reduce` */
} sup_tile_task;

/* 0, or a code of the kernel's own: then the other tasks stop, and sup_tile_run returns the first such code. */
typedef int sup_tile_kernel(const sup_tile_task *task, void *context);

/* ---- data sets ----------------------------------------------------------------------------------------------------*/

typedef enum sup_tile_axis { SUP_TILE_WHOLE = 0, SUP_TILE_I = 1, SUP_TILE_J = 2, SUP_TILE_K = 3 } sup_tile_axis;
typedef enum sup_tile_use { SUP_TILE_READ = 0, SUP_TILE_WRITE = 1, SUP_TILE_UPDATE = 2 } sup_tile_use;

/* How the innermost loop of the kernel goes through a part. It is a hint about speed, and nothing depends on it but
 * speed: with the wrong one the first calls are slower. */
typedef enum sup_tile_walk {
    SUP_TILE_ROWS = 0,    /* along rows */
    SUP_TILE_COLUMNS = 1, /* down columns: every step is on another cache line */
    SUP_TILE_WINDOW = 2   /* a small window around each element */
} sup_tile_walk;

/* A distribution of one's own (CACHE listing 8): cuts a data set into n parts. */
typedef struct sup_tile_distribution {
    /* Part `index` of n. 0, or a code that ends the run. */
    int (*cut)(void *context, int64_t n, int64_t index, sup_tile_part *out);
    /* Average number of elements of a part. */
    double (*part_size)(void *context, int64_t n);
    /* Average number of elements of a line of a part; 0: it cannot be cut into n; -1: nor into any larger number. */
    double (*line_length)(void *context, int64_t n);
    size_t (*element_size)(void *context);
} sup_tile_distribution;

typedef struct sup_tile_set {
    void *data; /* NULL: a range of indices, nothing in memory */
    size_t rows, cols, pitch, element;
    sup_tile_axis row_axis, col_axis;
    sup_tile_use use;
    sup_tile_walk walk;
    size_t halo_rows, halo_cols;   /* read on each side of a part */
    size_t border;                 /* so many rows and columns exist in memory around the data set */
    size_t least_rows, least_cols; /* a part may not be smaller; 0: 1 */
    const sup_tile_distribution *own;
    void *own_context;
} sup_tile_set;

/* Indices 0 … count-1 and no memory: part.col and part.cols say which. */
static inline sup_tile_set sup_tile_range(size_t count) {
    sup_tile_set s = SUP_TILE_EMPTY_;
    s.rows = 1, s.cols = count, s.pitch = count, s.col_axis = SUP_TILE_J;
    return s;
}
static inline sup_tile_set sup_tile_vector(const void *data, size_t count, size_t element) {
    sup_tile_set s = sup_tile_range(count);
    s.data = (void *)(uintptr_t)data, s.element = element;
    return s;
}
/* Rectangles. pitch: elements from a row to the next, at least cols. */
static inline sup_tile_set sup_tile_matrix(const void *data, size_t rows, size_t cols, size_t pitch, size_t element) {
    sup_tile_set s = SUP_TILE_EMPTY_;
    s.data = (void *)(uintptr_t)data, s.rows = rows, s.cols = cols, s.pitch = pitch, s.element = element;
    s.row_axis = SUP_TILE_I, s.col_axis = SUP_TILE_J;
    return s;
}
/* Its part goes with the one on the other side of the diagonal; the kernel walks along the rows of the other matrix. */
static inline sup_tile_set sup_tile_transposed(const void *data, size_t rows, size_t cols, size_t pitch,
                                               size_t element) {
    sup_tile_set s = sup_tile_matrix(data, rows, cols, pitch, element);
    s.row_axis = SUP_TILE_J, s.col_axis = SUP_TILE_I, s.walk = SUP_TILE_COLUMNS;
    return s;
}
/* Read with `halo` elements more on each side (stencils). */
static inline sup_tile_set sup_tile_halo(const void *data, size_t rows, size_t cols, size_t pitch, size_t element,
                                         size_t halo, size_t border) {
    sup_tile_set s = sup_tile_matrix(data, rows, cols, pitch, element);
    s.halo_rows = s.halo_cols = halo, s.border = border;
    return s;
}
/* The matrices of C = A·B: A and B, with the plain loop over k innermost, and C. */
static inline sup_tile_set sup_tile_left(const void *data, size_t rows, size_t cols, size_t pitch, size_t element) {
    sup_tile_set s = sup_tile_matrix(data, rows, cols, pitch, element);
    s.col_axis = SUP_TILE_K;
    return s;
}
static inline sup_tile_set sup_tile_right(const void *data, size_t rows, size_t cols, size_t pitch, size_t element) {
    sup_tile_set s = sup_tile_matrix(data, rows, cols, pitch, element);
    s.row_axis = SUP_TILE_K, s.walk = SUP_TILE_COLUMNS;
    return s;
}
static inline sup_tile_set sup_tile_product(void *data, size_t rows, size_t cols, size_t pitch, size_t element) {
    sup_tile_set s = sup_tile_matrix(data, rows, cols, pitch, element);
    s.use = SUP_TILE_UPDATE;
    return s;
}
/* Not cut: every task has all of it. */
static inline sup_tile_set sup_tile_shared(const void *data, size_t rows, size_t cols, size_t pitch, size_t element) {
    sup_tile_set s = sup_tile_matrix(data, rows, cols, pitch, element);
    s.row_axis = s.col_axis = SUP_TILE_WHOLE;
    return s;
}
static inline sup_tile_set sup_tile_own(const sup_tile_distribution *own, void *context, sup_tile_use use) {
    sup_tile_set s = SUP_TILE_EMPTY_;
    s.own = own, s.own_context = context, s.use = use;
    return s;
}
static inline sup_tile_set sup_tile_used(sup_tile_set set, sup_tile_use use) {
    set.use = use;
    return set;
}

/* ---- an operation --------------------------------------------------------------------------------------------------
 */

/* Who gets which tasks (CACHE §3.2). */
typedef enum sup_tile_strategy {
    SUP_TILE_AUTO = 0,
    SUP_TILE_HORIZONTAL, /* one part a worker: bands of rows */
    SUP_TILE_CONTIGUOUS, /* tasks next to each other to one worker */
    SUP_TILE_SIBLING,    /* tasks next to each other to workers that share the last cache */
    SUP_TILE_AHEAD,      /* as contiguous, and the parts of the next task are fetched while one is worked on */
    SUP_TILE_GUIDED      /* many bands a worker, of which it does as many at once as take some microseconds; idle
                            workers take over bands of others. Horizontal where that is not possible: phases, results */
} sup_tile_strategy;

/* Decisions that are normally left to the library: all zero. */
typedef struct sup_tile_cut {
    sup_tile_strategy strategy;
    size_t shape[SUP_TILE_AXES]; /* elements of a part along I, J, K; 0: the whole axis, if any of them is given */
    size_t inner[SUP_TILE_AXES]; /* a second level inside the first */
    size_t target_bytes;         /* Algorithm 1 of CACHE for this target cache size; instead of a shape */
    bool conservative;           /* with it: the careful estimate of a part's size */
} sup_tile_cut;

/* Which parts make a task, for data sets with distributions of their own; NULL: part t of each makes task t. */
typedef struct sup_tile_combination {
    int64_t (*tasks)(void *context, int64_t n); /* how many there are when every data set is cut into n */
    /* Indices of the parts of a task. Returns the number of the group of tasks it belongs to: tasks of a group, which
     * must follow each other, go to one worker in order. */
    int64_t (*task)(void *context, int64_t n, int64_t task, int64_t *part);
    void *context;
} sup_tile_combination;

enum {
    SUP_TILE_IRREGULAR = 1,     /* tasks take different times: idle workers take over tasks of others, siblings first */
    SUP_TILE_DETERMINISTIC = 2, /* the same bits of the result whatever the number of workers and their timing */
    SUP_TILE_CHECK = 4,         /* look for parts that overlap where one is written; slow */
    SUP_TILE_NO_LEARNING = 8    /* use what is known, learn nothing */
};

typedef struct sup_tile_op {
    const char *name; /* what is learned is kept under it; NULL: nothing is learned */
    sup_tile_kernel *kernel;
    void *context;
    int set_count;
    sup_tile_set set[SUP_TILE_SETS];
    unsigned flags;
    sup_tile_combination combination;

    size_t scratch_bytes;
    /* Reduction: tasks add to their result, which begins as `init` leaves it (NULL: zero bytes); results are folded
     * pairwise as a tree, and the last one is copied to `result`. */
    size_t result_bytes;
    void *result;
    void (*init)(void *result, void *context);
    void (*reduce)(void *into, const void *from, void *context);

    /* Iterations with a synchronisation between them: all tasks of a phase are done before the next begins, and parts
     * stay with the worker that had them. `between`, if there is one, runs once after each phase, alone; not 0 ends the
     * iterations early: SUP_TILE_STOP without an error, anything else as an error. */
    int phases; /* 0: one */
    int (*between)(int phase, void *context);

    sup_tile_cut cut;
} sup_tile_op;

#define SUP_TILE_STOP 1

/* What was done, and how long each stage took. */
typedef struct sup_tile_report {
    double estimate_s, decompose_s, combine_s, schedule_s, run_s, reduce_s, total_s;
    int workers, phases;
    sup_tile_strategy strategy;
    size_t shape[SUP_TILE_AXES], inner[SUP_TILE_AXES];
    int64_t parts; /* Algorithm 1: into how many each data set was cut; 0 otherwise */
    int64_t tasks; /* of one phase */
    int64_t stolen;
    size_t working_set_bytes; /* of one task */
    bool explored;            /* this call tried something new */
    bool too_large;           /* could not be cut small enough: the smallest legal parts were used */
    char note[160];           /* what a user should know, in words; "" normally */
} sup_tile_report;

/* ---- workers -------------------------------------------------------------------------------------------------------
 */

typedef struct sup_tile sup_tile;

typedef enum sup_tile_affinity {
    SUP_TILE_AFFINITY_CORE = 0, /* a core each; by cache where there are more workers than cores */
    SUP_TILE_AFFINITY_CACHE,    /* any core below the lowest shared cache (CACHE §3.3.1) */
    SUP_TILE_AFFINITY_NONE
} sup_tile_affinity;

typedef struct sup_tile_options {
    int workers; /* 0: as many as this process can use; the calling thread is one of them */
    sup_tile_affinity affinity;
    const char *topology_file; /* hierarchy instead of this machine's, for decisions; NULL */
    const char *plan_file;     /* what earlier runs learned; read now if it exists, written by sup_tile_save; NULL */
    const char *profile_file;  /* what was measured here, for first guesses; NULL */
} sup_tile_options;

/* Starts the workers. NULL options: all default. */
SUP_API sup_status sup_tile_open(const sup_tile_options *options, sup_diag *diag, sup_tile **out);
/* Ends them; saves nothing. NULL is allowed. */
SUP_API void sup_tile_close(sup_tile *tile);
SUP_API int sup_tile_workers(const sup_tile *tile);

/* Runs the operation; one at a time, others wait. SUP_EINVAL with the reason for a description that contradicts itself;
 * SUP_ENOMEM; the first code a kernel returned; SUP_EBUSY from inside a kernel. A domain of size zero has no tasks. */
SUP_API int sup_tile_run(sup_tile *tile, const sup_tile_op *op, sup_diag *diag, sup_tile_report *report);

/* Zeroes rows × row_bytes of fresh memory, each share by the worker that will have it in bands of rows, so that it lies
 * in the memory nearest to it. */
SUP_API sup_status sup_tile_touch(sup_tile *tile, void *data, size_t rows, size_t row_bytes);

/* Writes what was learned to the plan file. SUP_EINVAL if none was named. */
SUP_API sup_status sup_tile_save(sup_tile *tile, sup_diag *diag);

/* "horizontal", "contiguous", "sibling", "ahead", "guided", "auto". */
SUP_API const char *sup_tile_strategy_name(sup_tile_strategy strategy);

/* Algorithm 1 of CACHE: the smallest n ≥ workers into which every data set can be cut so that a task's working set fits
 * tcl_bytes (of one core); -1 where there is none. conservative: the second φ, whole cache lines of line_bytes. */
SUP_API int64_t sup_tile_estimate(const sup_tile_set *sets, int count, int workers, size_t tcl_bytes, size_t line_bytes,
                                  bool conservative);

#ifdef __cplusplus
}
#endif
#endif
