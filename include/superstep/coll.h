/* Collective operations on top of BSPlib, as BSP textbooks define them.
 *
 * Every process calls them, between bsp_begin and bsp_end, with the same root, sizes and operator; each contains one or
 * two bsp_sync (more where the library's own buffer must grow: once a size). Like any sync that completes the puts and
 * gets asked for before, and drops the messages that are still in the queue.
 *
 * Costs are those of bsp.h: p processes, n bytes in a block or vector, g per byte, l per sync. They hold for puts,
 * which is how short data travel: in one phase; "two phases" means that blocks of n/p bytes go through all processes,
 * which halves nothing for p = 2 and pays for large n. Calls that have both take one phase below
 * SUP_BSP_TWO_PHASE_BYTES, or for a single element, and two from there on.
 *
 * Long data (64 KB in all; a broadcast between processes that share memory 256 KB; over an MPI on one host 1 KB) go
 * straight between the buffers of the call instead, after one bsp_sync, by the algorithm that the plan has for them
 * (superstep choose), and the call ends with a barrier: l, what the algorithm costs (superstep taulop coll), and a
 * barrier; no buffer of the library. In a recorded run (--trace) and in the checking mode all are puts, which a model
 * can price and a check can see.
 *
 * The buffers of one call must not overlap; where a call has `send` and `recv` of the same length they may be the
 * same. Misuse ends the run, as it does for all of BSPlib. */
#ifndef SUPERSTEP_COLL_H
#define SUPERSTEP_COLL_H

#include <superstep/version.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_BSP_TWO_PHASE_BYTES 8192

/* ---- blocks of bytes ------------------------------------------------------------------------------------------- */

/* The root's `nbytes` at `data` to everybody's `data`. Cost: the cheaper of the next two by the rule above. */
SUP_API void sup_bsp_broadcast(int root, void *data, size_t nbytes);

/* Cost: (p-1)·n·g + l. */
SUP_API void sup_bsp_broadcast_one_phase(int root, void *data, size_t nbytes);

/* The root deals out blocks, then everybody gives its block to everybody. Cost: 2·n·g + 2·l. */
SUP_API void sup_bsp_broadcast_two_phase(int root, void *data, size_t nbytes);

/* `nbytes` from each process, in order of rank, into `recv` of the root (p·nbytes; NULL elsewhere).
 * Cost: (p-1)·n·g + l. */
SUP_API void sup_bsp_gather(int root, const void *send, size_t nbytes, void *recv);

/* Block i of the root's `send` (p·nbytes; NULL elsewhere) to process i. Cost: (p-1)·n·g + l. */
SUP_API void sup_bsp_scatter(int root, const void *send, size_t nbytes, void *recv);

/* As gather, to everybody. Cost: (p-1)·n·g + l. */
SUP_API void sup_bsp_allgather(const void *send, size_t nbytes, void *recv);

/* Block j of process i becomes block i of process j. Cost: (p-1)·n·g + l. */
SUP_API void sup_bsp_total_exchange(const void *send, size_t nbytes, void *recv);

/* ---- vectors and operators ------------------------------------------------------------------------------------- */

/* accumulator[k] = accumulator[k] op operand[k] for k < count. Must be associative; it is applied in order of rank,
 * with brackets that depend on p, the size, the plan and the transport, so it need not be commutative. */
typedef void (*sup_bsp_fold)(void *accumulator, const void *operand, size_t count, void *context);

/* Element by element x_0 op x_1 op … op x_{p-1} into `recv` of the root (may be NULL elsewhere).
 * Cost: (p-1)·n·g + (p-1)·n operations + l; two phases: 2·n·g + n operations + 2·l. */
SUP_API void sup_bsp_reduce(int root, sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send,
                            void *recv, size_t count);

/* As reduce, to everybody, with the same result everywhere. Cost: as reduce. */
SUP_API void sup_bsp_allreduce(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                               size_t count);

/* x_0 op … op x_s on process s. Cost: as reduce. */
SUP_API void sup_bsp_scan(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                          size_t count);

typedef enum sup_bsp_op { SUP_BSP_SUM, SUP_BSP_PRODUCT, SUP_BSP_MIN, SUP_BSP_MAX } sup_bsp_op;

/* The same for the usual types. Integers wrap around; a NaN among doubles makes every result of that element NaN. */
SUP_API void sup_bsp_reduce_double(int root, sup_bsp_op op, const double *send, double *recv, size_t count);
SUP_API void sup_bsp_reduce_int64(int root, sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count);
SUP_API void sup_bsp_allreduce_double(sup_bsp_op op, const double *send, double *recv, size_t count);
SUP_API void sup_bsp_allreduce_int64(sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count);
SUP_API void sup_bsp_scan_double(sup_bsp_op op, const double *send, double *recv, size_t count);
SUP_API void sup_bsp_scan_int64(sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count);

/* Gives the library's own buffer and its registration back. Never necessary. Cost: l. */
SUP_API void sup_bsp_release(void);

#ifdef __cplusplus
}
#endif
#endif
