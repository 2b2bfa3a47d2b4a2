/* Where the program is that launches are made of (tool_path.h). Stage "measure". */
#include "measure/launch/tool_path.h"

#include <stdio.h>
#include <unistd.h>

sup_status sup_tool_find(const char *given, char *tool, size_t size, sup_diag *diag) {
    ssize_t length = given ? snprintf(tool, size, "%s", given) : readlink("/proc/self/exe", tool, size - 1);
    if (length <= 0 || (size_t)length >= size) return sup_diag_set(diag, SUP_EIO, NULL, 0, "cannot find this program");
    tool[length] = 0;
    return SUP_OK;
}
