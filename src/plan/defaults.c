/* The plan that holds where no other does. See defaults.h. */
#include "plan/defaults.h"

#include <math.h>

/* A plan owns its strings; these are nobody's to free. */
static char direct[] = "direct", reduce_scatter[] = "reduce-scatter", staged[] = "staged", cma[] = "cma";
static char heap[] = "heap", foreign[] = "foreign", dissemination[] = "dissemination";

static sup_plan_counts_row counts[] = {
    {.processes_to = SUP_DEFAULT_DIRECT_COUNTS_MAX + 1, .algorithm = direct},
    {.processes_to = -1, .algorithm = reduce_scatter},
};

static sup_plan_staging_row staging[] = {
    {.memory = heap, .bytes_to = SUP_DEFAULT_STRAIGHT_MIN, .method = staged},
    {.memory = heap, .bytes_to = -1, .method = direct},
    {.memory = foreign, .bytes_to = SUP_DEFAULT_CMA_MIN, .method = staged},
    {.memory = foreign, .bytes_to = -1, .method = cma},
};

static sup_plan_bsp bsp = {
    .counts = counts,
    .staging = staging,
    .counts_count = sizeof counts / sizeof *counts,
    .staging_count = sizeof staging / sizeof *staging,
    .progress = SUP_PLAN_PROGRESS_SHARED,
    .spin_s = NAN,
};

static sup_plan_barrier barrier = {.algorithm = dissemination, .predicted_s = NAN};

const sup_plan sup_plan_defaults = {.schema = SUP_PLAN_SCHEMA, .barrier = &barrier, .bsp = &bsp};
