/* The reader of traces: an error has a line and a reason, and what is taken is written and read back to the byte. */
#include "fuzz.h"

#include "../trace_walk.h"

#include "program/program.h"
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sup_trace *parse(const void *data, size_t size, bool strict) {
    sup_json *doc = NULL;
    sup_trace *trace = NULL;
    sup_diag diag;
    sup_status status = sup_json_parse("fuzz", data, size, &diag, &doc);
    if (status) return NULL;
    status = sup_trace_parse(doc, strict, &diag, &trace);
    FUZZ_REQUIRE((status == SUP_OK) == (trace != NULL));
    if (status) FUZZ_REQUIRE(diag.status == status && diag.line > 0 && !strpbrk(diag.text, "\n\r\t\x1b"));
    sup_json_free(doc);
    return trace;
}

/* Whatever was taken can be asked without harm. */
static void ask(const sup_trace *t) {
    size_t which;
    int64_t n = 0, most = t->sequence_length < 10000 ? t->sequence_length : 10000;
    for (size_t c = 0; c < t->classes_count; c++)
        for (size_t r = 0; r < t->processes_count; r++) FUZZ_REQUIRE(sup_trace_step_of(t, c, (int64_t)r));
    FUZZ_REQUIRE(t->sequence_length >= 0 && t->sequence_length <= t->supersteps);
    for (trace_walk c = trace_begin(t); n < 10000 && trace_next(&c, &which); n++)
        FUZZ_REQUIRE(which < t->classes_count);
    FUZZ_REQUIRE(n == most);
}

/* As a program: times that can be added up, shares that are shares. */
static void use(const sup_trace *t) {
    sup_program *p = NULL;
    sup_diag diag;
    if (sup_program_from_trace(t, &diag, &p)) return;
    for (size_t i = 0; i < p->step_count; i++) {
        const sup_step *s = &p->steps[i];
        FUZZ_REQUIRE(isfinite(s->measured_s) && s->measured_calls_s >= 0 && s->measured_compute_s >= 0);
        for (size_t w = 0; w < s->work_count; w++) FUZZ_REQUIRE(s->works[w].overlap >= 0 && s->works[w].overlap <= 1);
    }
    sup_program_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sup_trace *trace = parse(data, size, false), *strict = parse(data, size, true);
    FUZZ_REQUIRE(trace || !strict);
    sup_trace_free(strict);
    if (!trace) return 0;
    ask(trace);
    use(trace);
    char *first = NULL, *second = NULL;
    size_t length = 0;
    FUZZ_REQUIRE(sup_record_file_text(&sup_trace_file, trace, NULL, &first, &length) == SUP_OK);
    sup_trace *again = parse(first, length, false);
    FUZZ_REQUIRE(again);
    FUZZ_REQUIRE(sup_record_file_text(&sup_trace_file, again, NULL, &second, NULL) == SUP_OK);
    FUZZ_REQUIRE(strcmp(first, second) == 0);
    free(second);
    free(first);
    sup_trace_free(again);
    sup_trace_free(trace);
    return 0;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_trace *trace = parse(data, size, true);
    bool taken = trace != NULL;
    sup_trace_free(trace);
    return taken;
}
