/* Which barriers a profile has (sync.h). Stage "measure", Tsync. */
#include "measure/sync.h"

enum { STAGES_MOST = 16 }; /* those with more stages are never chosen: their time says nothing about others */

static const int radices[] = {2, 3, 4, 8};

static void add(sup_pattern_kind kind, int64_t processes, sup_pattern_kind *out, size_t *count) {
    for (size_t i = 0; i < *count; i++)
        if (out[i].generator == kind.generator && out[i].radix == kind.radix) return;
    if (*count < SUP_SYNC_KINDS_MOST && sup_pattern_of(kind, processes).stages <= STAGES_MOST) out[(*count)++] = kind;
}

size_t sup_sync_kinds(int64_t processes, sup_pattern_kind *out) {
    size_t count = 0;
    for (size_t g = 0; sup_generators[g]; g++) {
        const sup_generator *generator = sup_generators[g];
        if (!generator->barrier) continue;
        add((sup_pattern_kind){generator, generator->radix}, processes, out, &count);
        for (size_t r = 0; generator->radix && r < sizeof radices / sizeof *radices; r++)
            if (radices[r] <= generator->radix_most && radices[r] <= processes)
                add((sup_pattern_kind){generator, radices[r]}, processes, out, &count);
    }
    return count;
}
