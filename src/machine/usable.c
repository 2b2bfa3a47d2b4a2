/* What the process may use: the judgement over what limits.c read. A description of another machine has no limits. */
#include "machine/usable.h"

#include "base/text.h"
#include "machine/cpulist.h"
#include "machine/sizes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_reason(sup_usable *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void give_reason(sup_usable *u, const char *format, ...) {
    if (u->reason_count == SUP_USABLE_REASONS) return;
    va_list args;
    va_start(args, format);
    vsnprintf(u->reasons[u->reason_count], sizeof u->reasons[0], format, args);
    va_end(args);
    sup_text_make_plain(u->reasons[u->reason_count++]);
    u->less = true;
}

/* Takes away what is not in list. Returns how many cpus that were; -1 out of memory. */
static int restrict_to(bool *allowed, const sup_topology *t, const int *list, int count) {
    bool *in = calloc((size_t)t->cpu_limit, 1);
    if (!in) return -1;
    int taken = 0;
    for (int i = 0; i < count; i++)
        if (sup_topology_core_of(t, list[i]) >= 0) in[list[i]] = true;
    for (int c = 0; c < t->cpu_limit; c++) {
        taken += allowed[c] && !in[c];
        allowed[c] = allowed[c] && in[c];
    }
    free(in);
    return taken;
}

static sup_status apply_masks(const sup_topology *t, const sup_limits *limits, bool *allowed, sup_usable *u) {
    const struct {
        const char *name;
        const int *list;
        int count;
    } mask[] = {{"the cpuset of the control group", limits->cpuset, limits->cpuset_count},
                {"the affinity mask", limits->affinity, limits->affinity_count}};
    for (int m = 0; m < 2; m++) {
        if (!mask[m].list) continue;
        int taken = restrict_to(allowed, t, mask[m].list, mask[m].count);
        if (taken < 0) return SUP_ENOMEM;
        char text[64];
        if (taken > 0) /* the kernel keeps the mask inside the cpuset: only one of them is the cause */
            give_reason(u, "%s leaves cpu%s %s", mask[m].name, mask[m].count == 1 ? "" : "s",
                        sup_cpulist_format(mask[m].list, mask[m].count, text, sizeof text));
    }
    return SUP_OK;
}

static void apply_quota(const sup_topology *t, const sup_limits *limits, sup_usable *u) {
    u->process_count = u->core_count;
    if (limits->cpu_quota > 0 && limits->cpu_quota < u->cpu_count) {
        u->cpu_quota = limits->cpu_quota;
        int whole = (int)(limits->cpu_quota + 0.1);
        if (whole < 1) whole = 1;
        if (whole < u->process_count) u->process_count = whole;
        give_reason(u, "the cpu quota of the control group is %.4g cpus: %d process%s at full speed", u->cpu_quota,
                    u->process_count, u->process_count == 1 ? "" : "es");
    }
    u->memory_bytes = t->memory_bytes;
    if (limits->memory_bytes > 0 && (!t->memory_bytes || limits->memory_bytes < t->memory_bytes)) {
        char text[32];
        u->memory_bytes = limits->memory_bytes;
        give_reason(u, "the memory limit of the control group is %s",
                    sup_size_text(limits->memory_bytes, text, sizeof text));
    }
}

sup_status sup_usable_make(const sup_topology *t, const sup_limits *limits, sup_diag *diag, sup_usable *out) {
    static const sup_limits none;
    sup_usable u = {0};
    bool *allowed = calloc((size_t)t->cpu_limit, 1);
    u.cpus = malloc((size_t)t->cpu_count * sizeof *u.cpus);
    u.cores = malloc((size_t)t->core_count * sizeof *u.cores);
    sup_status status = SUP_ENOMEM;
    if (!allowed || !u.cpus || !u.cores) goto no_memory;
    for (int c = 0; c < t->cpu_limit; c++) allowed[c] = t->core_of_cpu[c] >= 0;
    if (!limits) limits = &none;
    status = apply_masks(t, limits, allowed, &u);
    if (status) goto no_memory;
    for (int c = 0; c < t->cpu_limit; c++)
        if (allowed[c]) u.cpus[u.cpu_count++] = c;
    for (int c = 0; c < t->core_count; c++) {
        int usable = 0;
        for (int k = 0; k < t->cores[c].cpu_count; k++) usable += allowed[t->cores[c].cpus[k]];
        if (usable) u.cores[u.core_count++] = c;
    }
    if (!u.cpu_count) {
        status = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no cpu of the described machine may be used here: %s",
                              u.reason_count ? u.reasons[u.reason_count - 1] : "it has none");
        goto free_arrays;
    }
    apply_quota(t, limits, &u);
    free(allowed);
    *out = u;
    return SUP_OK;
no_memory:
    sup_diag_set(diag, status, NULL, 0, "out of memory for %d cpus", t->cpu_limit);
free_arrays:
    sup_usable_free(&u);
    free(allowed);
    return status;
}

sup_status sup_usable_read(const sup_topology *t, sup_diag *diag, sup_usable *out) {
    if (!t->this_system) return sup_usable_make(t, NULL, diag, out);
    sup_limits limits;
    sup_status status = sup_limits_read("", &limits);
    if (status) return sup_diag_set(diag, status, NULL, 0, "cannot read the limits of this process");
    status = sup_usable_make(t, &limits, diag, out);
    sup_limits_free(&limits);
    return status;
}

void sup_usable_free(sup_usable *u) {
    if (!u) return;
    free(u->cores);
    free(u->cpus);
    u->cores = u->cpus = NULL;
}

bool sup_usable_cpu(const sup_usable *u, int cpu) {
    int low = 0, high = u->cpu_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (u->cpus[middle] < cpu)
            low = middle + 1;
        else
            high = middle;
    }
    return low < u->cpu_count && u->cpus[low] == cpu;
}
