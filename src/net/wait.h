/* Waiting: look while it is likely to be short, then sleep until somebody rings.
 *
 *     sup_wait w = SUP_WAIT_INIT;
 *     while (!condition()) sup_wait_pause(&w, &patience, bell);
 *     sup_wait_end(&w, &patience, bell);
 *
 * and the one who makes the condition true:
 *
 *     make_it_true();
 *     sup_bell_ring(bell_of_the_other);
 *
 * To sleep and be woken takes some 5 to 50 µs, and the longer a core has slept the more. So who has a core to itself
 * goes on looking, for as long as any imbalance of a superstep lasts, while nobody else wants the core
 * (net/core_share.h). Where somebody does the core is what is short: a process that spins uses up its share while the
 * one it waits for is not even running, and one that yields gives a whole time slice away. One that sleeps keeps its
 * share, and the kernel prefers it when it is woken. So there a process looks for longer than its waits usually last,
 * within bounds, and sleeps after that. How long they last is learned from those that end while it looks, and now and
 * then it looks for longer to find out. Where there are more processes than cores the one waited for may need the very
 * core: no look is long enough, and to yield is best; if a yield takes a whole slice it has met somebody who does not
 * wait, and then it does without for a while.
 *
 * A bell is a word that all who ring it can write. Its owner sets it before the last look; whoever rings looks at it
 * after the condition holds: in one order of all four one of them sees the other. To ring for somebody who is awake
 * costs a fence and a load. Several threads may sleep on one bell; a ring wakes them all, and only a ring says that
 * nobody sleeps there: who has ended its own wait knows nothing of the others. */
#ifndef SUP_NET_WAIT_H
#define SUP_NET_WAIT_H

#include "net/core_share.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sup_bell {
    _Atomic uint32_t wanted; /* 1: the owner sleeps, or is about to */
} sup_bell;

/* How long to look, and how to sleep. */
typedef struct sup_patience {
    uint32_t looks;              /* so many back to back before anything else: an answer is often on its way already */
    uint32_t spin_ns;            /* then looks with a pause instruction between them, for so long … */
    uint32_t spin_max_ns;        /* … or up to so long, where that is seen to bridge them */
    uint32_t spin_busy_ns;       /* … or for so long, where others are on these cores; */
    uint32_t look_ns;            /* … and for so long while nobody else wants this core, here and where it yields */
    bool yields;                 /* then with a yield between them, for a millisecond */
    bool fixed;                  /* somebody has said how long to look */
    bool gives_way;              /* … and no longer once a yield has shown that somebody else needs this core */
    uint32_t nap_ns, nap_max_ns; /* then sleep: the first and the longest time without a ring */
    uint32_t usual_ns, waits;    /* learned: how long waits last that spinning bridges; how many there were */
    uint32_t in_vain;            /* learned: how often it bridged none lately; then it is cut short */
    /* learned about yields: waits since `tried_ns`; waits that still do without, and how many did last time */
    uint32_t tries, no_yield, no_yields;
    int64_t tried_ns;
    uint32_t taken; /* learned where it gives way: waits that still sleep at once */
    sup_core_share share;
} sup_patience;

/* What one process of a superstep may compute for longer than another. Of half a second it is 2 %. */
enum { SUP_LOOK_NS = 12000000 };

/* A process with a core of its own, whose partners all ring. The naps are short all the same: on a core that others
 * use, who wakes now and then is in the queue already when its turn comes. */
#define SUP_PATIENCE_CORE                   \
    ((sup_patience){.looks = 64,            \
                    .spin_ns = 20000,       \
                    .spin_max_ns = 500000,  \
                    .spin_busy_ns = 200000, \
                    .look_ns = SUP_LOOK_NS, \
                    .yields = true,         \
                    .nap_ns = 200000,       \
                    .nap_max_ns = 5000000})
/* Members of a room: most operations are over within a microsecond, and nearly all within the imbalance of a step.
 * Where others are on these cores looking pays for longer than for a process: who sleeps has the other member moved to
 * its own core, where they stay together. */
#define SUP_PATIENCE_ROOM                     \
    ((sup_patience){.looks = 1000,            \
                    .spin_ns = 20000,         \
                    .spin_busy_ns = 10000000, \
                    .look_ns = SUP_LOOK_NS,   \
                    .yields = true,           \
                    .nap_ns = 200000,         \
                    .nap_max_ns = 5000000})
/* Threads, each on a core of its own, that compute for each other, and wait for more to do … */
#define SUP_PATIENCE_POOL                   \
    ((sup_patience){.looks = 64,            \
                    .spin_ns = 100000,      \
                    .spin_busy_ns = 100000, \
                    .look_ns = SUP_LOOK_NS, \
                    .nap_ns = 20000000,     \
                    .nap_max_ns = 200000000})
/* … or more of them than cores: the one waited for needs the core. */
#define SUP_PATIENCE_POOL_CROWD ((sup_patience){.nap_ns = 20000000, .nap_max_ns = 200000000})
/* Threads whose core shall be as idle as it is without them while they have nothing to do. */
#define SUP_PATIENCE_IDLE ((sup_patience){.looks = 64, .spin_ns = 50000, .nap_ns = 20000000, .nap_max_ns = 200000000})
/* More processes than cores: the one waited for may need this very core. */
#define SUP_PATIENCE_CROWD ((sup_patience){.yields = true, .nap_ns = 20000000, .nap_max_ns = 200000000})

/* For an answer that takes a while at best, over a network, but is rung for. On a core of its own a yield comes back at
 * once; if it does not, the one that answers may be who needs the core. */
#define SUP_PATIENCE_FAR \
    ((sup_patience){.look_ns = SUP_LOOK_NS, .yields = true, .gives_way = true, .nap_ns = 50000, .nap_max_ns = 50000})

typedef struct sup_wait {
    uint32_t turns;
    uint32_t yields;
    uint32_t nap_ns;
    bool slow;        /* it is taking long: time to look whether somebody has failed */
    bool stopped;     /* it has looked for long enough */
    bool armed;       /* the bell is set: after one more look, sleep */
    int64_t since_ns; /* 0: it is not known yet when it began */
    int64_t spin_ns;
} sup_wait;

#define SUP_WAIT_INIT ((sup_wait){0})

/* Looks for exactly spin_s seconds before it sleeps, instead of what it learns; 0: sleeps at once. */
void sup_patience_fix(sup_patience *patience, double spin_s);

void sup_wait_slow(sup_wait *w, sup_patience *patience, sup_bell *bell);
void sup_wait_learn(sup_wait *w, sup_patience *patience);
void sup_bell_wake(sup_bell *bell);

static inline void sup_cpu_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* One turn of a loop that waits. bell NULL: nobody rings, the naps have to do. */
static inline void sup_wait_pause(sup_wait *w, sup_patience *patience, sup_bell *bell) {
    if (w->turns < patience->looks)
        w->turns++;
    else
        sup_wait_slow(w, patience, bell);
}

/* Behind the loop. */
static inline void sup_wait_end(sup_wait *w, sup_patience *patience, sup_bell *bell) {
    (void)bell;
    if (w->slow || w->since_ns) sup_wait_learn(w, patience);
}

/* One of several that are rung after one sequentially consistent fence. */
static inline void sup_bell_ring_fenced(sup_bell *bell) {
    if (atomic_load_explicit(&bell->wanted, memory_order_relaxed)) sup_bell_wake(bell);
}

static inline void sup_bell_ring(sup_bell *bell) {
    atomic_thread_fence(memory_order_seq_cst);
    sup_bell_ring_fenced(bell);
}

#endif
