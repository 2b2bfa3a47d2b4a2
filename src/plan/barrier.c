/* The barrier of a plan as a pattern: Tsync, the joint between choosing and running (BSP ch. 5 and 7). */
#include "plan/defaults.h"

#include <stdlib.h>
#include <string.h>

static sup_status from_levels(const sup_plan_barrier *b, sup_pattern *out) {
    sup_pattern_level *levels = calloc(b->levels_count + 1, sizeof *levels);
    if (!levels) return SUP_ENOMEM;
    sup_status st = SUP_OK;
    for (size_t l = 0; l < b->levels_count; l++) {
        levels[l] = (sup_pattern_level){.size = b->levels[l].size, .stride = b->levels[l].stride};
        if (!sup_pattern_kind_read(b->levels[l].algorithm, &levels[l].kind)) st = SUP_EINVAL;
    }
    if (!st) st = sup_pattern_from_levels(b->processes, levels, b->levels_count, out);
    free(levels);
    return st;
}

static sup_status from_stages(const sup_plan_barrier *b, sup_pattern *out) {
    size_t count = 0, n = 0;
    for (size_t s = 0; s < b->stages_count; s++) count += b->stages[s].signals_count / 2;
    sup_pattern_edge *edges = calloc(count + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (size_t s = 0; s < b->stages_count; s++)
        for (size_t k = 0; k + 1 < b->stages[s].signals_count; k += 2)
            edges[n++] = (sup_pattern_edge){.from = b->stages[s].signals[k],
                                            .to = b->stages[s].signals[k + 1],
                                            .stage = (int)s,
                                            .common = b->stages[s].common};
    return sup_pattern_from_edges(b->processes, (int)b->stages_count, edges, count, out);
}

sup_status sup_plan_barrier_pattern(const sup_plan_barrier *b, sup_pattern *out) {
    if (!strcmp(b->algorithm, SUP_PLAN_LEVELS)) return from_levels(b, out);
    if (!strcmp(b->algorithm, SUP_PLAN_STAGES)) return from_stages(b, out);
    sup_pattern_kind kind;
    if (!sup_pattern_kind_read(b->algorithm, &kind)) return SUP_EINVAL;
    *out = sup_pattern_of(kind, b->processes);
    return SUP_OK;
}

/* ---- which one ---- */

/* Hosts of a row are runs; members that it does not name are on host 0. */
static bool same_hosts(const sup_plan_barrier *b, const sup_plan_set *set) {
    int64_t member = 0;
    for (size_t r = 0; r + 1 < b->hosts_count; r += 2)
        for (int64_t k = 0; k < b->hosts[r] && member < set->processes; k++, member++)
            if ((set->host_of ? set->host_of[member] : 0) != b->hosts[r + 1]) return false;
    for (; member < set->processes; member++)
        if (b->hosts_count && set->host_of && set->host_of[member] != 0) return false;
    return true;
}

static bool fits(const sup_plan_barrier *b, const sup_plan_set *set) {
    if (b->processes != set->processes) return false;
    if (b->transport && set->transport && strcmp(b->transport, set->transport) != 0) return false;
    return same_hosts(b, set);
}

static const sup_plan_barrier *find(const sup_plan *plan, const sup_plan_set *set) {
    if (!plan) return NULL;
    if (plan->barrier && fits(plan->barrier, set)) return plan->barrier;
    for (size_t i = 0; i < plan->barriers_count; i++)
        if (fits(&plan->barriers[i], set)) return &plan->barriers[i];
    return NULL;
}

bool sup_plan_has_barrier(const sup_plan *plan, const sup_plan_set *set) { return find(plan, set) != NULL; }

/* ---- the usual one over several hosts ----
 *
 * Memory is shared inside a host and not between, so that members meet on their host, one of each host meets the
 * others, and each host is released by one word:
 *
 *     hosts {0 1 2} {3 4} {5}:   1→0 2→0 4→3 │ 0→3 3→5 5→0 │ 0→5 3→0 5→3 │ 0→1 0→2 3→4 (common)
 */

typedef struct hosts_found {
    int64_t *first_on; /* [host]: its first member; −1 */
    int64_t *firsts;   /* the first members, ascending */
    int64_t count;
} hosts_found;

/* SUP_EINVAL: a host that is none of 0 … processes − 1. */
static sup_status find_hosts(const sup_plan_set *set, hosts_found *out) {
    *out = (hosts_found){.first_on = malloc((size_t)set->processes * sizeof *out->first_on),
                         .firsts = malloc((size_t)set->processes * sizeof *out->firsts)};
    if (!out->first_on || !out->firsts) return SUP_ENOMEM;
    for (int64_t h = 0; h < set->processes; h++) out->first_on[h] = -1;
    for (int64_t i = 0; i < set->processes; i++) {
        int host = set->host_of[i];
        if (host < 0 || host >= set->processes) return SUP_EINVAL;
        if (out->first_on[host] >= 0) continue;
        out->first_on[host] = i;
        out->firsts[out->count++] = i;
    }
    return SUP_OK;
}

/* Everyone to the first of its host, or back. Returns how many edges there are. */
static size_t inside_hosts(const sup_plan_set *set, const hosts_found *hosts, int stage, bool back,
                           sup_pattern_edge *out) {
    size_t n = 0;
    for (int64_t i = 0; i < set->processes; i++) {
        int64_t first = hosts->first_on[set->host_of[i]];
        if (i == first) continue;
        out[n++] = (sup_pattern_edge){.from = back ? first : i, .to = back ? i : first, .stage = stage, .common = back};
    }
    return n;
}

/* How the first of each host meet: the fewest ways over the network one after the other, and of those the fewest
 * messages. Three or four hosts take two ways either way, and by one of them 2 (n − 1) messages instead of 2 n. */
static const sup_generator *between_hosts(int64_t count) {
    return count == 3 || count == 4 ? &sup_generator_linear : &sup_generator_dissemination;
}

static sup_status over_hosts(const sup_plan_set *set, const hosts_found *hosts, sup_pattern *out) {
    sup_pattern top = sup_pattern_make(between_hosts(hosts->count), hosts->count);
    size_t inside = (size_t)(set->processes - hosts->count), n = 0;
    size_t count = 2 * inside + (size_t)top.stages * (size_t)hosts->count;
    sup_pattern_edge *edges = calloc(count + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    int stage = inside > 0;
    n += inside_hosts(set, hosts, 0, false, edges);
    for (int s = 0; s < top.stages; s++, stage++) {
        sup_pattern_edge *e = edges + n, *end = e + sup_pattern_stage(&top, s, e);
        for (; e < end; e++)
            *e = (sup_pattern_edge){.from = hosts->firsts[e->from], .to = hosts->firsts[e->to], .stage = stage};
        n = (size_t)(end - edges);
    }
    n += inside_hosts(set, hosts, stage, true, edges + n);
    return sup_pattern_from_edges(set->processes, stage + (inside > 0), edges, n, out);
}

sup_status sup_plan_find_barrier(const sup_plan *plan, const sup_plan_set *set, sup_pattern *out) {
    const sup_plan_barrier *own = find(plan, set);
    if (own) return sup_plan_barrier_pattern(own, out);
    hosts_found hosts = {0};
    if (set->host_of) {
        sup_status st = find_hosts(set, &hosts);
        if (!st && hosts.count > 1) st = over_hosts(set, &hosts, out);
        free(hosts.firsts);
        free(hosts.first_on);
        if (st || hosts.count > 1) return st;
    }
    sup_plan_barrier usual = *sup_plan_defaults.barrier;
    usual.processes = set->processes;
    return sup_plan_barrier_pattern(&usual, out);
}
