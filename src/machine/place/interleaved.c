/* The order of cores that several kinds of placement share: round robin over the parts of some domains, outermost
 * first, keeping tree order inside.
 *
 *     compact     no domain          0 1 2 3 | 4 5 6 7   →  0 1 2 3 4 5 6 7
 *     per-cache   one cache level    0 1 2 3 | 4 5 6 7   →  0 4 1 5 2 6 3 7
 *     scatter     every domain       01 23 | 45 67       →  0 4 2 6 1 5 3 7
 */
#include "machine/place/placement_kind.h"

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

/* Cores in their order to cpus: the first usable thread of every core, then the second, … */
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

/* Classes of cores one after the other, the fastest first. */
static sup_status order_cores(const sup_topology *t, const sup_usable *u, const sup_domain *domains, int domain_count,
                              int *cores) {
    sup_status status = SUP_OK;
    for (int k = t->class_count - 1, n = 0; k >= 0 && !status; k--) {
        int start = n;
        for (int i = 0; i < u->core_count; i++)
            if (t->cores[u->cores[i]].core_class == k) cores[n++] = u->cores[i];
        status = interleave(t, domains, domain_count, cores + start, n - start);
    }
    return status;
}

sup_status sup_place_interleaved(const sup_topology *t, const sup_usable *u, const sup_domain *domains,
                                 int domain_count, sup_diag *diag, int **order, int *count) {
    int *cores = calloc((size_t)u->core_count, sizeof *cores), *cpus = malloc((size_t)u->cpu_count * sizeof *cpus);
    sup_status status = cores && cpus ? order_cores(t, u, domains, domain_count, cores) : SUP_ENOMEM;
    if (status) {
        sup_diag_set(diag, status, NULL, 0, "out of memory for a placement");
        free(cpus);
    } else {
        *count = spread_threads(t, u, cores, cpus);
        *order = cpus;
    }
    free(cores);
    return status;
}
