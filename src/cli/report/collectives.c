/* superstep report, section "Collective operations": what is chosen for each transport
 * (choose/collective/collective.h), for the page. */
#include "cli/report/collectives.h"

#include "choose/collective/collective.h"
#include "choose/collective/say.h"
#include "choose/collective/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 7, PROCESSES_MOST = 256 };

/* ---- one operation ---- */

static double gain(double with, double without) { return with > 0 && without > 0 ? without / with : NAN; }

static void add_part(const sup_coll_grid *g, size_t from, size_t to, sup_collective_shown *out) {
    sup_collective_part *p = &out->parts[out->part_count++];
    int choice = sup_coll_grid_at(g, from), usual = g->usual[from];
    *p = (sup_collective_part){.from = from, .to = to, .predicted = NAN, .measured = NAN};
    p->changes = g->taken[from] >= 0 && choice != usual;
    snprintf(p->choice, sizeof p->choice, "%s", choice < 0 ? "–" : g->at[choice].text);
    snprintf(p->instead, sizeof p->instead, "%s", usual < 0 ? "–" : g->at[usual].text);
    for (size_t s = from; s < to && p->changes; s++) {
        const sup_coll_time *c = &g->at[choice].time[s], *u = &g->at[usual].time[s];
        p->predicted = fmax(p->predicted, gain(c->predicted_s, u->predicted_s)); /* fmax passes NaN over */
        p->measured = fmax(p->measured, gain(c->measured_s, u->measured_s));
    }
}

static bool take_parts(const sup_coll_grid *g, sup_collective_shown *out) {
    out->parts = calloc(g->sizes + 1, sizeof *out->parts);
    for (size_t from = 0, to; out->parts && from < g->sizes; from = to) {
        for (to = from + 1; to < g->sizes && sup_coll_grid_at(g, to) == sup_coll_grid_at(g, from) &&
                            (g->taken[to] < 0 || g->usual[to] == g->usual[from]);
             to++) {
        }
        add_part(g, from, to, out);
    }
    return out->parts != NULL;
}

/* Sum over sizes of the logarithm of its time; of sizes that it cannot do, ten times the best of all. */
static double rank_of(const sup_coll_grid *g, size_t i) {
    double sum = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        double v = g->at[i].time[s].cost.value, least = INFINITY;
        for (size_t k = 0; k < g->count; k++) least = fmin(least, g->at[k].time[s].cost.value);
        if (isfinite(least)) sum += log((v > 0 ? v : 10 * least) / least);
    }
    return sum;
}

static bool take_lines(const sup_coll_grid *g, sup_collective_shown *out) {
    bool *said = calloc(g->count + 1, sizeof *said);
    out->lines = calloc(LINES, sizeof *out->lines);
    bool ok = said && out->lines;
    while (ok && out->line_count < LINES && out->line_count < g->count) {
        size_t best = g->count;
        for (size_t i = 0; i < g->count; i++)
            if (!said[i] && (best == g->count || rank_of(g, i) < rank_of(g, best))) best = i;
        sup_collective_line *l = &out->lines[out->line_count];
        said[best] = true;
        if (!(l->seconds = malloc(g->sizes * sizeof *l->seconds))) {
            ok = false;
            break;
        }
        snprintf(l->name, sizeof l->name, "%s", g->at[best].text);
        for (size_t s = 0; s < g->sizes; s++) l->seconds[s] = g->at[best].time[s].cost.value;
        out->line_count++;
    }
    free(said);
    return ok;
}

static bool is_drawn(int operation) {
    return operation == SUP_BROADCAST || operation == SUP_ALLREDUCE || operation == SUP_ALLGATHER ||
           operation == SUP_ALLTOALL;
}

static bool take(const sup_coll_grid *g, sup_collective_shown *out) {
    *out = (sup_collective_shown){.sizes = g->sizes, .drawn = is_drawn(g->set.operation)};
    snprintf(out->operation, sizeof out->operation, "%s", sup_operation_names[g->set.operation]);
    out->bytes = malloc(g->sizes * sizeof *out->bytes + 1);
    for (size_t s = 0; out->bytes && s < g->sizes; s++) out->bytes[s] = (double)g->total[s];
    return out->bytes && take_parts(g, out) && (!out->drawn || take_lines(g, out));
}

/* ---- one transport ---- */

static void add_operation(const sup_coll_source *source, const sup_coll_sets *sets, int operation,
                          sup_collectives_of *out) {
    sup_diag diag = {0};
    sup_coll_grid g;
    sup_coll_set set = sup_coll_set_of(sets, sets->count - 1, operation);
    if (sup_coll_grid_open(source, &set, &diag, &g)) return;
    if (sup_coll_known(&g) && !sup_coll_grid_cover(&g) && take(&g, &out->at[out->count])) out->count++;
    sup_coll_grid_free(&g);
}

static void add_all(const sup_profile *profile, const sup_platform *m, sup_collectives_of *out) {
    sup_collective_platform *costs = NULL;
    sup_coll_sets sets;
    sup_diag diag = {0};
    if (sup_coll_sets_open(m, &sets)) return;
    out->processes = m->processes;
    out->hosts = sets.hosts[sets.count - 1];
    snprintf(out->transport, sizeof out->transport, "%s", m->transport);
    if (!sup_collective_open(profile, m->transport, &diag, &costs)) {
        sup_coll_source source = sup_coll_source_of(profile, m->transport, costs);
        for (int op = 0; op < SUP_BARRIER && out->at; op++) add_operation(&source, &sets, op, out);
        sup_collective_close(costs);
    }
    sup_coll_sets_free(&sets);
}

void sup_report_collectives(const sup_profile *profile, sup_collectives_list *out) {
    *out = (sup_collectives_list){.at = calloc(profile->pairs_count + 1, sizeof *out->at)};
    for (size_t i = 0; out->at && i < profile->pairs_count; i++) {
        sup_platform_options o = {.transport = profile->pairs[i].transport};
        sup_diag diag = {0};
        sup_platform *m = NULL;
        if (!o.transport || sup_platform_open(profile, &o, &diag, &m)) continue;
        sup_collectives_of *of = &out->at[out->count];
        if (m->processes > 1 && m->processes <= PROCESSES_MOST && (of->at = calloc(SUP_OPERATIONS, sizeof *of->at)))
            add_all(profile, m, of);
        if (of->count)
            out->count++;
        else
            free(of->at);
        sup_platform_free(m);
    }
    if (!out->count) sup_collectives_list_free(out);
}
