/* The signature of a machine in files (origin.h): table, placement blocks and their compression, comparison. */
#include "machine/origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const order_names[] = {"block", "cyclic", NULL};

static const sup_field block_fields[] = {
    SUP_F_INT(sup_place_block, host, "host", 0, SUP_PROCESSES_MAX),
    SUP_F_INT_OR(sup_place_block, hosts, "hosts", 1, SUP_PROCESSES_MAX, 1),
    SUP_F_INTS(sup_place_block, cores, "cores", true, -1, 1048576),
    SUP_F_ENUM_OR(sup_place_block, order, "order", order_names, SUP_ORDER_BLOCK),
    SUP_F_END,
};

static sup_status check_block(const sup_where *w, const void *object) {
    const sup_place_block *b = object;
    if (b->cores_count == 0) return sup_where_fail(w, "cores", -1, "\"cores\" is empty");
    return SUP_OK;
}

static SUP_RECORD(block_record, "placement block", sup_place_block, block_fields, check_block);

/* At most 2^31 · file size: no overflow. */
static int64_t block_ranks(const sup_place_block *b) { return b->hosts * (int64_t)b->cores_count; }

static sup_status check_origin(const sup_where *w, const void *object) {
    const sup_origin *o = object;
    int64_t placed = 0;
    for (size_t i = 0; i < o->placement_count; i++) {
        const sup_place_block *b = &o->placement[i];
        if (b->host + b->hosts > o->hosts)
            return sup_where_fail(w, "placement", (int)i,
                                  "the placement names host %" PRId64 ", but there are %" PRId64 " \"hosts\"",
                                  b->host + b->hosts - 1, o->hosts);
        placed += block_ranks(b);
        if (placed > o->processes) break;
    }
    if (o->placement_count && placed != o->processes)
        return sup_where_fail(w, "placement", -1,
                              "the placement has %s%" PRId64 " processes, \"processes\" is %" PRId64,
                              placed > o->processes ? "at least " : "", placed, o->processes);
    return SUP_OK;
}

static sup_status derive_origin(const sup_where *w, void *object) {
    sup_origin *o = object;
    free(o->first);
    o->first = calloc(o->placement_count + 1, sizeof *o->first);
    if (!o->first) return sup_diag_no_memory(w->diag);
    for (size_t i = 0; i < o->placement_count; i++) o->first[i + 1] = o->first[i] + block_ranks(&o->placement[i]);
    return SUP_OK;
}

static void release_origin(void *object) { free(((sup_origin *)object)->first); }

static const sup_field origin_fields[] = {
    SUP_F_STRING_MAYBE(sup_origin, machine, "machine"),
    SUP_F_STRING(sup_origin, topology, "topology"),
    SUP_F_STRING(sup_origin, cpu, "cpu"),
    SUP_F_INT(sup_origin, cores, "cores", 1, 1048576),
    SUP_F_INT(sup_origin, hosts, "hosts", 1, SUP_PROCESSES_MAX),
    SUP_F_INT(sup_origin, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_STRING(sup_origin, transport, "transport"),
    SUP_F_STRING_MAYBE(sup_origin, policy, "policy"),
    SUP_F_RECORDS(sup_origin, placement, "placement", false, &block_record),
    SUP_F_END,
};
SUP_RECORD_DERIVED(sup_origin_record, "signature", sup_origin, origin_fields, check_origin, derive_origin,
                   release_origin);

/* ---- compression ---- */

typedef struct ranks {
    int64_t count;
    const int *host, *core;
} ranks;

static int core_at(const ranks *r, int64_t i) { return r->core ? r->core[i] : -1; }

/* How many ranks from `at` on one block dealt host by host takes; *width is the cores of a host. */
static int64_t block_extent(const ranks *r, int64_t at, int64_t *width) {
    int64_t w = 1;
    while (at + w < r->count && r->host[at + w] == r->host[at]) w++;
    int64_t hosts = 1;
    for (; at + (hosts + 1) * w <= r->count; hosts++) {
        int64_t base = at + hosts * w, k = 0;
        while (k < w && r->host[base + k] == r->host[at] + hosts && core_at(r, base + k) == core_at(r, at + k)) k++;
        if (k < w) break;
    }
    *width = w;
    return hosts * w;
}

/* The same for one dealt core by core; *hosts is the length of a round. */
static int64_t cyclic_extent(const ranks *r, int64_t at, int64_t *hosts) {
    int64_t h = 1;
    while (at + h < r->count && r->host[at + h] == r->host[at] + h && core_at(r, at + h) == core_at(r, at)) h++;
    int64_t rounds = 1;
    for (; at + (rounds + 1) * h <= r->count; rounds++) {
        int64_t base = at + rounds * h, k = 0;
        while (k < h && r->host[base + k] == r->host[at] + k && core_at(r, base + k) == core_at(r, base)) k++;
        if (k < h) break;
    }
    *hosts = h;
    return rounds * h;
}

static sup_status append_block(sup_origin *o, const ranks *r, int64_t *at) {
    int64_t width, round, by_host = block_extent(r, *at, &width), by_core = cyclic_extent(r, *at, &round);
    bool cyclic = by_core > by_host;
    int64_t taken = cyclic ? by_core : by_host, cores = cyclic ? by_core / round : width, step = cyclic ? round : 1;
    sup_place_block *b = SUP_APPEND(&block_record, o->placement, o->placement_count);
    if (!b) return SUP_ENOMEM;
    b->host = r->host[*at];
    b->hosts = taken / cores;
    b->order = cyclic ? SUP_ORDER_CYCLIC : SUP_ORDER_BLOCK;
    b->cores = calloc((size_t)cores, sizeof *b->cores);
    if (!b->cores) return SUP_ENOMEM;
    b->cores_count = (size_t)cores;
    for (int64_t k = 0; k < cores; k++) b->cores[k] = core_at(r, *at + k * step);
    *at += taken;
    return SUP_OK;
}

static void drop_placement(sup_origin *o) {
    for (size_t i = 0; i < o->placement_count; i++) sup_record_clear(&block_record, &o->placement[i]);
    free(o->placement);
    o->placement = NULL;
    o->placement_count = 0;
}

sup_status sup_origin_set_placement(sup_origin *origin, int64_t processes, const int *host, const int *core) {
    if (processes < 1 || (double)processes > SUP_PROCESSES_MAX) return SUP_EINVAL;
    for (int64_t i = 0; i < processes; i++)
        if (host[i] < 0) return SUP_EINVAL;
    ranks r = {processes, host, core};
    int64_t at = 0;
    drop_placement(origin);
    sup_status status = SUP_OK;
    while (at < processes && !status) status = append_block(origin, &r, &at);
    origin->processes = processes;
    sup_where nowhere = {.record = &sup_origin_record};
    if (!status) status = derive_origin(&nowhere, origin);
    if (status) drop_placement(origin);
    return status;
}

sup_status sup_origin_place(const sup_origin *origin, int64_t rank, int64_t *host, int64_t *core) {
    if (rank < 0 || rank >= origin->processes) return SUP_EINVAL;
    if (!origin->placement_count || !origin->first) return SUP_ENOENT;
    size_t low = 0, high = origin->placement_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (origin->first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    const sup_place_block *b = &origin->placement[low];
    int64_t r = rank - origin->first[low], width = (int64_t)b->cores_count;
    bool cyclic = b->order == SUP_ORDER_CYCLIC;
    *host = b->host + (cyclic ? r % b->hosts : r / width);
    *core = b->cores[cyclic ? r / b->hosts : r % width];
    return SUP_OK;
}

/* ---- comparison ---- */

static sup_status differ(sup_diag *diag, const char *what, const char *file, const char *run) {
    return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0, "made for %s %s, this is %s", what, file, run);
}

static bool strings_differ(const char *a, const char *b) { return a && b && strcmp(a, b) != 0; }

/* Blocks of equal placements may be cut differently, so ranks are compared. */
static sup_status match_placement(const sup_origin *file, const sup_origin *run, sup_diag *diag) {
    if (file->policy && run->policy) {
        if (strcmp(file->policy, run->policy) == 0) return SUP_OK;
        return differ(diag, "placement", file->policy, run->policy);
    }
    if (!file->placement_count || !run->placement_count) return SUP_OK;
    for (int64_t rank = 0; rank < file->processes; rank++) {
        int64_t host[2], core[2];
        if (sup_origin_place(file, rank, &host[0], &core[0]) || sup_origin_place(run, rank, &host[1], &core[1]))
            return SUP_OK;
        if (host[0] != host[1] || core[0] != core[1])
            return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0,
                                "made for another placement: rank %" PRId64 " was on host %" PRId64 " core %" PRId64
                                ", now host %" PRId64 " core %" PRId64,
                                rank, host[0], core[0], host[1], core[1]);
    }
    return SUP_OK;
}

sup_status sup_origin_match(const sup_origin *file, const sup_origin *run, unsigned ignore, sup_diag *diag) {
    if (!(ignore & SUP_SIGNATURE_ANY_MODEL) && strings_differ(file->cpu, run->cpu))
        return differ(diag, "processor", file->cpu, run->cpu);
    if (strings_differ(file->topology, run->topology))
        return differ(diag, "a machine with", file->machine ? file->machine : "another topology",
                      run->machine ? run->machine : "not that one");
    if (ignore & SUP_SIGNATURE_ANY_RUN) return SUP_OK;
    if (file->processes != run->processes)
        return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0, "made for %" PRId64 " processes, this run has %" PRId64,
                            file->processes, run->processes);
    if (file->hosts != run->hosts)
        return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0, "made for %" PRId64 " hosts, this run has %" PRId64,
                            file->hosts, run->hosts);
    if (strings_differ(file->transport, run->transport))
        return differ(diag, "transport", file->transport, run->transport);
    return match_placement(file, run, diag);
}

/* ---- from a run ---- */

static sup_status set_places(sup_origin *origin, const sup_placement *placement) {
    int *host = calloc((size_t)placement->count, sizeof *host), *core = calloc((size_t)placement->count, sizeof *core);
    sup_status status = host && core ? SUP_OK : SUP_ENOMEM;
    origin->hosts = 1;
    for (int i = 0; i < placement->count && !status; i++) {
        host[i] = placement->at[i].host;
        core[i] = placement->at[i].cpu;
        if (host[i] >= origin->hosts) origin->hosts = host[i] + 1;
    }
    if (!status) status = sup_origin_set_placement(origin, placement->count, host, core);
    free(core);
    free(host);
    return status;
}

sup_status sup_origin_set(sup_origin *origin, const sup_topology *topology, const sup_policy *policy,
                          const sup_placement *placement, const char *transport) {
    char digest[SUP_HASH_TEXT], where[SUP_PLACEMENT_TEXT], words[256];
    sup_origin made;
    sup_record_init(&sup_origin_record, &made);
    made.cores = topology->core_count;
    made.hosts = made.processes = 1;
    sup_status status = sup_topology_digest(topology, digest);
    if (!status) status = sup_record_set_string(&made.topology, digest);
    if (!status) status = sup_record_set_string(&made.machine, sup_topology_text(topology, words, sizeof words));
    if (!status) status = sup_record_set_string(&made.cpu, topology->cpu_model[0] ? topology->cpu_model : "unknown");
    if (!status) status = sup_record_set_string(&made.transport, transport ? transport : "self");
    if (!status && policy) status = sup_placement_describe(topology, policy, placement, where);
    if (!status && policy) status = sup_record_set_string(&made.policy, where);
    if (!status && placement && placement->count > 0) status = set_places(&made, placement);
    if (status) {
        sup_record_clear(&sup_origin_record, &made);
        return status;
    }
    sup_record_clear(&sup_origin_record, origin);
    *origin = made;
    return SUP_OK;
}
