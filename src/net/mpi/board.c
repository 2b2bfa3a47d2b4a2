/* Memory that the processes of one host share under MPI: bells, published words, and signals.
 *
 *     bells [L] | published words [L][slots] | signals [to L][line of slots][from L]
 *
 * L is the number of processes of this host, and a process has its place among them: what a host needs does not grow
 * with the others. A signal through memory is a store, an eighth of MPI's smallest message. MPI itself only looks: a
 * process that waits for long would keep a core from others, or lose its share of a busy one; so whoever does something
 * for a process of its host also rings its bell (net/wait.h).
 *
 * The memory is a file without a name, made by the lowest rank of each host, which the others open through the table of
 * its descriptors: nothing is left of it when they end. If anybody cannot, nobody has any, and all signals are
 * messages. A page costs memory when it is first touched, and pairs that never talk touch none. */
#include "net/host_memory.h"
#include "net/mpi/transport.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t lines(size_t bytes) { return (bytes + SUP_MPI_LINE - 1) / SUP_MPI_LINE * SUP_MPI_LINE; }

/* Where everything is; the same on all processes of the host. */
static void lay_out(sup_mpi *t) {
    sup_mpi_board *b = &t->board;
    size_t here = (size_t)t->here;
    b->stride = lines((size_t)t->slots * sizeof(uint64_t));
    b->bytes = here * SUP_MPI_LINE;
    b->published = sup_host_memory_place(&b->bytes, here * b->stride);
    b->signals = sup_host_memory_place(&b->bytes, here * here * b->stride);
}

/* The lowest rank of this host. */
static int leader_of(const sup_mpi *t) {
    for (int p = 0; p < t->net.rank; p++)
        if (t->place[p] >= 0) return p;
    return t->net.rank;
}

/* The places of this host's processes, in the order of their ranks. */
static bool give_places(sup_mpi *t) {
    t->place = calloc((size_t)t->net.size, sizeof *t->place);
    if (!t->place || !t->host_pids) return false;
    t->here = 0;
    for (int p = 0; p < t->net.size; p++) t->place[p] = p == t->net.rank || t->host_pids[p] ? t->here++ : -1;
    lay_out(t);
    return true;
}

int sup_mpi_board_open(sup_mpi *t) {
    int size = t->net.size, fine = 0, all = 0, fd = -1;
    int *numbers = calloc((size_t)size, sizeof *numbers);
    int ready = give_places(t) && numbers;
    int code = MPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS || !all || !numbers || !t->place) goto free_numbers;
    int leader = leader_of(t);
    if (leader == t->net.rank) (void)sup_host_memory_make("superstep-board", t->board.bytes, &fd);
    code = MPI_Allgather(&fd, 1, MPI_INT, numbers, 1, MPI_INT, t->user);
    if (code != MPI_SUCCESS) goto close_file;
    if (leader != t->net.rank) fd = sup_host_memory_open((pid_t)t->host_pids[leader], numbers[leader]);
    t->board.at = sup_host_memory_map(fd, t->board.bytes);
    fine = t->board.at != NULL;
    /* also keeps the leader's descriptor until all have opened it */
    code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code != MPI_SUCCESS || !all) sup_mpi_board_close(t);
    if (t->board.at) t->net.bell = sup_mpi_bell_of(t, t->net.rank);
close_file:
    if (fd >= 0) close(fd);
free_numbers:
    free(numbers);
    if (!t->board.at) sup_mpi_board_close(t);
    return code;
}

void sup_mpi_board_close(sup_mpi *t) {
    if (t->board.at) munmap(t->board.at, t->board.bytes);
    free(t->place);
    t->place = NULL;
    t->board.at = NULL;
    t->net.bell = NULL;
}
