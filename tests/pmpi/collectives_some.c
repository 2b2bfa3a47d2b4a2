/* Arguments that count on some members only, or that differ from member to member: whoever gets something unusual must
 * not be left alone by the others. And communicators that come and go: nothing of them stays. */
#include "collectives.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* What is of no account may be anything. */
static void *const NOWHERE = (void *)8;

/* Rank 0 gets nothing from an exscan. */
static void first_of_exscan(bench *b) {
    for (int n = 1; n < 3000; n = 7 * n + 1) {
        void *to = b->rank ? b->out : NULL;
#if !defined(OPEN_MPI) /* MPICH 4.0 looks at it all the same */
        to = b->out;
#endif
        clear(b, n + 1);
        fill(b, b->in, b->rank, 0, n);
        OK(MPI_Exscan(b->in, to, n, MPI_INT, MPI_BXOR, b->comm));
        for (int k = 0; k < n && b->rank; k++) {
            int want = 0;
            for (int i = 0; i < b->rank; i++) want ^= value(b, i, 0, k);
            CHECK(b->out[k] == want);
        }
    }
}

/* In place at the root: its own count and type are of no account, nor is the root's side on the others. */
static void in_place_at_root(bench *b) {
    int n = 3, me = b->rank, root = b->size - 1;
    bool here = me == root;
    for (int i = 0; i < b->size; i++) b->counts[i] = n, b->places[i] = i * n;
    clear(b, n * b->size);
    fill(b, here ? b->out + n * me : b->in, me, 0, n);
    OK(MPI_Gather(here ? MPI_IN_PLACE : b->in, here ? -1 : n, here ? MPI_DATATYPE_NULL : MPI_INT,
                  here ? b->out : NOWHERE, here ? n : -1, here ? MPI_INT : MPI_DATATYPE_NULL, root, b->comm));
    for (int i = 0; i < b->size && here; i++) CHECK(holds(b, b->out + n * i, i, 0, n));
    OK(MPI_Gatherv(here ? MPI_IN_PLACE : b->in, here ? -1 : n, here ? MPI_DATATYPE_NULL : MPI_INT,
                   here ? b->out : NOWHERE, here ? b->counts : NULL, here ? b->places : NULL,
                   here ? MPI_INT : MPI_DATATYPE_NULL, root, b->comm));
    for (int i = 0; i < b->size && here; i++) CHECK(holds(b, b->out + n * i, i, 0, n));
    for (int i = 0; i < b->size && here; i++) fill(b, b->in + n * i, root, i, n);
    clear(b, n);
    OK(MPI_Scatter(here ? b->in : NOWHERE, here ? n : -1, here ? MPI_INT : MPI_DATATYPE_NULL,
                   here ? MPI_IN_PLACE : b->out, here ? -1 : n, here ? MPI_DATATYPE_NULL : MPI_INT, root, b->comm));
    CHECK(here || holds(b, b->out, root, me, n));
    clear(b, n);
    OK(MPI_Scatterv(here ? b->in : NOWHERE, here ? b->counts : NULL, here ? b->places : NULL,
                    here ? MPI_INT : MPI_DATATYPE_NULL, here ? MPI_IN_PLACE : b->out, here ? -1 : n,
                    here ? MPI_DATATYPE_NULL : MPI_INT, root, b->comm));
    CHECK(here || holds(b, b->out, root, me, n));
}

/* Only one exchanges anything, with itself; the others have no memory at all, or a type of no bytes. (Of that they
 * might have some: Open MPI 4 and MPICH 4.0 then wait for ever by themselves.) */
static void nothing_for_some(bench *b, MPI_Datatype empty) {
    int me = b->rank, root = b->size - 1;
    bool here = me == root;
    for (int form = 0; form < 4; form++) {
        MPI_Datatype type = here || form < 2 ? MPI_INT : empty;
        void *none = form % 2 ? b->out : NULL; /* the same twice */
        for (int i = 0; i < b->size; i++) b->counts[i] = b->counts2[i] = here ? (i == me) * 2 : 0, b->places[i] = 0;
        clear(b, 2);
        fill(b, b->in, me, me, 2);
        OK(MPI_Alltoallv(here ? b->in : none, b->counts, b->places, type, here ? b->out : none, b->counts2, b->places,
                         type, b->comm));
        CHECK(here ? holds(b, b->out, me, me, 2) : b->out[0] == -7);
        clear(b, 2);
        OK(MPI_Gatherv(here ? b->in : none, here ? 2 : 0, type, b->out, b->counts, b->places, MPI_INT, root, b->comm));
        CHECK(here ? holds(b, b->out, me, me, 2) : b->out[0] == -7);
        clear(b, 2);
        OK(MPI_Scatterv(b->in, b->counts, b->places, MPI_INT, here ? b->out : none, here ? 2 : 0, type, root, b->comm));
        CHECK(here ? holds(b, b->out, me, me, 2) : b->out[0] == -7);
    }
}

/* Counts of MPI 4 that are of no account, and may be more than an int can be. */
static void large_of_no_account(bench *b) {
#if MPI_VERSION >= 4
    int n = 3, me = b->rank, root = b->size - 1;
    bool here = me == root;
    MPI_Count huge = (MPI_Count)1 << 40;
    clear(b, n * b->size);
    fill(b, here ? b->out + n * me : b->in, me, 0, n);
    OK(MPI_Gather_c(here ? MPI_IN_PLACE : b->in, here ? huge : n, MPI_INT, here ? b->out : NOWHERE, here ? n : huge,
                    MPI_INT, root, b->comm));
    for (int i = 0; i < b->size && here; i++) CHECK(holds(b, b->out + n * i, i, 0, n));
    for (int i = 0; i < b->size && here; i++) fill(b, b->in + n * i, root, i, n);
    clear(b, n);
    OK(MPI_Scatter_c(here ? b->in : NOWHERE, here ? n : huge, MPI_INT, here ? MPI_IN_PLACE : b->out, here ? huge : n,
                     MPI_INT, root, b->comm));
    CHECK(here || holds(b, b->out, root, me, n));
    clear(b, n * b->size);
    fill(b, b->out + n * me, me, 0, n);
    OK(MPI_Allgather_c(MPI_IN_PLACE, me ? huge : 0, MPI_INT, b->out, n, MPI_INT, b->comm));
    for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + n * i, i, 0, n));
#else
    (void)b;
#endif
}

void some_members(int count) {
    bench *b = bench_of(MPI_COMM_WORLD);
    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    for (int i = 0; i < count; i++) {
        first_of_exscan(b);
        in_place_at_root(b);
        nothing_for_some(b, empty);
        large_of_no_account(b);
        b->seed++;
    }
    MPI_Type_free(&empty);
    bench_free(b);
}

/* ---- what stays ---- */

static int descriptors(void) {
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    CHECK(d);
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

/* Mappings of memory that processes share without a name. */
static int mappings(void) {
    char line[512];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f);
    while (fgets(line, sizeof line, f)) n += strstr(line, "memfd:") != NULL;
    fclose(f);
    return n;
}

void come_and_go(int count) {
    int files = 0, maps = 0;
    for (int i = 0; i < count; i++) {
        MPI_Comm copy;
        double one = 1, sum = 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        OK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, copy));
        CHECK(sum == world_size);
        OK(MPI_Bcast(&sum, 1, MPI_DOUBLE, i % world_size, copy));
        OK(MPI_Barrier(copy));
        MPI_Comm_free(&copy);
        if (i == 4) files = descriptors(), maps = mappings();
    }
    CHECK(count < 5 || (descriptors() <= files && mappings() <= maps));
}
