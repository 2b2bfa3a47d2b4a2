/* The requirements of a program: how much work each process does in a superstep, who sends how much to whom, and what
 * may be overlapped. Input of all models (BSP §3.3, §8.5: matrices R, msgs, msgsz), independent of any machine.
 *
 *     sup_program *p;
 *     sup_program_parse(doc, "stencil.json", &diag, &p);  superstep-program(5)
 *     sup_program_from_trace(trace, &diag, &p);           or what a recorded run asked for
 *
 * A program is a list of steps. A step is one superstep, repeated; it may have several rounds (SUMMA's moving pivot,
 * the rounds of a broadcast), each a superstep of its own. Communication stays what it was given as: a list of edges
 * where it was a list, a generator where it was a rule, so that a million processes cost no memory. */
#ifndef SUP_PROGRAM_PROGRAM_H
#define SUP_PROGRAM_PROGRAM_H

#include "base/exchange.h"
#include "base/file/json.h"
#include "machine/origin.h"
#include "trace/trace.h"

#include <stdint.h>

#define SUP_PROGRAM_KIND "superstep-program"
#define SUP_PROGRAM_SCHEMA 1
#define SUP_PROGRAM_PROCESSES_MAX ((int64_t)1 << 24) /* a prediction takes about 100 bytes a process */
#define SUP_PROGRAM_DENSE_MAX 4096
#define SUP_PROGRAM_ALL_MAX 32768 /* processes of a pattern in which everybody sends to everybody, edge by edge */
#define SUP_PROGRAM_EDGES_MAX ((size_t)1 << 30)
#define SUP_PROGRAM_BYTES_MAX 1e18

/* A number for every process: the same for all, or one each. */
typedef struct sup_vector {
    double all;
    double *each; /* NULL: all */
    size_t count; /* of each */
} sup_vector;

/* One kernel of a superstep's computation, or seconds as they were recorded. */
typedef struct sup_work {
    char *kernel;       /* NULL: units are seconds */
    sup_vector units;   /* per process */
    bool total;         /* units.all are those of all processes together, dealt out evenly */
    sup_vector bytes;   /* memory footprint per process; < 0: units × bytes per unit of the kernel */
    double overlap;     /* share that may run while messages travel */
    double deviation_s; /* of seconds, as they scatter where they were recorded; 0 */
    bool foretold;      /* seconds are a profile's, of this very program; else as recorded or described */
    int line;
} sup_work;

typedef enum sup_flow_kind {
    SUP_FLOW_EDGES,
    SUP_FLOW_STENCIL_2D,
    SUP_FLOW_STENCIL_3D,
    SUP_FLOW_RING,
    SUP_FLOW_ALL_TO_ALL,
    SUP_FLOW_BROADCAST,
    SUP_FLOW_RANDOM,
    SUP_FLOW_SUMMA,
    SUP_FLOW_SHIFT,
    SUP_FLOW_GATHER,
    SUP_FLOW_DOUBLING,
    SUP_FLOW_KINDS
} sup_flow_kind;
extern const char *const sup_flow_names[]; /* NULL-terminated */

typedef enum sup_broadcast { SUP_BROADCAST_FLAT, SUP_BROADCAST_BINOMIAL, SUP_BROADCAST_TWO_PHASE } sup_broadcast;

/* messages and bytes from → to, all of a superstep. A get moves bytes from → to as well, and `to` asked for it. */
typedef struct sup_edge {
    int64_t from, to;
    double messages, bytes;
    double overlap; /* share of it that may travel while processes compute */
    int kind;       /* sup_move */
} sup_edge;

typedef struct sup_flow {
    int kind, move;  /* sup_flow_kind, sup_move */
    double messages; /* per edge */
    double bytes;    /* per edge, all its messages together */
    double overlap;
    /* stencils */
    int64_t grid[3];  /* processes a side; 0: as square as P allows */
    int64_t cells[3]; /* of the whole domain; 0: bytes are given instead */
    double cell_bytes;
    int64_t depth;
    bool periodic, corners;
    int axis; /* 0: along all axes; 1, 2, 3: along this one only */
    /* broadcast and gather, random, summa, shift */
    int64_t root, degree, seed, iterations, offset;
    int algorithm; /* sup_broadcast */
    /* edges, by `from` */
    sup_edge *edges;
    size_t edge_count;
    size_t *first; /* [P + 1], made by sup_flow_sort */
    int64_t side;  /* of the matrix that they were given as; 0: of a list */
    int64_t processes;
    int line;
} sup_flow;

/* What is new to a superstep, as a recording says: bytes of memory that a process had not touched, in calls and in the
 * sync; how long somebody waited for the last; and that nothing like it came before (1), so that code and buffers are
 * in no cache. */
typedef struct sup_step_new {
    double *calls, *sync; /* [processes]; NULL: none */
    double wait_s, used;
} sup_step_new;

typedef struct sup_step {
    char *name; /* NULL */
    int64_t repeat;
    sup_work *works;
    size_t work_count;
    sup_flow *flows;
    size_t flow_count;
    char *sync; /* "bsp" (NULL), "none", "map", or a barrier of base/pattern/pattern.h */
    /* Its computation is that of a recording; and one that did not tell time inside puts, gets and sends apart, which
     * then have no price of their own. */
    bool recorded, calls_inside;
    /* what a recording took, per superstep; NaN unknown. With calls_inside, calls are in the computation. */
    double measured_s, measured_compute_s, measured_calls_s, measured_sync_s, measured_deviation_s;
    /* Of the supersteps as they usually are; and of the first of them, where it is another. What calls and sync of that
     * one took beyond the usual ones; NaN unknown. */
    sup_step_new usual, first;
    bool has_first;
    double measured_more_s;
    int line;
} sup_step;

typedef struct sup_program {
    char *name, *file;
    int64_t processes; /* 0: any */
    sup_step *steps;
    size_t step_count;
    bool recorded;
    char *engine;             /* of a recording: "eager", "bulk", … ; NULL */
    const sup_origin *origin; /* of a recording: belongs to the trace */
} sup_program;

/* `name` is the file in messages. SUP_EPARSE with line. */
sup_status sup_program_parse(const sup_json *doc, const char *name, sup_diag *diag, sup_program **out);
void sup_program_free(sup_program *program);
sup_program *sup_program_new(void); /* NULL: no memory */

/* One step for each class of supersteps of the trace, repeated as often as it was met. The trace must outlive it. */
sup_status sup_program_from_trace(const sup_trace *trace, sup_diag *diag, sup_program **out);

/* Appends zeroed elements; NULL: no memory. */
sup_step *sup_program_add_step(sup_program *program);
sup_work *sup_step_add_work(sup_step *step);
sup_flow *sup_step_add_flow(sup_step *step);
bool sup_flow_add_edge(sup_flow *flow, sup_edge edge);

/* Is its computation what a recording took? Then nobody predicts it. */
bool sup_step_taken(const sup_step *step);

/* edges_file.c: the lines "from to messages bytes" of a file become edges. SUP_EPARSE with the line of that file. */
sup_status sup_flow_read_edges(sup_flow *flow, const char *path, sup_diag *diag);
/* edges.c: edges by sender, then receiver, and where each sender's begin. SUP_ENOMEM. */
sup_status sup_flow_sort(sup_flow *flow, int64_t processes);

/* Does it fit P processes? SUP_EINVAL with the line that does not. Makes lists of edges ready. */
sup_status sup_program_fit(sup_program *program, int64_t processes, sup_diag *diag);

/* Rounds of a step on P processes, and how often each of them is run (in place of repeat). */
int64_t sup_step_rounds(const sup_step *step, int64_t processes);
double sup_step_round_repeat(const sup_step *step, int64_t processes, int64_t round);

double sup_vector_at(const sup_vector *v, int64_t rank);
/* Units of rank: dealt out where they are a total. */
double sup_work_units(const sup_work *work, int64_t processes, int64_t rank);

/* All edges that leave `from` in a round, to others and to itself. O(edges). */
typedef void (*sup_edge_visit)(void *context, const sup_edge *edge);
void sup_flow_visit(const sup_flow *flow, int64_t processes, int64_t from, int64_t round, sup_edge_visit visit,
                    void *context);

/* The edge from → to of an all-to-all, or of the second phase of a broadcast in two. */
void sup_flow_visit_one(const sup_flow *flow, int64_t processes, int64_t from, int64_t to, sup_edge_visit visit,
                        void *context);

/* Sides of a stencil's grid of processes. */
void sup_flow_grid(const sup_flow *flow, int64_t processes, int64_t *sides);
/* Sides of the most even grid of P processes, descending. */
void sup_grid_even(int64_t processes, int dims, int64_t *sides);

#endif
