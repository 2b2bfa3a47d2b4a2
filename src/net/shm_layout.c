/* Making the shared segment: sizes, offsets, the memfd. See shm_layout.h for the picture. */
#include "net/shm_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REGION_GIB = 16 };

static size_t place(size_t *at, size_t bytes) {
    size_t here = (*at + 4095) & ~(size_t)4095;
    *at = here + bytes;
    return here;
}

void sup_shm_layout(shm_header *h, int size, size_t region_span, size_t heap_span) {
    size_t p = (size_t)size, at = 0;
    h->magic = SUP_SHM_MAGIC;
    h->abi = SUP_SHM_ABI;
    h->size = (uint32_t)size;
    h->region_span = region_span;
    h->heap_span = heap_span;
    place(&at, sizeof(shm_header));
    h->cards = place(&at, p * sizeof(shm_card));
    h->actives = place(&at, p * sizeof(shm_active));
    h->boards = place(&at, p * p * sizeof(shm_board));
    h->queues = place(&at, p * p * sizeof(shm_queue));
    h->regions = place(&at, region_span);
    h->map_bytes = at;
    h->heaps = place(&at, p * heap_span);
    h->file_bytes = at;
}

/* Twice the memory of the machine for each process: nobody can need more, and it is only address space. */
static size_t heap_span(void) {
    size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), span = (size_t)1 << 32;
    while (span < 2 * bytes && span < (size_t)1 << 42) span *= 2;
    return span;
}

size_t sup_shm_segment_bytes(int size) {
    if (size < 1 || size > SUP_SHM_MAX_PROCS) return 0;
    shm_header h;
    sup_shm_layout(&h, size, (size_t)REGION_GIB << 30, 0);
    return h.map_bytes;
}

void sup_shm_segment_init(void *base, int size) { sup_shm_layout(base, size, (size_t)REGION_GIB << 30, 0); }

sup_status sup_shm_segment_create(int size, sup_diag *diag, int *fd) {
    if (size < 1 || size > SUP_SHM_MAX_PROCS)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%d processes on one machine: the limit is %d", size,
                            SUP_SHM_MAX_PROCS);
    shm_header h = {0};
    sup_shm_layout(&h, size, (size_t)REGION_GIB << 30, heap_span());
    int f = memfd_create("superstep", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (f < 0) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot create shared memory");
    if (ftruncate(f, (off_t)h.file_bytes)) {
        sup_diag_errno(diag, SUP_ENOMEM, NULL, "cannot size the shared memory");
        goto close_fd;
    }
    if (pwrite(f, &h, sizeof h, 0) != (ssize_t)sizeof h) {
        sup_diag_errno(diag, SUP_ENOMEM, NULL, "cannot write to the shared memory");
        goto close_fd;
    }
    fcntl(f, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW); /* a process that truncates it would kill all the others */
    *fd = f;
    return SUP_OK;
close_fd:
    close(f);
    return SUP_ENOMEM;
}
