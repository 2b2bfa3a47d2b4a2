/* First times (profile section "first"): what a superstep takes more because memory is touched that nobody has touched,
 * because somebody waited for so long that it sleeps, or because nothing like it came before, so that code, logs and
 * data are in no cache. What is new a trace says (program.h); Tcomm and Tsync.
 *
 *     before the barrier │ the barrier │ behind it
 *     memory in calls    │ waking      │ memory in the sync
 *     first use, calls   │             │ first use, sync        by the bytes that a process asks for, and is asked for
 *
 * The three were measured apart, and are added. */
#include "model/equation/model.h"

#include <math.h>
#include <string.h>

#define DOUBT 0.25      /* of it: they were never measured together */
#define LEAST_BYTES 8.0 /* of a first use: code takes its time without any bytes */

typedef struct amount {
    double value, half;
} amount;

typedef struct first_price {
    amount memory[SUP_PARTS], use[SUP_PARTS], waking;
} first_price;

const char *const sup_first_names[] = {"memory", "waking", "use", NULL};

/* ---- the profile's section ---- */

/* Of the nearest number of processes; NULL: there is none. */
static const sup_first_time *measured(const sup_platform *m) {
    const sup_first_time *best = NULL;
    double nearest = INFINITY;
    for (size_t i = 0; i < m->profile->first_count; i++) {
        const sup_first_time *f = &m->profile->first[i];
        if (!f->transport || strcmp(f->transport, m->transport) != 0) continue;
        double distance = fabs(log((double)f->processes / (double)m->processes));
        if (distance >= nearest) continue;
        nearest = distance;
        best = f;
    }
    return best;
}

static amount on_curve(const sup_platform *m, const sup_file_curve *curve, double x) {
    if (!curve || !curve->curve || !(x > 0)) return (amount){0};
    sup_prediction p = sup_platform_curve(m, curve, x);
    return (amount){p.value, hypot(p.high - p.value, DOUBT * p.value)};
}

/* On the line between two latenesses; nothing before the first, where nobody sleeps; as the last beyond it. */
static amount waking_of(const sup_platform *m, const sup_first_time *f, double wait_s) {
    const double *y = m->typical && f->typical_count ? f->typical : f->waking_s;
    size_t n = f->late_s_count, i = 0;
    if (!n || !(wait_s >= f->late_s[0])) return (amount){0};
    while (i < n && f->late_s[i] <= wait_s) i++;
    if (i == n) return (amount){y[n - 1], hypot(f->ci_count ? m->widen * f->ci[n - 1] : 0, DOUBT * y[n - 1])};
    double x0 = f->late_s[i - 1], y0 = y[i - 1];
    double value = y0 + (y[i] - y0) * (wait_s - x0) / (f->late_s[i] - x0);
    return (amount){value, hypot(f->ci_count ? m->widen * f->ci[i] : 0, DOUBT * value)};
}

/* ---- a process ---- */

static double of(const double *list, int64_t p) { return list ? list[p] : 0; }

static first_price price(const sup_platform *m, const sup_first_time *f, const sup_step_new *x, int64_t p, double out,
                         double in) {
    first_price r = {.memory = {on_curve(m, f->memory_s, of(x->calls, p)), on_curve(m, f->memory_s, of(x->sync, p))},
                     .waking = waking_of(m, f, m->compute_scale * x->wait_s)};
    if (!(x->used > 0)) return r;
    r.use[SUP_PART_CALLS] = on_curve(m, f->use_calls_s, fmax(out, LEAST_BYTES));
    r.use[SUP_PART_SYNC] = on_curve(m, f->use_sync_s, fmax(in, LEAST_BYTES));
    for (int k = 0; k < SUP_PARTS; k++) {
        r.use[k].value *= x->used;
        r.use[k].half *= x->used;
    }
    return r;
}

/* What each process asks for, and is asked for. */
static void count_bytes(const sup_platform *m, const sup_step *step, double *out, double *in) {
    memset(out, 0, (size_t)m->processes * sizeof *out);
    memset(in, 0, (size_t)m->processes * sizeof *in);
    for (size_t k = 0; k < step->flow_count; k++) {
        const sup_flow *flow = &step->flows[k];
        for (size_t e = 0; flow->kind == SUP_FLOW_EDGES && e < flow->edge_count; e++) {
            const sup_edge *edge = &flow->edges[e];
            bool reads = sup_move_reads(edge->kind);
            out[reads ? edge->to : edge->from] += edge->bytes;
            in[reads ? edge->from : edge->to] += edge->bytes;
        }
    }
}

/* ---- all of them ---- */

static bool is_new(const sup_step_new *x) { return x->calls || x->sync || x->wait_s > 0 || x->used > 0; }

void sup_first_add(const sup_platform *m, const sup_step *step, sup_terms *t) {
    const sup_first_time *f = is_new(&step->usual) && m->processes > 1 ? measured(m) : NULL;
    double *out = t->scratch[0], *in = t->scratch[1];
    if (!f) return;
    count_bytes(m, step, out, in);
    for (int64_t p = 0; p < m->processes; p++) {
        first_price r = price(m, f, &step->usual, p, out[p], in[p]);
        t->bytes[p] += r.memory[SUP_PART_CALLS].value;
        t->latency[p] += r.use[SUP_PART_CALLS].value;
        t->late_bytes[p] += r.memory[SUP_PART_SYNC].value;
        t->late_latency[p] += r.use[SUP_PART_SYNC].value;
        t->sync[p] += r.waking.value;
        t->d_comm[p] = hypot(t->d_comm[p], r.memory[SUP_PART_CALLS].half + r.use[SUP_PART_CALLS].half);
        t->d_late[p] = hypot(t->d_late[p], r.memory[SUP_PART_SYNC].half + r.use[SUP_PART_SYNC].half);
        t->d_sync[p] = hypot(t->d_sync[p], r.waking.half);
    }
}

void sup_first_parts(const sup_platform *m, const sup_step *step, const sup_terms *t, int64_t before, int64_t behind,
                     double seconds[SUP_FIRST_PARTS]) {
    const sup_first_time *f = is_new(&step->usual) && m->processes > 1 ? measured(m) : NULL;
    for (int k = 0; k < SUP_FIRST_PARTS; k++) seconds[k] = 0;
    if (!f) return;
    const double *out = t->scratch[0], *in = t->scratch[1];
    first_price a = price(m, f, &step->usual, before, out[before], in[before]),
                b = price(m, f, &step->usual, behind, out[behind], in[behind]);
    seconds[SUP_FIRST_TOUCH] = a.memory[SUP_PART_CALLS].value + b.memory[SUP_PART_SYNC].value;
    seconds[SUP_FIRST_WAKE] = b.waking.value;
    seconds[SUP_FIRST_USED] = a.use[SUP_PART_CALLS].value + b.use[SUP_PART_SYNC].value;
}
