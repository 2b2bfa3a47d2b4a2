/* Sweeps over sizes and shapes of parts (CACHE ch. 5) as a profile has them: which times belong to one sweep, what was
 * the best of it and what one band a worker took. For the table and the figure of a decomposition (term Tcomp). */
#ifndef SUP_REPORT_DRAW_TILE_SWEEP_H
#define SUP_REPORT_DRAW_TILE_SWEEP_H

#include "profile/profile.h"
#include "report/draw/plot.h"

typedef struct sup_tile_sweep {
    size_t first, count;         /* first time of it, and how many */
    const sup_tile_time *best;   /* of several samples where one has; NULL only if no time has a value */
    const sup_tile_time *square; /* best of one level with sides alike; NULL none */
    const sup_tile_time *bands;  /* NULL: not measured */
} sup_tile_sweep;

/* The sweep that begins at times `at` of the profile; false: that one belongs to an earlier sweep. */
bool sup_tile_sweep_at(const sup_profile *profile, size_t at, sup_tile_sweep *out);

/* Times of a sweep (strategy: with this one alone, if not NULL) over the bytes of a task, one series of the plot.
 * False: no memory. */
bool sup_tile_sweep_plot(const sup_profile *profile, const sup_tile_sweep *sweep, const char *strategy,
                         const char *label, sup_plot *plot);
/* "256 × 256 doubles", and with workers "256 × 256 doubles, 2 workers"; the size class itself if it is none that is
 * known here. */
char *sup_tile_class_text(const char *size_class, bool workers, char *buf, size_t size);
/* "128 × 64, fetched ahead" */
char *sup_tile_time_text(const sup_tile_time *time, char *buf, size_t size);

#endif
