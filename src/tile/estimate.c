/* Algorithm 1 of CACHE §3.1 with both φ, and the supplied distributions as it sees them (term Tcomp, stage run). */
#include "tile/estimate.h"

#include <assert.h>
#include <math.h>

int64_t sup_root_down(int64_t n) {
    int64_t r = n > 0 ? (int64_t)sqrt((double)n) : 0;
    assert(r >= 0);
    if (r > 0 && r > n / r) r--; /* n was rounded */
    if (r + 1 <= n / (r + 1)) r++;
    return r;
}

bool sup_set_is_square(const sup_tile_set *set) {
    return !set->own && set->row_axis != SUP_TILE_WHOLE && set->col_axis != SUP_TILE_WHOLE;
}

static size_t at_least(size_t wanted) { return wanted ? wanted : 1; }

/* Into how many parts each dimension is cut when there are n in all. */
static void cuts(const sup_tile_set *set, int64_t n, double *rows, double *cols) {
    double side = sup_set_is_square(set) ? (double)sup_root_down(n) : (double)n;
    *rows = set->row_axis != SUP_TILE_WHOLE ? side : 1;
    *cols = set->col_axis != SUP_TILE_WHOLE ? side : 1;
}

double sup_set_line_length(const sup_tile_set *set, int64_t n) {
    if (set->own) return set->own->line_length(set->own_context, n);
    int64_t side = sup_set_is_square(set) ? sup_root_down(n) : n;
    bool exact = !sup_set_is_square(set) || side * side == n;
    int64_t next = exact ? side : side + 1; /* what the next valid n would need */
    if (set->row_axis != SUP_TILE_WHOLE && set->rows / (size_t)next < at_least(set->least_rows)) return -1;
    if (set->col_axis != SUP_TILE_WHOLE && set->cols / (size_t)next < at_least(set->least_cols)) return -1;
    if (!exact) return 0;
    double rows, cols;
    cuts(set, n, &rows, &cols);
    return (double)set->cols / cols + 2.0 * (double)set->halo_cols;
}

double sup_set_part_size(const sup_tile_set *set, int64_t n) {
    if (set->own) return set->own->part_size(set->own_context, n);
    double rows, cols;
    cuts(set, n, &rows, &cols);
    return ((double)set->rows / rows + 2.0 * (double)set->halo_rows) *
           ((double)set->cols / cols + 2.0 * (double)set->halo_cols);
}

static size_t element_size(const sup_tile_set *set) {
    return set->own ? set->own->element_size(set->own_context) : set->element;
}

double sup_phi_simple(const sup_tile_set *set, int64_t n) {
    return (double)element_size(set) * floor(sup_set_part_size(set, n) + 0.5);
}

double sup_phi_conservative(const sup_tile_set *set, size_t line_bytes, double line_length, int64_t n) {
    double line = (double)line_bytes, lines = sup_set_part_size(set, n) / line_length;
    return lines * (ceil(line_length * (double)element_size(set) / line) + 1) * line;
}

/* Working set of one task; 0: n is invalid, -1: as is every larger one. */
static double working_set(const sup_tile_set *sets, int count, int64_t n, size_t line_bytes, bool conservative) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double line = sup_set_line_length(&sets[i], n);
        if (line < 0) return -1;
        if (!(line > 0)) return 0;
        sum += conservative ? sup_phi_conservative(&sets[i], line_bytes, line, n) : sup_phi_simple(&sets[i], n);
    }
    return sum > 0 ? sum : 1; /* ranges of indices take no memory, and are valid */
}

/* The smallest square above n where some data set needs a square; else n + 1. Between them every n is invalid. */
static int64_t next_candidate(const sup_tile_set *sets, int count, int64_t n) {
    for (int i = 0; i < count; i++)
        if (sup_set_is_square(&sets[i])) {
            int64_t side = sup_root_down(n) + 1;
            return side * side;
        }
    return n + 1;
}

sup_estimate sup_estimate_parts(const sup_tile_set *sets, int count, int64_t workers, double tcl_bytes,
                                size_t line_bytes, bool conservative) {
    sup_estimate out = {.parts = -1};
    for (int64_t n = workers > 0 ? workers : 1;; n = next_candidate(sets, count, n)) {
        double bytes = working_set(sets, count, n, line_bytes, conservative);
        if (bytes < 0) break;
        if (!(bytes > 0)) continue;
        out.last_valid = n;
        out.bytes = bytes;
        if (bytes <= tcl_bytes) {
            out.parts = n;
            return out;
        }
        if (n > INT64_MAX / 4) break;
    }
    for (int64_t n = workers - 1; n >= 1 && !out.last_valid; n--) {
        double bytes = working_set(sets, count, n, line_bytes, conservative);
        if (bytes > 0) out.last_valid = n, out.bytes = bytes;
    }
    return out;
}

SUP_API int64_t sup_tile_estimate(const sup_tile_set *sets, int count, int workers, size_t tcl_bytes, size_t line_bytes,
                                  bool conservative) {
    if (!sets || count < 1 || workers < 1 || line_bytes < 1) return -1;
    return sup_estimate_parts(sets, count, workers, (double)tcl_bytes, line_bytes, conservative).parts;
}
