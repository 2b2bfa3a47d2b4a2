/* The buffer of the collective operations, as the runtime sees it (collective/area.h). */
#include "bsp/collective/area.h"

#include <stdlib.h>

bsp_coll_area sup_bsp_coll_area;

bool sup_bsp_coll_owns(const void *addr) { return addr && addr == sup_bsp_coll_area.base; }

void sup_bsp_coll_reset(void) {
    free(sup_bsp_coll_area.base);
    sup_bsp_coll_area.base = NULL;
    sup_bsp_coll_area.half = 0;
}
