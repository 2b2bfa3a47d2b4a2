/* `superstep run --mpi`: an MPI program that knows nothing of Superstep, with libsuperstep-pmpi loaded before its MPI's
 * library. Only the ranks get it, not the launcher: the process around each rank finds it on its own host. */
#include "cli/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "run"

int sup_run_preload_find(const char *net, char path[4096]) {
    char file[64];
    sup_diag diag;
    snprintf(file, sizeof file, "libsuperstep-pmpi-%s.so", net);
    sup_status status = sup_net_plugin_locate(file, "src/pmpi", &diag, path, 4096);
    if (status == SUP_OK && strpbrk(path, ": \t"))
        return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "--mpi: LD_PRELOAD takes no path with a space or a colon: %s", path);
    if (status == SUP_OK) return 0;
    if (status == SUP_ENOENT)
        return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "--mpi: the library for %s is not installed: %s",
                            sup_run_mpi_title(net), diag.text);
    sup_cli_fail_diag(VERB, &diag);
    return SUP_EXIT_SYSTEM;
}

/* Which MPI it is linked with; said by --net where the file does not say (a script, an interpreter). */
int sup_run_preload_check(sup_run *run) {
    bool named = !strcmp(run->net, "openmpi") || !strcmp(run->net, "mpich");
    const char *mpi = sup_run_linked_mpi(run->program);
    if (!strcmp(run->net, "shm") || !strcmp(run->net, "self"))
        return sup_cli_usage(VERB, "--mpi is for programs of an MPI, which --net %s does not start", run->net);
    if (mpi || named) {
        if (!named) run->net = mpi;
        return 0;
    }
    const char *reason = sup_run_not_preloadable(run->program);
    return sup_cli_usage(VERB,
                         "--mpi: %s %s; where it starts a program of an MPI, say which with --net openmpi or mpich",
                         run->argv[0], reason ? reason : "is linked with no MPI");
}

int sup_run_preload(const char *net) {
    char path[4096], both[8192];
    const char *theirs = getenv("LD_PRELOAD");
    int code = sup_run_preload_find(net, path);
    if (code) return code;
    int length = snprintf(both, sizeof both, "%s%s%s", path, theirs && *theirs ? ":" : "", theirs ? theirs : "");
    if (length < 0 || (size_t)length >= sizeof both || setenv("LD_PRELOAD", both, 1))
        return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "--mpi: LD_PRELOAD is too long");
    /* what processes of different hosts cannot find out by themselves */
    if (setenv("SUPERSTEP_MPI_EVERYWHERE", "1", 1)) return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "--mpi: no memory");
    return 0;
}
