/* Files without a name that processes of one host share (host_memory.h). */
#include "net/host_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

sup_status sup_host_memory_make(const char *name, size_t bytes, int *fd) {
    int f = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (f < 0) return SUP_EIO;
    if (resize(f, bytes)) {
        int error = errno;
        close(f);
        errno = error;
        return SUP_ENOMEM;
    }
    fcntl(f, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    *fd = f;
    return SUP_OK;
}

/* A quarter of the time that a path through /proc takes; but not everybody may (ptrace). */
static int take_descriptor(pid_t process, int fd) {
    int found = -1;
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    if (handle < 0) return -1;
    found = (int)syscall(SYS_pidfd_getfd, handle, fd, 0);
    close(handle);
#else
    (void)process;
    (void)fd;
#endif
    return found;
}

int sup_host_memory_open(pid_t process, int fd) {
    char path[64];
    if (process <= 0 || fd < 0) return -1;
    int quick = take_descriptor(process, fd);
    if (quick >= 0) return quick;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void *map(void *to, int fixed, int fd, size_t offset, size_t bytes) {
    if (fd < 0) return NULL;
    void *at = mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | fixed, fd, (off_t)offset);
    if (at == MAP_FAILED) return NULL;
    (void)madvise(at, bytes, MADV_DONTDUMP);
    return at;
}

void *sup_host_memory_map(int fd, size_t bytes) { return map(NULL, 0, fd, 0, bytes); }

void *sup_host_memory_map_at(void *to, int fd, size_t offset, size_t bytes) {
    return map(to, MAP_FIXED, fd, offset, bytes);
}
