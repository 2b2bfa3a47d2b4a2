/* Which rule the edges of a recorded superstep follow: ring, grid, all-to-all, out of a root and so on. Requirements
 * stage; a rule is known by making its edges for the recorded number of processes and comparing them with what was
 * recorded. On few processes several rules look alike (of two, ring and all-to-all are the same): traces of different
 * numbers tell them apart, and of one the first of the table is taken. */
#include "program/scale.h"

#include "base/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

static int edge_order(const void *a, const void *b) {
    const sup_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

typedef struct collector {
    sup_traffic *groups;
    int *count;
    bool failed;
} collector;

static void collect(void *context, const sup_edge *e) {
    collector *c = context;
    int k = 0;
    if (e->messages <= 0 || c->failed) return;
    while (k < *c->count && (c->groups[k].move != e->kind || c->groups[k].self != (e->from == e->to))) k++;
    if (k == *c->count) c->groups[(*c->count)++] = (sup_traffic){.move = e->kind, .self = e->from == e->to};
    sup_traffic *g = &c->groups[k];
    c->failed = !sup_list_room(&g->edges, g->count, sizeof *g->edges);
    if (!c->failed) g->edges[g->count++] = *e;
}

/* Edges of the same pair become one; overlap is that of the average byte. */
static void merge(sup_traffic *g) {
    double bytes = 0, overlapped = 0;
    size_t kept = 0;
    if (!g->count) return;
    qsort(g->edges, g->count, sizeof *g->edges, edge_order);
    for (size_t e = 0; e < g->count; e++) {
        const sup_edge x = g->edges[e];
        bytes += x.bytes + 1;
        overlapped += (x.bytes + 1) * x.overlap;
        if (kept && !edge_order(&g->edges[kept - 1], &x)) {
            g->edges[kept - 1].messages += x.messages;
            g->edges[kept - 1].bytes += x.bytes;
        } else {
            g->edges[kept++] = x;
        }
    }
    g->count = kept;
    g->overlap = overlapped / bytes;
}

sup_status sup_traffic_of(const sup_step *step, int64_t processes, sup_traffic out[SUP_TRAFFIC_MAX], int *count) {
    *count = 0;
    collector c = {out, count, false};
    for (size_t f = 0; f < step->flow_count; f++) {
        const sup_flow *flow = &step->flows[f];
        for (size_t e = 0; flow->kind == SUP_FLOW_EDGES && e < flow->edge_count; e++) collect(&c, &flow->edges[e]);
        for (int64_t p = 0; flow->kind != SUP_FLOW_EDGES && p < processes; p++)
            sup_flow_visit(flow, processes, p, 0, collect, &c);
    }
    if (c.failed) {
        sup_traffic_free(out, *count);
        return SUP_ENOMEM;
    }
    for (int k = 0; k < *count; k++) merge(&out[k]);
    return SUP_OK;
}

void sup_traffic_free(sup_traffic *groups, int count) {
    for (int k = 0; k < count; k++) free(groups[k].edges);
}

/* ---- shapes ---- */

typedef enum about { NOTHING, OFFSET, HALF, SENDER, RECEIVER, LAST } about;

typedef struct row {
    const char *name;
    int kind;  /* sup_flow_kind */
    int about; /* what has to be looked up, or comes with P */
    int parts;
    bool periodic, corners, self;
    int offset[2]; /* of the parts */
} row;

static const row rows[] = {
    {"ring", SUP_FLOW_SHIFT, .parts = 2, .periodic = true, .offset = {1, -1}},
    {"neighbours", SUP_FLOW_RING, .parts = 1, .periodic = true, .corners = true},
    {"to the next", SUP_FLOW_SHIFT, .parts = 1, .periodic = true, .offset = {1}},
    {"to the previous", SUP_FLOW_SHIFT, .parts = 1, .periodic = true, .offset = {-1}},
    {"line", SUP_FLOW_SHIFT, .parts = 2, .offset = {1, -1}},
    {"all-to-all", SUP_FLOW_ALL_TO_ALL, .parts = 1}, /* before grids, which are the same where every side is 2 */
    {"2-d grid", SUP_FLOW_STENCIL_2D, .parts = 2},
    {"periodic 2-d grid", SUP_FLOW_STENCIL_2D, .parts = 2, .periodic = true},
    {"2-d grid with corners", SUP_FLOW_STENCIL_2D, .parts = 1, .corners = true},
    {"periodic 2-d grid with corners", SUP_FLOW_STENCIL_2D, .parts = 1, .periodic = true, .corners = true},
    {"3-d grid", SUP_FLOW_STENCIL_3D, .parts = 3},
    {"periodic 3-d grid", SUP_FLOW_STENCIL_3D, .parts = 3, .periodic = true},
    {"3-d grid with corners", SUP_FLOW_STENCIL_3D, .parts = 1, .corners = true},
    {"periodic 3-d grid with corners", SUP_FLOW_STENCIL_3D, .parts = 1, .periodic = true, .corners = true},
    {"out of a root", SUP_FLOW_BROADCAST, .about = SENDER, .parts = 1},
    {"in to a root", SUP_FLOW_GATHER, .about = RECEIVER, .parts = 1},
    {"out of the last", SUP_FLOW_BROADCAST, .about = LAST, .parts = 1},
    {"in to the last", SUP_FLOW_GATHER, .about = LAST, .parts = 1},
    {"doubling distances", SUP_FLOW_DOUBLING, .parts = 1},
    {"to the half", SUP_FLOW_SHIFT, .about = HALF, .parts = 1, .periodic = true},
    {"shift", SUP_FLOW_SHIFT, .about = OFFSET, .parts = 1, .periodic = true},
    {"up the line", SUP_FLOW_SHIFT, .parts = 1, .offset = {1}},
    {"down the line", SUP_FLOW_SHIFT, .parts = 1, .offset = {-1}},
    {"itself", SUP_FLOW_SHIFT, .parts = 1, .self = true},
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *sup_recognised_name(int kind) { return kind >= 0 && kind < ROWS ? rows[kind].name : NULL; }
int sup_recognised_parts(int kind) { return rows[kind].parts; }

static bool grid(const row *r) { return r->kind == SUP_FLOW_STENCIL_2D || r->kind == SUP_FLOW_STENCIL_3D; }

double sup_recognised_x(int kind, int part, int64_t processes) {
    const row *r = &rows[kind];
    int64_t sides[3];
    if (!grid(r) || r->parts == 1) return (double)processes;
    sup_grid_even(processes, r->kind == SUP_FLOW_STENCIL_3D ? 3 : 2, sides);
    return (double)(processes / sides[part]);
}

void sup_recognised_flow(const sup_recognised *shape, int part, int64_t processes, sup_flow *out) {
    const row *r = &rows[shape->kind];
    *out = (sup_flow){.kind = r->kind, .messages = 1, .periodic = r->periodic, .corners = r->corners, .depth = 1};
    if (r->kind == SUP_FLOW_SHIFT) out->offset = r->self ? 0 : r->offset[part];
    if (r->about == OFFSET) out->offset = shape->about;
    if (r->about == HALF) out->offset = processes / 2;
    if (r->about == SENDER || r->about == RECEIVER) out->root = shape->about < processes ? shape->about : 0;
    if (r->about == LAST) out->root = processes - 1;
    if (grid(r) && r->parts > 1) out->axis = part + 1;
}

/* ---- comparing ---- */

typedef struct made {
    int64_t *to;
    size_t count, room;
    bool failed;
} made;

static void note(void *context, const sup_edge *e) {
    made *m = context;
    if (m->failed) return;
    if (m->count == m->room) {
        size_t room = m->room ? 2 * m->room : 16;
        int64_t *to = reallocarray(m->to, room, sizeof *to);
        m->failed = !to;
        if (!to) return;
        m->to = to;
        m->room = room;
    }
    m->to[m->count++] = e->to;
}

static int by_rank(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* All parts' receivers of one sender, sorted. */
static void make_edges(const sup_recognised *s, int64_t processes, int64_t from, made *m) {
    m->count = 0;
    for (int part = 0; part < rows[s->kind].parts; part++) {
        sup_flow f;
        sup_recognised_flow(s, part, processes, &f);
        sup_flow_visit(&f, processes, from, 0, note, m);
    }
    if (m->count) qsort(m->to, m->count, sizeof *m->to, by_rank);
}

static bool same(const sup_recognised *s, const sup_traffic *g, int64_t processes) {
    made m = {0};
    size_t e = 0;
    bool alike = true;
    for (int64_t p = 0; p < processes && alike && !m.failed; p++) {
        make_edges(s, processes, p, &m);
        for (size_t k = 0; k < m.count && alike; k++) {
            if (k && m.to[k] == m.to[k - 1]) continue;
            alike = e < g->count && g->edges[e].from == p && g->edges[e].to == m.to[k];
            e++;
        }
    }
    alike = alike && e == g->count && !m.failed;
    free(m.to);
    return alike;
}

static int64_t about_of(const row *r, const sup_traffic *g, int64_t processes) {
    int64_t d = (g->edges[0].to - g->edges[0].from + processes) % processes;
    if (r->about == OFFSET) return d > processes / 2 ? d - processes : d;
    return r->about == SENDER ? g->edges[0].from : r->about == RECEIVER ? g->edges[0].to : 0;
}

bool sup_recognised_fits(int kind, const sup_traffic *g, int64_t processes, sup_recognised *out) {
    const row *r = &rows[kind];
    if (!g->count || r->self != g->self) return false;
    *out = (sup_recognised){kind, about_of(r, g, processes)};
    if (r->about == HALF && processes % 2) return false;
    return same(out, g, processes);
}

/* ---- amounts ---- */

/* What each process sends and receives over the edges of a part. */
typedef struct sums {
    const sup_traffic *g;
    const made *all; /* receivers of the sender in question, all parts */
    double *messages[2], *bytes[2], *edges[2];
} sums;

static double times_made(const made *m, int64_t to) {
    const int64_t *any = bsearch(&to, m->to, m->count, sizeof to, by_rank), *low = any, *high = any;
    if (!any) return 1;
    while (low > m->to && low[-1] == to) low--;
    while (high + 1 < m->to + m->count && high[1] == to) high++;
    return (double)(high - low + 1);
}

static void add_edge(void *context, const sup_edge *e) {
    sums *s = context;
    sup_edge key = {.from = e->from, .to = e->to};
    const sup_edge *found = bsearch(&key, s->g->edges, s->g->count, sizeof key, edge_order);
    if (!found) return;
    double times = times_made(s->all, e->to);
    for (int end = 0; end < 2; end++) {
        int64_t p = end ? e->to : e->from;
        s->messages[end][p] += found->messages / times;
        s->bytes[end][p] += found->bytes / times;
        s->edges[end][p]++;
    }
}

static sup_edge_amount greatest(const sums *s, int64_t processes) {
    sup_edge_amount a = {NAN, NAN};
    for (int end = 0; end < 2; end++)
        for (int64_t p = 0; p < processes; p++) {
            double n = s->edges[end][p];
            if (!(n > 0)) continue;
            a.messages = fmax(isnan(a.messages) ? 0 : a.messages, s->messages[end][p] / n);
            a.bytes = fmax(isnan(a.bytes) ? 0 : a.bytes, s->bytes[end][p] / n);
        }
    return a;
}

sup_status sup_recognised_amount(const sup_recognised *shape, int part, const sup_traffic *group, int64_t processes,
                                 sup_edge_amount *out) {
    size_t n = (size_t)processes;
    double *memory = calloc(6 * n, sizeof *memory);
    made all = {0};
    sup_flow flow;
    if (!memory) return SUP_ENOMEM;
    sums s = {.g = group, .all = &all};
    for (size_t end = 0; end < 2; end++) {
        s.messages[end] = memory + end * n;
        s.bytes[end] = memory + (2 + end) * n;
        s.edges[end] = memory + (4 + end) * n;
    }
    sup_recognised_flow(shape, part, processes, &flow);
    for (int64_t p = 0; p < processes && !all.failed; p++) {
        make_edges(shape, processes, p, &all);
        sup_flow_visit(&flow, processes, p, 0, add_edge, &s);
    }
    *out = greatest(&s, processes);
    bool failed = all.failed;
    free(all.to);
    free(memory);
    return failed ? SUP_ENOMEM : SUP_OK;
}
