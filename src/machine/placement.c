/* Process → host, cpu.
 *
 * compact, scatter and per-cache are one algorithm: interleave the cores round robin over the parts of some domains,
 * outermost first, keeping tree order inside.
 *
 *     compact     no domain          0 1 2 3 | 4 5 6 7   →  0 1 2 3 4 5 6 7
 *     per-cache   one cache level    0 1 2 3 | 4 5 6 7   →  0 4 1 5 2 6 3 7
 *     scatter     every domain       01 23 | 45 67       →  0 4 2 6 1 5 3 7
 */
#include "machine/placement.h"

#include "machine/cpulist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes one core of each part in turn. */
static void deal(const int *cores, const int *ends, int parts, int *out) {
    int n = 0, total = ends[parts - 1];
    for (int round = 0; n < total; round++)
        for (int p = 0; p < parts; p++) {
            int start = p ? ends[p - 1] : 0;
            if (start + round < ends[p]) out[n++] = cores[start + round];
        }
}

static sup_status interleave(const sup_topology *t, const sup_domain *domains, int domain_count, int *cores,
                             int count) {
    if (domain_count == 0 || count < 2) return SUP_OK;
    int *ends = malloc((size_t)count * sizeof *ends), *dealt = malloc((size_t)count * sizeof *dealt), parts = 0;
    sup_status status = ends && dealt ? SUP_OK : SUP_ENOMEM;
    if (!status) status = sup_domain_split(t, domains, cores, count, ends, &parts);
    for (int p = 0; p < parts && !status; p++) {
        int start = p ? ends[p - 1] : 0;
        status = interleave(t, domains + 1, domain_count - 1, cores + start, ends[p] - start);
    }
    if (!status) {
        deal(cores, ends, parts, dealt);
        memcpy(cores, dealt, (size_t)count * sizeof *cores);
    }
    free(dealt);
    free(ends);
    return status;
}

/* Which domains a policy interleaves over. */
static sup_status policy_domains(const sup_topology *t, const sup_policy *policy, sup_diag *diag,
                                 sup_domain domains[SUP_DOMAIN_MAX], int *count) {
    *count = 0;
    if (policy->kind == SUP_PLACE_SCATTER) *count = sup_topology_domains(t, domains);
    if (policy->kind != SUP_PLACE_PER_CACHE) return SUP_OK;
    const sup_level *level =
        policy->depth ? sup_topology_cache(t, policy->depth) : sup_level_first_shared(sup_topology_last_level(t));
    if (!level && policy->depth) {
        char names[64];
        sup_topology_level_names(t, names, sizeof names);
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "per-cache:L%d: no such cache, this machine has %s",
                            policy->depth, names);
    }
    if (level) domains[(*count)++] = (sup_domain){SUP_DOMAIN_CACHE, level, level->group_count};
    return SUP_OK; /* no shared cache: every core has its own, and all orders are per cache */
}

/* Cores in the policy's order to cpus: the first usable thread of every core, then the second, … */
static int spread_threads(const sup_topology *t, const sup_usable *u, const int *cores, int *order) {
    int n = 0;
    for (int thread = 0; n < u->cpu_count; thread++)
        for (int i = 0; i < u->core_count; i++) {
            const sup_core *core = &t->cores[cores[i]];
            int seen = 0;
            for (int k = 0; k < core->cpu_count; k++) {
                if (!sup_usable_cpu(u, core->cpus[k])) continue;
                if (seen++ == thread) order[n++] = core->cpus[k];
            }
        }
    return n;
}

static sup_status order_cores(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                              int *cores) {
    sup_domain domains[SUP_DOMAIN_MAX];
    int domain_count = 0, n = 0;
    sup_status status = policy_domains(t, policy, diag, domains, &domain_count);
    for (int k = t->class_count - 1; k >= 0 && !status; k--) { /* fastest class first */
        int start = n;
        for (int i = 0; i < u->core_count; i++)
            if (t->cores[u->cores[i]].core_class == k) cores[n++] = u->cores[i];
        status = interleave(t, domains, domain_count, cores + start, n - start);
        if (status) sup_diag_set(diag, status, NULL, 0, "out of memory for a placement");
    }
    return status;
}

static sup_status check_list(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag) {
    for (int i = 0; i < policy->count; i++) {
        int cpu = policy->cpus[i];
        if (sup_usable_cpu(u, cpu)) continue;
        char list[200];
        sup_cpulist_format(u->cpus, u->cpu_count, list, sizeof list);
        if (sup_topology_core_of(t, cpu) < 0)
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no such core %d: usable are %s", cpu, list);
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "core %d may not be used here (%s): usable are %s", cpu,
                            u->reason_count ? u->reasons[u->reason_count - 1] : "limited", list);
    }
    return SUP_OK;
}

sup_status sup_placement_order(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                               int **order, int *count) {
    bool list = policy->kind == SUP_PLACE_LIST;
    int n = list ? policy->count : u->cpu_count;
    int *cores = calloc((size_t)u->core_count, sizeof *cores), *cpus = malloc((size_t)n * sizeof *cpus);
    sup_status status = SUP_ENOMEM;
    if (!cores || !cpus) {
        sup_diag_set(diag, status, NULL, 0, "out of memory for a placement");
        goto free_arrays;
    }
    if (list) {
        status = check_list(t, u, policy, diag);
        if (!status) memcpy(cpus, policy->cpus, (size_t)n * sizeof *cpus);
    } else {
        status = order_cores(t, u, policy, diag, cores);
        if (!status) n = spread_threads(t, u, cores, cpus);
    }
    if (!status) {
        *order = cpus;
        *count = n;
        cpus = NULL;
    }
free_arrays:
    free(cpus);
    free(cores);
    return status;
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
    bool pinned = policy->kind != SUP_PLACE_NONE && n > 0;
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
