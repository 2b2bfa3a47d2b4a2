/* Algorithm 1 of CACHE §3.1: into how many parts must every data set be cut so that one of each fits a cache? */
#ifndef SUP_TILE_ESTIMATE_H
#define SUP_TILE_ESTIMATE_H

#include <superstep/tile.h>

/* The questions of a distribution (CACHE listing 8), for supplied data sets and for those with their own. */
double sup_set_line_length(const sup_tile_set *set, int64_t n);
double sup_set_part_size(const sup_tile_set *set, int64_t n);

/* Bytes of a part: φ simple, and φ conservative. */
double sup_phi_simple(const sup_tile_set *set, int64_t n);
double sup_phi_conservative(const sup_tile_set *set, size_t line_bytes, double line_length, int64_t n);

/* Both axes cut: n must be a square. */
bool sup_set_is_square(const sup_tile_set *set);
int64_t sup_root_down(int64_t n); /* ⌊√n⌋ */

typedef struct sup_estimate {
    int64_t parts;      /* the answer, or -1 */
    int64_t last_valid; /* the largest valid n that was seen, or the largest below `workers`; 0: none at all */
    double bytes;       /* working set with `parts`, or with last_valid */
} sup_estimate;

sup_estimate sup_estimate_parts(const sup_tile_set *sets, int count, int64_t workers, double tcl_bytes,
                                size_t line_bytes, bool conservative);

#endif
