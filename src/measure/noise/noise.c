/* The section "noise" of a profile, from what visits found (noise.h). */
#include "measure/noise/noise.h"

#include "measure/noise/tally.h"

static sup_status add_point(sup_noise_tally **tally, const sup_store *store, const sup_point *point,
                            const char *transport) {
    char term = sup_trial_kinds[point->trial.kind].term;
    sup_status status = SUP_OK;
    if (!term || !sup_point_known(point)) return SUP_OK;
    for (int v = 0; v < point->values && !status; v++) {
        sup_timing t;
        sup_store_say_times(store, point, v, &t);
        if (!t.status && t.n >= SUP_NOISE_BATCHES)
            status = sup_noise_tally_add(tally, term, transport, t.seconds, t.typical, t.bad);
    }
    return status;
}

sup_status sup_noise_fill(const sup_store *const *stores, const char *const *transports, size_t count,
                          sup_profile *profile) {
    sup_noise_tally *tally = NULL;
    sup_status status = SUP_OK;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sup_store_count(stores[s]) && !status; i++)
            status = add_point(&tally, stores[s], sup_store_at(stores[s], i), transports[s]);
    if (!status) status = sup_noise_tally_fill(tally, profile);
    sup_noise_tally_free(tally);
    return status;
}
