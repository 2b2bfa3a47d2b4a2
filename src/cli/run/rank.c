/* Around one rank of a run that an MPI started: pins it, carries its output, and says which rank died of what, on which
 * host, which the launchers of MPI say in words of their own or not at all. */
#include "cli/run/run.h"
#include "net/launch/monitor.h"
#include "net/launch/monitor_guard.h"
#include "net/launch/order.h"
#include "net/launch/rank_direct.h"
#include "net/launch/rank_report.h"
#include "net/mpi/loopback.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VERB "run"

int sup_run_no_start(sup_status status) {
    return status == SUP_ENOENT ? SUP_EXIT_NO_PROGRAM : status == SUP_EPERM ? SUP_RUN_NOT_EXECUTABLE : SUP_EXIT_SYSTEM;
}

int sup_run_rank(sup_run *run) {
    char host[256] = "", report[SUP_RANK_REPORT_BEGIN];
    sup_diag diag;
    int cpu, exit_code;
    bool began = true;
    if (run->tell.bad) return sup_cli_fail(VERB, SUP_EXIT_USAGE, "%s: the value makes no sense", run->tell.bad);
    if (strcmp(run->tell.net, "openmpi") && strcmp(run->tell.net, "mpich"))
        return sup_cli_fail(VERB, SUP_EXIT_USAGE, "--as-rank is for what mpirun starts");
    int daemon = (int)syscall(SYS_pidfd_open, getppid(), 0);
    sup_rank_report_close_memory(); /* the guard's, too: it has the way to the launcher open */
    int direct = sup_direct_connect();
    if (direct < 0) sup_guard_part("superstep", !strcmp(run->tell.net, "mpich"));
    sup_status status = sup_rank_report_begin(run->tell.rank, &diag, report);
    if (!status && direct < 0) sup_rank_report_say_hello(report);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    sup_loopback_forget(); /* a launcher that never listened has handed it on */
    if (gethostname(host, sizeof host - 1)) snprintf(host, sizeof host, "unknown");
    sup_order order;
    if (sup_order_take(&diag, &order)) return sup_cli_fail_diag(VERB, &diag);
    int code = run->mpi ? sup_run_preload(run->tell.net) : 0;
    if (!code) code = sup_run_place_rank(run, &cpu);
    if (code) goto free_order;
    sup_monitor_options options = {.size = 1,
                                   .cores = &cpu,
                                   .name = "superstep",
                                   .tell = &run->tell,
                                   .program = order.program,
                                   .report = report,
                                   .daemon = daemon,
                                   .direct = direct,
                                   .host = host};
    if (run->tell.check && run->tell.rank == 0) options.began = &began;
    if (run->tell.rank == 0) options.apart = sup_run_apart(order.program);
    status = sup_monitor_exec(&options, order.argv, &diag, &exit_code);
    sup_placement_free(&run->placement);
    sup_policy_free(&run->policy);
    if (status)
        sup_cli_fail_diag(VERB, &diag);
    else
        sup_run_say_unchecked(exit_code, began);
    code = status ? sup_run_no_start(status) : exit_code;
free_order:
    sup_order_free(&order);
    return code;
}
