/* Costs for a running program to choose by (BSP §9.2.2): <superstep/model.h> on top of the default model. All terms.
 * The profile's file is read here, because models read none. */
#include "model/equation/model.h"

#include <superstep/model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sup_costs {
    sup_profile *profile;
    sup_platform *m;
    sup_cost sync;
};

static sup_cost cost_of(sup_prediction p) { return (sup_cost){p.value, p.low, p.high}; }

static sup_status one_step(const sup_platform *m, sup_program *program, sup_diag *diag, sup_cost *out) {
    sup_program_cost c;
    sup_status st = sup_program_fit(program, m->processes, diag);
    if (!st) st = sup_model_program(sup_models[0], m, program, diag, &c);
    if (st) return st;
    *out = cost_of(c.total);
    sup_program_cost_free(&c);
    return SUP_OK;
}

static sup_status empty_sync(sup_costs *c, sup_diag *diag) {
    sup_program *p = sup_program_new();
    sup_status st = p && sup_program_add_step(p) ? one_step(c->m, p, diag, &c->sync) : SUP_ENOMEM;
    sup_program_free(p);
    return st;
}

sup_status sup_costs_load(const char *profile, int processes, sup_diag *diag, sup_costs **out) {
    if (!profile || processes < 1 || !out)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a profile and at least one process are needed");
    sup_costs *c = calloc(1, sizeof *c);
    sup_platform_options o = {.processes = processes};
    if (!c) return sup_diag_no_memory(diag);
    sup_status st = sup_profile_read(profile, false, diag, &c->profile);
    if (!st) st = sup_platform_open(c->profile, &o, diag, &c->m);
    if (!st) st = sup_platform_need_pairs(c->m, sup_models[0]->name, diag);
    if (!st) st = empty_sync(c, diag);
    if (st) {
        sup_costs_free(c);
        return st;
    }
    *out = c;
    return SUP_OK;
}

void sup_costs_free(sup_costs *c) {
    if (!c) return;
    sup_platform_free(c->m);
    sup_profile_free(c->profile);
    free(c);
}

static bool rank_of(const sup_costs *c, int rank) { return rank >= 0 && rank < c->m->processes; }

sup_status sup_cost_put(const sup_costs *c, int from, int to, size_t bytes, sup_cost *out) {
    if (!c || !out || !rank_of(c, from) || !rank_of(c, to)) return SUP_EINVAL;
    sup_class_cost k = {0};
    if (c->m->pairs) sup_platform_pair(c->m, from, to, &k);
    sup_prediction p = k.known ? sup_pair_moving(c->m, &k, (double)bytes) : (sup_prediction){0};
    *out = (sup_cost){p.value + k.overhead, fmax(0, p.low + k.overhead - k.d_overhead),
                      p.high + k.overhead + k.d_overhead};
    return SUP_OK;
}

sup_status sup_cost_sync(const sup_costs *c, sup_cost *out) {
    if (!c || !out) return SUP_EINVAL;
    *out = c->sync;
    return SUP_OK;
}

static sup_status fill(const sup_costs *c, sup_program *p, const double *compute_s, const sup_cost_message *messages,
                       size_t count) {
    sup_step *s = sup_program_add_step(p);
    sup_work *w = s ? sup_step_add_work(s) : NULL;
    sup_flow *f = w ? sup_step_add_flow(s) : NULL;
    if (!f) return SUP_ENOMEM;
    size_t n = (size_t)c->m->processes;
    if (compute_s) {
        w->units.each = calloc(n, sizeof(double));
        if (!w->units.each) return SUP_ENOMEM;
        w->units.count = n;
        for (size_t i = 0; i < n; i++) {
            if (!(compute_s[i] >= 0 && compute_s[i] < 1e18)) return SUP_EINVAL;
            w->units.each[i] = compute_s[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        const sup_cost_message *m = &messages[i];
        if (!rank_of(c, m->from) || !rank_of(c, m->to) || m->messages < 0 || (!m->messages && m->bytes))
            return SUP_EINVAL;
        sup_edge e = {m->from, m->to, (double)m->messages, (double)m->bytes, 0, SUP_MOVE_PUT};
        if (!sup_flow_add_edge(f, e)) return SUP_ENOMEM;
    }
    return SUP_OK;
}

sup_status sup_cost_superstep(const sup_costs *c, const double *compute_s, const sup_cost_message *messages,
                              size_t count, sup_cost *out) {
    if (!c || !out || (count && !messages)) return SUP_EINVAL;
    sup_program *p = sup_program_new();
    sup_status st = p ? fill(c, p, compute_s, messages, count) : SUP_ENOMEM;
    if (!st) st = one_step(c->m, p, NULL, out);
    sup_program_free(p);
    return st;
}
