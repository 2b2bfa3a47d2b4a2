/* What a section needs to know of collective operations that go straight between buffers (collective/straight.c). */
#ifndef SUP_BSP_COLLECTIVE_STRAIGHT_H
#define SUP_BSP_COLLECTIVE_STRAIGHT_H

/* A section ends: what they have opened is of its processes. The net is still open. */
void bsp_coll_straight_close(void);

#endif
