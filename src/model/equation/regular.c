/* Which ranks are alike (regular.h), for Tcomm of regular patterns on a million processes.
 *
 * On a machine of nested groups of consecutive ranks the class of a pair (i, i + d) depends on i only by its remainder
 * modulo the largest group, and a pattern treats ranks alike except near some places: the ends, the root, the borders
 * of a grid, where blocks get smaller. Ranks are cut there, along the line of ranks and along each axis of a grid;
 * those between the same cuts with the same remainder are alike, and the first of them stands for all. In an all-to-all
 * remainders do not matter, but the last groups do, which may not be full. */
#include "model/equation/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS = 512, AXES = 4, KINDS_MAX = 1 << 18 };

typedef struct axis {
    int64_t length;
    int64_t cut[CUTS]; /* ascending; 0 first, length last */
    int count;
} axis;

struct sup_regular {
    int64_t processes, period;
    int axes;       /* 1: the line of ranks only; more: those of the grid behind it, the last changes fastest */
    axis *axis;     /* [AXES] */
    int64_t *first; /* of each kind: its representative; -1 none */
    size_t kinds;
    int64_t *ranks; /* representatives, ascending */
    size_t count;
    int64_t *senders; /* who may send to one, ascending; NULL: everybody */
    size_t sender_count;
    bool everybody;
    int32_t *of;     /* [processes] who stands for a rank */
    uint32_t *times; /* [processes] for how many it stands; 0: it is no representative */
};

/* ---- cuts ---- */

static void cut(axis *a, int64_t at) {
    if (at <= 0 || at >= a->length || a->count >= CUTS) return;
    int k = a->count;
    while (a->cut[k - 1] > at) k--;
    if (a->cut[k - 1] == at) return;
    memmove(&a->cut[k + 1], &a->cut[k], (size_t)(a->count - k) * sizeof *a->cut);
    a->cut[k] = at;
    a->count++;
}

static void start(axis *a, int64_t length) {
    a->length = length;
    a->cut[0] = 0;
    a->cut[1] = length;
    a->count = 2;
}

static int64_t groups_around(const sup_platform *m, size_t level) {
    size_t levels = m->pairs->levels_count;
    return level < levels ? m->pairs->levels[level].size : m->per_host;
}

/* At a place, and at the ends of all groups that it lies in. */
static void cut_around(axis *a, const sup_platform *m, int64_t at) {
    cut(a, at);
    for (size_t l = 0; l <= m->pairs->levels_count; l++) {
        int64_t size = groups_around(m, l);
        if (size < 2) continue;
        cut(a, at / size * size);
        cut(a, at / size * size + size);
    }
}

/* One rank and the groups around it. */
static void cut_rank(axis *a, const sup_platform *m, int64_t rank) {
    cut_around(a, m, rank);
    cut(a, rank + 1);
}

/* Groups that are not full. */
static void cut_last(axis *a, const sup_platform *m) {
    for (size_t l = 0; l <= m->pairs->levels_count; l++) {
        int64_t size = groups_around(m, l);
        if (size > 1) cut(a, a->length / size * size);
    }
}

static void cut_shift(axis *a, const sup_platform *m, int64_t offset) {
    int64_t far = (offset < 0 ? -offset : offset) % a->length;
    cut_around(a, m, far);
    cut_around(a, m, a->length - far);
}

static void cut_broadcast(axis *a, const sup_platform *m, const sup_flow *f, int64_t round) {
    int64_t n = a->length;
    cut_rank(a, m, f->root);
    if (f->algorithm == SUP_BROADCAST_TWO_PHASE && round > 0) cut_last(a, m);
    if (f->algorithm != SUP_BROADCAST_BINOMIAL) return;
    int64_t far = (int64_t)1 << round, places[] = {far, 2 * far, n - far, 2 * far - n};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (places[k] >= 0) cut_around(a, m, (f->root + places[k]) % n);
    cut_around(a, m, far);
    cut_around(a, m, n - far);
}

/* Borders of the grid, and where blocks have one cell less; a neighbour's block counts too. */
static void cut_side(axis *a, const sup_flow *f, int d) {
    cut(a, 1);
    cut(a, a->length - 1);
    if (!f->cells[0]) return;
    int64_t rest = f->cells[d] % a->length;
    for (int64_t k = -1; k <= 1 && rest; k++) cut(a, rest + k);
}

static bool cut_grid(sup_regular *r, const sup_flow *f, int dims) {
    int64_t sides[3];
    sup_flow_grid(f, r->processes, sides);
    for (int d = 0; d < dims; d++) {
        axis *a = &r->axis[d + 1];
        if (r->axes == 1)
            start(a, sides[d]);
        else if (r->axes != dims + 1 || a->length != sides[d])
            return false;
    }
    r->axes = dims + 1;
    for (int d = 0; d < dims; d++) cut_side(&r->axis[d + 1], f, d);
    return true;
}

/* false: not regular. */
static bool cut_flow(sup_regular *r, const sup_platform *m, const sup_flow *f, int64_t round, bool *remainders) {
    axis *line = &r->axis[0];
    bool apart = true;
    switch (f->kind) {
    case SUP_FLOW_STENCIL_2D:
        if (!cut_grid(r, f, 2)) return false;
        break;
    case SUP_FLOW_STENCIL_3D:
        if (!cut_grid(r, f, 3)) return false;
        break;
    case SUP_FLOW_RING: cut_shift(line, m, 1); break;
    case SUP_FLOW_SHIFT: cut_shift(line, m, f->offset); break;
    case SUP_FLOW_DOUBLING:
        for (int64_t far = 1; far < r->processes; far *= 2) {
            cut(line, far);
            cut(line, r->processes - far);
        }
        break;
    case SUP_FLOW_ALL_TO_ALL:
        cut_last(line, m);
        apart = false;
        break;
    case SUP_FLOW_GATHER:
        cut_rank(line, m, f->root);
        apart = false;
        break;
    case SUP_FLOW_BROADCAST:
        cut_broadcast(line, m, f, round);
        apart = f->algorithm == SUP_BROADCAST_BINOMIAL;
        break;
    default: return false;
    }
    *remainders |= apart;
    return true;
}

/* ---- kinds of ranks ---- */

typedef struct walk {
    int64_t rank, at[AXES], remainder;
    int in[AXES];
} walk;

static size_t kind_at(const sup_regular *r, const walk *w) {
    size_t kind = 0;
    for (int d = 0; d < r->axes; d++) kind = kind * (size_t)(r->axis[d].count - 1) + (size_t)w->in[d];
    return kind * (size_t)r->period + (size_t)w->remainder;
}

static void next(const sup_regular *r, walk *w) {
    w->rank++;
    if (++w->remainder == r->period) w->remainder = 0;
    if (w->rank == r->axis[0].cut[w->in[0] + 1]) w->in[0]++;
    for (int d = r->axes - 1; d > 0; d--) {
        const axis *a = &r->axis[d];
        if (++w->at[d] == a->length) {
            w->at[d] = w->in[d] = 0;
            continue;
        }
        if (w->at[d] == a->cut[w->in[d] + 1]) w->in[d]++;
        break;
    }
}

static bool find_kinds(sup_regular *r) {
    r->kinds = (size_t)r->period;
    for (int d = 0; d < r->axes; d++) {
        r->kinds *= (size_t)(r->axis[d].count - 1);
        if (r->kinds > KINDS_MAX || r->axis[d].count >= CUTS) return false;
    }
    r->first = malloc((r->kinds + 1) * sizeof *r->first);
    r->ranks = malloc((r->kinds + 1) * sizeof *r->ranks);
    r->of = malloc((size_t)r->processes * sizeof *r->of);
    r->times = calloc((size_t)r->processes, sizeof *r->times);
    if (!r->first || !r->ranks || !r->of || !r->times) return false;
    for (size_t k = 0; k < r->kinds; k++) r->first[k] = -1;
    walk w = {0};
    for (; w.rank < r->processes; next(r, &w)) {
        size_t kind = kind_at(r, &w);
        if (r->first[kind] < 0) {
            r->first[kind] = w.rank;
            r->ranks[r->count++] = w.rank;
        }
        r->of[w.rank] = (int32_t)r->first[kind];
        r->times[r->first[kind]]++;
    }
    return true;
}

/* ---- who sends to them ---- */

static bool dense(const sup_flow *f, int64_t round) {
    return f->kind == SUP_FLOW_ALL_TO_ALL ||
           (f->kind == SUP_FLOW_BROADCAST && f->algorithm == SUP_BROADCAST_TWO_PHASE && round > 0);
}

static void add_sender(sup_regular *r, int64_t rank) {
    rank = (rank % r->processes + r->processes) % r->processes;
    r->senders[r->sender_count++] = rank;
}

typedef struct neighbours {
    sup_regular *r;
} neighbours;

static void take_neighbour(void *context, const sup_edge *e) { add_sender(((neighbours *)context)->r, e->to); }

/* Patterns on grids are symmetric: who is sent to sends. */
static void add_senders(sup_regular *r, const sup_flow *f, int64_t round, int64_t to) {
    neighbours n = {r};
    switch (f->kind) {
    case SUP_FLOW_STENCIL_2D:
    case SUP_FLOW_STENCIL_3D: sup_flow_visit(f, r->processes, to, round, take_neighbour, &n); break;
    case SUP_FLOW_RING:
        add_sender(r, to - 1);
        add_sender(r, to + 1);
        break;
    case SUP_FLOW_SHIFT: add_sender(r, to - f->offset % r->processes); break;
    case SUP_FLOW_DOUBLING:
        for (int64_t far = 1; far < r->processes; far *= 2) add_sender(r, to - far);
        break;
    case SUP_FLOW_BROADCAST:
        add_sender(r, f->algorithm == SUP_BROADCAST_BINOMIAL ? to - ((int64_t)1 << round) : f->root);
        break;
    default: break;
    }
}

static int by_rank(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum { SENDERS = 64 }; /* of one flow to one rank, at most */

static bool find_senders(sup_regular *r, const sup_step *step, int64_t round) {
    for (size_t f = 0; f < step->flow_count; f++)
        r->everybody |= dense(&step->flows[f], round) || step->flows[f].kind == SUP_FLOW_GATHER;
    if (r->everybody) return true;
    r->senders = malloc((r->count * (SENDERS * step->flow_count + 1) + 1) * sizeof *r->senders);
    if (!r->senders) return false;
    for (size_t k = 0; k < r->count; k++) {
        add_sender(r, r->ranks[k]);
        for (size_t f = 0; f < step->flow_count; f++) add_senders(r, &step->flows[f], round, r->ranks[k]);
    }
    qsort(r->senders, r->sender_count, sizeof *r->senders, by_rank);
    size_t kept = 0;
    for (size_t k = 0; k < r->sender_count; k++)
        if (!kept || r->senders[kept - 1] != r->senders[k]) r->senders[kept++] = r->senders[k];
    r->sender_count = kept;
    return true;
}

/* ---- visiting ---- */

typedef struct filter {
    const sup_regular *r;
    sup_edge_visit visit;
    void *context;
} filter;

static void pass(void *context, const sup_edge *e) {
    const filter *f = context;
    if (f->r->times[e->to]) f->visit(f->context, e);
}

static void from_sender(const sup_regular *r, const sup_flow *flow, int64_t round, int64_t from, filter *f) {
    if (r->times[from])
        sup_flow_visit(flow, r->processes, from, round, f->visit, f->context);
    else if (dense(flow, round))
        for (size_t k = 0; k < r->count; k++)
            sup_flow_visit_one(flow, r->processes, from, r->ranks[k], f->visit, f->context);
    else
        sup_flow_visit(flow, r->processes, from, round, pass, f);
}

void sup_regular_visit(const sup_regular *r, const sup_flow *flow, int64_t round, sup_edge_visit visit, void *context) {
    filter f = {r, visit, context};
    if (r->everybody)
        for (int64_t p = 0; p < r->processes; p++) from_sender(r, flow, round, p, &f);
    else
        for (size_t k = 0; k < r->sender_count; k++) from_sender(r, flow, round, r->senders[k], &f);
}

void sup_regular_spread(const sup_regular *r, sup_terms *t) {
    double *const vectors[] = {t->latency,    t->bytes,  t->comm_over, t->late_latency,
                               t->late_bytes, t->d_comm, t->d_late};
    for (int64_t p = 0; p < r->processes; p++) {
        int64_t from = r->of[p];
        if (from == p) continue;
        for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) vectors[v][p] = vectors[v][from];
    }
}

int64_t sup_regular_of(const sup_regular *r, int64_t rank) { return r->of[rank]; }
int64_t sup_regular_times(const sup_regular *r, int64_t rank) { return r->times[rank]; }

/* ---- the whole ---- */

/* Groups inside groups, all of consecutive ranks. The largest that does not hold all, hosts included, or 0. */
static int64_t period_of(const sup_platform *m) {
    int64_t period = 1;
    if (!m->pairs || !m->regular || m->ranged) return 0;
    for (size_t l = 0; l <= m->pairs->levels_count; l++) {
        int64_t size = groups_around(m, l);
        if (size < 2 || size >= m->processes) continue;
        if (size % period && period % size) return 0;
        if (size > period) period = size;
    }
    return period;
}

/* Edges that would have to be visited one by one. */
static double edges_of(const sup_step *step, int64_t processes, int64_t round) {
    double edges = 0;
    for (size_t f = 0; f < step->flow_count; f++)
        if (dense(&step->flows[f], round)) edges += (double)processes * (double)processes;
    return edges;
}

static bool make(const sup_platform *m, const sup_step *step, int64_t round, sup_regular *r) {
    bool remainders = false;
    int64_t period = period_of(m);
    r->processes = m->processes;
    r->axes = 1;
    r->axis = period ? calloc(AXES, sizeof *r->axis) : NULL;
    if (!r->axis) return false;
    start(&r->axis[0], m->processes);
    for (size_t f = 0; f < step->flow_count; f++)
        if (!cut_flow(r, m, &step->flows[f], round, &remainders)) return false;
    r->period = remainders ? period : 1;
    if (!find_kinds(r)) return false;
    if (edges_of(step, (int64_t)r->count, round) > 0 && r->count > 512) return false;
    return find_senders(r, step, round);
}

sup_status sup_regular_open(const sup_platform *m, const sup_step *step, int64_t round, sup_diag *diag,
                            sup_regular **out) {
    *out = NULL;
    if (!step->flow_count || m->processes < m->regular_from) return SUP_OK;
    sup_regular *r = calloc(1, sizeof *r);
    if (!r) return sup_diag_no_memory(diag);
    if (make(m, step, round, r)) {
        *out = r;
        return SUP_OK;
    }
    sup_regular_close(r);
    if (edges_of(step, m->processes, round) <= (double)SUP_PROGRAM_ALL_MAX * SUP_PROGRAM_ALL_MAX) return SUP_OK;
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                        "everybody to everybody on %" PRId64 " processes, which are not alike on this machine: at most "
                        "%d can be priced edge by edge",
                        m->processes, SUP_PROGRAM_ALL_MAX);
}

void sup_regular_close(sup_regular *r) {
    if (!r) return;
    free(r->axis);
    free(r->first);
    free(r->ranks);
    free(r->senders);
    free(r->of);
    free(r->times);
    free(r);
}
