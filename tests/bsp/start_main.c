/* bsp_begin as the first statement of main. The runner counts the lines: one "inside" of each rank, one "after", and
 * the exit code of rank 0, given as the argument, is that of the run. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    printf("inside %d of %d\n", bsp_pid(), bsp_nprocs());
    fflush(stdout);
    int sum = 0, one = 1;
    int *ones = calloc((size_t)bsp_nprocs(), sizeof *ones);
    bsp_push_reg(ones, (size_t)bsp_nprocs() * sizeof *ones);
    bsp_sync();
    bsp_put(0, &one, ones, (size_t)bsp_pid() * sizeof one, sizeof one);
    bsp_sync();
    for (int i = 0; i < bsp_nprocs(); i++) sum += ones[i];
    if (bsp_pid() == 0 && sum != bsp_nprocs()) bsp_abort("start_main: %d instead of %d", sum, bsp_nprocs());
    free(ones);
    bsp_end();
    printf("after %d\n", bsp_nprocs());
    return argc > 1 ? atoi(argv[1]) : 0;
}
