/* Programs that do something wrong on purpose, one a case. `--list` prints for the runner, separated by tabs: name,
 * processes, flags, the extended regular expression that the error output must match. Flags: "e" also on the MPI
 * transports, "d" under --deadlock, "z" the exit code may be zero, "n" not
 * for the reference runtime, which would hang, "-" none. The last rank does wrong, in superstep 2.
 * The line that does is marked `here: NAME`; check mode must name it. */
#ifndef TESTS_BSP_MISUSE_H
#define TESTS_BSP_MISUSE_H

#include <stdbool.h>

typedef struct misuse {
    const char *name;
    int procs;
    const char *flags;
    const char *expected;
    void (*inside)(bool wrong); /* collective, in superstep 2; `wrong` on the last rank */
    void (*before)(void);       /* instead of bsp_begin */
    void (*after)(void);        /* behind bsp_end */
} misuse;

/* main of both programs. */
int misuse_main(const misuse *cases, int argc, char **argv);

/* Two integers, registered from superstep 1 on. */
extern int misuse_area[2];

#endif
