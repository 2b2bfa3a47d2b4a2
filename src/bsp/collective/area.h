/* What the runtime needs to know of the collective operations: that their registration is not the program's. */
#ifndef SUP_BSP_COLLECTIVE_AREA_H
#define SUP_BSP_COLLECTIVE_AREA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bsp_coll_area {
    unsigned char *base;
    size_t half;
    int turn; /* which half is written before the next sync */
} bsp_coll_area;
extern bsp_coll_area sup_bsp_coll_area;

/* Is `addr` the buffer that the collective operations have registered? Check mode does not call it a leak. */
bool sup_bsp_coll_owns(const void *addr);

/* A section ends with its registrations: the next needs its own. */
void sup_bsp_coll_reset(void);

#endif
