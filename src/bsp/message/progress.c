/* The progress thread of the eager engine over messages (BSP §6.2): it receives the notices of pieces and their bytes
 * while the program computes.
 *
 * MPI moves long messages only while somebody calls it. The thread does, every 100 µs while pieces are under way and
 * every millisecond otherwise, so that a program that sends nothing long loses little. It sleeps between looks and so
 * may share the core of the program; the lock makes sure that one thread at a time uses the net. While the program
 * waits in a sync it looks after the net itself, and the thread keeps away. */
#include "base/clock.h"
#include "bsp/message/message.h"
#include "plan/plan.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BUSY_NS = 100000, IDLE_NS = 1000000, BUSY_LOOKS = 30, SLICE_NS = 100000, LOOKS_MAX = 64, COPIED_NS = 1000 };

/* A thread that wakes for a moment shall have it at once, although the program computes on the same core: a scheduler
 * that gives everybody slices of milliseconds would let most of the link's time pass. Short slices need no privilege (a
 * kernel that does not know them ignores the wish). */
static void ask_for_short_slices(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t slice_ns, deadline_ns, period_ns;
    } wish = {.size = sizeof wish, .nice = getpriority(PRIO_PROCESS, 0), .slice_ns = SLICE_NS};
    (void)syscall(SYS_sched_setattr, 0, &wish, 0);
}

/* MPI does not say whether it had anything to move, and over TCP it moves a few kilobytes at a time. A look that takes
 * longer than looks in vain do has copied something: look again, or the link would be idle until the next turn. */
static sup_status move(bsp_runtime *b, bool busy, bool *moved) {
    static double in_vain = 1; /* the quickest ever: one thread of a process looks */
    sup_status st = SUP_OK;
    double before = sup_clock_now();
    *moved = false;
    for (int i = 0, idle = 0; !st && i < LOOKS_MAX && !idle; i++) {
        st = sup_net_progress(b->net);
        if (!busy) break;
        double now = sup_clock_now();
        double took = now - before;
        if (took < in_vain) in_vain = took;
        idle = took < 2 * in_vain + 1e-9 * COPIED_NS;
        if (!idle) *moved = true;
        before = now;
    }
    return st;
}

static void *run(void *arg) {
    bsp_runtime *b = arg;
    ask_for_short_slices();
    msg_exchange *x = b->ex;
    uint64_t seen = 0;
    int busy = 0;
    bool moved;
    while (!atomic_load(&x->stop)) {
        if (atomic_load(&x->waiting)) {
            nanosleep(&(struct timespec){0, IDLE_NS}, NULL);
            continue;
        }
        pthread_mutex_lock(&x->lock);
        msg_take_notices(b);
        sup_status st = move(b, busy > 0, &moved);
        pthread_mutex_unlock(&x->lock);
        msg_check("bsp_sync", st);
        uint64_t now = atomic_load(&x->traffic);
        busy = now != seen || moved ? BUSY_LOOKS : busy > 0 ? busy - 1 : 0;
        seen = now;
        struct timespec t = {0, busy ? BUSY_NS : IDLE_NS};
        nanosleep(&t, NULL);
    }
    return NULL;
}

/* The program's core, unless the plan wants one of its own for it and there are enough: then any but the program's. A
 * core of its own hides more communication, and makes every short call pay for the library's state going back and
 * forth. */
static void choose_core(bsp_runtime *b, pthread_t thread) {
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN), here = b->launch.local_size;
    if (sup_plan_find_bsp(b->plan)->progress != SUP_PLAN_PROGRESS_OWN || here < 1 || 2 * here > cores) return;
    cpu_set_t mine, other;
    if (sched_getaffinity(0, sizeof mine, &mine) || CPU_COUNT(&mine) > 1) return; /* not pinned: free already */
    CPU_ZERO(&other);
    for (int c = 0; c < cores && c < CPU_SETSIZE; c++)
        if (!CPU_ISSET(c, &mine)) CPU_SET(c, &other);
    (void)pthread_setaffinity_np(thread, sizeof other, &other); /* not permitted: it shares */
}

sup_status msg_progress_start(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    const sup_plan_bsp *planned = sup_plan_find_bsp(b->plan);
    if (planned->progress == SUP_PLAN_PROGRESS_NONE && planned->engines_count == 0)
        return SUP_OK; /* everything waits for the sync */
    if (pthread_mutex_init(&x->lock, NULL)) return SUP_ENOMEM;
    x->threaded = true; /* which the thread sees */
    if (!bsp_start_thread(&x->thread, run, b)) {
        x->threaded = false;
        pthread_mutex_destroy(&x->lock);
        return SUP_OK;
    }
    choose_core(b, x->thread);
    b->net_lock = &x->lock;
    return SUP_OK;
}

void msg_progress_stop(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    if (x->threaded) {
        atomic_store(&x->stop, true);
        pthread_join(x->thread, NULL);
        b->net_lock = NULL;
        pthread_mutex_destroy(&x->lock);
        x->threaded = false;
    }
    msg_direct_finish(b);
    if (x->notice_posted) (void)sup_net_cancel(b->net, &x->notice_req);
    x->notice_posted = false;
}
