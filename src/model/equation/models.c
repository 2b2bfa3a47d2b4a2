/* The table of models (models.h). The first is the default: `flow` prices what our runtime really does, from the same
 * measurements as the others. */
#include "model/equation/models.h"

#include <string.h>

extern const sup_model sup_model_flow, sup_model_pair, sup_model_taulop, sup_model_meyer, sup_model_hockney,
    sup_model_loggp, sup_model_lognp, sup_model_bsp;

const sup_model *const sup_models[] = {&sup_model_flow,  &sup_model_pair,    &sup_model_taulop,
                                       &sup_model_meyer, &sup_model_hockney, &sup_model_loggp,
                                       &sup_model_lognp, &sup_model_bsp,     NULL};

const sup_model *sup_model_find(const char *name) {
    for (size_t i = 0; sup_models[i]; i++)
        if (!strcmp(sup_models[i]->name, name)) return sup_models[i];
    return NULL;
}
