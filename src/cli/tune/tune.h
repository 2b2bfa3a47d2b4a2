/* What the files of `superstep tune` share: tune.c (options, files), tune/tile.c (the sweep), tune/plot.c (its
 * picture). */
#ifndef SUP_CLI_TUNE_TUNE_H
#define SUP_CLI_TUNE_TUNE_H

#include "cli/frame/cli.h"
#include "plan/plan.h"
#include "profile/profile.h"

#include <stddef.h>

typedef struct sup_tune {
    const char *kernel; /* "all" */
    long size, workers; /* 0: usual size; as many as there are cores */
    double seconds;     /* for the sweep of one kernel */
    const char *plan_file, *profile_file, *plot_file;
    bool force; /* replace the figure; the other two are added to */
    bool json, quiet;
    sup_plan *plan;
    sup_profile *profile;
} sup_tune;

/* Sweeps one kernel, or all: times go to tune->profile, the best to tune->plan. Exit code. */
int sup_tune_tiles(sup_tune *tune);
/* Adds short sweeps of a few kernels to a profile that has none of them; what cannot be run is left out. */
void sup_tune_sample(sup_profile *profile, double seconds);
/* Draws the sweeps of tune->profile. Exit code. */
int sup_tune_plot(const sup_tune *tune);

#endif
