/* The slow half of waiting (see wait.h): give the core away, first by yielding, after 20 ms by sleeping. */
#include "net/wait.h"

#include <sched.h>
#include <time.h>

enum {
    YIELDS_BEFORE_SLEEP = 20000, /* about 20 ms of a process alone on its core, longer where it shares the core */
    SLEEP_NS = 50000
};

void sup_wait_slow(sup_wait *w) {
    if (w->yields < YIELDS_BEFORE_SLEEP) {
        w->yields++;
        sched_yield();
        return;
    }
    struct timespec t = {0, SLEEP_NS};
    nanosleep(&t, NULL);
}
