/* The reader of plans: an error has a line and a reason, and what is taken is written and read back to the byte. */
#include "fuzz.h"

#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static sup_plan *parse(const void *data, size_t size, bool strict) {
    sup_json *doc = NULL;
    sup_plan *plan = NULL;
    sup_diag diag;
    sup_status status = sup_json_parse("fuzz", data, size, &diag, &doc);
    if (status) return NULL;
    status = sup_plan_parse(doc, strict, &diag, &plan);
    FUZZ_REQUIRE((status == SUP_OK) == (plan != NULL));
    if (status) FUZZ_REQUIRE(diag.status == status && diag.line > 0 && !strpbrk(diag.text, "\n\r\t\x1b"));
    sup_json_free(doc);
    return plan;
}

/* The row is found by the set that it describes. */
static void ask_barrier(const sup_plan *p, const sup_plan_barrier *b) {
    sup_pattern pattern;
    if (b->processes > SUP_PLAN_EXPLICIT_MAX) return;
    FUZZ_REQUIRE(sup_plan_barrier_pattern(b, &pattern) == SUP_OK);
    sup_pattern_free(&pattern);
    int *host_of = calloc((size_t)b->processes, sizeof *host_of);
    FUZZ_REQUIRE(host_of);
    for (size_t r = 0, member = 0; r + 1 < b->hosts_count; r += 2)
        for (int64_t k = 0; k < b->hosts[r]; k++) host_of[member++] = (int)b->hosts[r + 1];
    const sup_plan_set set = {b->processes, b->transport, host_of};
    FUZZ_REQUIRE(sup_plan_has_barrier(p, &set));
    FUZZ_REQUIRE(sup_plan_find_barrier(p, &set, &pattern) == SUP_OK && pattern.processes == b->processes);
    sup_pattern_free(&pattern);
    free(host_of);
}

/* Whatever was taken can be asked without harm. */
static void ask(const sup_plan *p) {
    sup_plan_find_engine(p, 1, 1, 0, SUP_PLAN_EAGER);
    FUZZ_REQUIRE(sup_plan_find_counts(p, 7));
    for (int64_t bytes = 1; bytes < 1 << 20; bytes *= 3) {
        sup_plan_range holds;
        FUZZ_REQUIRE(sup_plan_find_staging(p, "foreign", bytes, &holds));
        FUZZ_REQUIRE(holds.from <= bytes && bytes < holds.to);
    }
    if (p->barrier) ask_barrier(p, p->barrier);
    for (size_t i = 0; i < p->barriers_count; i++) ask_barrier(p, &p->barriers[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sup_plan *plan = parse(data, size, false), *strict = parse(data, size, true);
    FUZZ_REQUIRE(plan || !strict);
    sup_plan_free(strict);
    if (!plan) return 0;
    ask(plan);
    char *first = NULL, *second = NULL;
    size_t length = 0;
    FUZZ_REQUIRE(sup_plan_text(plan, NULL, &first, &length) == SUP_OK);
    sup_plan *again = parse(first, length, false);
    FUZZ_REQUIRE(again);
    FUZZ_REQUIRE(sup_plan_text(again, NULL, &second, NULL) == SUP_OK);
    FUZZ_REQUIRE(strcmp(first, second) == 0);
    free(second);
    free(first);
    sup_plan_free(again);
    sup_plan_free(plan);
    return 0;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_plan *plan = parse(data, size, true);
    bool taken = plan != NULL;
    sup_plan_free(plan);
    return taken;
}
