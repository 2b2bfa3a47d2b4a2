/* What the files of the random program share. */
#ifndef TESTS_BSP_RANDOM_H
#define TESTS_BSP_RANDOM_H

#include "reference/sim.h"

/* A collective operation, which ends the superstep as well; false: something else came out of it than should. */
bool random_collective(sim *s);

#endif
