/* Looks at the machine, for a program that may have more rights than its caller: says how many cores there are, opens
 * tiles, and says what HWLOC_SYNTHETIC is then. */
#include "machine/topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <superstep/tile.h>

int main(void) {
    sup_topology *topology;
    sup_tile *tile;
    sup_diag diag;
    for (int i = 0; i < 2; i++) { /* what was put back is set aside again */
        if (sup_topology_load(SUP_TOPOLOGY_DEVICES, &diag, &topology)) {
            fprintf(stderr, "%s\n", diag.text);
            return 1;
        }
        printf("%d cores\n", topology->core_count);
        sup_topology_free(topology);
    }
    if (sup_tile_open(NULL, &diag, &tile)) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    sup_tile_close(tile);
    const char *left = getenv("HWLOC_SYNTHETIC");
    setenv("MORE", "x", 1);
    printf("%s%s\n", left ? left : "none", getenv("MORE"));
    return 0;
}
