/* Operations in memory that all members of one host share (algorithms "shared" and "direct"): how long cells, pieces
 * and rounds are, and which form an operation has for so many members and bytes. Said once, below those who carry them
 * out (coll/room/work.h) and their model (model/collective/shared.c). Term Tcomm inside a host.
 *
 * Members are two or more; `bytes` of a vector, or of a block; `segment` is what was chosen, 0: nothing; `element` is
 * what is not cut, at least 1. */
#ifndef SUP_SCHEDULE_SHARED_H
#define SUP_SCHEDULE_SHARED_H

#include "schedule/schedule.h"

#include <string.h>

/* ---- cells ---- */

enum {
    /* Caches fetch lines of 64 bytes in pairs, and some have lines of 128. */
    SUP_SHARED_LINE = 128,
    /* Where the payload of a small cell begins: behind the number, aligned for every type. */
    SUP_SHARED_NUMBER = 16,
    /* Payloads. Small: it lies in the line that carries the number. Medium: a page, one step of vectors that are not
     * worth being cut. Large: longer than a piece of a vector should be, so that a cell holds one for each of several
     * members. */
    SUP_SHARED_SMALL = SUP_SHARED_LINE - SUP_SHARED_NUMBER,
    SUP_SHARED_MEDIUM = 4096,
    SUP_SHARED_LARGE = 524288,
    /* How long pieces are that one member writes and another one reads: reading what another core has written takes
     * some 0.4 µs until it is fast, in every piece anew, and all pieces under way should stay in a core's cache of 1 or
     * 2 MiB. Vectors that are no longer are best not cut, at 8 KiB as at 64; from 32 to 128 KiB all lengths take the
     * same time within a tenth (measured between two processes). */
    SUP_SHARED_PIECE = 65536
};

static inline int64_t sup_shared_least(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t sup_shared_up_to_line(int64_t bytes) {
    return (bytes + SUP_SHARED_LINE - 1) & ~(int64_t)(SUP_SHARED_LINE - 1);
}

/* The payload of the smallest cell that holds so many; of the large one if none does. */
static inline int64_t sup_shared_payload(int64_t bytes) {
    return bytes <= SUP_SHARED_SMALL    ? SUP_SHARED_SMALL
           : bytes <= SUP_SHARED_MEDIUM ? SUP_SHARED_MEDIUM
                                        : SUP_SHARED_LARGE;
}

/* Do so many blocks go in one cell, uncut? */
static inline bool sup_shared_in_cell(int64_t blocks, int64_t bytes) {
    return bytes <= SUP_SHARED_MEDIUM && blocks * bytes <= SUP_SHARED_MEDIUM;
}

/* ---- forms of operations that are not cut into blocks ---- */

typedef enum sup_shared_form {
    SUP_SHARED_GATHER, /* everybody gathers everybody's, and folds it */
    SUP_SHARED_READ,   /* a cell each; who gets the result reads those that it takes and folds them */
    SUP_SHARED_GROUPS, /* one of each group folds those of its group, the root what comes of the groups */
    SUP_SHARED_SLICES, /* in rounds; every member folds a slice of everybody's, who gets the result reads all slices */
    SUP_SHARED_CHAIN   /* from member to member, in pieces */
} sup_shared_form;

/* Broadcast: children of a member. With all of them, which is usual, everybody reads the root's cells. */
static inline int64_t sup_shared_children(int64_t members, int radix) {
    return radix > 0 && radix < members ? radix : members - 1;
}

/* … bytes of a piece. The root fills one while the others copy the one before it: eight pieces of a vector, of 8 to 32
 * KiB (written anew before each call, 64 KiB in one piece take 1.6 times as long between two processes, in pieces of 16
 * KiB 1.2 times). */
static inline int64_t sup_shared_broadcast_piece(int64_t bytes, int64_t segment) {
    enum { PIECES = 8, LEAST = 8192, MOST = 32768 };
    if (sup_shared_in_cell(1, bytes)) return sup_shared_payload(bytes);
    if (segment >= SUP_SHARED_LARGE) return SUP_SHARED_LARGE;
    int64_t eighth = bytes / PIECES < LEAST ? LEAST : sup_shared_least(bytes / PIECES, MOST);
    return sup_shared_up_to_line(segment > 0 ? segment : eighth);
}

/* Gathering of short blocks by everybody: members of a group, who read each other's cells; then each reads what the
 * other groups have. Up to FEW members read all cells. On a node of 16 cores two rounds of three are the quickest
 * barrier. */
static inline int64_t sup_shared_gather_group(int64_t members, int64_t bytes, int radix) {
    enum { FEW = 5, GROUP = 4 };
    int64_t group = sup_shared_least(radix >= 2 ? radix : members <= FEW ? members : GROUP, members);
    return bytes * group <= SUP_SHARED_LARGE ? group : members;
}

/* Allreduce. Everybody reads P vectors in the second form and two in the third, which takes a handshake more: for two
 * members they take the same time at 4 KiB. */
static inline sup_shared_form sup_shared_allreduce_form(int64_t members, int64_t bytes) {
    enum { READ_MOST = 8192 };
    if (bytes <= SUP_SHARED_SMALL) return SUP_SHARED_GATHER;
    return bytes <= READ_MOST && bytes * members <= READ_MOST ? SUP_SHARED_READ : SUP_SHARED_SLICES;
}

/* Reduce. In the first form the root reads P vectors, in groups P / 4 + 3, in slices one; each takes a handshake more.
 * Of two members the other one passes its vector on in pieces, and the root folds them as they come: that is one copy
 * and one fold at the same time, where slices take a copy, half a fold and half a copy, one after the other. */
enum { SUP_SHARED_REDUCE_GROUP = 4 };
static inline sup_shared_form sup_shared_reduce_form(int64_t members, int64_t bytes) {
    enum { READ_MOST = 16384, READERS_MOST = 8 };
    if (bytes <= SUP_SHARED_SMALL) return SUP_SHARED_READ;
    if (bytes <= SUP_SHARED_MEDIUM && members > READERS_MOST) return SUP_SHARED_GROUPS;
    if (members == 2 && bytes > READ_MOST) return SUP_SHARED_CHAIN;
    return bytes <= READ_MOST && bytes * members <= READ_MOST ? SUP_SHARED_READ : SUP_SHARED_SLICES;
}

/* Slices: elements of a round. Two members take the least time with rounds of 128 KiB; of more of them each one's slice
 * should not be too short to be read at full speed. */
static inline int64_t sup_shared_slices_round(int64_t members, int64_t bytes, int64_t element, int64_t segment) {
    enum { LEAST_ROUND = 131072, SLICE = 32768 };
    int64_t round = members * SLICE > LEAST_ROUND ? members * SLICE : LEAST_ROUND;
    round = sup_shared_least(segment > 0 ? segment : round, sup_shared_payload(bytes));
    return round >= element ? round / element : 1;
}

/* Both scans. In the chain each member reads one cell, otherwise up to P - 1: that is quicker from four members on,
 * also where scans are far apart, and for vectors that are worth being cut. */
static inline sup_shared_form sup_shared_scan_form(int64_t members, int64_t bytes) {
    enum { CHAIN_FROM = 4, READ_MOST = 8192 };
    return members < CHAIN_FROM && bytes <= READ_MOST ? SUP_SHARED_READ : SUP_SHARED_CHAIN;
}

/* … elements of a piece. The last member has all after k + P - 1 steps, each of a start (in which START_BYTES could be
 * copied) and 1/k of the vector: that is least for k = sqrt((P - 1) · bytes / start). Twice as long and up to a power
 * of two costs little, and less where scans follow each other. */
static inline int64_t sup_shared_scan_piece(int64_t members, int64_t bytes, int64_t element, int64_t segment) {
    enum { START_BYTES = 8192 };
    int64_t piece = START_BYTES / 4, each = bytes / (members - 1);
    while (piece < SUP_SHARED_PIECE && piece * piece / (2 * START_BYTES) < each) piece *= 2;
    piece = sup_shared_least(segment > 0 ? segment : piece, sup_shared_payload(bytes));
    return piece >= element ? piece / element : 1;
}

/* ---- blocks ---- */

/* Rounds of chunks of blocks: where the section of each of so many shares of a cell begins. */
static inline int64_t sup_shared_section(int64_t shares) {
    int64_t section = SUP_SHARED_LARGE / shares;
    return section > SUP_SHARED_LINE ? section & ~(int64_t)(SUP_SHARED_LINE - 1) : section;
}

/* … bytes of a block in a round; 0: not even one element fits. What a member writes in a round for all of them should
 * stay in its cache until it is read. */
static inline int64_t sup_shared_chunk(int64_t shares, int64_t element, int64_t segment) {
    enum { ROUND_BYTES = 262144, LEAST_PIECE = 8192 };
    int64_t section = sup_shared_section(shares), chunk = sup_shared_least(ROUND_BYTES / shares, SUP_SHARED_PIECE);
    if (chunk < LEAST_PIECE) chunk = LEAST_PIECE;
    if (segment > 0) chunk = sup_shared_least(segment, SUP_SHARED_LARGE);
    return sup_shared_least(sup_shared_up_to_line(chunk), section) / element * element;
}

/* From memory to memory, by the kernel: one copy instead of two through cells, for a system call and the pinning of
 * pages. Blocks of an all-to-all and of a scatter are worth it from 16 KiB on (measured for 2 to 16 processes on two
 * machines: 1.2 to 2.2 times as fast up to 512 KiB), those of a gather if the root has several to get: alone it is as
 * fast by itself, or twice. In an allgather all read the same, and cells bring it to their caches: only few, and long
 * blocks. */
enum {
    SUP_SHARED_DIRECT = 16384,
    SUP_SHARED_GATHER_DIRECT = 4, /* members, at least */
    SUP_SHARED_ALLGATHER_DIRECT = 65536,
    SUP_SHARED_ALLGATHER_FEW = 3 /* members, at most */
};

/* … is it usual where all members work on the memory of one (scatter, gather), whatever way was chosen? Not few of
 * them, nor for so little that a system call each takes longer than this one moving everything through its cells. */
static inline bool sup_shared_usually_direct(int64_t members, int64_t bytes) {
    enum { LEAST_MEMBERS = 4, LEAST_BYTES = 262144 };
    return members >= LEAST_MEMBERS && (bytes >= LEAST_BYTES || members * bytes >= LEAST_BYTES);
}

/* … for blocks of different lengths, the longest of which is so long, and for which therefore nothing was chosen: as
 * the defaults have it for blocks of one length (plan/defaults_collective.c). */
static inline bool sup_shared_lists_direct(int operation, int64_t members, int64_t longest) {
    if (operation == SUP_GATHER && members < SUP_SHARED_GATHER_DIRECT) return false;
    return longest >= SUP_SHARED_DIRECT;
}

/* … is it wanted: if it was chosen, or if it is usual and no segments were. */
static inline bool sup_shared_wants_direct(const sup_choice *choice, bool usual) {
    if (choice && choice->algorithm && !strcmp(choice->algorithm->name, "direct")) return true;
    return usual && !(choice && choice->segment_bytes > 0);
}

#endif
