/* Where processes are, as a result has it: numbers in a row for each (child.h, target.h). Stage "measure". */
#include "measure/launch/target.h"

#include <stdlib.h>

enum { PLACE_NUMBERS = 14, CACHES = 8 };

sup_status sup_places_write(const sup_rank_place *places, int size, int64_t **list, size_t *count) {
    sup_status status = SUP_OK;
    int64_t *all = malloc((size_t)size * PLACE_NUMBERS * sizeof *all);
    if (!all) return SUP_ENOMEM;
    for (int i = 0; i < size; i++) {
        const sup_rank_place *p = &places[i];
        int64_t *at = all + (size_t)i * PLACE_NUMBERS;
        const int first[] = {p->host, p->cpu, p->core, p->numa, p->package, p->kind};
        for (int k = 0; k < PLACE_NUMBERS - CACHES; k++) at[k] = first[k];
        for (int k = 0; k < CACHES; k++) at[PLACE_NUMBERS - CACHES + k] = p->cache[k];
    }
    status = sup_record_set_ints(list, count, all, (size_t)size * PLACE_NUMBERS);
    free(all);
    return status;
}

sup_status sup_places_read(const int64_t *list, size_t count, sup_rank_place **out, int *size) {
    size_t n = count / PLACE_NUMBERS;
    if (!n || count % PLACE_NUMBERS) return SUP_EPARSE;
    sup_rank_place *places = calloc(n, sizeof *places);
    if (!places) return SUP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const int64_t *at = list + i * PLACE_NUMBERS;
        places[i] = (sup_rank_place){(int)at[0], (int)at[1], (int)at[2], (int)at[3], (int)at[4], {0}, (int)at[5]};
        for (int k = 0; k < CACHES; k++) places[i].cache[k] = (int)at[PLACE_NUMBERS - CACHES + k];
        if (places[i].host < 0 || (size_t)places[i].host >= n) places[i].host = 0;
    }
    *out = places;
    *size = (int)n;
    return SUP_OK;
}
