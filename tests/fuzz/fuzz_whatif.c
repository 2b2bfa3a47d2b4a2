/* What-ifs (`L*0.5, rate[3]*4`) and extensions (`nodes=64`), as options of superstep predict take them. */
#include "fuzz.h"

#include "model/equation/model.h"

#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 16 };

static void check_refusal(sup_status status, const sup_diag *diag) {
    FUZZ_REQUIRE(diag->status == status && diag->text[0] && !strpbrk(diag->text, "\n\r\t\x1b"));
}

static bool edits(const char *text) {
    sup_diag diag;
    sup_edit *list = NULL;
    size_t count = 0;
    sup_status status = sup_edits_parse(text, PROCESSES, &diag, &list, &count);
    if (status) {
        check_refusal(status, &diag);
        return false;
    }
    FUZZ_REQUIRE(count > 0);
    for (size_t i = 0; i < count; i++) {
        const sup_edit *e = &list[i];
        FUZZ_REQUIRE(e->factor >= 0.99e-9 && e->factor <= 1.01e9 && e->what >= SUP_EDIT_O && e->what <= SUP_EDIT_SYNC);
        if (!e->ranged) continue;
        FUZZ_REQUIRE(e->what != SUP_EDIT_SYNC && e->from[0] >= 0 && e->from[0] <= e->from[1] && e->from[1] < PROCESSES);
        FUZZ_REQUIRE(e->to[0] >= 0 && e->to[0] <= e->to[1] && e->to[1] < PROCESSES);
    }
    free(list);
    return true;
}

static bool extension(const char *text) {
    sup_diag diag;
    int64_t nodes;
    sup_status status = sup_extend_parse(text, &diag, &nodes);
    if (status)
        check_refusal(status, &diag);
    else
        FUZZ_REQUIRE(nodes >= 1 && nodes <= SUP_PROGRAM_PROCESSES_MAX);
    return status == SUP_OK;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    bool edited = edits(text), extended = extension(text);
    FUZZ_REQUIRE(!edited || !extended);
    free(text);
    return edited || extended;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
