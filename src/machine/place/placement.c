/* Process → host, cpu. In which order the cpus of a host are used is the policy's kind (place/NAME.c). */
#include "machine/place/placement_kind.h"

#include <stdlib.h>

sup_status sup_placement_order(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                               int **order, int *count) {
    return policy->kind->order(t, u, policy, diag, order, count);
}

/* Two processes on one cpu, or on one core, among the first `most` of the order? Every host uses a prefix of the same
 * order, so the longest prefix decides for all. */
static sup_status find_sharing(const sup_topology *t, const int *order, int n, int most, sup_placement *out) {
    bool *cpu_busy = calloc((size_t)t->cpu_limit, 1), *core_busy = calloc((size_t)t->core_count, 1);
    sup_status status = SUP_ENOMEM;
    if (!cpu_busy || !core_busy) goto free_arrays;
    for (int k = 0; k < n && k < most; k++) {
        int cpu = order[k], core = t->core_of_cpu[cpu];
        if (cpu_busy[cpu]) out->oversubscribed = true; /* a list may name a core twice */
        if (core_busy[core]) out->shares_cores = true;
        cpu_busy[cpu] = core_busy[core] = true;
    }
    status = SUP_OK;
free_arrays:
    free(core_busy);
    free(cpu_busy);
    return status;
}

/* Fills in the cpus, host by host: the k-th process of a host takes the k-th cpu of the order. */
static sup_status take_cpus(const sup_topology *t, const sup_usable *u, const sup_policy *policy, int host_count,
                            const int *order, int n, sup_placement *out) {
    int *next = calloc((size_t)host_count, sizeof *next), most = 0;
    if (!next) return SUP_ENOMEM;
    bool pinned = !policy->kind->unpinned && n > 0;
    for (int i = 0; i < out->count; i++) {
        int k = next[out->at[i].host]++;
        out->at[i].cpu = pinned ? order[k % n] : -1;
        if (k >= most) most = k + 1;
    }
    free(next);
    if (most > n || (u->cpu_quota > 0 && most > u->process_count)) out->oversubscribed = true;
    if (most > n || (!pinned && most > u->core_count)) out->shares_cores = true;
    return pinned ? find_sharing(t, order, n, most, out) : SUP_OK;
}

sup_status sup_placement_make(const sup_topology *t, const sup_usable *u, const sup_hosts *hosts,
                              const sup_policy *policy, int processes, sup_diag *diag, sup_placement *out) {
    if (processes < 1)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "cannot place %d processes: at least 1 is needed", processes);
    sup_placement placement = {.count = processes};
    int *order = NULL, *host_of = NULL, n = 0, host_count = hosts ? hosts->count : 1;
    sup_status status = sup_placement_order(t, u, policy, diag, &order, &n);
    if (status) return status;
    placement.at = calloc((size_t)processes, sizeof *placement.at);
    host_of = calloc((size_t)processes, sizeof *host_of);
    status = placement.at && host_of ? SUP_OK : SUP_ENOMEM;
    if (!status && hosts)
        status = sup_hosts_assign(hosts, processes, policy->cyclic, host_of, &placement.oversubscribed);
    for (int i = 0; i < processes && !status; i++) placement.at[i].host = host_of[i];
    if (!status) status = take_cpus(t, u, policy, host_count, order, n, &placement);
    if (status) {
        sup_diag_set(diag, status, NULL, 0, "out of memory for a placement of %d processes", processes);
        sup_placement_free(&placement);
    } else {
        *out = placement;
    }
    free(host_of);
    free(order);
    return status;
}

void sup_placement_free(sup_placement *placement) {
    if (!placement) return;
    free(placement->at);
    placement->at = NULL;
    placement->count = 0;
}
