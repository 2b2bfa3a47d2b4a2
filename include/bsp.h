/* BSPlib: the 20 primitives of Hill et al., "BSPlib: the BSP programming library" (Parallel Computing 24, 1998).
 *
 * A program runs as P processes that compute, ask for communication, and meet in bsp_sync; the time from one sync to
 * the next is a superstep. Communication asked for in a superstep takes effect at its end, in this order: all gets
 * read, gets write, puts write (overlapping puts by rank of the source, then in program order of the source), messages
 * arrive, registrations change. With h = the most bytes that any process sends or receives in the superstep, w its
 * longest computation, the superstep costs w + h·g + l; "Cost" below says what a call adds to those terms.
 *
 * Misuse ends the run: `bsp_put: reason (rank 2, superstep 17)` on the error output and a non-zero exit code, because
 * the standard has no error returns; what several processes do wrong is said once, with their ranks. NULL is misuse
 * where something is to be read or written, also registrations and tag sizes that are not the same on all processes.
 * `superstep run --check` finds more, with the source line.
 *
 * Widths: classic programs hold tag sizes, queue lengths and message lengths in `int`, newer ones in bsp_nprocs_t (or
 * unsigned) and bsp_size_t (or size_t). bsp_set_tagsize, bsp_qsize and bsp_get_tag take a pointer to any of them: in C
 * by macros that hide the classic function of the same name (its address can still be taken), in C++ by templates. A
 * value that does not fit the caller's type ends the run; it is never cut off silently. */
#ifndef SUPERSTEP_BSP_H
#define SUPERSTEP_BSP_H

#include <superstep/version.h>

/* Programs rely on what the headers of other libraries bring along (stdio.h, stdlib.h, stdint.h …), and those with
 * older habits on string.h. Some include this header inside extern "C" { }, which the C++ library must not see. */
#ifdef __cplusplus
extern "C++" {
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
}
#endif

/* Programs for several libraries ask for this before they define bsp_pid_t, bsp_nprocs_t and bsp_size_t themselves. */
#ifndef BSPONMPI_BSP_H
#define BSPONMPI_BSP_H
#endif

#if defined(__GNUC__)
#define BSP_PRINTF_(text, first) __attribute__((__format__(__printf__, text, first)))
#define BSP_NORETURN_ __attribute__((__noreturn__))
#define BSP_INLINE_ static __inline__
#else
#define BSP_PRINTF_(text, first)
#define BSP_NORETURN_
#define BSP_INLINE_ static inline
#endif

/* Calls that are made often go to their function without a detour through the linker's table, where the compiler can.
 */
#if defined(__has_attribute)
#if __has_attribute(__noplt__)
#define BSP_OFTEN_ __attribute__((__noplt__))
#endif
#endif
#ifndef BSP_OFTEN_
#define BSP_OFTEN_
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int bsp_pid_t;             /* rank of a process, and number of processes */
typedef unsigned int bsp_nprocs_t; /* number of messages in a queue */
typedef size_t bsp_size_t;         /* bytes */

/* ---- starting and ending ------------------------------------------------------------------------------------------
 */

/* First statement of main when bsp_begin is not: names the function that starts with bsp_begin. Whatever main does
 * before it calls that function is done by one process only. Cost: none. */
SUP_API void bsp_init(void (*spmd)(void), int argc, char **argv);

/* Starts the parallel part on at most `maxprocs` processes; bsp_nprocs() says how many there are. Under a launcher
 * (superstep run, bsprun, mpirun) that is the launcher's number or fewer, otherwise this call starts the processes
 * itself. May be called again behind bsp_end: a section of its own, with nothing registered, no tag, no message, and
 * time from zero, on as many processes or others (bsp(3) says which). Cost: l and the start of the processes. */
SUP_API void bsp_begin(int maxprocs);

/* Ends the parallel part; rank 0 continues behind it, the others wait for the next, or exit with code 0 when rank 0
 * ends. Collective. Cost: l. */
SUP_API void bsp_end(void);

/* Prints the message on the error output and ends all processes, at once, with a non-zero exit code. */
SUP_API void bsp_abort(const char *format, ...) BSP_PRINTF_(1, 2) BSP_NORETURN_;

/* ---- enquiry; cost: none --------------------------------------------------------------------------------------- */

/* Between bsp_begin and bsp_end: how many processes there are. Outside: how many there may be at most. */
SUP_API int bsp_nprocs(void);

/* Rank, 0 … bsp_nprocs()-1. */
SUP_API int bsp_pid(void);

/* Seconds since bsp_begin on this process; never runs backwards. */
SUP_API double bsp_time(void);

/* ---- superstep ------------------------------------------------------------------------------------------------ */

/* Ends the superstep. Collective. Cost: h·g + l for all that was asked for in the superstep. */
SUP_API BSP_OFTEN_ void bsp_sync(void);

/* ---- direct remote memory access ------------------------------------------------------------------------------ */

/* Associates the `size` bytes at `addr` here with what the other processes give in the same call of the same sequence;
 * addresses and sizes may differ. From the next superstep on, `addr` names that association in puts and gets; the
 * latest one of an address counts. NULL, or size 0, where this process has nothing to offer. Collective.
 * Cost: a constant at the next sync. */
SUP_API void bsp_push_reg(const void *addr, size_t size);

/* Undoes the latest association of `addr`, from the next superstep on; NULL stands for the one that the other processes
 * name, or, where all give NULL, for the latest in which all did. Collective. Cost: as bsp_push_reg. */
SUP_API void bsp_pop_reg(const void *addr);

/* Writes `nbytes` from `src` here to `offset` bytes into the area that `dst` names on process `pid`. `src` may be
 * changed after the call. Cost: nbytes sent here, nbytes received there, and one copy at each end. */
SUP_API BSP_OFTEN_ void bsp_put(int pid, const void *src, const void *dst, size_t offset, size_t nbytes);

/* As bsp_put without the copies: `src` must stay as it is, and the target must be neither used nor written by anybody
 * else, until the sync. When it is written is not said. Cost: nbytes sent here, received there. */
SUP_API BSP_OFTEN_ void bsp_hpput(int pid, const void *src, const void *dst, size_t offset, size_t nbytes);

/* Reads `nbytes` from `offset` bytes into the area that `src` names on process `pid`, as it is at the sync before any
 * put, into `dst` here. Cost: nbytes sent there, received here, and one copy at each end. */
SUP_API BSP_OFTEN_ void bsp_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes);

/* As bsp_get without the copies: source and `dst` must not be changed by anybody until the sync. */
SUP_API BSP_OFTEN_ void bsp_hpget(int pid, const void *src, size_t offset, void *dst, size_t nbytes);

/* ---- messages ------------------------------------------------------------------------------------------------- */

/* Sets the tag size of the messages sent in later supersteps, and gives the one it replaces: the last one set, also
 * if that was in this superstep. Zero at first.
 * Collective, with the same size everywhere. Cost: a constant at the next sync. */
SUP_API void bsp_set_tagsize(int *tag_nbytes);

/* Sends a message. Tag and payload may be changed after the call. It arrives at the sync, and can be read there until
 * the next. Cost: tag size + nbytes sent here, received there. */
SUP_API BSP_OFTEN_ void bsp_send(int pid, const void *tag, const void *payload, size_t nbytes);

/* Messages in the queue and the sum of their payload lengths (NULL: not wanted). Cost: none. */
SUP_API void bsp_qsize(int *packets, int *payload_nbytes);

/* Length of the first message's payload in `status` and its tag in `tag`; -1 (the greatest value of an unsigned type)
 * and no tag where the queue is empty. Cost: tag size of local copying. */
SUP_API void bsp_get_tag(int *status, void *tag);

/* Copies the first message's payload, at most `max_nbytes` of it, and removes the message. Cost: that copy. */
SUP_API BSP_OFTEN_ void bsp_move(void *payload, size_t max_nbytes);

/* Removes the first message without copying: pointers to its tag and payload, which stay valid to the end of the
 * superstep, the payload aligned for any type and the tag for any of 8 bytes, and the payload's length; -1 where the
 * queue is empty. Cost: none. The result compares as programs expect with -1, with 0 and with SIZE_MAX. */
SUP_API BSP_OFTEN_ ptrdiff_t bsp_hpmove(void **tag, void **payload);

#if defined(__GNUC__) && defined(__OPTIMIZE__) && __SIZEOF_POINTER__ == 8 && !defined(BSP_PLAIN_CALLS)
#include <superstep/bsp_inline.h>
#endif

/* ---- not in the standard, common in programs -----------------------------------------------------------------------
 */

SUP_API void bsp_vabort(const char *format, va_list args) BSP_PRINTF_(1, 0) BSP_NORETURN_;
SUP_API void bsp_abort_va(const char *format, va_list args) BSP_PRINTF_(1, 0) BSP_NORETURN_; /* BSPonMPI's name */

/* A get that is complete when it returns: the bytes as they are at some moment of the call, with all puts of earlier
 * supersteps in them; what their owner writes in this superstep may be seen or not, or in part. Other transfers of the
 * superstep it sees only if they are unbuffered. Cost: at once, nbytes and a latency; on one host a copy (two where the
 * area is neither in the heap nor this process's own), over several a round trip to a process that may be busy: up to a
 * millisecond where nothing else is on its way. */
SUP_API void bsp_direct_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes);

/* Seconds since the last call of bsp_dtime, or bsp_begin. */
SUP_API double bsp_dtime(void);

/* Seconds that processors have worked for this process, all its threads together. */
SUP_API double bsp_cputime(void);

/* Names that the standard had in earlier drafts: bsp_push_reg, bsp_pop_reg, bsp_set_tagsize, bsp_qsize. */
SUP_API void bsp_pushregister(const void *addr, size_t size);
SUP_API void bsp_popregister(const void *addr);
SUP_API void bsp_set_tag_size(int *tag_nbytes);
SUP_API void bsp_bsmp_info(int *packets, int *payload_nbytes);

/* The unbuffered send of other libraries: tag and payload must stay as they are until the sync. */
BSP_INLINE_ void bsp_hpsend(int pid, const void *tag, const void *payload, size_t nbytes) {
    bsp_send(pid, tag, payload, nbytes);
}

/* bsp_abort where there is nothing to format: for the Fortran module. */
SUP_API void bsp_abort_text(const char *text) BSP_NORETURN_;

/* ---- any width -----------------------------------------------------------------------------------------------------
 */

/* What a pointer given to the three calls points to. */
enum bsp_width { BSP_AS_NONE = 0, BSP_AS_INT = 1, BSP_AS_UINT = 2, BSP_AS_LONG = 3, BSP_AS_ULONG = 4 };

/* Where the macros and templates below lead; `long` and `unsigned long` hold size_t and 64 bits on the machines that
 * are supported. */
SUP_API void bsp_set_tagsize_as(void *tag_nbytes, int width);
SUP_API void bsp_qsize_as(void *packets, int packets_width, void *payload_nbytes, int payload_width);
SUP_API void bsp_get_tag_as(void *status, int width, void *tag);

#ifdef __cplusplus
} /* extern "C" */

/* Programs include this header inside extern "C" { } as well, so the language is said again. */
extern "C++" {
template <class T> struct bsp_width_of;
template <> struct bsp_width_of<int> {
    enum { value = BSP_AS_INT };
};
template <> struct bsp_width_of<unsigned> {
    enum { value = BSP_AS_UINT };
};
template <> struct bsp_width_of<long> {
    enum { value = BSP_AS_LONG };
};
template <> struct bsp_width_of<unsigned long> {
    enum { value = BSP_AS_ULONG };
};
#if __cplusplus >= 201103L
template <> struct bsp_width_of<long long> {
    enum { value = BSP_AS_LONG };
};
template <> struct bsp_width_of<unsigned long long> {
    enum { value = BSP_AS_ULONG };
};
template <class T> inline void bsp_qsize(T *packets, decltype(nullptr)) {
    bsp_qsize_as(packets, bsp_width_of<T>::value, 0, BSP_AS_NONE);
}
#endif
template <class T> inline void bsp_set_tagsize(T *tag_nbytes) {
    bsp_set_tagsize_as(tag_nbytes, bsp_width_of<T>::value);
}
template <class T> inline void bsp_set_tag_size(T *tag_nbytes) {
    bsp_set_tagsize_as(tag_nbytes, bsp_width_of<T>::value);
}
template <class T, class U> inline void bsp_qsize(T *packets, U *payload_nbytes) {
    bsp_qsize_as(packets, bsp_width_of<T>::value, payload_nbytes, bsp_width_of<U>::value);
}
template <class T> inline void bsp_get_tag(T *status, void *tag) {
    bsp_get_tag_as(status, bsp_width_of<T>::value, tag);
}
}

#elif defined(__GNUC__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
#if defined(__GNUC__)
#define BSP_GENERIC_ __extension__ _Generic
#else
#define BSP_GENERIC_ _Generic
#endif
/* A pointer to anything else is an error of the compiler here; a null pointer constant counts as "not wanted". */
/* clang-format off */
#define BSP_WIDTH_(p) BSP_GENERIC_((p), int *: BSP_AS_INT, unsigned *: BSP_AS_UINT, long *: BSP_AS_LONG, \
    unsigned long *: BSP_AS_ULONG, long long *: BSP_AS_LONG, unsigned long long *: BSP_AS_ULONG, \
    void *: BSP_AS_NONE, int: BSP_AS_NONE)
/* clang-format on */
#define bsp_set_tagsize(tag_nbytes) bsp_set_tagsize_as((tag_nbytes), BSP_WIDTH_(tag_nbytes))
#define bsp_set_tag_size(tag_nbytes) bsp_set_tagsize(tag_nbytes)
#define bsp_qsize(packets, payload_nbytes) \
    bsp_qsize_as((packets), BSP_WIDTH_(packets), (payload_nbytes), BSP_WIDTH_(payload_nbytes))
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define bsp_get_tag(status, ...) bsp_get_tag_as((status), BSP_WIDTH_(status), __VA_ARGS__)
#else
#define bsp_get_tag(status, tag) bsp_get_tag_as((status), BSP_WIDTH_(status), (tag))
#endif
#endif

/* Exported by libbsp: bsp_init bsp_begin bsp_end bsp_abort bsp_vabort bsp_nprocs bsp_pid bsp_time bsp_sync bsp_push_reg
 * bsp_pop_reg bsp_put bsp_hpput bsp_get bsp_hpget bsp_set_tagsize bsp_send bsp_qsize bsp_get_tag bsp_move bsp_hpmove,
 * bsp_abort_va bsp_abort_text bsp_direct_get bsp_dtime bsp_cputime bsp_pushregister bsp_popregister bsp_set_tag_size
 * bsp_bsmp_info, and bsp_set_tagsize_as bsp_qsize_as bsp_get_tag_as. A file that defines them parenthesises or #undefs
 * the macros. */
#endif
