/* Where everything is in the shared segment. See shm_layout.h for the picture. */
#include "net/shm_layout.h"

/* What anonymous segments have, which have no arenas. */
static const size_t small_span = (size_t)4 << 30;

static size_t place(size_t *at, size_t bytes) {
    size_t here = (*at + 4095) & ~(size_t)4095;
    *at = here + bytes;
    return here;
}

void sup_shm_layout(shm_header *h, int size, size_t small, size_t arena_span) {
    size_t p = (size_t)size, at = 0;
    h->magic = SUP_SHM_MAGIC;
    h->abi = SUP_SHM_ABI;
    h->size = (uint32_t)size;
    h->arena_span = arena_span;
    h->region_span = small + 2 * p * arena_span;
    place(&at, sizeof(shm_header));
    h->cards = place(&at, p * sizeof(shm_card));
    h->bells = place(&at, p * SUP_SHM_LINE); /* each on a line of its own: everybody looks at it */
    h->actives = place(&at, p * sizeof(shm_active));
    h->published = place(&at, p * sizeof(shm_board));
    h->boards = place(&at, p * p * sizeof(shm_board));
    h->queues = place(&at, p * p * sizeof(shm_queue));
    h->regions = place(&at, h->region_span);
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
