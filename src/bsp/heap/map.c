/* Where the heap and its control block are (heap/page.h): what the files of the heap share. */
#include "bsp/heap/page.h"

heap_map sup_heap_map;
heap_lock sup_heap_lock;
heap_control sup_heap_absent;
heap_control *_Atomic sup_heap_now = &sup_heap_absent;

heap_control *sup_heap_control(void) {
    heap_control *c = atomic_load_explicit(&sup_heap_now, memory_order_acquire);
    return atomic_load_explicit(&c->mode, memory_order_relaxed) == HEAP_ABSENT ? NULL : c;
}
