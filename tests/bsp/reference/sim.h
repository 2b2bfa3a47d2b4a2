/* A random BSP program and what it must do, computed in one process from the rules of bsp.h alone.
 *
 * The program is drawn from a seed, superstep by superstep. Every process draws the whole program and simulates all P
 * processes, so that each can compare its own memory and messages with the truth without any communication. The
 * sequence is sim_collective (registrations and tag size), sim_draw for each operation, sim_sync. */
#ifndef TESTS_BSP_SIM_H
#define TESTS_BSP_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Small areas, so that transfers meet in them; or few processes with large ones, so that transfers take other ways. */
#ifdef SIM_LARGE
enum { SIM_PROCS = 4, SIM_BYTES = 160000, SIM_CELL = 20000, SIM_OPS = 8, SIM_PAYLOAD = 80000, SIM_TAG = 3000 };
#else
enum {
    SIM_PROCS = 16,
    SIM_BYTES = 384,  /* of an area */
    SIM_CELL = 12,    /* bytes of a cell: 2 × SIM_PROCS cells fill SIM_HP_DST */
    SIM_OPS = 12,     /* operations of a process in a superstep, at most */
    SIM_PAYLOAD = 80, /* bytes of a message, at most */
    SIM_TAG = 20      /* bytes of a tag, at most */
};
#endif

enum {
    SIM_AREAS = 6,  /* the last two serve the unbuffered calls alone */
    SIM_HP_SRC = 4, /* changed only in even supersteps, read by hpget and hpput only in odd ones */
    SIM_HP_DST = 5, /* written by hpput and hpget in odd supersteps, one cell for each (source, kind) */
    SIM_SLOTS = 24, /* registrations at a time */
    SIM_CHANGES = 7 /* of registrations in a superstep, at most */
};

typedef struct sim_slot {
    int area[SIM_PROCS]; /* -1: NULL was registered */
    size_t size[SIM_PROCS];
} sim_slot;

typedef struct sim_message {
    size_t tag_nbytes, nbytes;
    unsigned char tag[SIM_TAG], payload[SIM_PAYLOAD];
    bool seen; /* by whoever compares */
} sim_message;

typedef enum sim_kind { SIM_POKE, SIM_PUT, SIM_GET, SIM_HPPUT, SIM_HPGET, SIM_SEND, SIM_KINDS } sim_kind;

/* One operation of process `rank`. Areas of `rank` itself unless said otherwise. */
typedef struct sim_op {
    sim_kind kind;
    int rank, target;
    int slot, name;      /* registration used, and the local area whose address names it */
    size_t offset;       /* into the registered area of the target */
    int local;           /* area of the source of a put, the target of a get, a poke */
    size_t local_offset; /* into it */
    size_t nbytes;
    unsigned char bytes[SIM_BYTES]; /* poke: new contents; put: contents when called; send: payload; get: the answer */
    unsigned char tag[SIM_TAG];
} sim_op;

typedef struct sim_change {
    bool push;
    sim_slot slot; /* push: the new one; pop: the one that goes … */
    int index;     /* … and its place among those in force */
} sim_change;

typedef struct sim {
    int nprocs;
    uint64_t random;
    bool calm; /* nothing is written that another process writes or reads: the checking mode has nothing to say */
    unsigned long superstep;
    unsigned char memory[SIM_PROCS][SIM_AREAS][SIM_BYTES];
    sim_slot slots[SIM_SLOTS];
    int nslots;
    sim_change changes[SIM_CHANGES];
    int nchanges;
    size_t tagsize, new_tagsize;
    sim_op ops[SIM_PROCS][SIM_OPS];
    int nops[SIM_PROCS];
    sim_message queue[SIM_PROCS][SIM_PROCS * SIM_OPS];
    int queued[SIM_PROCS];
} sim;

/* The same memory for everybody, no registrations but the two areas of the unbuffered calls (pushed by the caller too).
 */
void sim_open(sim *s, int nprocs, uint64_t seed);

uint64_t sim_random(sim *s, uint64_t below);

/* Draws the superstep's registrations and tag size into changes[] and new_tagsize. */
void sim_collective(sim *s);

/* Draws the next operation of `rank` and does what takes effect at once; NULL when the process has done enough. */
const sim_op *sim_draw(sim *s, int rank);

/* The end of the superstep. */
void sim_sync(sim *s);

#endif
