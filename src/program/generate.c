/* Communication generators: requirement matrices given by a rule (BSP fig. 8.8 builds one by hand), edges made on the
 * fly. Each gives the edges that leave one process, so that nothing is stored and a pass over all is linear in edges.
 *
 *     ring        i → i±1                         all-to-all  i → everyone
 *     stencil     i → neighbours of its block     random      i → `degree` others, the same on every machine
 *     broadcast   flat, binomial (⌈log2 P⌉ rounds), or two phases
 *     summa       round k: column k mod c sends along its rows, row k mod r down its columns
 *     shift       i → i + offset                  gather      everyone → root
 *     doubling    i → i + 1, i + 2, i + 4, … */
#include "program/program.h"

#include "base/number/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const sup_flow_names[] = {"edges",  "stencil-2d", "stencil-3d", "ring",   "all-to-all", "broadcast",
                                      "random", "summa",      "shift",      "gather", "doubling",   NULL};

typedef struct out {
    const sup_flow *flow;
    int64_t from;
    sup_edge_visit visit;
    void *context;
} out;

static void emit_bytes(const out *o, int64_t to, double bytes) {
    sup_edge e = {o->from, to, o->flow->messages, bytes, o->flow->overlap, o->flow->move};
    o->visit(o->context, &e);
}

static void emit(const out *o, int64_t to) { emit_bytes(o, to, o->flow->bytes); }

/* ---- grids ---- */

void sup_grid_even(int64_t processes, int dims, int64_t *sides) {
    int64_t left = processes;
    for (int d = dims; d > 1; d--) {
        /* the greatest divisor that is not above the d-th root goes last */
        int64_t side = (int64_t)floor(pow((double)left, 1.0 / d) + 1e-9);
        if (side < 1) side = 1;
        while (left % side) side--;
        sides[d - 1] = side;
        left /= side;
    }
    sides[0] = left;
    for (int a = 0; a < dims; a++) /* descending */
        for (int b = a + 1; b < dims; b++)
            if (sides[b] > sides[a]) {
                int64_t t = sides[a];
                sides[a] = sides[b];
                sides[b] = t;
            }
}

static void grid_of(const sup_flow *f, int64_t processes, int dims, int64_t *sides) {
    if (f->grid[0])
        memcpy(sides, f->grid, (size_t)dims * sizeof *sides);
    else
        sup_grid_even(processes, dims, sides);
}

/* Cells of one side of a block: the first (cells mod side) have one more. */
static double block_cells(int64_t cells, int64_t side, int64_t at) {
    return (double)(cells / side + (at < cells % side ? 1 : 0));
}

/* Bytes of the border towards a neighbour: the product of the sides it runs along, `depth` deep in the others. */
static double border(const sup_flow *f, int dims, const int64_t *sides, const int64_t *at, const int *step) {
    if (!f->cells[0]) return f->bytes;
    double cells = 1;
    for (int d = 0; d < dims; d++) {
        double side = block_cells(f->cells[d], sides[d], at[d]);
        cells *= step[d] ? fmin((double)f->depth, side) : side;
    }
    return cells * f->cell_bytes;
}

static void stencil(const out *o, int64_t processes, int dims) {
    const sup_flow *f = o->flow;
    int64_t sides[3] = {1, 1, 1}, at[3] = {0, 0, 0}, rest = o->from;
    grid_of(f, processes, dims, sides);
    for (int d = dims - 1; d >= 0; d--) {
        at[d] = rest % sides[d];
        rest /= sides[d];
    }
    int all = dims == 2 ? 9 : 27;
    for (int code = 0; code < all; code++) {
        int step[3] = {0, 0, 0}, moved = 0, c = code;
        int64_t to = 0;
        bool inside = true;
        for (int d = dims - 1; d >= 0; d--, c /= 3) {
            step[d] = c % 3 - 1;
            moved += step[d] != 0;
        }
        if (!moved || (moved > 1 && !f->corners) || (f->axis && !step[f->axis - 1])) continue;
        for (int d = 0; d < dims && inside; d++) {
            int64_t p = at[d] + step[d];
            if (p < 0 || p >= sides[d]) {
                inside = f->periodic;
                p = (p + sides[d]) % sides[d];
            }
            to = to * sides[d] + p;
        }
        if (inside && to != o->from) emit_bytes(o, to, border(f, dims, sides, at, step));
    }
}

/* ---- the others ---- */

static void ring(const out *o, int64_t processes) {
    if (processes < 2) return;
    int64_t next = (o->from + 1) % processes, previous = (o->from + processes - 1) % processes;
    if (o->flow->periodic || o->from + 1 < processes) emit(o, next);
    if (o->flow->corners && previous != next && (o->flow->periodic || o->from > 0)) emit(o, previous);
}

static void all_to_all(const out *o, int64_t processes) {
    for (int64_t k = 1; k < processes; k++) emit(o, (o->from + k) % processes);
}

/* Ranks relative to the root. */
static void broadcast(const out *o, int64_t processes, int64_t round) {
    const sup_flow *f = o->flow;
    int64_t me = (o->from - f->root + processes) % processes;
    if (f->algorithm == SUP_BROADCAST_BINOMIAL) {
        int64_t far = (int64_t)1 << round;
        if (me < far && me + far < processes) emit(o, (o->from + far) % processes);
    } else if (f->algorithm == SUP_BROADCAST_FLAT || round == 0) {
        double part = f->algorithm == SUP_BROADCAST_FLAT ? f->bytes : f->bytes / (double)processes;
        if (me) return;
        for (int64_t k = 1; k < processes; k++) emit_bytes(o, (o->from + k) % processes, part);
    } else {
        for (int64_t k = 1; k < processes; k++)
            if ((me + k) % processes) /* the root has it all */
                emit_bytes(o, (o->from + k) % processes, f->bytes / (double)processes);
    }
}

/* Floyd's choice of `degree` different numbers among P − 1, from a generator seeded by rank. */
static void random_sparse(const out *o, int64_t processes) {
    const sup_flow *f = o->flow;
    sup_random r = {.state = (uint64_t)f->seed * 0x9e3779b97f4a7c15u + (uint64_t)o->from};
    int64_t chosen[64], count = 0, n = processes - 1, degree = f->degree < n ? f->degree : n;
    sup_random_next(&r);
    for (int64_t j = n - degree; j < n; j++) {
        int64_t t = (int64_t)sup_random_below(&r, (uint64_t)j + 1);
        for (int64_t k = 0; k < count; k++)
            if (chosen[k] == t) t = j;
        chosen[count++] = t;
        emit(o, t < o->from ? t : t + 1);
    }
}

static void summa(const out *o, int64_t processes, int64_t round) {
    int64_t sides[2];
    grid_of(o->flow, processes, 2, sides);
    int64_t row = o->from / sides[1], column = o->from % sides[1];
    if (column == round % sides[1])
        for (int64_t c = 0; c < sides[1]; c++)
            if (c != column) emit(o, row * sides[1] + c);
    if (row == round % sides[0])
        for (int64_t r = 0; r < sides[0]; r++)
            if (r != row) emit(o, r * sides[1] + column);
}

/* Offset 0 is a process with itself. */
static void shift(const out *o, int64_t processes) {
    int64_t to = o->from + o->flow->offset % processes;
    if (o->flow->periodic) to = (to + processes) % processes;
    if (o->flow->offset / processes && !o->flow->periodic) return;
    if (to >= 0 && to < processes && (to != o->from || !o->flow->offset)) emit(o, to);
}

static void doubling(const out *o, int64_t processes) {
    for (int64_t far = 1; far < processes; far *= 2) emit(o, (o->from + far) % processes);
}

static void listed(const out *o) {
    const sup_flow *f = o->flow;
    for (size_t e = f->first[o->from]; e < f->first[o->from + 1]; e++) o->visit(o->context, &f->edges[e]);
}

void sup_flow_visit(const sup_flow *flow, int64_t processes, int64_t from, int64_t round, sup_edge_visit visit,
                    void *context) {
    out o = {flow, from, visit, context};
    switch (flow->kind) {
    case SUP_FLOW_EDGES: listed(&o); break;
    case SUP_FLOW_STENCIL_2D: stencil(&o, processes, 2); break;
    case SUP_FLOW_STENCIL_3D: stencil(&o, processes, 3); break;
    case SUP_FLOW_RING: ring(&o, processes); break;
    case SUP_FLOW_ALL_TO_ALL: all_to_all(&o, processes); break;
    case SUP_FLOW_BROADCAST: broadcast(&o, processes, round); break;
    case SUP_FLOW_RANDOM: random_sparse(&o, processes); break;
    case SUP_FLOW_SUMMA: summa(&o, processes, round); break;
    case SUP_FLOW_SHIFT: shift(&o, processes); break;
    case SUP_FLOW_GATHER:
        if (from != flow->root) emit(&o, flow->root);
        break;
    case SUP_FLOW_DOUBLING: doubling(&o, processes); break;
    }
}

void sup_flow_visit_one(const sup_flow *flow, int64_t processes, int64_t from, int64_t to, sup_edge_visit visit,
                        void *context) {
    out o = {flow, from, visit, context};
    if (from == to) return;
    if (flow->kind == SUP_FLOW_ALL_TO_ALL)
        emit(&o, to);
    else if (to != flow->root)
        emit_bytes(&o, to, flow->bytes / (double)processes);
}

void sup_flow_grid(const sup_flow *flow, int64_t processes, int64_t *sides) {
    grid_of(flow, processes, flow->kind == SUP_FLOW_STENCIL_3D ? 3 : 2, sides);
}

/* ---- rounds ---- */

static int64_t log2_up(int64_t n) {
    int64_t k = 0;
    while (((int64_t)1 << k) < n) k++;
    return k;
}

static int64_t common(int64_t a, int64_t b) {
    int64_t x = a, y = b;
    while (y) {
        int64_t t = x % y;
        x = y;
        y = t;
    }
    return a / x * b;
}

/* After this many iterations the same processes hold the pivots again. */
static int64_t summa_period(const sup_flow *f, int64_t processes) {
    int64_t sides[2];
    grid_of(f, processes, 2, sides);
    int64_t period = common(sides[0], sides[1]);
    assert(period > 0);
    return f->iterations > 0 && f->iterations < period ? f->iterations : period;
}

static int64_t flow_rounds(const sup_flow *f, int64_t processes) {
    if (f->kind == SUP_FLOW_SUMMA) return summa_period(f, processes);
    if (f->kind != SUP_FLOW_BROADCAST) return 1;
    if (f->algorithm == SUP_BROADCAST_BINOMIAL) return processes > 1 ? log2_up(processes) : 1;
    return f->algorithm == SUP_BROADCAST_TWO_PHASE ? 2 : 1;
}

/* A flow with several rounds is the only one of its step (sup_program_fit). */
int64_t sup_step_rounds(const sup_step *step, int64_t processes) {
    int64_t rounds = 1;
    for (size_t i = 0; i < step->flow_count; i++) {
        int64_t r = flow_rounds(&step->flows[i], processes);
        if (r > rounds) rounds = r;
    }
    return rounds;
}

double sup_step_round_repeat(const sup_step *step, int64_t processes, int64_t round) {
    double repeat = (double)step->repeat;
    if (step->flow_count == 1 && step->flows[0].kind == SUP_FLOW_SUMMA) {
        int64_t n = step->flows[0].iterations, period = summa_period(&step->flows[0], processes);
        return repeat * (double)(n / period + (round < n % period ? 1 : 0));
    }
    return repeat;
}
