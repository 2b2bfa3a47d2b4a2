/* Kernels as users write them, for the tests of `--kernel`: one good, the others each wrong in one way (WRONG_…). */
#include <superstep/kernel.h>

#include <stdlib.h>

typedef struct sum {
    uint64_t n;
    double result;
    double x[];
} sum;

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sum *s = memory;
    if (bytes < sizeof *s + sizeof(double)) return 1;
    s->n = (bytes - sizeof *s) / sizeof(double);
#ifdef WRONG_OVERRUN
    s->n++;
#endif
    for (uint64_t i = 0; i < s->n; i++) s->x[i] = (double)(i % 8);
    *work = (sup_kernel_work){s, s->n, 1, s->n * sizeof(double)};
#ifdef WRONG_WORK
    work->pass_iterations = 0;
#endif
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    sum *s = state;
#ifdef WRONG_CRASH
    int *volatile nowhere = NULL;
    *nowhere = 1;
#endif
#ifdef WRONG_EXIT
    exit(3);
#endif
#ifdef WRONG_HANG
    for (volatile int i = 0;;) i = i + 1;
#endif
    for (uint64_t k = 0; k < iterations; k++) {
        double result = 0.0;
        for (uint64_t i = 0; i < s->n; i++) result += s->x[i];
        s->result = result;
        __asm__ volatile("" : : "r"(s) : "memory");
    }
#ifdef WRONG_UNITS
    return iterations * s->n + 1;
#else
    return iterations * s->n;
#endif
}

static int verify(void *state) {
    const sum *s = state;
    double result = 0.0;
    for (uint64_t i = s->n; i-- > 0;) result += (double)(i % 8);
#ifdef WRONG_RESULT
    result += 1.0;
#endif
    return s->result == result;
}

#ifdef WRONG_ABI
#define ABI (SUP_KERNEL_ABI + 1)
#else
#define ABI SUP_KERNEL_ABI
#endif
#ifdef WRONG_NAME
#define NAME "my kernel!"
#else
#define NAME "mysum"
#endif

#ifdef WRONG_EXPORT
extern const sup_kernel some_other_name;
SUP_KERNEL_EXPORT const sup_kernel some_other_name = {
#else
const sup_kernel sup_kernel_plugin = {
#endif
    ABI, sizeof(sup_kernel), NAME, "element", 8.0, 1.0, 1024, NULL, setup, run, verify, NULL};
