/* Placements, as --place takes them, and the lists of cores in them: what is taken is read back from its own text. */
#include "fuzz.h"

#include "machine/cpulist.h"
#include "machine/place/placement_kind.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 1 << 16 };

static bool parse(const char *text, sup_policy *out) {
    sup_diag diag;
    sup_status status = sup_policy_parse(text, &diag, out);
    if (status) FUZZ_REQUIRE(diag.status == status && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
    return status == SUP_OK;
}

static void read_back(const sup_policy *policy) {
    char *text = malloc(TEXT_ROOM);
    FUZZ_REQUIRE(text);
    sup_policy_text(policy, text, TEXT_ROOM);
    sup_policy again;
    if (!strstr(text, "…")) { /* it was cut */
        FUZZ_REQUIRE(parse(text, &again));
        FUZZ_REQUIRE(again.kind == policy->kind && again.depth == policy->depth && again.cyclic == policy->cyclic);
        FUZZ_REQUIRE(again.count == policy->count);
        for (int i = 0; i < policy->count; i++) FUZZ_REQUIRE(again.cpus[i] == policy->cpus[i]);
        sup_policy_free(&again);
    }
    free(text);
    char brief[40];
    sup_policy_text(policy, brief, sizeof brief);
    FUZZ_REQUIRE(strlen(brief) < sizeof brief);
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    sup_policy policy;
    bool taken = parse(text, &policy);
    free(text);
    if (!taken) return false;
    FUZZ_REQUIRE(policy.kind->names_cpus == (policy.count > 0));
    read_back(&policy);
    sup_policy_free(&policy);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
