/* Data-parallel operations (CACHE ch. 5): as the library runs them, at first and after learning, against one band a
 * worker, OpenMP, oneTBB, the best of an exhaustive sweep over sizes and shapes, and the limits (OpenBLAS, a copy).
 *
 *     bench_tile [--quick] [--json] [--rounds N] [--workers N] [--case NAME] [--size N]
 *
 * Values are innermost iterations per second; a ratio of 2 is twice as fast as the reference. */
#include "harness.h"
#include "tile_peers.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool tile_peer(const char *name, const sup_tile_work *work, int threads);

typedef struct entry {
    const char *name;
    size_t size;
    bool quick;                        /* also in --quick */
    const char *over_bands, *over_tbb; /* floors for 2 workers */
} entry;

static const entry entries[] = {
    {"matmult", 1000, true, ">= 2.1", ">= 1.6"},      {"matmult", 1500, false, ">= 3.2", ">= 2.6"},
    {"matmult", 2000, false, ">= 9.2", ">= 9"},       {"matmult-int", 1000, false, NULL, NULL},
    {"transpose", 5000, true, ">= 6.5", ">= 1.25"},   {"transpose-int", 10000, false, ">= 14", ">= 1.3"},
    {"blur", 600, true, ">= 0.98", ">= 1.0"},         {"blur-rows", 600, true, ">= 0.98", ">= 1.0"},
    {"blur", 1000, false, ">= 0.98", ">= 1.0"},       {"blur-rows", 1000, false, ">= 0.98", ">= 1.0"},
    {"saxpy", 1000000, true, ">= 0.97", ">= 1.0"},    {"saxpy", 10000000, true, ">= 0.97", ">= 1.0"},
    {"saxpy", 100000000, false, ">= 0.97", ">= 1.0"}, {"series", 2000, true, ">= 0.97", ">= 1.0"},
    {"series", 10000, false, ">= 0.97", ">= 1.0"},    {"stencil", 2000, true, ">= 0.97", NULL},
};

typedef struct setting {
    bench b;
    int workers;
    const char *only;
    size_t size;
    sup_tile *learned, *fresh; /* two pools: one learns, one always guesses */
    double learn_s, sweep_s, race_s;
} setting;

/* ---- contenders ---------------------------------------------------------------------------------------------------*/

typedef struct contender {
    sup_tile *tile;
    sup_tile_op op;
    tile_peer *peer;
    const char *name;
    const sup_tile_work *work;
    int workers;
    bool failed;
} contender;

static void run_ours(void *context, long reps) {
    contender *c = context;
    for (long i = 0; i < reps; i++) c->failed = c->failed || sup_tile_run(c->tile, &c->op, NULL, NULL);
}

static void run_peer(void *context, long reps) {
    contender *c = context;
    for (long i = 0; i < reps; i++) c->failed = c->failed || !c->peer(c->name, c->work, c->workers);
}

static bool batch(void *context, long reps, double *seconds, bool *disturbed) {
    contender *c = context;
    bench_timed(c->peer ? run_peer : run_ours, c, reps, seconds, disturbed);
    return !c->failed;
}

static bool copy_peer(const char *name, const sup_tile_work *work, int threads) {
    (void)name;
    return tile_omp_copy(work, threads);
}

/* ---- sweep --------------------------------------------------------------------------------------------------------*/

typedef struct guarded {
    sup_tile_kernel *kernel;
    void *context;
    double give_up; /* on the clock */
} guarded;

/* A shape that already took longer than the best so far is given up. */
static int guard(const sup_tile_task *task, void *context) {
    const guarded *g = context;
    if (sup_clock_now() > g->give_up) return 1;
    return g->kernel(task, g->context);
}

static double try_shape(const setting *s, const sup_tile_op *op, const size_t *shape, double best) {
    sup_tile_op trial = *op;
    double now = sup_clock_now();
    guarded g = {op->kernel, op->context, now + 1.2 * best};
    trial.kernel = guard;
    trial.context = &g;
    memcpy(trial.cut.shape, shape, sizeof trial.cut.shape);
    return sup_tile_run(s->fresh, &trial, NULL, NULL) ? HUGE_VAL : sup_clock_now() - now;
}

static int steps_of(size_t extent, size_t from, size_t factor, size_t *out) {
    int n = 0;
    for (size_t x = from; x < extent && n < 14; x *= factor) out[n++] = x;
    out[n++] = extent;
    return n;
}

/* Whole sweep over shapes of the axes that the operation has; the best goes to shape. False: not finished in time. */
static bool sweep(const setting *s, const sup_tile_op *op, size_t *shape) {
    size_t extent[SUP_TILE_AXES] = {1, 1, 1}, list[SUP_TILE_AXES][16], at[SUP_TILE_AXES];
    int n[SUP_TILE_AXES];
    double best = HUGE_VAL, end = sup_clock_now() + s->sweep_s;
    for (int i = 0; i < op->set_count; i++) {
        if (op->set[i].row_axis) extent[op->set[i].row_axis - 1] = op->set[i].rows;
        if (op->set[i].col_axis) extent[op->set[i].col_axis - 1] = op->set[i].cols;
    }
    for (int a = 0; a < SUP_TILE_AXES; a++)
        n[a] = steps_of(extent[a], extent[0] > 1 ? 8 : 1 + extent[1] / 1024, 2, list[a]);
    for (int k = n[2] - 1; k >= 0; k--) /* from whole axes down, which fail fast once there is something better */
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++) {
                at[0] = list[0][i], at[1] = list[1][j], at[2] = list[2][k];
                double t = try_shape(s, op, at, best);
                if (t < best) best = t, memcpy(shape, at, sizeof at);
                if (sup_clock_now() > end) return false;
            }
    return isfinite(best);
}

/* ---- one case -----------------------------------------------------------------------------------------------------*/

static void learn(const setting *s, const sup_tile_op *op) {
    double end = sup_clock_now() + s->learn_s;
    for (int i = 0; i < 200 && (i < 3 || sup_clock_now() < end); i++) sup_tile_run(s->learned, op, NULL, NULL);
}

static double iterations(const sup_tile_op *op) {
    double extent[SUP_TILE_AXES] = {1, 1, 1};
    for (int i = 0; i < op->set_count; i++) {
        if (op->set[i].row_axis) extent[op->set[i].row_axis - 1] = (double)op->set[i].rows;
        if (op->set[i].col_axis) extent[op->set[i].col_axis - 1] = (double)op->set[i].cols;
    }
    return extent[0] * extent[1] * extent[2] * (op->phases ? op->phases : 1);
}

enum { OURS, FIRST, BANDS, BEST, OMP, CELLS, TBB, TBB_AFFINITY, BLAS, COPY, CONTENDERS };

static void rows_of(setting *s, const entry *e, const bench_contender *c, double work) {
    static const char *const against[CONTENDERS] = {[FIRST] = "first call",
                                                    [BANDS] = "one band a worker",
                                                    [BEST] = "best of a sweep",
                                                    [OMP] = "OpenMP parallel for",
                                                    [CELLS] = "OpenMP collapse(2)",
                                                    [TBB] = "oneTBB auto",
                                                    [TBB_AFFINITY] = "oneTBB affinity",
                                                    [BLAS] = "OpenBLAS (limit)",
                                                    [COPY] = "copy (limit)"};
    bool floors = s->workers == 2;
    char name[64];
    for (int i = FIRST; i < CONTENDERS; i++) {
        if (!c[i].batch || c[i].median_s < 0) continue;
        const char *floor = i == BANDS ? e->over_bands : i == TBB ? e->over_tbb : NULL;
        if (i == BEST) floor = ">= 0.95";
        snprintf(name, sizeof name, "%s %zu w%d", e->name, e->size, s->workers);
        bench_row(&s->b, name, work / c[OURS].median_s * 1e-6, "M/s", work / c[i].median_s * 1e-6, against[i],
                  floors || i == BEST ? floor : NULL);
    }
    snprintf(name, sizeof name, "%s %zu w%d, first call", e->name, e->size, s->workers);
    bench_row(&s->b, name, work / c[FIRST].median_s * 1e-6, "M/s", work / c[BANDS].median_s * 1e-6, against[BANDS],
              ">= 0.97");
    if (c[BEST].batch)
        bench_row(&s->b, name, work / c[FIRST].median_s * 1e-6, "M/s", work / c[BEST].median_s * 1e-6, against[BEST],
                  ">= 0.8");
}

static void breakdown(setting *s, const entry *e, const sup_tile_op *op) {
    sup_tile_report r;
    char name[64];
    if (sup_tile_run(s->learned, op, NULL, &r) || !(r.total_s > 0)) return;
    snprintf(name, sizeof name, "%s %zu w%d, preparation", e->name, e->size, s->workers);
    bench_row(&s->b, name, (r.estimate_s + r.decompose_s + r.combine_s + r.schedule_s) * 1e6, "us", r.total_s * 1e6,
              "whole call", "<= 0.01");
}

static bool race(setting *s, const entry *e) {
    const sup_tile_case *k = sup_tile_case_find(e->name);
    sup_tile_work work;
    if (!k || k->setup(&work, e->size)) return false;
    contender c[CONTENDERS];
    bench_contender list[CONTENDERS] = {0};
    tile_peer *peers[CONTENDERS] = {NULL};
#ifdef BENCH_OPENMP
    peers[OMP] = tile_omp_rows, peers[CELLS] = tile_omp_cells;
#endif
#ifdef BENCH_TBB
    peers[TBB] = tile_tbb_auto, peers[TBB_AFFINITY] = tile_tbb_affinity;
#endif
#ifdef BENCH_BLAS
    if (strcmp(e->name, "matmult") == 0) peers[BLAS] = tile_blas;
#endif
    if (strncmp(e->name, "transpose", 9) == 0) peers[COPY] = copy_peer;
    if (strncmp(e->name, "matmult", 7) != 0 && strncmp(e->name, "transpose", 9) != 0) peers[CELLS] = NULL;
    if (s->b.quick) peers[CELLS] = NULL;
    if (s->b.quick && strncmp(e->name, "matmult", 7) == 0) peers[OMP] = NULL; /* bands again, and as slow */
    for (int i = 0; i < CONTENDERS; i++) {
        c[i] = (contender){i == OURS ? s->learned : s->fresh, work.op, peers[i], e->name, &work, s->workers, false};
        list[i] = (bench_contender){.name = "", .batch = batch, .context = &c[i]};
        if (i >= OMP && !peers[i]) list[i].batch = NULL;
    }
    c[OURS].op.flags |= SUP_TILE_NO_LEARNING; /* what was learned until then */
    c[FIRST].op.flags |= SUP_TILE_NO_LEARNING;
    c[BANDS].op.cut.strategy = SUP_TILE_HORIZONTAL;
    learn(s, &work.op);
    if (!sweep(s, &work.op, c[BEST].op.cut.shape)) list[BEST].batch = NULL;
    s->b.deadline_s = sup_clock_now() + s->race_s;
    bench_race(&s->b, list, CONTENDERS);
    sup_tile_run(s->learned, &work.op, NULL, NULL);
    if (!k->verify(&work)) fprintf(stderr, "bench_tile: %s %zu gives wrong results\n", e->name, e->size);
    rows_of(s, e, list, iterations(&work.op));
    breakdown(s, e, &work.op);
    sup_tile_work_free(&work);
    return true;
}

/* ---- all ----------------------------------------------------------------------------------------------------------*/

/* Takes our options out of argv; the rest is the harness's. */
static int own_options(setting *s, int argc, char **argv) {
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--workers") == 0 && i + 1 < argc)
            s->workers = atoi(argv[++i]);
        else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc)
            s->only = argv[++i];
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            s->size = strtoul(argv[++i], NULL, 10);
        else
            argv[kept++] = argv[i];
    }
    return kept;
}

static bool run_at(setting *s, int workers) {
    sup_tile_options options = {.workers = workers};
    sup_diag diag;
    s->workers = workers;
    if (sup_tile_open(&options, &diag, &s->learned) || sup_tile_open(&options, &diag, &s->fresh)) {
        fprintf(stderr, "bench_tile: %s\n", diag.text);
        return false;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        entry e = entries[i];
        if (s->only ? strcmp(e.name, s->only) != 0 : s->b.quick && !e.quick) continue;
        if (s->only && s->size) e.size = s->size, e.over_bands = e.over_tbb = NULL;
        if (!race(s, &e)) fprintf(stderr, "bench_tile: no memory for %s %zu\n", e.name, e.size);
        if (s->only && s->size) break;
    }
    sup_tile_close(s->fresh);
    sup_tile_close(s->learned);
    return true;
}

int main(int argc, char **argv) {
    setting s = {0};
    argc = own_options(&s, argc, argv);
    int rounds_given = 0;
    for (int i = 1; i < argc; i++) rounds_given = rounds_given || strcmp(argv[i], "--rounds") == 0;
    int rc = bench_begin(&s.b, "tile", argc, argv);
    if (rc >= 0) return rc;
    if (!rounds_given) s.b.rounds = s.b.quick ? 5 : 15;
    s.learn_s = s.b.quick ? 1.2 : 20, s.sweep_s = s.b.quick ? 1.2 : 120, s.race_s = s.b.quick ? 1.0 : 60;
    int asked = s.workers, cores = bench_cores();
    if (asked > 0 && !run_at(&s, asked)) return 5;
    if (asked <= 0 && !s.b.quick && !run_at(&s, 1)) return 5;
    if (asked <= 0 && cores > 1 && !run_at(&s, 2)) return 5;
    if (asked <= 0 && cores > 2 && !s.b.quick && !run_at(&s, cores)) return 5;
    return bench_end(&s.b);
}
