/* sup_tile_open of <superstep/tile.h>: the runtime (src/tile), which calls no model, with first guesses from
 * src/choose, which runs nothing. */
#include "choose/tile.h"
#include "tile/tile.h"

static sup_status guess(const void *profile, const sup_tile_problem *problem, sup_plan_tile *out) {
    return sup_tile_first_guess(problem, profile, out);
}

static void free_profile(void *profile) { sup_profile_free(profile); }

/* Refused as a plan is where it is of another machine; but it must exist. */
static sup_status load_profile(const char *path, const sup_tile *tile, sup_diag *diag, sup_profile **out) {
    sup_origin here;
    sup_status status = sup_profile_read(path, false, diag, out);
    if (status) return status;
    status = sup_tile_origin(tile, diag, &here);
    if (!status) status = sup_origin_match(&(*out)->signature, &here, SUP_SIGNATURE_ANY_RUN, diag);
    sup_record_clear(&sup_origin_record, &here);
    if (status) sup_profile_free(*out);
    return status;
}

SUP_API sup_status sup_tile_open(const sup_tile_options *options, sup_diag *diag, sup_tile **out) {
    const sup_tile_options none = {0};
    sup_profile *profile = NULL;
    sup_tile *tile;
    if (!options) options = &none;
    if (!out) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no place for the result");
    sup_status status = sup_tile_start(options, diag, &tile);
    if (status) return status;
    if (options->profile_file) status = load_profile(options->profile_file, tile, diag, &profile);
    if (status) {
        sup_tile_close(tile);
        return status;
    }
    tile->guesser = (sup_tile_guesser){guess, profile, free_profile};
    *out = tile;
    return SUP_OK;
}
