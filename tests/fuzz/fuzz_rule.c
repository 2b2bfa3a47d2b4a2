/* Rules by which a trace changes with P, as superstep predict --rule takes them. */
#include "fuzz.h"

#include "program/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    sup_diag diag;
    sup_rule r;
    sup_status status = sup_rule_parse(text, &diag, &r);
    free(text);
    if (status) {
        FUZZ_REQUIRE(diag.status == status && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
        return false;
    }
    for (int k = 0; k < SUP_RULE_QUANTITIES; k++) {
        double factor = -1;
        if (!sup_rule_factor(&r, k, 4, 1000, r.n, &diag, &factor)) FUZZ_REQUIRE(isfinite(factor) && factor >= 0);
    }
    sup_rule_free(&r);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
