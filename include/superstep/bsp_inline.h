/* Eight bytes into an area that the process was already reached under: the commonest put of programs that make many, as
 * a few instructions in the program itself. Whatever is different goes to the function in the library, and so does
 * everything with BSP_PLAIN_CALLS defined before bsp.h (programs that are to be watched by wrappers of the calls). It
 * is part of bsp.h, and its names are not for programs. */
#ifndef SUPERSTEP_BSP_INLINE_H
#define SUPERSTEP_BSP_INLINE_H

#include <superstep/version.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The end of the log for one process, and the area that it was last reached under. */
struct bsp_lane_ {
    unsigned char *cursor; /* where the next record goes */
    const void *addr;      /* name of the area here */
    size_t room;           /* offsets below this leave eight bytes of it */
    size_t base;           /* its address there */
    size_t mapped;         /* and here, or 0 */
    unsigned char *limit;  /* where the log ends */
    void *library[2];
};

/* procs is 0 where the library wants to see every call. */
struct bsp_lanes_ {
    struct bsp_lane_ *lane;
    unsigned procs;
};
extern SUP_API struct bsp_lanes_ bsp_lanes_;

/* bsp_put and bsp_hpput themselves. */
SUP_API void bsp_put_(int pid, const void *src, const void *dst, size_t offset, size_t nbytes);
SUP_API void bsp_hpput_(int pid, const void *src, const void *dst, size_t offset, size_t nbytes);

/* True: the put of eight bytes has been appended. A record is one word, 48 bits of address and 16 of length, and the
 * bytes. */
extern __inline__ __attribute__((__gnu_inline__, __always_inline__)) int
bsp_put8_(int pid, const void *src, const void *dst, size_t offset, size_t nbytes) {
    struct bsp_lane_ *l;
    unsigned char *to;
    size_t word;
    if (__builtin_expect(nbytes != 8 || (unsigned)pid >= bsp_lanes_.procs, 0)) return 0;
    l = &bsp_lanes_.lane[(unsigned)pid];
    to = l->cursor;
    if (__builtin_expect(l->addr != dst || offset >= l->room || l->limit - to < 16 || !src, 0)) return 0;
    word = (l->base + offset) | (size_t)8 << 48;
    __builtin_memcpy(to, &word, 8);
    __builtin_memcpy(to + 8, src, 8);
    l->cursor = to + 16;
    return 1;
}

extern __inline__ __attribute__((__gnu_inline__)) void bsp_put(int pid, const void *src, const void *dst, size_t offset,
                                                               size_t nbytes) {
    if (!bsp_put8_(pid, src, dst, offset, nbytes)) bsp_put_(pid, src, dst, offset, nbytes);
}

extern __inline__ __attribute__((__gnu_inline__)) void bsp_hpput(int pid, const void *src, const void *dst,
                                                                 size_t offset, size_t nbytes) {
    if (!bsp_put8_(pid, src, dst, offset, nbytes)) bsp_hpput_(pid, src, dst, offset, nbytes);
}

#ifdef __cplusplus
}
#endif

#endif
