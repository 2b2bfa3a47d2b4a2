/* Stages of collectives in memory that all members share (algorithm "shared", src/coll/shared_OPERATION.c), which have
 * no messages: pieces are copied in, folded by slices, copied out, and everybody waits for signals in between (TAU
 * §4.2: head, body and tail of a pipeline). Term Tcomm inside a host. */
#include "model/collective_stages.h"

/* As src/coll has them: bytes that travel beside the number (room.c), up to which one cell does, of a large cell;
 * pieces of a broadcast; rounds of blocks (shared_blocks.c); what is read whole instead of in slices; where the kernel
 * copies from memory to memory. */
enum {
    LINE = 112,
    PAGE = 4096,
    CELL = 524288,
    PIECE = 65536,
    SLICE = 32768,
    LEAST_ROUND = 131072,
    ROUNDS = 4,
    LEAST_PIECE = 2048,
    READ_MOST_ALL = 8192,
    READ_MOST = 16384,
    DIRECT_LEAST = 16384,
    DIRECT_LEAST_ALL = 65536,
    DIRECT_MEMBERS_ALL = 2,
    START_BYTES = 8192,
    FEW = 5,
    RADIX = 4
};

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
        if (part.bytes > 0 && part.count > 0) members[n++] = (sup_member){sup_stages_task(s, &part, 1), all[i].ranks};
    }
    size_t crew = sup_stages_crew(s, members, n);
    sup_stages_add(s, at, crew);
    if (s->failed) return;
    s->stages[at].signals = signals;
    s->stages[at].times = times;
}

/* How many pieces of so many bytes, and how long each of them is. */
typedef struct cut {
    int64_t pieces, bytes;
} cut;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static cut cut_of(int64_t bytes, int64_t piece, int64_t most) {
    piece = least(piece > 1 ? piece : 1, most);
    int64_t pieces = (bytes + piece - 1) / piece;
    return (cut){pieces, (bytes + pieces - 1) / pieces};
}

/* Rounds of chunks of blocks, `shares` of them in a cell. */
static cut rounds_of(const sup_job *job, int64_t shares) {
    int64_t piece = job->segment_bytes > 0 ? job->segment_bytes : job->bytes / ROUNDS;
    return cut_of(job->bytes, piece > LEAST_PIECE ? piece : LEAST_PIECE, CELL / shares > 1 ? CELL / shares : 1);
}

/* How many steps from this one on are alike in a pipeline: while all of its places are busy, all of them. */
static int64_t steady(int64_t step, int64_t places, int64_t pieces) {
    return step == places - 1 && pieces > places ? pieces - places + 1 : 1;
}

/* Level d of a tree of radix g reads chunk s − d in step s; who has children copies twice, for them and for itself. */
static void broadcast(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, g = job->radix > 0 && job->radix < p ? job->radix : p - 1;
    cut c = {1, job->bytes};
    if (job->bytes > PAGE) c = cut_of(job->bytes, job->segment_bytes > 0 ? job->segment_bytes : PIECE, CELL);
    int64_t level[64] = {1}, left = p - 1;
    int levels = 1;
    for (; left > 0 && levels < 64; levels++) {
        level[levels] = level[levels - 1] > left / g ? left : level[levels - 1] * g;
        left -= level[levels];
    }
    for (int64_t step = 0, times; step < c.pieces + levels - 1 && !s->failed; step += times) {
        times = steady(step, levels, c.pieces);
        doing all[3] = {{0, SUP_COPY, c.bytes, 1}, {0, SUP_COPY, c.bytes, 2}, {0, SUP_COPY, c.bytes, 1}}, some[3];
        size_t n = 0;
        for (int d = 0; d < levels; d++) {
            if (step < d || step - d >= c.pieces) continue;
            int64_t inner = d + 1 < levels ? (level[d + 1] + g - 1) / g : 0;
            if (!d)
                all[0].ranks = 1;
            else
                all[1].ranks += inner, all[2].ranks += level[d] - inner;
        }
        for (size_t i = 0; i < 3; i++)
            if (all[i].ranks) some[n++] = all[i];
        stage(s, step > 0, times, some, n);
    }
    sup_stages_fold(s);
}

/* ---- folds ---- */

/* Piece after piece: everybody writes its own, folds its slice of all, then `readers` read the result. All pieces are
 * alike, so that each stage counts so often. */
static void slices(sup_stages *s, const sup_job *job, int64_t readers) {
    int64_t p = job->processes;
    int64_t round = p > LEAST_ROUND / SLICE ? least(p, CELL / SLICE) * SLICE : LEAST_ROUND;
    cut c = cut_of(job->bytes, job->segment_bytes > 0 ? job->segment_bytes : round, CELL);
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, 1}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_FOLD, (c.bytes + p - 1) / p, p - 1}}, 1);
    stage(s, 1, c.pieces, (doing[]){{readers, SUP_COPY, c.bytes, 1}}, 1);
}

/* Everybody writes its own, `readers` read and fold all. */
static void read_all(sup_stages *s, const sup_job *job, int64_t readers) {
    stage(s, 0, 1, (doing[]){{job->processes, SUP_COPY, job->bytes, 1}}, 1);
    stage(s, 1, 1, (doing[]){{readers, SUP_FOLD, job->bytes, job->processes - 1}}, 1);
}

/* Everybody has everybody's: of many members in two rounds (room_gather.c). */
static void gather_all(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes, g = job->radix > 1 ? job->radix : p <= FEW ? p : RADIX;
    g = least(g, p);
    if (m > 0) stage(s, 0, 1, (doing[]){{p, SUP_COPY, m, 1}}, 1);
    stage(s, 1, 1, (doing[]){{p, SUP_COPY, m, g - 1}}, 1);
    if (g < p) stage(s, 1, 1, (doing[]){{p, SUP_COPY, g * m, (p + g - 1) / g - 1}}, 1);
}

static void allreduce(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes;
    if (m <= LINE) {
        gather_all(s, job);
        stage(s, 0, 1, (doing[]){{p, SUP_FOLD, m, p - 1}}, 1);
    } else if (m <= PAGE && m <= READ_MOST_ALL / p) {
        read_all(s, job, p);
    } else {
        slices(s, job, p);
    }
}

static void reduce(sup_stages *s, const sup_job *job) {
    if (job->bytes <= LINE || job->bytes <= READ_MOST / job->processes)
        read_all(s, job, 1);
    else
        slices(s, job, 1);
}

/* From member to member in pieces: member r is at piece s − r in step s. */
static void scan(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes, piece = START_BYTES / 4;
    if (m <= LINE || m <= READ_MOST / p) {
        read_all(s, job, p);
        return;
    }
    while (piece < PIECE && piece * piece / (2 * START_BYTES) < m / (p - 1)) piece *= 2;
    cut c = cut_of(m, job->segment_bytes > 0 ? job->segment_bytes : piece, CELL);
    for (int64_t step = 0, times; step < c.pieces + p - 1 && !s->failed; step += times) {
        times = steady(step, p, c.pieces);
        int64_t first = step - c.pieces + 1 > 0 ? step - c.pieces + 1 : 0, busy = least(step, p - 1) - first + 1;
        stage(s, step > 0, times, (doing[]){{busy, SUP_FOLD, c.bytes, 1}}, 1);
        stage(s, 0, times, (doing[]){{busy, SUP_COPY, c.bytes, 1}}, 1);
    }
}

static void reduce_scatter(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes;
    cut c = job->bytes <= PAGE / p ? (cut){1, job->bytes} : rounds_of(job, p);
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, p - 1}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_FOLD, c.bytes, p - 1}}, 1);
}

/* ---- blocks ---- */

/* From the owner's memory, without a cell between, and word of it: before and behind. */
static void direct(sup_stages *s, const sup_job *job, int64_t count) {
    stage(s, 1, 1, (doing[]){{job->processes, SUP_COPY, job->bytes, count}}, 1);
    stage(s, 1, 1, NULL, 0);
}

/* `in.ranks` copy blocks into cells, `out.ranks` out of them; in rounds writers and readers at the same time. */
static void through(sup_stages *s, cut c, doing in, doing out) {
    in.bytes = out.bytes = c.bytes;
    stage(s, 0, 1, &in, 1);
    if (c.pieces > 1) stage(s, 1, c.pieces - 1, (doing[]){in, out}, 2);
    stage(s, 1, 1, &out, 1);
}

static void allgather(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes;
    if (m >= DIRECT_LEAST_ALL && p <= DIRECT_MEMBERS_ALL && !job->segment_bytes) {
        direct(s, job, p);
        return;
    }
    cut c = m <= PAGE ? (cut){1, m} : rounds_of(job, 1);
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, 2}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, p - 1}}, 1);
}

static void alltoall(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes;
    if (m >= DIRECT_LEAST && !job->segment_bytes) {
        direct(s, job, p);
        return;
    }
    cut c = m <= PAGE / p ? (cut){1, m} : rounds_of(job, p);
    stage(s, 0, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, p}}, 1);
    stage(s, 1, c.pieces, (doing[]){{p, SUP_COPY, c.bytes, p - 1}}, 1);
}

static void scatter(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes;
    if (m >= DIRECT_LEAST && !job->segment_bytes)
        direct(s, job, 1);
    else
        through(s, m <= PAGE / p ? (cut){1, m} : rounds_of(job, p), (doing){1, SUP_COPY, 0, p},
                (doing){p - 1, SUP_COPY, 0, 1});
}

static void gather(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, m = job->bytes;
    if (m >= DIRECT_LEAST && !job->segment_bytes)
        direct(s, job, 1);
    else
        through(s, m <= PAGE ? (cut){1, m} : rounds_of(job, 1), (doing){p - 1, SUP_COPY, 0, 1},
                (doing){1, SUP_COPY, 0, p});
}

/* ---- all ---- */

static void (*const of_operation[SUP_OPERATIONS])(sup_stages *s, const sup_job *job) = {
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
    sup_job j = *job;
    if (choice->segment_bytes) j.segment_bytes = choice->segment_bytes;
    if (choice->radix) j.radix = choice->radix;
    if (j.operation == SUP_BARRIER) j.bytes = 0;
    if (j.processes > 1 && (j.bytes > 0 || j.operation == SUP_BARRIER)) of_operation[j.operation](&s, &j);
    sup_status status = sup_stages_status(&s, diag);
    if (!status)
        *out = s;
    else
        sup_stages_free(&s);
    return status;
}
