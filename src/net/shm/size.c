/* How large a shared segment is: as large as anybody could use, where address space costs nothing; less where it is
 * limited (ulimit -v, a machine with few address bits, a tool that runs the program in its own address space).
 *
 *     what pairs need  |  regions of all kinds  |  2 arenas for each process
 *     given by P       |  an eighth             |  the rest
 *
 * Of a limited address space the segment takes one half and leaves the other to the program; where half is not enough
 * for the least, nearly all. Each process maps all of it, so it is the limit of one process that counts. */
#include "machine/usable.h"
#include "net/shm/layout.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define SMALL_MOST ((size_t)4 << 30)
#define ARENAS_MOST ((size_t)1 << 43) /* all of one kind together: 47 bits of address have room for that */
#define FOR_PROGRAM (32 * MIB)        /* libraries and the stack of a small program */

/* An arena begins with the first piece of each log of the BSP runtime (bsp/shared/shared.c). */
static size_t arena_least(int size) { return 4 * MIB + (size_t)size * (256 << 10); }
/* What is set aside for one, so that the least is left after fit has rounded. */
static size_t arena_share(int size) { return arena_least(size) + arena_least(size) / 32 + 2 * MIB; }
static size_t small_least(int size) { return 4 * MIB + (size_t)size * (64 << 10); }

static size_t map_bytes(int size, size_t small, size_t arena) {
    shm_header h;
    sup_shm_layout(&h, size, small, arena);
    return h.map_bytes;
}

static size_t address_used(void) {
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%llu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

size_t sup_shm_address_room(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    size_t used = address_used();
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

/* Twice the memory that there is, for each process: nobody can need more. */
static size_t arena_most(int size) {
    size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), span = 1024 * MIB;
    size_t limit = sup_limits_memory("");
    if (limit && limit < memory) memory = limit;
    while (span < 2 * memory && span * 2 * (size_t)size <= ARENAS_MOST) span *= 2;
    return span;
}

/* Sizes within `room` bytes; false if the least does not fit. */
static bool fit(int size, size_t room, size_t most, size_t *small, size_t *arena) {
    size_t fixed = map_bytes(size, 0, 0), arenas = 2 * (size_t)size, shares = arenas * arena_share(size);
    if (room < fixed || room - fixed < shares + small_least(size)) return false;
    size_t rest = room - fixed, s = rest / 8;
    if (s > rest - shares) s = rest - shares;
    if (s < small_least(size)) s = small_least(size);
    if (s > SMALL_MOST) s = SMALL_MOST;
    size_t a = (rest - s) / arenas;
    a = (a - a / 64) & ~(2 * MIB - 1); /* the tables of the heap take a hundredth of an arena */
    *small = s;
    *arena = a < most ? a : most;
    return true;
}

static bool can_map(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    munmap(p, bytes);
    return true;
}

static sup_status too_little(int size, size_t least, sup_diag *diag) {
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &limit);
    /* a little more: with less room than now, something before this may have done with less */
    size_t need = (least + FOR_PROGRAM + address_used() + 8 * MIB) >> 10;
    if (limit.rlim_cur == RLIM_INFINITY)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "%d process%s %zu kB of address space: there is less", size,
                            size == 1 ? " needs" : "es need", need);
    return sup_diag_set(diag, SUP_ENOMEM, NULL, 0,
                        "%d process%s %zu kB of address space each: the limit (ulimit -v) is %llu", size,
                        size == 1 ? " needs" : "es need", need, (unsigned long long)limit.rlim_cur >> 10);
}

sup_status sup_shm_size(int size, sup_diag *diag, size_t *small, size_t *arena_span) {
    size_t most = arena_most(size), s = SMALL_MOST, a = most, room = sup_shm_address_room();
    size_t least = map_bytes(size, small_least(size), arena_share(size)), all = map_bytes(size, s, a);
    bool fits = all <= room / 2 || fit(size, room / 2, most, &s, &a);
    if (!fits && room > FOR_PROGRAM) fits = fit(size, room - FOR_PROGRAM, most, &s, &a);
    /* Whatever else limits it does not say how much there is. */
    while (fits && !can_map(all = map_bytes(size, s, a))) fits = fit(size, all / 2, most, &s, &a);
    if (!fits) return too_little(size, least, diag);
    *small = s;
    *arena_span = a;
    return SUP_OK;
}
