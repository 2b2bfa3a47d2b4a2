/* The shared segment of the shm transport: how its size is computed and how a process attaches.
 *
 * The segment is position-independent, so the same code runs between processes over a memfd, inside one process over
 * anonymous memory (`self`), and between threads of one process (so that ThreadSanitizer sees both sides). */
#ifndef SUP_NET_SHM_SHM_H
#define SUP_NET_SHM_SHM_H

#include "net/net.h"

#define SUP_SHM_MAX_PROCS 1024

/* Bytes a segment for `size` processes takes (sparse: pages are used when touched). 0 if size is out of range. */
size_t sup_shm_segment_bytes(int size);

/* Its first bytes: what the monitor looks at. */
size_t sup_shm_segment_head_bytes(int size);

/* Creates a sealed-size memfd with an initialised header. SUP_ENOMEM: memory is full, or a limit on address space
 * leaves too little (the diag says how much is needed). */
sup_status sup_shm_segment_create(int size, sup_diag *diag, int *fd);

/* Initialises the header of a zeroed piece of memory of sup_shm_segment_bytes(size). */
void sup_shm_segment_init(void *base, int size);

/* Opens the transport for one rank over a mapped segment. `owned_map`: unmap at close. `same_process`: the ranks are
 * threads of one process, so that every address is directly reachable. */
sup_status sup_shm_attach(void *base, int rank, bool owned_map, bool same_process, sup_net **out);

/* Maps a segment, and unmaps it unless it is NULL. SUP_EMISMATCH: it is none of this version; SUP_ENOMEM: no room. */
sup_status sup_shm_segment_map(int fd, sup_diag *diag, void **out);
void sup_shm_segment_unmap(void *base);

/* Opens the transport for launch->rank over a segment that is mapped, and that all its processes enter; where that
 * fails it is unmapped. `beside`: another net, which is served while this process waits for the others here, with that
 * patience; NULL: none. */
sup_status sup_shm_enter(void *base, const sup_launch *launch, sup_net *beside, const sup_patience *patience,
                         sup_diag *diag, sup_net **out);

/* What the monitor writes when a process is gone: seen by everyone's next wait. */
void sup_shm_segment_set_failure(void *base, int rank, int cause);

/* What the monitor writes when a process has exited with code 0. One that had opened the transport and not closed it
 * has failed the others all the same; one that never opened it is waited for no longer. */
void sup_shm_segment_set_gone(void *base, int rank);

/* All processes have closed the transport, or are gone. */
bool sup_shm_segment_closed(void *base);

sup_status sup_shm_open(const sup_launch *launch, sup_diag *diag, sup_net **out);
sup_status sup_self_open(const sup_launch *launch, sup_diag *diag, sup_net **out);

#endif
