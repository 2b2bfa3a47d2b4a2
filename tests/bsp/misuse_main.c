/* Chooses and runs one case of misuse; see misuse.h. */
#include "misuse.h"

#include <bsp.h>
#include <stdio.h>
#include <string.h>

int misuse_area[2];

static int list(const misuse *cases) {
    for (; cases->name; cases++) printf("%s\t%d\t%s\t%s\n", cases->name, cases->procs, cases->flags, cases->expected);
    return 0;
}

int misuse_main(const misuse *cases, int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list(cases);
    while (cases->name && (argc < 2 || strcmp(cases->name, argv[1]) != 0)) cases++;
    if (!cases->name) {
        fprintf(stderr, "misuse: name a case, or --list\n");
        return 0; /* which the runner takes for a failure */
    }
    if (cases->before) {
        cases->before();
        return 0;
    }
    bsp_begin(bsp_nprocs());
    bsp_push_reg(misuse_area, sizeof misuse_area);
    bsp_sync();
    bsp_sync();
    if (cases->inside) cases->inside(bsp_pid() == bsp_nprocs() - 1);
    bsp_sync();
    bsp_sync();
    bsp_pop_reg(misuse_area);
    bsp_sync();
    bsp_end();
    if (cases->after) cases->after();
    return 0;
}
