/* Memory of new large blocks in one call (heap.h): a fault for each of its pages takes up to twice as long, and more
 * where processes of a host touch theirs at the same time. Filled are blocks that nobody has written since they came
 * from the system, up to the first FILL_MOST bytes: of larger ones programs often use a part only. */
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

size_t sup_heap_fill_wanted(heap_control *c, size_t n) {
    size_t bytes = n < FILL_MOST ? n : FILL_MOST;
    if (bytes > c->fill) return 0;
    c->fill -= bytes;
    return bytes;
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
