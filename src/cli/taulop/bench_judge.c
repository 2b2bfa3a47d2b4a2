/* What predictions of collectives are worth (taulop/bench.h): errors, the order of algorithms, and what it costs to
 * choose by them. Model stage, Tcomm. */
#include "cli/taulop/bench.h"

#include <math.h>
#include <string.h>

#define FROM_BYTES 1024 /* errors and ranks count from there on */
#define ALIKE 1.10      /* times that differ by less have no order, and are as good as each other */

const char *sup_bench_operation(int operation) {
    return operation == SUP_CASE_MESSAGE ? SUP_CASE_MESSAGE_NAME : sup_operation_names[operation];
}

static bool is_known(double seconds) { return seconds > 0 && isfinite(seconds); }

static bool same_point(const sup_bench_row *a, const sup_bench_row *b) {
    return a->of.operation == b->of.operation && a->of.bytes == b->of.bytes;
}

static bool is_first(const sup_bench *b, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (same_point(&b->rows[k], &b->rows[i])) return false;
    return true;
}

static void count_error(const sup_bench_row *r, double predicted, sup_bench_score *s) {
    if (!is_known(r->seconds) || !is_known(predicted) || r->of.bytes < FROM_BYTES) return;
    s->error += fabs(predicted / r->seconds - 1);
    s->judged++;
}

static void count_pair(const sup_bench_row *a, const sup_bench_row *b, size_t model, sup_bench_score *s) {
    double x = a->predicted[model], y = b->predicted[model];
    if (!is_known(a->seconds) || !is_known(b->seconds) || !is_known(x) || !is_known(y)) return;
    if (a->of.bytes < FROM_BYTES || fmax(a->seconds, b->seconds) <= ALIKE * fmin(a->seconds, b->seconds)) return;
    s->pairs++;
    s->right += (a->seconds < b->seconds) == (x < y);
}

/* chosen NaN: it chooses nothing here. */
static void count_point(double chosen, double best, sup_bench_score *s) {
    if (!is_known(chosen) || !is_known(best)) return;
    s->regret += chosen / best;
    s->points++;
    s->near_best += chosen <= ALIKE * best;
}

static double best_of(const sup_bench *b, size_t point) {
    double best = INFINITY;
    for (size_t i = 0; i < b->count; i++)
        if (same_point(&b->rows[i], &b->rows[point]) && is_known(b->rows[i].seconds))
            best = fmin(best, b->rows[i].seconds);
    return best;
}

/* What the one takes that the model says is quickest. */
static double chosen_by_model(const sup_bench *b, size_t point, size_t model) {
    double least = INFINITY, takes = NAN;
    for (size_t i = 0; i < b->count; i++) {
        const sup_bench_row *r = &b->rows[i];
        if (!same_point(r, &b->rows[point]) || !is_known(r->seconds)) continue;
        if (!is_known(r->predicted[model]) || r->predicted[model] >= least) continue;
        least = r->predicted[model];
        takes = r->seconds;
    }
    return takes;
}

static double chosen_by_plan(const sup_bench *b, size_t point, const sup_choice *choice) {
    char wanted[SUP_CHOICE_TEXT], text[SUP_CHOICE_TEXT];
    if (!choice || !choice->algorithm) return NAN;
    sup_choice_text(choice, wanted);
    for (size_t i = 0; i < b->count; i++) {
        const sup_bench_row *r = &b->rows[i];
        if (same_point(r, &b->rows[point]) && !strcmp(sup_choice_text(&r->of.choice, text), wanted)) return r->seconds;
    }
    return NAN;
}

static void judge_model(sup_bench *b, size_t model) {
    for (size_t i = 0; i < b->count; i++) {
        int operation = b->rows[i].of.operation;
        sup_bench_score *s = &b->scores[operation][model];
        count_error(&b->rows[i], b->rows[i].predicted[model], s);
        for (size_t k = i + 1; k < b->count; k++)
            if (same_point(&b->rows[i], &b->rows[k])) count_pair(&b->rows[i], &b->rows[k], model, s);
        if (operation != SUP_CASE_MESSAGE && is_first(b, i))
            count_point(chosen_by_model(b, i, model), best_of(b, i), s);
    }
}

static void mean(sup_bench_score *s) {
    s->error = s->judged ? s->error / (double)s->judged : NAN;
    s->regret = s->points ? s->regret / (double)s->points : NAN;
}

void sup_bench_judge(sup_bench *b, const sup_choice *(*choice_at)(void *context, int operation, int64_t total),
                     void *context) {
    for (size_t m = 0; m < b->model_count; m++) judge_model(b, m);
    for (size_t i = 0; i < b->count; i++) {
        const sup_collective_case *c = &b->rows[i].of;
        if (c->operation == SUP_CASE_MESSAGE || !is_first(b, i)) continue;
        const sup_job job = {.operation = c->operation, .processes = b->processes, .bytes = c->bytes};
        const sup_choice *choice = choice_at(context, c->operation, sup_job_total(&job));
        count_point(chosen_by_plan(b, i, choice), best_of(b, i), &b->chosen[c->operation]);
    }
    for (int o = 0; o < SUP_BENCH_OPERATIONS; o++) {
        for (size_t m = 0; m < b->model_count; m++) mean(&b->scores[o][m]);
        mean(&b->chosen[o]);
    }
}
