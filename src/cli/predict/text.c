/* What predict prints: a table for people, an object for programs. Both from the same numbers. */
#include "cli/predict/predict.h"

#include "base/text.h"
#include "cli/frame/cli.h"
#include "profile/composed.h"
#include "report/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *sup_time_text(double s, char *buf, size_t size) {
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t k = 0;
    double a = fabs(s);
    if (a == 0) {
        snprintf(buf, size, "0");
        return buf;
    }
    while (k < 3 && a < 0.9995 * units[k].unit) k++;
    double v = s / units[k].unit;
    snprintf(buf, size, fabs(v) < 9.995 ? "%.2f %s" : fabs(v) < 99.95 ? "%.1f %s" : "%.0f %s", v, units[k].name);
    return buf;
}

sup_prediction sup_predict_time(const sup_program_cost *cost) { return cost->typical; }

/* ---- text ---- */

static void print_interval(sup_prediction p, double confidence) {
    char a[24], b[24], c[24];
    printf("%s (%s to %s with %.0f %%)", sup_time_text(p.value, a, sizeof a), sup_time_text(p.low, b, sizeof b),
           sup_time_text(p.high, c, sizeof c), 100 * confidence);
}

static void print_bound(const double part[4], int bound, int second, bool tie) {
    double all = part[0] + part[1] + part[2] + part[3];
    if (!(all > 0)) {
        printf("nothing to do\n");
        return;
    }
    printf("bound by %s (%.0f %%)", sup_bound_names[bound], 100 * part[bound] / all);
    if (part[second] > 0)
        printf("%s %s (%.0f %%)", tie ? " or, within the intervals, by" : ", then", sup_bound_names[second],
               100 * part[second] / all);
    printf("\n");
}

void sup_predict_machine(const sup_profile *profile) {
    char text[SUP_COMPOSED_TEXT];
    if (profile->composed)
        sup_text_print(stdout, "machine: %s\n", sup_composed_text(profile->composed, text, sizeof text));
}

void sup_predict_columns(const sup_program_cost *c) {
    const double seconds[] = {c->total.value, c->total.low, c->total.high, c->part_s[0],
                              c->part_s[1],   c->part_s[2], c->part_s[3]};
    char text[24];
    for (int k = 0; k < 7; k++)
        printf(" %*s", k == 3 ? 11 : 10, sup_time_text(seconds[k], text, sizeof text)); /* "computation" is longer */
}

static void print_step(size_t number, const sup_step_cost *s) {
    const sup_superstep_cost *c = &s->cost;
    char name[32], each[24], comp[24], comm[24], sync[24], half[24];
    if (s->step->name)
        snprintf(name, sizeof name, "%zu %.24s", number, s->step->name);
    else
        snprintf(name, sizeof name, "%zu", number);
    double width = fmax(c->total.high - c->total.value, c->total.value - c->total.low);
    sup_text_print(stdout, "%-26s %9.0f %10s %9s %10s %10s %10s %9.2f  %s%s\n", name, s->repeat,
                   sup_time_text(c->total.value, each, sizeof each), sup_time_text(width, half, sizeof half),
                   sup_time_text(c->comp.value, comp, sizeof comp), sup_time_text(c->comm.value, comm, sizeof comm),
                   sup_time_text(c->sync.value, sync, sizeof sync), c->imbalance, sup_bound_names[c->bound],
                   c->tie ? " ~" : "");
}

static bool has_first_times(const double seconds[SUP_FIRST_PARTS]) {
    for (int k = 0; k < SUP_FIRST_PARTS; k++)
        if (seconds[k] > 0) return true;
    return false;
}

void sup_predict_print(const sup_predict_input *in, const sup_platform *m, const sup_model *model,
                       const sup_program_cost *cost) {
    sup_text_print(stdout, "%s: %" PRId64 " process%s over %s, model %s\n",
                   in->program->name ? in->program->name : in->program->file, m->processes,
                   m->processes == 1 ? "" : "es", m->transport ? m->transport : "self", model->name);
    sup_predict_machine(in->profile);
    printf("\n");
    printf("%-26s %9s %10s %9s %10s %10s %10s %9s  %s\n", "superstep", "times", "each", "+-", "compute", "communic.",
           "sync", "imbalance", "bound by");
    size_t shown = cost->step_count < 200 ? cost->step_count : 200;
    for (size_t s = 0; s < shown; s++) print_step(s, &cost->steps[s]);
    if (shown < cost->step_count) printf("… %zu more (--json has them all)\n", cost->step_count - shown);
    printf("\ntotal ");
    print_interval(cost->total, m->confidence);
    printf("\n");
    char calm[24], typical[24], low[24], high[24];
    printf("a run typically takes %s (%s to %s), calm %s", sup_time_text(cost->typical.value, typical, sizeof typical),
           sup_time_text(cost->typical.low, low, sizeof low), sup_time_text(cost->typical.high, high, sizeof high),
           sup_time_text(cost->total.value, calm, sizeof calm));
    if (isfinite(cost->seen.bad_s)) printf(", in one of ten %s", sup_time_text(cost->seen.bad_s, high, sizeof high));
    printf("\n");
    print_bound(cost->part_s, cost->bound, cost->second, cost->tie);
    if (cost->hidden_s > 0) {
        char hidden[24];
        printf("overlap hides %s\n", sup_time_text(cost->hidden_s, hidden, sizeof hidden));
    }
    if (has_first_times(cost->first_s)) {
        char memory[24], waking[24], use[24];
        printf("of that for the first time: new memory %s, waking %s, first use %s\n",
               sup_time_text(cost->first_s[SUP_FIRST_TOUCH], memory, sizeof memory),
               sup_time_text(cost->first_s[SUP_FIRST_WAKE], waking, sizeof waking),
               sup_time_text(cost->first_s[SUP_FIRST_USED], use, sizeof use));
    }
    for (int i = 0; i < m->note_count; i++) sup_text_print(stdout, "note: %s\n", m->notes[i]);
}

/* ---- JSON ---- */

json_t *sup_prediction_json(sup_prediction p) {
    return json_pack("{s:o, s:o, s:o}", "value", sup_data_real(p.value), "low", sup_data_real(p.low), "high",
                     sup_data_real(p.high));
}

json_t *sup_first_json(const double seconds[SUP_FIRST_PARTS]) {
    json_t *j = json_object();
    for (int k = 0; k < SUP_FIRST_PARTS; k++) json_object_set_new(j, sup_first_names[k], sup_data_real(seconds[k]));
    return j;
}

/* What of a superstep is there because something is new; and what the first of them takes more, and why. */
static void add_first(json_t *j, const sup_step_cost *s) {
    double more[SUP_FIRST_PARTS];
    if (has_first_times(s->cost.first_s)) json_object_set_new(j, "first_times_s", sup_first_json(s->cost.first_s));
    if (!s->has_first) return;
    for (int k = 0; k < SUP_FIRST_PARTS; k++) more[k] = fmax(0, s->first.first_s[k] - s->cost.first_s[k]);
    json_t *first = sup_first_json(more);
    json_object_set_new(first, "more", sup_data_real(fmax(0, s->first.typical.value - s->cost.typical.value)));
    json_object_set_new(j, "first_superstep_s", first);
}

static json_t *parts_json(const double part[4]) {
    json_t *j = json_object();
    for (int k = 0; k < 4; k++) json_object_set_new(j, sup_bound_names[k], sup_data_real(part[k]));
    return j;
}

/* The object with what the machine is composed of, where nobody measured it as a whole. */
static json_t *with_machine(json_t *j, const sup_profile *profile) {
    json_t *composed = NULL;
    if (j && profile->composed && !sup_record_write(&sup_composed_record, profile->composed, NULL, &composed))
        json_object_set_new(j, "composed", composed);
    return j;
}

static json_t *text_or_null(const char *text) {
    json_t *j = text ? json_string(text) : NULL;
    return j ? j : json_null();
}

/* The object with what a run sees, and one of ten where the profile knows about noise. */
static json_t *with_seen(json_t *j, sup_prediction typical, sup_seen seen) {
    json_object_set_new(j, "typical_s", sup_prediction_json(typical));
    if (isfinite(seen.typical_s))
        json_object_set_new(j, "seen_s",
                            json_pack("{s:o, s:o}", "typical", sup_data_real(seen.typical_s), "bad",
                                      sup_data_real(seen.bad_s)));
    return j;
}

static json_t *step_json(const sup_step_cost *s) {
    const sup_superstep_cost *c = &s->cost;
    json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:o, s:I}", "name",
                          text_or_null(s->step->name), "repeat", sup_data_real(s->repeat), "total_s",
                          sup_prediction_json(c->total), "compute_s", sup_prediction_json(c->comp), "communicate_s",
                          sup_prediction_json(c->comm), "sync_s", sup_prediction_json(c->sync), "hidden_s",
                          sup_data_real(c->hidden_s), "parts_s", parts_json(c->part_s), "bound",
                          sup_bound_names[c->bound], "second", sup_bound_names[c->second], "tie", c->tie, "imbalance",
                          sup_data_real(c->imbalance), "critical", (json_int_t)c->critical);
    if (isfinite(c->calls_s)) json_object_set_new(j, "calls_s", sup_data_real(c->calls_s));
    add_first(j, s);
    json_object_set_new(j, "computation_taken", json_boolean(sup_step_taken(s->step)));
    return with_seen(j, c->typical, c->seen);
}

double sup_predict_clock(const sup_profile *profile) {
    return profile->quality && profile->quality->clock_overhead_s > 0 ? profile->quality->clock_overhead_s : 0;
}

json_t *sup_predict_json(const sup_predict_input *in, const sup_platform *m, const sup_model *model,
                         const sup_program_cost *cost) {
    json_t *steps = json_array(), *notes = json_array();
    for (size_t s = 0; s < cost->step_count; s++) json_array_append_new(steps, step_json(&cost->steps[s]));
    for (int i = 0; i < m->note_count; i++) json_array_append_new(notes, json_string(m->notes[i]));
    json_t *j = json_pack("{s:s, s:i, s:o, s:s, s:I, s:o, s:o, s:b, s:o, s:o, s:o, s:s, s:s, s:b, s:o, s:o, s:o, s:o}",
                          "kind", SUP_PREDICTION_KIND, "schema", 1, "program", text_or_null(in->program->name), "model",
                          model->name, "processes", (json_int_t)m->processes, "transport", text_or_null(m->transport),
                          "confidence", sup_data_real(m->confidence), "recorded", in->trace != NULL, "clock_s",
                          sup_data_real(sup_predict_clock(in->profile)), "total_s", sup_prediction_json(cost->total),
                          "parts_s", parts_json(cost->part_s), "bound", sup_bound_names[cost->bound], "second",
                          sup_bound_names[cost->second], "tie", cost->tie, "hidden_s", sup_data_real(cost->hidden_s),
                          "imbalance", sup_data_real(cost->imbalance), "notes", notes, "supersteps", steps);
    double scale = m->compute_scale, half = scale * m->compute_spread;
    if (in->trace)
        json_object_set_new(j, "recorded_scale",
                            sup_prediction_json((sup_prediction){scale, fmax(0, scale - half), scale + half}));
    return with_machine(with_seen(j, cost->typical, cost->seen), in->profile);
}
