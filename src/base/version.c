/* The library's own version, so that a program can compare it with the headers it was compiled with. */
#include <superstep/version.h>

int sup_version(void) { return SUP_VERSION; }

const char *sup_version_string(void) { return SUP_VERSION_STRING; }
