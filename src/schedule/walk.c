/* The actions of one rank as calls, places of blocks, parts and segments (walk.h). */
#include "schedule/walk.h"

/* Stages are counted in an int; more segments than this gain nothing. */
enum { SEGMENTS_MOST = 1 << 20 };

sup_walk sup_walk_of(const sup_job *job, int64_t rank, sup_walker *walker) {
    return (sup_walk){.job = job, .rank = rank, .processes = job->processes, .walker = walker, .status = SUP_OK};
}

static void tell(sup_walk *walk, const sup_action *action) {
    if (!walk->status) walk->status = walk->walker->take(walk->walker, action);
}

void sup_walk_send(sup_walk *walk, int64_t peer, int buffer, int64_t at, int64_t bytes) {
    if (bytes)
        tell(walk,
             &(sup_action){
                 .kind = SUP_SEND, .stage = walk->stage, .peer = peer, .buffer = buffer, .at = at, .bytes = bytes});
}

void sup_walk_receive(sup_walk *walk, int64_t peer, int buffer, int64_t at, int64_t bytes) {
    if (bytes)
        tell(walk,
             &(sup_action){
                 .kind = SUP_RECEIVE, .stage = walk->stage, .peer = peer, .buffer = buffer, .at = at, .bytes = bytes});
}

void sup_walk_copy(sup_walk *walk, int buffer, int64_t at, int to, int64_t to_at, int64_t bytes) {
    if (bytes)
        tell(walk, &(sup_action){.kind = SUP_COPY,
                                 .stage = walk->stage,
                                 .peer = -1,
                                 .buffer = buffer,
                                 .at = at,
                                 .to = to,
                                 .to_at = to_at,
                                 .bytes = bytes});
}

void sup_walk_fold(sup_walk *walk, int buffer, int64_t at, int to, int64_t to_at, int64_t bytes, bool before) {
    if (bytes)
        tell(walk, &(sup_action){.kind = SUP_FOLD,
                                 .stage = walk->stage,
                                 .peer = -1,
                                 .buffer = buffer,
                                 .at = at,
                                 .to = to,
                                 .to_at = to_at,
                                 .bytes = bytes,
                                 .before = before});
}

void sup_walk_signal(sup_walk *walk, int64_t peer, bool send) {
    tell(walk,
         &(sup_action){.kind = send ? SUP_SEND : SUP_RECEIVE, .stage = walk->stage, .peer = peer, .buffer = SUP_TEMP});
}

/* ---- blocks ---- */

/* Block i of P. */
static sup_piece block_of(const sup_job *job, const int64_t *bytes, const int64_t *at, int64_t i) {
    sup_piece piece = {.at = at ? at[i] : bytes ? 0 : i * job->bytes, .bytes = bytes ? bytes[i] : job->bytes};
    for (int64_t k = 0; bytes && !at && k < i; k++) piece.at += bytes[k];
    return piece;
}

sup_piece sup_job_in(const sup_job *job, int64_t i) {
    if (job->operation == SUP_GATHER || job->operation == SUP_ALLGATHER) {
        const int64_t *own = job->in_bytes ? job->in_bytes : job->out_bytes ? job->out_bytes + i : &job->bytes;
        return (sup_piece){.bytes = *own};
    }
    return block_of(job, job->in_bytes, job->in_at, i);
}

sup_piece sup_job_out(const sup_job *job, int64_t i) {
    if (job->operation == SUP_SCATTER || job->operation == SUP_REDUCE_SCATTER) {
        const int64_t *own = job->out_bytes ? job->out_bytes : job->in_bytes ? job->in_bytes + i : &job->bytes;
        return (sup_piece){.bytes = *own};
    }
    return block_of(job, job->out_bytes, job->out_at, i);
}

bool sup_job_uneven(const sup_job *job) { return job->in_bytes || job->in_at || job->out_bytes || job->out_at; }

bool sup_job_folds(const sup_job *job) {
    switch (job->operation) {
    case SUP_REDUCE:
    case SUP_ALLREDUCE:
    case SUP_REDUCE_SCATTER:
    case SUP_SCAN:
    case SUP_EXSCAN: return true;
    default: return false;
    }
}

/* ---- parts and segments ---- */

static int64_t unit_of(const sup_job *job) { return sup_job_folds(job) && job->element ? job->element : 1; }

/* The vector in `parts` of almost one size, cut between elements: where part i begins; i = parts: the end. */
static int64_t cut_at(const sup_job *job, int64_t parts, int64_t i) {
    int64_t unit = unit_of(job), units = job->bytes / unit, more = units % parts;
    return unit * (units / parts * i + (i < more ? i : more));
}

sup_piece sup_job_parts(const sup_job *job, int64_t parts, int64_t i, int64_t count) {
    int64_t at = cut_at(job, parts, i);
    return (sup_piece){.at = at, .bytes = cut_at(job, parts, i + count) - at};
}

static int64_t segment_of(const sup_job *job) {
    int64_t unit = unit_of(job), segment = job->segment_bytes;
    if (!segment || segment >= job->bytes) return job->bytes;
    int64_t least = job->bytes / SEGMENTS_MOST + 1;
    if (segment < least) segment = least;
    return segment < unit ? unit : segment / unit * unit;
}

int64_t sup_job_segments(const sup_job *job) {
    int64_t segment = segment_of(job);
    return segment ? job->bytes / segment + (job->bytes % segment != 0) : 0;
}

sup_piece sup_job_segment(const sup_job *job, int64_t k) {
    int64_t segment = segment_of(job), at = k * segment, left = job->bytes - at;
    return (sup_piece){.at = at, .bytes = left < segment ? left : segment};
}

/* ---- powers of two ---- */

int64_t sup_power_above(int64_t n) {
    int64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

int64_t sup_power_below(int64_t n) {
    int64_t power = 1;
    while (power <= n / 2) power *= 2;
    return power;
}

int sup_doublings(int64_t n) {
    int rounds = 0;
    for (int64_t power = 1; power < n; power *= 2) rounds++;
    return rounds;
}

int64_t sup_subtree(int64_t v, int64_t n) {
    int64_t size = v ? v & -v : n;
    return size < n - v ? size : n - v;
}
