/* Numbers of processes, as superstep predict --sweep takes them. */
#include "fuzz.h"

#include "model/equation/model.h"

#include <stdlib.h>
#include <string.h>

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    sup_diag diag;
    sup_sweep s;
    sup_status status = sup_sweep_parse(text, &diag, &s);
    free(text);
    if (status) {
        FUZZ_REQUIRE(diag.status == status && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
        return false;
    }
    FUZZ_REQUIRE(s.count >= 1 && s.count <= SUP_SWEEP_MAX);
    for (int i = 0; i < s.count; i++) FUZZ_REQUIRE(s.at[i] >= 1 && s.at[i] <= SUP_PROGRAM_PROCESSES_MAX);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
