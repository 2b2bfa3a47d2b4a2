/* The model `taulop` of collectives: what channels alone say (collective/alone.c), times what measured collectives of
 * the profile say that is off by (collective/ratio.c). Term Tcomm. */
#include "model/collective/platform.h"

static sup_status cost(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    double seconds, spread;
    sup_status status = sup_collective_alone(c, choice, job, mapping, diag, &seconds);
    if (status) return status;
    double ratio = sup_collective_ratio_of(c, choice, job, sup_mapping_used(mapping), &spread);
    *out = sup_collective_interval(seconds * ratio, spread);
    return SUP_OK;
}

const sup_collective_model sup_collective_taulop = {
    .name = "taulop",
    .summary = "τ-Lop: transfers that share channels; held against measured collectives",
    .cost = cost,
};
