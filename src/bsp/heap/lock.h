/* The heap's lock: skipped while the process has one thread, else a word that is 1 while held. Who finds it held looks
 * again, then lets others run, then sleeps a little: critical sections are tens of nanoseconds, and a release that is a
 * mere store (no waiters to ask after) is what makes the common case cheap. */
#ifndef SUP_BSP_HEAP_LOCK_H
#define SUP_BSP_HEAP_LOCK_H

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/single_threaded.h>
#include <time.h>

typedef _Atomic int heap_lock;

static inline void heap_lock_wait(heap_lock *lock) {
    int saved = errno;
    for (unsigned i = 0; atomic_exchange_explicit(lock, 1, memory_order_acquire) != 0; i++) {
        for (int look = 0; look < 100 && atomic_load_explicit(lock, memory_order_relaxed); look++) continue;
        /* Sleeping lets the holder run even where it has a lower priority. */
        if (i > 50)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        else if (i > 0)
            sched_yield();
    }
    errno = saved;
}

/* Returns what give wants to know: whether the lock was taken. */
static inline bool heap_lock_take(heap_lock *lock) {
    if (__libc_single_threaded) return false;
    if (__builtin_expect(atomic_exchange_explicit(lock, 1, memory_order_acquire) != 0, 0)) heap_lock_wait(lock);
    return true;
}

static inline void heap_lock_give(heap_lock *lock, bool taken) {
    if (taken) atomic_store_explicit(lock, 0, memory_order_release);
}

#endif
