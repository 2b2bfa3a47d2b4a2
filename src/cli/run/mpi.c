/* Starting a run through the launcher of an MPI: which one is there, and the same wish in its words.
 *
 *     wish                        Open MPI                              MPICH (hydra)
 *     P processes                 -np P                                 -n P
 *     these hosts, so many each   --host a:2,b:2                        -hosts a:2,b:2
 *     one process a host in turn  --map-by node                         -ppn 1
 *     we pin, not you             --bind-to none                        -bind-to none
 *     more for MPI_Comm_spawn     --oversubscribe                       (it does)
 *     end the others at once      --mca odls_base_sigkill_timeout 0     (it does)
 *     take turns politely         --mca mpi_yield_when_idle 1           (the plug-in sees to it)
 *     our variables               -x NAME                               -genvlist (all is the default)
 *     reach hosts with COMMAND    --mca plm rsh                         -launcher ssh -launcher-exec COMMAND
 *                                 --mca plm_rsh_agent COMMAND
 *     this machine, whatever a    --mca ras ^slurm,…                    -launcher fork
 *     batch system has given us
 *     as root                     --allow-run-as-root                   (allowed)
 *     listen to this host alone   (run/local.c)                         (run/local.c)
 *
 * Each rank is `superstep run --as-rank`, which pins the program and watches it. Nothing that a user wrote is a word of
 * its own on this command line, except what was found to be well-formed (a placement) or is a path. */
#include "base/list.h"
#include "cli/run/run.h"
#include "net/launch/launch.h"
#include "net/launch/monitor.h"
#include "net/launch/order.h"
#include "net/launch/rank_report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERB "run"
#define LOOKS 200 /* bytes */

/* ---- which MPI ----------------------------------------------------------------------------------------------------*/

typedef struct flavour {
    const char *net, *title, *package;
    const char *sign;        /* what `--version` says */
    const char *const *sure; /* programs that can be nothing else */
} flavour;

static const char *const openmpi_names[] = {"mpirun.openmpi", "mpiexec.openmpi", "orterun", "prterun", NULL};
static const char *const mpich_names[] = {"mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich", NULL};
static const char *const common_names[] = {"mpirun", "mpiexec", NULL};
static const flavour flavours[] = {
    {"openmpi", "Open MPI", "openmpi-bin", "Open", openmpi_names},
    {"mpich", "MPICH", "mpich", "HYDRA", mpich_names},
};

/* The first words of `program --version`, "" if it says nothing within two seconds. */
static void ask_version(char *program, char *text, size_t size) {
    int ends[2];
    size_t used = 0;
    text[0] = 0;
    if (pipe2(ends, O_CLOEXEC)) return;
    pid_t pid = fork();
    if (pid == 0) {
        char *const argv[] = {program, (char *)"--version", NULL};
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execv(program, argv);
        _exit(127);
    }
    close(ends[1]);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    while (pid > 0 && used + 1 < size && poll(&wait, 1, 2000) > 0) {
        ssize_t n = read(ends[0], text + used, size - 1 - used);
        if (n <= 0) break;
        used += (size_t)n;
    }
    text[used] = 0;
    close(ends[0]);
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

static bool find_launcher(const flavour *f, char *path, size_t size) {
    for (const char *const *name = f->sure; *name; name++)
        if (sup_program_find(*name, NULL, path, size) == SUP_OK) return true;
    for (const char *const *name = common_names; *name; name++) {
        char version[512];
        if (sup_program_find(*name, NULL, path, size)) continue;
        ask_version(path, version, sizeof version);
        if (strstr(version, f->sign)) return true;
    }
    return false;
}

static int find_mpi(const sup_run *run, sup_run_mpi *out) {
    bool any = !strcmp(run->net, "mpi");
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++) {
        const flavour *f = &flavours[i];
        if (!any && strcmp(run->net, f->net)) continue;
        out->net = f->net;
        if (find_launcher(f, out->launcher, sizeof out->launcher)) return 0;
        if (!any)
            return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "%s is not installed (no %s in PATH); install the package %s",
                                f->title, f->sure[0], f->package);
    }
    return sup_cli_fail(VERB, SUP_EXIT_SYSTEM,
                        "no MPI is installed (neither mpirun nor mpiexec in PATH); install the package %s or %s",
                        flavours[0].package, flavours[1].package);
}

const char *sup_run_mpi_name(const sup_run *run) {
    char path[sizeof((sup_run_mpi *)0)->launcher];
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++)
        if ((!strcmp(run->net, "mpi") || !strcmp(run->net, flavours[i].net)) &&
            find_launcher(&flavours[i], path, sizeof path))
            return flavours[i].net;
    return NULL;
}

/* ---- its command line ---------------------------------------------------------------------------------------------*/

/* Words are copied, so that all can be freed alike. There is room for the NULL behind them. */
static void add(sup_run_mpi *m, const char *word) {
    if (m->failed) return;
    char *copy = sup_list_room(&m->argv, m->count + 1, sizeof *m->argv) ? strdup(word) : NULL;
    m->failed = !copy;
    if (!copy) return;
    m->argv[m->count++] = copy;
    m->argv[m->count] = NULL;
}

static void add2(sup_run_mpi *m, const char *word, const char *value) {
    add(m, word);
    add(m, value);
}

static void add_int(sup_run_mpi *m, const char *word, int value) {
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    add2(m, word, text);
}

/* "a:2,b:2": what the placement gives each host, which is what the launcher may put there. */
static char *host_list(const sup_run *run) {
    size_t room = 1;
    int count = run->hosts.count;
    for (int i = 0; i < count; i++) room += strlen(run->hosts.at[i].name) + 16;
    char *text = malloc(room);
    int *share = calloc((size_t)count, sizeof *share);
    if (!text || !share) {
        free(text);
        free(share);
        return NULL;
    }
    for (int i = 0; i < run->placement.count; i++) share[run->placement.at[i].host]++;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count; i++)
        if (share[i])
            used +=
                (size_t)snprintf(text + used, room - used, "%s%s:%d", used ? "," : "", run->hosts.at[i].name, share[i]);
    free(share);
    return text;
}

static void add_openmpi(const sup_run *run, sup_run_mpi *m, const char *hosts, int parts) {
    char local[32], name[SUP_ORDER_NAME];
    snprintf(local, sizeof local, "localhost:%d", run->size);
    if (geteuid() == 0) add(m, "--allow-run-as-root");
    add_int(m, "-np", run->size);
    add2(m, "--host", hosts ? hosts : local);
    if (!run->remote) {
        add(m, "--mca");
        add2(m, "ras", "^slurm,tm,lsf,gridengine,loadleveler,alps");
    }
    if (run->policy.cyclic) add2(m, "--map-by", "node");
    add(m, "--oversubscribe"); /* for what the program starts itself (MPI_Comm_spawn) */
    add2(m, "--bind-to", "none");
    /* or it waits a second between SIGTERM and SIGKILL, on each host in turn, and two seconds are all there is */
    add(m, "--mca");
    add2(m, "odls_base_sigkill_timeout", "0");
    if (run->placement.oversubscribed) {
        add(m, "--mca");
        add2(m, "mpi_yield_when_idle", "1");
    }
    if (run->rsh) { /* another way to start, chosen in the environment, would not ask for it and stay on this host */
        add(m, "--mca");
        add2(m, "plm", "rsh");
        add(m, "--mca");
        add2(m, "plm_rsh_agent", run->rsh);
    }
    const char *names[SUP_LAUNCH_FORWARDED + 1];
    sup_launch_forwarded(&run->tell, names);
    for (int i = 0; names[i]; i++) add2(m, "-x", names[i]);
    for (int i = 0; i < parts; i++) {
        sup_order_name(i, name);
        add2(m, "-x", name);
    }
    if (run->remote && getenv("LD_LIBRARY_PATH")) add2(m, "-x", "LD_LIBRARY_PATH");
    if (run->remote && getenv("SUPERSTEP_PLUGIN_PATH")) add2(m, "-x", "SUPERSTEP_PLUGIN_PATH");
    static const char *const settings[] = {"SUPERSTEP_MPI_REPORT", "SUPERSTEP_MPI_VERBOSE", "SUPERSTEP_MPI_WHEN",
                                           "SUPERSTEP_MPI_OPS"};
    for (size_t i = 0; run->mpi && i < sizeof settings / sizeof settings[0]; i++)
        if (getenv(settings[i])) add2(m, "-x", settings[i]);
}

static void add_mpich(const sup_run *run, sup_run_mpi *m, const char *hosts) {
    if (hosts || !run->remote) add2(m, "-hosts", hosts ? hosts : "localhost");
    if (!run->remote) add2(m, "-launcher", "fork");
    if (run->remote && run->rsh) {
        add2(m, "-launcher", "ssh");
        add2(m, "-launcher-exec", run->rsh);
    }
    if (run->policy.cyclic) add2(m, "-ppn", "1");
    add2(m, "-bind-to", "none");
    add_int(m, "-n", run->size);
}

/* What either launcher would take for something else, or for nothing, and say so in its own way after a while. */
static int check_rsh(const sup_run *run, const sup_run_mpi *m) {
    char words[1024], path[4096];
    sup_diag diag;
    bool openmpi = !strcmp(m->net, "openmpi");
    if (!run->rsh) return 0;
    if (strlen(run->rsh) >= sizeof words) return sup_cli_usage(VERB, "--rsh: the command is too long");
    snprintf(words, sizeof words, "%s", run->rsh);
    if (strpbrk(words, openmpi ? ":" : " \t"))
        return sup_cli_usage(VERB, "--rsh: %s; put the command into a script",
                             openmpi ? "Open MPI takes \":\" for the end of a command" : "MPICH takes a single word");
    words[strcspn(words, " \t")] = 0;
    if (!sup_program_find(words, &diag, path, sizeof path)) return 0;
    return sup_cli_usage(VERB, "--rsh: \"%.64s\": %s", words, diag.text);
}

/* Program and arguments go through the environment (net/launch/order.h says why). */
static int put_order(sup_run *run, int *parts) {
    sup_order order = {.program = run->program, .argv = run->argv};
    sup_diag diag;
    sup_status status = sup_order_put(&order, &diag, parts);
    return status ? sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "%s", diag.text) : 0;
}

/* On the command line they are for people who look at it, with ps(1) say: as much as they may want to see. */
static void add_looks(const sup_run *run, sup_run_mpi *m) {
    char *looks = sup_order_encode(run->argv);
    if (looks && strlen(looks) > LOOKS) memcpy(looks + LOOKS - 3, "...", 4);
    add(m, looks ? looks : "...");
    free(looks);
}

int sup_run_mpi_command(sup_run *run, sup_run_mpi *out) {
    char self[4096];
    int parts;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "cannot find where superstep is: %s", strerror(errno));
    self[length] = 0;
    int code = find_mpi(run, out);
    if (!code) code = check_rsh(run, out);
    if (!code) code = put_order(run, &parts);
    if (code) return code;
    char *hosts = run->hosts.count ? host_list(run) : NULL;
    add(out, out->launcher);
    if (!strcmp(out->net, "openmpi"))
        add_openmpi(run, out, hosts, parts);
    else
        add_mpich(run, out, hosts);
    free(hosts);
    add2(out, self, "run");
    add(out, "--as-rank");
    if (run->mpi) add(out, "--mpi");
    if (run->place) add2(out, "--place", run->place);
    add(out, "--");
    add_looks(run, out);
    return out->failed ? sup_cli_no_memory(VERB) : 0;
}

void sup_run_mpi_free(sup_run_mpi *mpi) {
    for (size_t i = 0; i < mpi->count; i++) free(mpi->argv[i]);
    free(mpi->argv);
    *mpi = (sup_run_mpi){0};
}

int sup_run_mpi_start(sup_run *run, const sup_run_mpi *mpi) {
    sup_diag diag;
    int exit_code;
    snprintf(run->tell.net, sizeof run->tell.net, "%s", mpi->net);
    run->tell.rank = run->tell.size = run->tell.local_rank = run->tell.local_size = -1;
    sup_monitor_options options = {.size = 1,
                                   .name = "superstep",
                                   .tell = &run->tell,
                                   .prefix = run->prefix,
                                   .ranks = run->size,
                                   .here = !run->remote,
                                   .ends_count = !run->mpi};
    sup_run_local(run, mpi->net);
    sup_rank_report_close_memory(); /* it will hold the secrets of the ranks */
    if (sup_monitor_exec(&options, mpi->argv, &diag, &exit_code) == SUP_OK) return exit_code;
    sup_cli_fail_diag(VERB, &diag);
    return SUP_EXIT_SYSTEM;
}
