/* Recorded programs on other numbers of processes: rules, power laws, what is recognised, and what comes out. */
#include "program/scale.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs((double)(b)) + 1e-15)

/* ---- rules ---- */

static double factor(const char *text, int which, double p0, double p, double grown) {
    sup_rule r;
    sup_diag diag = {0};
    double f = NAN;
    if (sup_rule_parse(text, &diag, &r)) fail_msg("%s", diag.text);
    if (sup_rule_factor(&r, which, p0, p, r.n * grown, &diag, &f)) fail_msg("%s", diag.text);
    sup_rule_free(&r);
    return f;
}

static void rules(void **state) {
    (void)state;
    NEAR(factor("work=n/P", SUP_RULE_WORK, 4, 16, 1), 0.25);
    NEAR(factor("work=n/P", SUP_RULE_WORK, 4, 16, 4), 1);
    NEAR(factor("work=n/P", SUP_RULE_BYTES, 4, 16, 1), 1); /* not said: does not change */
    NEAR(factor("bytes=n^(2/3)/P^(2/3)", SUP_RULE_BYTES, 1, 8, 1), 0.25);
    NEAR(factor("work=1, bytes=2^3^2/P", SUP_RULE_BYTES, 1, 2, 1), 0.5);
    NEAR(factor("messages=log2(P) + 1", SUP_RULE_MESSAGES, 2, 8, 1), 2);
    NEAR(factor("times=sqrt(P/P0)", SUP_RULE_TIMES, 2, 32, 1), 4);
    NEAR(factor("work=1+2*3-4/2", SUP_RULE_WORK, 2, 4, 1), 1);
    NEAR(factor("work=-(1-3)*P", SUP_RULE_WORK, 2, 4, 1), 2);
    NEAR(factor("work=n/P+1, n=8", SUP_RULE_WORK, 4, 8, 1), 2.0 / 3);
}

static void refuse(const char *text, const char *what) {
    sup_rule r;
    sup_diag diag = {0};
    assert_int_equal(sup_rule_parse(text, &diag, &r), SUP_EINVAL);
    if (!strstr(diag.text, what)) fail_msg("%s: %s", text, diag.text);
}

static void wrong_rules(void **state) {
    (void)state;
    char deep[300] = "work=";
    refuse("work=", "column 6");
    refuse("work=1+", "column 8");
    refuse("work=(1", "\")\" is missing");
    refuse("work=1 2", "column 8");
    refuse("bytes=1, work=frob(1)", "column 15");
    refuse("work=log2 P", "\"(\" is missing");
    refuse("work=1,work=2", "column 8: said twice");
    refuse("partners=some", "const, all or log2");
    refuse("partners=all of them", "column 14");
    refuse("n=1/0", "division by 0");
    refuse("n=0", "above 0");
    refuse("work=1e999", "too large");
    refuse("work=0x10", "decimal");
    refuse("work\n=1", "column 5");
    refuse("", "characters");
    for (int k = 0; k < 100; k++) strcat(deep, "(");
    refuse(deep, "nested too deeply");
}

static void refuse_value(const char *text, double p0, double p, const char *what) {
    sup_rule r;
    sup_diag diag = {0};
    double f;
    if (sup_rule_parse(text, &diag, &r)) fail_msg("%s", diag.text);
    assert_int_equal(sup_rule_factor(&r, SUP_RULE_WORK, p0, p, r.n, &diag, &f), SUP_EINVAL);
    if (!strstr(diag.text, what)) fail_msg("%s: %s", text, diag.text);
    sup_rule_free(&r);
}

static void wrong_values(void **state) {
    (void)state;
    refuse_value("work=1/(4-P)", 2, 4, "column 8: division by 0");
    refuse_value("work=log2(P)", 1, 4, "is 0 at the recorded P = 1");
    refuse_value("work=4-P", 2, 8, "is -4 at P = 8");
    refuse_value("work=10^P", 2, 4096, "at P = 4096");
    refuse_value("work=log2(2-P)", 1, 4, "logarithm");
    refuse_value("work=sqrt(2-P)", 1, 4, "root");
}

/* ---- laws ---- */

static void laws(void **state) {
    (void)state;
    sup_law l;
    const double p[] = {2, 4, 8}, exact[] = {8, 4, 2}, two[] = {8, 4, NAN}, zero[] = {0, 0, 0}, some[] = {0, 1, 1};
    assert_true(sup_law_fit(p, exact, 3, &l));
    NEAR(l.exponent, -1);
    NEAR(sup_law_at(&l, 1024), 1.0 / 64);
    assert_true(l.off < 1e-9);
    assert_true(sup_law_fit(p, two, 3, &l));
    assert_int_equal(l.points, 2);
    NEAR(sup_law_at(&l, 2), 8);
    NEAR(sup_law_at(&l, 16), 1);
    assert_true(sup_law_fit(p, zero, 3, &l));
    assert_true(sup_law_at(&l, 16) == 0);
    assert_false(sup_law_fit(p, some, 3, &l));
    /* least squares: 8, 4, 4 is 2^(3, 2, 2): slope -1/2, mean 7/3 */
    const double bent[] = {8, 4, 4};
    assert_true(sup_law_fit(p, bent, 3, &l));
    NEAR(l.exponent, -0.5);
    NEAR(sup_law_at(&l, 4), pow(2, 7.0 / 3));
    NEAR(l.off, pow(2, 1.0 / 3) - 1);
    assert_true(sup_law_fit(p, exact, 1, &l));
    NEAR(sup_law_at(&l, 1000), 8);
}

/* ---- recognising ---- */

static sup_program *program_of(const char *flows) {
    char text[800];
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_program *p = NULL;
    snprintf(text, sizeof text,
             "{\"kind\":\"superstep-program\",\"schema\":1,\"supersteps\":[{\"compute\":[{\"seconds\":1}],"
             "\"communicate\":[%s]}]}",
             flows);
    if (sup_json_parse("p", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_program_parse(doc, "p", &diag, &p)) fail_msg("%s: %s", flows, diag.text);
    sup_json_free(doc);
    return p;
}

/* As if it had been recorded on P processes: edges one by one. */
static void note(void *context, const sup_edge *e) { assert_true(sup_flow_add_edge(context, *e)); }

static sup_program *recorded(const char *flows, int64_t processes) {
    sup_program *rule = program_of(flows), *p = program_of("{\"pattern\":\"sparse\",\"edges\":[]}");
    for (size_t f = 0; f < rule->steps[0].flow_count; f++)
        for (int64_t r = 0; r < processes; r++)
            sup_flow_visit(&rule->steps[0].flows[f], processes, r, 0, note, &p->steps[0].flows[0]);
    p->processes = processes;
    sup_program_free(rule);
    return p;
}

static bool looks(const char *flows, int64_t processes, const char *name) {
    sup_program *p = recorded(flows, processes);
    sup_traffic t[SUP_TRAFFIC_MAX];
    sup_recognised r;
    int count, kind = 0;
    assert_int_equal(sup_traffic_of(p->steps, processes, t, &count), SUP_OK);
    assert_int_equal(count, 1);
    while (sup_recognised_name(kind) && strcmp(sup_recognised_name(kind), name) != 0) kind++;
    assert_non_null(sup_recognised_name(kind));
    bool fits = sup_recognised_fits(kind, &t[0], processes, &r);
    sup_traffic_free(t, count);
    sup_program_free(p);
    return fits;
}

#define RING "{\"pattern\":\"ring\",\"bytes\":64}"
#define ALL "{\"pattern\":\"all-to-all\",\"bytes\":64}"
#define GRID "{\"pattern\":\"stencil-2d\",\"cells\":[64,64]}"
#define OUT "{\"pattern\":\"broadcast\",\"bytes\":64,\"root\":1}"

static void recognised(void **state) {
    (void)state;
    assert_true(looks(RING, 8, "ring") && looks(RING, 3, "ring") && looks(RING, 2, "ring"));
    assert_true(looks(RING, 2, "all-to-all") && looks(RING, 3, "all-to-all") && !looks(RING, 4, "all-to-all"));
    assert_true(looks(ALL, 8, "all-to-all") && !looks(ALL, 8, "ring"));
    assert_true(looks(GRID, 12, "2-d grid") && !looks(GRID, 12, "periodic 2-d grid") && !looks(GRID, 12, "line"));
    assert_true(looks(GRID, 7, "line"));
    assert_true(looks(OUT, 6, "out of a root") && !looks(OUT, 6, "in to a root") && !looks(OUT, 6, "out of the last"));
    assert_true(looks("{\"pattern\":\"gather\",\"bytes\":1}", 6, "in to a root"));
    assert_true(looks("{\"pattern\":\"shift\",\"bytes\":1,\"offset\":-3}", 16, "shift"));
    assert_true(looks("{\"pattern\":\"doubling\",\"bytes\":1}", 16, "doubling distances"));
    assert_true(looks("{\"pattern\":\"stencil-3d\",\"bytes\":1,\"periodic\":true}", 27, "periodic 3-d grid"));
    assert_true(looks("{\"pattern\":\"shift\",\"bytes\":1,\"offset\":0}", 5, "itself"));
}

/* ---- scaling ---- */

typedef struct sum {
    double messages, bytes;
    int64_t edges;
} sum;

static void add(void *context, const sup_edge *e) {
    sum *s = context;
    s->messages += e->messages;
    s->bytes += e->bytes;
    s->edges++;
}

static sum sum_of(const sup_program *p, int64_t processes, int64_t rank) {
    sum s = {0};
    for (size_t f = 0; f < p->steps[0].flow_count; f++)
        sup_flow_visit(&p->steps[0].flows[f], processes, rank, 0, add, &s);
    return s;
}

/* What is fitted to some numbers of processes is what the program does on another, process by process. */
static void fitted(const char *flows, const int64_t *counts, int n, int64_t target, double tolerance) {
    sup_program *at[4], *truth = recorded(flows, target), *made = NULL;
    sup_scaling *s = NULL;
    sup_diag diag = {0};
    for (int k = 0; k < n; k++) at[k] = recorded(flows, counts[k]);
    for (int k = 0; k < n; k++) at[k]->steps[0].works[0].units.all = 8.0 / (double)counts[k];
    if (sup_scaling_fit((const sup_program *const *)at, n, &diag, &s)) fail_msg("%s: %s", flows, diag.text);
    assert_true(sup_scaling_strong(s));
    if (sup_scaling_at(s, target, &diag, &made)) fail_msg("%s: %s", flows, diag.text);
    if (sup_program_fit(truth, target, &diag) || sup_program_fit(made, target, &diag)) fail_msg("%s", diag.text);
    NEAR(made->steps[0].works[0].units.all, 8.0 / (double)target);
    for (int64_t r = 0; r < target; r++) {
        sum a = sum_of(made, target, r), b = sum_of(truth, target, r);
        if (!(fabs(a.bytes - b.bytes) <= tolerance * b.bytes + 1e-9) ||
            !(fabs(a.messages - b.messages) <= 1e-6 * b.messages))
            fail_msg("%s: rank %" PRId64 " sends %g bytes in %g messages, not %g in %g", flows, r, a.bytes, a.messages,
                     b.bytes, b.messages);
    }
    sup_program_free(made);
    sup_scaling_free(s);
    sup_program_free(truth);
    for (int k = 0; k < n; k++) sup_program_free(at[k]);
}

static void fits(void **state) {
    (void)state;
    const int64_t few[] = {2, 4, 8}, more[] = {4, 16}, grids[] = {4, 8, 32};
    fitted(RING, few, 3, 64, 1e-6);
    fitted(RING, few, 2, 8, 1e-6);
    fitted(ALL, few, 3, 64, 1e-6);
    fitted(OUT, few, 2, 64, 1e-6);
    fitted("{\"pattern\":\"gather\",\"bytes\":64}", few, 3, 33, 1e-6);
    fitted("{\"pattern\":\"stencil-2d\",\"cells\":[128,128],\"periodic\":true}", more, 2, 64, 1e-6);
    fitted("{\"pattern\":\"stencil-2d\",\"cells\":[256,256]}", grids, 3, 128, 1e-6);
    fitted("{\"pattern\":\"doubling\",\"bytes\":8}", (const int64_t[]){8, 16}, 2, 128, 1e-6);
    fitted(RING ",{\"pattern\":\"gather\",\"bytes\":8,\"kind\":\"get\"}", few, 3, 16, 1e-6);
}

static void refused(void **state) {
    (void)state;
    sup_program *a = recorded(RING, 8), *b = recorded("{\"pattern\":\"random\",\"bytes\":8,\"degree\":3}", 16),
                *all[] = {a, b}, *made = NULL;
    sup_scaling *s = NULL;
    sup_diag diag = {0};
    sup_rule rule;
    assert_int_equal(sup_scaling_fit((const sup_program *const *)all, 2, &diag, &s), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "no rule that is known"));
    assert_int_equal(sup_scaling_fit((const sup_program *const *)all, 1, &diag, &s), SUP_EINVAL);
    assert_int_equal(sup_rule_parse("work=1/P", &diag, &rule), SUP_OK);
    assert_int_equal(sup_scaling_rule(b, &rule, false, &diag, &s), SUP_OK); /* on its own number it is known */
    assert_int_equal(sup_scaling_at(s, 16, &diag, &made), SUP_OK);
    assert_int_equal(sup_program_fit(made, 16, &diag), SUP_OK);
    assert_int_equal(sum_of(made, 16, 3).edges, 3);
    sup_program_free(made);
    assert_int_equal(sup_scaling_at(s, 32, &diag, &made), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "recorded 16 only"));
    sup_scaling_free(s);
    sup_rule_free(&rule);
    sup_program_free(a);
    sup_program_free(b);
}

/* ---- descriptions ---- */

static void described(void **state) {
    (void)state;
    sup_diag diag = {0};
    sup_program *p = program_of("{\"pattern\":\"stencil-2d\",\"cells\":[64,32]}"), *q = NULL;
    p->steps[0].works[0].bytes.all = 1000;
    assert_int_equal(sup_program_scaled(p, SUP_SCALING_WEAK, 4, 16, &diag, &q), SUP_OK);
    assert_int_equal(q->steps[0].flows[0].cells[0], 128);
    assert_int_equal(q->steps[0].flows[0].cells[1], 64);
    NEAR(q->steps[0].works[0].units.all, 1);
    sup_program_free(q);
    assert_int_equal(sup_program_scaled(p, SUP_SCALING_STRONG, 4, 16, &diag, &q), SUP_OK);
    assert_int_equal(q->steps[0].flows[0].cells[0], 64);
    NEAR(q->steps[0].works[0].units.all, 0.25);
    NEAR(q->steps[0].works[0].bytes.all, 250);
    sup_program_free(q);
    sup_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),   cmocka_unit_test(wrong_rules), cmocka_unit_test(wrong_values),
        cmocka_unit_test(laws),    cmocka_unit_test(recognised),  cmocka_unit_test(fits),
        cmocka_unit_test(refused), cmocka_unit_test(described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
