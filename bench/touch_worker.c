/* What bench/touch starts: all processes at once take a block, write each of its pages and give it back, in turn from
 * the shared heap and from private memory in pages of 4 KiB. touch-worker MIB ROUNDS; prints the 10 % quantile and the
 * median of both in microseconds a page, of the slowest process. */
#include <bsp.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROUNDS_MOST = 1000 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Seconds; 0: no memory. */
static double touch(size_t bytes, int private) {
    bsp_sync();
    double begin = bsp_time();
    char *p = private ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : malloc(bytes);
    if (!p || p == MAP_FAILED) return 0;
    if (private) (void)madvise(p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) *(volatile char *)(p + i) = 1;
    double took = bsp_time() - begin;
    bsp_sync();
    if (private)
        munmap(p, bytes);
    else
        free(p);
    return took;
}

/* The slowest process counts in each round. */
static double slowest(double mine, double *all) {
    for (int p = 0; p < bsp_nprocs(); p++) bsp_put(p, &mine, all, (size_t)bsp_pid() * sizeof mine, sizeof mine);
    bsp_sync();
    for (int p = 0; p < bsp_nprocs(); p++)
        if (all[p] > mine) mine = all[p];
    return mine;
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    size_t bytes = (size_t)(argc > 1 ? atol(argv[1]) : 16) << 20;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    static double took[2][ROUNDS_MOST];
    if (rounds < 1 || rounds > ROUNDS_MOST || bytes == 0) bsp_abort("touch-worker MIB ROUNDS\n");
    double *all = calloc((size_t)bsp_nprocs(), sizeof *all);
    bsp_push_reg(all, bsp_nprocs() * (int)sizeof *all);
    bsp_sync();
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 2; i++) {
            int private = (r + i) & 1;
            took[private][r] = slowest(touch(bytes, private), all) * 1e6 / ((double)bytes / 4096);
        }
    for (int k = 0; k < 2; k++) qsort(took[k], (size_t)rounds, sizeof took[k][0], by_size);
    if (bsp_pid() == 0)
        printf("%.9g %.9g %.9g %.9g\n", took[0][rounds / 10], took[0][rounds / 2], took[1][rounds / 10],
               took[1][rounds / 2]);
    free(all);
    bsp_end();
    return 0;
}
