/* For which processes collective algorithms are chosen (collective/sets.h). */
#include "choose/collective/sets.h"

#include "choose/barrier/barrier.h"

#include <stdlib.h>

static void add_set(int64_t processes, sup_coll_sets *s) {
    int k = s->count, hosts = 1;
    for (int64_t i = 0; i < processes; i++)
        if (s->node[i] >= hosts) hosts = (int)s->node[i] + 1;
    s->hosts[k] = hosts;
    s->mapping[k] = (sup_mapping){.kind = hosts == 1 ? SUP_MAPPING_SEQUENTIAL : SUP_MAPPING_CUSTOM,
                                  .processes = processes,
                                  .size = processes,
                                  .node_of = hosts == 1 ? NULL : s->node,
                                  .nodes = hosts};
    s->processes[s->count++] = processes;
}

sup_status sup_coll_sets_open(const sup_platform *platform, sup_coll_sets *out) {
    int64_t all = platform->processes, hosts = 0;
    int *host = malloc((size_t)all * sizeof *host);
    *out = (sup_coll_sets){.node = malloc((size_t)all * sizeof *out->node)};
    sup_status st = host && out->node ? sup_barrier_hosts(platform, host, &hosts) : SUP_ENOMEM;
    for (int64_t i = 0; i < all && !st; i++) out->node[i] = host[i];
    free(host);
    if (st) {
        sup_coll_sets_free(out);
        return st;
    }
    for (int half = 0; out->count < SUP_COLL_SETS - 1; half++) {
        int64_t n = (half % 2 ? INT64_C(3) : INT64_C(2)) << half / 2;
        if (n >= all) break;
        add_set(n, out);
    }
    add_set(all, out);
    return SUP_OK;
}

void sup_coll_sets_free(sup_coll_sets *sets) {
    free(sets->node);
    *sets = (sup_coll_sets){0};
}

sup_coll_set sup_coll_set_of(const sup_coll_sets *s, int set, int operation) {
    return (sup_coll_set){operation, s->processes[set], s->hosts[set], &s->mapping[set]};
}
