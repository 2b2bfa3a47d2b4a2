/* An MPI program that makes every mistake in arguments that its MPI finds, in every collective operation, on all
 * processes, on the root alone, on another alone, and writes down what it was told: the caller compares that with what
 * is told without the preloaded library. Who was told of an error by himself calls again as he should, as the others
 * wait for him; and after each mistake the following calls give what they should.
 *
 * A line: operation, mistake, who made it, the class of the error, how often handlers were called.
 *
 *     arguments FILE      process i writes FILE.i */
#include "collectives.h"

#include <stdlib.h>
#include <string.h>

int world_rank, world_size;

#if defined(OPEN_MPI)
enum { OPENMPI = 1, MPICH_ = 0 };
#else
enum { OPENMPI = 0, MPICH_ = 1 };
#endif

enum { N = 3, MOST = 16 };

/* ---- calls ---- */

typedef struct arguments {
    const void *in;
    int in_count;
    const int *in_counts, *in_at;
    MPI_Datatype in_type;
    void *out;
    int out_count;
    const int *out_counts, *out_at;
    MPI_Datatype out_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
} arguments;

#define CALL(name, ...) \
    static int name(const arguments *a) { return MPI_##name(__VA_ARGS__, a->comm); }
CALL(Bcast, a->out, a->out_count, a->out_type, a->root)
CALL(Scatter, a->in, a->in_count, a->in_type, a->out, a->out_count, a->out_type, a->root)
CALL(Scatterv, a->in, a->in_counts, a->in_at, a->in_type, a->out, a->out_count, a->out_type, a->root)
CALL(Gather, a->in, a->in_count, a->in_type, a->out, a->out_count, a->out_type, a->root)
CALL(Gatherv, a->in, a->in_count, a->in_type, a->out, a->out_counts, a->out_at, a->out_type, a->root)
CALL(Allgather, a->in, a->in_count, a->in_type, a->out, a->out_count, a->out_type)
CALL(Allgatherv, a->in, a->in_count, a->in_type, a->out, a->out_counts, a->out_at, a->out_type)
CALL(Alltoall, a->in, a->in_count, a->in_type, a->out, a->out_count, a->out_type)
CALL(Alltoallv, a->in, a->in_counts, a->in_at, a->in_type, a->out, a->out_counts, a->out_at, a->out_type)
CALL(Reduce, a->in, a->out, a->in_count, a->in_type, a->op, a->root)
CALL(Allreduce, a->in, a->out, a->in_count, a->in_type, a->op)
CALL(Reduce_scatter, a->in, a->out, a->in_counts, a->in_type, a->op)
CALL(Reduce_scatter_block, a->in, a->out, a->in_count, a->in_type, a->op)
CALL(Scan, a->in, a->out, a->in_count, a->in_type, a->op)
CALL(Exscan, a->in, a->out, a->in_count, a->in_type, a->op)

/* What an operation has. */
enum {
    ROOT = 1,    /* a root … */
    TO_ROOT = 2, /* … that gets something */
    MOVES = 4,   /* two types */
    FOLDS = 8,   /* an operator */
    IN_ARRAYS = 16,
    OUT_ARRAYS = 32,
    BROADCAST = 64,
    EXSCAN = 128,
};
static const struct {
    const char *name;
    int (*call)(const arguments *a);
    int has;
} operations[] = {
    {"Bcast", Bcast, ROOT | BROADCAST},
    {"Scatter", Scatter, ROOT | MOVES},
    {"Scatterv", Scatterv, ROOT | MOVES | IN_ARRAYS},
    {"Gather", Gather, ROOT | TO_ROOT | MOVES},
    {"Gatherv", Gatherv, ROOT | TO_ROOT | MOVES | OUT_ARRAYS},
    {"Allgather", Allgather, MOVES},
    {"Allgatherv", Allgatherv, MOVES | OUT_ARRAYS},
    {"Alltoall", Alltoall, MOVES},
    {"Alltoallv", Alltoallv, MOVES | IN_ARRAYS | OUT_ARRAYS},
    {"Reduce", Reduce, ROOT | TO_ROOT | FOLDS},
    {"Allreduce", Allreduce, FOLDS},
    {"Reduce_scatter", Reduce_scatter, FOLDS | IN_ARRAYS},
    {"Reduce_scatter_block", Reduce_scatter_block, FOLDS},
    {"Scan", Scan, FOLDS},
    {"Exscan", Exscan, FOLDS | EXSCAN},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static int memory[2][MOST * MOST], lengths[MOST], places[MOST], wrong_lengths[MOST];
static MPI_Datatype raw, pair;

/* Every process has N ints of its rank for everybody. */
static arguments right(MPI_Comm comm, int root) {
    for (int i = 0; i < MOST; i++) {
        lengths[i] = wrong_lengths[i] = N;
        places[i] = i * N;
    }
    wrong_lengths[world_size - 1] = -1;
    for (int i = 0; i < MOST * MOST; i++) {
        memory[0][i] = world_rank;
        memory[1][i] = -7;
    }
    return (arguments){memory[0], N,      lengths, places,  MPI_INT, memory[1], N,
                       lengths,   places, MPI_INT, MPI_SUM, root,    comm};
}

static int sum_to(int end) { return end * (end - 1) / 2; }

/* Is that what a right call gives? */
static bool is_right(int o, const arguments *a) {
    const int *out = memory[1], P = world_size, me = world_rank;
    int has = operations[o].has;
    bool at_root = me == a->root;
    if (has & BROADCAST) return out[0] == -7 && out[N - 1] == -7;
    if (has & TO_ROOT && !at_root) return out[0] == -7;
    if (has & FOLDS) {
        int want = operations[o].call == Scan ? sum_to(me + 1) : has & EXSCAN ? sum_to(me) : sum_to(P);
        return (has & EXSCAN && me == 0) || (out[0] == want && out[N - 1] == want);
    }
    if (has & ROOT && !(has & TO_ROOT)) return out[0] == a->root && out[N - 1] == a->root;
    for (int i = 0; i < P; i++)
        if (out[i * N] != i || out[i * N + N - 1] != i) return false;
    return true;
}

/* ---- mistakes ---- */

typedef struct mistake {
    const char *name;
    void (*make)(arguments *a);
    int needs, not ;  /* what the operation has */
    bool others_wait; /* false: the others go on without whoever makes it at the root, and so does he */
    int mpi;          /* 1: where the MPI finds it, or does it; 0: it does neither */
} mistake;

static void in_count(arguments *a) { a->in_count = -1; }
static void out_count(arguments *a) { a->out_count = -1; }
static void in_null_type(arguments *a) { a->in_type = MPI_DATATYPE_NULL; }
static void out_null_type(arguments *a) { a->out_type = MPI_DATATYPE_NULL; }
static void in_nothing_of_null(arguments *a) {
    a->in_type = MPI_DATATYPE_NULL;
    a->in_count = 0;
}
static void out_nothing_of_null(arguments *a) {
    a->out_type = MPI_DATATYPE_NULL;
    a->out_count = 0;
}
static void in_raw(arguments *a) { a->in_type = raw; }
static void out_raw(arguments *a) { a->out_type = raw; }
static void in_nowhere(arguments *a) { a->in = NULL; }
static void out_nowhere(arguments *a) { a->out = NULL; }
static void in_pair_nowhere(arguments *a) {
    a->in = NULL;
    a->in_type = pair;
}
static void out_pair_nowhere(arguments *a) {
    a->out = NULL;
    a->out_type = pair;
}
static void in_in_place(arguments *a) { a->in = MPI_IN_PLACE; }
static void out_in_place(arguments *a) { a->out = MPI_IN_PLACE; }
static void low_root(arguments *a) { a->root = -1; }
static void high_root(arguments *a) { a->root = world_size; }
static void null_op(arguments *a) { a->op = MPI_OP_NULL; }
static void bits_of_reals(arguments *a) {
    a->op = MPI_BAND;
    a->in_type = MPI_DOUBLE;
}
static void places_of_ints(arguments *a) { a->op = MPI_MINLOC; }
static void least_of_bytes(arguments *a) {
    a->op = MPI_MIN;
    a->in_type = MPI_BYTE;
}
static void alias(arguments *a) { a->out = (void *)a->in; }
static void alias_of_one(arguments *a) {
    a->out = (void *)a->in;
    a->in_count = a->out_count = 1;
}
/* What goes to this process itself is there already. */
static void own_in(arguments *a) { a->in = (int *)a->out + N * world_rank; }
static void own_out(arguments *a) { a->out = (int *)a->in + N * world_rank; }
static void in_counts(arguments *a) { a->in_counts = wrong_lengths; }
static void out_counts(arguments *a) { a->out_counts = wrong_lengths; }
static void no_in_counts(arguments *a) { a->in_counts = NULL; }
static void no_out_counts(arguments *a) { a->out_counts = NULL; }
static void no_in_places(arguments *a) { a->in_at = NULL; }
static void no_out_places(arguments *a) { a->out_at = NULL; }
static void in_longer(arguments *a) { a->in_count = 2 * N; }
static void no_comm(arguments *a) { a->comm = MPI_COMM_NULL; }

/* Where an MPI looks at nothing and fails, or does what it pleases, there is nothing to compare. */
static const mistake mistakes[] = {
    {"in_count", in_count, 0, BROADCAST | IN_ARRAYS | (MPICH_ ? FOLDS : 0), true, 1},
    {"out_count", out_count, 0, FOLDS | OUT_ARRAYS, true, 1},
    {"in_null_type", in_null_type, 0, BROADCAST, true, 1},
    {"out_null_type", out_null_type, 0, FOLDS, true, 1},
    {"in_nothing_of_null", in_nothing_of_null, MOVES, IN_ARRAYS, true, 1},
    {"out_nothing_of_null", out_nothing_of_null, MOVES, OUT_ARRAYS, true, 1},
    {"in_raw", in_raw, MOVES, 0, true, 1},
    {"out_raw", out_raw, 0, FOLDS, true, 1},
    {"in_nowhere", in_nowhere, 0, BROADCAST, true, MPICH_},
    {"out_nowhere", out_nowhere, 0, 0, true, MPICH_},
    {"in_pair_nowhere", in_pair_nowhere, MOVES, 0, true, MPICH_},
    {"out_pair_nowhere", out_pair_nowhere, 0, FOLDS, true, MPICH_},
    {"in_in_place", in_in_place, TO_ROOT, 0, true, OPENMPI},
    {"in_in_place", in_in_place, ROOT, TO_ROOT | BROADCAST, true, 1},
    {"out_in_place", out_in_place, 0, ROOT | EXSCAN, true, 1},
    {"out_in_place", out_in_place, TO_ROOT, 0, true, 1},
    {"out_in_place", out_in_place, BROADCAST, 0, true, OPENMPI},
    {"low_root", low_root, ROOT, 0, true, 1},
    {"high_root", high_root, ROOT, 0, true, 1},
    {"null_op", null_op, FOLDS, 0, true, 1},
    {"bits_of_reals", bits_of_reals, FOLDS, 0, true, 1},
    {"places_of_ints", places_of_ints, FOLDS, 0, true, 1},
    {"least_of_bytes", least_of_bytes, FOLDS, 0, true, 1},
    {"alias", alias, 0, BROADCAST | TO_ROOT, true, 1},
    {"alias", alias, TO_ROOT, 0, false, 1},
    {"alias_of_one", alias_of_one, FOLDS, TO_ROOT | IN_ARRAYS, true, 1},
    {"own_in", own_in, MOVES, ROOT, true, 1},
    {"own_in", own_in, MOVES | TO_ROOT, 0, false, 1},
    {"own_out", own_out, MOVES | ROOT, TO_ROOT, true, 1},
    {"in_counts", in_counts, IN_ARRAYS, 0, true, 1},
    {"out_counts", out_counts, OUT_ARRAYS, 0, true, 1},
    {"no_in_counts", no_in_counts, IN_ARRAYS, 0, true, OPENMPI},
    {"no_out_counts", no_out_counts, OUT_ARRAYS | IN_ARRAYS, 0, true, OPENMPI},
    {"no_out_counts", no_out_counts, OUT_ARRAYS | TO_ROOT, 0, true, OPENMPI},
    {"no_in_places", no_in_places, IN_ARRAYS, FOLDS, true, OPENMPI},
    {"no_out_places", no_out_places, OUT_ARRAYS, 0, true, OPENMPI},
    {"in_longer", in_longer, MOVES, ROOT | IN_ARRAYS | OUT_ARRAYS, true, OPENMPI},
    {"no_comm", no_comm, 0, 0, true, 1},
};
enum { MISTAKES = sizeof mistakes / sizeof mistakes[0] };

/* ---- what one is told ---- */

static int handled;
static void handler(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    handled++;
}

static FILE *told;

static int class_of(int code) {
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    return class;
}

/* ---- who makes them ---- */

typedef enum who { ALL, AT_ROOT, ANOTHER, WHO } who;
static const char *const who_names[WHO] = {"all", "root", "another"};

/* A mistake of all that the MPI finds on some only leaves the others alone with it. */
static bool is_sure(int o, const mistake *m, who w) {
    int has = operations[o].has;
    bool roots_own =
        has & TO_ROOT && (m->make == out_count || m->make == out_null_type || m->make == out_raw ||
                          m->make == out_counts || m->make == no_out_counts || m->make == no_out_places ||
                          m->make == out_nowhere || m->make == out_pair_nowhere || m->make == out_in_place ||
                          m->make == out_nothing_of_null || m->make == alias || m->make == own_in);
    roots_own = roots_own || (has & ROOT && !(has & (TO_ROOT | BROADCAST)) &&
                              (m->make == in_count || m->make == in_null_type || m->make == in_raw ||
                               m->make == in_counts || m->make == no_in_counts || m->make == no_in_places ||
                               m->make == in_nowhere || m->make == in_pair_nowhere || m->make == in_in_place ||
                               m->make == in_nothing_of_null || m->make == own_out));
    bool others_own = has & TO_ROOT && m->make == in_in_place; /* who is not the root */
    if ((m->make == alias_of_one || m->make == least_of_bytes) && w != ALL) return false;
    if (m->make == own_in && (operations[o].call == Alltoall || operations[o].call == Alltoallv)) return false;
    if (m->make == in_longer && operations[o].call != Alltoall) return false;
    if (m->make == alias && has & MOVES && operations[o].call != Alltoall && operations[o].call != Alltoallv)
        return false;
    /* Open MPI 4 does not look at these, or goes on */
    if (OPENMPI && operations[o].call == Allgather && m->make == no_comm) return false;
    bool in = m->make == in_count || m->make == in_null_type || m->make == in_nothing_of_null;
    if (OPENMPI && operations[o].call == Scatter && in) return false;
    if (OPENMPI && operations[o].call == Allgatherv && m->make == out_counts) return false;
    if (roots_own) return w == AT_ROOT;
    if (others_own) return w == ANOTHER;
    return true;
}

static void following_calls(MPI_Comm comm, int except) {
    int root = (world_size - 1) / 2;
    for (int o = 0; o < OPERATIONS; o++) {
        if (o == except) continue;
        arguments a = right(comm, root);
        OK(operations[o].call(&a));
        CHECK(is_right(o, &a));
    }
    OK(MPI_Barrier(comm));
}

static void try(MPI_Comm comm, int o, const mistake *m, who w) {
    int root = world_size - 1, before = handled;
    bool mine = w == ALL || (w == AT_ROOT) == (world_rank == root);
    if (w == ANOTHER && world_rank != 0) mine = false;
    MPI_Comm own = comm;
    if (!m->others_wait) MPI_Comm_dup(comm, &own);
    arguments a = right(own, root);
    if (mine) m->make(&a);
    int code = operations[o].call(&a);
    fprintf(told, "%s %s %s: %d %d\n", operations[o].name, m->name, who_names[w], class_of(code), handled - before);
    fflush(told);
    if (code != MPI_SUCCESS && w != ALL && m->others_wait) { /* again, as it should be */
        a = right(own, root);
        code = operations[o].call(&a);
        CHECK(code == MPI_SUCCESS);
        CHECK(is_right(o, &a));
    }
    following_calls(own, m->others_wait ? -1 : o);
    if (!m->others_wait) MPI_Comm_free(&own);
}

/* Between groups, and alone: not ours, and as the MPI has it. */
static void elsewhere(MPI_Comm comm) {
    MPI_Comm half, between = MPI_COMM_NULL;
    arguments a = right(MPI_COMM_SELF, 0);
    a.out_count = -1;
    fprintf(told, "alone: %d\n", class_of(Bcast(&a)));
    if (world_size < 2) return;
    MPI_Comm_split(comm, world_rank % 2, world_rank, &half);
    MPI_Intercomm_create(half, 0, comm, (world_rank + 1) % 2, 5, &between);
    for (int o = 0; o < OPERATIONS; o++) {
        a = right(between, world_size);
        if (operations[o].has & ROOT)
            fprintf(told, "between, %s: %d\n", operations[o].name, class_of(operations[o].call(&a)));
    }
    a = right(between, 0);
    fprintf(told, "between, Scan: %d\n", class_of(Scan(&a)));
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    char name[4096];
    MPI_Errhandler own;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    CHECK(argc == 2 && world_size <= MOST);
    snprintf(name, sizeof name, "%s.%d", argv[1], world_rank);
    told = fopen(name, "w");
    CHECK(told);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, own);
    MPI_Type_contiguous(1, MPI_INT, &raw);
    MPI_Type_vector(1, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    following_calls(comm, -1);
    for (int o = 0; o < OPERATIONS; o++)
        for (int k = 0; k < MISTAKES; k++) {
            const mistake *m = &mistakes[k];
            if (!m->mpi || (operations[o].has & m->needs) != m->needs || operations[o].has & m->not ) continue;
            for (who w = ALL; w < WHO; w++)
                if (is_sure(o, m, w)) try(comm, o, m, w);
        }
    elsewhere(comm);
    MPI_Type_free(&raw);
    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&own);
    fclose(told);
    MPI_Finalize();
    return 0;
}
