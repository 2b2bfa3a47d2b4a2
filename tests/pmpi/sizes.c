/* An MPI program whose all-to-alls, and allgathers between them, change their sizes from call to call: blocks of none,
 * few and many bytes, alike on no two members. Each byte is checked. With the preloaded library every size has trials
 * of its own, and members must agree about each call, whoever moves how much.
 *
 *     sizes CALLS SEED */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 100000, OTHER_EVERY = 3 };

typedef struct blocks {
    int *sent, *sent_at, *got, *got_at;
} blocks;

static unsigned draw(uint64_t *state, unsigned below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

static char byte_of(int from, int to, int i, int call) { return (char)(from * 31 + to * 7 + i + call); }

/* All members draw the same lengths. */
static void draw_blocks(blocks *b, int size, int rank, uint64_t *state) {
    static const unsigned below[] = {20, 3000, 30000, MOST};
    unsigned most = below[draw(state, 4)];
    int at = 0, got_at = 0;
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++) {
            int bytes = draw(state, 8) ? (int)draw(state, most) : 0;
            if (from == rank) {
                b->sent[to] = bytes;
                b->sent_at[to] = at;
                at += bytes;
            }
            if (to == rank) {
                b->got[from] = bytes;
                b->got_at[from] = got_at;
                got_at += bytes;
            }
        }
}

static int wrong_in(const blocks *b, const char *out, int size, int rank, int call) {
    int wrong = 0;
    for (int from = 0; from < size; from++)
        for (int i = 0; i < b->got[from]; i++) wrong += out[b->got_at[from] + i] != byte_of(from, rank, i, call);
    return wrong;
}

/* Blocks of one length, all-to-all and allgather. */
static int others(char *in, char *out, int size, int rank, int call, int bytes) {
    int wrong = 0;
    for (int to = 0; to < size; to++)
        for (int i = 0; i < bytes; i++) in[to * bytes + i] = byte_of(rank, to, i, call);
    MPI_Alltoall(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int i = 0; i < bytes; i++) wrong += out[from * bytes + i] != byte_of(from, rank, i, call);
    MPI_Allgather(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int i = 0; i < bytes; i++) wrong += out[from * bytes + i] != byte_of(from, 0, i, call);
    return wrong;
}

int main(int argc, char **argv) {
    int size, rank, wrong = 0, all = 0, calls = argc > 1 ? atoi(argv[1]) : 100;
    uint64_t state = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *numbers = calloc(4 * (size_t)size, sizeof *numbers);
    char *in = malloc((size_t)MOST * (size_t)size), *out = malloc((size_t)MOST * (size_t)size);
    if (!numbers || !in || !out) MPI_Abort(MPI_COMM_WORLD, 1);
    blocks b = {numbers, numbers + size, numbers + 2 * size, numbers + 3 * size};
    for (int call = 0; call < calls; call++) {
        draw_blocks(&b, size, rank, &state);
        for (int to = 0; to < size; to++)
            for (int i = 0; i < b.sent[to]; i++) in[b.sent_at[to] + i] = byte_of(rank, to, i, call);
        MPI_Alltoallv(in, b.sent, b.sent_at, MPI_CHAR, out, b.got, b.got_at, MPI_CHAR, MPI_COMM_WORLD);
        wrong += wrong_in(&b, out, size, rank, call);
        if (call % OTHER_EVERY == 0) wrong += others(in, out, size, rank, call, (int)draw(&state, MOST));
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) printf("%d wrong bytes\n", all);
    MPI_Finalize();
    free(numbers);
    free(in);
    free(out);
    return rank == 0 && all ? 1 : 0;
}
