/* How runs differ from calm time, as a profile has it: its sections "noise" and "interruptions". Stage "measure", all
 * terms; model/equation/noise.h has what follows from them. */
#ifndef SUP_MEASURE_NOISE_NOISE_H
#define SUP_MEASURE_NOISE_NOISE_H

#include "measure/store/store.h"
#include "profile/profile.h"

/* From all points of these stores, each of a transport (NULL: rates): a term's medians of typical/calm and bad/calm,
 * stores of the same transport together. Replaces the section. Points of fewer than SUP_NOISE_BATCHES batches say
 * nothing about it. SUP_ENOMEM. */
enum { SUP_NOISE_BATCHES = 5 };
sup_status sup_noise_fill(const sup_store *const *stores, const char *const *transports, size_t count,
                          sup_profile *profile);

#endif
