/* What compare prints: the run's time as lines that add up, kinds of supersteps, and how far predictions were off; a
 * table for people, an object for programs. All terms; both from the same numbers. */
#include "base/text.h"
#include "cli/compare/compare.h"
#include "cli/predict/predict.h"
#include "report/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 200 };
#define TAKEN "not predicted (taken from the recording)"

/* A line of a source file without its folders. */
static const char *name_of(const sup_held *h) {
    const char *slash = h->name ? strrchr(h->name, '/') : NULL;
    return slash && slash[1] ? slash + 1 : h->name ? h->name : "-";
}

/* ---- text ---- */

static void print_line(const char *name, const sup_wall_line *l, const char *instead) {
    char a[24], b[24], c[24];
    printf("%-40s %10s %10s", name, sup_time_text(l->typical_s, a, sizeof a), sup_time_text(l->mean_s, b, sizeof b));
    if (!isnan(l->claimed_s))
        printf(" %10s %+7.1f%%", sup_time_text(l->claimed_s, c, sizeof c),
               100 * sup_compare_error(l->claimed_s, l->judged_s));
    printf("%s%s\n", instead ? "  " : "", instead ? instead : "");
}

/* The first of a kind: in means it is among calls and sync. Then what of the prediction is there because something is
 * new, for which nobody has measured times of its own. */
static void print_first(const sup_wall *w) {
    static const char *const names[SUP_FIRST_PARTS] = {"new memory", "waking", "first use"};
    double all = 0;
    if (w->firsts_known) print_line("  the first of a kind, beyond that", &w->line[SUP_WALL_FIRST], NULL);
    for (int k = 0; k < SUP_FIRST_PARTS; k++) all += w->first_s[k];
    if (!(all > 0)) return;
    for (int k = 0; k < SUP_FIRST_PARTS; k++) {
        char name[64], text[24];
        snprintf(name, sizeof name, "  of that, predicted: %s", names[k]);
        if (k == 0) snprintf(name + strlen(name), sizeof name - strlen(name), ", %.3g MB", 1e-6 * (double)w->new_bytes);
        printf("%-40s %10s %10s %10s\n", name, "", "", sup_time_text(w->first_s[k], text, sizeof text));
    }
}

static void print_wall(const sup_comparison *c) {
    const sup_wall *w = c->wall;
    char a[24], b[24], outside[80] = "outside: start, end, input and output";
    sup_text_print(stdout, "%s: the run took %s; typical supersteps explain %s of it (%.0f %%)\n\n", c->program,
                   sup_time_text(w->wall_s, a, sizeof a), sup_time_text(w->explained_s, b, sizeof b),
                   w->wall_s > 0 ? 100 * w->explained_s / w->wall_s : 0);
    printf("%-40s %10s %10s %10s %8s\n", "", "medians", "means", "predicted", "error");
    const sup_wall_line *comp = &w->line[SUP_WALL_COMPUTATION];
    const char *instead = !c->list->taken ? NULL : isnan(comp->claimed_s) ? TAKEN : "(of what was predicted)";
    print_line(w->calls_known ? "computation" : "computation, with calls", comp, instead);
    if (w->calls_known) {
        print_line("calls and sync", &w->exchange, NULL);
        print_line("  calls", &w->line[SUP_WALL_CALLS], NULL);
        print_line("  sync", &w->line[SUP_WALL_SYNC], NULL);
    } else {
        print_line("sync", &w->exchange, NULL);
    }
    print_first(w);
    print_line("waiting for the slowest, noise", &w->line[SUP_WALL_WAITING], NULL);
    if (w->left_out) snprintf(outside, sizeof outside, "outside: %" PRId64 " supersteps left out", w->left_out);
    print_line(outside, &w->line[SUP_WALL_OUTSIDE], NULL);
    sup_wall_line all = {w->wall_s, w->wall_s, NAN, NAN};
    print_line("the run", &all, NULL);
}

static void print_supersteps(const sup_held_list *t) {
    char a[24], b[24], c[24], d[24];
    printf("\n%-22s %9s %10s %10s %10s %10s %6s %10s %10s %8s\n", "superstep", "times", "measured", "predicted", "from",
           "to", "inside", "judged", "predicted", "error");
    size_t shown = t->count < ROWS_MAX ? t->count : ROWS_MAX;
    for (size_t i = 0; i < shown; i++) {
        const sup_held *h = &t->at[i];
        sup_text_print(stdout, "%-22.22s %9.0f %10s %10s %10s %10s %6s", name_of(h), h->count,
                       sup_time_text(h->measured, a, sizeof a), sup_time_text(h->predicted, b, sizeof b),
                       sup_time_text(h->low, c, sizeof c), sup_time_text(h->high, d, sizeof d),
                       sup_held_inside(h) ? "yes" : "no");
        printf(" %10s %10s %+7.1f%%%s\n", sup_time_text(sup_held_judged(h), a, sizeof a),
               sup_time_text(sup_held_claimed(h), b, sizeof b), 100 * h->error, h->taken ? " *" : "");
    }
    if (shown < t->count) printf("… %zu more (--json has them all)\n", t->count - shown);
    if (t->count < t->recorded_kinds)
        printf("%zu of %zu recorded supersteps have no prediction\n", t->recorded_kinds - t->count, t->recorded_kinds);
    if (t->taken) printf("* computation: " TAKEN "; judged is the rest\n");
}

void sup_comparison_print(const sup_comparison *c) {
    const sup_held_list *t = c->list;
    char a[24], b[24];
    print_wall(c);
    print_supersteps(t);
    printf("\npredicted terms: measured %s, predicted %s, error %+.1f%%\n", sup_time_text(t->measured_s, a, sizeof a),
           sup_time_text(t->predicted_s, b, sizeof b), 100 * sup_compare_error(t->predicted_s, t->measured_s));
    sup_text_print(stdout, "supersteps: mean error %.1f%%, worst %.1f%% (%s), %.0f%% inside their interval\n",
                   100 * t->mean, 100 * t->worst, name_of(&t->at[t->worst_at]), 100 * t->inside);
    if (!c->wall->calls_known)
        printf("note: an earlier version recorded this: time inside puts, gets and sends is in the computation\n");
    for (int i = 0; i < c->note_count; i++) sup_text_print(stdout, "note: %s\n", c->notes[i]);
}

/* ---- JSON ---- */

static json_t *error_json(double predicted, double measured) {
    return sup_data_real(isnan(predicted) ? NAN : sup_compare_error(predicted, measured));
}

/* A term of one superstep. */
static json_t *term_json(double measured, double predicted, bool taken) {
    double claimed = taken ? NAN : predicted;
    json_t *j = json_pack("{s:o, s:o, s:o}", "measured_s", sup_data_real(measured), "predicted_s",
                          sup_data_real(claimed), "error", error_json(claimed, measured));
    if (taken) json_object_set_new(j, "not_predicted", json_true());
    return j;
}

static json_t *superstep_json(const sup_held *h) {
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "times", sup_data_real(h->count), "measured_s",
                  sup_data_real(h->measured), "predicted_s",
                  sup_prediction_json((sup_prediction){h->predicted, h->low, h->high}), "error",
                  sup_data_real(h->error), "inside", sup_held_inside(h), "name", sup_cli_name(h->name), "judged_s",
                  sup_data_real(sup_held_judged(h)), "claimed_s", sup_data_real(sup_held_claimed(h)), "compute",
                  term_json(h->measured_compute, h->compute, h->taken), "sync",
                  term_json(h->measured - h->measured_compute, h->sync, false));
    json_object_set_new(j, "first_times_s", sup_first_json(h->first));
    if (!isnan(h->measured_more))
        json_object_set_new(j, "first_superstep", term_json(h->measured_more, h->more, false));
    if (isnan(h->measured_calls)) return j;
    json_object_set_new(j, "calls_measured_s", sup_data_real(h->measured_calls));
    json_object_set_new(j, "calls_predicted_s", sup_data_real(h->calls));
    return j;
}

static json_t *line_json(const char *name, const sup_wall_line *l) {
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name", name, "typical_s", sup_data_real(l->typical_s), "mean_s",
                     sup_data_real(l->mean_s), "judged_s", sup_data_real(l->judged_s), "predicted_s",
                     sup_data_real(l->claimed_s), "error", error_json(l->claimed_s, l->judged_s));
}

static void add_wall(json_t *j, const sup_comparison *c) {
    const sup_wall *w = c->wall;
    json_t *lines = json_array(), *notes = json_array();
    for (int k = 0; k < SUP_WALL_LINES; k++) {
        json_t *line = line_json(sup_wall_names[k], &w->line[k]);
        if (k == SUP_WALL_COMPUTATION && isnan(w->line[k].claimed_s) && c->list->taken)
            json_object_set_new(line, "not_predicted", json_true());
        json_array_append_new(lines, line);
    }
    for (int i = 0; i < c->note_count; i++) json_array_append_new(notes, json_string(c->notes[i]));
    json_object_set_new(j, "wall_s", sup_data_real(w->wall_s));
    json_object_set_new(j, "explained_s", sup_data_real(w->explained_s));
    json_object_set_new(j, "unexplained_s", sup_data_real(w->unexplained_s));
    json_object_set_new(j, "lines", lines);
    json_object_set_new(j, "first_times_s", sup_first_json(w->first_s));
    json_object_set_new(j, "new_bytes", json_integer((json_int_t)w->new_bytes));
    json_object_set_new(j, "calls_and_sync", line_json("calls and sync", &w->exchange));
    json_object_set_new(j, "calls_in_computation", json_boolean(!w->calls_known));
    json_object_set_new(j, "recorded_supersteps", json_integer((json_int_t)w->supersteps));
    json_object_set_new(j, "left_out", json_integer((json_int_t)w->left_out));
    json_object_set_new(j, "notes", notes);
}

json_t *sup_comparison_json(const sup_comparison *c) {
    const sup_held_list *t = c->list;
    json_t *all = json_array();
    for (size_t i = 0; i < t->count; i++) json_array_append_new(all, superstep_json(&t->at[i]));
    json_t *j =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:I, s:I}", "kind", "superstep-comparison", "program",
                  sup_cli_name(c->program), "measured_s", sup_data_real(t->measured_s), "predicted_s",
                  sup_data_real(t->predicted_s), "mean_error", sup_data_real(t->mean), "worst_error",
                  sup_data_real(t->worst), "inside", sup_data_real(t->inside), "computation_taken", t->taken,
                  "recorded", (json_int_t)t->recorded_kinds, "predicted", (json_int_t)t->predicted_kinds);
    if (!j) {
        json_decref(all);
        return NULL;
    }
    add_wall(j, c);
    json_object_set_new(j, "supersteps", all);
    return j;
}
