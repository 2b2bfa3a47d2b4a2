/* Waiting: spin while it is likely to be short, then give the core away.
 *
 *     sup_wait w = SUP_WAIT_INIT;
 *     while (!condition()) sup_wait_pause(&w, net->oversubscribed);
 *
 * A process with its own core spins with a pause instruction (a few µs), then yields between looks, then sleeps in
 * steps of 50 µs once it has waited for 20 ms. Where processes exceed cores it yields at once: spinning would only keep
 * away the process that is waited for. */
#ifndef SUP_NET_WAIT_H
#define SUP_NET_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sup_wait {
    uint32_t turns;
    uint32_t yields;
} sup_wait;

#define SUP_WAIT_INIT ((sup_wait){0, 0})
#define SUP_WAIT_SPINS 2000u /* looks before the first yield when each process has a core */

void sup_wait_slow(sup_wait *w);

static inline void sup_cpu_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static inline void sup_wait_pause(sup_wait *w, bool oversubscribed) {
    if (!oversubscribed && w->turns < SUP_WAIT_SPINS) {
        w->turns++;
        /* the first looks are back to back: an answer is often on its way already */
        if (w->turns > 64) sup_cpu_relax();
        return;
    }
    sup_wait_slow(w);
}

#endif
