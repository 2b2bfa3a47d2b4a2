/* Descriptions in strong and weak scaling: the same problem for all P, or one that grows as P does. Requirements stage.
 *
 *     strong   units and footprints of a process shrink as 1/P; totals and cells stay
 *     weak     units of a process stay; totals grow as P, cells along each axis as the processes along it
 *
 * Bytes that are given to a pattern stay in both: only the program knows how they change. */
#include "program/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies ---- */

static bool copy_text(char **text) {
    if (!*text) return true;
    *text = strdup(*text);
    return *text != NULL;
}

static bool copy_vector(sup_vector *v) {
    if (!v->each) return true;
    const double *from = v->each;
    v->each = malloc((v->count + 1) * sizeof *from);
    if (v->each) memcpy(v->each, from, v->count * sizeof *from);
    return v->each != NULL;
}

static bool copy_work(const sup_work *from, sup_step *to) {
    sup_work *w = sup_step_add_work(to);
    if (!w) return false;
    sup_work copy = *from;
    bool good = copy_text(&copy.kernel);
    w->kernel = copy.kernel;
    if (!good || !copy_vector(&copy.units)) return false;
    w->units = copy.units;
    if (!copy_vector(&copy.bytes)) return false;
    *w = copy;
    return true;
}

static bool copy_flow(const sup_flow *from, sup_step *to) {
    sup_flow *f = sup_step_add_flow(to);
    if (!f) return false;
    *f = *from;
    f->edges = NULL;
    f->first = NULL;
    f->edge_count = 0;
    f->processes = 0;
    for (size_t e = 0; e < from->edge_count; e++)
        if (!sup_flow_add_edge(f, from->edges[e])) return false;
    return true;
}

static bool copy_step(const sup_step *from, sup_program *to) {
    sup_step *s = sup_program_add_step(to);
    if (!s) return false;
    sup_step copy = *from;
    copy.works = NULL;
    copy.flows = NULL;
    copy.work_count = copy.flow_count = 0;
    copy.name = from->name ? strdup(from->name) : NULL;
    copy.sync = from->sync ? strdup(from->sync) : NULL;
    *s = copy;
    bool good = (!from->name || s->name) && (!from->sync || s->sync);
    for (size_t w = 0; w < from->work_count && good; w++) good = copy_work(&from->works[w], s);
    for (size_t f = 0; f < from->flow_count && good; f++) good = copy_flow(&from->flows[f], s);
    return good;
}

/* A copy of a program, list of edges included. NULL: no memory. */
static sup_program *copy_program(const sup_program *from) {
    sup_program *p = sup_program_new();
    if (!p) return NULL;
    p->processes = from->processes;
    p->recorded = from->recorded;
    p->origin = from->origin;
    p->name = from->name ? strdup(from->name) : NULL;
    p->file = from->file ? strdup(from->file) : NULL;
    p->engine = from->engine ? strdup(from->engine) : NULL;
    bool good = (!from->name || p->name) && (!from->file || p->file) && (!from->engine || p->engine);
    for (size_t s = 0; s < from->step_count && good; s++) good = copy_step(&from->steps[s], p);
    if (good) return p;
    sup_program_free(p);
    return NULL;
}

/* ---- scaling ---- */

sup_scaling_kind sup_program_scaling(const sup_program *program) {
    bool total = false, each = false;
    for (size_t s = 0; s < program->step_count; s++) {
        const sup_step *step = &program->steps[s];
        for (size_t w = 0; w < step->work_count; w++) {
            total |= step->works[w].total;
            each |= !step->works[w].total && (step->works[w].units.all > 0 || step->works[w].units.each);
        }
        for (size_t f = 0; f < step->flow_count; f++) total |= step->flows[f].cells[0] > 0;
    }
    return total || !each ? SUP_SCALING_STRONG : SUP_SCALING_WEAK;
}

static void times(sup_vector *v, double factor) {
    if (v->all > 0) v->all *= factor;
    for (size_t r = 0; v->each && r < v->count; r++) v->each[r] *= factor;
}

static void scale_work(sup_work *w, int kind, double grown) {
    if (kind == SUP_SCALING_WEAK && w->total) w->units.all *= grown;
    if (kind != SUP_SCALING_STRONG) return;
    times(&w->bytes, 1 / grown);
    if (!w->total) times(&w->units, 1 / grown);
}

static bool scale_cells(sup_flow *f, int64_t first, int64_t processes) {
    int dims = f->kind == SUP_FLOW_STENCIL_3D ? 3 : 2;
    int64_t before[3], after[3];
    sup_flow_grid(f, first, before);
    sup_flow_grid(f, processes, after);
    for (int d = 0; d < dims; d++) {
        double cells = (double)f->cells[d] * (double)after[d] / (double)before[d];
        if (!(cells < 1e15)) return false;
        f->cells[d] = (int64_t)fmax(1, round(cells));
    }
    return true;
}

sup_status sup_program_scaled(const sup_program *program, int kind, int64_t first, int64_t processes, sup_diag *diag,
                              sup_program **out) {
    sup_program *p = copy_program(program);
    if (!p) return sup_diag_no_memory(diag);
    double grown = (double)processes / (double)first;
    for (size_t s = 0; s < p->step_count; s++) {
        sup_step *step = &p->steps[s];
        for (size_t w = 0; w < step->work_count; w++) scale_work(&step->works[w], kind, grown);
        for (size_t f = 0; f < step->flow_count && kind == SUP_SCALING_WEAK; f++) {
            sup_flow *flow = &step->flows[f];
            if (!flow->cells[0] || scale_cells(flow, first, processes)) continue;
            sup_status st = sup_diag_set(diag, SUP_EINVAL, p->file, flow->line,
                                         "too many cells on %" PRId64 " processes", processes);
            sup_program_free(p);
            return st;
        }
    }
    *out = p;
    return SUP_OK;
}
