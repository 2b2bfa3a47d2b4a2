/* Pinning: the second half of a placement, where a process goes to its core. */
#include "machine/place/pin.h"

#include "machine/cpulist.h"
#include "machine/topology/topology.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static sup_status explain(int error, const int *cpus, int count, sup_diag *diag) {
    char list[64];
    sup_cpulist_format(cpus, count, list, sizeof list);
    switch (error) {
    case 0: return SUP_OK;
    case EPERM: return sup_diag_set(diag, SUP_EPERM, NULL, 0, "pinning to cpu %s is not permitted", list);
    case EINVAL:
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "cannot pin to cpu %s: it does not exist or may not be used here", list);
    case ENOMEM: return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "cannot pin to cpu %s: out of memory", list);
    case ENOSYS: return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "this kernel cannot pin");
    default: return sup_diag_set(diag, SUP_EIO, NULL, 0, "cannot pin to cpu %s: %s", list, strerror(error));
    }
}

static int mask_of(const int *cpus, int count, cpu_set_t **set, size_t *bytes) {
    int limit = 0;
    for (int i = 0; i < count; i++) {
        if (cpus[i] < 0 || cpus[i] > SUP_CPU_MAX) return EINVAL;
        if (cpus[i] >= limit) limit = cpus[i] + 1;
    }
    if (!limit) return EINVAL;
    *set = CPU_ALLOC((size_t)limit);
    if (!*set) return ENOMEM;
    *bytes = CPU_ALLOC_SIZE((size_t)limit);
    CPU_ZERO_S(*bytes, *set);
    for (int i = 0; i < count; i++) CPU_SET_S((size_t)cpus[i], *bytes, *set);
    return 0;
}

sup_status sup_pin_self_to(const int *cpus, int count, sup_diag *diag) {
    cpu_set_t *set = NULL;
    size_t bytes = 0;
    int error = mask_of(cpus, count, &set, &bytes);
    if (!error && sched_setaffinity(0, bytes, set)) error = errno;
    if (set) CPU_FREE(set);
    errno = error;
    return explain(error, cpus, count, diag);
}

sup_status sup_pin_self(int cpu, sup_diag *diag) { return sup_pin_self_to(&cpu, 1, diag); }
