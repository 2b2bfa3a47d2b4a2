/* Deadlock (`superstep run --deadlock SECONDS`): says which ranks wait in which bsp_sync, and which do not come. */
#ifndef SUP_BSP_WATCHDOG_H
#define SUP_BSP_WATCHDOG_H

#include "bsp/state.h"

/* Around `inner`: only its sync is replaced, so that transfers cost what they cost without. */
const bsp_exchange *bsp_watchdog_wrap(bsp_runtime *b, const bsp_exchange *inner);

#endif
