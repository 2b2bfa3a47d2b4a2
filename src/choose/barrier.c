/* Candidates for a barrier, and the one to take (barrier.h). Stage choose, term Tsync. */
#include "choose/barrier.h"
#include "choose/barrier_work.h"
#include "plan/defaults.h"

#include <math.h>
#include <stdlib.h>

/* Signals that may be priced; about a second's worth. Sets of some of the processes are many: less for each. */
#define ROOM_ALL 1e7
#define ROOM_SOME 1e6

enum { NESTS_MAX = 8, CLUSTERED_MAX = 4096 };

typedef struct work {
    sup_candidates list;
    sup_party party;
    sup_nest hosts, nests[NESTS_MAX]; /* those that are searched */
    size_t count;
    sup_diag *diag;
} work;

/* ---- clusters ---- */

/* By cost and by topology, where the profile says so; matrices of many more processes are out of reach. */
static sup_status add_hierarchies(work *w) {
    static sup_status (*const sources[])(const sup_platform *, sup_diag *, sup_hierarchy *) = {
        by_cost, sup_hierarchy_of_topology};
    if (w->party.platform->processes > CLUSTERED_MAX || !w->party.platform->pairs) return SUP_OK;
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        sup_hierarchy h;
        sup_diag ignored = {0};
        sup_status st = sources[k](w->party.platform, &ignored, &h);
        if (st == SUP_ENOMEM) return st;
        if (st) continue;
        st = sup_nest_hierarchy(&w->party, &h, &w->nests[w->count]);
        sup_hierarchy_free(&h);
        if (st) return st;
        w->count++;
    }
    return SUP_OK;
}
