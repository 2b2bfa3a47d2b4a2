/* Makes the shared segment of a run: a memfd of the right size with its header. */
#include "net/shm_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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
