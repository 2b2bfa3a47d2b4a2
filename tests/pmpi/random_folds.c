/* Random MPI programs: reductions. Elements are pairs of ints, or one, by operators of MPI's or of the program's own,
 * of which one does not commute: maps x -> a x + b, one after the other. */
#include "random.h"

#include <string.h>

typedef struct operation {
    MPI_Op op;
    MPI_Datatype type;
    int words; /* ints of an element */
    bool own_op, own_type;
    void (*fold)(const int *first, int *second); /* second = first ∘ second */
} operation;

static void add(const int *a, int *b) { *b = (int)((unsigned)*a + (unsigned)*b); }
static void multiply(const int *a, int *b) { *b = (int)((unsigned)*a * (unsigned)*b); }
static void most(const int *a, int *b) { *b = *a > *b ? *a : *b; }
static void differ(const int *a, int *b) { *b ^= *a; }
static void first_least(const int *a, int *b) { /* the least and its place, the lower of two */
    if (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])) memcpy(b, a, 2 * sizeof *b);
}
static void after(const int *a, int *b) { /* first a, then b */
    unsigned b0 = (unsigned)b[0];
    b[1] = (int)(b0 * (unsigned)a[1] + (unsigned)b[1]);
    b[0] = (int)(b0 * (unsigned)a[0]);
}

static void user_add(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int k = 0; k < *count; k++) add((int *)in + k, (int *)inout + k);
}

static void user_after(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int k = 0; k < *count; k++) after((int *)in + 2 * k, (int *)inout + 2 * k);
}

static operation pick(program *p) {
    operation o = {MPI_SUM, MPI_INT, 1, false, false, add};
    switch (draw(p, 7)) {
    case 0: break;
    case 1: o.op = MPI_PROD, o.fold = multiply; break;
    case 2: o.op = MPI_MAX, o.fold = most; break;
    case 3: o.op = MPI_BXOR, o.fold = differ; break;
    case 4:
        o.op = MPI_MINLOC, o.fold = first_least;
        o.type = MPI_2INT;
        o.words = 2;
        break;
    case 5:
        MPI_Op_create(user_add, 1, &o.op);
        o.own_op = true;
        break;
    default:
        MPI_Op_create(user_after, 0, &o.op);
        MPI_Type_contiguous(2, MPI_INT, &o.type);
        MPI_Type_commit(&o.type);
        o.words = 2;
        o.own_op = o.own_type = true;
        o.fold = after;
    }
    return o;
}

/* What n elements from `first` on have to be, of the members before `end`. */
static bool is_fold(const program *p, const part *c, const operation *o, const int *at, int first, int n, int end) {
    for (int k = first; k < first + n; k++) {
        int want[2], next[2];
        for (int i = end - 1; i >= 0; i--) {
            for (int w = 0; w < o->words; w++) next[w] = number(p, c->members[i], 0, o->words * k + w);
            if (i == end - 1)
                memcpy(want, next, sizeof want);
            else
                o->fold(next, want);
        }
        if (memcmp(want, at + o->words * (k - first), (size_t)o->words * sizeof *at) != 0) return false;
    }
    return true;
}

static void whole(program *p, const part *c, const operation *o, int n, int which, const void *in, bool at_root,
                  int root) {
    const int *out = p->out;
    int me = c->rank;
    switch (which) {
    case 0:
        OK(MPI_Reduce(in, p->out, n, o->type, o->op, root, c->comm));
        CHECK(!at_root || is_fold(p, c, o, out, 0, n, c->size));
        break;
    case 1:
        OK(MPI_Allreduce(in, p->out, n, o->type, o->op, c->comm));
        CHECK(is_fold(p, c, o, out, 0, n, c->size));
        break;
    case 2:
        OK(MPI_Scan(in, p->out, n, o->type, o->op, c->comm));
        CHECK(is_fold(p, c, o, out, 0, n, me + 1));
        break;
    default: OK(MPI_Exscan(in, p->out, n, o->type, o->op, c->comm)); CHECK(me == 0 || is_fold(p, c, o, out, 0, n, me));
    }
}

static void blocks(program *p, const part *c, const operation *o, int n, bool varies, const void *in) {
    int counts[MEMBERS], first = 0;
    for (int i = 0; i < c->size; i++) counts[i] = varies ? (n + i * 5) % (n + 1) : n;
    for (int i = 0; i < c->rank; i++) first += counts[i];
    if (varies)
        OK(MPI_Reduce_scatter(in, p->out, counts, o->type, o->op, c->comm));
    else
        OK(MPI_Reduce_scatter_block(in, p->out, n, o->type, o->op, c->comm));
    CHECK(is_fold(p, c, o, p->out, first, counts[c->rank], c->size));
}

void fold_something(program *p, const part *c) {
    static const int lengths[] = {1, 2, 9, 100, 1000, LONGEST / 2 / MEMBERS};
    operation o = pick(p);
    int n = lengths[draw(p, sizeof lengths / sizeof lengths[0])], which = draw(p, 6), root = draw(p, c->size);
    bool in_place = draw(p, 2), at_root = c->rank == root;
#if !defined(OPEN_MPI) /* MPICH 4.0 itself fails in place at another root than 0, and with what does not commute */
    if (which == 0) in_place = false;
    if (which >= 4 && o.own_type) which = 1;
#endif
    bool here = in_place && (which != 0 || at_root);
    int elements = which >= 4 ? n * c->size : n;
    int *mine = here ? p->out : p->in;
    for (int k = 0; k < elements * o.words; k++) mine[k] = number(p, world_rank, 0, k);
    const void *in = here ? MPI_IN_PLACE : p->in;
    if (which < 4)
        whole(p, c, &o, n, which, in, at_root, root);
    else
        blocks(p, c, &o, n, which == 4, in);
    if (o.own_op) MPI_Op_free(&o.op);
    if (o.own_type) MPI_Type_free(&o.type);
}
