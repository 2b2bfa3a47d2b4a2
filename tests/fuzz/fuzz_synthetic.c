/* Made-up machines (superstep topo --synthetic "package:2 l3:1 core:8 pu:2"): whatever hwloc makes of a description,
 * the model that is built of it keeps its promises, and it is not larger than anybody could want. */
#include "fuzz.h"

#include "machine/topology/topology.h"

#include <stdlib.h>
#include <string.h>

bool fuzz_takes(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    sup_diag diag;
    sup_topology *t = NULL;
    sup_status status = sup_topology_from_synthetic(text, &diag, &t);
    free(text);
    FUZZ_REQUIRE((status == SUP_OK) == (t != NULL));
    if (status) {
        FUZZ_REQUIRE(diag.status == status && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
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
