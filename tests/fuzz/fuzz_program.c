/* The reader of program files: an error has a line and a reason, and what is taken can be asked on any number of
 * processes that it fits. */
#include "fuzz.h"

#include "program/program.h"

#include <math.h>
#include <string.h>

static sup_program *parse(const void *data, size_t size) {
    sup_json *doc = NULL;
    sup_program *program = NULL;
    sup_diag diag;
    if (sup_json_parse("fuzz", data, size, &diag, &doc)) return NULL;
    sup_status status = sup_program_parse(doc, "fuzz", &diag, &program);
    FUZZ_REQUIRE((status == SUP_OK) == (program != NULL));
    if (status) FUZZ_REQUIRE(diag.status == status && diag.line > 0 && !strpbrk(diag.text, "\n\r\t\x1b"));
    sup_json_free(doc);
    return program;
}

static void look_at(void *context, const sup_edge *edge) {
    int64_t processes = *(int64_t *)context;
    FUZZ_REQUIRE(edge->from >= 0 && edge->from < processes && edge->to >= 0 && edge->to < processes);
    FUZZ_REQUIRE(isfinite(edge->messages) && isfinite(edge->bytes) && edge->messages >= 0 && edge->bytes >= 0);
}

static void ask_step(const sup_step *s, int64_t processes) {
    int64_t rounds = sup_step_rounds(s, processes), last = processes - 1;
    FUZZ_REQUIRE(rounds >= 1);
    for (int64_t round = 0; round < rounds; round += 1 + rounds / 3) {
        FUZZ_REQUIRE(sup_step_round_repeat(s, processes, round) >= 0);
        for (size_t f = 0; f < s->flow_count; f++) {
            sup_flow_visit(&s->flows[f], processes, 0, round, look_at, &processes);
            sup_flow_visit(&s->flows[f], processes, last, round, look_at, &processes);
        }
    }
    for (size_t w = 0; w < s->work_count; w++) FUZZ_REQUIRE(isfinite(sup_work_units(&s->works[w], processes, last)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int64_t counts[] = {1, 2, 6, 16, 1000};
    sup_program *program = parse(data, size);
    if (!program) return 0;
    for (size_t i = 0; i <= sizeof counts / sizeof *counts; i++) {
        int64_t processes = i ? counts[i - 1] : program->processes;
        sup_diag diag;
        if (processes < 1 || processes > 4096 || sup_program_fit(program, processes, &diag)) continue;
        for (size_t s = 0; s < program->step_count; s++) ask_step(&program->steps[s], processes);
    }
    sup_program_free(program);
    return 0;
}

/* What is said of a number of processes is checked when the number is known: here it is the file's own. */
bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_program *program = parse(data, size);
    sup_diag diag;
    bool taken = program && (!program->processes || !sup_program_fit(program, program->processes, &diag));
    sup_program_free(program);
    return taken;
}
