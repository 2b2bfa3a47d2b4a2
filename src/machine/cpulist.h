/* Lists of cpu numbers as people and the kernel write them: "0,2,4-7,16-31:2". */
#ifndef SUP_MACHINE_CPULIST_H
#define SUP_MACHINE_CPULIST_H

#include "base/status.h"

#include <stddef.h>

/* Order and repetitions are kept. *cpus is to be freed. SUP_EPARSE: the diag quotes the part that is wrong. */
sup_status sup_cpulist_parse(const char *text, sup_diag *diag, int **cpus, int *count);
/* Ranges where numbers follow each other; "…" where buf is too short (then still terminated). Returns buf. */
char *sup_cpulist_format(const int *cpus, int count, char *buf, size_t size);

#endif
