/* What the ways of collective operations share (ways.h), and which algorithm of a table can do a job. */
#include "coll/ways.h"

#include <stdlib.h>
#include <string.h>

sup_status sup_coll_reserve(sup_coll_memory *memory, size_t bytes) {
    if (bytes <= memory->bytes) return SUP_OK;
    if (bytes > PTRDIFF_MAX / 2) return SUP_ENOMEM;
    size_t room = bytes > 2 * memory->bytes ? bytes : 2 * memory->bytes;
    room = (room + 4095) / 4096 * 4096;
    unsigned char *at = aligned_alloc(64, room);
    if (!at) return SUP_ENOMEM;
    free(memory->at);
    *memory = (sup_coll_memory){at, room};
    return SUP_OK;
}

void sup_coll_move(void *to, const void *from, int64_t bytes) {
    if (bytes > 0 && to != from) memcpy(to, from, (size_t)bytes);
}

sup_job sup_coll_job(const sup_coll_call *call, int64_t processes, const sup_choice *choice) {
    return (sup_job){.operation = call->operation,
                     .processes = processes,
                     .root = call->root,
                     .bytes = call->bytes,
                     .element = call->fold ? (int64_t)call->fold->element : 1,
                     .segment_bytes = choice ? choice->segment_bytes : 0,
                     .radix = choice ? choice->radix : 0,
                     .in_bytes = call->in_bytes,
                     .in_at = call->in_at,
                     .out_bytes = call->out_bytes,
                     .out_at = call->out_at};
}

sup_status sup_coll_fold(sup_coll *c, const sup_fold *fold, void *to, void *from, int64_t bytes, bool before,
                         bool spoils) {
    size_t count = (size_t)bytes / fold->element;
    if (!before || (fold->commutes && !fold->to)) {
        fold->into(to, from, count, fold->context);
    } else if (fold->to) {
        fold->to(to, from, to, count, fold->context);
    } else {
        sup_status st = spoils ? SUP_OK : sup_coll_reserve(&c->turned, (size_t)bytes);
        if (st) return st;
        if (!spoils) from = memcpy(c->turned.at, from, (size_t)bytes);
        fold->into(from, to, count, fold->context);
        memcpy(to, from, (size_t)bytes);
    }
    return SUP_OK;
}

sup_status sup_coll_alone(const sup_coll_call *call) {
    const unsigned char *in = call->in;
    unsigned char *out = call->out;
    bool blocks_in =
        call->operation == SUP_SCATTER || call->operation == SUP_ALLTOALL || call->operation == SUP_REDUCE_SCATTER;
    bool blocks_out =
        call->operation == SUP_GATHER || call->operation == SUP_ALLTOALL || call->operation == SUP_ALLGATHER;
    int64_t bytes = call->bytes;
    if (call->operation == SUP_BROADCAST || call->operation == SUP_BARRIER || call->operation == SUP_EXSCAN)
        return SUP_OK;
    if (blocks_in && call->in_bytes) bytes = call->in_bytes[0];
    if (blocks_out && call->out_bytes) bytes = call->out_bytes[0];
    if (bytes <= 0) return SUP_OK;
    if (blocks_in && call->in_at) in += call->in_at[0];
    if (blocks_out && call->out_at) out += call->out_at[0];
    sup_coll_move(out, in, bytes);
    return SUP_OK;
}

/* ---- which one ---- */

bool sup_coll_has_blocks(const sup_job *job) { return job->in_bytes || job->out_bytes || job->in_at || job->out_at; }

bool sup_coll_knows_total(const sup_job *job) {
    return !sup_coll_has_blocks(job) || job->operation == SUP_ALLGATHER || job->operation == SUP_REDUCE_SCATTER;
}

static bool will_do(const sup_coll *c, sup_coll_can_fn *can, const sup_coll_call *call, const sup_job *job,
                    const sup_choice *choice) {
    const sup_algorithm *a = choice->algorithm;
    if (!a || a->operation != job->operation || !can(c, job, choice)) return false;
    if (sup_coll_has_blocks(job) && !(a->traits & SUP_ALGORITHM_BLOCKS)) return false;
    if (!call->fold || call->fold->commutes) return true;
    return (a->traits & SUP_ALGORITHM_ORDERED) && (!choice->hosts || c->in_order);
}

/* To make one table takes some microseconds, as many short operations as that, and most programs need few of them. */
const sup_choices *sup_coll_table(const sup_coll *c, const sup_coll_scope *scope, int operation) {
    sup_choices *table = &scope->choices[operation];
    if (__builtin_expect(table->count != 0, 1)) return table;
    bool all = scope == &c->all;
    sup_choices_for what = {.operation = operation,
                            .processes = scope->group.size,
                            .transport = sup_net_name(scope->group.net),
                            .hosts = all ? c->hosts : 1,
                            .memory = all && c->memory,
                            .mpi = all && c->options.mpi};
    sup_plan_choices(c->options.plan, &what, table);
    return table;
}

const sup_choice *sup_coll_pick(const sup_coll *c, const sup_coll_scope *scope, sup_coll_can_fn *can,
                                const sup_coll_call *call, const sup_job *job, sup_choice *other) {
    if (call->choice) return will_do(c, can, call, job, call->choice) ? call->choice : NULL;
    const sup_choices *table = sup_coll_table(c, scope, call->operation);
    /* A size that all know; if there is none it is a large one. */
    int64_t total = sup_coll_knows_total(job) ? sup_job_total(job) : INT64_C(65536) * scope->group.size;
    int at = (int)(sup_choices_at(table, total) - table->choice);
    for (int i = 0; i < table->count; i++) {
        const sup_choice *choice = &table->choice[(at + i) % table->count];
        if (will_do(c, can, call, job, choice)) return choice;
    }
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        *other = (sup_choice){.algorithm = *a};
        if (will_do(c, can, call, job, other)) return other;
    }
    return NULL;
}
