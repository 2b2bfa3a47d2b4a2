/* Do the other hosts answer? The launchers of MPI wait long for one that does not, and say so in a page of text. Each
 * is asked to run `true`, all at the same time, before anything is started. */
#include "cli/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VERB "run"
#define ANSWER_MS 10000
#define AGENT_WORDS 32

typedef struct probe {
    pid_t pid; /* 0: not asked, or answered */
    int fd;    /* its stderr */
    bool failed;
    char said[200]; /* the last line of it */
    size_t used;
} probe;

static long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static _Noreturn void ask(const char *rsh, const char *host, int err) {
    char words[1024];
    const char *argv[AGENT_WORDS + 8];
    int count = 0;
    char *rest = NULL;
    snprintf(words, sizeof words, "%s", rsh ? rsh : "ssh -o BatchMode=yes -o ConnectTimeout=5");
    for (char *w = strtok_r(words, " ", &rest); w && count < AGENT_WORDS; w = strtok_r(NULL, " ", &rest))
        argv[count++] = w;
    argv[count++] = host;
    argv[count++] = "true";
    argv[count] = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* an agent may be a script: its children go with it */
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(argv[0], (char *const *)argv);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static bool start(probe *p, const char *rsh, const char *host) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return false;
    p->pid = fork();
    if (p->pid == 0) ask(rsh, host, ends[1]);
    close(ends[1]);
    p->fd = ends[0];
    if (p->pid > 0) return true;
    close(ends[0]);
    p->pid = 0;
    return false;
}

/* Keeps the newest bytes: the last line is the reason, the ones before it are banners. */
static void listen_to(probe *p) {
    char text[512];
    for (ssize_t n; (n = read(p->fd, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] == '\r' || (text[i] == '\n' && i + 1 == n)) continue;
            if (text[i] == '\n' || p->used + 1 >= sizeof p->said) p->used = 0;
            if (text[i] != '\n') p->said[p->used++] = text[i];
            p->said[p->used] = 0;
        }
    }
}

static bool settle(probe *p) {
    int status;
    listen_to(p);
    if (waitpid(p->pid, &status, WNOHANG) != p->pid) return false;
    listen_to(p);
    kill(-p->pid, SIGKILL);
    p->pid = 0;
    p->failed = status != 0;
    close(p->fd);
    return true;
}

static void give_up(probe *p) {
    if (p->pid <= 0) return;
    kill(-p->pid, SIGKILL);
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) continue;
    close(p->fd);
}

static int wait_for_all(const sup_run *run, probe *probes) {
    long end = now_ms() + ANSWER_MS;
    for (;;) {
        int open = 0;
        for (int i = 0; i < run->hosts.count; i++) {
            probe *p = &probes[i];
            if (p->pid > 0 && !settle(p)) open++;
            if (p->failed)
                return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "host %s does not answer: %s", run->hosts.at[i].name,
                                    p->said[0] ? p->said : "the remote command failed");
        }
        if (!open) return 0;
        if (now_ms() >= end) break;
        poll(NULL, 0, 5);
    }
    for (int i = 0; i < run->hosts.count; i++)
        if (probes[i].pid > 0)
            return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "host %s does not answer within %d s", run->hosts.at[i].name,
                                ANSWER_MS / 1000);
    return 0;
}

int sup_run_probe_hosts(const sup_run *run) {
    /* a batch system starts processes its own way, and often without a way to log in */
    if (!run->remote || (!run->rsh && getenv("SLURM_JOB_ID"))) return 0;
    probe *probes = calloc((size_t)run->hosts.count, sizeof *probes);
    if (!probes) return sup_cli_no_memory(VERB);
    int code = 0;
    for (int i = 0; i < run->hosts.count && !code; i++) {
        if (sup_host_is_here(run->hosts.at[i].name)) continue;
        if (!start(&probes[i], run->rsh, run->hosts.at[i].name))
            code =
                sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "cannot ask host %s: %s", run->hosts.at[i].name, strerror(errno));
    }
    if (!code) code = wait_for_all(run, probes);
    for (int i = 0; i < run->hosts.count; i++) give_up(&probes[i]);
    free(probes);
    return code;
}
