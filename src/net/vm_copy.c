/* process_vm_readv and process_vm_writev for any length. */
#include "net/vm_copy.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/uio.h>

enum { PIECE = 1 << 30 }; /* the kernel moves at most 2 GiB a call */

void sup_vm_permit(void) { (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

static sup_status status_of(int error) {
    switch (error) {
    case ESRCH: return SUP_EPEER;
    case EFAULT: return SUP_EINVAL;
    case ENOMEM: return SUP_ENOMEM;
    default: return SUP_EPERM;
    }
}

typedef ssize_t vm_call(pid_t pid, const struct iovec *local, unsigned long nlocal, const struct iovec *remote,
                        unsigned long nremote, unsigned long flags);

static sup_status copy(vm_call *call, pid_t pid, void *local, uintptr_t remote, size_t len) {
    for (size_t done = 0; done < len;) {
        size_t piece = len - done < PIECE ? len - done : PIECE;
        struct iovec here = {(char *)local + done, piece}, there = {(void *)(remote + done), piece};
        ssize_t got = call(pid, &here, 1, &there, 1, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? status_of(errno) : SUP_EINVAL;
        done += (size_t)got;
    }
    return SUP_OK;
}

sup_status sup_vm_read(pid_t pid, void *dst, uintptr_t remote, size_t len) {
    return copy(process_vm_readv, pid, dst, remote, len);
}

sup_status sup_vm_write(pid_t pid, uintptr_t remote, const void *src, size_t len) {
    return copy(process_vm_writev, pid, (void *)(uintptr_t)src, remote, len);
}
