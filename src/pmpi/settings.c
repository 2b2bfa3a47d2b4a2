/* The environment of a program that runs with the preloaded library: read once, when the library is loaded, before the
 * program can change it. Values that make no sense are as good as absent: the program is not ours to stop. */
#include "base/clock.h"
#include "coll/room/room.h"
#include "pmpi/pmpi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

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

/* Names of operations, as "barrier,broadcast", or MPI's own; nothing: all. A name that there is not stands for none. */
static unsigned ops(const char *text) {
    unsigned set = 0;
    if (!text || !*text) return ~0u;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ", ");
        for (int i = 0; i < SUP_PMPI_OPS; i++) {
            const char *mpi = sup_pmpi_ops[i].name, *word = sup_operation_names[sup_pmpi_ops[i].operation];
            bool ours = strlen(word) == length && !strncasecmp(word, at, length);
            bool short_one = strlen(mpi + 4) == length && !strncasecmp(mpi + 4, at, length);
            if (ours || short_one || (strlen(mpi) == length && !strncasecmp(mpi, at, length))) set |= 1u << i;
        }
        at += length;
        at += strspn(at, ", ");
    }
    return set;
}

/* Has this process one thread? Libraries that were begun before may have started some. */
static bool is_alone(void) {
    struct stat threads;
    return !stat("/proc/self/task", &threads) && threads.st_nlink <= 3;
}

__attribute__((constructor)) static void read_environment(void) {
    const char *plan = secure_getenv("SUPERSTEP_PLAN");
    sup_pmpi_set.loaded_ns = sup_clock_ns();
    sup_pmpi_set.when = when(secure_getenv("SUPERSTEP_MPI_WHEN"));
    sup_pmpi_set.report = flag("SUPERSTEP_MPI_REPORT");
    sup_pmpi_set.verbose = flag("SUPERSTEP_MPI_VERBOSE");
    sup_pmpi_set.everywhere = flag("SUPERSTEP_MPI_EVERYWHERE");
    sup_pmpi_set.no_kernel_copy = flag("SUPERSTEP_NO_KERNEL_COPY");
    sup_pmpi_set.ops = ops(secure_getenv("SUPERSTEP_MPI_OPS"));
    sup_pmpi_set.ready = sup_pmpi_set.when != SUP_PMPI_NEVER && is_alone() && sup_room_fences();
    if (plan && strlen(plan) < sizeof sup_pmpi_set.plan) strcpy(sup_pmpi_set.plan, plan);
}
