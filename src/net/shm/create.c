/* Makes the shared segment of a run: a file in memory of the right size with its header. */
#include "net/host_memory.h"
#include "net/shm/layout.h"

#include <unistd.h>

enum { FILES_MOST = 64 }; /* of arenas, and no more than cores: so many processes fault at once, and each opens all */

/* Asked here, for all: a process with few descriptors, or other rights, may find another number of cores. */
static int sharers(int size) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int files = cores < 1 || cores > FILES_MOST ? FILES_MOST : (int)cores;
    return (size + files - 1) / files;
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
    h.sharers = sharers(size);
    int f;
    st = sup_host_memory_make("superstep", h.map_bytes, &f);
    if (st)
        return sup_diag_errno(diag, st, NULL,
                              st == SUP_EIO ? "cannot create shared memory" : "cannot size the shared memory");
    if (pwrite(f, &h, sizeof h, 0) != (ssize_t)sizeof h) {
        sup_diag_errno(diag, SUP_ENOMEM, NULL, "cannot write to the shared memory");
        close(f);
        return SUP_ENOMEM;
    }
    *fd = f;
    return SUP_OK;
}
