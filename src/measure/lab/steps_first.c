/* Supersteps in which something happens for the first time (steps_work.h): Tcomm and Tsync as programs meet them that
 * do not repeat themselves. Stage "measure".
 *
 *     memory   what is put goes to pages that the system has just taken back
 *     waking   one process comes late, so that others have stopped looking
 *     use      each process has walked through other memory before it calls: code, logs and data are in no cache
 *
 * What brings that about is in no time. */
#include "measure/lab/steps_work.h"

#include "base/clock.h"

#include <bsp.h>

#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64 };

/* A hole in the file that a heap lies in; of other memory the pages alone are given back. */
static void give_back(char *from, size_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), low = ((uintptr_t)from + page - 1) & ~(page - 1),
              high = ((uintptr_t)from + bytes) & ~(page - 1);
    if (low >= high) return;
    char *at = from + (low - (uintptr_t)from);
    if (madvise(at, high - low, MADV_REMOVE)) (void)madvise(at, high - low, MADV_DONTNEED);
}

void sup_steps_before_first(sup_steps_mover *m, const sup_steps_order *o) {
    if (o->first != SUP_FIRST_MEMORY) return;
    give_back(m->fresh, SUP_STEPS_FRESH);
    bsp_sync();
}

static void sweep(sup_steps_mover *m) {
    uint64_t sum = 0;
    for (size_t i = 0; i < SUP_STEPS_SWEPT; i += LINE) sum += (uint64_t)(unsigned char)m->swept[i]++;
    m->spun += sum;
}

static void come_late(int32_t late_us) {
    int64_t until = sup_clock_ns() + 1000 * (int64_t)late_us;
    while (sup_clock_ns() < until) continue;
}

void sup_steps_run_first(sup_steps_mover *m, const sup_steps_order *o, bool first) {
    int64_t from = sup_clock_ns();
    if (first && o->first == SUP_FIRST_USE) sweep(m);
    if (first && o->first == SUP_FIRST_WAKING && o->turn == m->me) come_late(o->late_us);
    m->reading_s = sup_clock_seconds(from, sup_clock_ns());
    if (o->bytes) bsp_put((m->me + 1) % m->size, m->out, o->first == SUP_FIRST_MEMORY ? m->fresh : m->in, 0, o->bytes);
    bsp_sync();
}
