/* Makes the shared segment of a run: a file in memory of the right size with its header. */
#include "net/host_memory.h"
#include "net/shm_layout.h"

#include <unistd.h>

sup_status sup_shm_segment_create(int size, sup_diag *diag, int *fd) {
    if (size < 1 || size > SUP_SHM_MAX_PROCS)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%d processes on one machine: the limit is %d", size,
                            SUP_SHM_MAX_PROCS);
    shm_header h = {0};
    size_t small, span;
    sup_status st = sup_shm_size(size, diag, &small, &span);
    if (st) return st;
    sup_shm_layout(&h, size, small, span);
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
