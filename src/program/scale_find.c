/* How a recorded program changes with P: from traces of several numbers of processes, whose supersteps are matched in
 * their order, or from one of them and a rule of the user's. Requirements stage. */
#include "program/laws.h"

#include "base/list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACES = 8 };

typedef struct finder {
    const sup_program *const *at;
    int count;
    double p[TRACES];
    sup_scaling *s;
    sup_diag *diag;
} finder;

static const char *name_of(const sup_step *s) { return s->name ? s->name : "no name"; }

#define REFUSE(f, ...) sup_diag_set((f)->diag, SUP_EINVAL, NULL, 0, __VA_ARGS__)

static const char *move_word(const sup_traffic *g) { return sup_move_names[g->move]; }

/* ---- work ---- */

static double greatest(const sup_vector *v) {
    double most = v->each ? 0 : v->all;
    for (size_t r = 0; v->each && r < v->count; r++) most = fmax(most, v->each[r]);
    return most;
}

static sup_status find_work(finder *f, size_t step, size_t which, sup_work_law *out) {
    double units[TRACES], footprint[TRACES];
    for (int k = 0; k < f->count; k++) {
        const sup_work *w = &f->at[k]->steps[step].works[which];
        units[k] = w->total ? w->units.all / f->p[k] : greatest(&w->units);
        footprint[k] = greatest(&w->bytes);
        if (footprint[k] < 0) footprint[k] = NAN;
    }
    out->like = &f->s->like->steps[step].works[which];
    if (sup_law_fit(f->p, units, f->count, &out->units) && sup_law_fit(f->p, footprint, f->count, &out->footprint))
        return SUP_OK;
    return REFUSE(f, "superstep %zu (%.60s) computes in some of the traces and not in others", step,
                  name_of(&f->s->like->steps[step]));
}

/* ---- communication ---- */

/* The same group of all traces; count 0 where a trace has none. */
typedef struct matched {
    sup_traffic group[TRACES];
    int traces;
} matched;

/* Amounts of a shape in all traces. false: there is no law, or no memory. */
static bool try_laws(const finder *f, const matched *m, const sup_recognised *shape, sup_flow_law *laws) {
    for (int part = 0; part < sup_recognised_parts(shape->kind); part++) {
        double x[TRACES], messages[TRACES], bytes[TRACES];
        for (int k = 0; k < f->count; k++) {
            sup_edge_amount a = {NAN, NAN};
            x[k] = sup_recognised_x(shape->kind, part, f->at[k]->processes);
            if (m->group[k].count && sup_recognised_amount(shape, part, &m->group[k], f->at[k]->processes, &a))
                return false;
            messages[k] = a.messages;
            bytes[k] = a.bytes;
        }
        sup_flow_law *l = &laws[part];
        *l = (sup_flow_law){.shape = *shape, .part = part};
        if (!sup_law_fit(x, messages, f->count, &l->messages) || !sup_law_fit(x, bytes, f->count, &l->bytes))
            return false;
    }
    return true;
}

/* Programs mostly send as many messages on any number of processes. */
static double strangeness(const sup_flow_law *laws, int parts) {
    double s = 0;
    for (int k = 0; k < parts; k++) s += fabs(laws[k].messages.exponent) + laws[k].messages.off + laws[k].bytes.off;
    return s;
}

static bool fits_all(const finder *f, const matched *m, int kind, sup_recognised *out) {
    bool any = false;
    for (int k = 0; k < f->count; k++) {
        sup_recognised one;
        if (!m->group[k].count) continue;
        if (!sup_recognised_fits(kind, &m->group[k], f->at[k]->processes, &one)) return false;
        if (any && one.about != out->about) return false;
        *out = one;
        any = true;
    }
    return any;
}

/* What a rule says about partners takes the place of what was recognised. */
static bool allowed(const finder *f, int kind) {
    int partners = f->s->rule ? f->s->rule->partners : SUP_PARTNERS_AS_RECORDED;
    const char *name = sup_recognised_name(kind);
    if (partners == SUP_PARTNERS_CONST)
        return strcmp(name, "all-to-all") != 0 && strcmp(name, "doubling distances") != 0;
    return true;
}

static void mention(finder *f, const char *taken, const char *also) {
    if (f->count > 1 || f->s->note[0]) return;
    snprintf(f->s->note, sizeof f->s->note,
             "on %" PRId64 " processes %s and %s look alike, the first is taken; traces of more processes tell",
             f->at[0]->processes, taken, also);
}

static bool reaches_further(const char *name) {
    return !strcmp(name, "all-to-all") || strstr(name, "root") || strstr(name, "doubling");
}

static int find_shape(finder *f, const matched *m, sup_flow_law *laws) {
    int best = 0;
    double least = INFINITY;
    const char *taken = NULL;
    for (int kind = 0; sup_recognised_name(kind); kind++) {
        sup_flow_law tried[SUP_RECOGNISED_PARTS] = {0};
        sup_recognised shape;
        if (!allowed(f, kind) || !fits_all(f, m, kind, &shape) || !try_laws(f, m, &shape, tried)) continue;
        int parts = sup_recognised_parts(kind);
        double strange = strangeness(tried, parts);
        if (taken && reaches_further(sup_recognised_name(kind)) && !reaches_further(taken))
            mention(f, taken, sup_recognised_name(kind));
        if (strange >= least - 1e-9) continue;
        least = strange;
        best = parts;
        taken = sup_recognised_name(kind);
        memcpy(laws, tried, (size_t)parts * sizeof *tried);
    }
    return best;
}

/* "all", "log2": the same amounts to other partners. */
static void other_partners(const finder *f, const matched *m, sup_flow_law *laws, int *parts) {
    int partners = f->s->rule ? f->s->rule->partners : SUP_PARTNERS_AS_RECORDED;
    const char *want = partners == SUP_PARTNERS_ALL    ? "all-to-all"
                       : partners == SUP_PARTNERS_LOG2 ? "doubling distances"
                                                       : NULL;
    if (!want || m->group[0].self) return;
    double messages = 0, bytes = 0;
    for (size_t e = 0; e < m->group[0].count; e++) {
        messages = fmax(messages, m->group[0].edges[e].messages);
        bytes = fmax(bytes, m->group[0].edges[e].bytes);
    }
    int kind = 0;
    while (sup_recognised_name(kind) && strcmp(sup_recognised_name(kind), want) != 0) kind++;
    laws[0] = (sup_flow_law){.shape = {kind, 0}};
    laws[0].messages = (sup_law){f->p[0], messages, 0, 0, 1};
    laws[0].bytes = (sup_law){f->p[0], bytes, 0, 0, 1};
    *parts = 1;
}

static sup_status add_flow(finder *f, sup_step_law *out, sup_flow_law law) {
    if (!sup_list_room(&out->flows, out->flow_count, sizeof *out->flows)) return sup_diag_no_memory(f->diag);
    out->flows[out->flow_count++] = law;
    return SUP_OK;
}

static sup_status find_flow(finder *f, size_t step, const matched *m, sup_step_law *out) {
    sup_flow_law laws[SUP_RECOGNISED_PARTS];
    const sup_traffic *like = &m->group[f->count - 1];
    int parts = find_shape(f, m, laws);
    other_partners(f, m, laws, &parts);
    if (!parts && !f->s->rule)
        return REFUSE(
            f,
            "superstep %zu (%.60s): which process a %s goes to follows no rule that is known, on all of these "
            "numbers of processes: ring, grid, all-to-all, root, shift, doubling distances",
            step, name_of(out->like), move_word(like));
    if (!parts) laws[parts++] = (sup_flow_law){.shape = {-1, 0}};
    for (int k = 0; k < parts; k++) {
        laws[k].move = like->move;
        laws[k].overlap = like->overlap;
        sup_status st = add_flow(f, out, laws[k]);
        if (st) return st;
    }
    return SUP_OK;
}

/* One process has nobody to send to. */
static sup_status match(finder *f, size_t step, const sup_traffic *wanted, sup_traffic all[][SUP_TRAFFIC_MAX],
                        const int *counts, matched *out) {
    *out = (matched){0};
    for (int k = 0; k < f->count; k++) {
        int g = 0;
        while (g < counts[k] && (all[k][g].move != wanted->move || all[k][g].self != wanted->self)) g++;
        if (g < counts[k])
            out->group[k] = all[k][g];
        else if (f->p[k] > 1 && !wanted->self)
            return REFUSE(f, "superstep %zu (%.60s) has a %s on %.0f processes and none on %.0f", step,
                          name_of(&f->s->like->steps[step]), move_word(wanted), f->p[f->count - 1], f->p[k]);
        out->traces += g < counts[k];
    }
    return SUP_OK;
}

/* Groups of all traces; those that the largest one lacks are looked for first. */
static sup_status find_flows(finder *f, size_t step, sup_step_law *out) {
    sup_traffic all[TRACES][SUP_TRAFFIC_MAX];
    int counts[TRACES] = {0}, last = f->count - 1;
    sup_status st = SUP_OK;
    for (int k = 0; k < f->count && !st; k++)
        if (sup_traffic_of(&f->at[k]->steps[step], f->at[k]->processes, all[k], &counts[k]))
            st = sup_diag_no_memory(f->diag);
    for (int k = 0; k < last && !st; k++)
        for (int g = 0; g < counts[k] && !st; g++) {
            bool there = all[k][g].self;
            for (int h = 0; h < counts[last]; h++)
                there |= all[last][h].move == all[k][g].move && all[last][h].self == all[k][g].self;
            if (!there)
                st = REFUSE(f, "superstep %zu (%.60s) has a %s on %.0f processes and none on %.0f", step,
                            name_of(out->like), move_word(&all[k][g]), f->p[k], f->p[last]);
        }
    for (int g = 0; g < counts[last] && !st; g++) {
        matched m;
        st = match(f, step, &all[last][g], all, counts, &m);
        if (!st && m.traces) st = find_flow(f, step, &m, out);
    }
    for (int k = 0; k < f->count; k++) sup_traffic_free(all[k], counts[k]);
    return st;
}

/* ---- supersteps ---- */

static sup_status find_step(finder *f, size_t step) {
    sup_step_law *out = &f->s->steps[step];
    double repeat[TRACES];
    out->like = &f->s->like->steps[step];
    for (int k = 0; k < f->count; k++) {
        const sup_step *one = &f->at[k]->steps[step];
        repeat[k] = (double)one->repeat;
        if (one->work_count != out->like->work_count)
            return REFUSE(f, "superstep %zu (%.60s) has different kernels in the traces", step, name_of(one));
    }
    if (!sup_law_fit(f->p, repeat, f->count, &out->repeat)) return REFUSE(f, "superstep %zu is never run", step);
    out->works = calloc(out->like->work_count + 1, sizeof *out->works);
    if (!out->works) return sup_diag_no_memory(f->diag);
    out->work_count = out->like->work_count;
    for (size_t w = 0; w < out->work_count; w++) {
        sup_status st = find_work(f, step, w, &out->works[w]);
        if (st) return st;
    }
    return find_flows(f, step, out);
}

/* In their order, and of the same places in the source. */
static sup_status match_steps(finder *f) {
    for (int k = 1; k < f->count; k++) {
        const sup_program *a = f->at[0], *b = f->at[k];
        size_t least = a->step_count < b->step_count ? a->step_count : b->step_count, s = 0;
        if (a->processes == b->processes)
            return REFUSE(f, "two of the traces are of %" PRId64 " processes", a->processes);
        while (s < least && !strcmp(name_of(&a->steps[s]), name_of(&b->steps[s]))) s++;
        if (s < least)
            return REFUSE(f,
                          "the supersteps do not match: number %zu is at %.60s on %" PRId64
                          " processes and at %.60s on "
                          "%" PRId64,
                          s, name_of(&a->steps[s]), a->processes, name_of(&b->steps[s]), b->processes);
        if (a->step_count == b->step_count) continue;
        const sup_program *more = a->step_count > b->step_count ? a : b;
        return REFUSE(f,
                      "the supersteps do not match: %zu kinds on %" PRId64 " processes, %zu on %" PRId64
                      "; number %zu (%.60s) has no partner",
                      a->step_count, a->processes, b->step_count, b->processes, least, name_of(&more->steps[least]));
    }
    return SUP_OK;
}

static sup_status find(const sup_program *const *recorded, int count, const sup_rule *rule, bool weak, sup_diag *diag,
                       sup_scaling **out) {
    const sup_program *sorted[TRACES];
    finder f = {.at = sorted, .count = count, .diag = diag};
    if (count < 1 || count > TRACES) return REFUSE(&f, "1 … %d traces", TRACES);
    for (int k = 0; k < count; k++) { /* by P */
        int at = k;
        for (; at > 0 && sorted[at - 1]->processes > recorded[k]->processes; at--) sorted[at] = sorted[at - 1];
        sorted[at] = recorded[k];
    }
    for (int k = 0; k < count; k++) f.p[k] = (double)sorted[k]->processes;
    f.s = calloc(1, sizeof *f.s);
    if (!f.s) return sup_diag_no_memory(f.diag);
    *f.s = (sup_scaling){.like = sorted[count - 1], .weak = weak};
    if (rule) f.s->said = *rule;
    if (rule) f.s->rule = &f.s->said;
    sup_status st = match_steps(&f);
    f.s->steps = st ? NULL : calloc(f.s->like->step_count + 1, sizeof *f.s->steps);
    if (!st && !f.s->steps) st = sup_diag_no_memory(f.diag);
    for (size_t s = 0; !st && s < f.s->like->step_count; s++) {
        f.s->step_count = s + 1;
        st = find_step(&f, s);
    }
    if (st)
        sup_scaling_free(f.s);
    else
        *out = f.s;
    return st;
}

sup_status sup_scaling_rule(const sup_program *recorded, const sup_rule *rule, bool weak, sup_diag *diag,
                            sup_scaling **out) {
    return find(&recorded, 1, rule, weak, diag, out);
}

sup_status sup_scaling_fit(const sup_program *const *recorded, int count, sup_diag *diag, sup_scaling **out) {
    if (count < 2)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "traces of at least two numbers of processes are needed");
    return find(recorded, count, NULL, false, diag, out);
}
