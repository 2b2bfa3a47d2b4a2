/* An MPI program that knows nothing of Superstep and looks whether MPI_Barrier is one, in all the places where programs
 * call it. The first argument names the check, the second how much of it. What fails says so and ends the run; what
 * hangs is for the caller's timeout. The same program passes without the preloaded library. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "checks: rank %d: line %d: %s\n", rank, __LINE__, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                  \
        }                                                                                  \
    } while (0)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A barrier on comm in which member `late` comes later than the others: nobody may leave before the last has come. All
 * processes are on one machine, and so on one clock. */
static void checked(MPI_Comm comm, int late, int pause_us) {
    int me;
    MPI_Comm_rank(comm, &me);
    if (me == late) usleep((useconds_t)pause_us);
    double came = now();
    CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    double left = -now(), last, first;
    MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MAX, comm);
    CHECK(last <= -first);
}

/* Each process delayed in turn delays all (BSP §5.5). */
static void delays(int count) {
    for (int i = 0; i < count; i++)
        for (int late = 0; late < size; late++) checked(MPI_COMM_WORLD, late, 3000);
    for (int i = 0; i < 100 * count; i++) MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- MPI goes on meanwhile ---- */

enum { LARGE = 8 << 20 };

/* A blocking send too large for MPI to keep, to a process that waits in the barrier with its receive posted. */
static void large_send(int count) {
    unsigned char *bytes = malloc(LARGE);
    CHECK(bytes && size >= 2);
    for (int i = 0; i < count; i++) {
        int from = (i + 1) % size, to = i % size;
        MPI_Request request = MPI_REQUEST_NULL;
        memset(bytes, rank == from ? 'a' + i : 0, LARGE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == to) MPI_Irecv(bytes, LARGE, MPI_BYTE, from, 7, MPI_COMM_WORLD, &request);
        if (rank == from) {
            usleep(20000);
            MPI_Send(bytes, LARGE, MPI_BYTE, to, 7, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == to) CHECK(bytes[0] == 'a' + i && bytes[LARGE - 1] == 'a' + i);
    }
    free(bytes);
}

/* Memory of a process that waits in the barrier, read and written without its help. */
static void one_sided(int count) {
    MPI_Win window;
    int *mine;
    CHECK(size >= 2);
    MPI_Win_allocate(1 << 20, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    for (int i = 0; i < (1 << 18); i++) mine[i] = 1000 * rank + i % 100;
    for (int i = 0; i < count; i++) {
        int target = i % size, origin = (i + 1) % size, got[100] = {0}, one = 1;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == origin) {
            usleep(20000);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
            MPI_Get(got, 100, MPI_INT, target, 0, 100, MPI_INT, window);
            MPI_Accumulate(&one, 1, MPI_INT, target, 200, 1, MPI_INT, MPI_SUM, window);
            MPI_Win_unlock(target, window);
            for (int k = 0; k < 100; k++) CHECK(got[k] == 1000 * target + k);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

/* ---- communicators ---- */

/* Made and freed in great number; handles are used again. */
static void storm(int count) {
    for (int i = 0; i < count; i++) {
        MPI_Comm part, copy;
        /* halves, or all in the reverse order */
        MPI_Comm_split(MPI_COMM_WORLD, i % 4 == 3 ? rank % 2 : 0, i % 2 ? rank : -rank, &part);
        for (int k = 0; k < 3; k++) MPI_Barrier(part);
        MPI_Comm_dup(part, &copy);
        int members;
        MPI_Comm_size(part, &members);
        checked(copy, i % members, 0);
        MPI_Comm_free(&part);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
}

/* More of them at once than the library takes, and none is freed: MPI_Finalize meets them all. */
static void many(int count) {
    for (int i = 0; i < count; i++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Barrier(copy);
        MPI_Barrier(copy);
        if (i % 32 == 0) checked(copy, i % size, 0);
    }
}

static void others(int count) {
    MPI_Comm half, between, odd;
    for (int i = 0; i < count; i++) CHECK(MPI_Barrier(MPI_COMM_SELF) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &odd);
    if (odd != MPI_COMM_NULL) {
        for (int i = 0; i < count; i++) MPI_Barrier(odd);
        MPI_Comm_disconnect(&odd);
    }
    if (size >= 2) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, (rank + 1) % 2, 5, &between);
        for (int i = 0; i < count; i++) CHECK(MPI_Barrier(between) == MPI_SUCCESS);
        MPI_Comm_free(&between);
        MPI_Comm_free(&half);
    }
    checked(MPI_COMM_WORLD, 0, 1000);
}

/* What a program attached to its communicator is its own business, and so are its error handler and its errors. */
static int copies, deletes;
static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}
static int on_delete(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

static void attributes(int count) {
    int key;
    MPI_Comm copy;
    MPI_Errhandler set, found;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_keyval(on_copy, on_delete, &key, NULL);
    MPI_Comm_set_attr(copy, key, &key);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    for (int i = 0; i < count; i++) MPI_Barrier(copy);
    MPI_Comm_get_errhandler(copy, &found);
    CHECK(found == MPI_ERRORS_RETURN && copies == 0 && deletes == 0);
    MPI_Comm_free(&copy);
    CHECK(copies == 0 && deletes == 1);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &set);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Barrier(MPI_COMM_NULL), class = MPI_SUCCESS;
    CHECK(code != MPI_SUCCESS);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_COMM);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, set);
}

/* ---- processes and threads ---- */

typedef struct thread {
    pthread_t id;
    MPI_Comm comm;
    int count;
} thread;

static void *in_thread(void *argument) {
    thread *t = argument;
    for (int i = 0; i < t->count; i++) MPI_Barrier(t->comm);
    checked(t->comm, 0, 2000);
    return NULL;
}

static void threads(int count) {
    thread t[3];
    int level;
    MPI_Query_thread(&level);
    CHECK(level == MPI_THREAD_MULTIPLE);
    for (int i = 0; i < 3; i++) {
        t[i].count = count;
        MPI_Comm_dup(MPI_COMM_WORLD, &t[i].comm);
    }
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i].id, NULL, in_thread, &t[i]));
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i].id, NULL));
    for (int i = 0; i < 3; i++) MPI_Comm_free(&t[i].comm);
}

static void forks(int count) {
    for (int i = 0; i < count; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        pid_t child = fork();
        if (child == 0) _exit(3);
        int status = 0;
        CHECK(child > 0);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
    }
}

/* One dies while the others wait for it. */
static void dies(int count) {
    for (int i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        usleep(50000);
        raise(SIGSEGV);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void aborts(int count) {
    for (int i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A barrier when MPI is about to end, after a time without any. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Barrier(MPI_COMM_WORLD);
}

static void ends(int count) {
    int key;
    for (int i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* For so many milliseconds: until what decides by time has decided. */
static void lasts(int count) {
    double end = now() + 1e-3 * count, over = 0;
    while (!over) {
        for (int i = 0; i < 4; i++) MPI_Barrier(MPI_COMM_WORLD);
        double mine = now() > end;
        MPI_Allreduce(&mine, &over, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    checked(MPI_COMM_WORLD, 0, 1000);
}

/* Between hosts MPICH's MPI_Finalize over UCX's TCP may wait for ever for one that has left already (with and without
 * us): all say goodbye to each other both ways, and give the slowest time to hear of it. */
static void part(void) {
    for (int step = 1; step < size; step *= 2) {
        int up = (rank + step) % size, down = (rank + size - step) % size;
        MPI_Sendrecv(NULL, 0, MPI_BYTE, up, 1, NULL, 0, MPI_BYTE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, down, 2, NULL, 0, MPI_BYTE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    usleep(50000);
}

static const struct {
    const char *name;
    void (*run)(int count);
} all[] = {
    {"delays", delays},
    {"large_send", large_send},
    {"one_sided", one_sided},
    {"storm", storm},
    {"many", many},
    {"others", others},
    {"attributes", attributes},
    {"threads", threads},
    {"forks", forks},
    {"dies", dies},
    {"aborts", aborts},
    {"ends", ends},
    {"lasts", lasts},
};

int main(int argc, char **argv) {
    int level;
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "threads"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(argv[1], all[i].name)) {
            all[i].run(atoi(argv[2]));
            part();
            MPI_Finalize();
            return 0;
        }
    fprintf(stderr, "checks: no check '%s'\n", argv[1]);
    MPI_Abort(MPI_COMM_WORLD, 2);
}
