/* Placement `none`: not pinned. */
#include "machine/place/placement_kind.h"

static sup_status order_any(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                            int **order, int *count) {
    (void)policy;
    return sup_place_interleaved(t, u, NULL, 0, diag, order, count);
}

const sup_placement_kind sup_place_none = {.name = "none", .written = "none", .unpinned = true, .order = order_any};
