/* The slow half of waiting (see wait.h): look, yield, sleep on a futex. */
#include "net/wait.h"

#include "base/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    CLOCK_EVERY = 32, /* looks between two readings of the clock, which costs as much as several looks */
    PROBE_EVERY = 16, /* waits: one looks for longer */
    IN_VAIN_MAX = 4,
    FIRST_YIELDS = 8,      /* without more ado, where processes exceed cores: most waits end with these */
    YIELD_NS = 1000000,    /* then even a quick yield is worth less than a sleep */
    TRIES = 4,             /* waits after which yields are judged */
    EXPENSIVE_NS = 500000, /* from one wait to the next */
    WITHOUT_YIELD = 1024,  /* at most so many waits in a row */
    TAKEN_NS = 2000,       /* a yield that takes longer let somebody else run */
    GIVE_WAY = 7           /* so many waits then sleep at once; the next one yields, to see */
};

/* Not FUTEX_PRIVATE: a bell lies in memory that processes share. */
static void futex(sup_bell *bell, int operation, uint32_t value, const struct timespec *limit) {
    (void)syscall(SYS_futex, &bell->wanted, operation, value, limit, NULL, 0);
}

static int64_t spin_limit(sup_patience *p, int64_t now) {
    bool shared = p->no_yield || now < p->share.until_ns;
    int64_t least = shared ? p->spin_busy_ns : p->spin_ns >> p->in_vain;
    int64_t limit = p->waits++ % PROBE_EVERY ? 2 * (int64_t)p->usual_ns : 2 * p->usual_ns + p->spin_ns;
    if (limit > p->spin_max_ns) limit = p->spin_max_ns;
    return limit > least ? limit : least;
}

void sup_patience_fix(sup_patience *p, double spin_s) {
    p->spin_ns = p->spin_max_ns = (uint32_t)(spin_s * 1e9);
    p->looks = spin_s > 0 ? 64 : 0;
    p->fixed = true;
    p->yields = false;
    p->look_ns = 0;
    p->usual_ns = p->in_vain = p->no_yield = 0;
}

/* Says that it will sleep; the caller looks once more before it does. */
static void arm(sup_wait *w, sup_bell *bell) {
    w->armed = true;
    if (!bell) return;
    atomic_store_explicit(&bell->wanted, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

/* Until somebody rings, or the nap is over: not everything that moves a wait on rings. */
static void nap(sup_wait *w, const sup_patience *p, sup_bell *bell) {
    w->nap_ns = !w->nap_ns ? p->nap_ns : w->nap_ns < p->nap_max_ns / 2 ? 2 * w->nap_ns : p->nap_max_ns;
    struct timespec limit = {.tv_nsec = w->nap_ns};
    if (bell)
        futex(bell, FUTEX_WAIT, 1, &limit);
    else
        nanosleep(&limit, NULL);
    w->armed = false;
}

static bool may_keep_core(sup_wait *w, sup_patience *p, int64_t now) {
    return now - w->since_ns < p->look_ns && !sup_core_wanted(&p->share, now, w->since_ns);
}

/* Not at every turn: the clock costs a tenth of a yield. */
static bool yields_on(sup_wait *w, sup_patience *p) {
    if (!p->yields || (p->no_yield && !p->look_ns)) return false;
    if (++w->yields % CLOCK_EVERY && !p->no_yield) return true;
    int64_t now = sup_clock_ns();
    if (!w->since_ns) w->since_ns = now;
    return (!p->no_yield && now - w->since_ns <= YIELD_NS) || may_keep_core(w, p, now);
}

/* Where waits follow each other by a millisecond, either yields give slices to somebody who does not wait, or the
 * program computes for so long that sleeping costs it nothing. Then the next waits sleep at once, and the more of them
 * the more often that is so. */
static void judge_yields(sup_patience *p) {
    if (p->no_yield) {
        p->no_yield--;
        p->tries = 0;
        return;
    }
    if (p->tries++ % TRIES) return;
    int64_t now = sup_clock_ns(), passed = now - p->tried_ns;
    p->tried_ns = now;
    if (p->tries == 1) return;
    p->no_yields = passed < TRIES * EXPENSIVE_NS ? 0 : p->no_yields ? 4 * p->no_yields : TRIES;
    if (p->no_yields > WITHOUT_YIELD) p->no_yields = WITHOUT_YIELD;
    p->no_yield = p->no_yields;
}

static bool looks_on(sup_wait *w, sup_patience *p) {
    if (w->stopped || !p->looks) return false;
    /* most waits of a barrier are over before the clock would have been read */
    if (!w->since_ns && ++w->turns < p->looks + CLOCK_EVERY) return true;
    if (w->since_ns && ++w->turns % CLOCK_EVERY) return true;
    int64_t now = sup_clock_ns();
    if (!w->since_ns) {
        w->since_ns = now;
        w->spin_ns = spin_limit(p, now);
    }
    int64_t lasted = now - w->since_ns;
    if (lasted < w->spin_ns) return true;
    w->slow = true;
    return may_keep_core(w, p, now);
}

/* One yield, and what it says about this core. */
static void yield_and_learn(sup_wait *w, sup_patience *p) {
    int64_t before = sup_clock_ns();
    if (!w->since_ns) w->since_ns = before;
    sched_yield();
    if (sup_clock_ns() - before > TAKEN_NS) p->taken = GIVE_WAY;
}

static void give_way(sup_wait *w, sup_patience *p, sup_bell *bell) {
    bool fresh = !w->slow;
    w->slow = true;
    if (w->armed) {
        nap(w, p, bell);
    } else if (p->taken) {
        if (fresh) p->taken--;
        arm(w, bell);
    } else {
        yield_and_learn(w, p);
        int64_t now = sup_clock_ns();
        if (now - w->since_ns > YIELD_NS && !may_keep_core(w, p, now)) arm(w, bell);
    }
}

void sup_wait_slow(sup_wait *w, sup_patience *p, sup_bell *bell) {
    if (p->gives_way) {
        give_way(w, p, bell);
        return;
    }
    if (p->yields && !p->looks && !p->no_yield && w->yields < FIRST_YIELDS) {
        w->slow = true;
        w->yields++;
        sched_yield();
        return;
    }
    if (w->armed) {
        nap(w, p, bell);
        return;
    }
    if (looks_on(w, p)) {
        sup_cpu_relax();
        return;
    }
    w->slow = w->stopped = true;
    if (yields_on(w, p))
        sched_yield();
    else
        arm(w, bell);
}

/* Waits that end at once are not seen here. */
void sup_wait_learn(sup_wait *w, sup_patience *p) {
    if (p->gives_way) return;
    if (p->yields) judge_yields(p);
    if (p->spin_max_ns <= p->spin_ns) return;
    int64_t lasted = w->stopped ? INT64_MAX : sup_clock_ns() - w->since_ns;
    bool bridged = lasted <= p->spin_max_ns;
    if (!bridged && p->in_vain < IN_VAIN_MAX) p->in_vain++;
    if (bridged && p->in_vain) p->in_vain--;
    if (!bridged) lasted = 0;
    p->usual_ns = (uint32_t)((3 * (int64_t)p->usual_ns + lasted) / 4);
}

void sup_bell_wake(sup_bell *bell) {
    atomic_store_explicit(&bell->wanted, 0, memory_order_relaxed);
    futex(bell, FUTEX_WAKE, INT_MAX, NULL);
}
