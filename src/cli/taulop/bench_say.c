/* What `superstep taulop bench` prints (taulop/bench.h): a line for each case, and for each operation what models and
 * choices are worth. Tcomm. */
#include "cli/frame/cli.h"
#include "cli/taulop/bench.h"
#include "report/data.h"
#include "report/page/table.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *algorithm_of(const sup_bench_row *r, char text[SUP_CHOICE_TEXT]) {
    return r->of.operation == SUP_CASE_MESSAGE ? "direct" : sup_choice_text(&r->of.choice, text);
}

static bool is_there(const sup_bench *b, int operation) {
    for (size_t i = 0; i < b->count; i++)
        if (b->rows[i].of.operation == operation) return true;
    return false;
}

/* ---- text ---- */

static void percent(sup_table *t, double share, bool sign) {
    if (!isfinite(share))
        sup_table_cell(t, "%s", "–");
    else
        sup_table_cell(t, sign ? "%+.1f %%" : "%.1f %%", 100 * share);
}

static void say_rows(const sup_bench *b) {
    char title[128], text[SUP_UNIT_TEXT], how[SUP_CHOICE_TEXT];
    snprintf(title, sizeof title, "%" PRId64 " processes over %s", b->processes, b->transport);
    sup_table *t = sup_table_new(title, "operation", "algorithm", "bytes>", "measured>", "typical>", NULL);
    if (b->model_count) sup_table_column(t, "predicted>");
    for (size_t m = 0; m < b->model_count; m++) {
        char column[64];
        snprintf(column, sizeof column, "%s>", b->models[m]);
        sup_table_column(t, column);
    }
    for (size_t i = 0; i < b->count; i++) {
        const sup_bench_row *r = &b->rows[i];
        if (!isfinite(r->seconds)) continue;
        sup_table_cell(t, "%s", sup_bench_operation(r->of.operation));
        sup_table_cell(t, "%s", algorithm_of(r, how));
        sup_table_cell(t, "%" PRId64, r->of.bytes);
        sup_table_cell(t, "%s", sup_unit_seconds(r->seconds, text, sizeof text));
        sup_table_cell(t, "%s", sup_unit_seconds(r->typical, text, sizeof text));
        if (b->model_count) sup_table_cell(t, "%s", sup_unit_seconds(r->predicted[0], text, sizeof text));
        for (size_t m = 0; m < b->model_count; m++) percent(t, r->predicted[m] / r->seconds - 1, true);
    }
    if (t) sup_table_text(t, stdout);
    sup_table_free(t);
}

static void share(sup_table *t, size_t part, size_t all) {
    if (all)
        sup_table_cell(t, "%zu of %zu", part, all);
    else
        sup_table_cell(t, "%s", "–");
}

static void say_score(sup_table *t, int operation, const char *model, const sup_bench_score *s) {
    sup_table_cell(t, "%s", sup_bench_operation(operation));
    sup_table_cell(t, "%s", model);
    percent(t, s->judged ? s->error : NAN, false);
    share(t, s->right, s->pairs);
    share(t, s->near_best, s->points);
    if (s->points)
        sup_table_cell(t, "%.3f", s->regret);
    else
        sup_table_cell(t, "%s", "–");
}

static void say_scores(const sup_bench *b) {
    sup_table *t = sup_table_new("predictions and choices", "operation", "model", "mean error>", "right order>",
                                 "within 10 % of the best>", "chosen / best>", NULL);
    for (int o = 0; o < SUP_BENCH_OPERATIONS; o++) {
        if (!is_there(b, o)) continue;
        for (size_t m = 0; m < b->model_count; m++) say_score(t, o, b->models[m], &b->scores[o][m]);
        if (o != SUP_CASE_MESSAGE) say_score(t, o, "plan", &b->chosen[o]);
    }
    if (t) sup_table_text(t, stdout);
    sup_table_free(t);
}

/* Over all operations. */
static sup_bench_score sum_of(const sup_bench *b, const sup_bench_score *(*of)(const sup_bench *b, int o, size_t m),
                              size_t m) {
    sup_bench_score sum = {0};
    for (int o = 0; o < SUP_OPERATIONS; o++) {
        const sup_bench_score *s = of(b, o, m);
        if (s->judged) sum.error += s->error * (double)s->judged;
        if (s->points) sum.regret += s->regret * (double)s->points;
        sum.judged += s->judged;
        sum.pairs += s->pairs;
        sum.right += s->right;
        sum.points += s->points;
        sum.near_best += s->near_best;
    }
    sum.error /= (double)sum.judged;
    sum.regret /= (double)sum.points;
    return sum;
}

static const sup_bench_score *of_model(const sup_bench *b, int o, size_t m) { return &b->scores[o][m]; }
static const sup_bench_score *of_plan(const sup_bench *b, int o, size_t m) {
    (void)m;
    return &b->chosen[o];
}

static void say_sum(const char *who, const sup_bench_score *s) {
    printf("%s:", who);
    if (s->judged) printf(" mean error %.1f %% of %zu collectives;", 100 * s->error, s->judged);
    if (s->pairs) printf(" order of algorithms right %zu of %zu;", s->right, s->pairs);
    if (s->points)
        printf(" chosen within 10 %% of the best %zu of %zu, on average %.3f times the best", s->near_best, s->points,
               s->regret);
    printf("\n");
}

void sup_bench_text(const sup_bench *b, bool brief) {
    if (!brief) say_rows(b);
    say_scores(b);
    for (size_t m = 0; m < b->model_count; m++) {
        sup_bench_score sum = sum_of(b, of_model, m);
        say_sum(b->models[m], &sum);
    }
    sup_bench_score sum = sum_of(b, of_plan, 0);
    say_sum("the plan's choices", &sum);
}

/* ---- JSON ---- */

static json_t *score_json(int operation, const char *model, const sup_bench_score *s) {
    return json_pack("{s:s,s:s,s:o,s:I,s:I,s:I,s:o,s:I,s:I}", "operation", sup_bench_operation(operation), "model",
                     model, "mean_error", sup_data_real(s->judged ? s->error : NAN), "judged", (json_int_t)s->judged,
                     "pairs", (json_int_t)s->pairs, "right", (json_int_t)s->right, "regret",
                     sup_data_real(s->points ? s->regret : NAN), "points", (json_int_t)s->points, "near_best",
                     (json_int_t)s->near_best);
}

static json_t *row_json(const sup_bench *b, const sup_bench_row *r) {
    char how[SUP_CHOICE_TEXT];
    json_t *predicted = json_object();
    for (size_t m = 0; m < b->model_count; m++)
        json_object_set_new(predicted, b->models[m], sup_data_real(r->predicted[m]));
    return json_pack("{s:s,s:s,s:I,s:o,s:o,s:o,s:o}", "operation", sup_bench_operation(r->of.operation), "algorithm",
                     algorithm_of(r, how), "bytes", (json_int_t)r->of.bytes, "measured_s", sup_data_real(r->seconds),
                     "typical_s", sup_data_real(r->typical), "ci_s", sup_data_real(r->ci), "predicted_s", predicted);
}

json_t *sup_bench_json(const sup_bench *b) {
    json_t *rows = json_array(), *scores = json_array();
    for (size_t i = 0; i < b->count; i++) json_array_append_new(rows, row_json(b, &b->rows[i]));
    for (int o = 0; o < SUP_BENCH_OPERATIONS; o++) {
        if (!is_there(b, o)) continue;
        for (size_t m = 0; m < b->model_count; m++)
            json_array_append_new(scores, score_json(o, b->models[m], &b->scores[o][m]));
        if (o != SUP_CASE_MESSAGE) json_array_append_new(scores, score_json(o, "plan", &b->chosen[o]));
    }
    return json_pack("{s:s,s:I,s:o,s:o}", "transport", b->transport, "processes", (json_int_t)b->processes, "cases",
                     rows, "scores", scores);
}
