/* Random MPI programs: what their parts share. Every process draws the same numbers, and knows what all others have. */
#ifndef TESTS_PMPI_RANDOM_H
#define TESTS_PMPI_RANDOM_H

#include "collectives.h"

#include <stdint.h>

enum { MEMBERS = 16, SLOTS = 5, PENDING = 4, LONGEST = 20000 };

/* A communicator of each process: those of a slot are a partition of all processes. */
typedef struct part {
    MPI_Comm comm;
    int size, rank, members[MEMBERS];
} part;

typedef struct pending pending;

/* One thread's program. */
typedef struct program {
    uint64_t state; /* of the numbers that all processes draw */
    int thread, step;
    part slots[SLOTS];
    int count;
    pending *pending[PENDING];
    int *in, *out;
} program;

/* Below n; the same on all processes. */
int draw(program *p, int n);
/* Number k of what process `from` has for `to` in this step: a function of all this. */
int number(const program *p, int from, int to, int k);

/* Elements of a type that each process chooses for itself: ints, so many apart. */
typedef struct shape {
    MPI_Datatype type;
    int stride, bound; /* ints of an element; of them one is used … */
    bool own;          /* … and the type is to be freed */
} shape;
shape shape_of(const program *p, int process, int which);
void shape_free(shape *s);
void lay(int *at, const shape *s, const program *p, int from, int to, int n);
bool lies(const int *at, const shape *s, const program *p, int from, int to, int n);

/* random_moves.c, random_folds.c: one operation on a communicator, and whether it gave what it should. */
void move_something(program *p, const part *c);
void fold_something(program *p, const part *c);

#endif
