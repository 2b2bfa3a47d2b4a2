/* A BSP section in a program that has started MPI itself: MPI's calls on memory of the heap, a child that writes into
 * its view of it, and blocks that are used and freed behind the section, when the transport is closed.
 *
 *     with-mpi openmpi|mpich P in_mpi
 *
 * Exit code 1, and what was wrong, if anything is. */
#include <bsp.h>
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEN = 1 << 20, SENT = 300000 };

static int wrong;

static void expect(bool so, const char *what) {
    if (so) return;
    fprintf(stderr, "in_mpi: not so: %s\n", what);
    wrong = 1;
}

static void finalize(void) {
    int done;
    MPI_Finalized(&done);
    if (!done) MPI_Finalize();
}

static bool all_are(const unsigned char *p, size_t n, int value) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != (unsigned char)value) return false;
    return true;
}

static void in_child(unsigned char *area, int before) {
    pid_t child = fork();
    int status = 1;
    if (!child) {
        bool same = all_are(area, LEN, before + 1);
        memset(area, 99, LEN);
        unsigned char *own = malloc(1000);
        if (own) memset(own, 1, 1000);
        free(own);
        _exit(!same || !own);
    }
    expect(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child has a view of the heap");
    expect(all_are(area, LEN, before + 1), "which is its own");
}

int main(int argc, char **argv) {
    int me, p, level;
    /* where heaps are not shared a thread of the transport calls MPI as well */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    atexit(finalize); /* processes above 0 do not come back from bsp_end */
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    bsp_begin(p);
    int next = (me + 1) % p, before = (me + p - 1) % p;
    unsigned char *to = malloc(LEN), *from = malloc(LEN);
    if (!to || !from) bsp_abort("in_mpi: no memory\n");
    memset(to, 0, LEN);
    memset(from, me + 1, LEN);
    bsp_push_reg(to, LEN);
    bsp_sync();
    bsp_put(next, from, to, 0, LEN);
    bsp_sync();
    expect(all_are(to, LEN, before + 1), "a put arrives");
    in_child(to, before);
    memset(to, 0, LEN);
    bsp_sync(); /* not before everyone has looked */
    memset(from, me + 50, LEN);
    MPI_Sendrecv(from, SENT, MPI_BYTE, next, 1, to, SENT, MPI_BYTE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(all_are(to, SENT, before + 50) && all_are(to + SENT, LEN - SENT, 0), "MPI sends memory of the heap");
    bsp_sync();
    bsp_hpput(next, from, to, 0, LEN);
    bsp_sync();
    expect(all_are(to, LEN, before + 50), "an unbuffered put arrives");
    unsigned char verdict = (unsigned char)wrong, *all = calloc((size_t)p, 1);
    bsp_push_reg(all, me ? 0 : (size_t)p);
    bsp_sync();
    bsp_put(0, &verdict, all, (size_t)me, 1);
    bsp_sync();
    for (int q = 0; q < p; q++) wrong |= all && !me && all[q];
    bsp_end(); /* rank 0 alone goes on */
    memset(to, 1, LEN);
    unsigned char *later = malloc(LEN);
    if (later) memcpy(later, to, LEN);
    expect(later && all_are(later, LEN, 1), "memory of the heap stays");
    free(later);
    free(all);
    free(from);
    free(to);
    MPI_Finalize();
    return wrong;
}
