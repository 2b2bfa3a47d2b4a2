/* A BSP program that may have more rights than its caller: says how many processes it is. With "init" it names its
 * parallel function to bsp_init; with "none" it makes no BSP call. */
#include <bsp.h>
#include <stdio.h>
#include <string.h>

static void spmd(void) {
    bsp_begin(bsp_nprocs());
    printf("process %d of %d\n", bsp_pid(), bsp_nprocs());
    bsp_end();
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "none")) return 0;
    if (!strcmp(how, "init")) bsp_init(spmd, argc, argv);
    spmd();
    return 0;
}
