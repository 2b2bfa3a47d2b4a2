/* What lies where in the shared segment of the shm transport. Offsets only, no pointers: each process maps the segment
 * where it likes.
 *
 *     header | rank cards [P] | bells [P] | active maps [P] | published words [P] | signal boards [P×P] | queues [P×P]
 * | region area
 *
 * Everything is sparse: a page costs memory when it is first touched, and a pair that never talks never touches its
 * board and queue. The region area is address space only until used: two arenas for each process, over which lie files
 * of their own (shm/files.c), and room for regions of all kinds. */
#ifndef SUP_NET_SHM_LAYOUT_H
#define SUP_NET_SHM_LAYOUT_H

#include "net/shm/queue.h"
#include "net/shm/shm.h"

#include <stdatomic.h>
#include <sys/types.h>

#define SUP_SHM_MAGIC 0x5355504552535450ull /* "SUPERSTP" */
#define SUP_SHM_ABI 6u
#define SUP_SHM_LINE 128 /* two cache lines: x86 prefetches in pairs, some AArch64 lines are 128 bytes */

/* Where all processes meet to open, to close and to name regions (shm/gate.c). */
typedef struct shm_gate {
    _Alignas(SUP_SHM_LINE) _Atomic uint32_t arrived;
    _Alignas(SUP_SHM_LINE) _Atomic uint32_t round; /* how often everybody has been there */
} shm_gate;

typedef struct shm_header {
    uint64_t magic;
    uint32_t abi, size;
    size_t cards, bells, actives, published, boards, queues, regions; /* offsets from the start of the segment */
    size_t region_span;                                               /* of the whole region area */
    size_t arena_span; /* largest sparse region per process that there is sure to be room for, twice */
    int sharers;       /* so many neighbours share a file for their arenas */
    size_t map_bytes;
    _Alignas(SUP_SHM_LINE) _Atomic uint64_t failure; /* 0, or (rank + 1) << 32 | cause */
    _Atomic uint32_t gone;                           /* processes that have exited with code 0 */
    shm_gate gate;
} shm_header;

enum { SHM_GONE = -1, SHM_CLOSED = -2 };

/* One per process: who it is, and a place for two words in collective exchanges, twice: a fast process may be one
 * exchange ahead of one that still reads. */
typedef struct shm_card {
    _Alignas(SUP_SHM_LINE) _Atomic pid_t pid; /* 0: has not opened the transport */
    uintptr_t region[2];
    uintptr_t own;       /* an address of its own memory, to try whether the kernel copies from there */
    int file;            /* its descriptor of the file that it has made for arenas; -1: none */
    int mapped;          /* it sees the arenas of all in their files */
    _Atomic pid_t taken; /* by which process; 0: by none yet. It stays, so that nobody comes after it */
} shm_card;

/* Which processes have ever sent to this one: the only queues it has to poll. */
typedef struct shm_active {
    _Alignas(SUP_SHM_LINE) _Atomic uint64_t bits[SUP_SHM_MAX_PROCS / 64];
} shm_active;

/* Signals from one process to one other, or to all that read what it publishes. */
typedef struct shm_board {
    _Alignas(SUP_SHM_LINE) _Atomic uint64_t word[SUP_NET_SLOTS];
} shm_board;

static inline void *shm_at(void *base, size_t offset) { return (char *)base + offset; }
static inline shm_card *shm_card_of(void *base, int rank) {
    return (shm_card *)shm_at(base, ((shm_header *)base)->cards) + rank;
}
static inline shm_active *shm_active_of(void *base, int rank) {
    return (shm_active *)shm_at(base, ((shm_header *)base)->actives) + rank;
}
static inline sup_bell *shm_bell_of(void *base, int rank) {
    return shm_at(base, ((shm_header *)base)->bells + (size_t)rank * SUP_SHM_LINE);
}
static inline shm_board *shm_published_of(void *base, int from) {
    return (shm_board *)shm_at(base, ((shm_header *)base)->published) + from;
}
/* Signals of a slot for one process lie side by side, two cache lines for each sender, which some processors fetch
 * together: [to][lines of slots][from]. So what a process waits for in a barrier is on few pages, and not in the same
 * few sets of a cache. */
static inline _Atomic uint64_t *shm_signal_of(void *base, int to, int from, int slot) {
    enum { IN_A_LINE = SUP_SHM_LINE / sizeof(uint64_t), LINES = SUP_NET_SLOTS / IN_A_LINE };
    shm_header *h = base;
    size_t line = ((size_t)to * LINES + (size_t)slot / IN_A_LINE) * h->size + (size_t)from;
    return (_Atomic uint64_t *)shm_at(base, h->boards) + line * IN_A_LINE + (size_t)slot % IN_A_LINE;
}
static inline shm_queue *shm_queue_of(void *base, int to, int from) {
    shm_header *h = base;
    return (shm_queue *)shm_at(base, h->queues) + (size_t)to * h->size + (size_t)from;
}

/* Fills in the offsets for `size` processes; `small` is the room for regions beside the arenas. */
void sup_shm_layout(shm_header *h, int size, size_t small, size_t arena_span);

/* shm/size.c: sizes for `size` processes that fit into the address space and the memory that there is. SUP_ENOMEM, and
 * how much is needed: not even the least fits. */
sup_status sup_shm_size(int size, sup_diag *diag, size_t *small, size_t *arena_span);
/* What a limit on address space (ulimit -v) leaves to this process; SIZE_MAX: there is none. */
size_t sup_shm_address_room(void);

#endif
