/* Bells of the processes of one host under MPI: where they sleep while they wait for each other.
 *
 * MPI only looks. A process that waits for long would keep a core from others, or lose its share of a busy one; so
 * whoever sends something to a process of its host also rings its bell (net/wait.h). The bells lie in a file without a
 * name, made by the lowest rank of each host, which the others open through the table of its descriptors: nothing is
 * left of it when they end. If anybody cannot, nobody has bells. */
#include "net/mpi/transport.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t bytes_of(const sup_mpi *t) { return (size_t)t->net.size * sizeof(sup_mpi_bell); }

/* The lowest rank of this host. */
static int leader_of(const sup_mpi *t) {
    for (int p = 0; p < t->net.rank; p++)
        if (t->host_pids[p]) return p;
    return t->net.rank;
}

static int make_file(const sup_mpi *t) {
    int fd = memfd_create("superstep-bells", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes_of(t))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_file(const sup_mpi *t, int leader, int number) {
    char path[64];
    if (number < 0) return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)t->host_pids[leader], number);
    return open(path, O_RDWR | O_CLOEXEC);
}

static sup_mpi_bell *map_file(const sup_mpi *t, int fd) {
    if (fd < 0) return NULL;
    void *at = mmap(NULL, bytes_of(t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Collective, after it is known who is on this host. */
int sup_mpi_bells_open(sup_mpi *t) {
    int size = t->net.size, fine = 0, all = 0, fd = -1;
    int *numbers = calloc((size_t)size, sizeof *numbers);
    int ready = numbers && t->host_pids;
    int code = MPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS || !all || !numbers || !t->host_pids) goto free_numbers;
    int leader = leader_of(t);
    if (leader == t->net.rank) fd = make_file(t);
    code = MPI_Allgather(&fd, 1, MPI_INT, numbers, 1, MPI_INT, t->user);
    if (code != MPI_SUCCESS) goto close_file;
    if (leader != t->net.rank) fd = open_file(t, leader, numbers[leader]);
    t->bells = map_file(t, fd);
    fine = t->bells != NULL;
    /* also keeps the leader's descriptor until all have opened it */
    code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS || !all) sup_mpi_bells_close(t);
    if (t->bells) t->net.bell = &t->bells[t->net.rank].bell;
close_file:
    if (fd >= 0) close(fd);
free_numbers:
    free(numbers);
    return code;
}

void sup_mpi_bells_close(sup_mpi *t) {
    if (t->bells) munmap(t->bells, bytes_of(t));
    t->bells = NULL;
    t->net.bell = NULL;
}
