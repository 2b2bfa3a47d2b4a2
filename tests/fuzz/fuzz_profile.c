/* The reader of profiles: an error has a line and a reason, and what is taken is written and read back to the byte. */
#include "fuzz.h"

#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

static sup_profile *parse(const void *data, size_t size, bool strict) {
    sup_json *doc = NULL;
    sup_profile *profile = NULL;
    sup_diag diag;
    sup_status status = sup_json_parse("fuzz", data, size, &diag, &doc);
    if (status) return NULL;
    status = sup_profile_parse(doc, strict, &diag, &profile);
    FUZZ_REQUIRE((status == SUP_OK) == (profile != NULL));
    if (status) FUZZ_REQUIRE(diag.status == status && diag.line > 0 && !strpbrk(diag.text, "\n\r\t\x1b"));
    sup_json_free(doc);
    return profile;
}

/* Whatever was taken can be asked without harm. */
static void ask(const sup_profile *p) {
    int64_t last = p->signature.processes - 1, host, core;
    FUZZ_REQUIRE(sup_origin_place(&p->signature, last, &host, &core) == SUP_OK);
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pairs *pairs = &p->pairs[i];
        const int64_t ranks[] = {0, last / 2, last};
        for (int k = 0; k < 9; k++) {
            int class = sup_pairs_class(pairs, ranks[k / 3], ranks[k % 3]);
            FUZZ_REQUIRE(class >= 0 && (size_t) class < pairs->classes_count);
        }
    }
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t k = 0; k < p->kernels[i].rates_count; k++)
            FUZZ_REQUIRE(sup_curve_at(p->kernels[i].rates[k].unit_s->curve, 1e6) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sup_profile *profile = parse(data, size, false), *strict = parse(data, size, true);
    FUZZ_REQUIRE(profile || !strict);
    sup_profile_free(strict);
    if (!profile) return 0;
    ask(profile);
    char *first = NULL, *second = NULL;
    size_t length = 0;
    FUZZ_REQUIRE(sup_record_file_text(&sup_profile_file, profile, NULL, &first, &length) == SUP_OK);
    sup_profile *again = parse(first, length, false);
    FUZZ_REQUIRE(again);
    FUZZ_REQUIRE(sup_record_file_text(&sup_profile_file, again, NULL, &second, NULL) == SUP_OK);
    FUZZ_REQUIRE(strcmp(first, second) == 0);
    free(second);
    free(first);
    sup_profile_free(again);
    sup_profile_free(profile);
    return 0;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_profile *profile = parse(data, size, true);
    bool taken = profile != NULL;
    sup_profile_free(profile);
    return taken;
}
