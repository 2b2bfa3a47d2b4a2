/* Stages of collectives in memory that all members share (algorithms "shared" and "direct",
 * src/coll/room/shared_OPERATION.c), which have no messages: pieces are copied in, folded by slices, copied out, and
 * everybody waits for signals in between (TAU §4.2: head, body and tail of a pipeline). Which form for how many members
 * and bytes, and how long pieces are: schedule/shared.h. Term Tcomm inside a host. */
#include "schedule/shared.h"
#include "model/collective/stages.h"

/* So many ranks copy or fold so often so many bytes. */
typedef struct doing {
    int64_t ranks;
    int kind;
    int64_t bytes, count;
} doing;

/* One more stage, so many times: what up to three groups of ranks do at the same time, after waiting for a signal. */
static void stage(sup_stages *s, double signals, int64_t times, const doing *all, size_t count) {
    sup_member members[3];
    size_t n = 0, at = s->stages_count;
    for (size_t i = 0; i < count; i++) {
        sup_part part = {.kind = all[i].kind, .early = 1, .bytes = all[i].bytes, .count = all[i].count};
        if (all[i].ranks > 0 && part.bytes > 0 && part.count > 0)
            members[n++] = (sup_member){sup_stages_task(s, &part, 1), all[i].ranks};
    }
    size_t crew = sup_stages_crew(s, members, n);
    sup_stages_add(s, at, crew);
    if (s->failed) return;
    s->stages[at].signals = signals;
    s->stages[at].times = times;
}

/* What is asked for: so many members, bytes of a vector or block, the smallest part of it; and how. */
typedef struct asked {
    int operation;
    int64_t p, m, element;
    sup_choice choice;
} asked;

/* How many pieces of so many bytes, and how long each of them is. */
typedef struct cut {
    int64_t pieces, bytes;
} cut;

static cut cut_of(int64_t bytes, int64_t piece) {
    int64_t pieces = (bytes - 1) / piece + 1;
    return (cut){pieces, (bytes - 1) / pieces + 1};
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* How many steps from this one on are alike in a pipeline: while all of its places are busy, all of them. */
static int64_t steady(int64_t step, int64_t places, int64_t pieces) {
    return step == places - 1 && pieces > places ? pieces - places + 1 : 1;
}

/* Level d of a tree of radix g reads chunk s − d in step s; who has children copies twice, for them and for itself. */
static void broadcast(sup_stages *s, const asked *a) {
    int64_t g = sup_shared_children(a->p, a->choice.radix);
    cut c = cut_of(a->m, sup_shared_broadcast_piece(a->m, a->choice.segment_bytes));
    int64_t level[64] = {1}, left = a->p - 1;
    int levels = 1;
    for (; left > 0 && levels < 64; levels++) {
        level[levels] = level[levels - 1] > left / g ? left : level[levels - 1] * g;
        left -= level[levels];
    }
    for (int64_t step = 0, times; step < c.pieces + levels - 1 && !s->failed; step += times) {
        times = steady(step, levels, c.pieces);
        doing all[3] = {{0, SUP_COPY, c.bytes, 1}, {0, SUP_COPY, c.bytes, 2}, {0, SUP_COPY, c.bytes, 1}};
        for (int d = 0; d < levels; d++) {
            if (step < d || step - d >= c.pieces) continue;
            int64_t inner = d + 1 < levels ? (level[d + 1] + g - 1) / g : 0;
            if (!d)
                all[0].ranks = 1;
            else
                all[1].ranks += inner, all[2].ranks += level[d] - inner;
        }
        stage(s, step > 0, times, all, 3);
    }
    sup_stages_fold(s);
}

/* ---- folds ---- */

/* Piece after piece: everybody writes its own but for its slice, folds its slice of all, then `readers` read all
 * slices. All pieces are alike, so that each stage counts so often. */
static void slices(sup_stages *s, const asked *a, int64_t readers) {
    int64_t p = a->p, round = sup_shared_slices_round(p, a->m, a->element, a->choice.segment_bytes) * a->element;
    cut c = cut_of(a->m, round);
    int64_t slice = (c.bytes - 1) / p + 1, others = (c.bytes - 1) / slice;
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes - slice, 1}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_FOLD, slice, p - 1}}, 1);
    stage(s, 0, c.pieces, (doing[]){{readers, SUP_COPY, slice, 1}}, 1);
    stage(s, 1, c.pieces, (doing[]){{readers, SUP_COPY, slice, others}}, 1);
}

/* Everybody writes its own, `readers` read and fold all. */
static void read_all(sup_stages *s, const asked *a, int64_t readers) {
    stage(s, 0, 1, (doing[]){{a->p, SUP_COPY, a->m, 1}}, 1);
    stage(s, 1, 1, (doing[]){{readers, SUP_FOLD, a->m, a->p - 1}}, 1);
}

/* Everybody has everybody's: of many members in two rounds (coll/room/gather.c). */
static void gather_all(sup_stages *s, const asked *a) {
    int64_t p = a->p, m = a->m, g = sup_shared_gather_group(p, m, a->choice.radix);
    if (m > 0) stage(s, 0, 1, (doing[]){{p, SUP_COPY, m, 2}}, 1);
    stage(s, 1, 1, (doing[]){{p, SUP_COPY, m, g - 1}}, 1);
    if (g == p) return;
    if (m > 0) stage(s, 0, 1, (doing[]){{p, SUP_COPY, g * m, 1}}, 1);
    stage(s, 1, 1, (doing[]){{p, SUP_COPY, g * m, (p + g - 1) / g - 1}}, 1);
}

static void allreduce(sup_stages *s, const asked *a) {
    switch (sup_shared_allreduce_form(a->p, a->m)) {
    case SUP_SHARED_GATHER:
        gather_all(s, a);
        stage(s, 0, 1, (doing[]){{a->p, SUP_FOLD, a->m, a->p - 1}}, 1);
        break;
    case SUP_SHARED_READ: read_all(s, a, a->p); break;
    default: slices(s, a, a->p);
    }
}

/* One of each group begins with its own, folds those of its group, and the root what comes of the groups. */
static void in_groups(sup_stages *s, const asked *a) {
    int64_t g = SUP_SHARED_REDUCE_GROUP, groups = (a->p + g - 1) / g;
    stage(s, 0, 1, (doing[]){{a->p, SUP_COPY, a->m, 1}}, 1);
    stage(s, 1, 1, (doing[]){{groups, SUP_FOLD, a->m, g - 1}}, 1);
    stage(s, 1, 1, (doing[]){{1, SUP_COPY, a->m, 1}}, 1);
    stage(s, 0, 1, (doing[]){{1, SUP_FOLD, a->m, groups - 1}}, 1);
}

/* Two members: one copies piece after piece in, the root folds the one before it. */
static void pass_to_root(sup_stages *s, const asked *a) {
    cut c = cut_of(a->m, sup_shared_broadcast_piece(a->m, a->choice.segment_bytes));
    stage(s, 0, 1, (doing[]){{1, SUP_COPY, c.bytes, 1}}, 1);
    if (c.pieces > 1) stage(s, 1, c.pieces - 1, (doing[]){{1, SUP_COPY, c.bytes, 1}, {1, SUP_FOLD, c.bytes, 1}}, 2);
    stage(s, 1, 1, (doing[]){{1, SUP_FOLD, c.bytes, 1}}, 1);
}

static void reduce(sup_stages *s, const asked *a) {
    switch (sup_shared_reduce_form(a->p, a->m)) {
    case SUP_SHARED_READ: read_all(s, a, 1); break;
    case SUP_SHARED_GROUPS: in_groups(s, a); break;
    case SUP_SHARED_CHAIN: pass_to_root(s, a); break;
    default: slices(s, a, 1);
    }
}

/* Two or three members: each reads those before it, of a scan also its own; the first that gets anything copies it. */
static void read_before(sup_stages *s, const asked *a) {
    int64_t readers = a->operation == SUP_SCAN ? a->p : a->p - 1, m = a->m;
    stage(s, 0, 1, (doing[]){{a->p, SUP_COPY, m, 1}}, 1);
    stage(s, 1, 1, (doing[]){{1, SUP_COPY, m, 1}, {readers > 1, SUP_FOLD, m, 1}, {readers > 2, SUP_FOLD, m, 2}}, 3);
}

/* From member to member in pieces. A piece is passed on before it is copied out, so that the last member has its first
 * one after P − 1 folds; then it folds and copies piece after piece, and the others with it while they have any. */
static void chain(sup_stages *s, const asked *a) {
    int64_t p = a->p, piece = sup_shared_scan_piece(p, a->m, a->element, a->choice.segment_bytes) * a->element;
    bool own = a->operation == SUP_SCAN;
    cut c = cut_of(a->m, piece);
    stage(s, 0, 1, (doing[]){{1, SUP_COPY, c.bytes, 1}}, 1);
    for (int64_t r = 1, times; r < p - 1 && !s->failed; r += times) {
        int64_t behind = least(r, c.pieces);
        times = behind == c.pieces ? p - 1 - r : 1;
        stage(s, 1, times, (doing[]){{1, SUP_FOLD, c.bytes, 1}, {behind, SUP_COPY, c.bytes, 1}}, 2);
    }
    for (int64_t step = p - 1, times; step < c.pieces + p - 1 && !s->failed; step += times) {
        times = steady(step, p, c.pieces);
        int64_t out = step - c.pieces + 1 > 0 ? step - c.pieces + 1 : 0, busy = p - out, first = !out;
        /* the first has nothing to fold, nor has the last of an exscan; the last of a scan folds into its result */
        stage(s, 1, times, (doing[]){{busy - first - !own, SUP_FOLD, c.bytes, 1}, {first, SUP_COPY, c.bytes, 1}}, 2);
        stage(s, 0, times, (doing[]){{busy - (own ? 1 : first), SUP_COPY, c.bytes, 1}}, 1);
    }
}

static void scan(sup_stages *s, const asked *a) {
    if (sup_shared_scan_form(a->p, a->m) == SUP_SHARED_READ)
        read_before(s, a);
    else
        chain(s, a);
}

/* ---- blocks ---- */

/* Rounds of chunks of blocks, `shares` of them in a cell. */
static cut rounds_of(const asked *a, int64_t shares, int64_t element) {
    int64_t chunk = sup_shared_chunk(shares, element, a->choice.segment_bytes);
    return cut_of(a->m, chunk > 0 ? chunk : 1);
}

static void reduce_scatter(sup_stages *s, const asked *a) {
    int64_t p = a->p;
    bool once = sup_shared_in_cell(p, a->m);
    cut c = once ? (cut){1, a->m} : rounds_of(a, p, a->element);
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, once ? p : p - 1}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_FOLD, c.bytes, p - 1}}, 1);
}

/* From the owner's memory, without a cell between, and word of it: before and behind. */
static bool direct(sup_stages *s, const asked *a, bool usual, int64_t count) {
    if (!sup_shared_wants_direct(&a->choice, usual)) return false;
    stage(s, 1, 1, (doing[]){{a->p, SUP_COPY, a->m, count}}, 1);
    stage(s, 1, 1, NULL, 0);
    return true;
}

static void allgather(sup_stages *s, const asked *a) {
    int64_t p = a->p;
    if (a->m <= SUP_SHARED_SMALL) {
        gather_all(s, a);
        return;
    }
    bool once = sup_shared_in_cell(1, a->m);
    if (!once && direct(s, a, false, p)) return;
    cut c = once ? (cut){1, a->m} : rounds_of(a, 1, 1);
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, 2}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, p - 1}}, 1);
}

/* The own block does not go through a cell, except where all are copied there at once. */
static void alltoall(sup_stages *s, const asked *a) {
    int64_t p = a->p;
    bool once = sup_shared_in_cell(p, a->m);
    if (!once && direct(s, a, false, p)) return;
    cut c = once ? (cut){1, a->m} : rounds_of(a, p, 1);
    doing in = once ? (doing){p, SUP_COPY, p * a->m, 1} : (doing){p, SUP_COPY, c.bytes, p - 1};
    stage(s, 0, 1, (doing[]){{p, SUP_COPY, a->m, 1}}, 1);
    stage(s, 0, c.pieces, &in, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, p - 1}}, 1);
}

/* The root writes a round while the others read the one before it. */
static void scatter(sup_stages *s, const asked *a) {
    int64_t p = a->p, m = a->m;
    if (sup_shared_in_cell(p, m)) {
        stage(s, 0, 1, (doing[]){{1, SUP_COPY, p * m, 1}}, 1);
        stage(s, 1, 1, (doing[]){{p, SUP_COPY, m, 1}}, 1);
        return;
    }
    if (direct(s, a, sup_shared_usually_direct(p, m), 1)) return;
    cut c = rounds_of(a, p, 1);
    doing in = {1, SUP_COPY, c.bytes, p - 1}, out = {p - 1, SUP_COPY, c.bytes, 1};
    stage(s, 0, 1, (doing[]){{1, SUP_COPY, m, 1}}, 1);
    stage(s, 0, 1, &in, 1);
    if (c.pieces > 1) stage(s, 1, c.pieces - 1, (doing[]){in, out}, 2);
    stage(s, 1, 1, &out, 1);
}

/* The root copies its own block while the others write, and reads a round while they write the next. */
static void gather(sup_stages *s, const asked *a) {
    int64_t p = a->p, m = a->m;
    bool once = sup_shared_in_cell(1, m);
    if (!once && direct(s, a, sup_shared_usually_direct(p, m), 1)) return;
    cut c = once ? (cut){1, m} : rounds_of(a, 1, 1);
    doing in = {p - 1, SUP_COPY, c.bytes, 1}, out = {1, SUP_COPY, c.bytes, p - 1};
    stage(s, 0, 1, (doing[]){in, {1, SUP_COPY, m, 1}}, 2);
    if (c.pieces > 1) stage(s, 1, c.pieces - 1, (doing[]){in, out}, 2);
    stage(s, 1, 1, &out, 1);
}

/* ---- all ---- */

static void (*const of_operation[SUP_OPERATIONS])(sup_stages *s, const asked *a) = {
    [SUP_BROADCAST] = broadcast,
    [SUP_SCATTER] = scatter,
    [SUP_GATHER] = gather,
    [SUP_ALLGATHER] = allgather,
    [SUP_REDUCE] = reduce,
    [SUP_ALLREDUCE] = allreduce,
    [SUP_REDUCE_SCATTER] = reduce_scatter,
    [SUP_ALLTOALL] = alltoall,
    [SUP_SCAN] = scan,
    [SUP_EXSCAN] = scan,
    [SUP_BARRIER] = gather_all,
};

sup_status sup_stages_shared(const sup_choice *choice, const sup_job *job, sup_diag *diag, sup_stages *out) {
    sup_stages s = {0};
    asked a = {.operation = job->operation,
               .p = job->processes,
               .m = job->operation == SUP_BARRIER ? 0 : job->bytes,
               .element = job->element > 0 ? job->element : 1,
               .choice = *choice};
    if (!a.choice.segment_bytes) a.choice.segment_bytes = job->segment_bytes;
    if (!a.choice.radix) a.choice.radix = job->radix;
    if (a.p > 1 && (a.m > 0 || a.operation == SUP_BARRIER)) of_operation[a.operation](&s, &a);
    sup_status status = sup_stages_status(&s, diag);
    if (!status)
        *out = s;
    else
        sup_stages_free(&s);
    return status;
}
