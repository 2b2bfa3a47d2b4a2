/* Stages of collectives in memory that all members share (algorithm "shared", src/coll/shared_OPERATION.c), which have
 * no messages: chunks are copied in, folded by slices, copied out, and everybody waits for signals in between (TAU
 * §4.2: head, body and tail of a pipeline). Term Tcomm inside a host. */
#include "model/collective_stages.h"

/* As src/coll/room.c and shared_broadcast.c have them. */
enum { PAGE = 4096, CHUNK = 32768, PIECES = 4 };

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

/* How many chunks of a vector of so many bytes, and how long each of them is. */
typedef struct cut {
    int64_t chunks, bytes;
} cut;

static cut cut_of(int64_t bytes, int64_t segment, int64_t pieces) {
    if (bytes <= PAGE) return (cut){1, bytes};
    int64_t piece = segment > 0 ? segment : pieces ? bytes / pieces : CHUNK;
    if (piece < PAGE) piece = PAGE;
    if (piece > CHUNK) piece = CHUNK;
    int64_t chunks = (bytes + piece - 1) / piece;
    return (cut){chunks, (bytes + chunks - 1) / chunks};
}

/* Level d of a tree of radix g reads chunk s − d in step s; who has children copies twice, for them and for itself. */
static void broadcast(sup_stages *s, const sup_job *job) {
    int64_t p = job->processes, g = job->radix > 0 && job->radix < p ? job->radix : p - 1;
    cut c = cut_of(job->bytes, job->segment_bytes, PIECES);
    int64_t level[64] = {1}, left = p - 1;
    int levels = 1;
    for (; left > 0 && levels < 64; levels++) {
        level[levels] = level[levels - 1] > left / g ? left : level[levels - 1] * g;
        left -= level[levels];
    }
    for (int64_t step = 0; step < c.chunks + levels - 1 && !s->failed; step++) {
        doing all[3] = {{0, SUP_COPY, c.bytes, 1}, {0, SUP_COPY, c.bytes, 2}, {0, SUP_COPY, c.bytes, 1}}, some[3];
        size_t n = 0;
        for (int d = 0; d < levels; d++) {
            if (step < d || step - d >= c.chunks) continue;
            int64_t inner = d + 1 < levels ? (level[d + 1] + g - 1) / g : 0;
            if (!d)
                all[0].ranks = 1;
            else
                all[1].ranks += inner, all[2].ranks += level[d] - inner;
        }
        for (size_t i = 0; i < 3; i++)
            if (all[i].ranks) some[n++] = all[i];
        stage(s, step > 0, 1, some, n);
    }
    sup_stages_fold(s);
}

/* Chunk after chunk: everybody writes its own, folds its slice of all, then `readers` read the result. All chunks are
 * alike, so that each stage counts so often. */
static void reduction(sup_stages *s, const sup_job *job, int64_t bytes, int64_t readers, int64_t read) {
    int64_t p = job->processes;
    cut c = cut_of(bytes, job->segment_bytes, 0);
    stage(s, 0, c.chunks, (doing[]){{p, SUP_COPY, c.bytes, 1}}, 1);
    stage(s, 1, c.chunks, (doing[]){{p, SUP_FOLD, (c.bytes + p - 1) / p, p - 1}}, 1);
    stage(s, 1, c.chunks, (doing[]){{readers, SUP_COPY, (read + c.chunks - 1) / c.chunks, 1}}, 1);
}

/* `writers` copy `in` bytes into the room, `readers` copy `count` times `out` bytes out of it. */
static void through(sup_stages *s, const sup_job *job, doing in, doing out) {
    cut c = cut_of(in.bytes > out.bytes ? in.bytes : out.bytes, job->segment_bytes, 0);
    in.bytes = (in.bytes + c.chunks - 1) / c.chunks;
    out.bytes = (out.bytes + c.chunks - 1) / c.chunks;
    stage(s, 0, c.chunks, &in, 1);
    stage(s, 1, c.chunks, &out, 1);
}

sup_status sup_stages_shared(const sup_choice *choice, const sup_job *job, sup_diag *diag, sup_stages *out) {
    sup_stages s = {0};
    sup_job j = *job;
    int64_t p = j.processes, m = j.bytes;
    if (choice->segment_bytes) j.segment_bytes = choice->segment_bytes;
    if (choice->radix) j.radix = choice->radix;
    if (p > 1 && (m > 0 || j.operation == SUP_BARRIER)) switch (j.operation) {
        case SUP_BROADCAST: broadcast(&s, &j); break;
        case SUP_SCATTER: through(&s, &j, (doing){1, SUP_COPY, m, p - 1}, (doing){p, SUP_COPY, m, 1}); break;
        case SUP_GATHER: through(&s, &j, (doing){p - 1, SUP_COPY, m, 1}, (doing){1, SUP_COPY, m, p}); break;
        case SUP_ALLGATHER: through(&s, &j, (doing){p, SUP_COPY, m, 1}, (doing){p, SUP_COPY, m, p}); break;
        case SUP_ALLTOALL: through(&s, &j, (doing){p, SUP_COPY, m, p}, (doing){p, SUP_COPY, m, p}); break;
        case SUP_REDUCE: reduction(&s, &j, m, 1, m); break;
        case SUP_REDUCE_SCATTER: reduction(&s, &j, p * m, p, m); break;
        case SUP_BARRIER: stage(&s, 1, 1, NULL, 0); break;
        default: reduction(&s, &j, m, p, m); break; /* allreduce, scan, exscan */
        }
    sup_status status = sup_stages_status(&s, diag);
    if (!status)
        *out = s;
    else
        sup_stages_free(&s);
    return status;
}
