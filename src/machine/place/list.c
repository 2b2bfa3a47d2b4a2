/* Placement by a list of cpus such as 0,2,4-7: these, in this order. */
#include "machine/cpulist.h"
#include "machine/place/placement_kind.h"

#include <stdlib.h>
#include <string.h>

static bool is_list(const char *text, size_t n) { return n > 0 && text[0] >= '0' && text[0] <= '9'; }

static sup_status parse_list(const char *text, size_t n, sup_diag *diag, sup_policy *out) {
    char *copy = strndup(text, n);
    if (!copy) return sup_diag_no_memory(diag);
    sup_status status = sup_cpulist_parse(copy, diag, &out->cpus, &out->count);
    free(copy);
    return status;
}

static void format(const sup_policy *policy, char *buf, size_t size) {
    sup_cpulist_format(policy->cpus, policy->count, buf, size);
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

static sup_status order_listed(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                               int **order, int *count) {
    sup_status status = check_list(t, u, policy, diag);
    if (status) return status;
    int *cpus = malloc((size_t)policy->count * sizeof *cpus);
    if (!cpus) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for a placement");
    memcpy(cpus, policy->cpus, (size_t)policy->count * sizeof *cpus);
    *order = cpus;
    *count = policy->count;
    return SUP_OK;
}

const sup_placement_kind sup_place_list = {.name = "list",
                                           .written = "lists of cores such as 0,2,4-7",
                                           .names_cpus = true,
                                           .is_written = is_list,
                                           .parse = parse_list,
                                           .format = format,
                                           .order = order_listed};
