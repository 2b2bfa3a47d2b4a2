/* The parts of net_transport: each is one function that ends the run at the first thing that is not as net.h says. */
#ifndef SUP_TESTS_TRANSPORT_CHECKS_H
#define SUP_TESTS_TRANSPORT_CHECKS_H

#include "net/net.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct env {
    sup_net *net;
    uint64_t seed;
    int rounds;
    bool huge, verbose;
    uint64_t epoch;       /* of the barrier */
    uint64_t signals;     /* last value used on the other slots: values only grow */
    uint64_t group_words; /* where the words of the next barrier of a group begin */
} env;

enum { BARRIER_SLOT = 32 }; /* this and the following ones, one per stage */

/* Not assert: the other processes must end too, and the line is wanted in every build. */
#define CHECK(e, condition)                                          \
    do {                                                             \
        if (!(condition)) failed(e, __FILE__, __LINE__, #condition); \
    } while (0)
_Noreturn void failed(env *e, const char *file, int line, const char *what);

/* By signals: stage s to the process 2^s further on. */
void barrier(env *e);

/* Byte i of the message `id` from one process to another. */
void fill(unsigned char *buf, size_t len, int from, int to, unsigned id);
bool filled(const unsigned char *buf, size_t len, int from, int to, unsigned id);
void *take(env *e, size_t bytes);
/* Numbers that depend on *state alone. */
uint64_t draw(uint64_t *state);

void check_identity(env *e);
void check_arguments(env *e);
void check_sizes(env *e);
void check_order(env *e);
void check_outstanding(env *e);
void check_anyone(env *e);
void check_self(env *e);
void check_truncation(env *e);
void check_cancel(env *e);
void check_crossed(env *e);
void check_region_alloc(env *e);
void check_single_copy(env *e);
void check_region_pending(env *e);
void check_direct(env *e);
void check_signals(env *e);
void check_signal_burst(env *e);
void check_barriers(env *e);
void check_published(env *e);
void check_groups(env *e);
void check_stress(env *e);
void check_huge(env *e);

#endif
