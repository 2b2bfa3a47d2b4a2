/* The level-1 library of the Oxford BSP toolset: collective operations with its names and arguments, for programs that
 * were written with them. <superstep/coll.h> has more, with sizes of any width.
 *
 * Every process calls them between bsp_begin and bsp_end with the same root, size and operator; each contains one or
 * two bsp_sync (three the first time, and where a larger size is seen), with all that a sync does. Memory need not be
 * registered, and may be. `dst` may be `src`. Costs as in bsp.h: p processes, n = nbytes, g per byte, l per sync; long
 * data go straight between buffers and cost less (<superstep/coll.h>).
 *
 * The machine's parameters (bsp_s, bsp_l, bsp_g, bsp_nhalf) are not here: a profile has them (superstep measure), and
 * <superstep/model.h> for running programs. */
#ifndef SUPERSTEP_BSP_LEVEL1_H
#define SUPERSTEP_BSP_LEVEL1_H

#include <bsp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The root's `src` into everybody's `dst`, its own too. Cost: (p-1)·n·g + l; for long data 2·n·g + 2·l. */
SUP_API void bsp_bcast(int root, const void *src, void *dst, int nbytes);

/* Everybody's `src`, in order of rank, into the root's `dst` (p·nbytes). Cost: (p-1)·n·g + l. */
SUP_API void bsp_gather(int root, const void *src, void *dst, int nbytes);

/* Block i of the root's `src` (p·nbytes) into `dst` of process i. Cost: (p-1)·n·g + l. */
SUP_API void bsp_scatter(int root, const void *src, void *dst, int nbytes);

/* `op(result, left, right, nbytes)` stores left op right; the three do not overlap. It must be associative, and need
 * not be commutative: operands are in order of rank. */
typedef void (*bsp_operator)(void *result, void *left, void *right, int *nbytes);

/* x_0 op x_1 op … op x_{p-1} into everybody's `dst`. Cost: (p-1)·n·g + (p-1) times op + l. */
SUP_API void bsp_fold(bsp_operator op, const void *src, void *dst, int nbytes);

/* x_0 op … op x_s into `dst` of process s. Cost: as bsp_fold. */
SUP_API void bsp_scan(bsp_operator op, const void *src, void *dst, int nbytes);

/* The items of all processes in order, `less(x, y, nbytes)`: the least into `dst` of process 0, the next into that of
 * process 1 … Items of which neither is less stay in order of rank. Cost: 2·(p-1)·n·g + p·log p times less + 2·l. */
SUP_API void bsp_sort(int (*less)(void *x, void *y, int *nbytes), const void *src, void *dst, int nbytes);

/* Operators on ints and doubles are often written with pointers to those. */
#define bsp_fold(op, src, dst, nbytes) bsp_fold((bsp_operator)(void (*)(void))(op), src, dst, nbytes)
#define bsp_scan(op, src, dst, nbytes) bsp_scan((bsp_operator)(void (*)(void))(op), src, dst, nbytes)
#define bsp_sort(less, src, dst, nbytes) \
    bsp_sort((int (*)(void *, void *, int *))(void (*)(void))(less), src, dst, nbytes)

/* ---- one int (I), float (R), double (D) or char (C); cost: as bsp_fold of its size --------------------------------
 */

/* Of all processes, to all. Ints wrap around. */
SUP_API int bsp_sumI(int x);
SUP_API float bsp_sumR(float x);
SUP_API double bsp_sumD(double x);
SUP_API int bsp_productI(int x);
SUP_API float bsp_productR(float x);
SUP_API double bsp_productD(double x);
SUP_API int bsp_minI(int x);
SUP_API float bsp_minR(float x);
SUP_API double bsp_minD(double x);
SUP_API int bsp_maxI(int x);
SUP_API float bsp_maxR(float x);
SUP_API double bsp_maxD(double x);

/* Of the processes up to this one. */
SUP_API int bsp_sumI_prefix(int x);
SUP_API float bsp_sumR_prefix(float x);
SUP_API double bsp_sumD_prefix(double x);
SUP_API int bsp_productI_prefix(int x);
SUP_API float bsp_productR_prefix(float x);
SUP_API double bsp_productD_prefix(double x);
SUP_API int bsp_minI_prefix(int x);
SUP_API float bsp_minR_prefix(float x);
SUP_API double bsp_minD_prefix(double x);
SUP_API int bsp_maxI_prefix(int x);
SUP_API float bsp_maxR_prefix(float x);
SUP_API double bsp_maxD_prefix(double x);

/* 1 where x is not zero on every process, on any process, on those up to this one; where it is the same on all. */
SUP_API int bsp_all(int x);
SUP_API int bsp_any(int x);
SUP_API int bsp_all_prefix(int x);
SUP_API int bsp_any_prefix(int x);
SUP_API int bsp_constantI(int x);

/* Process s gets the s-th least. */
SUP_API int bsp_sortI(int x);
SUP_API float bsp_sortR(float x);
SUP_API double bsp_sortD(double x);
SUP_API char bsp_sortC(char x);

#ifdef __cplusplus
}
#endif
#endif
