/* Memory that processes of one host share: a file without a name, which one of them makes and the others open through
 * the table of its descriptors. Nothing is left of it when the last one ends; a page costs memory when it is first
 * touched. What lies where in it is laid out by sup_host_memory_place, piece by piece, each on pages of its own. */
#ifndef SUP_NET_HOST_MEMORY_H
#define SUP_NET_HOST_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <sys/types.h>

/* The offset of the next piece; *at: where the pieces before it end. */
static inline size_t sup_host_memory_place(size_t *at, size_t bytes) {
    size_t here = (*at + 4095) & ~(size_t)4095;
    *at = here + bytes;
    return here;
}

/* A file of zeros whose size nobody can change: who truncates it would kill all the others. SUP_EIO: no descriptor, or
 * no such files here; SUP_ENOMEM: a limit on files (ulimit -f), or no memory. errno says more. */
sup_status sup_host_memory_make(const char *name, size_t bytes, int *fd);

/* A descriptor for the file that `process` has under that number; -1: there is none, or it may not be looked at. The
 * maker keeps its own open until all have opened it. */
int sup_host_memory_open(pid_t process, int fd);

/* The first bytes of the file, for loads and stores; NULL (errno): fd is none, or no room for it. Not in core dumps. */
void *sup_host_memory_map(int fd, size_t bytes);

/* Bytes from an offset on, in place of what is mapped at that address; NULL: that is still there. */
void *sup_host_memory_map_at(void *to, int fd, size_t offset, size_t bytes);

#endif
