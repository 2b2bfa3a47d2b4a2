/* The heap of a BSP process in memory that its peers map at the same address (BSP §6.2: what hpput and large gets copy
 * directly), over one given piece of shared memory.
 *
 * The heap starts once, after the processes have parted; memory allocated before stays with the C library and so
 * private. Nothing about the blocks is kept in the shared memory: a stray write of a peer can spoil data, not the heap.
 * A child that the process forks has no heap: it must not allocate in memory that
 * is its parent's. All calls are thread-safe, and none of them allocates by malloc, prints or touches errno. */
#ifndef SUP_BSP_HEAP_HEAP_H
#define SUP_BSP_HEAP_HEAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* From now on allocations of this process come from [base, base+bytes), a shared, zero-filled, sparse mapping. Memory
 * allocated before stays where it is. Once per process: SUP_EBUSY the second time. A forked child may start one of its
 * own; what it inherited stays as it is. SUP_EINVAL: less than 64 KiB
 * (aligned), or more than 128 TiB. SUP_ENOMEM: no address space for the tables (1 % of the arena, sparse). */
sup_status sup_heap_start(void *base, size_t bytes);

/* After the start: of new blocks the first 64 MiB get their memory at once, so long as what was filled in this way and
 * has not gone back is less than so many bytes. Not before this call, nor where the kernel cannot (before Linux 5.14).
 */
void sup_heap_fill_up_to(size_t bytes);

/* After the start: the memory at base is the file fd from offset on. With this, a child that the process forks has a
 * private view of the heap, else it writes into its parent's data. fd is duplicated. SUP_EINVAL: not the base of the
 * heap, or no file; SUP_EBUSY the second time; SUP_EIO: no descriptor left. */
sup_status sup_heap_backing(const void *base, int fd, size_t offset);

/* New allocations fail from now on, which sends malloc back to the C library. Blocks stay valid and may be freed; so
 * the memory must stay mapped. */
void sup_heap_stop(void);

/* Undoes stop. */
void sup_heap_resume(void);

/* Whether p points into the memory given to sup_heap_start, also after stop and in forked children. */
bool sup_heap_owns(const void *p);

/* Bytes from p to the end of an inherited heap that it lies in, of a forked child that has started its own; 0: it does
 * not. Blocks of such a heap have no size any more. */
size_t sup_heap_left(const void *p);

/* n bytes, aligned to 16 (0 counts as 1). NULL: no room, not started, stopped, or a forked child. */
void *sup_heap_alloc(size_t n);

/* The same, zero-filled. Memory known to be zero is not touched. */
void *sup_heap_zalloc(size_t n);

/* align: any power of two. */
void *sup_heap_aligned(size_t align, size_t n);

/* SUP_ENOENT: p is not in the heap's memory. SUP_EINVAL: it is, but not the start of a block in use (freed twice, for
 * example). Nothing was done then. Ignored in a forked child. */
sup_status sup_heap_free(void *p);

/* The block with n bytes, moved if need be. SUP_ENOMEM: the block is as it was; also where allocation is impossible for
 * the reasons above. SUP_EINVAL as for free. */
sup_status sup_heap_realloc(void *p, size_t n, void **out);

/* Bytes that may be used, at least those asked for; 0 if p is not the start of a block in use. */
size_t sup_heap_usable(const void *p);

#endif
