/* The slow half of waiting in a room (room/work.h): turns of the net, who is woken, and whether somebody is gone. How
 * long a member looks before it sleeps is net/wait.h's. */
#include "coll/room/work.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MORE_LOOKS = 100, /* with a pause, before the net has its turns: one of MPI takes as long as a short wait */
    TURN_EVERY = 16,  /* looks between two turns of the net */
    NOTE_EVERY = 16,  /* short waits between two times that a member says where it is */
    ALL_EVERY = 8     /* naps between two looks at whether all members are there */
};

/* Says to those that post that this member sleeps, and for whose word. What they posted before is seen by the look that
 * follows: they have a fence between the store and the look at the sleepers, or this call makes one for all of them. */
static void sleeper_register(sup_room *room, int member) {
    atomic_store_explicit(&room->card[room->self].awaits, member, memory_order_relaxed);
    atomic_fetch_or(&room->sleepers[room->self / 64], (uint64_t)1 << room->self % 64);
    if (room->fenced)
        atomic_thread_fence(memory_order_seq_cst); /* theirs needs one on this side, too */
    else
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

static void sleeper_leave(sup_room *room) {
    atomic_fetch_and(&room->sleepers[room->self / 64], ~((uint64_t)1 << room->self % 64));
}

/* From the next member on, so that those who wake others for the same word begin with different ones. Nobody waits for
 * the word that is published: it is the bell that counts, and who has been rung already costs a load. */
void sup_room_wake(sup_room *room, int member) {
    for (int k = 1; k < room->size; k++) {
        int i = (room->self + k) % room->size;
        if (!(atomic_load_explicit(&room->sleepers[i / 64], memory_order_acquire) >> i % 64 & 1)) continue;
        int awaited = atomic_load_explicit(&room->card[i].awaits, memory_order_relaxed);
        if (member != SUP_ROOM_ALL && awaited != member) continue;
        uint64_t rings = sup_net_peek_published(room->net, room->net->rank, room->slot);
        (void)sup_net_publish(room->net, room->slot, rings + 1, &room->ranks[i], 1);
    }
}

void sup_room_break(sup_room *room, sup_status st) {
    uint32_t none = 0; /* the first one is the cause */
    atomic_compare_exchange_strong(&room->head->broken, &none, (uint32_t)(-st));
    sup_room_wake(room, SUP_ROOM_ALL);
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

/* A turn behind the first looks: the net goes on, and somebody may be gone. */
static sup_status take_turn(sup_room *room, const sup_wait *w, int member, uint32_t *naps) {
    if (!room->impatient) make_way(room, member);
    sup_status st = sup_net_progress(room->net);
    if (st || w->armed || !w->nap_ns) return st; /* it has not slept just now */
    return look_around(room, member, (*naps)++);
}

/* Several may wait for one word: who has been woken wakes others, so that the writer does not do it for all of them. */
sup_status sup_room_wait(sup_room *room, int member, const _Atomic uint64_t *word, uint64_t at_least) {
    sup_wait w = SUP_WAIT_INIT;
    sup_status st = SUP_OK;
    bool lying = false;
    uint32_t naps = 0;
    int turns = room->impatient ? 0 : -MORE_LOOKS;
    if (room->together)
        make_way(room, member);
    else if (!room->impatient && ++room->waits % NOTE_EVERY == 0)
        (void)note_core(room);
    while (!is_there(word, at_least) && !st) {
        sup_wait_pause(&w, &room->patience, room->net->bell);
        if (w.turns < room->patience.looks) continue;
        if (w.armed && !lying) {
            sleeper_register(room, member);
            lying = true;
        }
        if (turns == -MORE_LOOKS) make_way(room, member);
        turns++;
        if (w.armed || w.nap_ns || (turns > 0 && turns % TURN_EVERY == 0)) st = take_turn(room, &w, member, &naps);
        /* what it posted before it left counts: look again after seeing it gone */
        if (st && is_there(word, at_least)) st = SUP_OK;
    }
    sup_wait_end(&w, &room->patience, room->net->bell);
    if (lying) sleeper_leave(room);
    if (lying && w.nap_ns && !st) sup_room_wake(room, member);
    if (st) sup_room_break(room, st);
    return st;
}

sup_status sup_room_wait_free(sup_room *room, sup_room_ring *ring, uint64_t cell) {
    if (ring->safe == sup_room_untouched(ring)) {
        sup_room_touch(room, ring);
        ring->safe = 0;
        if (cell < ring->count) return SUP_OK;
    }
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
    sup_room_all_consumed(ring, safe);
    return SUP_OK;
}
