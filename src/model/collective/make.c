/* Stages of a collective whichever way it works: over messages, in shared memory, or over hosts, where the first of
 * each go by messages and each host by its memory (src/coll/hosts/run.c). Term Tcomm. */
#include "model/collective/stages.h"

#include <stdlib.h>

/* As many ranks as the fullest node has. */
static int64_t fullest(const sup_mapping *m) {
    if (m->kind == SUP_MAPPING_SEQUENTIAL) return m->size < m->processes ? m->size : m->processes;
    if (m->kind == SUP_MAPPING_ROUND_ROBIN) return (m->processes + m->size - 1) / m->size;
    int64_t most = 0, *count = calloc((size_t)m->nodes + 1, sizeof *count);
    for (int64_t r = 0; count && r < m->processes; r++) {
        int64_t n = ++count[m->node_of[r]];
        if (n > most) most = n;
    }
    free(count);
    return most; /* 0: no memory */
}

static sup_status by_messages(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                              sup_stages *out) {
    sup_status status = sup_stages_alike(choice, job, mapping, diag, out);
    return status == SUP_ENOTSUP ? sup_stages_walk(choice, job, mapping, diag, out) : status;
}

/* ---- hosts ---- */

enum { NOTHING = -1 };

/* What happens inside hosts before, between the first of each, and inside them behind; bytes of one rank's block or of
 * the vector, for q ranks of each of n hosts. */
typedef struct hosts_way {
    int before, between, behind; /* operations */
    int64_t before_bytes, between_bytes, behind_bytes;
} hosts_way;

static hosts_way way_of(const sup_job *job, int64_t q) {
    int64_t m = job->bytes, p = job->processes;
    switch (job->operation) {
    case SUP_BROADCAST: return (hosts_way){NOTHING, SUP_BROADCAST, SUP_BROADCAST, 0, m, m};
    case SUP_SCATTER: return (hosts_way){NOTHING, SUP_SCATTER, SUP_SCATTER, 0, q * m, m};
    case SUP_GATHER: return (hosts_way){SUP_GATHER, SUP_GATHER, NOTHING, m, q * m, 0};
    case SUP_ALLGATHER: return (hosts_way){SUP_GATHER, SUP_ALLGATHER, SUP_BROADCAST, m, q * m, p * m};
    case SUP_REDUCE: return (hosts_way){SUP_REDUCE, SUP_REDUCE, NOTHING, m, m, 0};
    case SUP_ALLREDUCE: return (hosts_way){SUP_REDUCE, SUP_ALLREDUCE, SUP_BROADCAST, m, m, m};
    case SUP_REDUCE_SCATTER: return (hosts_way){SUP_REDUCE, SUP_REDUCE_SCATTER, SUP_SCATTER, p * m, q * m, m};
    case SUP_ALLTOALL: return (hosts_way){SUP_GATHER, SUP_ALLTOALL, SUP_SCATTER, p * m, q * q * m, p * m};
    case SUP_BARRIER: return (hosts_way){SUP_BARRIER, SUP_BARRIER, SUP_BARRIER, 0, 0, 0};
    default: return (hosts_way){job->operation, job->operation, SUP_BROADCAST, m, m, m}; /* scan, exscan */
    }
}

static sup_status inside(int operation, int64_t bytes, int64_t q, const sup_job *job, sup_diag *diag, sup_stages *s) {
    sup_stages part = {0};
    if (operation == NOTHING || q < 2) return SUP_OK;
    sup_job j = {.operation = operation, .processes = q, .bytes = bytes, .element = job->element};
    sup_status status = sup_stages_shared(&(sup_choice){0}, &j, diag, &part);
    if (!status) sup_stages_append(s, &part);
    sup_stages_free(&part);
    return status ? status : sup_stages_status(s, diag);
}

static sup_status over_hosts(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                             sup_stages *out) {
    sup_stages s = {0}, part = {0};
    int64_t q = fullest(mapping), n = sup_mapping_used(mapping);
    int64_t all;
    if (__builtin_mul_overflow(job->bytes, job->processes, &all) || __builtin_mul_overflow(all, job->processes, &all))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "blocks of %lld bytes of %lld processes are too many to count",
                            (long long)job->bytes, (long long)job->processes);
    hosts_way way = way_of(job, q);
    if (!q) return sup_diag_no_memory(diag);
    sup_job between = {.operation = way.between,
                       .processes = n,
                       .root = 0,
                       .bytes = way.between_bytes,
                       .element = job->element,
                       .segment_bytes = job->segment_bytes,
                       .radix = job->radix};
    sup_mapping apart = {.kind = SUP_MAPPING_SEQUENTIAL, .processes = n, .size = 1, .nodes = n};
    sup_status status = sup_job_check(&between, diag);
    if (!status && !sup_algorithm_fits(choice->algorithm, &between))
        status = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%s cannot do this between %lld hosts",
                              choice->algorithm->name, (long long)n);
    if (!status) status = inside(way.before, way.before_bytes, q, job, diag, &s);
    if (!status && n > 1) {
        status = by_messages(choice, &between, &apart, diag, &part);
        if (!status) sup_stages_append(&s, &part);
        sup_stages_free(&part);
    }
    if (!status) status = inside(way.behind, way.behind_bytes, q, job, diag, &s);
    if (!status) status = sup_stages_status(&s, diag);
    if (status)
        sup_stages_free(&s);
    else
        *out = s;
    return status;
}

/* ---- all ---- */

sup_status sup_stages_make(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                           sup_stages *out) {
    const sup_algorithm *a = choice->algorithm;
    sup_job j = *job;
    if (!a) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "what MPI does by itself has no schedule");
    if (choice->segment_bytes) j.segment_bytes = choice->segment_bytes;
    if (choice->radix) j.radix = choice->radix;
    sup_status status = sup_job_check(&j, diag);
    if (status) return status;
    if (mapping->processes < j.processes)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the mapping has nodes of %lld ranks, but there are %lld",
                            (long long)mapping->processes, (long long)j.processes);
    if (choice->hosts) return over_hosts(choice, &j, mapping, diag, out);
    if (!sup_algorithm_fits(a, &j))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%s cannot do this %s of %lld processes", a->name,
                            sup_operation_names[a->operation], (long long)j.processes);
    if (!(a->traits & SUP_ALGORITHM_SHARED)) return by_messages(choice, &j, mapping, diag, out);
    if (sup_mapping_used(mapping) > 1)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%s works inside one node, and the mapping has %lld", a->name,
                            (long long)sup_mapping_used(mapping));
    return sup_stages_shared(choice, &j, diag, out);
}
