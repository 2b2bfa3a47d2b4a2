/* What the parts of the program that checks MPI's collective operations share: numbers that everyone can compute, and
 * memory for them. */
#ifndef TESTS_PMPI_COLLECTIVES_H
#define TESTS_PMPI_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

extern int world_rank, world_size;

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            fprintf(stderr, "collectives: rank %d: line %d: %s\n", world_rank, __LINE__, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                             \
        }                                                                                             \
    } while (0)
#define OK(call) CHECK((call) == MPI_SUCCESS)

/* A communicator and memory for checks on it. */
typedef struct bench {
    MPI_Comm comm;
    int rank, size, seed;
    int *in, *out, *counts, *places, *counts2, *places2;
} bench;

bench *bench_of(MPI_Comm comm);
void bench_free(bench *b);
/* Number k of what `from` has for `to`; n of them; are they there? */
int value(const bench *b, int from, int to, int k);
void fill(const bench *b, int *at, int from, int to, int n);
bool holds(const bench *b, const int *at, int from, int to, int n);
/* n ints of OUT become -7. */
void clear(const bench *b, int n);

/* collectives_types.c */
void types(int count);
void derived_types(int count);
/* collectives_some.c */
void some_members(int count);
void come_and_go(int count);

#endif
