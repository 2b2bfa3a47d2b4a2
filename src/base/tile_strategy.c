/* The table of strategies of data-parallel operations, for all stages (term Tcomp). */
#include "base/tile_strategy.h"

#include <string.h>

#define ROW(value, name, parts, in_table, in_figure) [value] = {value, #name, parts, in_table, in_figure},
static const sup_tile_trait traits[] = {[SUP_TILE_AUTO] = {SUP_TILE_AUTO, "auto", SUP_TILE_NO_PARTS, "", "auto"},
                                        SUP_TILE_STRATEGIES(ROW)};
#undef ROW
enum { COUNT = sizeof traits / sizeof *traits };

const sup_tile_trait *sup_tile_trait_at(int strategy) {
    return strategy >= 0 && strategy < COUNT ? &traits[strategy] : NULL;
}

const sup_tile_trait *sup_tile_trait_find(const char *name) {
    int i = COUNT - 1;
    while (i > 0 && strcmp(traits[i].name, name) != 0) i--;
    return &traits[i];
}

const sup_tile_trait *sup_tile_trait_next(sup_tile_parts parts, const sup_tile_trait *last) {
    for (int i = last ? (int)last->strategy + 1 : 0; i < COUNT; i++)
        if (traits[i].parts == parts) return &traits[i];
    return NULL;
}

bool sup_tile_is_banded(const sup_tile_trait *t) {
    return t->parts == SUP_TILE_BANDS || t->parts == SUP_TILE_SHARED_BANDS;
}
