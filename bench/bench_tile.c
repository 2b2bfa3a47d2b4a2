/* Data-parallel operations (CACHE ch. 5): as the library runs them, at first and after learning, against one band a
 * worker, OpenMP, oneTBB, the best of an exhaustive sweep over sizes, shapes and schedules, and the limits (OpenBLAS, a
 * copy).
 *
 *     bench_tile [--quick] [--table] [--json] [--rounds N] [--workers N] [--case NAME] [--size N] [--seconds S]
 *
 * --table: every kernel and size of the document that one call of which is short enough; --seconds: for one of them.
 * Values are innermost iterations per second; a ratio of 2 is twice as fast as the reference. A contender of which one
 * call takes longer than the time there is runs once. */
#include "harness.h"
#include "tile_peers.h"

#include "base/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef bool tile_peer(const char *name, const sup_tile_work *work, int threads);

typedef struct entry {
    const char *name;
    size_t size;
    bool quick;                        /* also in --quick */
    bool lengthy;                      /* takes minutes on few cores: from 8 workers on, or when named */
    const char *over_bands, *over_tbb; /* floors for 2 workers */
} entry;

#define EVEN ">= 0.97", ">= 1.0"
#define BLUR ">= 0.98", ">= 1.0"
static const entry entries[] = {
    {"matmult", 1000, true, false, ">= 2.1", ">= 1.6"},
    {"matmult", 1500, false, false, ">= 3.2", ">= 2.6"},
    {"matmult", 2000, false, true, ">= 9.2", ">= 9"},
    {"matmult-int", 1000, false, false, NULL, NULL},
    {"transpose", 3500, false, false, NULL, NULL},
    {"transpose", 5000, true, false, ">= 6.5", ">= 1.25"},
    {"transpose-int", 10000, false, false, ">= 14", ">= 1.3"},
    {"transpose-int", 20000, false, false, NULL, NULL},
    {"blur", 600, true, false, BLUR},
    {"blur-rows", 600, true, false, BLUR},
    {"blur", 1000, false, false, BLUR},
    {"blur-20", 1000, false, false, BLUR},
    {"blur-25", 1000, false, false, BLUR},
    {"blur-rows", 1000, false, false, BLUR},
    {"blur-rows-20", 1000, false, false, BLUR},
    {"blur-rows-25", 1000, false, false, BLUR},
    {"saxpy", 1000000, true, false, EVEN},
    {"saxpy", 10000000, true, false, EVEN},
    {"saxpy", 100000000, false, false, EVEN},
    {"series", 2000, true, false, EVEN},
    {"series", 10000, false, false, EVEN},
    {"series", 100000, false, true, EVEN},
    {"series", 1000000, false, true, EVEN},
    {"stencil", 2000, true, false, ">= 0.97", NULL},
};

typedef struct setting {
    bench b;
    int workers;
    const char *only;
    size_t size;
    sup_tile *learned, *fresh; /* two pools: one learns, one always guesses */
    bool table;
    double seconds; /* for one entry; 0: as usual */
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
    double call_s; /* the last known */
} contender;

static const double SETTLE_S = 0.01;

static void run_ours(void *context, long reps) {
    contender *c = context;
    for (long i = 0; i < reps; i++) c->failed = c->failed || sup_tile_run(c->tile, &c->op, NULL, NULL);
}

static void run_peer(void *context, long reps) {
    contender *c = context;
    for (long i = 0; i < reps; i++) c->failed = c->failed || !c->peer(c->name, c->work, c->workers);
}

/* Workers of the contender before may still be looking for work on their cores, and ours may sleep: after a pause, one
 * call that does not count, where calls are short enough for such things to matter. */
static bool batch(void *context, long reps, double *seconds, bool *disturbed) {
    contender *c = context;
    void (*run)(void *, long) = c->peer ? run_peer : run_ours;
    if (c->call_s < SETTLE_S) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        run(c, 1);
    }
    bench_timed(run, c, reps, seconds, disturbed);
    c->call_s = *seconds / (double)reps;
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
    double begin, best; /* on the clock; a whole call */
    double tasks;       /* of a whole call */
    _Atomic long done;
} guarded;

/* A shape that already took longer than the best so far, or is far behind its pace, is given up. */
static int guard(const sup_tile_task *task, void *context) {
    guarded *g = context;
    double share = (double)atomic_fetch_add_explicit(&g->done, 1, memory_order_relaxed) / g->tasks;
    double used = (sup_clock_now() - g->begin) / g->best;
    if (used > 1.2 || (used > 0.1 && share < 0.5 * used)) return 1;
    return g->kernel(task, g->context);
}

typedef struct trial {
    sup_tile_strategy strategy;
    size_t shape[SUP_TILE_AXES], inner[SUP_TILE_AXES];
} trial;

static double blocks(const size_t *extent, const size_t *shape) {
    double n = 1;
    for (int a = 0; a < SUP_TILE_AXES; a++) n *= (double)((extent[a] + shape[a] - 1) / shape[a]);
    return n;
}

static double try_cut(const setting *s, const sup_tile_op *op, const size_t *extent, const trial *t, double best) {
    sup_tile_op attempt = *op;
    double now = sup_clock_now();
    guarded g = {.kernel = op->kernel, .context = op->context, .begin = now, .best = best};
    g.tasks = blocks(extent, t->inner[0] ? t->inner : t->shape) * (op->phases ? op->phases : 1);
    attempt.kernel = guard;
    attempt.context = &g;
    attempt.cut = (sup_tile_cut){.strategy = t->strategy};
    memcpy(attempt.cut.shape, t->shape, sizeof t->shape);
    memcpy(attempt.cut.inner, t->inner, sizeof t->inner);
    return sup_tile_run(s->fresh, &attempt, NULL, NULL) ? HUGE_VAL : sup_clock_now() - now;
}

static int steps_of(size_t extent, size_t from, size_t factor, size_t *out) {
    int n = 0;
    for (size_t x = from; x < extent && n < 14; x *= factor) out[n++] = x;
    out[n++] = extent;
    return n;
}

static void extents(const sup_tile_op *op, size_t *extent) {
    for (int a = 0; a < SUP_TILE_AXES; a++) extent[a] = 1;
    for (int i = 0; i < op->set_count; i++) {
        if (op->set[i].row_axis) extent[op->set[i].row_axis - 1] = op->set[i].rows;
        if (op->set[i].col_axis) extent[op->set[i].col_axis - 1] = op->set[i].cols;
    }
}

enum { KEPT = 8 }; /* the best of the first pass, which are timed again: one sample each would favour the lucky */

typedef struct sweeping {
    const setting *s;
    const sup_tile_op *op;
    size_t extent[SUP_TILE_AXES];
    double best, end;
    trial kept[KEPT];
    double time[KEPT];
    int count;
} sweeping;

static bool consider(sweeping *w, const trial *t) {
    double time = try_cut(w->s, w->op, w->extent, t, w->best);
    if (time < w->best) w->best = time;
    int at = w->count < KEPT ? w->count++ : KEPT;
    for (; at > 0 && time < w->time[at - 1]; at--)
        if (at < KEPT) w->time[at] = w->time[at - 1], w->kept[at] = w->kept[at - 1];
    if (at < KEPT) w->time[at] = time, w->kept[at] = *t;
    return sup_clock_now() < w->end;
}

/* Parts larger than this have nothing to gain from any cache, and one of them may run for minutes; bands are raced. */
static const double MOST_BYTES = 8 << 20;

static bool sweep_shapes(sweeping *w) {
    size_t list[SUP_TILE_AXES][16];
    int n[SUP_TILE_AXES];
    for (int a = 0; a < SUP_TILE_AXES; a++)
        n[a] = steps_of(w->extent[a], w->extent[0] > 1 ? 4 : 1 + w->extent[1] / 1024, 2, list[a]);
    for (int k = 0; k < n[2]; k++)
        for (int i = n[0] - 1; i >= 0; i--)
            for (int j = n[1] - 1; j >= 0; j--) {
                trial t = {SUP_TILE_CONTIGUOUS, {list[0][i], list[1][j], list[2][k]}, {0}};
                double I = (double)t.shape[0], J = (double)t.shape[1], K = (double)t.shape[2];
                double bytes = (I * J + (w->extent[2] > 1 ? I * K + K * J : I * J)) * (double)w->op->set[0].element;
                if (bytes > MOST_BYTES || I * J * K < 64) continue;
                if (!consider(w, &t)) return false;
            }
    return true;
}

/* The second level, fetched ahead and not: inside blocks of three sizes. */
static bool sweep_levels(sweeping *w) {
    if (w->extent[0] < 512 || w->extent[1] < 512 || w->extent[2] > 1) return true;
    for (size_t block = 256; block <= 1024; block *= 2)
        for (size_t i = 8; i <= 64; i *= 2)
            for (size_t j = 8; j <= 128; j *= 2)
                for (int ahead = 0; ahead < 2; ahead++) {
                    trial t = {ahead ? SUP_TILE_AHEAD : SUP_TILE_CONTIGUOUS, {block, block, 1}, {i, j, 1}};
                    if (!consider(w, &t)) return false;
                }
    return true;
}

/* Whole sweep over sizes, shapes and schedules; the best goes to cut. False: not finished in time. */
static bool sweep(const setting *s, const sup_tile_op *op, sup_tile_cut *cut) {
    sweeping w = {.s = s, .op = op, .best = HUGE_VAL, .end = sup_clock_now() + s->sweep_s};
    extents(op, w.extent);
    if (!sweep_shapes(&w) || !sweep_levels(&w)) return false;
    double best = HUGE_VAL, budget = sup_clock_now() + 0.5 * s->sweep_s;
    for (int round = 0; round < 3 && sup_clock_now() < budget; round++)
        for (int i = 0; i < w.count; i++) {
            double time = try_cut(s, op, w.extent, &w.kept[i], HUGE_VAL);
            w.time[i] = round && w.time[i] < time ? w.time[i] : time;
        }
    for (int i = 0; i < w.count; i++) {
        if (w.time[i] >= best) continue;
        best = w.time[i];
        *cut = (sup_tile_cut){.strategy = w.kept[i].strategy};
        memcpy(cut->shape, w.kept[i].shape, sizeof cut->shape);
        memcpy(cut->inner, w.kept[i].inner, sizeof cut->inner);
    }
    return isfinite(best);
}

/* ---- one case -----------------------------------------------------------------------------------------------------*/

static const double LENGTHY_S = 1.0;

/* What the last call took. */
static double learn(const setting *s, const sup_tile_op *op) {
    sup_tile_report r = {0};
    double end = sup_clock_now() + s->learn_s;
    for (int i = 0; i < 400 && (i < 3 || sup_clock_now() < end); i++) sup_tile_run(s->learned, op, NULL, &r);
    return r.total_s;
}

static double iterations(const sup_tile_op *op) {
    size_t extent[SUP_TILE_AXES];
    extents(op, extent);
    return (double)extent[0] * (double)extent[1] * (double)extent[2] * (op->phases ? op->phases : 1);
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
        const char *floor = i == BANDS ? e->over_bands : i == TBB ? e->over_tbb : NULL;
        if (i == BEST) floor = ">= 0.95";
        if (!c[i].batch && !floor) continue; /* left out: there is nothing to hold */
        bench_value peer = c[i].batch ? bench_rate(work * 1e-6, c[i].time_s) : BENCH_ABSENT;
        snprintf(name, sizeof name, "%s %zu w%d", e->name, e->size, s->workers);
        bench_row(&s->b, name, bench_rate(work * 1e-6, c[OURS].time_s), "M/s", peer, against[i],
                  floors || i == BEST ? floor : NULL);
    }
    snprintf(name, sizeof name, "%s %zu w%d, first call", e->name, e->size, s->workers);
    bench_value first = bench_rate(work * 1e-6, c[FIRST].time_s), bands = bench_rate(work * 1e-6, c[BANDS].time_s);
    bench_row(&s->b, name, first, "M/s", bands, against[BANDS], ">= 0.97");
    bench_value best = c[BEST].batch ? bench_rate(work * 1e-6, c[BEST].time_s) : BENCH_ABSENT;
    bench_row(&s->b, name, first, "M/s", best, against[BEST], ">= 0.8");
}

/* The share of a call that is not work, of warm calls: the median of some. */
static void breakdown(setting *s, const entry *e, const sup_tile_op *op) {
    enum { CALLS = 51 };
    double share[CALLS], total = 0, end = sup_clock_now() + 0.2;
    int n = 0;
    char name[64];
    snprintf(name, sizeof name, "%s %zu w%d, preparation", e->name, e->size, s->workers);
    do {
        sup_tile_report r;
        if (sup_tile_run(s->learned, op, NULL, &r) || !(r.total_s > 0)) {
            bench_row(&s->b, name, BENCH_FAILED, "us", BENCH_FAILED, "whole call", "<= 0.01");
            return;
        }
        share[n++] = (r.estimate_s + r.decompose_s + r.combine_s + r.schedule_s) / r.total_s;
        total = r.total_s;
    } while (n < CALLS && sup_clock_now() < end);
    double usual = bench_quantile(share, n, 0.5);
    bench_row(&s->b, name, bench_exact(usual * total * 1e6), "us", bench_exact(total * 1e6), "whole call", "<= 0.01");
}

static void say_cut(const char *who, sup_tile_strategy strategy, const size_t *shape, const size_t *inner) {
    fprintf(stderr, "  %s: %s %zu x %zu x %zu", who, sup_tile_strategy_name(strategy), shape[0], shape[1], shape[2]);
    if (inner[0]) fprintf(stderr, " in steps of %zu x %zu x %zu", inner[0], inner[1], inner[2]);
    fputc('\n', stderr);
}

/* What was raced, for those who want to know. */
static void say_cuts(const setting *s, const entry *e, const contender *c, bool swept) {
    const int who[] = {OURS, FIRST, BEST};
    const char *const name[] = {"learned", "first call", "best of the sweep"};
    fprintf(stderr, "%s %zu, %d workers:\n", e->name, e->size, s->workers);
    for (int i = 0; i < (swept ? 3 : 2); i++) {
        sup_tile_report r;
        sup_tile_op op = c[who[i]].op;
        if (!sup_tile_run(c[who[i]].tile, &op, NULL, &r)) say_cut(name[i], r.strategy, r.shape, r.inner);
    }
}

static void find_peers(const setting *s, const entry *e, tile_peer **peers) {
    bool matmult = strncmp(e->name, "matmult", 7) == 0, transpose = strncmp(e->name, "transpose", 9) == 0;
#ifdef BENCH_OPENMP
    peers[OMP] = tile_omp_rows, peers[CELLS] = tile_omp_cells;
#endif
#ifdef BENCH_TBB
    peers[TBB] = tile_tbb_auto, peers[TBB_AFFINITY] = tile_tbb_affinity;
#endif
#ifdef BENCH_BLAS
    if (strcmp(e->name, "matmult") == 0) peers[BLAS] = tile_blas;
#endif
    if (transpose) peers[COPY] = copy_peer;
    if (s->b.quick || (!matmult && !transpose)) peers[CELLS] = NULL;
    if ((s->b.quick || s->table) && matmult) peers[OMP] = peers[CELLS] = NULL; /* bands again, and as slow */
    if ((s->b.quick || s->table) && matmult) peers[TBB_AFFINITY] = NULL;
}

/* Calls that take seconds run once each, without a warm-up: the race would last for hours. */
static void race_once(bench_contender *list) {
    for (int i = 0; i < CONTENDERS; i++) {
        double seconds;
        bool disturbed;
        bench_contender *c = &list[i];
        c->time_s = BENCH_FAILED;
        if (c->batch && c->batch(c->context, 1, &seconds, &disturbed)) c->time_s = bench_exact(seconds);
    }
}

static bool race(setting *s, const entry *e) {
    const sup_tile_case *k = sup_tile_case_find(e->name);
    sup_tile_work work;
    if (!k || k->setup(&work, e->size)) return false;
    contender c[CONTENDERS];
    bench_contender list[CONTENDERS] = {0};
    tile_peer *peers[CONTENDERS] = {NULL};
    find_peers(s, e, peers);
    for (int i = 0; i < CONTENDERS; i++) {
        c[i] = (contender){i == OURS ? s->learned : s->fresh, work.op, peers[i], e->name, &work, s->workers, false, 1};
        list[i] = (bench_contender){.name = "", .batch = batch, .context = &c[i]};
        if (i >= OMP && !peers[i]) list[i].batch = NULL;
    }
    c[OURS].op.flags |= SUP_TILE_NO_LEARNING; /* what was learned until then */
    c[FIRST].op.flags |= SUP_TILE_NO_LEARNING;
    c[BANDS].op.cut.strategy = SUP_TILE_HORIZONTAL;
    double call_s = learn(s, &work.op);
    if (!sweep(s, &work.op, &c[BEST].op.cut)) list[BEST].batch = NULL;
    s->b.deadline_s = sup_clock_now() + s->race_s;
    if (call_s > LENGTHY_S)
        race_once(list);
    else
        bench_race(&s->b, list, CONTENDERS);
    sup_tile_run(s->learned, &work.op, NULL, NULL);
    if (!k->verify(&work)) {
        fprintf(stderr, "bench_tile: %s %zu gives wrong results\n", e->name, e->size);
        list[OURS].time_s = list[FIRST].time_s = BENCH_FAILED;
    }
    say_cuts(s, e, c, list[BEST].batch != NULL);
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
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            s->seconds = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--table") == 0)
            s->table = true;
        else
            argv[kept++] = argv[i];
    }
    return kept;
}

/* Is the size that was asked for one with floors? */
static bool known_size(const setting *s) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].name, s->only) == 0 && entries[i].size == s->size) return true;
    return false;
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
        if (s->only ? strcmp(e.name, s->only) != 0 : s->b.quick && !s->table && !e.quick) continue;
        if (s->only && s->size && !known_size(s)) e.size = s->size, e.over_bands = e.over_tbb = NULL;
        if (s->only && s->size && e.size != s->size) continue;
        if (!s->only && e.lengthy && workers < 8) continue;
        if (!race(s, &e)) {
            char name[64];
            fprintf(stderr, "bench_tile: no memory for %s %zu\n", e.name, e.size);
            snprintf(name, sizeof name, "%s %zu w%d", e.name, e.size, workers);
            bench_row(&s->b, name, BENCH_FAILED, "M/s", BENCH_FAILED, "one band a worker", e.over_bands);
        }
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
    if (rc >= 0) {
        fprintf(rc ? stderr : stdout, "  --workers N one number of workers (1 and all cores; quick: all)\n"
                                      "  --table     every kernel and size of the document that is short enough\n"
                                      "  --case NAME [--size N]  one kernel, at one size\n"
                                      "  --seconds S time for one case and size\n");
        return rc;
    }
    if (!rounds_given) s.b.rounds = s.b.quick ? 15 : 25; /* at most: there is a limit of time */
    s.learn_s = s.b.quick ? 1.2 : 20, s.sweep_s = s.b.quick ? 1.2 : 120, s.race_s = s.b.quick ? 1.0 : 60;
    if (s.seconds > 0) s.learn_s = 0.25 * s.seconds, s.sweep_s = 0.4 * s.seconds, s.race_s = 0.35 * s.seconds;
    int asked = s.workers, cores = bench_cores();
    if (asked > 0 && !run_at(&s, asked)) return 5;
    if (asked <= 0 && !s.b.quick && !run_at(&s, 1)) return 5;
    if (asked <= 0 && cores > 1 && !run_at(&s, 2)) return 5;
    if (asked <= 0 && cores > 2 && !s.b.quick && !run_at(&s, cores)) return 5;
    return bench_end(&s.b);
}
