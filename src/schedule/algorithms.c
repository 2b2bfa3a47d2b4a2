/* The table of collective algorithms, by operation. */
#include "schedule/schedule.h"

#include <string.h>

const sup_algorithm *const sup_algorithms[] = {NULL};

const sup_algorithm *sup_algorithm_find(int operation, const char *name) {
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++)
        if ((*a)->operation == operation && !strcmp((*a)->name, name)) return *a;
    return NULL;
}

bool sup_algorithm_fits(const sup_algorithm *algorithm, const sup_job *job) {
    return !algorithm->fits || algorithm->fits(job);
}
