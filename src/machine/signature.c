/* What a signature says of a placement and a machine, in words (signature.h). The digest is in digest.c. */
#include "machine/signature.h"

#include "machine/cpulist.h"
#include "machine/place/placement_kind.h"
#include "machine/sizes.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows in a fixed buffer; `full` once something did not fit. */
struct writer {
    char *buf;
    size_t used, size;
    bool full;
};

static void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->buf + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= w->size - w->used) {
        w->full = true;
        w->used = w->size - 1;
    } else {
        w->used += (size_t)n;
    }
}

/* ---- the placement ------------------------------------------------------------------------------------------------
 */

/* Position of each cpu along the tree. */
static int *logical_cpus(const sup_topology *t) {
    int *logical = malloc((size_t)t->cpu_limit * sizeof *logical), n = 0;
    for (int c = 0; logical && c < t->core_count; c++)
        for (int k = 0; k < t->cores[c].cpu_count; k++) logical[t->cores[c].cpus[k]] = n++;
    return logical;
}

/* Every host uses a prefix of one order of cpus, so a host is known by how many processes it has; runs of hosts with
 * the same number are written once. */
static void describe_hosts(const int *order, const int *counts, int hosts, struct writer *w) {
    for (int h = 0; h < hosts && !w->full;) {
        int same = 1;
        char text[SUP_PLACEMENT_TEXT];
        while (h + same < hosts && counts[h + same] == counts[h]) same++;
        sup_cpulist_format(order, counts[h], text, sizeof text);
        if (strstr(text, "…")) w->full = true;
        if (hosts == 1)
            put(w, " %s", text);
        else
            put(w, "%s%dx(%s)", h ? "+" : " ", same, text);
        h += same;
    }
}

static sup_hash hash_places(const sup_placement *placement, const int *logical) {
    sup_hash h = sup_hash_start();
    for (int i = 0; i < placement->count; i++) {
        int cpu = placement->at[i].cpu;
        h = sup_hash_number(h, (unsigned)placement->at[i].host);
        h = sup_hash_number(h, cpu < 0 ? UINT32_MAX : (unsigned)logical[cpu]);
    }
    return h;
}

/* Do policy and number of processes per host say it all? Not where hosts took processes in several rounds because the
 * slots ran out. */
static bool regular(const sup_placement *placement, const int *counts, int hosts, bool cyclic, int *taken, int *next) {
    for (int h = 0; h < hosts; h++) next[h] = (h + 1) % hosts;
    for (int i = 0, h = 0, before = hosts - 1; i < placement->count; i++) {
        while (taken[h] == counts[h]) h = next[before] = next[h]; /* a host that is full is passed once */
        if (placement->at[i].host != h) return false;
        taken[h]++;
        if (!cyclic) continue;
        before = h;
        h = next[h];
    }
    return true;
}

sup_status sup_placement_describe(const sup_topology *t, const sup_policy *policy, const sup_placement *placement,
                                  char out[SUP_PLACEMENT_TEXT]) {
    int hosts = 1, longest = 0;
    for (int i = 0; i < placement->count; i++)
        if (placement->at[i].host >= hosts) hosts = placement->at[i].host + 1;
    int *logical = logical_cpus(t), *counts = calloc((size_t)hosts, sizeof *counts);
    int *order = malloc((size_t)placement->count * sizeof *order), *taken = calloc((size_t)hosts, sizeof *taken);
    int *next = malloc((size_t)hosts * sizeof *next);
    sup_status status = logical && counts && order && taken && next ? SUP_OK : SUP_ENOMEM;
    char name[64];
    struct writer w = {.buf = out, .size = SUP_PLACEMENT_TEXT};
    if (status) goto free_arrays;
    sup_policy_signature(policy, name, sizeof name);
    for (int i = 0; i < placement->count; i++) {
        int k = counts[placement->at[i].host]++;
        if (k < longest) continue;
        order[longest++] = placement->at[i].cpu < 0 ? 0 : logical[placement->at[i].cpu];
    }
    put(&w, "%s", name);
    if (!policy->kind->unpinned)
        describe_hosts(order, counts, hosts, &w);
    else if (hosts > 1)
        put(&w, " %d hosts", hosts);
    if (!status && (w.full || !regular(placement, counts, hosts, policy->cyclic, taken, next))) {
        char text[SUP_HASH_TEXT];
        sup_hash_format(hash_places(placement, logical), text);
        snprintf(out, SUP_PLACEMENT_TEXT, "%s #%s", name, text);
    }
free_arrays:
    free(next);
    free(taken);
    free(order);
    free(counts);
    free(logical);
    return status;
}

/* ---- the machine --------------------------------------------------------------------------------------------------
 */

char *sup_topology_text(const sup_topology *t, char *buf, size_t size) {
    struct writer w = {.buf = buf, .size = size};
    put(&w, "%d core%s", t->core_count, t->core_count == 1 ? "" : "s");
    if (t->cpu_count != t->core_count) put(&w, ", %d threads", t->cpu_count);
    if (t->package_count > 1) put(&w, ", %d packages", t->package_count);
    if (t->numa_count > 1) put(&w, ", %d memory nodes", t->numa_count);
    for (const sup_level *c = t->levels; c; c = c->child) {
        char bytes[32];
        bool several = c->group_count > 1 && c->sharing > 1;
        put(&w, ", ");
        if (several) put(&w, "%d x ", c->group_count);
        put(&w, "L%d %s", c->depth, sup_size_text(c->size_bytes, bytes, sizeof bytes));
        if (several) put(&w, " (%d cores each)", c->sharing);
    }
    if (t->cpu_model[0]) put(&w, " (%s)", t->cpu_model);
    return buf;
}
