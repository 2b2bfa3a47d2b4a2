/* What the files of src/tile share: the pool with its memory, and one run of an operation on its way through the stages
 *
 *     estimate → decompose → combine → schedule → run → reduce
 *     decide.c   cut.c       parts.c   cluster.c  exec.c reduce.c                       (CACHE §4.1.4)
 *
 * What strategies do differently is in strategy_*.c, see strategy.h. The runtime follows the plan; it calls no model:
 * the first guess for what the plan does not know comes from a function that is passed in (src/api/tile.c). */
#ifndef SUP_TILE_TILE_H
#define SUP_TILE_TILE_H

#include "base/memory.h"
#include "base/status.h"
#include "tile/cluster.h"
#include "tile/grid.h"
#include "tile/learn.h"
#include "tile/pool.h"

/* Programs call the same few operations over and over: what was asked, and the answer. */
enum { SUP_TILE_RECALL = 8, SUP_TILE_PUBLISHED = -1, SUP_TILE_NO_CUT = -2 };
typedef struct sup_tile_recalled {
    int index;      /* of its record in the plan; -1: nothing here */
    sup_tile_op op; /* as it was asked about; its pointers may be stale and are not followed */
    sup_tile_problem problem;
    int candidate; /* whose cut this is, or SUP_TILE_PUBLISHED, SUP_TILE_NO_CUT */
    sup_tile_grid grid;
    sup_tile_report report;
} sup_tile_recalled;

/* Fills an empty record for a problem that the plan does not know. */
typedef struct sup_tile_guesser {
    sup_status (*guess)(const void *context, const sup_tile_problem *problem, sup_plan_tile *out);
    void *context;
    void (*free_context)(void *context);
} sup_tile_guesser;

struct sup_tile {
    sup_topology *machine;   /* this one, where the workers are */
    sup_topology *hierarchy; /* what decisions are made for; the same unless a file replaces it */
    sup_usable usable;
    sup_pool pool;
    sup_siblings siblings;
    int *victims; /* workers · (workers-1): whom a worker asks for tasks, nearest first; NULL until needed */
    pthread_mutex_t one_at_a_time;
    sup_memory scratch, results; /* grown, never shrunk */
    size_t scratch_stride, result_stride;
    sup_pool_barrier phase;
    char *plan_file;
    sup_plan *plan;            /* NULL: nothing known and nothing learned yet */
    sup_tile_guesser guesser;  /* all NULL: bands */
    sup_tile_samples *samples; /* behind plan->tiles, by the same index */
    size_t samples_count;
    sup_tile_recalled recalled[SUP_TILE_RECALL];
    int recall_next;
    struct sup_tile_range_word *range; /* of the workers, for stealing; NULL until needed */
    double last_s;                     /* what the call before took; 0: none */
};

/* Tasks made of numbered parts, for data sets with distributions of their own. */
typedef struct sup_tile_list {
    int64_t n, tasks, groups;
    sup_tile_part *part; /* set_count · n */
    int64_t *of_task;    /* tasks · set_count: which part */
    int64_t *first;      /* groups + 1: first task of each */
} sup_tile_list;

typedef struct sup_tile_range_word {
    _Alignas(64) _Atomic uint64_t word; /* first << 32 | end */
} sup_tile_range_word;

typedef struct sup_tile_call {
    sup_tile *tile;
    const sup_tile_op *op;
    sup_tile_report report;
    sup_tile_grid grid;
    bool listed; /* list instead of grid */
    sup_tile_list list;
    int64_t chains;
    sup_schedule schedule;
    bool steal, slot_per_chain, brief;
    int64_t slots;
    size_t line_bytes;
    sup_tile_range_word *range; /* of a worker; NULL: by formula */
    _Atomic int code;           /* first that is not 0 */
    _Atomic bool stop;
    _Atomic int64_t failed, stolen; /* failed: task */
    bool go_on;                     /* to another phase; written by worker 0 between phases */
    /* learning */
    int record;             /* its index in the plan; -1: this call teaches nothing */
    bool watched;           /* it matters whether something else runs meanwhile … */
    _Atomic bool disturbed; /* … which it did */
    int candidate;
    sup_tile_recalled *recalled; /* NULL: not decided by the plan */
} sup_tile_call;

/* A worker at work. */
typedef struct sup_tile_seat {
    sup_tile_call *call;
    sup_tile_task task;
    sup_tile_part part[SUP_TILE_SETS];
} sup_tile_seat;

/* run.c: what sup_tile_open does, but without guesses from anywhere; and what the workers run on, for files. */
sup_status sup_tile_start(const sup_tile_options *options, sup_diag *diag, sup_tile **out);
sup_status sup_tile_origin(const sup_tile *tile, sup_diag *diag, sup_origin *here);

/* describe.c: bytes of a cache level that one core can count on; of the nearest level where the machine has no such. */
size_t sup_tile_cache_share(const sup_topology *topology, int depth);
size_t sup_tile_line_bytes(const sup_topology *topology);
/* May whoever is idle do any part? Not if phases leave parts with their workers, or results depend on who did what. */
bool sup_tile_may_share(const sup_tile_call *call);
/* The call as decisions see it; needs the extents of the grid. */
void sup_tile_describe_call(const sup_tile_call *call, sup_tile_problem *out);

/* cut.c: the grid in `bands` parts along one axis, whole along the others; in parts of this shape. */
void sup_tile_cut_bands(sup_tile_call *call, int64_t bands);
void sup_tile_cut_parts(sup_tile_call *call, const size_t *shape, const size_t *inner);
/* The axis that bands are cut along; -1: none can be cut. */
int sup_tile_cut_axis(const sup_tile_call *call, int64_t bands);
/* What the report says about a grid that has been cut. */
void sup_tile_cut_report(sup_tile_call *call);

/* decide.c: the cut of this call, in report.strategy/shape/inner and grid or list.n. */
sup_status sup_tile_decide(sup_tile_call *call, sup_diag *diag);

/* planned.c: the same by the plan alone; what the call taught; and nothing of it any more. */
sup_status sup_tile_decide_by_plan(sup_tile_call *call, sup_diag *diag);
void sup_tile_learn(sup_tile_call *call);
void sup_tile_forget(sup_tile *tile);
/* An operation as decisions see it; its data sets must not have distributions of their own. */
sup_status sup_tile_describe(sup_tile *tile, const sup_tile_op *op, sup_diag *diag, sup_tile_problem *out);

/* parts.c */
sup_status sup_tile_list_make(sup_tile_call *call, sup_diag *diag);
sup_status sup_tile_list_combine(sup_tile_call *call, sup_diag *diag);
void sup_tile_list_free(sup_tile_list *list);

/* check.c */
sup_status sup_tile_validate(const sup_tile_op *op, sup_diag *diag);
sup_status sup_tile_check_overlap(const sup_tile_call *call, sup_diag *diag);

/* phase.c: every task of a chain, whatever it is made of; part has set_count entries. */
typedef int sup_tile_each(void *context, const sup_tile_task *task);
int sup_tile_chain(const sup_tile_call *call, int64_t chain, sup_tile_task *task, sup_tile_part *part,
                   sup_tile_each *each, void *context);
/* Runs a task, context being the call; a failure stops the others. */
int sup_tile_run_task(void *context, const sup_tile_task *task);
void sup_tile_fail(sup_tile_call *call, int code, int64_t task);
/* What a worker does in a phase: its chains by formula, or those it takes from its share and from others. */
void sup_tile_phase(sup_tile_seat *seat, sup_tile_each *each, void *context);
void sup_tile_plain_phase(sup_tile_seat *seat); /* every task just run */

/* exec.c: sup_tile_inside is true while a kernel of ours is on this thread's stack. */
extern _Thread_local bool sup_tile_inside;
void sup_tile_execute(sup_tile_call *call);

/* steal.c */
sup_status sup_tile_victims(sup_tile *tile);
void sup_tile_deal(sup_tile_call *call); /* to all workers; nobody may be at work */
/* The first of at most *count chains of its own, which becomes how many there are; -1: none left. */
int64_t sup_tile_take(sup_tile_call *call, int worker, int64_t *count);
int64_t sup_tile_steal(sup_tile_call *call, int worker); /* -1: nobody has any */

/* reduce.c */
sup_status sup_tile_room(sup_tile_call *call, sup_diag *diag);
void *sup_tile_slot(const sup_tile_call *call, int64_t slot);
void sup_tile_reduce(sup_tile_call *call);

#endif
