/* Barriers that are measured without a profile (barrier_kinds.h): the same that measurements put into one. */
#include "cli/barrier_kinds.h"

#include "measure/sync.h"

_Static_assert((int)SUP_BARRIER_KINDS >= (int)SUP_SYNC_KINDS_MOST, "room for all of them");

size_t sup_barrier_kinds(int64_t processes, sup_pattern_kind out[SUP_BARRIER_KINDS]) {
    return sup_sync_kinds(processes, out);
}
