/* τ-Lop expressions, as superstep taulop eval takes them: a mistake has its place, what is taken is printed and read
 * back the same, can be simplified and priced. */
#include "fuzz.h"

#include "model/taulop/taulop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double transfer(const sup_taulop_channel *channel, double bytes, double tau) {
    return 1e-7 * (1 + channel->number) + 1e-10 * bytes * (1 + tau) / 2;
}

static double fold(const sup_taulop_costs *costs, double bytes, double tau) {
    (void)costs;
    return 1e-10 * bytes * tau;
}

static const sup_expr *parse(sup_exprs *x, const char *text) {
    sup_diag diag = {0};
    const sup_expr *e = NULL;
    sup_status status = sup_expr_read(x, text, &diag, &e);
    if (status) {
        const char *caret = strrchr(diag.text, '\n');
        FUZZ_REQUIRE(status == SUP_EINVAL && diag.status == status && !strpbrk(diag.text, "\r\t\x1b"));
        FUZZ_REQUIRE(caret && caret[strspn(caret, "\n ")] == '^');
        return NULL;
    }
    return e;
}

/* Leaves, each as often as it is repeated: pricing follows them while something else is under way. */
static double leaves(const sup_expr *e) {
    double sum = e->count == 0;
    for (size_t i = 0; i < e->count; i++) sum += leaves(e->parts[i]);
    return e->kind == SUP_EXPR_TIMES ? e->times * sum : sum;
}

static void ask(sup_exprs *x, const sup_expr *e) {
    sup_taulop_channel channels[2] = {{.number = 0, .segment_bytes = 8192, .threshold_bytes = -1, .transfer = transfer},
                                      {.number = 1, .segment_bytes = -1, .threshold_bytes = -1, .transfer = transfer}};
    sup_taulop_costs costs = {.channels = channels, .channels_count = 2, .fold = fold};
    sup_diag diag;
    const sup_expr *simple;
    double seconds;
    sup_status status = sup_expr_simplify(x, e, NULL, &simple);
    FUZZ_REQUIRE(status == SUP_OK || status == SUP_EINVAL);
    for (size_t i = 0; sup_evaluators[i]; i++)
        if (!sup_taulop_cost(&costs, sup_evaluators[i], e, &diag, &seconds))
            FUZZ_REQUIRE(isfinite(seconds) && seconds >= 0);
        else
            FUZZ_REQUIRE(diag.text[0]);
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    sup_exprs *x = sup_exprs_new();
    FUZZ_REQUIRE(text && x);
    const sup_expr *e = parse(x, text);
    free(text);
    if (e) {
        size_t length = sup_expr_print(e, true, NULL, 0);
        char *plain = malloc(length + 1);
        FUZZ_REQUIRE(plain && sup_expr_print(e, true, plain, length + 1) == length);
        const sup_expr *again = parse(x, plain);
        FUZZ_REQUIRE(again && sup_expr_equal(e, again));
        free(plain);
        if (leaves(e) < 20000) ask(x, e);
    }
    sup_exprs_free(x);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
