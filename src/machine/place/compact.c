/* Placement `compact`: cores next to each other in the tree, which share caches. */
#include "machine/place/placement_kind.h"

static sup_status order_compact(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                                int **order, int *count) {
    (void)policy;
    return sup_place_interleaved(t, u, NULL, 0, diag, order, count);
}

const sup_placement_kind sup_place_compact = {.name = "compact", .written = "compact", .order = order_compact};
