/* The table of models of collectives, the default first. Term Tcomm. */
#include "model/collective/platform.h"

const sup_collective_model *const sup_collective_models[] = {&sup_collective_taulop,  &sup_collective_taulop_alone,
                                                             &sup_collective_loggp,   &sup_collective_lognp,
                                                             &sup_collective_hockney, NULL};
