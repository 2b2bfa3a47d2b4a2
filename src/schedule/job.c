/* What is asked of a collective operation: names, checks, sizes. */
#include "schedule/walk.h"

#include <inttypes.h>
#include <string.h>

const char *const sup_operation_names[SUP_OPERATIONS] = {
    [SUP_BROADCAST] = "broadcast",
    [SUP_SCATTER] = "scatter",
    [SUP_GATHER] = "gather",
    [SUP_ALLGATHER] = "allgather",
    [SUP_REDUCE] = "reduce",
    [SUP_ALLREDUCE] = "allreduce",
    [SUP_REDUCE_SCATTER] = "reduce-scatter",
    [SUP_ALLTOALL] = "alltoall",
    [SUP_SCAN] = "scan",
    [SUP_EXSCAN] = "exscan",
    [SUP_BARRIER] = "barrier",
};

static const struct {
    const char *name;
    int operation;
} short_forms[] = {
    {"bcast", SUP_BROADCAST}, {"reducescatter", SUP_REDUCE_SCATTER}, {"reduce_scatter", SUP_REDUCE_SCATTER},
    {"a2a", SUP_ALLTOALL},    {"all-to-all", SUP_ALLTOALL},
};

int sup_operation_find(const char *name) {
    for (int o = 0; o < SUP_OPERATIONS; o++)
        if (!strcmp(sup_operation_names[o], name)) return o;
    for (size_t k = 0; k < sizeof short_forms / sizeof *short_forms; k++)
        if (!strcmp(short_forms[k].name, name)) return short_forms[k].operation;
    return SUP_OPERATIONS;
}

/* Which buffers have P blocks (root: of the root alone), and which may say the length of the own block. */
static const struct {
    bool in, out, own_in, own_out, root, whole;
} shape[SUP_OPERATIONS] = {
    [SUP_BROADCAST] = {.root = true, .whole = true},
    [SUP_SCATTER] = {.in = true, .own_out = true, .root = true},
    [SUP_GATHER] = {.out = true, .own_in = true, .root = true},
    [SUP_ALLGATHER] = {.out = true},
    [SUP_REDUCE] = {.root = true, .whole = true},
    [SUP_ALLREDUCE] = {.whole = true},
    [SUP_REDUCE_SCATTER] = {.in = true},
    [SUP_ALLTOALL] = {.in = true, .out = true},
    [SUP_SCAN] = {.whole = true},
    [SUP_EXSCAN] = {.whole = true},
    [SUP_BARRIER] = {.whole = true},
};

int64_t sup_job_total(const sup_job *job) {
    if (job->operation == SUP_BARRIER) return 0;
    if (shape[job->operation].whole) return job->bytes;
    if (!sup_job_uneven(job)) return job->processes * job->bytes;
    if (job->operation != SUP_ALLGATHER && job->operation != SUP_REDUCE_SCATTER) return 0;
    const int64_t *bytes = job->operation == SUP_ALLGATHER ? job->out_bytes : job->in_bytes;
    if (!bytes) return job->processes * job->bytes;
    int64_t total = 0;
    for (int64_t i = 0; i < job->processes; i++) total += bytes[i];
    return total;
}

#define FAIL(...) sup_diag_set(diag, SUP_EINVAL, NULL, 0, __VA_ARGS__)

/* One buffer's blocks. */
static sup_status check_blocks(const sup_job *job, const int64_t *bytes, const int64_t *at, sup_diag *diag) {
    int64_t total = 0, end;
    for (int64_t i = 0; i < job->processes; i++) {
        int64_t length = bytes ? bytes[i] : job->bytes, place = at ? at[i] : total;
        if (length < 0) return FAIL("block %" PRId64 " of %" PRId64 " bytes", i, length);
        if (place < 0) return FAIL("block %" PRId64 " lies before its buffer, at %" PRId64, i, place);
        if (__builtin_add_overflow(place, length, &end) || __builtin_add_overflow(total, length, &total) ||
            total > INT64_MAX / 4)
            return FAIL("blocks of more bytes than can be counted");
        if (sup_job_folds(job) && job->element && length % job->element)
            return FAIL("block %" PRId64 " of %" PRId64 " bytes is no whole number of elements of %" PRId64 " bytes", i,
                        length, job->element);
    }
    return SUP_OK;
}

static sup_status check_arrays(const sup_job *job, sup_diag *diag) {
    int o = job->operation;
    const char *name = sup_operation_names[o];
    bool in = shape[o].in, out = shape[o].out;
    if ((job->in_bytes && !in && !shape[o].own_in) || (job->in_at && !in) ||
        (job->out_bytes && !out && !shape[o].own_out) || (job->out_at && !out))
        return FAIL("%s has no blocks in the buffer that they are given for", name);
    if ((job->in_at && !job->in_bytes) || (job->out_at && !job->out_bytes))
        return FAIL("%s: places of blocks without their lengths", name);
    if (in && out && !job->in_bytes != !job->out_bytes)
        return FAIL("%s: lengths of blocks for one of its buffers only", name);
    if (in && job->in_bytes) {
        sup_status status = check_blocks(job, job->in_bytes, job->in_at, diag);
        if (status) return status;
    }
    if (out && job->out_bytes) {
        sup_status status = check_blocks(job, job->out_bytes, job->out_at, diag);
        if (status) return status;
    }
    const int64_t *own = !in && job->in_bytes ? job->in_bytes : !out && job->out_bytes ? job->out_bytes : NULL;
    return own && *own < 0 ? FAIL("a block of %" PRId64 " bytes", *own) : SUP_OK;
}

sup_status sup_job_check(const sup_job *job, sup_diag *diag) {
    int64_t total;
    if (job->operation < 0 || job->operation >= SUP_OPERATIONS) return FAIL("no such operation: %d", job->operation);
    if (job->processes < 1) return FAIL("%" PRId64 " processes", job->processes);
    if (job->processes > INT32_MAX) return FAIL("%" PRId64 " processes: %d are the most", job->processes, INT32_MAX);
    if (shape[job->operation].root && (job->root < 0 || job->root >= job->processes))
        return FAIL("root %" PRId64 " is none of the %" PRId64 " processes", job->root, job->processes);
    if (job->bytes < 0) return FAIL("%" PRId64 " bytes", job->bytes);
    if (job->element < 0) return FAIL("elements of %" PRId64 " bytes", job->element);
    if (job->segment_bytes < 0) return FAIL("segments of %" PRId64 " bytes", job->segment_bytes);
    if (job->radix < 0) return FAIL("radix %d", job->radix);
    /* Twice: algorithms keep what they have and what they receive. */
    if (__builtin_mul_overflow(job->bytes, 2 * job->processes + 2, &total))
        return FAIL("%" PRId64 " processes of %" PRId64 " bytes are more than can be counted", job->processes,
                    job->bytes);
    if (sup_job_folds(job) && job->element && job->bytes % job->element)
        return FAIL("%" PRId64 " bytes are no whole number of elements of %" PRId64 " bytes", job->bytes, job->element);
    return check_arrays(job, diag);
}
