/* Models of collectives: mappings from text; expressions of TAU (13), (16), (18), (21) and of mapped ranks (PART §5.2);
 * stages by classes as by walking all ranks, exactly; shared memory as a pipeline (TAU fig. 14); models of the table on
 * a frozen profile; corrections by measured collectives. */
#include "model/collective_build.h"
#include "model/collective_platform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_mapping mapping(const char *text, int64_t processes) {
    sup_mapping m;
    assert_int_equal(sup_mapping_read(text, processes, NULL, &m), SUP_OK);
    return m;
}

static sup_choice choice(int operation, const char *text) {
    sup_choice c;
    assert_int_equal(sup_choice_read(operation, text, NULL, &c), SUP_OK);
    return c;
}

/* ---- mappings ---- */

static void mapping_text(void **state) {
    (void)state;
    sup_mapping m = mapping("seq:3", 7);
    assert_int_equal(m.nodes, 3);
    assert_int_equal(sup_mapping_node(&m, 6), 2);
    m = mapping("rr:3", 7);
    assert_int_equal(sup_mapping_node(&m, 5), 2);
    assert_int_equal(sup_mapping_used(&m), 3);
    m = mapping("rr:8", 3);
    assert_int_equal(sup_mapping_used(&m), 3);
    m = mapping("one", 1 << 20);
    assert_int_equal(sup_mapping_node(&m, (1 << 20) - 1), 0);
    m = mapping("7,0,1000000,7", 4);
    assert_int_equal(m.nodes, 3);
    assert_int_equal(sup_mapping_node(&m, 0), sup_mapping_node(&m, 3));
    assert_int_equal(sup_mapping_node(&m, 2), 2);
    sup_mapping_free(&m);
    static const char *const wrong[] = {"",        "two",    "seq:",     "seq:0",
                                        "seq:-1",  "rr:x",   "rr:0",     "rr:4 ",
                                        "0,0,1",   "0,,1",   "0,0,0",    "0,0,0,0,0",
                                        "0,a,0,0", "0,0,0,", "-1,0,0,0", "seq:99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sup_diag diag = {0};
        assert_int_equal(sup_mapping_read(wrong[i], 4, &diag, &m), SUP_EINVAL);
        assert_true(diag.text[0] != 0);
    }
    assert_int_equal(sup_mapping_read("one", 0, NULL, &m), SUP_EINVAL);
}

/* ---- expressions ---- */

static void check(int operation, const char *way, int64_t p, const char *map, int64_t bytes, const char *expected) {
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e, *want;
    sup_diag diag = {0};
    char text[2048];
    sup_choice c = choice(operation, way);
    sup_mapping m = mapping(map, p);
    sup_job job = {.operation = operation, .processes = p, .bytes = bytes, .element = 8};
    if (sup_collective_expression(x, &c, &job, &m, &diag, &e)) fail_msg("%s: %s", way, diag.text);
    assert_int_equal(sup_expr_read(x, expected, &diag, &want), SUP_OK);
    sup_expr_print(e, true, text, sizeof text);
    if (!sup_expr_equal(e, want)) fail_msg("%s %s: %s instead of %s", way, map, text, expected);
    sup_exprs_free(x);
    sup_mapping_free(&m);
}

/* One node: the document's. */
static void paper_equations(void **state) {
    (void)state;
    check(SUP_BROADCAST, "binomial", 16, "one", 65536, "T0(64K) + 2||T0(64K) + 4||T0(64K) + 8||T0(64K)");
    check(SUP_BROADCAST, "binomial", 8, "one", 1000, "T0(1000) + 2||T0(1000) + 4||T0(1000)");
    /* (16): m is all of it, 8 blocks of 1 KB; who passes on blocks copies its own out of them */
    check(SUP_SCATTER, "binomial", 8, "one", 1024, "T0(4K) + 2||T0(2K) + 4||T0(1K) + 4||L0(1K)");
    check(SUP_BROADCAST, "linear", 5, "one", 100, "4*T0(100)");
    check(SUP_ALLGATHER, "doubling", 8, "one", 1024, "8||L0(1K) + 8||T0(1K) + 8||T0(2K) + 8||T0(4K)");
    check(SUP_ALLGATHER, "ring", 8, "one", 1024, "8||L0(1K) + 7*(8||T0(1K))");
}

static void mapped(void **state) {
    (void)state;
    /* the first stages cross nodes, the last do not */
    check(SUP_BROADCAST, "binomial", 8, "seq:4", 1024, "T1(1K) + T0(1K) + 2||T0(1K)");
    check(SUP_BROADCAST, "binomial", 8, "rr:2", 1024, "T0(1K) + 2||T0(1K) + 4||T1(1K)");
    /* one of a node's ranks passes on to the next node */
    check(SUP_ALLGATHER, "ring", 8, "seq:4", 1024, "4||L0(1K) + 7*(3||T0(1K) || T1(1K))");
    check(SUP_ALLGATHER, "ring", 8, "rr:2", 1024, "4||L0(1K) + 7*(4||T1(1K))");
    check(SUP_ALLGATHER, "ring", 8, "0,1,1,2,0,2,1,0", 1024, "3||L0(1K) + 7*(T0(1K) || 2||T1(1K))");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mapping_text), cmocka_unit_test(paper_equations),
                                       cmocka_unit_test(mapped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
