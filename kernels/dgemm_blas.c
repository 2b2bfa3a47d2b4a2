/* dgemm_blas: C = A·B by the BLAS of the system, OpenBLAS if there is one (term Tcomp; SUMMA, PART ch. 6). The library
 * is looked for when the kernel is first asked for: without one the kernel is unavailable, and nothing else is missing.
 *
 * It stays loaded, because OpenBLAS cannot be unloaded while its threads exist. It is held to one thread: a process of
 * ours has one core. */
#include "kernels/product.h"

#include <dlfcn.h>
#include <pthread.h>

#define BLOCK 128

typedef void (*blas_dgemm)(const char *, const char *, const int *, const int *, const int *, const double *,
                           const double *, const int *, const double *, const int *, const double *, double *,
                           const int *);

static blas_dgemm library_dgemm;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libblas.so.3", "libblas.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    void (*set_threads)(int) = NULL;
    /* dlsym returns an object pointer; POSIX promises that it holds a function's address */
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    if (set_threads) set_threads(1);
    *(void **)&library_dgemm = dlsym(library, "dgemm_");
}

static int unavailable(void) {
    pthread_once(&once, load);
    return !library_dgemm;
}

/* Fortran stores by columns: row by row, C = A·B is Cᵀ = Bᵀ·Aᵀ column by column. */
static void multiply(double *c, const double *a, const double *b, uint64_t n, uint64_t rows, uint64_t columns,
                     uint64_t depth, bool add) {
    const int line = (int)n, m = (int)columns, w = (int)rows, k = (int)depth;
    const double one = 1.0, beta = add ? 1.0 : 0.0;
    library_dgemm("N", "N", &m, &w, &k, &one, b, &line, a, &line, &beta, c, &line);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    if (unavailable()) return 1;
    return sup_product_setup(memory, bytes, BLOCK, work);
}

static uint64_t run(void *state, uint64_t iterations) { return sup_product_run(state, iterations, multiply); }

static int verify(void *state) { return sup_product_verify(state); }

const sup_kernel sup_kernel_dgemm_blas = {SUP_KERNEL_ABI,
                                          sizeof(sup_kernel),
                                          "dgemm_blas",
                                          "multiply-add",
                                          0.0,
                                          2.0,
                                          1024,
                                          unavailable,
                                          setup,
                                          run,
                                          verify,
                                          NULL};
