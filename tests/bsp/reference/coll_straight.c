/* The reference runtime has no net: its collective operations are made of BSPlib calls alone. */
#include "bsp/coll.h"

static bool never(size_t nbytes, size_t count) {
    (void)nbytes;
    (void)count;
    return false;
}

const bsp_coll bsp_coll_straight = {.fits = never};
