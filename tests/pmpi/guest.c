/* An MPI program for guests: collective operations whose results it checks, however MPI came to be initialised. The
 * same source is a C++ program, and one that has its own MPI_Init, as a tool that is linked in has (WRAPS).
 *
 *     guest plain|late|library|session|communicators HOW_MANY */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm world;
static int rank, size;

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "guest: rank %d: line %d: %s\n", rank, __LINE__, #condition); \
            exit(9);                                                                      \
        }                                                                                 \
    } while (0)

#ifdef WRAPS
#ifdef __cplusplus
extern "C"
#endif
    int
    MPI_Init(int *argc, char ***argv) {
    return PMPI_Init(argc, argv);
}
#endif

/* Past whoever defines it before the library. */
static void init_of_library(int *argc, char ***argv) {
    Dl_info info;
    int (*init)(int *, char ***);
    CHECK(dladdr(dlsym(RTLD_DEFAULT, "PMPI_Init"), &info));
    void *library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD), *symbol = NULL;
    if (library) symbol = dlsym(library, "MPI_Init");
    CHECK(symbol);
    memcpy(&init, &symbol, sizeof init);
    CHECK(init(argc, argv) == MPI_SUCCESS);
}

static void operations(MPI_Comm comm, int count) {
    for (int i = 0; i < count; i++) {
        int mine = rank + i, sum = 0, word = rank == i % size ? i : -1, truth = rank == 0, any = 0;
        double part = 0.5 * rank, whole = 0;
        CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        CHECK(sum == size * (size - 1) / 2 + i * size);
        CHECK(MPI_Reduce(&part, &whole, 1, MPI_DOUBLE, MPI_SUM, 0, comm) == MPI_SUCCESS);
        if (rank == 0) CHECK(whole == 0.25 * size * (size - 1));
        CHECK(MPI_Bcast(&word, 1, MPI_INT, i % size, comm) == MPI_SUCCESS && word == i);
        CHECK(MPI_Allreduce(&truth, &any, 1, MPI_INT, MPI_LOR, comm) == MPI_SUCCESS && any == 1);
        CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    }
}

/* Short-lived ones, with forty reductions each that round. */
static void communicators(int count) {
    for (int i = 0; i < count; i++) {
        MPI_Comm comm;
        CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, i & 1 ? rank : -rank, &comm) == MPI_SUCCESS);
        for (int k = 0; k < 40; k++) {
            double one = 1, sum = 0;
            CHECK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS && sum == size);
        }
        MPI_Comm_free(&comm);
    }
}

/* A program that never calls MPI_Init. 77: this MPI has no sessions. */
static int session(int count) {
#if MPI_VERSION >= 4
    MPI_Session all;
    MPI_Group group;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all) == MPI_SUCCESS);
    CHECK(MPI_Group_from_session_pset(all, "mpi://WORLD", &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, "guest", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world) == MPI_SUCCESS);
    MPI_Group_free(&group);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    operations(world, count);
    MPI_Comm_free(&world);
    MPI_Session_finalize(&all);
    return 0;
#else
    (void)count;
    return 77;
#endif
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const char *what = argv[1],
               *told = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    int count = atoi(argv[2]);
    if (!strcmp(what, "session")) return session(count);
    if (!strcmp(what, "late") && told && !strcmp(told, "1")) usleep(300000);
    if (!strcmp(what, "library"))
        init_of_library(&argc, &argv);
    else
        MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (!strcmp(what, "communicators"))
        communicators(count);
    else
        operations(world, count);
    MPI_Finalize();
    return 0;
}
