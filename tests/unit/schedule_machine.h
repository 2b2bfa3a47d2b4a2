/* A machine on paper for schedules of collective operations: carries out the actions of all ranks by the rules of
 * schedule.h and keeps of every byte whose contributions it is made of, in which order and brackets. Messages wait for
 * each other at both ends, the hardest case that the rules allow. What breaks a rule stops it with a reason. */
#ifndef SUP_TEST_SCHEDULE_MACHINE_H
#define SUP_TEST_SCHEDULE_MACHINE_H

#include "schedule/schedule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 128 };

/* What a byte is: byte `byte` of the vectors of some ranks, folded. */
typedef struct cell {
    uint64_t set[2];   /* whose; none: not known */
    int64_t byte;      /* which one; of blocks: block << 32 | byte of it */
    int first, last;   /* the ranks, if they are neighbours joined in order; else last < first */
    uint64_t brackets; /* equal for equal brackets */
} cell;

typedef struct rank_state {
    sup_job job;
    int64_t numbers[4 * RANKS_MOST]; /* its arrays */
    cell *memory;
    int64_t base[3], size[3];
    sup_action *action;
    size_t count, room, next;
    size_t *under_way, ways;
} rank_state;

typedef struct machine {
    sup_walker walker;
    const sup_algorithm *algorithm;
    int64_t processes;
    rank_state *rank;
    rank_state *walking;
    bool aliased;
    char error[256]; /* "": none */
} machine;

static bool machine_fails(machine *m, const char *format, ...) {
    if (*m->error) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->error, sizeof m->error, format, arguments);
    va_end(arguments);
    return false;
}

static cell leaf_cell(int64_t rank, int64_t byte) {
    cell c = {.byte = byte, .first = (int)rank, .last = (int)rank, .brackets = (uint64_t)rank + 1};
    c.set[rank / 64] = (uint64_t)1 << (rank % 64);
    return c;
}

static bool cell_known(const cell *c) { return c->set[0] | c->set[1]; }

static cell joined_cell(const cell *a, const cell *b) {
    cell c = {.set = {a->set[0] | b->set[0], a->set[1] | b->set[1]}, .byte = a->byte, .first = 1, .last = 0};
    if (a->first <= a->last && b->first <= b->last && a->last + 1 == b->first) c.first = a->first, c.last = b->last;
    c.brackets = (a->brackets * 0x9e3779b97f4a7c15u ^ (b->brackets + 0x7f4a7c15u)) * 0xbf58476d1ce4e5b9u + 1;
    return c;
}

static int64_t whole_of(const rank_state *r, int buffer, int64_t at, int64_t bytes) {
    return at >= 0 && bytes >= 0 && at + bytes <= r->size[buffer] ? r->base[buffer] + at : -1;
}

static bool overlap(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

/* A message may begin if it touches nothing that is under way, unless both only read. */
static bool machine_begins(machine *m, int64_t rank, const sup_action *a) {
    rank_state *r = &m->rank[rank];
    int64_t at = whole_of(r, a->buffer, a->at, a->bytes);
    if (at < 0) return machine_fails(m, "rank %d: message outside of buffer %d", (int)rank, a->buffer);
    if (a->peer < 0 || a->peer >= m->processes || a->peer == rank)
        return machine_fails(m, "rank %d: message with rank %d", (int)rank, (int)a->peer);
    if (a->kind == SUP_RECEIVE && a->buffer == SUP_IN && a->bytes)
        return machine_fails(m, "rank %d receives into IN", (int)rank);
    for (size_t k = 0; k < r->ways; k++) {
        const sup_action *b = &r->action[r->under_way[k]];
        if ((a->kind == SUP_RECEIVE || b->kind == SUP_RECEIVE) &&
            overlap(at, a->bytes, r->base[b->buffer] + b->at, b->bytes))
            return machine_fails(m, "rank %d: messages of stage %d touch each other", (int)rank, a->stage);
    }
    r->under_way[r->ways++] = r->next;
    return true;
}

static bool machine_works(machine *m, int64_t rank, const sup_action *a) {
    rank_state *r = &m->rank[rank];
    int64_t from = whole_of(r, a->buffer, a->at, a->bytes), to = whole_of(r, a->to, a->to_at, a->bytes);
    int64_t element = r->job.element ? r->job.element : 1;
    if (from < 0 || to < 0) return machine_fails(m, "rank %d: stage %d works outside of buffers", (int)rank, a->stage);
    if (a->to == SUP_IN) return machine_fails(m, "rank %d writes to IN", (int)rank);
    if (a->kind == SUP_COPY && from == to) return true;
    if (overlap(from, a->bytes, to, a->bytes)) return machine_fails(m, "rank %d: places overlap", (int)rank);
    if (a->kind == SUP_FOLD && (a->bytes % element || a->at % element || a->to_at % element))
        return machine_fails(m, "rank %d folds parts of elements", (int)rank);
    for (int64_t k = 0; k < a->bytes; k++) {
        cell *x = &r->memory[from + k], *y = &r->memory[to + k];
        if (!cell_known(x)) return machine_fails(m, "rank %d, stage %d: reads what is not there", (int)rank, a->stage);
        if (a->kind == SUP_COPY) {
            *y = *x;
            continue;
        }
        if (!cell_known(y)) return machine_fails(m, "rank %d, stage %d: folds into nothing", (int)rank, a->stage);
        if (x->byte != y->byte) return machine_fails(m, "rank %d, stage %d: folds other bytes", (int)rank, a->stage);
        if (x->set[0] & y->set[0] || x->set[1] & y->set[1])
            return machine_fails(m, "rank %d, stage %d: folds somebody twice", (int)rank, a->stage);
        *y = a->before ? joined_cell(x, y) : joined_cell(y, x);
        if (a->buffer == SUP_TEMP) memset(x, 0, sizeof *x);
    }
    return true;
}

/* As far as this rank gets by itself. Says whether it did anything. */
static bool machine_advances(machine *m, int64_t rank) {
    rank_state *r = &m->rank[rank];
    bool any = false;
    for (; r->next < r->count && !*m->error; r->next++, any = true) {
        const sup_action *a = &r->action[r->next];
        bool message = a->kind == SUP_SEND || a->kind == SUP_RECEIVE;
        if (r->next && a->stage < a[-1].stage) machine_fails(m, "rank %d: stage %d comes late", (int)rank, a->stage);
        if (a->stage < 0) machine_fails(m, "rank %d: stage %d", (int)rank, a->stage);
        if (r->ways && (!message || a->stage != r->action[r->under_way[0]].stage)) break;
        if (!a->bytes && r->job.operation != SUP_BARRIER) machine_fails(m, "rank %d: action of no bytes", (int)rank);
        if (!(message ? machine_begins(m, rank, a) : machine_works(m, rank, a))) break;
    }
    return any;
}

static void ended(rank_state *r, size_t k) {
    memmove(r->under_way + k, r->under_way + k + 1, (--r->ways - k) * sizeof *r->under_way);
}

/* The first message of `from` to `to` that both wait for, if it is a pair. */
static bool machine_carries(machine *m, int64_t from, size_t k) {
    rank_state *r = &m->rank[from];
    const sup_action *a = &r->action[r->under_way[k]];
    if (a->kind != SUP_SEND) return false;
    for (size_t j = 0; j < k; j++) {
        const sup_action *earlier = &r->action[r->under_way[j]];
        if (earlier->kind == SUP_SEND && earlier->peer == a->peer) return false;
    }
    rank_state *to = &m->rank[a->peer];
    for (size_t j = 0; j < to->ways; j++) {
        const sup_action *b = &to->action[to->under_way[j]];
        if (b->kind != SUP_RECEIVE || b->peer != from) continue;
        if (a->bytes != b->bytes || a->stage != b->stage)
            return machine_fails(m, "%d to %d: %d bytes in stage %d are received as %d in stage %d", (int)from,
                                 (int)a->peer, (int)a->bytes, a->stage, (int)b->bytes, b->stage);
        cell *x = r->memory + r->base[a->buffer] + a->at, *y = to->memory + to->base[b->buffer] + b->at;
        for (int64_t i = 0; i < a->bytes; i++) {
            if (!cell_known(x + i))
                return machine_fails(m, "rank %d, stage %d: sends what is not there", (int)from, a->stage);
            y[i] = x[i];
        }
        ended(to, j);
        ended(r, k);
        return true;
    }
    return false;
}

static bool machine_run(machine *m) {
    for (bool any = true; any && !*m->error;) {
        any = false;
        for (int64_t r = 0; r < m->processes; r++) {
            any |= machine_advances(m, r);
            for (size_t k = 0; k < m->rank[r].ways && !*m->error;) {
                if (machine_carries(m, r, k))
                    any = true;
                else
                    k++;
            }
        }
    }
    for (int64_t r = 0; r < m->processes && !*m->error; r++)
        if (m->rank[r].next < m->rank[r].count || m->rank[r].ways)
            machine_fails(m, "rank %d waits for ever in stage %d", (int)r,
                          m->rank[r].action[m->rank[r].ways ? m->rank[r].under_way[0] : m->rank[r].next].stage);
    return !*m->error;
}

static sup_status machine_takes(sup_walker *walker, const sup_action *action) {
    machine *m = (machine *)walker;
    rank_state *r = m->walking;
    if (r->count == r->room) {
        r->room = 2 * r->room + 64;
        r->action = reallocarray(r->action, r->room, sizeof *r->action);
        if (!r->action) abort();
    }
    r->action[r->count++] = *action;
    return SUP_OK;
}

static void machine_free(machine *m) {
    for (int64_t r = 0; r < m->processes; r++) {
        free(m->rank[r].memory);
        free(m->rank[r].action);
        free(m->rank[r].under_way);
    }
    free(m->rank);
}

#endif
