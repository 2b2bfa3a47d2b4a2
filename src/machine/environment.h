/* The environment, while a library looks at the machine that obeys it. A program with more rights than its caller
 * (setuid, setgid, file capabilities) must not: HWLOC_PLUGINS_PATH names code to be loaded, as OCL_ICD_VENDORS does to
 * a plug-in of hwloc, and HWLOC_XMLFILE a file to be read. Used by topology/hwloc.c alone. */
#ifndef SUP_MACHINE_ENVIRONMENT_H
#define SUP_MACHINE_ENVIRONMENT_H

#include "base/status.h"

/* Sets all of the environment aside in a program with more rights than its caller; in any other does nothing. Not while
 * other threads use the environment. SUP_ENOMEM: it is as it was. */
sup_status sup_environment_set_aside(char ***aside);

/* As it was before; what was added meanwhile is gone. */
void sup_environment_put_back(char **aside);

#endif
