/* Random MPI programs: operations that move data, of blocks of one length and of many, from types that differ from
 * process to process, in place or not, from and to any root. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* How long the block from one to another is; some are empty. */
static int length(const program *p, int n, int from, int to) {
    unsigned x = (unsigned)number(p, from + 100, to, -1);
    return x % 4 == 0 ? 0 : (int)(x / 4 % (unsigned)(n + 1));
}

typedef struct blocks {
    int counts[MEMBERS], places[MEMBERS], end;
} blocks;

/* With gaps, in an order of its own. */
static blocks put(const part *c, const int *lengths) {
    blocks b = {.end = 1};
    for (int i = c->size - 1; i >= 0; i--) {
        b.counts[i] = lengths[i];
        b.places[i] = b.end;
        b.end += lengths[i] + 1;
    }
    return b;
}

static void wipe(program *p, const shape *s, int elements) {
    for (int k = 0; k < elements * s->stride; k++) p->out[k] = -7;
}

#define AT(memory, s, element) ((memory) + (element) * (s)->stride)

static void broadcast(program *p, const part *c, int n) {
    int root = draw(p, c->size), me = world_rank, from = c->members[root];
    shape s = shape_of(p, me, 0);
    wipe(p, &s, n);
    if (me == from) lay(p->out, &s, p, from, 0, n);
    OK(MPI_Bcast(p->out, n, s.type, root, c->comm));
    CHECK(lies(p->out, &s, p, from, 0, n));
    shape_free(&s);
}

static void gather(program *p, const part *c, int n, bool varies) {
    int root = draw(p, c->size), me = world_rank, lengths[MEMBERS] = {0};
    bool at_root = c->rank == root, here = draw(p, 2) && at_root;
    shape s = shape_of(p, me, 0), r = shape_of(p, me, 1);
    for (int i = 0; i < c->size; i++) lengths[i] = varies ? length(p, n, c->members[i], 0) : n;
    blocks b = put(c, lengths);
    for (int i = 0; i < c->size && !varies; i++) b.places[i] = i * n;
    wipe(p, &r, b.end);
    int mine = lengths[c->rank];
    if (here)
        lay(AT(p->out, &r, b.places[c->rank]), &r, p, me, 0, mine);
    else
        lay(p->in, &s, p, me, 0, mine);
    const void *in = here ? MPI_IN_PLACE : p->in;
    if (varies)
        OK(MPI_Gatherv(in, mine, s.type, p->out, at_root ? b.counts : NULL, at_root ? b.places : NULL, r.type, root,
                       c->comm));
    else
        OK(MPI_Gather(in, n, s.type, p->out, n, r.type, root, c->comm));
    for (int i = 0; i < c->size && at_root; i++)
        CHECK(lies(AT(p->out, &r, b.places[i]), &r, p, c->members[i], 0, lengths[i]));
    if (!at_root) CHECK(p->out[0] == -7);
    shape_free(&s);
    shape_free(&r);
}

static void scatter(program *p, const part *c, int n, bool varies) {
    int root = draw(p, c->size), me = world_rank, from = c->members[root], lengths[MEMBERS] = {0};
    bool at_root = c->rank == root, here = draw(p, 2) && at_root;
    shape s = shape_of(p, me, 0), r = shape_of(p, me, 1);
    for (int i = 0; i < c->size; i++) lengths[i] = varies ? length(p, n, from, c->members[i]) : n;
    blocks b = put(c, lengths);
    for (int i = 0; i < c->size && !varies; i++) b.places[i] = i * n;
    for (int i = 0; i < c->size && at_root; i++)
        lay(AT(p->in, &s, b.places[i]), &s, p, from, c->members[i], lengths[i]);
    int mine = lengths[c->rank];
    wipe(p, &r, mine + 1);
    void *out = here ? MPI_IN_PLACE : p->out;
    if (varies)
        OK(MPI_Scatterv(p->in, at_root ? b.counts : NULL, at_root ? b.places : NULL, s.type, out, mine, r.type, root,
                        c->comm));
    else
        OK(MPI_Scatter(p->in, n, s.type, out, n, r.type, root, c->comm));
    if (here)
        CHECK(lies(AT(p->in, &s, b.places[c->rank]), &s, p, from, me, mine));
    else
        CHECK(lies(p->out, &r, p, from, me, mine) && p->out[mine * r.stride] == -7);
    shape_free(&s);
    shape_free(&r);
}

static void allgather(program *p, const part *c, int n, bool varies) {
    int me = world_rank, lengths[MEMBERS] = {0};
    bool here = draw(p, 2);
    shape s = shape_of(p, me, 0), r = shape_of(p, me, 1);
    if (varies && c->size == 1) varies = false; /* MPICH 4.0 itself puts the only block at the beginning */
    for (int i = 0; i < c->size; i++) lengths[i] = varies ? length(p, n, c->members[i], 0) : n;
    blocks b = put(c, lengths);
    for (int i = 0; i < c->size && !varies; i++) b.places[i] = i * n;
    wipe(p, &r, b.end);
    int mine = lengths[c->rank];
    if (here)
        lay(AT(p->out, &r, b.places[c->rank]), &r, p, me, 0, mine);
    else
        lay(p->in, &s, p, me, 0, mine);
    const void *in = here ? MPI_IN_PLACE : p->in;
    if (varies)
        OK(MPI_Allgatherv(in, mine, s.type, p->out, b.counts, b.places, r.type, c->comm));
    else
        OK(MPI_Allgather(in, n, s.type, p->out, n, r.type, c->comm));
    for (int i = 0; i < c->size; i++) CHECK(lies(AT(p->out, &r, b.places[i]), &r, p, c->members[i], 0, lengths[i]));
    shape_free(&s);
    shape_free(&r);
}

static void alltoall(program *p, const part *c, int n) {
    int me = world_rank;
    bool here = draw(p, 2);
    shape r = shape_of(p, me, 1), s = here ? r : shape_of(p, me, 0);
    wipe(p, &r, n * c->size + 1);
    for (int i = 0; i < c->size; i++) lay(AT(here ? p->out : p->in, &s, i * n), &s, p, me, c->members[i], n);
    OK(MPI_Alltoall(here ? MPI_IN_PLACE : p->in, n, s.type, p->out, n, r.type, c->comm));
    for (int i = 0; i < c->size; i++) CHECK(lies(AT(p->out, &r, i * n), &r, p, c->members[i], me, n));
    CHECK(p->out[n * c->size * r.stride] == -7);
    if (!here) shape_free(&s);
    shape_free(&r);
}

static void alltoallv(program *p, const part *c, int n) {
    int me = world_rank, sends[MEMBERS], gets[MEMBERS];
    bool here = draw(p, 2);
    shape r = shape_of(p, me, 1), s = here ? r : shape_of(p, me, 0);
    for (int i = 0; i < c->size; i++) { /* in place: as much to each as from it */
        int you = c->members[i], low = me < you ? me : you, high = me < you ? you : me;
        sends[i] = here ? length(p, n, low, high) : length(p, n, me, you);
        gets[i] = here ? sends[i] : length(p, n, you, me);
    }
    blocks from = put(c, sends), to = put(c, gets);
    wipe(p, &r, to.end);
    for (int i = 0; i < c->size; i++)
        lay(AT(here ? p->out : p->in, &s, from.places[i]), &s, p, me, c->members[i], sends[i]);
    if (here)
        OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, p->out, to.counts, to.places, r.type, c->comm));
    else
        OK(MPI_Alltoallv(p->in, from.counts, from.places, s.type, p->out, to.counts, to.places, r.type, c->comm));
    for (int i = 0; i < c->size; i++) {
        CHECK(lies(AT(p->out, &r, to.places[i]), &r, p, c->members[i], me, gets[i]));
        CHECK(p->out[(to.places[i] - 1) * r.stride] == -7);
    }
    if (!here) shape_free(&s);
    shape_free(&r);
}

void move_something(program *p, const part *c) {
    static const int lengths[] = {0, 1, 3, 17, 130, 1025, LONGEST / MEMBERS};
    int n = lengths[draw(p, sizeof lengths / sizeof lengths[0])];
    switch (draw(p, 9)) {
    case 0: broadcast(p, c, draw(p, 4) ? n : LONGEST); break;
    case 1: gather(p, c, n, false); break;
    case 2: gather(p, c, n, true); break;
    case 3: scatter(p, c, n, false); break;
    case 4: scatter(p, c, n, true); break;
    case 5: allgather(p, c, n, false); break;
    case 6: allgather(p, c, n, true); break;
    case 7: alltoall(p, c, n); break;
    default: alltoallv(p, c, n);
    }
}
