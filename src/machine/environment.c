/* All of it is set aside: what hwloc reads begins with HWLOC_, but its plug-ins bring libraries with names of their own
 * (OpenCL, X11, libxml2), and theirs bring more. */
#include "machine/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The strings stay where they are; only the list of them is ours, and remains in use: getenv() and setenv() of others
 * go on with it. */
static char **put; /* the list that was put back last */

sup_status sup_environment_set_aside(char ***aside) {
    size_t count = 0;
    *aside = NULL;
    if (!getauxval(AT_SECURE) || !environ) return SUP_OK;
    while (environ[count]) count++;
    char **list = malloc((count + 1) * sizeof *list), **old = environ;
    if (!list) return SUP_ENOMEM;
    memcpy(list, environ, (count + 1) * sizeof *list);
    clearenv();
    if (old == put) free(put); /* else somebody has added to it, and has a list of his own */
    put = NULL;
    *aside = list;
    return SUP_OK;
}

void sup_environment_put_back(char **aside) {
    if (aside) environ = put = aside;
}
