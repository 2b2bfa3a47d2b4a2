/* Making the shared segment: sizes, offsets, the memfd. See shm_layout.h for the picture. */
#include "net/shm_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

/* A limit on the size of files (ulimit -f) holds for shared memory too, and would end the process by SIGXFSZ. */
static int resize(int fd, size_t bytes) {
    sigset_t too_large, before;
    const struct timespec now = {0};
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large, &before);
    int failed = ftruncate(fd, (off_t)bytes), error = errno;
    if (failed && !sigismember(&before, SIGXFSZ)) sigtimedwait(&too_large, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return failed;
}

sup_status sup_shm_segment_create(int size, sup_diag *diag, int *fd) {
    if (size < 1 || size > SUP_SHM_MAX_PROCS)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%d processes on one machine: the limit is %d", size,
                            SUP_SHM_MAX_PROCS);
    shm_header h = {0};
    size_t small, span;
    sup_status st = sup_shm_size(size, diag, &small, &span);
    if (st) return st;
    sup_shm_layout(&h, size, small, span);
    int f = memfd_create("superstep", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (f < 0) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot create shared memory");
    if (resize(f, h.map_bytes)) {
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
