/* Failures of several processes at once, and what they had printed. Every rank prints a line and flushes nothing; then
 *
 *     together same       all make the same mistake
 *     together two        even ranks make one mistake, odd ranks another
 *     together waiting    the last rank aborts, the others are in a sync
 *     together computing  the last rank aborts, the others come to no sync
 *
 * The runner counts the lines: every rank's, and one for each mistake with the ranks that made it. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    static int x;
    bsp_begin(bsp_nprocs());
    bsp_sync();
    printf("printed by %d\n", bsp_pid());
    if (!strcmp(how, "same")) bsp_put(0, &x, &x, 0, sizeof x);
    if (!strcmp(how, "two") && bsp_pid() % 2 == 0) bsp_put(0, &x, &x, 0, sizeof x);
    if (!strcmp(how, "two")) bsp_move(&x, sizeof x);
    bsp_sync();
    bsp_sync(); /* everybody has printed */
    if (bsp_pid() == bsp_nprocs() - 1) bsp_abort("stopped by %d", bsp_pid());
    while (!strcmp(how, "computing")) pause();
    bsp_sync();
    return 0; /* not reached, and without bsp_end it would be an error */
}
