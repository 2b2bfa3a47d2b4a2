/* Memory of new large blocks in one call (heap.h): a fault for each of its pages takes up to twice as long, and more
 * where processes of a host touch theirs at the same time. Filled are blocks that nobody has written since they came
 * from the system; larger ones, of which programs often use a part only, are left to their first touch. */
#include "bsp/heap/page.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

enum { FILL_MOST = 64 << 20 };

void sup_heap_fill_up_to(size_t bytes) {
    heap_control *c = sup_heap_control();
    if (c) c->fill = c->fill_most = bytes;
}

bool sup_heap_fill_wanted(heap_control *c, size_t n) {
    if (n > FILL_MOST || n > c->fill) return false;
    c->fill -= n;
    return true;
}

void sup_heap_fill_gone(heap_control *c, size_t n) {
    c->fill = n < c->fill_most - c->fill ? c->fill + n : c->fill_most;
}

void sup_heap_fill(heap_control *c, void *p, size_t n) {
    uintptr_t page = (uintptr_t)getpagesize(), first = ((uintptr_t)p + page - 1) & -page;
    uintptr_t end = ((uintptr_t)p + n) & -page;
    int saved = errno;
    /* Without memory the program finds out when it touches the block, as ever; an older kernel is not asked again. */
    if (first < end && madvise((void *)first, end - first, MADV_POPULATE_WRITE) != 0 && errno == EINVAL)
        c->fill = c->fill_most = 0;
    errno = saved;
}
