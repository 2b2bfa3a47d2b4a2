/* Where the program is that launches are made of (`superstep run`). Stage "measure", all terms. */
#ifndef SUP_MEASURE_LAUNCH_TOOL_PATH_H
#define SUP_MEASURE_LAUNCH_TOOL_PATH_H

#include "base/status.h"

#include <stddef.h>

/* The one that is given, or (NULL) this very program. SUP_EIO: it cannot be found, or its path is too long. */
sup_status sup_tool_find(const char *given, char *tool, size_t size, sup_diag *diag);

#endif
