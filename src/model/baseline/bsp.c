/* The model `bsp`: w/r + g·h + l, the scalars of bspbench (BSP §3.1). */
#include "model/equation/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sup_classic *classic_of(const sup_platform *m) {
    const sup_classic *best = NULL;
    for (size_t i = 0; i < m->profile->classic_count; i++) {
        const sup_classic *c = &m->profile->classic[i];
        if (!c->transport || strcmp(c->transport, m->transport) != 0 || !c->flops_per_s || !c->word_s || !c->sync_s)
            continue;
        /* of two the last: that of a composed machine comes after those of its node */
        if (!best || llabs(c->processes - m->processes) <= llabs(best->processes - m->processes)) best = c;
    }
    return best;
}

static sup_status check_bsp(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    char advice[SUP_MODEL_ADVICE];
    if (!classic_of(m) && m->processes > 1)
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                            "model bsp needs the scalars r, g, l over %s, which the profile does not have%s",
                            m->transport, sup_model_advice(m->transport, 0, advice));
    for (size_t w = 0; w < step->work_count; w++) {
        const char *kernel = step->works[w].kernel;
        const sup_kernel_profile *k = kernel ? sup_profile_kernel(m->profile, kernel) : NULL;
        if (kernel && (!k || isnan(k->flops_per_unit) || !classic_of(m)))
            return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                                "model bsp needs r and the flops of a unit of kernel \"%.60s\", which the profile does "
                                "not have; `superstep measure` measures them",
                                kernel);
    }
    return SUP_OK;
}

static sup_status bsp_comp(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    const sup_classic *c = classic_of(m);
    (void)diag;
    for (size_t i = 0; i < step->work_count; i++) {
        const sup_work *w = &step->works[i];
        const sup_kernel_profile *k = w->kernel ? sup_profile_kernel(m->profile, w->kernel) : NULL;
        double unit = k ? k->flops_per_unit / c->flops_per_s->value : m->compute_scale;
        for (int64_t p = 0; p < t->processes; p++)
            t->comp[p] += sup_work_units(w, t->processes, p) * unit / sup_edits_rate(m->edits, m->edit_count, p);
    }
    return SUP_OK;
}

typedef struct tally {
    double *sent, *received; /* bytes of each process */
} tally;

static void bsp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to) return;
    y->sent[e->from] += e->bytes;
    y->received[e->to] += e->bytes;
}

static void bsp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    tally y = {t->scratch[0], t->scratch[1]};
    const sup_classic *c = classic_of(m);
    if (!c || !step->flow_count) return;
    sup_comm_visit(m, step, round, bsp_edge, &y);
    double h = 0;
    for (int64_t p = 0; p < m->processes; p++) h = fmax(h, fmax(y.sent[p], y.received[p]));
    double ci = isnan(c->word_s->ci) ? 0 : c->word_s->ci * m->widen;
    for (int64_t p = 0; p < m->processes; p++) {
        t->bytes[p] = h / 8 * c->word_s->value;
        t->d_comm[p] = h / 8 * ci;
    }
}

static sup_status bsp_sync_term(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    (void)diag;
    const sup_classic *c = classic_of(m);
    bool none = step->sync && !strcmp(step->sync, "none");
    double l = c && m->processes > 1 && !none ? m->sync_factor * c->sync_s->value : 0;
    double ci = c && l > 0 && !isnan(c->sync_s->ci) ? m->sync_factor * c->sync_s->ci * m->widen : 0;
    for (int64_t p = 0; p < m->processes; p++) {
        t->sync[p] = l;
        t->d_sync[p] = ci;
    }
    return SUP_OK;
}

const sup_model sup_model_bsp = {
    .name = "bsp",
    .summary = "classic BSP: r, g, l of bspbench",
    .check = check_bsp,
    .comp = bsp_comp,
    .comm = bsp_comm,
    .sync = bsp_sync_term,
};
