/* Prices of τ-Lop expressions in tests, made of text. */
#ifndef SUP_TESTS_TAULOP_PRICE_H
#define SUP_TESTS_TAULOP_PRICE_H

#include "taulop_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_near(double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted) + 1e-18)) fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static inline double cost_of(const sup_taulop_costs *costs, const sup_evaluator *by, const sup_expr *e) {
    sup_diag diag = {0};
    double seconds = NAN;
    if (sup_taulop_cost(costs, by, e, &diag, &seconds)) fail_msg("%s", diag.text);
    return seconds;
}

/* Of a text, with %g for its numbers. */
__attribute__((format(printf, 3, 4))) static inline double price(const sup_taulop_costs *costs, const sup_evaluator *by,
                                                                 const char *format, ...) {
    char text[1000];
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e;
    sup_diag diag = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (sup_expr_read(x, text, &diag, &e)) fail_msg("%s", diag.text);
    double seconds = cost_of(costs, by, e);
    sup_exprs_free(x);
    return seconds;
}

/* The same by both evaluators, where they must agree. */
#define BOTH(costs, wanted, ...)                                              \
    do {                                                                      \
        assert_near(price(costs, &sup_evaluator_paper, __VA_ARGS__), wanted); \
        assert_near(price(costs, &sup_evaluator_fluid, __VA_ARGS__), wanted); \
    } while (0)

#endif
