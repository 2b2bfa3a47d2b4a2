/* `superstep run`, also called bsprun: starts a program as P processes, on this machine over shared memory or on
 * several through an MPI, each on its core, and ends with the program's exit status. The stage is "run" of the flow;
 * the plan it hands over was made before. superstep-run(1) is the manual. */
#include "cli/run.h"
#include "net/launch.h"
#include "net/monitor.h"
#include "net/shm.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "run"

static const char help[] = "usage: superstep run [-n P] [OPTION]... PROGRAM [ARGUMENT]...\n"
                           "       bsprun [-n P] [OPTION]... PROGRAM [ARGUMENT]...\n"
                           "\n"
                           "Starts PROGRAM as P processes and ends with its exit status.\n"
                           "\n"
                           "  -n P, -np P         number of processes (default: as many as cores may be used)\n"
                           "  --net NET           auto, self, shm, mpi, openmpi, mpich (default auto: shm on this\n"
                           "                      machine, mpi if --hosts names others, and the MPI that PROGRAM\n"
                           "                      is linked with)\n"
                           "  --hosts FILE        hosts of the run: a line each, NAME [slots=N]\n"
                           "  --rsh COMMAND       how another host is reached (default ssh)\n"
                           "  --place POLICY      none, compact, scatter, per-cache[:LN], or a list of cpus such as\n"
                           "                      0,2,4-7; /block or /cyclic over hosts (default compact, and none if\n"
                           "                      processes exceed cores)\n"
                           "  --plan FILE         what was decided about the program (superstep-plan(5))\n"
                           "  --trace FILE        write a trace there\n"
                           "  --check             look for programming errors while running\n"
                           "  --engine ENGINE     of the BSP runtime: auto, eager, bulk\n"
                           "  --deadlock SECONDS  report a sync that is stuck for so long\n"
                           "  --prefix            label each line of output with the rank that wrote it\n"
                           "  --dry-run [--json]  print what would be started where, and start nothing\n"
                           "\n"
                           "Exit status: that of the program (the first that is not 0); 128 + N if a process was\n"
                           "killed by signal N; 126 if PROGRAM cannot be executed, 127 if there is none; 2 wrong\n"
                           "usage, 3 a file cannot be read or written (the trace too), 4 a file is of another\n"
                           "machine, 5 the system refused.\n";

/* ---- options ------------------------------------------------------------------------------------------------------*/

enum option {
    O_SIZE,
    O_NET,
    O_HOSTS,
    O_RSH,
    O_PLACE,
    O_PLAN,
    O_TRACE,
    O_ENGINE,
    O_DEADLOCK,
    O_WITH_VALUE,
    O_CHECK = O_WITH_VALUE,
    O_PREFIX,
    O_DRY,
    O_JSON,
    O_RANK,
    O_HELP
};

static const struct {
    const char *name;
    enum option option;
} table[] = {{"-n", O_SIZE},         {"-np", O_SIZE},        {"--np", O_SIZE},           {"--net", O_NET},
             {"--hosts", O_HOSTS},   {"--rsh", O_RSH},       {"--place", O_PLACE},       {"--plan", O_PLAN},
             {"--trace", O_TRACE},   {"--engine", O_ENGINE}, {"--deadlock", O_DEADLOCK}, {"--check", O_CHECK},
             {"--prefix", O_PREFIX}, {"--dry-run", O_DRY},   {"--json", O_JSON},         {"--as-rank", O_RANK},
             {"--help", O_HELP},     {"-h", O_HELP}};

static int set_size(sup_run *run, const char *value) {
    long size;
    if (!sup_cli_int(value, 1, SUP_RUN_MPI_MAX, &size))
        return sup_cli_usage(VERB, "-n: \"%.64s\" is not a number of processes (1 to %d)", value, SUP_RUN_MPI_MAX);
    run->size = (int)size;
    return 0;
}

static int set_file(const char *option, const char *value, char *out, size_t size) {
    if (!*value || strlen(value) >= size)
        return sup_cli_usage(VERB, "%s: a file name of 1 to %zu characters is wanted", option, size - 1);
    snprintf(out, size, "%s", value);
    return 0;
}

static int set_engine(sup_run *run, const char *value) {
    if (strcmp(value, "auto") && strcmp(value, "eager") && strcmp(value, "bulk"))
        return sup_cli_usage(VERB, "--engine: \"%.64s\" is none of auto, eager, bulk", value);
    snprintf(run->tell.engine, sizeof run->tell.engine, "%s", value);
    return 0;
}

static int set_deadlock(sup_run *run, const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end || !isfinite(seconds) || seconds < 0)
        return sup_cli_usage(VERB, "--deadlock: \"%.64s\" is not a number of seconds", value);
    run->tell.deadlock_s = seconds;
    return 0;
}

static int set_net(sup_run *run, const char *value) {
    if (!sup_launch_is_net(value))
        return sup_cli_usage(VERB, "--net: \"%.64s\" is none of auto, self, shm, mpi, openmpi, mpich", value);
    run->net = value;
    return 0;
}

static int set_text(const char *option, const char *value, const char **out) {
    if (!*value) return sup_cli_usage(VERB, "%s: the value is empty", option);
    *out = value;
    return 0;
}

static int set_value(sup_run *run, enum option option, const char *value) {
    switch (option) {
    case O_SIZE: return set_size(run, value);
    case O_NET: return set_net(run, value);
    case O_HOSTS: return set_text("--hosts", value, &run->hosts_file);
    case O_RSH: return set_text("--rsh", value, &run->rsh);
    case O_PLACE: return set_text("--place", value, &run->place);
    case O_PLAN: return set_file("--plan", value, run->tell.plan, sizeof run->tell.plan);
    case O_TRACE: return set_file("--trace", value, run->tell.trace, sizeof run->tell.trace);
    case O_ENGINE: return set_engine(run, value);
    case O_DEADLOCK: return set_deadlock(run, value);
    default: return 0;
    }
}

static void set_flag(sup_run *run, enum option option) {
    if (option == O_CHECK) run->tell.check = true;
    if (option == O_PREFIX) run->prefix = true;
    if (option == O_DRY) run->dry = true;
    if (option == O_JSON) run->json = true;
    if (option == O_RANK) run->as_rank = true;
}

/* "--net=shm" and "-n4" carry their value with them. */
static const char *match(const char *arg, enum option *option) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t length = strlen(table[i].name);
        *option = table[i].option;
        if (!strcmp(arg, table[i].name)) return arg + length;
        if (!strncmp(arg, table[i].name, length) && arg[1] == '-' && arg[length] == '=') return arg + length + 1;
    }
    *option = O_SIZE;
    if (!strncmp(arg, "-n", 2) && arg[2] >= '0' && arg[2] <= '9') return arg + 2;
    return NULL;
}

/* Exit code to leave with, or -1 to go on. Options end at the first word that is none. */
static int parse(sup_run *run, int argc, char **argv) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        enum option option;
        const char *value = match(argv[i], &option);
        if (!value) return sup_cli_usage(VERB, "unknown option \"%.64s\"", argv[i]);
        if (option == O_HELP) return sup_cli_help(&sup_verb_run);
        if (option >= O_WITH_VALUE) {
            if (*value || argv[i][strlen(argv[i]) - 1] == '=')
                return sup_cli_usage(VERB, "%.64s: this option takes no value", argv[i]);
            set_flag(run, option);
            continue;
        }
        bool apart = !*value && argv[i][strlen(argv[i]) - 1] != '=';
        if (apart && ++i == argc) return sup_cli_usage(VERB, "%.64s wants a value", argv[i - 1]);
        int code = set_value(run, option, apart ? argv[i] : value);
        if (code) return code;
    }
    if (i == argc) return sup_cli_usage(VERB, "no program given");
    run->argv = argv + i;
    return -1;
}

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
    if (!cores) return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "out of memory");
    for (int i = 0; i < run->size; i++) cores[i] = run->placement.at[i].cpu;
    snprintf(run->tell.net, sizeof run->tell.net, "%s", run->net);
    sup_monitor_options options = {.size = run->size,
                                   .cores = cores,
                                   .oversubscribed = run->placement.oversubscribed,
                                   .prefix = run->prefix,
                                   .name = "superstep",
                                   .tell = &run->tell,
                                   .began = run->tell.check ? &began : NULL};
    sup_status status = sup_monitor_exec(&options, run->argv, &diag, &exit_code);
    free(cores);
    if (status == SUP_OK) sup_run_say_unchecked(exit_code, began);
    if (status == SUP_OK) return exit_code;
    sup_cli_fail_diag(VERB, &diag);
    return status == SUP_ENOENT ? SUP_EXIT_NO_PROGRAM : status == SUP_EPERM ? SUP_RUN_NOT_EXECUTABLE : SUP_EXIT_SYSTEM;
}

static int start_mpi(sup_run *run) {
    sup_run_mpi mpi = {0};
    int code = sup_run_mpi_command(run, &mpi);
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
    int code = parse(&run, argc, argv);
    if (code >= 0) return code;
    if (run.json && !run.dry) return sup_cli_usage(VERB, "--json is for --dry-run");
    if (run.as_rank) {
        run.tell = outer;
        return sup_run_rank(&run);
    }
    sup_launch_forget(&outer);
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

const sup_verb sup_verb_run = {.name = "run", .summary = "run a program as P processes", .help = help, .run = verb_run};
