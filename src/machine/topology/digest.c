/* Topology digest: a hash of a tree in which every node is hashed from its kind, its attributes and the sorted hashes
 * of its children, so that neither the order in which firmware lists things nor cpu numbers matter. */
#include "machine/signature.h"

#include <stdlib.h>
#include <string.h>

static int compare_hash(const void *a, const void *b) {
    sup_hash x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static sup_hash hash_core(const sup_topology *t, int core) {
    sup_hash h = sup_hash_string(sup_hash_start(), "core");
    h = sup_hash_number(h, (unsigned)t->cores[core].cpu_count);
    return sup_hash_number(h, (unsigned)t->cores[core].core_class);
}

static sup_hash hash_sorted(sup_hash h, sup_hash *children, int count) {
    qsort(children, (size_t)count, sizeof *children, compare_hash);
    for (int i = 0; i < count; i++) {
        char text[SUP_HASH_TEXT];
        sup_hash_format(children[i], text);
        h = sup_hash_string(h, text);
    }
    return h;
}

/* The part of `domain` that core is in. */
static sup_hash hash_attributes(const sup_domain *domain, int core) {
    sup_hash h = sup_hash_start();
    if (domain->kind == SUP_DOMAIN_PACKAGE) return sup_hash_string(h, "package");
    if (domain->kind == SUP_DOMAIN_NUMA) return sup_hash_string(h, "numa");
    const sup_group *group = sup_level_group(domain->level, core);
    h = sup_hash_string(h, group ? domain->level->name : "none");
    h = sup_hash_number(h, group ? group->size_bytes : 0);
    return sup_hash_number(h, group ? domain->level->line_bytes : 0);
}

static sup_status hash_tree(const sup_topology *t, const sup_domain *domains, int domain_count, int *cores, int count,
                            sup_hash start, sup_hash *out) {
    size_t n = (size_t)count;
    sup_hash *children = malloc(n * sizeof *children);
    int *ends = malloc(n * sizeof *ends), parts = count;
    sup_status status = children && ends ? SUP_OK : SUP_ENOMEM;
    if (!status && domain_count == 0) {
        for (int i = 0; i < count; i++) children[i] = hash_core(t, cores[i]);
    } else if (!status) {
        status = sup_domain_split(t, domains, cores, count, ends, &parts);
        for (int p = 0; p < parts && !status; p++) {
            int first = p ? ends[p - 1] : 0;
            status = hash_tree(t, domains + 1, domain_count - 1, cores + first, ends[p] - first,
                               hash_attributes(domains, cores[first]), &children[p]);
        }
    }
    if (!status) *out = hash_sorted(start, children, parts);
    free(ends);
    free(children);
    return status;
}

sup_status sup_topology_digest(const sup_topology *t, char out[SUP_HASH_TEXT]) {
    sup_domain domains[SUP_DOMAIN_MAX];
    int domain_count = sup_topology_domains(t, domains);
    int *cores = malloc((size_t)t->core_count * sizeof *cores);
    if (!cores) return SUP_ENOMEM;
    for (int c = 0; c < t->core_count; c++) cores[c] = c;
    sup_hash h;
    sup_status status = hash_tree(t, domains, domain_count, cores, t->core_count,
                                  sup_hash_string(sup_hash_start(), "superstep topology 1"), &h);
    free(cores);
    if (!status) sup_hash_format(h, out);
    return status;
}
