/* Exchanges: supersteps in which processes move blocks of one size to each other in a regular way. They are measured
 * whole, as the runtime records them, and whatever else a program asks for is priced by them. Who sends to whom, and
 * what an exchange is called in a profile, is said here, below both stages.
 *
 *     const sup_exchange *x = sup_exchange_at(SUP_EXCHANGE_RING);
 *     for (int64_t k = 0; k < x->partners(processes, me); k++) bsp_put(x->partner(processes, me, k), …);
 *
 * One process alone against all of them tells how transfers slow each other down; one way against both ways, what
 * sending and receiving cost apart; one partner against all, what each more costs. The far ones join processes that are
 * half of all apart: other hosts, where there are several. */
#ifndef SUP_BASE_EXCHANGE_H
#define SUP_BASE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

/* How bytes are asked for. A get moves them to the process that asks. */
typedef enum sup_move { SUP_MOVE_PUT, SUP_MOVE_HPPUT, SUP_MOVE_GET, SUP_MOVE_HPGET, SUP_MOVE_SEND, SUP_MOVES } sup_move;
extern const char *const sup_move_names[]; /* NULL at the end */

static inline bool sup_move_reads(int move) { return move == SUP_MOVE_GET || move == SUP_MOVE_HPGET; }

typedef enum sup_exchange_shape {
    SUP_EXCHANGE_ONE,       /* 0 → 1 */
    SUP_EXCHANGE_SWAP,      /* 0 ↔ 1 */
    SUP_EXCHANGE_COUPLES,   /* 0 → 1, 2 → 3, …: one half sends, the other receives */
    SUP_EXCHANGE_SHIFT,     /* i → i + 1, around */
    SUP_EXCHANGE_RING,      /* i → i ± 1, around */
    SUP_EXCHANGE_OUT,       /* 0 → everybody else */
    SUP_EXCHANGE_IN,        /* everybody else → 0 */
    SUP_EXCHANGE_ALL,       /* everybody → everybody else */
    SUP_EXCHANGE_ONE_FAR,   /* 0 → P/2 */
    SUP_EXCHANGE_SHIFT_FAR, /* i → i + P/2, around */
    SUP_EXCHANGE_SHAPES
} sup_exchange_shape;
extern const char *const sup_exchange_names[]; /* NULL at the end */

typedef struct sup_exchange {
    /* To how many others `rank` sends, and to whom: 0 ≤ k < partners. From how many it receives. */
    int64_t (*partners)(int64_t processes, int64_t rank);
    int64_t (*partner)(int64_t processes, int64_t rank, int64_t k);
    int64_t (*sources)(int64_t processes, int64_t rank);
    /* Processes from which it is another exchange than those before it in the table. */
    int64_t least;
    bool far;
} sup_exchange;

const sup_exchange *sup_exchange_at(int shape);
/* Of the greatest sender and the greatest receiver: partners. */
int64_t sup_exchange_most_out(int shape, int64_t processes);
int64_t sup_exchange_most_in(int shape, int64_t processes);

#endif
