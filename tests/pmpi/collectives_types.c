/* The checks of types: built-in ones with their operators, and derived ones that describe the same bytes differently on
 * different processes. */
#include "collectives.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>

/* ---- types and operators ---- */

#define FOLD(name, type, mpi, op, expression)                                   \
    static void name(MPI_Comm comm, int rank, int size) {                       \
        enum { N = 37 };                                                        \
        type in[N], out[N], scan[N];                                            \
        for (int k = 0; k < N; k++) in[k] = (type)((rank * 3 + k * 5) % 7 + 1); \
        OK(MPI_Allreduce(in, out, N, mpi, op, comm));                           \
        OK(MPI_Scan(in, scan, N, mpi, op, comm));                               \
        for (int k = 0; k < N; k++) {                                           \
            type a = (type)((k * 5) % 7 + 1);                                   \
            if (rank == 0) CHECK(scan[k] == a);                                 \
            for (int i = 1; i < size; i++) {                                    \
                type b = (type)((i * 3 + k * 5) % 7 + 1);                       \
                a = (type)(expression);                                         \
                if (i == rank) CHECK(scan[k] == a);                             \
            }                                                                   \
            CHECK(out[k] == a);                                                 \
        }                                                                       \
    }
#define FOLDS_OF_NUMBERS(name, type, mpi)                  \
    FOLD(name##_sum, type, mpi, MPI_SUM, a + b)            \
    FOLD(name##_product, type, mpi, MPI_PROD, a *b)        \
    static void name##_numbers(MPI_Comm c, int r, int s) { \
        name##_sum(c, r, s);                               \
        name##_product(c, r, s);                           \
    }
#define FOLDS_OF_REALS(name, type, mpi)                   \
    FOLDS_OF_NUMBERS(name, type, mpi)                     \
    FOLD(name##_least, type, mpi, MPI_MIN, a < b ? a : b) \
    FOLD(name##_most, type, mpi, MPI_MAX, a > b ? a : b)  \
    static void name##_reals(MPI_Comm c, int r, int s) {  \
        name##_numbers(c, r, s);                          \
        name##_least(c, r, s);                            \
        name##_most(c, r, s);                             \
    }
#define FOLDS_OF_INTEGERS(name, type, mpi)                  \
    FOLDS_OF_REALS(name, type, mpi)                         \
    FOLD(name##_and, type, mpi, MPI_BAND, a &b)             \
    FOLD(name##_or, type, mpi, MPI_BOR, a | b)              \
    FOLD(name##_xor, type, mpi, MPI_BXOR, a ^ b)            \
    FOLD(name##_all, type, mpi, MPI_LAND, a &&b)            \
    FOLD(name##_any, type, mpi, MPI_LOR, a || b)            \
    static void name##_integers(MPI_Comm c, int r, int s) { \
        name##_reals(c, r, s);                              \
        name##_and(c, r, s);                                \
        name##_or(c, r, s);                                 \
        name##_xor(c, r, s);                                \
        name##_all(c, r, s);                                \
        name##_any(c, r, s);                                \
    }
FOLDS_OF_INTEGERS(i8, int8_t, MPI_INT8_T)
FOLDS_OF_INTEGERS(u8, unsigned char, MPI_UNSIGNED_CHAR)
FOLDS_OF_INTEGERS(i16, short, MPI_SHORT)
FOLDS_OF_INTEGERS(u16, uint16_t, MPI_UINT16_T)
FOLDS_OF_INTEGERS(i32, int, MPI_INT)
FOLDS_OF_INTEGERS(u32, unsigned, MPI_UNSIGNED)
FOLDS_OF_INTEGERS(i64, long long, MPI_LONG_LONG)
FOLDS_OF_INTEGERS(u64, unsigned long, MPI_UNSIGNED_LONG)
FOLDS_OF_REALS(fortran, int, MPI_INTEGER)
FOLDS_OF_REALS(f32, float, MPI_FLOAT)
FOLDS_OF_REALS(f64, double, MPI_DOUBLE)
FOLDS_OF_REALS(real, double, MPI_DOUBLE_PRECISION)
FOLDS_OF_REALS(longest, long double, MPI_LONG_DOUBLE)
FOLDS_OF_NUMBERS(c32, float complex, MPI_C_FLOAT_COMPLEX)
FOLDS_OF_NUMBERS(c64, double complex, MPI_C_DOUBLE_COMPLEX)

#define PLACES(name, type, mpi)                                                          \
    static void name(MPI_Comm comm, int rank, int size) {                                \
        struct {                                                                         \
            type value;                                                                  \
            int place;                                                                   \
        } in[9], least[9], most[9];                                                      \
        memset(in, 0, sizeof in);                                                        \
        for (int k = 0; k < 9; k++) {                                                    \
            in[k].value = (type)((rank * 5 + k) % 4);                                    \
            in[k].place = rank;                                                          \
        }                                                                                \
        OK(MPI_Allreduce(in, least, 9, mpi, MPI_MINLOC, comm));                          \
        OK(MPI_Allreduce(in, most, 9, mpi, MPI_MAXLOC, comm));                           \
        for (int k = 0; k < 9; k++) {                                                    \
            int low = 0, high = 0;                                                       \
            for (int i = 1; i < size; i++) {                                             \
                if ((i * 5 + k) % 4 < (low * 5 + k) % 4) low = i;                        \
                if ((i * 5 + k) % 4 > (high * 5 + k) % 4) high = i;                      \
            }                                                                            \
            CHECK(least[k].place == low && least[k].value == (type)((low * 5 + k) % 4)); \
            CHECK(most[k].place == high && most[k].value == (type)((high * 5 + k) % 4)); \
        }                                                                                \
        /* with its gap it is moved as a type with gaps */                               \
        OK(MPI_Bcast(in, 9, mpi, size - 1, comm));                                       \
        for (int k = 0; k < 9; k++) CHECK(in[k].place == size - 1);                      \
    }
PLACES(places_of_double, double, MPI_DOUBLE_INT)
PLACES(places_of_float, float, MPI_FLOAT_INT)
PLACES(places_of_int, int, MPI_2INT)
PLACES(places_of_long, long, MPI_LONG_INT)
PLACES(places_of_short, short, MPI_SHORT_INT)

static void own_operator(void *in, void *out, int *count, MPI_Datatype *type) {
    (void)type;
    for (int k = 0; k < *count; k++) ((int *)out)[k] = ((int *)in)[k] * 10 + ((int *)out)[k];
}

/* Whose operator is left to MPI. */
static void own_operators(MPI_Comm comm, int rank, int size) {
    MPI_Op op;
    MPI_Datatype pair;
    int in[2] = {rank + 1, rank + 2}, out[2] = {0, 0}, want = 1;
    OK(MPI_Op_create(own_operator, 0, &op));
    OK(MPI_Allreduce(in, out, 1, MPI_INT, op, comm));
    for (int i = 1; i < size; i++) want = want * 10 + i + 1;
    if (size <= 2) CHECK(out[0] == want);
    MPI_Op_free(&op);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_free(&pair);
}

void types(int count) {
    static void (*const all[])(MPI_Comm, int, int) = {i8_integers,     u8_integers,   i16_integers,   u16_integers,
                                                      i32_integers,    u32_integers,  i64_integers,   u64_integers,
                                                      fortran_reals,   f32_reals,     f64_reals,      real_reals,
                                                      longest_reals,   c32_numbers,   c64_numbers,    places_of_double,
                                                      places_of_float, places_of_int, places_of_long, places_of_short,
                                                      own_operators};
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) all[k](MPI_COMM_WORLD, world_rank, world_size);
}

/* ---- derived types, here and there ---- */

/* The same bytes, of every second int on odd ranks, and of ints from behind on ranks divisible by four. */
static MPI_Datatype derived(int rank, int n, int *stretch) {
    MPI_Datatype t;
    *stretch = 1;
    if (rank % 2) {
        *stretch = 2;
        MPI_Type_vector(n, 1, 2, MPI_INT, &t);
        MPI_Datatype longer;
        MPI_Type_create_resized(t, 0, (MPI_Aint)(2 * (size_t)n * sizeof(int)), &longer);
        MPI_Type_free(&t);
        t = longer;
    } else
        MPI_Type_contiguous(n, MPI_INT, &t);
    MPI_Type_commit(&t);
    return t;
}

static void spread(const bench *b, int *at, int stretch, int from, int to, int n) {
    for (int k = 0; k < n; k++) at[k * stretch] = value(b, from, to, k);
}

static bool spreads(const bench *b, const int *at, int stretch, int from, int to, int n) {
    for (int k = 0; k < n; k++)
        if (at[k * stretch] != value(b, from, to, k) || (stretch == 2 && at[2 * k + 1] != -7)) return false;
    return true;
}

static void derived_moves(bench *b, int n) {
    int me = b->rank, stretch, root = b->size - 1, all = 2 * n * b->size;
    MPI_Datatype t = derived(me, n, &stretch), one;
    MPI_Type_contiguous(1, MPI_INT, &one);
    MPI_Type_commit(&one);
    clear(b, all);
    if (me == root) spread(b, b->out, stretch, root, 0, n);
    /* some describe it by n ints, some by one of n */
    OK(stretch == 1 ? MPI_Bcast(b->out, n, MPI_INT, root, b->comm) : MPI_Bcast(b->out, 1, t, root, b->comm));
    CHECK(spreads(b, b->out, stretch, root, 0, n));
    clear(b, all);
    spread(b, b->in, stretch, me, 0, n);
    OK(MPI_Allgather(b->in, 1, t, b->out, 1, t, b->comm));
    for (int i = 0; i < b->size; i++) CHECK(spreads(b, b->out + n * stretch * i, stretch, i, 0, n));
    clear(b, all);
    spread(b, b->out + n * stretch * me, stretch, me, 0, n);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b->out, 1, t, b->comm));
    for (int i = 0; i < b->size; i++) CHECK(spreads(b, b->out + n * stretch * i, stretch, i, 0, n));
    clear(b, all);
    for (int i = 0; i < b->size; i++) spread(b, b->in + n * stretch * i, stretch, me, i, n);
    OK(MPI_Alltoall(b->in, 1, t, b->out, n, one, b->comm));
    for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + n * i, i, me, n));
    clear(b, all);
    fill(b, b->in, me, 0, n);
    OK(MPI_Gather(b->in, n, MPI_INT, b->out, 1, t, root, b->comm));
    for (int i = 0; i < b->size && me == root; i++) CHECK(spreads(b, b->out + n * stretch * i, stretch, i, 0, n));
    clear(b, all);
    for (int i = 0; i < b->size && me == root; i++) spread(b, b->in + n * stretch * i, stretch, root, i, n);
    OK(MPI_Scatter(b->in, 1, t, b->out, n, MPI_INT, root, b->comm));
    CHECK(holds(b, b->out, root, me, n));
    /* blocks of none, one, two of them */
    int at = 0;
    for (int i = 0; i < b->size; i++) {
        b->counts[i] = i % 3;
        b->places[i] = at;
        at += i % 3;
    }
    clear(b, 2 * all);
    for (int k = 0; k < me % 3; k++) spread(b, b->in + n * stretch * k, stretch, me, k, n);
    OK(MPI_Allgatherv(b->in, me % 3, t, b->out, b->counts, b->places, t, b->comm));
    for (int i = 0; i < b->size; i++)
        for (int k = 0; k < i % 3; k++) CHECK(spreads(b, b->out + n * stretch * (b->places[i] + k), stretch, i, k, n));
    for (int i = 0; i < b->size; i++) {
        b->counts2[i] = me % 3;
        b->places2[i] = 0;
    }
    clear(b, 2 * all);
    OK(MPI_Alltoallv(b->in, b->counts2, b->places2, t, b->out, b->counts, b->places, t, b->comm));
    for (int i = 0; i < b->size; i++)
        for (int k = 0; k < i % 3; k++) CHECK(spreads(b, b->out + n * stretch * (b->places[i] + k), stretch, i, k, n));
    MPI_Type_free(&t);
    MPI_Type_free(&one);
    b->seed++;
}

void derived_types(int count) {
    bench *b = bench_of(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        derived_moves(b, 1);
        derived_moves(b, 10);
        derived_moves(b, 3000);
    }
    /* two ints at absolute addresses, the second first */
    int two[2] = {world_rank, 10 * world_rank};
    MPI_Aint at[2];
    MPI_Datatype t;
    MPI_Get_address(&two[1], &at[0]);
    MPI_Get_address(&two[0], &at[1]);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, at, MPI_INT, &t);
    MPI_Type_commit(&t);
    OK(MPI_Bcast(MPI_BOTTOM, 1, t, world_size - 1, MPI_COMM_WORLD));
    CHECK(two[0] == world_size - 1 && two[1] == 10 * (world_size - 1));
    MPI_Type_free(&t);
    bench_free(b);
}
