/* A random MPI program that knows nothing of Superstep, and what it has to give. A seed makes the program: operations
 * on communicators that come and go, between messages and non-blocking operations that are under way, from two threads
 * if the MPI permits it. Every process draws the same numbers, so that each can compute what all others have. What
 * fails says so, with seed and step, and ends the run; what hangs is for the caller's timeout.
 *
 *     random SEED STEPS [THREADS] */
#include "random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int world_rank, world_size;

static uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int draw(program *p, int n) {
    p->state += 0x9e3779b97f4a7c15u;
    return (int)(mix(p->state) % (uint64_t)n);
}

int number(const program *p, int from, int to, int k) {
    uint64_t where = (uint64_t)p->thread << 60 | (uint64_t)p->step << 40;
    return (int)mix(where ^ (uint64_t)from << 32 ^ (uint64_t)to << 24 ^ (uint64_t)(unsigned)k);
}

/* ---- types ---- */

shape shape_of(const program *p, int process, int which) {
    shape s = {MPI_INT, 1, 1, false};
    switch ((unsigned)number(p, process, which, -2) % 4) {
    case 0: /* with a gap */
        MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &s.type);
        s.stride = 2;
        s.own = true;
        break;
    case 1: /* another name for it */
        MPI_Type_contiguous(1, MPI_INT, &s.type);
        s.own = true;
        break;
    default: return s;
    }
    MPI_Type_commit(&s.type);
    return s;
}

void shape_free(shape *s) {
    if (s->own) MPI_Type_free(&s->type);
}

void lay(int *at, const shape *s, const program *p, int from, int to, int n) {
    for (int k = 0; k < n; k++) at[k * s->stride] = number(p, from, to, k);
}

bool lies(const int *at, const shape *s, const program *p, int from, int to, int n) {
    for (int k = 0; k < n; k++)
        if (at[k * s->stride] != number(p, from, to, k)) return false;
    return true;
}

/* ---- communicators ---- */

static part part_of(MPI_Comm comm) {
    part c = {.comm = comm};
    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.size);
    OK(MPI_Allgather(&world_rank, 1, MPI_INT, c.members, 1, MPI_INT, comm));
    return c;
}

static void drop(program *p) {
    if (p->count < 2) return;
    int which = 1 + draw(p, p->count - 1);
    MPI_Comm_free(&p->slots[which].comm);
    p->slots[which] = p->slots[--p->count];
}

static void make(program *p) {
    MPI_Comm made;
    if (p->count == SLOTS) drop(p);
    const part *from = &p->slots[draw(p, p->count)];
    int colours = 1 + draw(p, 3), turned = draw(p, 2);
    if (draw(p, 2))
        MPI_Comm_dup(from->comm, &made);
    else
        MPI_Comm_split(from->comm, (world_rank + p->step) % colours, turned ? -world_rank : world_rank, &made);
    p->slots[p->count++] = part_of(made);
}

/* ---- what is under way ---- */

struct pending {
    MPI_Request requests[2];
    int step, n, *in, *out;
    MPI_Comm comm; /* of messages or an operation of its own */
    int kind, root;
};

/* In the step in which it began. */
static void finish(program *p, int which) {
    pending *a = p->pending[which];
    program then = *p;
    if (!a) return;
    then.step = a->step;
    MPI_Status statuses[2];
    OK(MPI_Waitall(2, a->requests, statuses));
    shape ints = {MPI_INT, 1, 1, false};
    int before = (world_rank + world_size - 1) % world_size;
    if (a->kind == 0) CHECK(lies(a->out, &ints, &then, before, world_rank, a->n));
    if (a->kind == 1) CHECK(lies(a->out, &ints, &then, a->root, 0, a->n));
    for (int k = 0; k < a->n && a->kind == 2; k++) {
        unsigned sum = 0;
        for (int i = 0; i < world_size; i++) sum += (unsigned)number(&then, i, 0, k);
        CHECK(a->out[k] == (int)sum);
    }
    free(a->in);
    free(a->out);
    free(a);
    p->pending[which] = NULL;
}

static void begin(program *p) {
    int which = draw(p, PENDING), after = (world_rank + 1) % world_size;
    int before = (world_rank + world_size - 1) % world_size;
    finish(p, which);
    pending *a = calloc(1, sizeof *a);
    CHECK(a);
    a->kind = draw(p, 3);
    a->step = p->step;
    a->n = draw(p, 3) ? 1 + draw(p, 100) : LONGEST;
    a->root = draw(p, world_size);
    a->comm = p->slots[0].comm; /* all processes, in their order */
    a->in = calloc((size_t)a->n, sizeof(int));
    a->out = calloc((size_t)a->n, sizeof(int));
    CHECK(a->in && a->out);
    a->requests[0] = a->requests[1] = MPI_REQUEST_NULL;
    shape ints = {MPI_INT, 1, 1, false};
    switch (a->kind) {
    case 0:
        lay(a->in, &ints, p, world_rank, after, a->n);
        OK(MPI_Irecv(a->out, a->n, MPI_INT, before, p->step, a->comm, &a->requests[0]));
        OK(MPI_Isend(a->in, a->n, MPI_INT, after, p->step, a->comm, &a->requests[1]));
        break;
    case 1:
        if (world_rank == a->root) lay(a->out, &ints, p, a->root, 0, a->n);
        OK(MPI_Ibcast(a->out, a->n, MPI_INT, a->root, a->comm, &a->requests[0]));
        break;
    default:
        lay(a->in, &ints, p, world_rank, 0, a->n);
        OK(MPI_Iallreduce(a->in, a->out, a->n, MPI_INT, MPI_SUM, a->comm, &a->requests[0]));
    }
    p->pending[which] = a;
}

/* ---- programs ---- */

static int seed, steps, level;

static void *run(void *argument) {
    program *p = argument;
    size_t room = 2 * (size_t)(LONGEST + 4 * MEMBERS) * sizeof(int);
    p->in = malloc(room);
    p->out = malloc(room);
    CHECK(p->in && p->out);
    for (p->step = 1; p->step <= steps; p->step++) {
        const part *c = &p->slots[draw(p, p->count)];
        switch (draw(p, 16)) {
        case 0: make(p); break;
        case 1: drop(p); break;
        case 2: OK(MPI_Barrier(c->comm)); break;
        case 3:
        case 4: begin(p); break;
        case 5: finish(p, draw(p, PENDING)); break;
        case 6:
        case 7:
        case 8:
        case 9:
        case 10: fold_something(p, c); break;
        default: move_something(p, c);
        }
        int late = draw(p, 8), pause = draw(p, 300);
        if (late == world_rank) usleep((useconds_t)pause);
    }
    for (int i = 0; i < PENDING; i++) finish(p, i);
    while (p->count) MPI_Comm_free(&p->slots[--p->count].comm);
    free(p->in);
    free(p->out);
    return NULL;
}

int main(int argc, char **argv) {
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    program programs[2] = {0};
    pthread_t ids[2];
    if (argc < 3 || threads < 1 || threads > 2) return 2;
    seed = atoi(argv[1]);
    steps = atoi(argv[2]);
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(world_size <= MEMBERS);
    if (level < MPI_THREAD_MULTIPLE) threads = 1;
    for (int t = 0; t < threads; t++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        programs[t] = (program){.state = mix((uint64_t)seed << 8 | (unsigned)t), .thread = t, .count = 1};
        programs[t].slots[0] = part_of(copy);
    }
    for (int t = 1; t < threads; t++) CHECK(!pthread_create(&ids[t], NULL, run, &programs[t]));
    run(&programs[0]);
    for (int t = 1; t < threads; t++) CHECK(!pthread_join(ids[t], NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
