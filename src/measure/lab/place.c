/* Where a process runs (place.h), by hwloc and its affinity mask. Stage "measure". */
#include "measure/lab/place.h"

#include "machine/usable.h"

#include <sched.h>

static int pinned_cpu(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1) return -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) return cpu;
    return -1;
}

static void unknown_place(sup_rank_place *place) {
    *place = (sup_rank_place){.host = 0, .cpu = -1, .core = -1, .numa = -1, .package = -1};
    for (int d = 0; d < 8; d++) place->cache[d] = -1;
}

/* What cannot be found out stays unknown: then only the host tells pairs apart. A process that is not pinned is
 * nowhere in particular. */
void sup_place_own(sup_rank_place *place, int64_t *usable) {
    sup_topology *topology;
    if (usable) *usable = 0;
    unknown_place(place);
    place->cpu = pinned_cpu();
    if (sup_topology_load(0, NULL, &topology)) return;
    sup_usable host;
    if (usable && !sup_usable_read(topology, NULL, &host)) {
        /* the affinity mask of a pinned process says nothing about the host */
        *usable = place->cpu >= 0 ? topology->core_count : host.process_count;
        sup_usable_free(&host);
    }
    int core = place->cpu >= 0 ? sup_topology_core_of(topology, place->cpu) : -1;
    if (core >= 0) {
        place->core = core;
        place->numa = topology->cores[core].numa;
        place->package = topology->cores[core].package;
        place->kind = topology->cores[core].core_class;
        for (int d = 1; d <= 8; d++) {
            const sup_level *level = sup_topology_cache(topology, d);
            if (level && !level->assumed) place->cache[d - 1] = level->group_of[core];
        }
    }
    sup_topology_free(topology);
}
