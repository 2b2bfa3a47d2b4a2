/* An MPI program that ends in the way that it is told:
 *
 *     mpi_ends well | error | abort | spawn | HOW
 *
 * abort: rank 0 writes to stdout and stderr, then calls MPI_Abort with 7. spawn: two more processes, that all meet.
 * HOW: the last rank dies by a signal (segv, kill) or ends with status 5 (exit) while the others are in MPI_Allreduce;
 * "slow": as segv, and what it had started ends only when it is killed. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void leave_somebody(void) {
    if (fork()) return;
    signal(SIGTERM, SIG_IGN);
    for (int fd = 0; fd < 3; fd++) close(fd);
    sleep(30);
    _exit(0);
}

static void die(const char *how) {
    if (!strcmp(how, "exit")) _exit(5);
    if (!strcmp(how, "slow")) leave_somebody();
    int sig = !strcmp(how, "kill") ? SIGKILL : SIGSEGV;
    signal(sig, SIG_DFL);
    raise(sig);
}

static void start_more(char **argv) {
    MPI_Comm parent, both;
    int codes[2];
    MPI_Comm_get_parent(&parent);
    bool child = parent != MPI_COMM_NULL;
    if (child)
        both = parent;
    else
        MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both, codes);
    puts(child ? "child" : "parent");
    MPI_Barrier(both);
    MPI_Comm_disconnect(&both);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "well";
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(how, "abort") && rank == 0) {
        puts("last on stdout");
        fputs("last on stderr\n", stderr);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    if (!strcmp(how, "error") && rank == 0) MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    if (!strcmp(how, "spawn")) start_more(argv);
    for (int i = 0; strcmp(how, "well") && strcmp(how, "spawn"); i++) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (i == 200 && rank == size - 1 && strcmp(how, "abort") && strcmp(how, "error")) die(how);
    }
    MPI_Finalize();
    return 0;
}
