/* A recorded program on another number of processes: each quantity by its law (laws.h), communication by the generator
 * of what was recognised. Requirements stage. */
#include "program/laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct target {
    const sup_scaling *s;
    int64_t processes;
    double factor[SUP_RULE_QUANTITIES]; /* of the rule */
    sup_diag *diag;
} target;

static double value(const target *t, const sup_law *law, double x, int quantity) {
    return sup_law_at(law, x) * t->factor[quantity];
}

static sup_status put_work(const target *t, const sup_work_law *law, sup_step *step) {
    double p = (double)t->processes;
    sup_work *w = sup_step_add_work(step);
    if (!w) return sup_diag_no_memory(t->diag);
    *w = (sup_work){.overlap = law->like->overlap, .line = law->like->line};
    w->units.all = value(t, &law->units, p, SUP_RULE_WORK);
    w->bytes.all = law->footprint.points ? value(t, &law->footprint, p, SUP_RULE_WORK) : -1;
    double before = law->units.value, spread = law->units.off * w->units.all / 1.645;
    w->deviation_s = before > 0 ? hypot(law->like->deviation_s * w->units.all / before, spread) : 0;
    if (!law->like->kernel) return SUP_OK;
    w->kernel = strdup(law->like->kernel);
    return w->kernel ? SUP_OK : sup_diag_no_memory(t->diag);
}

/* Edges as they were recorded. */
static sup_status keep_edges(const target *t, const sup_step *like, sup_step *step, const sup_flow_law *law) {
    if (t->processes != t->s->like->processes)
        return sup_diag_set(t->diag, SUP_EINVAL, NULL, 0,
                            "%" PRId64
                            " processes: in superstep %.60s who sends to whom follows no rule that is known; "
                            "it is known on the recorded %" PRId64 " only",
                            t->processes, like->name ? like->name : "(no name)", t->s->like->processes);
    sup_flow *f = sup_step_add_flow(step);
    if (!f) return sup_diag_no_memory(t->diag);
    f->kind = SUP_FLOW_EDGES;
    for (size_t k = 0; k < like->flow_count; k++)
        for (size_t e = 0; e < like->flows[k].edge_count; e++)
            if (like->flows[k].edges[e].kind == law->move && !sup_flow_add_edge(f, like->flows[k].edges[e]))
                return sup_diag_no_memory(t->diag);
    return SUP_OK;
}

static sup_status put_flow(const target *t, const sup_step *like, const sup_flow_law *law, sup_step *step) {
    if (law->shape.kind < 0) return keep_edges(t, like, step, law);
    sup_flow *f = sup_step_add_flow(step);
    if (!f) return sup_diag_no_memory(t->diag);
    double x = sup_recognised_x(law->shape.kind, law->part, t->processes);
    sup_recognised_flow(&law->shape, law->part, t->processes, f);
    f->move = law->move;
    f->overlap = law->overlap;
    f->messages = value(t, &law->messages, x, SUP_RULE_MESSAGES);
    f->bytes = value(t, &law->bytes, x, SUP_RULE_BYTES) * t->factor[SUP_RULE_MESSAGES];
    f->line = like->line;
    if (f->bytes <= SUP_PROGRAM_BYTES_MAX && f->messages <= 1e12) return SUP_OK;
    return sup_diag_set(t->diag, SUP_EINVAL, NULL, 0, "%" PRId64 " processes: %g bytes in %g messages are too many",
                        t->processes, f->bytes, f->messages);
}

static sup_status put_step(const target *t, const sup_step_law *law, sup_program *out) {
    const sup_step *like = law->like;
    sup_step *s = sup_program_add_step(out);
    if (!s) return sup_diag_no_memory(t->diag);
    double repeat = round(value(t, &law->repeat, (double)t->processes, SUP_RULE_TIMES));
    if (!(repeat <= 1e15))
        return sup_diag_set(t->diag, SUP_EINVAL, NULL, 0, "%" PRId64 " processes: a superstep %g times", t->processes,
                            repeat);
    s->repeat = repeat < 1 ? 1 : (int64_t)repeat;
    s->recorded = like->recorded;
    s->calls_inside = like->calls_inside;
    s->line = like->line;
    s->name = like->name ? strdup(like->name) : NULL;
    s->sync = like->sync ? strdup(like->sync) : NULL;
    if ((like->name && !s->name) || (like->sync && !s->sync)) return sup_diag_no_memory(t->diag);
    sup_status st = SUP_OK;
    for (size_t w = 0; w < law->work_count && !st; w++) st = put_work(t, &law->works[w], s);
    for (size_t f = 0; f < law->flow_count && !st; f++) st = put_flow(t, like, &law->flows[f], s);
    return st;
}

static sup_status find_factors(target *t) {
    const sup_scaling *s = t->s;
    double p0 = (double)s->like->processes, p = (double)t->processes;
    for (int k = 0; k < SUP_RULE_QUANTITIES; k++) {
        t->factor[k] = 1;
        if (!s->rule) continue;
        double n = s->weak ? s->rule->n * p / p0 : s->rule->n;
        sup_status st = sup_rule_factor(s->rule, k, p0, p, n, t->diag, &t->factor[k]);
        if (st) return st;
    }
    return SUP_OK;
}

sup_status sup_scaling_at(const sup_scaling *scaling, int64_t processes, sup_diag *diag, sup_program **out) {
    target t = {.s = scaling, .processes = processes, .diag = diag};
    const sup_program *like = scaling->like;
    sup_status st = find_factors(&t);
    if (st) return st;
    sup_program *p = sup_program_new();
    if (!p) return sup_diag_no_memory(t.diag);
    p->processes = processes;
    p->recorded = like->recorded;
    p->origin = like->origin;
    p->name = strdup(like->name ? like->name : "trace");
    p->file = strdup(like->file ? like->file : "trace");
    p->engine = like->engine ? strdup(like->engine) : NULL;
    if (!p->name || !p->file || (like->engine && !p->engine)) st = sup_diag_no_memory(t.diag);
    for (size_t s = 0; s < scaling->step_count && !st; s++) st = put_step(&t, &scaling->steps[s], p);
    if (st)
        sup_program_free(p);
    else
        *out = p;
    return st;
}

void sup_scaling_free(sup_scaling *s) {
    if (!s) return;
    for (size_t k = 0; s->steps && k < s->step_count; k++) {
        free(s->steps[k].works);
        free(s->steps[k].flows);
    }
    free(s->steps);
    free(s);
}

/* ---- questions ---- */

bool sup_scaling_strong(const sup_scaling *s) {
    double most = -1, exponent = 0;
    if (s->rule) return !s->weak;
    for (size_t k = 0; k < s->step_count; k++)
        for (size_t w = 0; w < s->steps[k].work_count; w++) {
            const sup_law *law = &s->steps[k].works[w].units;
            double all = law->value * s->steps[k].repeat.value;
            if (all <= most) continue;
            most = all;
            exponent = law->exponent;
        }
    return exponent < -0.5;
}

size_t sup_scaling_steps(const sup_scaling *s) { return s->step_count; }
const char *sup_scaling_note(const sup_scaling *s) { return s->note; }

static void add_law(char *buf, size_t size, const char *what, const sup_law *law, const char *x) {
    size_t n = strlen(buf);
    if (law->points < 2 || law->value == 0) return;
    snprintf(buf + n, size - n, ", %s ~ %s^%.2f", what, x, law->exponent + 0.0);
    n = strlen(buf);
    if (law->off > 0.01) snprintf(buf + n, size - n, " (off by up to %.0f %%)", 100 * law->off);
}

char *sup_scaling_text(const sup_scaling *s, size_t step, char *buf, size_t size) {
    const sup_step_law *law = &s->steps[step];
    snprintf(buf, size, "%s", law->flow_count ? "" : "no communication");
    for (size_t k = 0; k < law->flow_count; k++) {
        const sup_flow_law *f = &law->flows[k];
        const char *name = f->shape.kind < 0 ? "no rule" : sup_recognised_name(f->shape.kind);
        size_t n = strlen(buf);
        if (!f->part) snprintf(buf + n, size - n, "%s%s", k ? "; " : "", name);
        bool across = f->shape.kind >= 0 && sup_recognised_x(f->shape.kind, f->part, 64) != 64;
        add_law(buf, size, "bytes", &f->bytes, across ? "across" : "P");
        if (f->messages.exponent != 0) add_law(buf, size, "messages", &f->messages, "P");
    }
    if (law->work_count) add_law(buf, size, "work", &law->works[0].units, "P");
    if (law->repeat.exponent != 0) add_law(buf, size, "times", &law->repeat, "P");
    return buf;
}
