/* What every machine model promises, whatever it was made from (machine/topology/topology.h). */
#include "fuzz.h"

#include "machine/place/placement_kind.h"

static void ask_level(const sup_topology *t, const sup_level *level) {
    int members = 0;
    FUZZ_REQUIRE(level->depth >= 1 && level->depth <= SUP_CACHE_DEPTH_MAX && level->group_count >= 1);
    for (int g = 0; g < level->group_count; g++) {
        const sup_group *group = &level->groups[g];
        FUZZ_REQUIRE(group->count >= 1 && group->count <= level->sharing);
        for (int i = 0; i < group->count; i++) FUZZ_REQUIRE(level->group_of[group->cores[i]] == g);
        members += group->count;
        if (!level->child) continue;
        /* cores that share the inner cache share the outer one */
        for (int i = 0; i < group->count; i++) {
            const sup_group *inner = sup_level_group(level->child, group->cores[i]);
            for (int k = 0; inner && k < inner->count; k++)
                FUZZ_REQUIRE(level->group_of[inner->cores[k]] == g || level->group_of[inner->cores[k]] < 0);
        }
    }
    FUZZ_REQUIRE(members <= t->core_count);
}

static void place(const sup_topology *t, const sup_placement_kind *kind) {
    sup_limits limits = {0};
    sup_usable usable;
    sup_diag diag;
    sup_policy policy = {.kind = kind};
    sup_placement placement;
    if (sup_usable_make(t, &limits, &diag, &usable)) return;
    if (!sup_placement_make(t, &usable, NULL, &policy, 5, &diag, &placement)) {
        for (int i = 0; i < placement.count; i++) FUZZ_REQUIRE(sup_topology_core_of(t, placement.at[i].cpu) >= 0);
        sup_placement_free(&placement);
    }
    sup_usable_free(&usable);
}

void fuzz_ask_topology(const sup_topology *t) {
    FUZZ_REQUIRE(t->core_count >= 1 && t->cpu_count >= t->core_count && t->levels);
    for (int c = 0; c < t->core_count; c++) {
        FUZZ_REQUIRE(t->cores[c].cpu_count >= 1);
        for (int i = 0; i < t->cores[c].cpu_count; i++) FUZZ_REQUIRE(sup_topology_core_of(t, t->cores[c].cpus[i]) == c);
    }
    for (const sup_level *level = t->levels; level; level = level->child) ask_level(t, level);
    sup_domain domains[SUP_DOMAIN_MAX];
    int count = sup_topology_domains(t, domains);
    FUZZ_REQUIRE(count >= 0 && count <= SUP_DOMAIN_MAX);
    for (int d = 0; d < count; d++) FUZZ_REQUIRE(sup_domain_of(t, &domains[d], 0) < domains[d].count);
    place(t, &sup_place_compact);
    place(t, &sup_place_scatter);
    place(t, &sup_place_per_cache);
}
