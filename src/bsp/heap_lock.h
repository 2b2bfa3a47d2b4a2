/* The heap's lock: skipped while the process has one thread; else a futex word (0 free, 1 held, 2 held and waited for).
 * Not a pthread mutex, because that costs twice as much where nobody waits. */
#ifndef SUP_BSP_HEAP_LOCK_H
#define SUP_BSP_HEAP_LOCK_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef _Atomic int heap_lock;

static inline void heap_lock_wait(heap_lock *lock) {
    int saved = errno;
    /* Critical sections are tens of nanoseconds: a short look before sleeping. */
    for (int i = 0; i < 100; i++) {
        int free = 0;
        if (atomic_compare_exchange_weak_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed)) return;
    }
    while (atomic_exchange_explicit(lock, 2, memory_order_acquire) != 0)
        syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    errno = saved;
}

/* Returns what unlock wants to know: whether the lock was taken. */
static inline bool heap_lock_take(heap_lock *lock) {
    if (__libc_single_threaded) return false;
    int free = 0;
    if (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed))
        heap_lock_wait(lock);
    return true;
}

static inline void heap_lock_give(heap_lock *lock, bool taken) {
    if (!taken || atomic_exchange_explicit(lock, 0, memory_order_release) != 2) return;
    int saved = errno;
    syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

#endif
