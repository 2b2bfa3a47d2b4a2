/* bsp_begin in a function named to bsp_init, in the manner of the textbook: only the process that goes through main
 * knows how many processes are asked for. The runner counts the lines: one "before" and one "after", and "inside" of as
 * many ranks as were asked for and can be had.
 *
 *     start_init P    asks for P; 0: ends before bsp_begin with exit code 9; -1: with exit code 0 */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

static int asked, had;
static char sentence[32];

static void spmd(void) {
    bsp_begin(asked);
    had = bsp_nprocs();
    printf("inside %d of %d\n", bsp_pid(), bsp_nprocs());
    fflush(stdout);
    /* What main read in must be broadcast: the others were not there. */
    bsp_push_reg(&asked, sizeof asked);
    bsp_push_reg(sentence, sizeof sentence);
    bsp_sync();
    if (bsp_pid() == 0)
        for (int i = 1; i < bsp_nprocs(); i++) {
            bsp_put(i, &asked, &asked, 0, sizeof asked);
            bsp_put(i, sentence, sentence, 0, sizeof sentence);
        }
    bsp_pop_reg(sentence);
    bsp_pop_reg(&asked);
    bsp_sync();
    if (asked < bsp_nprocs() || sentence[0] != 'r') bsp_abort("start_init: rank %d did not hear of main", bsp_pid());
    bsp_end();
}

int main(int argc, char **argv) {
    bsp_init(spmd, argc, argv);
    printf("before %d\n", bsp_nprocs());
    fflush(stdout);
    asked = argc > 1 ? atoi(argv[1]) : bsp_nprocs();
    snprintf(sentence, sizeof sentence, "read by main");
    if (asked <= 0) exit(asked ? 0 : 9);
    spmd();
    printf("after %d\n", had);
    return 0;
}
