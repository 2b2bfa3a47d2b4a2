/* Processes of one host under MPI: who they are, and the memory of each other, by one copy of the kernel.
 *
 * Between two processes of a host MPI moves a long message so too, after a handshake. Who already knows where the
 * bytes are saves the handshake, and the second copy where they would have been received into a buffer first.
 *
 * A host is what has one name, one boot of the kernel and one table of processes: containers and namespaces that only
 * look like one host are kept apart. Whether the kernel permits copies is tried once, by everyone; if anybody may not,
 * nobody does, so that both ends of every pair agree. */
#include "net/mpi/transport.h"

#include "net/vm_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a process tells all others. */
typedef struct card {
    char boot[40];
    uint64_t processes; /* which table of processes */
    int64_t pid;        /* 0: cannot say who I am */
    uint64_t probe;     /* address of a word that holds it too; 0: leave my memory alone */
} card;

static void fill_card(card *c, const uint64_t *probe, bool copies) {
    struct stat st;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f && fgets(c->boot, sizeof c->boot, f) && !stat("/proc/self/ns/pid", &st)) {
        c->processes = (uint64_t)st.st_ino;
        c->pid = (int64_t)getpid();
        c->probe = copies ? (uintptr_t)probe : 0;
    }
    if (f) fclose(f);
}

static bool one_host(const sup_mpi *t, const card *a, const card *b, int peer) {
    const char *mine = t->hosts + (size_t)t->net.rank * MPI_MAX_PROCESSOR_NAME;
    return a->pid && b->pid && a->processes == b->processes && !memcmp(a->boot, b->boot, sizeof a->boot) &&
           !strncmp(mine, t->hosts + (size_t)peer * MPI_MAX_PROCESSOR_NAME, MPI_MAX_PROCESSOR_NAME);
}

/* Does the kernel let us read what p has said about itself? */
static bool readable(const card *p) {
    uint64_t word = 0;
    return p->probe && !sup_vm_read((pid_t)p->pid, &word, p->probe, sizeof word) && word == (uint64_t)p->pid;
}

/* Collective, after the names of the hosts are known. Without memory for it nobody is known. */
int sup_mpi_single_copy_open(sup_mpi *t, bool copies) {
    int size = t->net.size, fine = 1, all = 0;
    uint64_t probe = (uint64_t)getpid();
    card mine = {0}, *cards = calloc((size_t)size, sizeof *cards);
    t->host_pids = calloc((size_t)size, sizeof *t->host_pids);
    fine = cards && t->host_pids;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS || !all || !cards || !t->host_pids) goto none;
    fill_card(&mine, &probe, copies);
    if (mine.probe) sup_vm_permit();
    code = MPI_Allgather(&mine, sizeof mine, MPI_BYTE, cards, sizeof mine, MPI_BYTE, t->user);
    if (code != MPI_SUCCESS) goto none;
    for (int p = 0; p < size; p++) {
        if (p == t->net.rank || !one_host(t, &mine, &cards[p], p)) continue;
        t->host_pids[p] = (pid_t)cards[p].pid;
        if (fine) fine = readable(&cards[p]);
    }
    /* also keeps the word in place until all have looked at it */
    code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS) goto none;
    t->copies = all;
    free(cards);
    return code;
none:
    free(cards);
    free(t->host_pids);
    t->host_pids = NULL;
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
