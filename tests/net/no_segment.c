/* Preloaded: a host on which processes under an MPI cannot share a segment (net/inside.c). NO_SEGMENT=make: nobody can
 * make one; map: rank 1 cannot map it. What else they share, they have. */
#undef _FILE_OFFSET_BITS /* mmap and mmap64 are two names here */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#define SHOWN __attribute__((visibility("default")))

static bool wanted(const char *what) {
    const char *set = getenv("NO_SEGMENT");
    return set && !strcmp(set, what);
}

SHOWN int memfd_create(const char *name, unsigned flags) {
    typedef int call(const char *name, unsigned flags);
    call *next;
    *(void **)&next = dlsym(RTLD_NEXT, "memfd_create");
    if (!strcmp(name, "superstep") && wanted("make")) {
        errno = EMFILE;
        return -1;
    }
    return next(name, flags);
}

static bool is_rank_1;

/* An MPI may take its variables away when it starts. */
__attribute__((constructor)) static void find_rank(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    is_rank_1 = rank && !strcmp(rank, "1");
}

/* Nothing but a segment is of that size. The C library has the call by two names, by type of its last argument. */
static void *map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    typedef void *call(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
    static call *next;
    if (bytes > (size_t)1 << 32 && fd >= 0 && wanted("map") && is_rank_1) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    return next(at, bytes, protection, flags, fd, offset);
}

SHOWN void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    return map(at, bytes, protection, flags, fd, offset);
}

SHOWN void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    return map(at, bytes, protection, flags, fd, offset);
}
