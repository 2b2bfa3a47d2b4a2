/* Topologies in JSON (superstep topo --from FILE): an error has a line and a reason, and what is taken can be asked. */
#include "fuzz.h"

#include "machine/topology/topology.h"

#include <string.h>

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_json *doc = NULL;
    sup_topology *t = NULL;
    sup_diag diag;
    if (sup_json_parse("fuzz", (const char *)data, size, &diag, &doc)) return false;
    sup_status status = sup_topology_from_json(doc, &diag, &t);
    sup_json_free(doc);
    FUZZ_REQUIRE((status == SUP_OK) == (t != NULL));
    if (status) {
        FUZZ_REQUIRE(diag.status == status && diag.line > 0 && !strpbrk(diag.text, "\n\r\t\x1b"));
        return false;
    }
    fuzz_ask_topology(t);
    sup_topology_free(t);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_takes(data, size);
    return 0;
}
