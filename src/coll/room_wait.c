/* The slow half of waiting in a room (room_work.h): looks, turns of the net, sleep, and whether somebody is gone. */
#include "base/clock.h"
#include "coll/room_work.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FIRST_LOOKS = 1000, /* back to back, for less than a microsecond: most waits of an operation are over by then, */
    MORE_LOOKS = 100, /* … and nearly all after some microseconds more: a turn of MPI takes as long as a short wait */
    SPIN_NS = 10000000, /* … then turns of the net between looks, for so long, before the core is given away: the one
                           waited for may be off its core for a slice or two of the scheduler. Who sleeps meanwhile
                           has the other moved to its own core, where they stay together: 2 to 8 µs an allreduce beside
                           one busy process of others instead of 0.4 */
    SPIN_LOOKS = 16,    /* … between two turns and readings of the clock */
    TURN_EVERY = 8,     /* looks between two turns of the net, which may be a call of MPI */
    NOTE_EVERY = 16,    /* short waits between two times that a member says where it is */
    ALL_EVERY = 8       /* naps between two looks at whether all members are there */
};

/* Says to those that post that this member sleeps. What they posted before is seen by the look that follows: they have
 * a fence between the store and the look at the sleepers, or this call makes one for all of them. */
static void lie_down(sup_room *room) {
    atomic_fetch_or(&room->sleepers[room->self / 64], (uint64_t)1 << room->self % 64);
    if (!room->fenced) (void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

static void get_up(sup_room *room) {
    atomic_fetch_and(&room->sleepers[room->self / 64], ~((uint64_t)1 << room->self % 64));
}

void sup_room_wake(sup_room *room) {
    for (int i = 0; i < room->words; i++) {
        uint64_t asleep = atomic_load_explicit(&room->sleepers[i], memory_order_relaxed);
        for (; asleep; asleep &= asleep - 1) {
            int member = 64 * i + __builtin_ctzll(asleep);
            if (member == room->self || member >= room->size) continue;
            /* nobody waits for this word: it is the bell that counts */
            uint64_t rings = sup_net_peek_published(room->net, room->net->rank, room->slot);
            (void)sup_net_publish(room->net, room->slot, rings + 1, &room->ranks[member], 1);
        }
    }
}

void sup_room_break(sup_room *room, sup_status st) {
    uint32_t none = 0; /* the first one is the cause */
    atomic_compare_exchange_strong(&room->head->broken, &none, (uint32_t)(-st));
    sup_room_wake(room);
}

/* Dead, or it has closed the room: what has not come from it by now will not. */
static bool is_gone(const sup_room *room, int member) {
    if (member == room->self) return false;
    return kill(atomic_load(&room->card[member].pid), 0) && errno == ESRCH;
}

static bool has_left(const sup_room *room, int member) { return atomic_load(&room->card[member].left); }

/* Whether there is still something to wait for. */
static sup_status look_around(sup_room *room, int member, uint32_t naps) {
    sup_status st = -(sup_status)atomic_load(&room->head->broken);
    if (!st) st = sup_net_failure(room->net, NULL, NULL);
    if (!st && (is_gone(room, member) || has_left(room, member))) st = SUP_EPEER;
    for (int i = 0; i < room->size && !st && naps % ALL_EVERY == 0; i++)
        if (is_gone(room, i) && !has_left(room, i)) st = SUP_EPEER;
    return st;
}

static bool is_there(const _Atomic uint64_t *word, uint64_t at_least) {
    return atomic_load_explicit(word, memory_order_acquire) >= at_least;
}

/* Says where this member is. */
static int note_core(sup_room *room) {
    int here = sched_getcpu() + 1;
    _Atomic int *mine = &room->card[room->self].cpu;
    if (atomic_load_explicit(mine, memory_order_relaxed) != here)
        atomic_store_explicit(mine, here, memory_order_relaxed);
    return here;
}

/* The one waited for may want this very core: the system puts both on one when others are busy, and each would keep it
 * from the other for as long as it spins. */
static void make_way(sup_room *room, int member) {
    int here = note_core(room);
    room->together = here > 0 && atomic_load_explicit(&room->card[member].cpu, memory_order_relaxed) == here;
    if (room->together) sched_yield();
}

/* Before anything else is done. */
static bool comes_soon(sup_room *room, int member, const _Atomic uint64_t *word, uint64_t at_least) {
    if (room->together)
        make_way(room, member);
    else if (++room->waits % NOTE_EVERY == 0)
        (void)note_core(room);
    for (int i = 0; i < FIRST_LOOKS; i++)
        if (is_there(word, at_least)) return true;
    make_way(room, member);
    for (int i = 0; i < MORE_LOOKS; i++) {
        if (is_there(word, at_least)) return true;
        sup_cpu_relax();
    }
    return false;
}

/* Without giving the core away, but to the one waited for. */
static sup_status spin(sup_room *room, int member, const _Atomic uint64_t *word, uint64_t at_least, bool *there) {
    int64_t until = sup_clock_ns() + SPIN_NS;
    sup_status st = SUP_OK;
    *there = false;
    while (!st && sup_clock_ns() < until) {
        for (int i = 0; i < SPIN_LOOKS; i++) {
            *there = is_there(word, at_least);
            if (*there) return SUP_OK;
            sup_cpu_relax();
        }
        make_way(room, member);
        st = sup_net_progress(room->net);
    }
    return st;
}

/* For as long as it takes. */
static sup_status wait_long(sup_room *room, int member, const _Atomic uint64_t *word, uint64_t at_least) {
    sup_net *net = room->net;
    sup_wait w = SUP_WAIT_INIT;
    sup_status st = SUP_OK;
    bool lying = false;
    uint32_t naps = 0;
    while (!is_there(word, at_least) && !st) {
        sup_net_pause_rung(net, &w);
        if (w.armed && !lying) {
            lie_down(room);
            lying = true;
        }
        if (w.armed || ++room->idle % TURN_EVERY == 0) st = sup_net_progress(net);
        if (st || w.armed || !w.nap_ns) continue; /* it has not slept just now */
        st = look_around(room, member, naps++);
        /* what it posted before it left counts: look again after seeing it gone */
        if (st && is_there(word, at_least)) st = SUP_OK;
    }
    sup_net_waited_rung(net, &w);
    if (lying) get_up(room);
    return st;
}

sup_status sup_room_wait(sup_room *room, int member, const _Atomic uint64_t *word, uint64_t at_least) {
    bool there = !room->impatient && comes_soon(room, member, word, at_least);
    sup_status st = there || room->impatient ? SUP_OK : spin(room, member, word, at_least, &there);
    if (!st && !there) st = wait_long(room, member, word, at_least);
    if (st) sup_room_break(room, st);
    return st;
}

sup_status sup_room_wait_free(sup_room *room, sup_room_ring *ring, uint64_t cell) {
    uint64_t least = cell - ring->count + 1, safe = ring->next > cell ? ring->next : cell;
    for (int i = 0; i < room->size; i++) {
        if (i == room->self) continue;
        const _Atomic uint64_t *done = &room->card[i].done[ring->size];
        uint64_t there = atomic_load_explicit(done, memory_order_acquire);
        if (there < least) {
            sup_status st = sup_room_wait(room, i, done, least);
            if (st) return st;
            there = atomic_load_explicit(done, memory_order_acquire);
        }
        if (there < safe) safe = there;
    }
    sup_room_passed(ring, safe);
    return SUP_OK;
}
