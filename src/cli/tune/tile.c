/* The sweep of `superstep tune tile`: shapes in the order in which the model ranks them, each timed on real runs and
 * given up as soon as it has taken longer than it could and still win (CACHE §5.4). */
#include "cli/tune/tune.h"

#include "cli/measure/measure.h"

#include "base/clock.h"
#include "base/number/stats.h"
#include "choose/tile.h"
#include "kernels/tile/cases.h"
#include "report/page/units.h"
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "tune"

enum { REPEATS = 5 };
static const double ONE_CUT = 0.05;      /* of the time, after which a cut is not repeated again */
static const double FETCHED_SHARE = 0.3; /* of the time, where parts can be fetched ahead */
static const double HOPELESS = 2;        /* times the best: not looked at again, nor kept */

typedef struct sweep {
    sup_tune *tune;
    sup_tile *tile;
    const sup_tile_op *op;
    sup_tile_problem problem;
    char class[SUP_SIZE_CLASS];
    double best, bands, end_s;
    sup_tile_cut best_cut;
    long tried;
    bool complete;
} sweep;

typedef struct guarded {
    const sup_tile_op *op;
    double give_up;
} guarded;

static int guard(const sup_tile_task *task, void *context) {
    const guarded *g = context;
    return sup_clock_now() > g->give_up ? 1 : g->op->kernel(task, g->op->context);
}

/* Median of a few runs; infinity if it was given up. */
static double time_cut(const sweep *s, const sup_tile_cut *cut, int *n, double *ci) {
    double sample[REPEATS], begin = sup_clock_now();
    *n = 0;
    for (int i = 0; i < REPEATS; i++) {
        double now = sup_clock_now();
        guarded g = {s->op, now + HOPELESS * s->best};
        sup_tile_op op = *s->op;
        op.kernel = guard;
        op.context = &g;
        op.cut = *cut;
        if (sup_tile_run(s->tile, &op, NULL, NULL)) return HUGE_VAL;
        sample[(*n)++] = sup_clock_now() - now;
        if (i == 1 && sup_stats_quantile(sample, 2, 0) > 1.2 * s->best) break; /* the others will not help */
        if (sup_clock_now() - begin > ONE_CUT * s->tune->seconds) break;
    }
    sup_interval range = sup_stats_median_interval(sample, (size_t)*n, 0.95);
    *ci = 0.5 * (range.high - range.low);
    return sup_stats_median(sample, (size_t)*n);
}

static int keep(sweep *s, const sup_tile_cut *cut, double time, int n, double ci) {
    sup_profile *p = s->tune->profile;
    sup_tile_time *t = SUP_APPEND(&sup_tile_time_record, p->tiles, p->tiles_count);
    if (!t) return SUP_ENOMEM;
    int64_t shape[6];
    size_t count = cut->inner[0] ? 6 : 3;
    sup_tile_shape band = sup_tile_band_shape(&s->problem);
    for (int a = 0; a < 3; a++) {
        shape[a] = cut->shape[a] ? (int64_t)cut->shape[a] : band.size[a];
        shape[3 + a] = (int64_t)cut->inner[a];
    }
    sup_status status = sup_record_set_string(&t->kernel, s->problem.kernel);
    if (!status) status = sup_record_set_string(&t->size_class, s->class);
    if (!status) status = sup_record_set_string(&t->strategy, sup_tile_strategy_name(cut->strategy));
    if (!status) status = sup_record_set_ints(&t->shape, &t->shape_count, shape, count);
    t->workers = s->problem.workers;
    t->time_s = sup_record_make(&sup_number_record);
    if (status || !t->time_s) return SUP_ENOMEM;
    t->time_s->value = time;
    t->time_s->n = n;
    if (isfinite(ci)) t->time_s->ci = ci;
    return SUP_OK;
}

static int try_cut(sweep *s, const sup_tile_cut *cut) {
    int n = 0;
    double ci = NAN, time = time_cut(s, cut, &n, &ci);
    s->tried++;
    if (time < s->best) s->best = time, s->best_cut = *cut;
    return isfinite(time) ? keep(s, cut, time, n, ci) : SUP_OK;
}

/* A kernel that is swept again replaces what the profile had. */
static void drop_old(sweep *s) {
    sup_profile *p = s->tune->profile;
    for (size_t i = 0; i < p->tiles_count;) {
        sup_tile_time *t = &p->tiles[i];
        bool same = strcmp(t->kernel, s->problem.kernel) == 0 && strcmp(t->size_class, s->class) == 0 &&
                    t->workers == s->problem.workers;
        if (!same) {
            i++;
            continue;
        }
        sup_record_clear(&sup_tile_time_record, t);
        memmove(t, t + 1, (--p->tiles_count - i) * sizeof *t);
    }
}

/* Small parts that are fetched ahead, inside larger blocks: for kernels that visit everything once. */
static sup_status sweep_fetched(sweep *s, const sup_tile_trait *t) {
    for (size_t block = 256; block <= 1024; block *= 2)
        for (size_t i = 8; i <= 64; i *= 2)
            for (size_t j = 16; j <= 128; j *= 2) {
                sup_tile_cut cut = {t->strategy, {block, block, 1}, {i, j, 1}, 0, false};
                if (sup_clock_now() > s->end_s) {
                    s->complete = false;
                    return SUP_OK;
                }
                if ((int64_t)block > s->problem.extent[0] || (int64_t)block > s->problem.extent[1]) continue;
                sup_status status = try_cut(s, &cut);
                if (status) return status;
            }
    return SUP_OK;
}

/* Many bands, of which a worker does some at a time: where whoever is idle may do any of them. */
static sup_status sweep_shared(sweep *s, const sup_tile_trait *t) {
    sup_tile_op op = *s->op;
    sup_tile_report report;
    op.cut = (sup_tile_cut){.strategy = t->strategy};
    if (!s->problem.shared || sup_tile_run(s->tile, &op, NULL, &report)) return SUP_OK;
    memcpy(op.cut.shape, report.shape, sizeof op.cut.shape); /* for the record: it is always cut like this */
    return try_cut(s, &op.cut);
}

static sup_status sweep_shapes(sweep *s, double end_s) {
    int count, done = 0;
    sup_tile_ranked *list = sup_tile_rank(&s->problem, &count);
    sup_status status = list ? SUP_OK : SUP_ENOMEM;
    for (; !status && done < count && sup_clock_now() < end_s; done++)
        for (const sup_tile_trait *t = NULL; !status && (t = sup_tile_trait_next(SUP_TILE_PARTS, t));) {
            sup_tile_cut cut = {.strategy = t->strategy};
            for (int a = 0; a < 3; a++) cut.shape[a] = (size_t)list[done].shape.size[a];
            status = try_cut(s, &cut);
        }
    s->complete = done == count;
    free(list);
    return status;
}

/* The best shape again: given to other workers, and in two levels. */
static sup_status sweep_best_again(sweep *s) {
    const sup_tile_cut best = s->best_cut;
    sup_status status = SUP_OK;
    for (const sup_tile_trait *t = NULL; !status && (t = sup_tile_trait_next(SUP_TILE_REDEALT_PARTS, t));) {
        sup_tile_cut other = best;
        other.strategy = t->strategy;
        status = try_cut(s, &other);
    }
    sup_tile_cut outer = best;
    bool larger = false;
    for (int a = 0; a < 3; a++) {
        size_t extent = (size_t)s->problem.extent[a];
        outer.inner[a] = best.shape[a];
        if (best.shape[a] < 256) outer.shape[a] = extent < 256 ? extent : 256;
        larger = larger || outer.shape[a] > best.shape[a];
    }
    return !status && larger ? try_cut(s, &outer) : status;
}

static sup_status sweep_all(sweep *s) {
    const sup_tile_cut bands = {.strategy = SUP_TILE_HORIZONTAL};
    const bool columns = sup_tile_has_columns(&s->problem), fetch = columns && sup_tile_once(&s->problem);
    sup_tile_op warm = *s->op; /* wakes workers and touches memory: what comes first would pay for it */
    warm.cut = bands;
    sup_status status = sup_tile_run(s->tile, &warm, NULL, NULL);
    if (!status) status = try_cut(s, &bands);
    s->bands = s->best;
    const sup_tile_trait *t = NULL;
    while (!status && !columns && (t = sup_tile_trait_next(SUP_TILE_SHARED_BANDS, t))) status = sweep_shared(s, t);
    double now = sup_clock_now(), shapes_end = fetch ? s->end_s - FETCHED_SHARE * (s->end_s - now) : s->end_s;
    if (!status) status = sweep_shapes(s, shapes_end);
    t = NULL;
    while (!status && fetch && (t = sup_tile_trait_next(SUP_TILE_FETCHED_PARTS, t))) status = sweep_fetched(s, t);
    if (!status && sup_tile_trait_at(s->best_cut.strategy)->parts == SUP_TILE_PARTS) status = sweep_best_again(s);
    return status;
}

static void say(const sweep *s, const sup_plan_tile *r, bool first) {
    char time[SUP_UNIT_TEXT], shape[96] = "bands of rows";
    sup_unit_seconds(s->best, time, sizeof time);
    int used = 0;
    if (r->shape_count == 3 && r->inner_shape_count == 3)
        used = snprintf(shape, sizeof shape, "%lld x %lld x %lld in ", (long long)r->inner_shape[0],
                        (long long)r->inner_shape[1], (long long)r->inner_shape[2]);
    if (r->shape_count == 3)
        snprintf(shape + used, sizeof shape - (size_t)used, "%lld x %lld x %lld", (long long)r->shape[0],
                 (long long)r->shape[1], (long long)r->shape[2]);
    if (s->tune->json)
        printf("%s\n {\"kernel\": \"%s\", \"size_class\": \"%s\", \"strategy\": \"%s\", \"shape\": [%lld, %lld, %lld], "
               "\"call_s\": %.6g, \"over_bands\": %.4g, \"tried\": %ld, \"complete\": %s}",
               first ? "[" : ",", r->kernel, r->size_class, r->strategy,
               r->shape_count == 3 ? (long long)r->shape[0] : 0, r->shape_count == 3 ? (long long)r->shape[1] : 0,
               r->shape_count == 3 ? (long long)r->shape[2] : 0, s->best, s->bands / s->best, s->tried,
               s->complete ? "true" : "false");
    else
        printf("%-14s %-28s %-11s %-20s %10s  %5.2f x bands  %ld tried%s\n", r->kernel, r->size_class, r->strategy,
               shape, time, s->bands / s->best, s->tried, s->complete ? "" : ", time was up");
    fflush(stdout);
}

/* The plan's record of this kernel and size class, emptied, or a new one. NULL: no memory. */
static sup_plan_tile *place_record(sup_plan *plan, const sweep *s) {
    sup_plan_tile *old = sup_plan_tile_find(plan, s->problem.kernel, s->class);
    if (!old) return SUP_APPEND(&sup_plan_tile_record, plan->tiles, plan->tiles_count);
    sup_record_clear(&sup_plan_tile_record, old);
    return old;
}

static int sweep_case(sup_tune *t, const sup_tile_case *k, sup_tile *tile, bool first) {
    sup_tile_work work;
    sup_diag diag = {0};
    size_t n = t->size ? (size_t)t->size : k->size;
    if (n > k->most) return sup_cli_usage(VERB, "--size: %s goes up to %zu", k->name, k->most);
    if (k->setup(&work, n)) return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "no memory for %s %zu", k->name, n);
    sweep s = {.tune = t, .tile = tile, .op = &work.op, .best = HUGE_VAL, .bands = NAN};
    s.end_s = sup_clock_now() + t->seconds;
    sup_status status = sup_tile_describe(tile, &work.op, &diag, &s.problem);
    if (!status) {
        sup_tile_size_class(&s.problem, s.class);
        drop_old(&s);
        status = sweep_all(&s);
    }
    if (!status) status = sup_tile_run(tile, &work.op, &diag, NULL); /* whole, so that the result can be looked at */
    sup_plan_tile *record = status ? NULL : place_record(t->plan, &s);
    if (!status) status = record ? sup_tile_from_profile(&s.problem, t->profile, record) : SUP_ENOMEM;
    int code = SUP_EXIT_OK;
    if (status)
        code = sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "%s: %s", k->name, sup_status_text(status));
    else if (!k->verify(&work))
        code = sup_cli_fail(VERB, SUP_EXIT_FAIL, "%s gives wrong results", k->name);
    else if (!t->quiet)
        say(&s, record, first);
    sup_tile_work_free(&work);
    return code;
}

void sup_tune_sample(sup_profile *profile, double seconds) {
    static const struct {
        const char *kernel;
        long size;
    } list[] = {{"matmult", 400}, {"transpose", 2000}, {"blur-rows", 300}, {"saxpy", 1000000}, {"stencil", 1000}};
    const size_t count = sizeof list / sizeof list[0];
    sup_tile *tile;
    sup_tune t = {.seconds = seconds / (double)count, .quiet = true, .profile = profile};
    if (profile->tiles_count || sup_plan_new(-1, NULL, &t.plan)) return;
    if (sup_tile_open(NULL, NULL, &tile)) {
        sup_plan_free(t.plan);
        return;
    }
    int code = SUP_EXIT_OK;
    for (size_t i = 0; i < count && !code && !sup_bar_interrupts(); i++) {
        t.kernel = list[i].kernel;
        t.size = list[i].size;
        code = sweep_case(&t, sup_tile_case_find(t.kernel), tile, false);
    }
    sup_tile_close(tile);
    sup_plan_free(t.plan);
}

int sup_tune_tiles(sup_tune *t) {
    bool all = strcmp(t->kernel, "all") == 0;
    if (!all && !sup_tile_case_find(t->kernel)) return sup_cli_usage(VERB, "there is no kernel \"%.64s\"", t->kernel);
    sup_diag diag = {0};
    sup_tile *tile;
    sup_tile_options options = {.workers = (int)t->workers};
    if (sup_tile_open(&options, &diag, &tile)) return sup_cli_fail_diag(VERB, &diag);
    int code = SUP_EXIT_OK;
    bool first = true;
    for (size_t i = 0; sup_tile_cases[i] && !code; i++) {
        if (!all && strcmp(sup_tile_cases[i]->name, t->kernel) != 0) continue;
        code = sweep_case(t, sup_tile_cases[i], tile, first);
        first = false;
    }
    if (t->json && !code) printf("\n]\n");
    sup_tile_close(tile);
    return code;
}
