/* The environment of a program that runs with the preloaded library: read once, when the library is loaded, before the
 * program can change it. Values that make no sense are as good as absent: the program is not ours to stop. */
#include "pmpi/pmpi.h"

#include <stdlib.h>
#include <string.h>

sup_pmpi_settings sup_pmpi_set;

static bool flag(const char *name) {
    const char *text = secure_getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

static int when(const char *text) {
    if (text && !strcmp(text, "always")) return SUP_PMPI_ALWAYS;
    if (text && !strcmp(text, "never")) return SUP_PMPI_NEVER;
    return SUP_PMPI_AUTO;
}

__attribute__((constructor)) static void read_environment(void) {
    const char *plan = secure_getenv("SUPERSTEP_PLAN");
    sup_pmpi_set.when = when(secure_getenv("SUPERSTEP_MPI_WHEN"));
    sup_pmpi_set.report = flag("SUPERSTEP_MPI_REPORT");
    sup_pmpi_set.verbose = flag("SUPERSTEP_MPI_VERBOSE");
    if (plan && strlen(plan) < sizeof sup_pmpi_set.plan) strcpy(sup_pmpi_set.plan, plan);
}
