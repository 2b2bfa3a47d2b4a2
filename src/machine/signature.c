/* Machine signature: made from a topology and a placement, compared in words. */
#include "machine/signature.h"

#include "machine/cpulist.h"
#include "machine/placement_kind.h"
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
static bool regular(const sup_placement *placement, const int *counts, int hosts, bool cyclic, int *taken) {
    memset(taken, 0, (size_t)hosts * sizeof *taken);
    for (int i = 0, h = 0; i < placement->count; i++) {
        while (taken[h] == counts[h]) h = (h + 1) % hosts;
        if (placement->at[i].host != h) return false;
        taken[h]++;
        if (cyclic) h = (h + 1) % hosts;
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
    sup_status status = logical && counts && order && taken ? SUP_OK : SUP_ENOMEM;
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
    if (!status && (w.full || !regular(placement, counts, hosts, policy->cyclic, taken))) {
        char text[SUP_HASH_TEXT];
        sup_hash_format(hash_places(placement, logical), text);
        snprintf(out, SUP_PLACEMENT_TEXT, "%s #%s", name, text);
    }
free_arrays:
    free(taken);
    free(order);
    free(counts);
    free(logical);
    return status;
}

/* ---- the signature ------------------------------------------------------------------------------------------------
 */

sup_status sup_signature_make(const sup_topology *t, const sup_policy *policy, const sup_placement *placement,
                              const char *transport, sup_signature *out) {
    sup_signature s = {0};
    sup_status status = sup_topology_digest(t, s.digest);
    if (status) return status;
    snprintf(s.cpu_model, sizeof s.cpu_model, "%s", t->cpu_model);
    s.core_count = t->core_count;
    s.cpu_count = t->cpu_count;
    s.package_count = t->package_count;
    s.numa_count = t->numa_count;
    for (const sup_level *level = t->levels; level && s.cache_count < SUP_CACHE_DEPTH_MAX; level = level->child)
        s.caches[s.cache_count++] =
            (sup_signature_cache){level->depth, level->size_bytes, level->sharing, level->group_count};
    if (transport) snprintf(s.transport, sizeof s.transport, "%s", transport);
    if (policy && placement) {
        s.processes = placement->count;
        status = sup_placement_describe(t, policy, placement, s.placement);
        if (status) return status;
    }
    *out = s;
    return SUP_OK;
}

static void put_count(struct writer *w, int n, const char *thing) { put(w, "%d %s%s", n, thing, n == 1 ? "" : "s"); }

static void put_caches(struct writer *w, const sup_signature *s) {
    for (int i = 0; i < s->cache_count; i++) {
        char size[32];
        const sup_signature_cache *c = &s->caches[i];
        if (i) put(w, ", ");
        if (c->copies > 1 && c->sharing > 1) put(w, "%d x ", c->copies);
        put(w, "L%d %s", c->depth, sup_size_text(c->size_bytes, size, sizeof size));
        if (c->copies > 1 && c->sharing > 1) put(w, " (%d cores each)", c->sharing);
    }
}

static void put_machine(struct writer *w, const sup_signature *s) {
    put_count(w, s->core_count, "core");
    if (s->cpu_count != s->core_count) put(w, ", %d threads", s->cpu_count);
    if (s->package_count > 1) put(w, ", %d packages", s->package_count);
    if (s->numa_count > 1) put(w, ", %d memory nodes", s->numa_count);
    put(w, ", ");
    put_caches(w, s);
    if (s->cpu_model[0]) put(w, " (%s)", s->cpu_model);
}

char *sup_signature_text(const sup_signature *s, char *buf, size_t size) {
    struct writer w = {.buf = buf, .size = size};
    if (size) put_machine(&w, s);
    return buf;
}
