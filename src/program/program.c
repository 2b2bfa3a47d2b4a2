/* Requirements as data: making, freeing, and whether they fit a number of processes. See program.h. */
#include "program/program.h"

#include "base/list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sup_program *sup_program_new(void) { return calloc(1, sizeof(sup_program)); }

sup_step *sup_program_add_step(sup_program *program) {
    if (!sup_list_room(&program->steps, program->step_count, sizeof *program->steps)) return NULL;
    sup_step *s = &program->steps[program->step_count++];
    *s = (sup_step){.repeat = 1};
    s->measured_s = s->measured_compute_s = s->measured_calls_s = s->measured_sync_s = NAN;
    s->measured_deviation_s = s->measured_more_s = NAN;
    return s;
}

sup_work *sup_step_add_work(sup_step *step) {
    if (!sup_list_room(&step->works, step->work_count, sizeof *step->works)) return NULL;
    step->works[step->work_count] = (sup_work){.bytes.all = -1};
    return &step->works[step->work_count++];
}

sup_flow *sup_step_add_flow(sup_step *step) {
    if (!sup_list_room(&step->flows, step->flow_count, sizeof *step->flows)) return NULL;
    step->flows[step->flow_count] = (sup_flow){.messages = 1};
    return &step->flows[step->flow_count++];
}

bool sup_flow_add_edge(sup_flow *flow, sup_edge edge) {
    if (!sup_list_room(&flow->edges, flow->edge_count, sizeof *flow->edges)) return false;
    flow->edges[flow->edge_count++] = edge;
    return true;
}

static void free_step(sup_step *s) {
    for (size_t i = 0; i < s->work_count; i++) {
        free(s->works[i].kernel);
        free(s->works[i].units.each);
        free(s->works[i].bytes.each);
    }
    for (size_t i = 0; i < s->flow_count; i++) {
        free(s->flows[i].edges);
        free(s->flows[i].first);
    }
    free(s->usual.calls);
    free(s->usual.sync);
    free(s->first.calls);
    free(s->first.sync);
    free(s->works);
    free(s->flows);
    free(s->name);
    free(s->sync);
}

void sup_program_free(sup_program *program) {
    if (!program) return;
    for (size_t i = 0; i < program->step_count; i++) free_step(&program->steps[i]);
    free(program->steps);
    free(program->name);
    free(program->file);
    free(program->engine);
    free(program);
}

bool sup_step_taken(const sup_step *step) {
    if (!step->work_count || isnan(step->measured_s)) return false;
    for (size_t i = 0; i < step->work_count; i++)
        if (step->works[i].kernel || step->works[i].foretold) return false;
    return true;
}

double sup_vector_at(const sup_vector *v, int64_t rank) { return v->each ? v->each[rank] : v->all; }

/* Whole units where the total is whole: the first ones have one more. */
double sup_work_units(const sup_work *work, int64_t processes, int64_t rank) {
    if (!work->total) return sup_vector_at(&work->units, rank);
    double all = work->units.all, p = (double)processes;
    if (all != floor(all) || all > 9e15) return all / p;
    double base = floor(all / p);
    return base + ((double)rank < all - base * p ? 1 : 0);
}

/* ---- does it fit? ---- */

typedef struct fitting {
    const sup_program *program;
    int64_t processes;
    sup_diag *diag;
} fitting;

#define REFUSE(fit, line, ...) sup_diag_set((fit)->diag, SUP_EINVAL, (fit)->program->file, line, __VA_ARGS__)

static sup_status fit_vector(const fitting *f, const sup_vector *v, int line, const char *what) {
    if (v->each && v->count != (size_t)f->processes)
        return REFUSE(f, line, "%s has %zu entries, there are %" PRId64 " processes", what, v->count, f->processes);
    return SUP_OK;
}

static sup_status fit_grid(const fitting *f, const sup_flow *flow, int dims) {
    int64_t product = 1;
    if (!flow->grid[0]) return SUP_OK;
    for (int d = 0; d < dims; d++) {
        if (flow->grid[d] > f->processes / product + 1)
            product = INT64_MAX / 2;
        else
            product *= flow->grid[d];
    }
    if (product == f->processes) return SUP_OK;
    if (dims == 2)
        return REFUSE(f, flow->line, "a grid of %" PRId64 " x %" PRId64 " does not have %" PRId64 " processes",
                      flow->grid[0], flow->grid[1], f->processes);
    return REFUSE(f, flow->line,
                  "a grid of %" PRId64 " x %" PRId64 " x %" PRId64 " does not have %" PRId64 " processes",
                  flow->grid[0], flow->grid[1], flow->grid[2], f->processes);
}

static sup_status fit_edges(const fitting *f, sup_flow *flow) {
    if (flow->side && flow->side != f->processes)
        return REFUSE(f, flow->line, "a matrix of %" PRId64 " x %" PRId64 " is not one of %" PRId64 " processes",
                      flow->side, flow->side, f->processes);
    for (size_t e = 0; e < flow->edge_count; e++)
        if (flow->edges[e].from >= f->processes || flow->edges[e].to >= f->processes)
            return REFUSE(f, flow->line,
                          "an edge goes from %" PRId64 " to %" PRId64 ", there are %" PRId64 " processes",
                          flow->edges[e].from, flow->edges[e].to, f->processes);
    if (flow->processes == f->processes) return SUP_OK;
    sup_status st = sup_flow_sort(flow, f->processes);
    if (st) sup_diag_set(f->diag, st, NULL, 0, "no memory for %zu edges", flow->edge_count);
    return st;
}

static sup_status fit_flow(const fitting *f, sup_step *step, sup_flow *flow) {
    bool rounds = flow->kind == SUP_FLOW_SUMMA || (flow->kind == SUP_FLOW_BROADCAST && flow->algorithm);
    if (rounds && step->flow_count > 1)
        return REFUSE(f, flow->line, "a pattern of several rounds (%s) must be the only one of its superstep",
                      sup_flow_names[flow->kind]);
    switch (flow->kind) {
    case SUP_FLOW_EDGES: return fit_edges(f, flow);
    case SUP_FLOW_STENCIL_2D:
    case SUP_FLOW_SUMMA: return fit_grid(f, flow, 2);
    case SUP_FLOW_STENCIL_3D: return fit_grid(f, flow, 3);
    case SUP_FLOW_BROADCAST:
    case SUP_FLOW_GATHER:
        if (flow->root >= f->processes)
            return REFUSE(f, flow->line, "root %" PRId64 ", there are %" PRId64 " processes", flow->root, f->processes);
        return SUP_OK;
    case SUP_FLOW_RANDOM:
        if (flow->degree >= f->processes && f->processes > 1)
            return REFUSE(f, flow->line, "degree %" PRId64 ", there are only %" PRId64 " others", flow->degree,
                          f->processes - 1);
        return SUP_OK;
    }
    return SUP_OK;
}

sup_status sup_program_fit(sup_program *program, int64_t processes, sup_diag *diag) {
    fitting f = {program, processes, diag};
    if (processes < 1 || processes > SUP_PROGRAM_PROCESSES_MAX)
        return REFUSE(&f, 0, "%" PRId64 " processes: must be 1 … %" PRId64, processes, SUP_PROGRAM_PROCESSES_MAX);
    if (program->processes && program->processes != processes)
        return REFUSE(&f, 0, "the requirements are of %" PRId64 " processes, not of %" PRId64, program->processes,
                      processes);
    for (size_t s = 0; s < program->step_count; s++) {
        sup_step *step = &program->steps[s];
        for (size_t w = 0; w < step->work_count; w++) {
            sup_status st = fit_vector(&f, &step->works[w].units, step->works[w].line, "\"units\"");
            if (!st) st = fit_vector(&f, &step->works[w].bytes, step->works[w].line, "\"footprint_bytes\"");
            if (st) return st;
        }
        for (size_t w = 0; w < step->flow_count; w++) {
            sup_status st = fit_flow(&f, step, &step->flows[w]);
            if (st) return st;
        }
    }
    return SUP_OK;
}
