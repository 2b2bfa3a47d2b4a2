/* Choices of collective algorithms as plans and options name them: refused with a reason, or read back the same from
 * what they are written as, for every operation. */
#include "fuzz.h"

#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

static bool takes(int operation, const char *text) {
    sup_diag diag;
    sup_choice choice, again;
    char written[SUP_CHOICE_TEXT];
    sup_status status = sup_choice_read(operation, text, &diag, &choice);
    if (status) {
        FUZZ_REQUIRE(status == SUP_EINVAL && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
        return false;
    }
    FUZZ_REQUIRE(sup_choice_read(operation, sup_choice_text(&choice, written), &diag, &again) == SUP_OK);
    FUZZ_REQUIRE(choice.algorithm == again.algorithm && choice.segment_bytes == again.segment_bytes &&
                 choice.radix == again.radix && choice.hosts == again.hosts);
    if (!choice.algorithm) return true;
    FUZZ_REQUIRE(choice.segment_bytes >= 0 && choice.radix >= 0 && choice.radix <= choice.algorithm->radix_most);
    FUZZ_REQUIRE(!choice.segment_bytes || choice.algorithm->traits & SUP_ALGORITHM_SEGMENTS);
    return true;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    bool any = false;
    for (int operation = 0; operation < SUP_OPERATIONS; operation++) any |= takes(operation, text);
    free(text);
    return any;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
