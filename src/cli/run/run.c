/* `superstep run`, also called bsprun: starts a program as P processes, on this machine over shared memory or on
 * several through an MPI, each on its core, and ends with the program's exit status. The stage is "run" of the flow;
 * the plan it hands over was made before. superstep-run(1) is the manual. */
#include "cli/run/run.h"
#include "net/launch/launch.h"
#include "net/launch/monitor.h"
#include "net/launch/monitor_guard.h"
#include "net/shm/shm.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "run"

/* ---- what can be found wrong before anything is started -----------------------------------------------------------*/

static int find_program(sup_run *run) {
    sup_diag diag;
    sup_status status = sup_program_find(run->argv[0], &diag, run->program, sizeof run->program);
    if (status == SUP_OK) return 0;
    sup_cli_fail_diag(VERB, &diag);
    return status == SUP_ENOENT ? SUP_EXIT_NO_PROGRAM : SUP_RUN_NOT_EXECUTABLE;
}

/* A program that is linked with an MPI is started through that one; alone, each process would be a run of its own. */
static int heed_mpi(sup_run *run) {
    int code = run->mpi ? sup_run_preload_check(run) : 0;
    if (code) return code;
    const char *mpi = sup_run_linked_mpi(run->program);
    bool some = !strcmp(run->net, "auto") || !strcmp(run->net, "mpi"), mine = mpi && !strcmp(run->net, mpi);
    if (!mpi || mine || !strcmp(run->net, "self")) return 0;
    const char *title = sup_run_mpi_title(mpi);
    if (!strcmp(run->net, "auto"))
        sup_cli_fail(VERB, 0, "%s is linked with %s and runs through it (--net %s)", run->argv[0], title, mpi);
    if (some) run->net = mpi;
    if (some || !strcmp(run->net, "shm")) return 0; /* of which more is said when the size is known */
    return sup_cli_usage(VERB, "%s is linked with %s, which --net %s cannot start; use --net %s", run->argv[0], title,
                         run->net, mpi);
}

static void warn_of_mpi(const sup_run *run) {
    const char *mpi = run->size > 1 && !strcmp(run->net, "shm") ? sup_run_linked_mpi(run->program) : NULL;
    if (mpi)
        sup_cli_fail(VERB, 0, "%s is linked with %s, which --net shm does not start: to MPI each process is alone",
                     run->argv[0], sup_run_mpi_title(mpi));
}

static int choose_net(sup_run *run) {
    bool several = run->remote || run->hosts.count > 1;
    if (!strcmp(run->net, "auto")) run->net = several ? "mpi" : "shm";
    if (several && (!strcmp(run->net, "shm") || !strcmp(run->net, "self")))
        return sup_cli_usage(VERB, "--net %s stays on this machine, but --hosts names others; use --net mpi", run->net);
    if (!strcmp(run->net, "self") && run->size > 1)
        return sup_cli_usage(VERB, "--net self is one process, not %d", run->size);
    if (!strcmp(run->net, "self")) run->size = 1;
    if (!strcmp(run->net, "shm") && run->size > SUP_SHM_MAX_PROCS)
        return sup_cli_usage(VERB, "-n %d: one machine takes at most %d processes", run->size, SUP_SHM_MAX_PROCS);
    return 0;
}

/* ---- going --------------------------------------------------------------------------------------------------------*/

static int start_here(sup_run *run) {
    sup_diag diag;
    int exit_code;
    bool began = true;
    int *cores = malloc((size_t)run->size * sizeof *cores);
    if (!cores) return sup_cli_no_memory(VERB);
    for (int i = 0; i < run->size; i++) cores[i] = run->placement.at[i].cpu;
    snprintf(run->tell.net, sizeof run->tell.net, "%s", run->net);
    sup_monitor_options options = {.size = run->size,
                                   .cores = cores,
                                   .oversubscribed = run->placement.oversubscribed,
                                   .prefix = run->prefix,
                                   .name = "superstep",
                                   .tell = &run->tell,
                                   .program = run->program,
                                   .apart = sup_run_apart(run->program),
                                   .began = run->tell.check ? &began : NULL};
    sup_status status = sup_monitor_exec(&options, run->argv, &diag, &exit_code);
    free(cores);
    if (status == SUP_OK) sup_run_say_unchecked(exit_code, began);
    if (status == SUP_OK) return exit_code;
    sup_cli_fail_diag(VERB, &diag);
    return sup_run_no_start(status);
}

static int start_mpi(sup_run *run) {
    sup_run_mpi mpi = {0};
    int code = sup_run_mpi_command(run, &mpi);
    if (!code && run->mpi) code = sup_run_preload_find(mpi.net, mpi.preload);
    if (!code && run->dry)
        code = sup_run_show(run, &mpi);
    else if (!code && !(code = sup_run_probe_hosts(run)))
        code = sup_run_mpi_start(run, &mpi);
    sup_run_mpi_free(&mpi);
    return code;
}

static int prepare_and_start(sup_run *run) {
    int code;
    if ((code = find_program(run)) || (code = heed_mpi(run))) return code;
    if ((code = sup_run_read_hosts(run)) || (code = choose_net(run)) || (code = sup_run_place(run))) return code;
    if ((code = choose_net(run))) return code; /* now that the size is known */
    if ((code = sup_run_trace_check(run))) return code;
    warn_of_mpi(run);
    if (strcmp(run->net, "shm") && strcmp(run->net, "self"))
        code = start_mpi(run);
    else
        code = run->dry ? sup_run_show(run, NULL) : start_here(run);
    return run->dry ? code : sup_run_trace_verify(run, code);
}

static int verb_run(int argc, char **argv) {
    static sup_run run; /* large, and zero */
    run.net = "auto";
    sup_launch outer;
    sup_launch_read(&outer);
    sup_launch_leave(&outer, &run.tell);
    sup_run_plan_leave(&run);
    int code = sup_options_parse(&sup_verb_run, &run, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "no program given");
    run.argv = argv;
    if (run.json && !run.dry) return sup_cli_usage(VERB, "--json is for --dry-run");
    if (run.as_rank) {
        run.tell = outer;
        return sup_run_rank(&run);
    }
    sup_run_plan_asked(&run);
    sup_launch_forget(&outer);
    if (!run.dry) sup_guard_part("superstep", false);
    code = prepare_and_start(&run);
    sup_placement_free(&run.placement);
    sup_policy_free(&run.policy);
    sup_hosts_free(&run.hosts);
    /* a shell leaves its loop only if its child ended by the interrupt itself */
    if (code == 128 + SIGINT) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    return code;
}

static const sup_option options[] = {
    {"np", 'n', "-np", "P", SUP_TO(sup_run, size), .low = 1, .high = SUP_RUN_MPI_MAX, .what = "a number of processes",
     .help = "number of processes (default: as many as cores may be used)"},
    {"net", .value = "NET", .kind = SUP_VALUE_WORD, SUP_TO(sup_run, net), .words = sup_launch_nets,
     .help = "{words} (default auto: shm on this machine, mpi if --hosts names others, and the MPI that PROGRAM is "
             "linked with)"},
    SUP_FILE("hosts", sup_run, hosts_file, "hosts of the run: a line each, NAME [slots=N]"),
    SUP_FLAG("mpi", sup_run, mpi, "PROGRAM is an MPI program: give it Superstep's barriers (superstep-pmpi(7))"),
    {"rsh", .value = "COMMAND", .kind = SUP_VALUE_COMMAND, SUP_TO(sup_run, rsh),
     .help = "how another host is reached (default ssh)"},
    {"place", .value = "POLICY", SUP_TO(sup_run, place), .word = sup_policy_word,
     .help = "{words}[:LN], or a list of cpus such as 0,2,4-7; /block or /cyclic over hosts "
             "(default compact, and none if processes exceed cores)"},
    SUP_FILE("plan", sup_run, tell.plan,
             "what was decided about the program (superstep-plan(5)); none: nothing (default: this machine's, if "
             "superstep choose has installed one)"),
    SUP_FILE("trace", sup_run, tell.trace, "write a trace there"),
    SUP_FLAG("check", sup_run, tell.check, "look for programming errors while running"),
    {"engine", .value = "ENGINE", .kind = SUP_VALUE_WORD, SUP_TO(sup_run, tell.engine), .words = sup_launch_engines,
     .help = "of the BSP runtime: {words}"},
    {"deadlock", .value = "SECONDS", SUP_TO(sup_run, tell.deadlock_s), .high = INFINITY, .what = "a number of seconds",
     .help = "report a sync that is stuck for so long"},
    SUP_FLAG("prefix", sup_run, prefix, "label each line of output with the rank that wrote it"),
    SUP_FLAG("dry-run", sup_run, dry, "print what would be started where, and start nothing"),
    SUP_FLAG("json", sup_run, json, "with --dry-run: as JSON"),
    {"as-rank", SUP_TO(sup_run, as_rank), .hidden = true},
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_run = {
    .name = VERB,
    .summary = "run a program as P processes",
    .usage = "superstep run [-n P] [OPTION]... PROGRAM [ARGUMENT]...\n"
             "bsprun [-n P] [OPTION]... PROGRAM [ARGUMENT]...",
    .about = "Starts PROGRAM as P processes and ends with its exit status.",
    .more = "Exit status: that of the program (the first that is not 0); 128 + N if a process was killed by signal N; "
            "126 if PROGRAM cannot be executed, 127 if there is none; 2 wrong usage, 3 a file cannot be read or "
            "written (the trace too), 4 a file is of another machine, 5 the system refused.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "PROGRAM", .kind = SUP_VALUE_COMMAND}, {0}},
    .most = -1,
    .stops = true,
    .run = verb_run,
};
