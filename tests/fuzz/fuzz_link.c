/* The reader of links: an error has a reason, one about the text its line; what is taken is within its bounds, and
 * comes back from what is written. */
#include "fuzz.h"

#include "model/compose/links.h"

#include <stdlib.h>
#include <string.h>

static bool parse(const void *data, size_t size, sup_link *out) {
    sup_json *doc = NULL;
    sup_diag diag;
    if (sup_json_parse("fuzz", data, size, &diag, &doc)) return false;
    sup_status status = sup_link_parse(doc, NULL, &diag, out);
    if (status) {
        FUZZ_REQUIRE(diag.status == status && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
        FUZZ_REQUIRE(status != SUP_EPARSE || diag.line > 0);
    }
    sup_json_free(doc);
    return !status;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_link link;
    if (!parse(data, size, &link)) return false;
    FUZZ_REQUIRE(link.latency_s > 0 && link.bandwidth_bytes_per_s >= 1 && link.overhead_s >= 0);
    FUZZ_REQUIRE(link.uncertainty >= 0 && link.uncertainty <= 1 && link.name && link.source);
    json_t *written = sup_links_json(&link, 1);
    FUZZ_REQUIRE(written);
    char *text = json_dumps(written, JSON_REAL_PRECISION(17));
    sup_link again;
    FUZZ_REQUIRE(text && parse(text, strlen(text), &again));
    FUZZ_REQUIRE(!strcmp(link.name, again.name) && link.latency_s == again.latency_s && link.kind == again.kind);
    sup_record_clear(&sup_link_record, &again);
    free(text);
    json_decref(written);
    sup_record_clear(&sup_link_record, &link);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
