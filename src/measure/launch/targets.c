/* The table of targets (target.h). */
#include "measure/launch/target.h"

#include <string.h>

const sup_target_kind *const sup_targets[] = {&sup_target_rates, &sup_target_net, &sup_target_cases, &sup_target_duel,
                                              NULL};

const sup_target_kind *sup_target_find(const char *name) {
    for (int i = 0; sup_targets[i]; i++)
        if (!strcmp(sup_targets[i]->name, name)) return sup_targets[i];
    return NULL;
}
