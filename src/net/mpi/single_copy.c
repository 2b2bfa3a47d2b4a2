/* The memory of other processes of a host under MPI, by one copy of the kernel.
 *
 * Between two processes of a host MPI moves a long message so too, after a handshake. Who already knows where the
 * bytes are saves the handshake, and the second copy where they would have been received into a buffer first.
 *
 * Whether the kernel permits copies is tried once, by everyone; if anybody may not, nobody does, so that both ends of
 * every pair agree. */
#include "net/mpi/transport.h"

#include "net/vm_copy.h"

#include <stdlib.h>
#include <unistd.h>

/* Does the kernel let us read the word that p says holds its number? */
static bool readable(pid_t p, uint64_t probe) {
    uint64_t word = 0;
    return probe && !sup_vm_read(p, &word, probe, sizeof word) && word == (uint64_t)p;
}

/* Collective, after it is known who is on this host. */
int sup_mpi_single_copy_open(sup_mpi *t, bool copies) {
    int size = t->net.size, all = 0;
    uint64_t word = (uint64_t)getpid(), mine = copies ? (uintptr_t)&word : 0;
    uint64_t *probes = calloc((size_t)size, sizeof *probes);
    int fine = probes != NULL;
    if (mine) sup_vm_permit();
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS || !all || !probes) goto none;
    code = MPI_Allgather(&mine, sizeof mine, MPI_BYTE, probes, sizeof mine, MPI_BYTE, t->user);
    if (code != MPI_SUCCESS) goto none;
    for (int p = 0; p < size && fine; p++)
        if (t->host_pids[p]) fine = readable(t->host_pids[p], probes[p]);
    /* also keeps the word in place until all have looked at it */
    code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    t->copies = code == MPI_SUCCESS && all;
none:
    free(probes);
    return code;
}

bool sup_mpi_copies(sup_net *net, int peer) {
    const sup_mpi *t = sup_mpi_of(net);
    return t->copies && (unsigned)peer < (unsigned)net->size && t->host_pids[peer];
}

sup_status sup_mpi_copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len) {
    if (!sup_mpi_copies(net, peer)) return SUP_ENOTSUP;
    return sup_vm_write(sup_mpi_of(net)->host_pids[peer], (uintptr_t)remote, src, len);
}

sup_status sup_mpi_copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len) {
    if (!sup_mpi_copies(net, peer)) return SUP_ENOTSUP;
    return sup_vm_read(sup_mpi_of(net)->host_pids[peer], dst, (uintptr_t)remote, len);
}
