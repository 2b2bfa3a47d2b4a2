/* Algorithm 1, the two φ, clustering and affinity (CACHE ch. 3) against numbers worked out by hand, on the hierarchies
 * of CACHE listings 12 and 13; and the geometry of cuts. */
#include "base/number/random.h"
#include "machine/topology/topology.h"
#include "tile/cluster.h"
#include "tile/estimate.h"
#include "tile/grid.h"
#include "tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_topology *machine(const char *name) {
    char path[1024];
    sup_topology *t = NULL;
    snprintf(path, sizeof path, "%s/machine/%s", SUP_TEST_DATA, name);
    assert_int_equal(sup_topology_from_file(path, 0, NULL, &t), SUP_OK);
    return t;
}

static void product_example(void **state) {
    (void)state;
    static int memory;
    sup_tile_set sets[] = {sup_tile_left(&memory, 1024, 1024, 1024, 4), sup_tile_right(&memory, 1024, 1024, 1024, 4),
                           sup_tile_product(&memory, 1024, 1024, 1024, 4)};
    int64_t n = sup_tile_estimate(sets, 3, 8, 65536, 64, false);
    assert_int_equal(n, 14 * 14); /* CACHE §3.2; with one task for every block of A and of B's row 14³ = 2744 */
    assert_int_equal(sup_root_down(n) * n, 2744);
    static const int64_t roots[] = {1, 2, 3, 1000, (1 << 26) + 1, 94906267, INT64_C(3037000499)};
    for (size_t k = 0; k < sizeof roots / sizeof *roots; k++) {
        assert_int_equal(sup_root_down(roots[k] * roots[k]), roots[k]);
        assert_int_equal(sup_root_down(roots[k] * roots[k] - 1), roots[k] - 1); /* as a double it is the same */
        assert_int_equal(sup_root_down(roots[k] * roots[k] + 1), roots[k]);
    }
    assert_int_equal(sup_root_down(0), 0);
    assert_int_equal(sup_root_down(INT64_MAX), INT64_C(3037000499));
    /* Lines of 1024/15 ints take 5 cache lines and one more, 384 bytes each: too much; of 64 ints 4 + 1. */
    assert_int_equal(sup_tile_estimate(sets, 3, 8, 65536, 64, true), 16 * 16);
    assert_true(sup_phi_simple(&sets[0], 196) == 4 * 5350);
    assert_true(sup_phi_conservative(&sets[0], 64, 64, 256) == 64 * 5 * 64);
}

static void algorithm_answers(void **state) {
    (void)state;
    static double memory;
    sup_tile_set vector[] = {sup_tile_vector(&memory, 1000, 8)};
    assert_int_equal(sup_tile_estimate(vector, 1, 4, 8000, 64, false), 4);    /* never fewer than workers */
    assert_int_equal(sup_tile_estimate(vector, 1, 4, 400, 64, false), 20);    /* 50 elements */
    assert_int_equal(sup_tile_estimate(vector, 1, 4, 8, 64, false), 667);     /* round(1000/667) = 1 */
    assert_int_equal(sup_tile_estimate(vector, 1, 4, 7, 64, false), -1);      /* smaller than an element */
    assert_int_equal(sup_tile_estimate(vector, 1, 2000, 800, 64, false), -1); /* more workers than elements */
    assert_int_equal(sup_estimate_parts(vector, 1, 2000, 800, 64, false).last_valid, 1000);
    sup_tile_set matrix[] = {sup_tile_matrix(&memory, 30, 20, 20, 8)};
    assert_int_equal(sup_tile_estimate(matrix, 1, 2, 1 << 20, 64, false), 4); /* 2 and 3 are no squares */
    matrix[0].least_rows = 8;
    assert_true(sup_set_line_length(&matrix[0], 9) == 20.0 / 3);
    assert_true(sup_set_line_length(&matrix[0], 8) == 0);
    assert_true(sup_set_line_length(&matrix[0], 10) == -1); /* 16 would leave 7.5 rows */
    assert_int_equal(sup_tile_estimate(matrix, 1, 2, 100, 64, false), -1);
    assert_int_equal(sup_estimate_parts(matrix, 1, 2, 100, 64, false).last_valid, 9);
    sup_tile_set halo[] = {sup_tile_halo(&memory, 100, 100, 100, 8, 2, 0)};
    assert_true(sup_set_part_size(&halo[0], 100) == 14 * 14);
    assert_true(sup_set_line_length(&halo[0], 100) == 14);
    assert_int_equal(sup_tile_estimate(vector, 0, 4, 400, 64, false), -1);
    assert_int_equal(sup_tile_estimate(NULL, 1, 4, 400, 64, false), -1);
}

static void contiguous(void **state) {
    (void)state;
    int64_t next = 0;
    const int64_t counts[] = {4, 4, 3, 3};
    for (int w = 0; w < 4; w++) {
        sup_span s = sup_cluster_contiguous(14, 4, w);
        assert_int_equal(s.first, next);
        assert_int_equal(s.count, counts[w]);
        next += s.count;
    }
    assert_int_equal(sup_cluster_contiguous(3, 8, 7).count, 0);
    assert_int_equal(sup_cluster_contiguous(0, 8, 0).count, 0);
}

/* Every task exactly once, whatever the strategy. */
static void assert_complete(const sup_schedule *s) {
    char *seen = calloc((size_t)s->tasks + 1, 1);
    for (int w = 0; w < s->workers; w++)
        for (int64_t i = 0; i < sup_schedule_count(s, w); i++) {
            int64_t t = sup_schedule_task(s, w, i);
            assert_true(t >= 0 && t < s->tasks);
            assert_int_equal(seen[t]++, 0);
        }
    for (int64_t t = 0; t < s->tasks; t++) assert_int_equal(seen[t], 1);
    free(seen);
}

static void sibling(void **state) {
    (void)state;
    sup_topology *t = machine("cache-listing12.json");
    int cores[8];
    for (int i = 0; i < 8; i++) cores[i] = i;
    sup_siblings b;
    assert_int_equal(sup_siblings_make(t, cores, 8, &b), SUP_OK);
    assert_int_equal(b.groups, 2);
    assert_int_equal(b.largest, 4);
    /* 6 MB L3, parts of 64 KB: 96 of them, a multiple of 4 already. Parts of 100 KB: 61, rounded up to 64. */
    assert_int_equal(sup_cluster_size(6291456, 65536, 4), 96);
    assert_int_equal(sup_cluster_size(6291456, 102400, 4), 64);
    assert_int_equal(sup_cluster_size(100, 102400, 4), 4);
    sup_schedule s = sup_schedule_make(1000, 8, 96, &b); /* 10 clusters, 5 each, 40 tasks left */
    assert_int_equal(s.rounds, 5);
    assert_complete(&s);
    for (int w = 0; w < 8; w++) assert_int_equal(sup_schedule_count(&s, w), 5 * 24 + 5);
    for (int w = 0; w < 8; w++)
        for (int64_t i = 0; i < 120; i++) {
            int64_t task = sup_schedule_task(&s, w, i);
            assert_int_equal(task / 96 % 2, b.group_of[w]); /* outer: clusters in turn to the groups */
            assert_int_equal(task % 96 % 4, b.place[w]);    /* inner: tasks in turn to the siblings */
        }
    assert_int_equal(sup_schedule_task(&s, 0, 120), 960); /* what is left over, contiguously */
    sup_siblings_free(&b);
    sup_topology_free(t);
}

static void sibling_64(void **state) {
    (void)state;
    sup_topology *t = machine("cache-listing13.json");
    int cores[64];
    for (int i = 0; i < 64; i++) cores[i] = i;
    sup_siblings b;
    assert_int_equal(sup_siblings_make(t, cores, 64, &b), SUP_OK);
    assert_int_equal(b.groups, 8);
    assert_int_equal(b.largest, 8);
    assert_int_equal(sup_cluster_size(6291456, 16384, 8), 384);
    const int64_t tasks[] = {0, 1, 63, 64, 3071, 3072, 3073, 10000};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        sup_schedule s = sup_schedule_make(tasks[i], 64, 384, &b);
        assert_complete(&s);
        s = sup_schedule_make(tasks[i], 64, 0, &b);
        assert_complete(&s);
    }
    sup_siblings_free(&b);
    /* 5 workers of which one group has 1: shares differ, nothing is lost. */
    const int few[] = {0, 1, 2, 3, 8};
    assert_int_equal(sup_siblings_make(t, few, 5, &b), SUP_OK);
    assert_int_equal(b.groups, 2);
    for (int64_t m = 0; m < 200; m += 7) {
        sup_schedule s = sup_schedule_make(m, 5, 12, &b);
        assert_complete(&s);
    }
    sup_siblings_free(&b);
    sup_topology_free(t);
}

/* ---- geometry -----------------------------------------------------------------------------------------------------*/

typedef struct cover {
    unsigned char seen[40][50];
    int64_t tasks, last_index;
    int first, last;
    sup_tile_set set;
} cover;

static int mark(void *context, const sup_grid_step *step) {
    cover *c = context;
    sup_tile_part p;
    sup_grid_part(&c->set, step->at, &p);
    for (size_t i = 0; i < p.rows; i++)
        for (size_t j = 0; j < p.cols; j++) c->seen[p.row + i][p.col + j]++;
    c->tasks++;
    c->first += step->first;
    c->last += step->last;
    assert_true(step->index > c->last_index);
    c->last_index = step->index;
    return 0;
}

static void grids_cover(void **state) {
    (void)state;
    static double memory;
    sup_random r = {.state = 7};
    for (int round = 0; round < 300; round++) {
        size_t rows = 1 + sup_random_below(&r, 40), cols = 1 + sup_random_below(&r, 50), depth = 1 + round % 9;
        sup_tile_op op = {.set_count = 3,
                          .set = {sup_tile_left(&memory, rows, depth, 60, 8),
                                  sup_tile_right(&memory, depth, cols, 60, 8),
                                  sup_tile_product(&memory, rows, cols, 60, 8)}};
        if (round % 3 == 0) op.set[2].least_rows = 1 + round % 5;
        size_t shape[3], inner[3];
        for (int a = 0; a < 3; a++) shape[a] = sup_random_below(&r, 30), inner[a] = sup_random_below(&r, 12);
        sup_tile_grid grid;
        assert_int_equal(sup_grid_extents(&op, NULL, &grid), SUP_OK);
        assert_true(grid.axis[2].serial && !grid.axis[0].serial && !grid.axis[1].serial);
        sup_grid_shape(&op, 64, shape, inner, &grid);
        cover *c = calloc(1, sizeof *c);
        c->set = op.set[2];
        c->last_index = -1;
        for (int64_t chain = 0; chain < grid.chains; chain++) assert_int_equal(sup_grid_walk(&grid, chain, mark, c), 0);
        assert_int_equal(c->tasks, sup_grid_tasks(&grid));
        int times = c->seen[0][0]; /* steps along K */
        assert_true(times >= 1);
        for (size_t i = 0; i < 40; i++)
            for (size_t j = 0; j < 50; j++) assert_int_equal(c->seen[i][j], i < rows && j < cols ? times : 0);
        assert_int_equal(c->first, c->tasks / times);
        assert_int_equal(c->last, c->tasks / times);
        free(c);
    }
}

static void halos(void **state) {
    (void)state;
    static double memory[100];
    sup_tile_set set = sup_tile_halo(memory, 10, 10, 10, 8, 2, 0);
    sup_tile_part p;
    sup_bounds at[3] = {{0, 5}, {5, 9}, {0, 1}};
    sup_grid_part(&set, at, &p);
    assert_int_equal(p.above, 0);
    assert_int_equal(p.below, 2);
    assert_int_equal(p.left, 2);
    assert_int_equal(p.right, 1);
    set.border = 1;
    sup_grid_part(&set, at, &p);
    assert_int_equal(p.above, 1);
    assert_int_equal(p.right, 2);
    assert_ptr_equal(p.data, (char *)&memory + 5 * 8);
}

static void least_sizes(void **state) {
    (void)state;
    static double memory;
    sup_tile_op op = {.set_count = 1, .set = {sup_tile_halo(&memory, 100, 100, 100, 8, 1, 0)}};
    op.set[0].least_rows = op.set[0].least_cols = 9;
    sup_tile_grid grid;
    const size_t small[3] = {3, 3, 0};
    assert_int_equal(sup_grid_extents(&op, NULL, &grid), SUP_OK);
    assert_false(sup_grid_shape(&op, 64, small, NULL, &grid)); /* said so, and legal */
    for (int a = 0; a < 2; a++)
        for (int64_t b = 0; b < grid.axis[a].blocks; b++) {
            sup_bounds x = sup_grid_block(0, 100, grid.axis[a].unit, grid.axis[a].blocks, b);
            assert_true(x.to - x.from >= 9);
        }
}

/* Whoever has nothing left asks those first that share its innermost cache, then those of the next, then the rest. */
static void victims_are_near(void **state) {
    (void)state;
    sup_tile tile = {.machine = machine("cache-listing13.json")};
    int core[64];
    for (int w = 0; w < 64; w++) core[w] = w;
    tile.pool.workers = 64;
    tile.pool.core = core;
    assert_int_equal(sup_tile_victims(&tile), SUP_OK);
    for (int w = 0; w < 64; w++) {
        const int *list = tile.victims + (size_t)w * 63;
        bool seen[64] = {false};
        int before = 0;
        for (int i = 0; i < 63; i++) {
            const sup_level *common = sup_topology_common_level(tile.machine, w, list[i]);
            int far = common ? common->depth : 99;
            assert_true(list[i] != w && !seen[list[i]] && far >= before);
            seen[list[i]] = true;
            before = far;
        }
        assert_int_equal(sup_topology_common_level(tile.machine, w, list[0])->sharing, 2); /* L2 is that of a pair */
    }
    free(tile.victims);
    free(tile.range);
    sup_topology_free(tile.machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_example), cmocka_unit_test(algorithm_answers), cmocka_unit_test(contiguous),
        cmocka_unit_test(sibling),         cmocka_unit_test(sibling_64),        cmocka_unit_test(grids_cover),
        cmocka_unit_test(halos),           cmocka_unit_test(least_sizes),       cmocka_unit_test(victims_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
