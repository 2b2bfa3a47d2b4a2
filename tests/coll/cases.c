/* One collective operation, checked against what a single process computes (cases.h). */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 32, GAP = 5, GUARD_BYTE = 0xa5 };

bool operation_folds(int o) {
    return o == SUP_REDUCE || o == SUP_ALLREDUCE || o == SUP_REDUCE_SCATTER || o == SUP_SCAN || o == SUP_EXSCAN;
}
bool operation_has_root(int o) { return o == SUP_BROADCAST || o == SUP_SCATTER || o == SUP_GATHER || o == SUP_REDUCE; }
bool operation_has_blocks(int o) {
    return o == SUP_SCATTER || o == SUP_GATHER || o == SUP_ALLGATHER || o == SUP_REDUCE_SCATTER || o == SUP_ALLTOALL;
}

static _Noreturn void wrong(const members *m, const a_case *c, const char *what, int64_t at) {
    char text[SUP_CHOICE_TEXT] = "as looked up";
    if (c->choice) sup_choice_text(c->choice, text);
    fprintf(stderr,
            "coll_transport: %s, rank %d, %s, member %d of %d: %s %s, root %d, %lld bytes, fold %d%s%s: %s at %lld\n",
            sup_net_name(m->net), sup_net_rank(m->net), m->name, m->self, m->count, sup_operation_names[c->operation],
            text, c->root, (long long)c->bytes, c->fold, c->differ ? ", blocks differ" : "",
            c->in_place ? ", in place" : "", what, (long long)at);
    sup_net_abort(m->net, 1);
}

/* ---- folds ---- */

/* Maps x → ax + b of bytes, one after the other: they do not commute. Has no form with three addresses. */
static void follow(void *accumulator, const void *operand, size_t count, void *context) {
    unsigned char *f = accumulator;
    const unsigned char *g = operand;
    (void)context;
    for (size_t i = 0; i < 2 * count; i += 2) {
        unsigned a = f[i], b = f[i + 1];
        f[i] = (unsigned char)(a * g[i]);
        f[i + 1] = (unsigned char)(a * g[i + 1] + b);
    }
}

static const sup_fold maps = {.element = 2, .into = follow};

static const sup_fold *fold_of(fold_kind kind) {
    if (kind == FOLD_MAPS) return &maps;
    return kind == FOLD_BYTES ? sup_fold_find(SUP_TYPE_UINT8, SUP_SUM) : sup_fold_find(SUP_TYPE_DOUBLE, SUP_SUM);
}

/* ---- data ---- */

/* Byte k of what member i has for member j. */
static unsigned char value(const a_case *c, int i, int j, int64_t k) {
    uint64_t z = (uint64_t)k * 2654435761u + (uint64_t)i * 40503u + (uint64_t)j * 7919u + c->id * 31u;
    return (unsigned char)(z >> 3 ^ z >> 11);
}

static double number(const a_case *c, int i, int j, int64_t k) {
    return (value(c, i, j, k) - 100) * (i % 2 ? 1e-3 : 1e3) / 3;
}

static void fill(const a_case *c, int i, int j, unsigned char *at, int64_t bytes) {
    if (!operation_folds(c->operation) || c->fold != FOLD_DOUBLES) {
        for (int64_t k = 0; k < bytes; k++) at[k] = value(c, i, j, k);
        return;
    }
    for (int64_t k = 0; k < bytes / 8; k++) {
        double x = number(c, i, j, k);
        memcpy(at + 8 * k, &x, 8);
    }
}

/* Is this what members 0 … last make of their vectors for j? */
static bool folded(const a_case *c, int last, int j, const unsigned char *at, int64_t bytes) {
    if (c->fold == FOLD_DOUBLES) {
        for (int64_t k = 0; k < bytes / 8; k++) {
            double x, sum = 0, size = 0;
            for (int i = 0; i <= last; i++) {
                sum += number(c, i, j, k);
                size += fabs(number(c, i, j, k));
            }
            memcpy(&x, at + 8 * k, 8);
            if (!(fabs(x - sum) <= 1e-13 * size)) return false;
        }
        return true;
    }
    unsigned char *all = malloc(2 * (size_t)bytes + 1), *one = all + bytes;
    if (!all) return false;
    fill(c, 0, j, all, bytes);
    for (int i = 1; i <= last; i++) {
        fill(c, i, j, one, bytes);
        fold_of(c->fold)->into(all, one, (size_t)bytes / fold_of(c->fold)->element, NULL);
    }
    bool same = !memcmp(all, at, (size_t)bytes);
    free(all);
    return same;
}

/* ---- buffers ---- */

/* Blocks of IN or OUT of a member: how many, how long, where. */
typedef struct layout {
    int count;
    int64_t *bytes, *at, end;
} layout;

/* Bytes that i has for j. */
static int64_t length_of(const a_case *c, int i, int j) {
    int64_t element = operation_folds(c->operation) ? (int64_t)fold_of(c->fold)->element : 1;
    int64_t n = c->bytes;
    if (c->differ) n = c->operation == SUP_ALLTOALL ? (n * ((i + 2 * j) % 4)) / 2 : (n * (j % 3)) / 2 + j % 2;
    return n / element * element;
}

static layout lay_out(const members *m, const a_case *c, bool in) {
    int o = c->operation;
    bool many = in ? o == SUP_SCATTER || o == SUP_REDUCE_SCATTER || o == SUP_ALLTOALL
                   : o == SUP_GATHER || o == SUP_ALLGATHER || o == SUP_ALLTOALL;
    layout l = {many ? m->count : 1, calloc((size_t)m->count, 8), calloc((size_t)m->count, 8), 0};
    for (int b = 0; b < l.count; b++) {
        int j = many ? b : m->self;
        l.at[b] = l.end;
        l.bytes[b] = o == SUP_ALLTOALL && !in ? length_of(c, b, m->self) : length_of(c, m->self, j);
        if (!operation_has_blocks(o)) l.bytes[b] = length_of(c, 0, 0);
        l.end += l.bytes[b] + (c->differ && !operation_folds(o) ? GAP : 0);
    }
    return l;
}

typedef struct buffers {
    layout in, out;
    unsigned char *in_memory, *out_memory; /* as they were allocated */
    unsigned char *in_data, *out_data;     /* as they are given */
} buffers;

static bool takes_part(const members *m, const a_case *c, bool in) {
    int o = c->operation;
    bool root = m->self == c->root;
    if (in) return o != SUP_BROADCAST && o != SUP_BARRIER && (o != SUP_SCATTER || root);
    return o != SUP_BARRIER && ((o != SUP_GATHER && o != SUP_REDUCE) || root);
}

static void make(const members *m, const a_case *c, buffers *b) {
    b->in = lay_out(m, c, true);
    b->out = lay_out(m, c, false);
    b->in_memory = malloc((size_t)b->in.end + GUARD);
    b->out_memory = malloc((size_t)b->out.end + GUARD);
    if (!b->in_memory || !b->out_memory || !b->in.bytes || !b->in.at || !b->out.bytes || !b->out.at)
        wrong(m, c, "no memory", 0);
    memset(b->in_memory, GUARD_BYTE, (size_t)b->in.end + GUARD);
    memset(b->out_memory, GUARD_BYTE, (size_t)b->out.end + GUARD);
    b->in_data = takes_part(m, c, true) ? b->in_memory : NULL;
    b->out_data = takes_part(m, c, false) ? b->out_memory : NULL;
    if (c->in_place && b->in_data && b->out_data) {
        int o = c->operation;
        if (o == SUP_SCATTER)
            b->out_data = b->in_memory + b->in.at[m->self];
        else if (o == SUP_GATHER || o == SUP_ALLGATHER)
            b->in_data = b->out_memory + b->out.at[m->self];
        else if (o != SUP_ALLTOALL && o != SUP_REDUCE_SCATTER)
            b->in_data = b->out_memory;
    }
    for (int k = 0; b->in_data && k < b->in.count; k++)
        fill(c, m->self, b->in.count > 1 ? k : 0, b->in_data + b->in.at[k], b->in.bytes[k]);
    if (c->operation == SUP_BROADCAST && m->self == c->root) fill(c, m->self, 0, b->out_memory, b->out.bytes[0]);
}

static void unmake(buffers *b) {
    free(b->in.bytes);
    free(b->in.at);
    free(b->out.bytes);
    free(b->out.at);
    free(b->in_memory);
    free(b->out_memory);
}

/* ---- results ---- */

static bool same(const a_case *c, int i, int j, const unsigned char *at, int64_t bytes) {
    for (int64_t k = 0; k < bytes; k++)
        if (at[k] != value(c, i, j, k)) return false;
    return true;
}

static bool block_holds(const members *m, const a_case *c, int b, const unsigned char *at, int64_t bytes) {
    switch (c->operation) {
    case SUP_BROADCAST: return same(c, c->root, 0, at, bytes);
    case SUP_SCATTER: return same(c, c->root, m->count > 1 ? m->self : 0, at, bytes);
    case SUP_GATHER:
    case SUP_ALLGATHER: return same(c, b, 0, at, bytes);
    case SUP_ALLTOALL: return same(c, b, m->count > 1 ? m->self : 0, at, bytes);
    case SUP_REDUCE:
    case SUP_ALLREDUCE: return folded(c, m->count - 1, 0, at, bytes);
    case SUP_REDUCE_SCATTER: return folded(c, m->count - 1, m->count > 1 ? m->self : 0, at, bytes);
    case SUP_SCAN: return folded(c, m->self, 0, at, bytes);
    default: return m->self == 0 || folded(c, m->self - 1, 0, at, bytes);
    }
}

static void check(const members *m, const a_case *c, const buffers *b) {
    bool untouched = c->operation == SUP_EXSCAN && m->self == 0;
    if (!b->out_data) return;
    int64_t end = 0;
    for (int k = 0; k < b->out.count; k++) {
        if (!block_holds(m, c, k, b->out_data + b->out.at[k], b->out.bytes[k]))
            wrong(m, c, "a wrong result in block", k);
        end = b->out.at[k] + b->out.bytes[k];
        int64_t next = k + 1 < b->out.count ? b->out.at[k + 1] : end;
        for (; end < next; end++)
            if (b->out_memory[end] != GUARD_BYTE) wrong(m, c, "written between blocks", end);
    }
    if (untouched && !c->in_place)
        for (int64_t k = 0; k < b->out.end; k++)
            if (b->out_memory[k] != GUARD_BYTE) wrong(m, c, "member 0 of an exscan written", k);
    for (int k = 0; k < GUARD; k++)
        if (b->out_memory[b->out.end + k] != GUARD_BYTE || b->in_memory[b->in.end + k] != GUARD_BYTE)
            wrong(m, c, "written behind a buffer", k);
}

/* ---- running ---- */

static sup_coll_call call_of(const members *m, const a_case *c, const buffers *b) {
    sup_coll_call call = {.operation = c->operation,
                          .root = c->root,
                          .in = b->in_data,
                          .out = b->out_data,
                          .bytes = operation_has_blocks(c->operation) && !c->differ ? b->in.bytes[0] : b->out.bytes[0],
                          .fold = operation_folds(c->operation) ? fold_of(c->fold) : NULL,
                          .choice = c->choice};
    if (!c->differ) return call;
    bool own_in = c->operation == SUP_GATHER, own_out = c->operation == SUP_SCATTER, root = m->self == c->root;
    if ((b->in.count > 1 || m->count == 1 || own_in) && c->operation != SUP_ALLGATHER && (!own_out || root))
        call.in_bytes = b->in.bytes;
    if ((b->out.count > 1 || m->count == 1 || own_out) && c->operation != SUP_REDUCE_SCATTER && (!own_in || root))
        call.out_bytes = b->out.bytes;
    if (call.in_bytes && !own_in) call.in_at = b->in.at;
    if (call.out_bytes && !own_out) call.out_at = b->out.at;
    if (own_in && root) call.in_bytes = NULL;
    call.bytes = own_out || c->operation == SUP_REDUCE_SCATTER ? b->out.bytes[0] : b->in.bytes[0];
    return call;
}

static bool can(const members *m, const a_case *c, const sup_coll_call *call) {
    sup_job job = {.operation = call->operation,
                   .processes = m->count,
                   .root = call->root,
                   .bytes = call->bytes,
                   .element = call->fold ? (int64_t)call->fold->element : 1,
                   .in_bytes = call->in_bytes,
                   .in_at = call->in_at,
                   .out_bytes = call->out_bytes,
                   .out_at = call->out_at};
    return !c->choice || sup_coll_can(m->coll, &job, c->choice);
}

bool case_holds(members *m, const a_case *c) {
    buffers b;
    make(m, c, &b);
    sup_coll_call call = call_of(m, c, &b);
    bool able = can(m, c, &call) || m->count == 1;
    sup_status st = sup_coll_run(m->coll, &call);
    if (able && st == SUP_OK) {
        check(m, c, &b);
        m->done++;
    } else if (st == SUP_EINVAL && c->choice && (!able || (operation_folds(c->operation) && c->fold == FOLD_MAPS))) {
        m->refused++;
    } else {
        wrong(m, c, sup_status_text(st), 0);
    }
    unmake(&b);
    return st == SUP_OK;
}

void case_repeats(members *m, const a_case *c) {
    static const a_case spread = {.operation = SUP_BROADCAST};
    buffers first, second;
    make(m, c, &first);
    make(m, c, &second);
    sup_coll_call call = call_of(m, c, &first);
    sup_status st = sup_coll_run(m->coll, &call);
    call = call_of(m, c, &second);
    if (!st) st = sup_coll_run(m->coll, &call);
    if (st == SUP_EINVAL) {
        unmake(&first);
        unmake(&second);
        return;
    }
    if (st) wrong(m, c, sup_status_text(st), 0);
    if (first.out_data && memcmp(first.out_data, second.out_data, (size_t)first.out.end))
        wrong(m, c, "another result the second time", 0);
    if (c->operation == SUP_ALLREDUCE) {
        if (m->self) memset(second.out_memory, 0, (size_t)second.out.end);
        sup_coll_call tell = {.operation = spread.operation, .out = second.out_memory, .bytes = second.out.end};
        st = sup_coll_run(m->coll, &tell);
        if (st) wrong(m, c, sup_status_text(st), 0);
        if (memcmp(first.out_memory, second.out_memory, (size_t)first.out.end))
            wrong(m, c, "another result than member 0", 0);
    }
    unmake(&first);
    unmake(&second);
}
