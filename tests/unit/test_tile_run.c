/* Operations on worker threads: right results however they are cut, phases, stealing, reductions, failures, check mode.
 * Short, and run under ThreadSanitizer too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../sanitized.h"
#include "tile_pool.h"

enum { N = 61, WORKERS = 3 };

static int matmult(const sup_tile_task *t, void *unused) {
    const sup_tile_part *a = &t->part[0], *b = &t->part[1], *c = &t->part[2];
    const double *A = a->data, *B = b->data;
    double *C = c->data;
    (void)unused;
    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j < c->cols; j++) {
            double sum = t->first ? 0 : C[i * c->pitch + j];
            for (size_t k = 0; k < a->cols; k++) sum += A[i * a->pitch + k] * B[k * b->pitch + j];
            C[i * c->pitch + j] = sum;
        }
    return 0;
}

typedef struct matrices {
    double a[N * N], b[N * N], c[N * N], right[N * N];
} matrices;

static matrices *make_matrices(void) {
    matrices *m = calloc(1, sizeof *m);
    for (int i = 0; i < N * N; i++) m->a[i] = i % 7, m->b[i] = i % 11;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) m->right[i * N + j] += m->a[i * N + k] * m->b[k * N + j];
    return m;
}

static sup_tile_op product_of(matrices *m) {
    return (sup_tile_op){.name = "matmult",
                         .kernel = matmult,
                         .set_count = 3,
                         .set = {sup_tile_left(m->a, N, N, N, sizeof(double)),
                                 sup_tile_right(m->b, N, N, N, sizeof(double)),
                                 sup_tile_product(m->c, N, N, N, sizeof(double))}};
}

static void product(void **state) {
    (void)state;
    matrices *m = make_matrices();
    sup_tile *tile = pool(WORKERS);
    const sup_tile_cut cuts[] = {{0},
                                 {.strategy = SUP_TILE_HORIZONTAL},
                                 {.shape = {8, 8, 8}},
                                 {.shape = {7, 0, 5}, .strategy = SUP_TILE_SIBLING},
                                 {.shape = {32, 32, 32}, .inner = {8, 16, 4}},
                                 {.target_bytes = 4096},
                                 {.target_bytes = 4096, .conservative = true, .strategy = SUP_TILE_SIBLING},
                                 {.target_bytes = 1}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (unsigned flags = 0; flags <= SUP_TILE_CHECK; flags++) {
            if (SANITIZED && flags && cuts[i].target_bytes == 1) continue; /* a task for every product */
            sup_tile_op op = product_of(m);
            sup_tile_report report;
            op.cut = cuts[i];
            op.flags = flags;
            memset(m->c, 0xff, sizeof m->c);
            assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
            assert_memory_equal(m->c, m->right, sizeof m->c);
            assert_true(report.tasks >= 1 && report.total_s >= report.run_s);
            assert_int_equal(report.too_large, cuts[i].target_bytes == 1);
            assert_int_equal(report.note[0] != 0, report.too_large);
        }
    sup_tile_close(tile);
    free(m);
}

static void many_calls_learn(void **state) {
    (void)state;
    matrices *m = make_matrices();
    sup_tile *tile = pool(2);
    sup_tile_op op = product_of(m);
    for (int i = 0; i < (SANITIZED ? 40 : 120); i++) {
        memset(m->c, 0, sizeof m->c);
        assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        assert_memory_equal(m->c, m->right, sizeof m->c);
    }
    sup_tile_close(tile);
    free(m);
}

/* ---- phases -------------------------------------------------------------------------------------------------------*/

typedef struct sweep {
    double *grid[2];
    int stop_after;
    int worker_of[N][N]; /* row and column of a part's first element → worker in the first phase */
    _Atomic int moved;
} sweep;

static int stencil(const sup_tile_task *t, void *context) {
    sweep *s = context;
    const sup_tile_part *p = &t->part[0];
    size_t offset = (p->row + 1) * (N + 2) + p->col + 1;
    const double *in = s->grid[t->phase % 2] + offset;
    double *out = s->grid[(t->phase + 1) % 2] + offset;
    for (size_t i = 0; i < p->rows; i++)
        for (size_t j = 0; j < p->cols; j++) {
            const double *x = in + i * p->pitch + j;
            out[i * p->pitch + j] = 0.25 * (x[-1] + x[1] + x[-(ptrdiff_t)p->pitch] + x[p->pitch]);
        }
    if (t->phase == 0)
        s->worker_of[p->row][p->col] = t->worker;
    else if (s->worker_of[p->row][p->col] != t->worker)
        atomic_fetch_add(&s->moved, 1);
    return 0;
}

static int between(int phase, void *context) {
    sweep *s = context;
    return phase + 1 == s->stop_after ? SUP_TILE_STOP : 0;
}

static void phases(void **state) {
    (void)state;
    enum { SIDE = N + 2, STEPS = 12 };
    static double expect[2][SIDE * SIDE], grid[2][SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) expect[0][i] = expect[1][i] = (double)(i * 37 % 101);
    for (int step = 0; step < STEPS; step++)
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) {
                const double *x = &expect[step % 2][i * SIDE + j];
                expect[(step + 1) % 2][i * SIDE + j] = 0.25 * (x[-1] + x[1] + x[-SIDE] + x[SIDE]);
            }
    sup_tile *tile = pool(WORKERS);
    for (int steal = 0; steal < 2; steal++) {
        for (int i = 0; i < SIDE * SIDE; i++) grid[0][i] = grid[1][i] = (double)(i * 37 % 101);
        sweep s = {.grid = {grid[0], grid[1]}, .stop_after = STEPS};
        sup_tile_op op = {.kernel = stencil,
                          .context = &s,
                          .set_count = 1,
                          .set = {sup_tile_halo(grid[0] + SIDE + 1, N, N, SIDE, sizeof(double), 1, 1)},
                          .flags = steal ? SUP_TILE_IRREGULAR : 0,
                          .phases = 100,
                          .between = between,
                          .cut = {.shape = {5, 16}}}; /* 13 · 4 tasks on 3 workers */
        sup_tile_report report;
        assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
        assert_int_equal(report.phases, STEPS);
        assert_int_equal(report.tasks, 13 * 4);
        assert_memory_equal(grid[STEPS % 2], expect[STEPS % 2], sizeof grid[0]);
        if (!steal) assert_int_equal(s.moved, 0);
    }
    sup_tile_close(tile);
}

/* ---- reduction ----------------------------------------------------------------------------------------------------*/

static int sum_part(const sup_tile_task *t, void *unused) {
    const double *x = t->part[0].data;
    (void)unused;
    for (size_t i = 0; i < t->part[0].cols; i++) *(double *)t->result += x[i];
    memset(t->scratch, t->worker, 1000);
    return 0;
}

static void add(void *into, const void *from, void *unused) {
    (void)unused;
    *(double *)into += *(const double *)from;
}

static void reduction(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    double *x = malloc(COUNT * sizeof *x), exact = 0, same = 0;
    for (int i = 0; i < COUNT; i++) x[i] = i % 1000, exact += x[i];
    for (int workers = 1; workers <= 5; workers++) {
        sup_tile *tile = pool(workers);
        double sum = -1;
        sup_tile_op op = {.name = "sum",
                          .kernel = sum_part,
                          .set_count = 1,
                          .set = {sup_tile_vector(x, COUNT, sizeof *x)},
                          .scratch_bytes = 1000,
                          .result_bytes = sizeof sum,
                          .result = &sum,
                          .reduce = add};
        assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        assert_true(sum == exact);
        op.flags = SUP_TILE_IRREGULAR;
        op.cut.shape[1] = 100;
        assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        assert_true(sum == exact);
        /* Values whose sum depends on the order: the same bits with any number of workers. */
        op.flags = SUP_TILE_DETERMINISTIC | SUP_TILE_IRREGULAR;
        op.cut.shape[1] = 0;
        for (int i = 0; i < COUNT; i++) x[i] = 1.0 / (i + 1);
        assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        if (workers == 1) same = sum;
        assert_memory_equal(&sum, &same, sizeof sum);
        for (int i = 0; i < COUNT; i++) x[i] = i % 1000;
        op.set[0] = sup_tile_vector(x, 0, sizeof *x); /* the sum of nothing */
        assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        assert_true(sum == 0);
        sup_tile_close(tile);
    }
    free(x);
}

enum { WIDE = 8192 };
static int count_bins(const sup_tile_task *t, void *unused) {
    double *bins = t->result;
    (void)unused;
    for (size_t i = 0; i < t->part[0].cols; i++) bins[(t->part[0].col + i) % WIDE] += 1;
    return 0;
}
static void start_at_one(void *result, void *unused) {
    (void)unused;
    for (int i = 0; i < WIDE; i++) ((double *)result)[i] = 0;
    ((double *)result)[0] = 1;
}
static void add_bins(void *into, const void *from, void *unused) {
    (void)unused;
    for (int i = 0; i < WIDE; i++) ((double *)into)[i] += ((const double *)from)[i];
}

static void wide_reduction(void **state) {
    (void)state;
    sup_tile *tile = pool(5);
    double *bins = calloc(WIDE, sizeof *bins);
    sup_tile_op op = {.kernel = count_bins,
                      .set_count = 1,
                      .set = {sup_tile_range(3 * WIDE)},
                      .result_bytes = WIDE * sizeof *bins,
                      .result = bins,
                      .init = start_at_one,
                      .reduce = add_bins};
    assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
    assert_true(bins[0] == 3 + 5); /* init ran once for each of the 5 workers */
    for (int i = 1; i < WIDE; i++) assert_true(bins[i] == 3);
    free(bins);
    sup_tile_close(tile);
}

/* ---- irregular, failing, odd --------------------------------------------------------------------------------------*/

typedef struct counts {
    _Atomic int ran[4096];
    _Atomic int total, after;
    _Atomic bool failed;
    sup_tile *tile;
} counts;

static int slow_first(const sup_tile_task *t, void *context) {
    counts *c = context;
    for (size_t i = 0; i < t->part[0].cols; i++) atomic_fetch_add(&c->ran[t->part[0].col + i], 1);
    if (t->worker == 0) usleep(300);
    return 0;
}

static void stealing(void **state) {
    (void)state;
    sup_tile *tile = pool(3);
    counts *c = calloc(1, sizeof *c);
    sup_tile_op op = {.kernel = slow_first,
                      .context = c,
                      .set_count = 1,
                      .set = {sup_tile_range(600)},
                      .flags = SUP_TILE_IRREGULAR,
                      .cut = {.shape = {0, 1, 0}}};
    sup_tile_report report;
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
    for (int i = 0; i < 600; i++) assert_int_equal(c->ran[i], 1);
    assert_true(report.stolen > 0);
    free(c);
    sup_tile_close(tile);
}

static int fail_at_seven(const sup_tile_task *t, void *context) {
    counts *c = context;
    atomic_fetch_add(&c->total, 1);
    if (t->part[0].col == 7) return 42;
    usleep(200);
    return 0;
}

static int stop_with_error(int phase, void *context) {
    (void)context;
    return phase == 1 ? -77 : 0;
}

static int nested(const sup_tile_task *t, void *context) {
    counts *c = context;
    (void)t;
    sup_tile_op op = {.kernel = slow_first, .set_count = 1, .set = {sup_tile_range(1)}};
    return sup_tile_run(c->tile, &op, NULL, NULL);
}

static void failures(void **state) {
    (void)state;
    sup_tile *tile = pool(3);
    counts *c = calloc(1, sizeof *c);
    c->tile = tile;
    sup_diag diag = {0};
    sup_tile_op op = {.kernel = fail_at_seven,
                      .context = c,
                      .set_count = 1,
                      .set = {sup_tile_range(1000)},
                      .phases = 3,
                      .cut = {.shape = {0, 1, 0}}};
    assert_int_equal(sup_tile_run(tile, &op, &diag, NULL), 42);
    assert_non_null(strstr(diag.text, "task 7"));
    assert_true(c->total < 1000); /* the others stopped */
    op.kernel = slow_first;
    op.between = stop_with_error;
    assert_int_equal(sup_tile_run(tile, &op, &diag, NULL), -77);
    op.between = NULL;
    op.kernel = nested;
    op.phases = 0;
    assert_int_equal(sup_tile_run(tile, &op, &diag, NULL), SUP_EBUSY);
    op.kernel = slow_first;
    op.set[0] = sup_tile_range(2); /* more workers than parts */
    memset(c->ran, 0, sizeof c->ran);
    assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
    assert_int_equal(c->ran[0] + c->ran[1], 2);
    op.set[0] = sup_tile_range(0);
    sup_tile_report report;
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
    assert_int_equal(report.tasks, 0);
    op.cut = (sup_tile_cut){.target_bytes = 64};
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
    assert_int_equal(report.tasks, 0);
    free(c);
    sup_tile_close(tile);
}

static void expect_refusal(sup_tile *tile, const sup_tile_op *op, const char *text) {
    sup_diag diag = {0};
    assert_int_equal(sup_tile_run(tile, op, &diag, NULL), SUP_EINVAL);
    if (!strstr(diag.text, text)) fail_msg("wanted \"%s\", got \"%s\"", text, diag.text);
}

static void refusals(void **state) {
    (void)state;
    sup_tile *tile = pool(1);
    double x[64];
    const sup_tile_op good = {.kernel = matmult, .set_count = 1, .set = {sup_tile_matrix(x, 8, 8, 8, 8)}};
    sup_tile_op op = good;
    op.kernel = NULL, expect_refusal(tile, &op, "kernel"), op = good;
    op.set_count = 0, expect_refusal(tile, &op, "data sets"), op = good;
    op.set_count = 9, expect_refusal(tile, &op, "data sets"), op = good;
    op.set[0].pitch = 7, expect_refusal(tile, &op, "pitch"), op = good;
    op.set[0].element = 0, expect_refusal(tile, &op, "size 0"), op = good;
    op.set[0].rows = (size_t)1 << 62, expect_refusal(tile, &op, "too large"), op = good;
    op.set[0].rows = (size_t)1 << 60, expect_refusal(tile, &op, "larger than memory"), op = good;
    op.set[0].row_axis = SUP_TILE_J, expect_refusal(tile, &op, "same axis"), op = good;
    op.set[0].halo_rows = 1, op.set[0].use = SUP_TILE_WRITE, expect_refusal(tile, &op, "halo"), op = good;
    op.set[1] = sup_tile_matrix(x, 4, 8, 8, 8), op.set_count = 2, expect_refusal(tile, &op, "data set 1 has 4 rows");
    op = good, op.result_bytes = 8, expect_refusal(tile, &op, "reduction"), op = good;
    op.flags = 1024, expect_refusal(tile, &op, "flags"), op = good;
    op.set[0].data = NULL, op.set[0].use = SUP_TILE_WRITE, expect_refusal(tile, &op, "no memory"), op = good;
    op.phases = -1, expect_refusal(tile, &op, "phases"), op = good;
    op.cut.strategy = 99, expect_refusal(tile, &op, "unknown strategy"), op = good;
    op.cut.strategy = SUP_TILE_GUIDED, op.cut.target_bytes = 9, expect_refusal(tile, &op, "no target"), op = good;
    assert_int_equal(sup_tile_run(NULL, &good, NULL, NULL), SUP_EINVAL);
    sup_tile_close(tile);
    sup_tile_close(NULL);
    sup_tile_options options = {.workers = -1};
    assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_EINVAL);
    options = (sup_tile_options){.plan_file = "/proc/self/mem"};
    assert_true(sup_tile_start(&options, NULL, &tile) < 0);
    options = (sup_tile_options){.topology_file = "/does/not/exist"};
    assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_ENOENT);
}

/* ---- distributions of their own, and check mode -------------------------------------------------------------------*/

typedef struct stripes {
    double *data;
    size_t count, overlap;
} stripes;

static int cut_stripes(void *context, int64_t n, int64_t index, sup_tile_part *out) {
    const stripes *s = context;
    size_t from = s->count * (size_t)index / (size_t)n, to = s->count * (size_t)(index + 1) / (size_t)n;
    if (to + s->overlap <= s->count) to += s->overlap;
    *out = (sup_tile_part){.data = s->data + from, .rows = 1, .cols = to - from, .pitch = to - from, .col = from};
    return 0;
}
static double stripe_size(void *context, int64_t n) { return (double)((stripes *)context)->count / (double)n; }
static double stripe_line(void *context, int64_t n) {
    const stripes *s = context;
    return (size_t)n * 10 > s->count ? -1 : n % 2 ? 0 : (double)s->count / (double)n;
}
static size_t stripe_element(void *context) {
    (void)context;
    return sizeof(double);
}
static const sup_tile_distribution stripe_distribution = {cut_stripes, stripe_size, stripe_line, stripe_element};

static int increment(const sup_tile_task *t, void *unused) {
    double *x = t->part[0].data;
    (void)unused;
    for (size_t i = 0; i < t->part[0].cols; i++) x[i] += 1;
    return 0;
}

static int64_t twice_as_many(void *context, int64_t n) {
    (void)context;
    return 2 * n;
}
static int64_t each_twice(void *context, int64_t n, int64_t task, int64_t *part) {
    (void)context;
    (void)n;
    part[0] = task / 2;
    return task / 2;
}
static int64_t wrong_part(void *context, int64_t n, int64_t task, int64_t *part) {
    (void)context;
    part[0] = n;
    return task;
}

static void own_distributions(void **state) {
    (void)state;
    static double x[1000];
    stripes s = {x, 1000, 0};
    sup_tile *tile = pool(3);
    sup_tile_op op = {.kernel = increment,
                      .set_count = 1,
                      .set = {sup_tile_own(&stripe_distribution, &s, SUP_TILE_UPDATE)},
                      .flags = SUP_TILE_CHECK,
                      .cut = {.target_bytes = 800}};
    sup_tile_report report;
    memset(x, 0, sizeof x);
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
    assert_int_equal(report.parts, 10);
    for (int i = 0; i < 1000; i++) assert_true(x[i] == 1);
    op.cut.target_bytes = 8; /* cannot: smallest legal parts, and said so */
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
    assert_int_equal(report.parts, 100);
    assert_true(report.too_large && report.note[0]);
    op.combination = (sup_tile_combination){twice_as_many, each_twice, NULL};
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
    assert_int_equal(report.tasks, 200);
    for (int i = 0; i < 1000; i++) assert_true(x[i] == 4);
    op.combination.task = wrong_part;
    expect_refusal(tile, &op, "names part");
    op.combination.task = NULL;
    expect_refusal(tile, &op, "both of its functions");
    op.combination = (sup_tile_combination){0};
    s.overlap = 1;
    expect_refusal(tile, &op, "overlap");
    op.set[0].use = SUP_TILE_READ; /* reading the same is no mistake */
    op.kernel = matmult;
    s.overlap = 0;
    op.set_count = 1;
    sup_tile_close(tile);
}

static int copy_with_halo(const sup_tile_task *t, void *unused) {
    (void)t;
    (void)unused;
    return 0;
}

static void overlap_of_sets(void **state) {
    (void)state;
    static double x[64 * 64];
    sup_tile *tile = pool(2);
    sup_tile_op op = {.kernel = copy_with_halo,
                      .set_count = 2,
                      .set = {sup_tile_halo(x, 64, 64, 64, 8, 1, 0), sup_tile_matrix(x, 64, 64, 64, 8)},
                      .flags = SUP_TILE_CHECK,
                      .cut = {.shape = {16, 16}}};
    assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0); /* only read */
    op.set[1].use = SUP_TILE_WRITE;
    expect_refusal(tile, &op, "overlap"); /* a neighbour's halo is read while it is written */
    op.set[0].halo_rows = op.set[0].halo_cols = 0;
    assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0); /* in place */
    op.set[0] = sup_tile_transposed(x, 64, 64, 64, 8);
    expect_refusal(tile, &op, "overlap");
    sup_tile_close(tile);
}

static void first_touch(void **state) {
    (void)state;
    sup_tile *tile = pool(3);
    char *x = malloc(1000 * 77);
    memset(x, 1, 1000 * 77);
    assert_int_equal(sup_tile_touch(tile, x, 1000, 77), SUP_OK);
    for (int i = 0; i < 1000 * 77; i++) assert_int_equal(x[i], 0);
    assert_int_equal(sup_tile_touch(tile, NULL, 0, 77), SUP_OK);
    assert_int_equal(sup_tile_touch(tile, x, SIZE_MAX, 77), SUP_EINVAL);
    free(x);
    sup_tile_close(tile);
}

/* A name from a template of mkstemp(3) that no file has. */
static void make_free_name(char *template) {
    int fd = mkstemp(template);
    assert_true(fd >= 0);
    close(fd);
    unlink(template);
}

static void plan_is_kept(void **state) {
    (void)state;
    char path[] = "/tmp/superstep-tile-XXXXXX";
    make_free_name(path);
    matrices *m = make_matrices();
    sup_tile_options options = {.workers = 2, .plan_file = path};
    sup_tile_op op = product_of(m);
    for (int round = 0; round < 3; round++) {
        sup_tile *tile;
        assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_OK);
        for (int i = 0; i < 15; i++) assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        assert_int_equal(sup_tile_save(tile, NULL), SUP_OK);
        sup_tile_close(tile);
    }
    FILE *f = fopen(path, "r");
    char text[65536];
    size_t got = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[got] = 0;
    assert_non_null(strstr(text, "\"calls\": 45"));
    unlink(path);
    free(m);
}

/* Plans by hand: without candidates, with a strategy that does not exist, with shapes of no dimension. */
static void odd_plans(void **state) {
    (void)state;
    char path[] = "/tmp/superstep-tile-XXXXXX", text[65536];
    make_free_name(path);
    matrices *m = make_matrices();
    sup_tile_options options = {.workers = 2, .plan_file = path};
    sup_tile_op op = product_of(m);
    const struct {
        const char *was, *is;
        int code;
    } edits[] = {{"\"strategy\"", "\"strategy\"", 0},
                 {"\"candidates\"", "\"somebody\"", 0}, /* unknown keys are kept, not read */
                 {"\"learned\"", "\"unknown\"", 0},
                 {"\"lost_s\"", "\"cost_s\"", 0},
                 {"\"strategy\": \"", "\"strategy\": \"x", SUP_EINVAL}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        sup_tile *tile;
        unlink(path);
        assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_OK);
        assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 0);
        assert_int_equal(sup_tile_save(tile, NULL), SUP_OK);
        sup_tile_close(tile);
        FILE *f = fopen(path, "r");
        size_t got = fread(text, 1, sizeof text - 1, f), length = strlen(edits[i].was);
        fclose(f);
        text[got] = 0;
        f = fopen(path, "w");
        for (char *at = text; *at;) {
            bool here = strncmp(at, edits[i].was, length) == 0;
            fputs(here ? edits[i].is : (char[]){*at, 0}, f);
            at += here ? length : 1;
        }
        fclose(f);
        assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_OK);
        for (int k = 0; k < 3; k++) {
            memset(m->c, 0, sizeof m->c);
            assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), edits[i].code);
            if (!edits[i].code) assert_memory_equal(m->c, m->right, sizeof m->c);
        }
        sup_tile_close(tile);
    }
    unlink(path);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product),         cmocka_unit_test(many_calls_learn), cmocka_unit_test(phases),
        cmocka_unit_test(reduction),       cmocka_unit_test(wide_reduction),   cmocka_unit_test(stealing),
        cmocka_unit_test(failures),        cmocka_unit_test(refusals),         cmocka_unit_test(own_distributions),
        cmocka_unit_test(overlap_of_sets), cmocka_unit_test(first_touch),      cmocka_unit_test(plan_is_kept),
        cmocka_unit_test(odd_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
