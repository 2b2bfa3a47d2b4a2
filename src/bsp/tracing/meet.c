/* The barrier of a recorded run, before the real one: everybody has come, nobody has begun to synchronise.
 *
 * It carries two things. Bits that are OR-ed: whether anybody has switched recording off. And a number, the sum of what
 * every process says (a hash of what it asked for), so that a process can tell supersteps apart that differ on others
 * only: their syncs take different times, because others send different things to it.
 *
 *     shared memory   the number lies on a card, one for even and one for odd supersteps, and the cards are added up
 *                     when the sync is over; who has passed the next barrier knows that everybody has done that
 *     messages        a dissemination: behind round k a process holds the sum of the 2^k ranks up to itself (whole) and
 *                     that of as many as the lower k bits of P say (part); so nobody is counted twice */
#include "bsp/tracing/trace.h"
#include "net/numbers.h"

#include <stdatomic.h>

typedef struct card {
    _Atomic uint64_t number[2];
} card;

sup_status bsp_trace_meeting_open(bsp_runtime *b, bool numbers, bsp_trace_meeting *m) {
    sup_status st = SUP_OK;
    *m = (bsp_trace_meeting){0};
    if (!sup_net_one_memory(b->net)) return SUP_OK;
    if (numbers) st = sup_net_region_alloc(b->net, sizeof(card), &m->desk);
    if (st || b->pid >= b->nprocs) return st;
    sup_net_group everybody = sup_net_group_first(b->net, b->nprocs);
    sup_pattern pattern = sup_pattern_make(&sup_generator_dissemination, b->nprocs);
    st = sup_barrier_new(&everybody, &pattern, SUP_SLOT_TRACE, &m->barrier);
    if (!st) sup_barrier_begin_at(m->barrier, b->section.origin);
    return st;
}

void bsp_trace_meeting_close(bsp_runtime *b, bsp_trace_meeting *m) {
    bsp_barrier_close(b, m->barrier);
    sup_net_region_free(b->net, m->desk);
    *m = (bsp_trace_meeting){0};
}

typedef struct word {
    uint64_t whole, part, bits;
} word;

/* Where a thread of the engine may be using the net. */
static unsigned meet_by_messages(bsp_runtime *b, bsp_trace_meeting *m, unsigned bits, uint64_t number) {
    word mine = {number, 0, bits};
    for (int step = 1, round = 0; step < b->nprocs; step *= 2, round++) {
        word theirs = {0};
        bsp_swap(b, SUP_TAG_TRACE + round, step, &mine, sizeof mine, &theirs, sizeof theirs);
        if (b->nprocs & step) mine.part = mine.whole + theirs.part;
        mine.whole += theirs.whole;
        mine.bits |= theirs.bits;
    }
    bool power_of_two = (b->nprocs & (b->nprocs - 1)) == 0;
    m->sum = power_of_two ? mine.whole : mine.part;
    return (unsigned)mine.bits;
}

unsigned bsp_trace_meet(bsp_runtime *b, bsp_trace_meeting *m, unsigned bits, uint64_t number) {
    if (!m->barrier) return meet_by_messages(b, m, bits, number);
    if (m->desk) {
        card *mine = m->desk->base;
        m->turn ^= 1;
        atomic_store_explicit(&mine->number[m->turn], number, memory_order_relaxed); /* the signals order it */
    }
    unsigned all = bits;
    sup_status st = sup_barrier_run(m->barrier, bits, &all);
    if (st) bsp_fail_status("bsp_sync", st);
    return all;
}

uint64_t bsp_trace_met(bsp_runtime *b, const bsp_trace_meeting *m) {
    if (!m->barrier) return m->sum;
    uint64_t sum = 0;
    for (int p = 0; m->desk && p < b->nprocs; p++) {
        const card *c = sup_net_direct(b->net, m->desk, p);
        sum += atomic_load_explicit(&c->number[m->turn], memory_order_relaxed);
    }
    return sum;
}
