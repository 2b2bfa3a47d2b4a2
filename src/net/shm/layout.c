/* Where everything is in the shared segment. See shm/layout.h for the picture. */
#include "net/shm/layout.h"
#include "net/host_memory.h"

/* What anonymous segments have, which have no arenas. */
static const size_t small_span = (size_t)4 << 30;

void sup_shm_layout(shm_header *h, int size, size_t small, size_t arena_span) {
    size_t p = (size_t)size, at = 0;
    h->magic = SUP_SHM_MAGIC;
    h->abi = SUP_SHM_ABI;
    h->size = (uint32_t)size;
    h->arena_span = arena_span;
    h->sharers = 1;
    h->region_span = small + 2 * p * arena_span;
    sup_host_memory_place(&at, sizeof(shm_header));
    h->cards = sup_host_memory_place(&at, p * sizeof(shm_card));
    h->bells = sup_host_memory_place(&at, p * SUP_SHM_LINE); /* each on a line of its own: everybody looks at it */
    h->actives = sup_host_memory_place(&at, p * sizeof(shm_active));
    h->published = sup_host_memory_place(&at, p * sizeof(shm_board));
    h->boards = sup_host_memory_place(&at, p * p * sizeof(shm_board));
    h->queues = sup_host_memory_place(&at, p * p * sizeof(shm_queue));
    h->regions = sup_host_memory_place(&at, h->region_span);
    h->map_bytes = at;
}

size_t sup_shm_segment_bytes(int size) {
    if (size < 1 || size > SUP_SHM_MAX_PROCS) return 0;
    shm_header h;
    sup_shm_layout(&h, size, small_span, 0);
    return h.map_bytes;
}

size_t sup_shm_segment_head_bytes(int size) {
    shm_header h;
    sup_shm_layout(&h, size, 0, 0);
    return h.actives;
}

void sup_shm_segment_init(void *base, int size) { sup_shm_layout(base, size, small_span, 0); }
