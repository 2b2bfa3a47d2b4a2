/* Where a process runs: what labs gather of everybody (BSP §5.2: placement is part of the measurement). Stage
 * "measure".
 *
 *     sup_rank_place mine;
 *     sup_place_own(&mine, NULL);                          its host is for who knows all to say: 0 here */
#ifndef SUP_MEASURE_LAB_PLACE_H
#define SUP_MEASURE_LAB_PLACE_H

#include "measure/lab/lab.h"

/* *usable (NULL: not wanted): processes that can run at full speed on the host; 0 unknown. */
void sup_place_own(sup_rank_place *place, int64_t *usable);

#endif
