/* Placement `scatter`: as far apart as possible, over every domain of the machine. */
#include "machine/place/placement_kind.h"

static sup_status order_scatter(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                                int **order, int *count) {
    (void)policy;
    sup_domain domains[SUP_DOMAIN_MAX];
    int domain_count = sup_topology_domains(t, domains);
    return sup_place_interleaved(t, u, domains, domain_count, diag, order, count);
}

const sup_placement_kind sup_place_scatter = {.name = "scatter", .written = "scatter", .order = order_scatter};
