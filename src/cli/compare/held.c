/* Supersteps as they were predicted and as they took, side by side (compare.h): from a model's answer or from a file
 * with one, and from a trace. */
#include "cli/compare/compare.h"
#include "cli/predict/predict.h"
#include "model/equation/program_kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static sup_status open_list(size_t count, sup_diag *diag, sup_held_list *out) {
    *out = (sup_held_list){.at = calloc(count + 1, sizeof *out->at), .count = count, .predicted_kinds = count};
    return out->at ? SUP_OK : sup_diag_no_memory(diag);
}

static bool set_name(sup_held *h, const char *name) {
    char *copy = name ? strdup(name) : NULL;
    free(h->name);
    h->name = copy;
    return copy || !name;
}

/* ---- predicted ---- */

/* What a superstep of a run is predicted to take. */
static sup_prediction shown(const sup_superstep_cost *c) { return c->typical; }

/* What a half width is of the other terms: terms add up in squares. */
static double without(double half, double computation) {
    return sqrt(fmax(0, half * half - computation * computation));
}

/* Calm parts grow like the whole when what is shown is more than calm; recorded seconds are no calm ones. */
static void take_apart(sup_held *h, sup_prediction all, double calm, sup_prediction comp, double calls) {
    double more = calm > 0 && !h->taken ? all.value / calm : 1;
    h->predicted = all.value;
    h->low = all.low;
    h->high = all.high;
    h->compute = fmin(more * comp.value, all.value);
    h->sync = all.value - h->compute;
    h->calls = fmin(more * calls, h->sync);
    if (isnan(calls)) h->calls = NAN; /* fmin takes the number */
    if (!h->taken) return;
    double up = without(all.high - all.value, comp.high - comp.value), down = up;
    if (all.low > 0 && comp.low > 0) down = without(all.value - all.low, comp.value - comp.low);
    h->high = all.value + up;
    h->low = fmax(h->compute, all.value - down);
}

/* Calm parts, as those of take_apart. */
static void set_first(const sup_step_cost *x, sup_held *h) {
    const sup_superstep_cost *usual = &x->cost, *first = &x->first;
    h->more = x->has_first ? fmax(0, shown(first).value - shown(usual).value) : 0;
    for (int k = 0; k < SUP_FIRST_PARTS; k++) {
        h->first[k] = usual->first_s[k];
        h->more_first[k] = x->has_first ? fmax(0, first->first_s[k] - usual->first_s[k]) : 0;
    }
}

sup_status sup_compare_predicted(const sup_program_cost *c, sup_diag *diag, sup_held_list *out) {
    sup_status st = open_list(c->step_count, diag, out);
    for (size_t i = 0; i < c->step_count && !st; i++) {
        const sup_superstep_cost *x = &c->steps[i].cost;
        sup_held *h = &out->at[i];
        *h = (sup_held){.count = c->steps[i].repeat, .taken = sup_step_taken(c->steps[i].step)};
        take_apart(h, shown(x), x->total.value, x->comp, x->calls_s);
        set_first(&c->steps[i], h);
        if (!set_name(h, c->steps[i].step->name)) st = sup_diag_no_memory(diag);
    }
    return st;
}

static sup_status prediction_at(const sup_json *doc, const json_t *step, const char *key, sup_diag *diag,
                                sup_prediction *out) {
    const json_t *o = NULL;
    sup_status st = sup_json_get_object(doc, step, key, true, diag, &o);
    if (!st) st = sup_json_get_real(doc, o, "value", true, 0, 1e18, diag, &out->value);
    if (!st) st = sup_json_get_real(doc, o, "low", true, 0, 1e18, diag, &out->low);
    if (!st) st = sup_json_get_real(doc, o, "high", true, 0, 1e18, diag, &out->high);
    return st;
}

/* What a file says of first times; nothing, of a model that does not know them. */
static sup_status read_first(const sup_json *doc, const json_t *step, const char *key, sup_diag *diag,
                             double seconds[SUP_FIRST_PARTS], double *more) {
    const json_t *o = NULL;
    sup_status st = sup_json_get_object(doc, step, key, false, diag, &o);
    if (st || !o) return st;
    for (int k = 0; k < SUP_FIRST_PARTS && !st; k++)
        st = sup_json_get_real(doc, o, sup_first_names[k], false, 0, 1e18, diag, &seconds[k]);
    if (!st && more) st = sup_json_get_real(doc, o, "more", false, 0, 1e18, diag, more);
    return st;
}

static sup_status read_step(const sup_json *doc, const json_t *step, sup_diag *diag, sup_held *h) {
    sup_prediction total, comp;
    double calls = NAN;
    if (!json_is_object(step))
        return sup_json_error(doc, sup_json_root(doc), "supersteps", -1, diag, "a superstep is not an object");
    sup_status st = sup_json_get_real(doc, step, "repeat", true, 0, 1e18, diag, &h->count);
    if (!st) st = prediction_at(doc, step, "total_s", diag, &total);
    if (!st) st = prediction_at(doc, step, "compute_s", diag, &comp);
    if (!st) st = sup_json_get_real(doc, step, "calls_s", false, 0, 1e18, diag, &calls);
    if (st) return st;
    sup_prediction all = total;
    if (json_object_get(step, "typical_s")) st = prediction_at(doc, step, "typical_s", diag, &all);
    if (st) return st;
    h->taken = json_is_true(json_object_get(step, "computation_taken"));
    take_apart(h, all, total.value, comp, calls);
    st = read_first(doc, step, "first_times_s", diag, h->first, NULL);
    if (!st) st = read_first(doc, step, "first_superstep_s", diag, h->more_first, &h->more);
    if (st) return st;
    return set_name(h, json_string_value(json_object_get(step, "name"))) ? SUP_OK : sup_diag_no_memory(diag);
}

sup_status sup_compare_read(const sup_json *doc, sup_diag *diag, sup_held_list *out) {
    const json_t *steps = NULL, *root = sup_json_root(doc);
    const char *kind = NULL;
    sup_status st = sup_json_get_string(doc, root, "kind", true, diag, &kind);
    if (!st && strcmp(kind, SUP_PREDICTION_KIND) != 0)
        st = sup_json_error(doc, root, "kind", -1, diag,
                            "not a prediction: the kind must be \"" SUP_PREDICTION_KIND "\"");
    if (!st) st = sup_json_get_array(doc, root, "supersteps", true, diag, &steps);
    if (!st) st = open_list(json_array_size(steps), diag, out);
    for (size_t i = 0; !st && i < out->count; i++) st = read_step(doc, json_array_get(steps, i), diag, &out->at[i]);
    return st;
}

/* ---- measured ---- */

double sup_compare_error(double predicted, double measured) {
    return measured > 0 ? (predicted - measured) / measured : 0;
}

/* One to one where there are as many on both sides; else a predicted superstep belongs to the recorded one that was met
 * as often, if there is just one. NULL: to none. */
static const sup_step *partner(const sup_held_list *list, size_t i, const sup_program *p) {
    const sup_step *match = NULL;
    size_t others = 0;
    if (list->predicted_kinds == p->step_count) return &p->steps[i];
    for (size_t s = 0; s < p->step_count; s++)
        if ((double)p->steps[s].repeat == list->at[i].count) {
            match = &p->steps[s];
            others++;
        }
    return others == 1 ? match : NULL;
}

static void summarise(sup_held_list *list) {
    double n = (double)list->count;
    for (size_t i = 0; i < list->count; i++) {
        const sup_held *h = &list->at[i];
        double e = fabs(h->error);
        list->mean += e / n;
        list->taken = list->taken || h->taken;
        if (e >= list->worst) {
            list->worst = e;
            list->worst_at = i;
        }
        list->inside += (sup_held_inside(h) ? 1.0 : 0.0) / n;
        list->predicted_s += h->count * sup_held_claimed(h);
        list->measured_s += h->count * sup_held_judged(h);
        if (isnan(h->measured_more)) continue;
        list->predicted_s += h->more;
        list->measured_s += h->measured_more;
    }
}

sup_status sup_compare_measured(sup_held_list *list, const sup_program *p, double clock_s, sup_diag *diag) {
    size_t kept = 0;
    bool named = true;
    for (size_t i = 0; i < list->count; i++) {
        const sup_step *s = partner(list, i, p);
        sup_held h = list->at[i];
        list->at[i].name = NULL;
        if (!s) {
            free(h.name);
            continue;
        }
        h.count = (double)s->repeat;
        h.measured_compute = sup_predict_without(s->measured_compute_s, clock_s);
        h.measured_sync = sup_predict_without(s->measured_sync_s, clock_s);
        h.measured_calls = s->calls_inside ? NAN : s->measured_calls_s;
        h.measured = h.measured_compute + (isnan(h.measured_calls) ? 0 : h.measured_calls) + h.measured_sync;
        h.measured_more = s->measured_more_s;
        h.error = sup_compare_error(sup_held_claimed(&h), sup_held_judged(&h));
        if (!h.name) named &= set_name(&h, s->name);
        list->at[kept++] = h;
    }
    list->count = kept;
    list->recorded_kinds = p->step_count;
    summarise(list);
    return named ? SUP_OK : sup_diag_no_memory(diag);
}

/* ---- for the report ---- */

/* What rank 0 asks for: "2.5 KB to each of 2". */
static bool describe(const sup_step *s, const char *symbol, sup_held *h) {
    char name[128];
    double messages = 0, bytes = 0, partners = 0;
    const sup_flow *f = s->flow_count ? &s->flows[0] : NULL;
    for (size_t i = 0; f && i < f->edge_count; i++) {
        const sup_edge *e = &f->edges[i];
        if (e->from != 0 || e->to == 0) continue;
        partners++;
        messages += e->messages;
        bytes += e->bytes;
    }
    const char *head = symbol ? symbol : "", *glue = symbol ? ": " : "";
    if (partners < 1)
        snprintf(name, sizeof name, "%s%snothing to move", head, glue);
    else if (messages > partners)
        snprintf(name, sizeof name, "%s%s%.4g × %.0f B to %.0f other%s", head, glue, messages / partners,
                 bytes / messages, partners, partners > 1 ? "s" : "");
    else
        snprintf(name, sizeof name, "%s%s%.0f B to %.0f other%s", head, glue, bytes / partners, partners,
                 partners > 1 ? "s" : "");
    return set_name(h, name);
}

/* Nothing is computed between calls, and calls are not taken from the recording. */
static void forget_recorded(sup_program *p) {
    for (size_t i = 0; i < p->step_count; i++) {
        sup_step *s = &p->steps[i];
        s->recorded = s->calls_inside = false;
        for (size_t w = 0; w < s->work_count; w++) {
            s->works[w].deviation_s = 0;
            s->works[w].foretold = true;
            for (size_t r = 0; r < s->works[w].units.count; r++) s->works[w].units.each[r] = 0;
        }
    }
}

sup_status sup_compare_held(const sup_profile *profile, const sup_trace *trace, bool described, sup_diag *diag,
                            sup_held_list *out) {
    sup_program *program = NULL;
    sup_platform *m = NULL;
    sup_program_cost cost = {0};
    sup_held_list list = {0};
    size_t known = 0;
    sup_status st = sup_program_from_trace(trace, diag, &program);
    if (st) return st;
    const char *transport = trace->signature.transport;
    if (transport && !sup_profile_pairs(profile, transport)) transport = NULL;
    sup_platform_options o = {.transport = transport, .processes = program->processes};
    if (described)
        forget_recorded(program);
    else
        sup_predict_forget_clock(program, sup_predict_clock(profile));
    char note[160];
    if (!described) known = sup_program_kernels(profile, trace, program, note, sizeof note);
    if (!described && known < program->step_count) st = sup_predict_carries(trace, profile, diag);
    if (!st) st = sup_platform_open(profile, &o, diag, &m);
    if (!st) st = sup_program_fit(program, m->processes, diag);
    if (!st) st = sup_model_program(sup_models[0], m, program, diag, &cost);
    if (!st) st = sup_compare_predicted(&cost, diag, &list);
    if (!st) st = sup_compare_measured(&list, program, sup_predict_clock(profile), diag);
    for (size_t i = 0; i < list.count && !st; i++)
        if (!describe(&program->steps[i], described ? NULL : list.at[i].name, &list.at[i]))
            st = sup_diag_no_memory(diag);
    list.parts = !described;
    snprintf(list.title, sizeof list.title, "%.120s on %" PRId64 " processes",
             described ? "Supersteps of the runtime, of sizes that nothing was fitted to," : program->name,
             program->processes);
    if (st)
        sup_held_free(&list);
    else
        *out = list;
    sup_program_cost_free(&cost);
    sup_platform_free(m);
    sup_program_free(program);
    return st;
}
