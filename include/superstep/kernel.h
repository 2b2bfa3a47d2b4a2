/* Computational kernels: what `superstep measure` times, and how to add one of your own.
 *
 * A kernel is a table of functions. Compile one into a shared object that exports it under the name
 * `sup_kernel_plugin`, and measure it with `superstep measure --kernel ./mine.so`:
 *
 *     #include <superstep/kernel.h>
 *     static int setup(void *memory, size_t bytes, sup_kernel_work *work) { … }
 *     …
 *     SUP_KERNEL_EXPORT const sup_kernel sup_kernel_plugin = {
 *         SUP_KERNEL_ABI, sizeof(sup_kernel), "mine", "element", 16.0, 2.0, 4096, NULL, setup, run, verify, NULL};
 *
 *     cc -shared -fPIC -O2 mine.c -o mine.so
 *
 * It is tried in a process of its own first, with memory that ends at an inaccessible page: a crash, a hang or a wrong
 * result is reported and the kernel is left out. Several threads may use it at once, each with a state of its own. */
#ifndef SUPERSTEP_KERNEL_H
#define SUPERSTEP_KERNEL_H

#include <superstep/version.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_KERNEL_ABI 1
#define SUP_KERNEL_EXPORT __attribute__((visibility("default")))

/* What set-up says about the work it prepared. */
typedef struct sup_kernel_work {
    void *state;              /* handed to run, verify and tear-down; may lie in the memory given */
    uint64_t pass_units;      /* units of work that visit all of the data once, > 0 */
    uint64_t pass_iterations; /* iterations that do so, 1 … 2^32: large data is visited piece by piece */
    size_t footprint_bytes;   /* of memory that a pass visits, > 0 */
} sup_kernel_work;

typedef struct sup_kernel {
    uint32_t abi;          /* SUP_KERNEL_ABI */
    uint32_t size;         /* sizeof(sup_kernel) */
    const char *name;      /* "daxpy": letters, digits, - and _ */
    const char *unit;      /* of work: "element" */
    double bytes_per_unit; /* that must move between memory and core for data that is used once; 0: depends */
    double flops_per_unit;
    size_t least_bytes; /* set-up needs at least so much */

    /* NULL, or 0 if the kernel can run here, else not 0. */
    int (*unavailable)(void);
    /* memory: zero, present, aligned to 64 bytes, the kernel's until tear-down. Prepares data that fills as much of it
     * as possible. 0, or not 0 if it cannot. */
    int (*setup)(void *memory, size_t bytes, sup_kernel_work *work);
    /* Does that many iterations, each where the last one ended, and returns the units of work done. Results must stay
     * finite however often it is called. */
    uint64_t (*run)(void *state, uint64_t iterations);
    /* Not 0 if the results are right. Called after set-up and a small whole number of passes. */
    int (*verify)(void *state);
    /* NULL, or frees what set-up took besides the memory. */
    void (*teardown)(void *state);
} sup_kernel;

/* What a shared object exports. */
SUP_KERNEL_EXPORT extern const sup_kernel sup_kernel_plugin;

#ifdef __cplusplus
}
#endif
#endif
