/* What a launcher tells a process: the one place that reads (and, for the launcher, writes) the environment.
 *
 *     SUPERSTEP_NET             transport: auto, self, shm, mpi, openmpi, mpich
 *     SUPERSTEP_RANK, _SIZE     this process among all
 *     SUPERSTEP_LOCAL_RANK, _LOCAL_SIZE  this process among those of its host
 *     SUPERSTEP_SEGMENT_FD      shm: the inherited shared segment
 *     SUPERSTEP_NOTICE_FD       an inherited pipe that is told when the transport is open
 *     SUPERSTEP_OVERSUBSCRIBED  1: more processes than cores
 *     SUPERSTEP_PLAN, _TRACE    files; SUPERSTEP_CHECK 1; SUPERSTEP_ENGINE auto, eager, bulk; SUPERSTEP_DEADLOCK_S;
 *     SUPERSTEP_NO_KERNEL_COPY 1: processes do not copy from and to each other's memory through the kernel
 *     SUPERSTEP_DIRECT          the way to the launcher, for the process around a rank (rank_direct.c takes it)
 *     SUPERSTEP_TAKEN           who has taken an MPI launcher's variables for himself: pid, and which launch
 *
 * A program with more rights than its caller listens to none of them. That they are there it does notice: then it was
 * started as part of a run which it does not follow, and must not go on as if it were alone.
 *
 * A value that is not what it should be counts as absent, and `bad` names the variable. Without our own variables those
 * of the MPI launchers decide, so that `mpirun ./prog` works: Open MPI's mpirun sets OMPI_COMM_WORLD_*, hydra (MPICH)
 * sets PMI_* and MPI_LOCAL*, srun sets SLURM_* and, by its --mpi option, PMIX_* (Open MPI) or PMI_* (MPICH).
 *
 * A process that is a rank takes what it reads: programs that it starts are no part of its run. Our own variables go,
 * but for those that only inform (RANK, SIZE). MPI's must stay, for MPI itself has yet to read them; that they are
 * spoken for stands in SUPERSTEP_TAKEN. */
#include "net/launch/launch.h"
#include "machine/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const sup_launch_nets[] = {"auto", "self", "shm", "mpi", "openmpi", "mpich", NULL};
const char *const sup_launch_engines[] = {"auto", "eager", "bulk", NULL};

/* A variable and the member of sup_launch that it is. */
typedef struct variable {
    const char *name;
    size_t at, size;
    enum { WORD, PATH, NUMBER, FLAG, SECONDS } form;
    const char *const *allowed; /* words */
    int low;                    /* a number below it: absent */
    bool users;                 /* a setting of the user's: it holds for other hosts and for runs inside of this one */
    bool stays;                 /* only informs: programs that a rank starts find it too */
} variable;

#define MEMBER(name) offsetof(sup_launch, name), sizeof(((sup_launch *)0)->name)
static const variable variables[] = {
    {"SUPERSTEP_NET", MEMBER(net), WORD, .allowed = sup_launch_nets},
    {"SUPERSTEP_RANK", MEMBER(rank), NUMBER, .stays = true},
    {"SUPERSTEP_SIZE", MEMBER(size), NUMBER, .low = 1, .stays = true},
    {"SUPERSTEP_LOCAL_RANK", MEMBER(local_rank), NUMBER, .stays = true},
    {"SUPERSTEP_LOCAL_SIZE", MEMBER(local_size), NUMBER, .low = 1, .stays = true},
    {"SUPERSTEP_SEGMENT_FD", MEMBER(segment_fd), NUMBER},
    {"SUPERSTEP_NOTICE_FD", MEMBER(notice_fd), NUMBER, .low = 3},
    {"SUPERSTEP_OVERSUBSCRIBED", MEMBER(oversubscribed), FLAG},
    {"SUPERSTEP_PLAN", MEMBER(plan), PATH, .users = true},
    {"SUPERSTEP_TRACE", MEMBER(trace), PATH, .users = true},
    {"SUPERSTEP_CHECK", MEMBER(check), FLAG, .users = true},
    {"SUPERSTEP_ENGINE", MEMBER(engine), WORD, .allowed = sup_launch_engines, .users = true},
    {"SUPERSTEP_DEADLOCK_S", MEMBER(deadlock_s), SECONDS, .users = true},
    {"SUPERSTEP_NO_KERNEL_COPY", MEMBER(no_kernel_copy), FLAG, .users = true, .stays = true},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

const char sup_launch_refusal[] =
    "this program has more rights than its caller (setuid, setgid or file capabilities), so it does not follow what a "
    "launcher says; run it without `superstep run`, or without those rights";

static bool one_of(const char *const *list, const char *word) {
    for (; *list; list++)
        if (!strcmp(*list, word)) return true;
    return false;
}

void sup_launch_init(sup_launch *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->net, sizeof out->net, "auto");
    out->size = out->local_size = 1;
    out->segment_fd = out->notice_fd = -1;
}

/* ---- typed variables ----------------------------------------------------------------------------------------------*/

static void note_bad(sup_launch *l, const char *name) {
    if (!l->bad) l->bad = name;
}

/* Present and well-formed. An empty value is an absent one: `VAR= prog` is how a shell unsets for one command. */
static bool get_int(sup_launch *l, const char *name, long low, long high, int *out) {
    const char *text = secure_getenv(name);
    if (!text || !*text) return false;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || end == text || value < low || value > high) {
        note_bad(l, name);
        return false;
    }
    *out = (int)value;
    return true;
}

static void get_flag(sup_launch *l, const char *name, bool *out) {
    int value = 0;
    if (get_int(l, name, 0, 1, &value) && value) *out = true;
}

static bool get_word(sup_launch *l, const char *name, const char *const *allowed, char *out, size_t size) {
    const char *text = secure_getenv(name);
    if (!text || !*text) return false;
    if (!one_of(allowed, text)) {
        note_bad(l, name);
        return false;
    }
    snprintf(out, size, "%s", text);
    return true;
}

static void get_path(sup_launch *l, const char *name, char *out, size_t size) {
    const char *text = secure_getenv(name);
    if (!text) return;
    size_t length = strlen(text);
    if (length >= size)
        note_bad(l, name);
    else
        memcpy(out, text, length + 1);
}

static void get_seconds(sup_launch *l, const char *name, double *out) {
    const char *text = secure_getenv(name);
    if (!text || !*text) return;
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || !isfinite(value) || value < 0)
        note_bad(l, name);
    else
        *out = value;
}

static void get(sup_launch *l, const variable *v) {
    void *member = (char *)l + v->at;
    switch (v->form) {
    case WORD: get_word(l, v->name, v->allowed, member, v->size); break;
    case PATH: get_path(l, v->name, member, v->size); break;
    case NUMBER: get_int(l, v->name, v->low, INT_MAX, member); break;
    case FLAG: get_flag(l, v->name, member); break;
    case SECONDS: get_seconds(l, v->name, member); break;
    }
}

/* ---- rank and size ------------------------------------------------------------------------------------------------*/

/* The names one launcher uses. A variable of a foreign launcher that makes no sense is as good as absent and is not our
 * business to complain about. */
typedef struct names {
    const char *rank, *size, *local_rank, *local_size;
} names;

static const names own = {"SUPERSTEP_RANK", "SUPERSTEP_SIZE", "SUPERSTEP_LOCAL_RANK", "SUPERSTEP_LOCAL_SIZE"};
static const names openmpi = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                              "OMPI_COMM_WORLD_LOCAL_SIZE"};
static const names hydra = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
static const names slurm = {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", NULL};

/* Both or neither: half an answer is none. */
static bool get_pair(sup_launch *l, const char *rank_name, const char *size_name, int *rank, int *size) {
    int r, s;
    if (!size_name || !get_int(l, size_name, 1, INT_MAX, &s) || !get_int(l, rank_name, 0, INT_MAX, &r)) return false;
    if (r >= s) {
        note_bad(l, rank_name);
        return false;
    }
    *rank = r;
    *size = s;
    return true;
}

static bool get_ranks(sup_launch *l, const names *n) {
    if (!get_pair(l, n->rank, n->size, &l->rank, &l->size)) return false;
    if (!get_pair(l, n->local_rank, n->local_size, &l->local_rank, &l->local_size)) {
        l->local_rank = l->local_size = -1;
        get_int(l, n->local_rank, 0, INT_MAX, &l->local_rank);
    }
    return true;
}

/* The connection to hydra: a leftover if it is open no more, or is something else by now. */
static bool pmi_socket(struct stat *s) {
    int fd;
    sup_launch quiet = {0};
    return get_int(&quiet, "PMI_FD", 0, INT_MAX, &fd) && !fstat(fd, s) && S_ISSOCK(s->st_mode);
}

static bool hydra_answers(void) {
    struct stat s;
    return secure_getenv("PMI_FD") ? pmi_socket(&s) : secure_getenv("PMI_PORT") != NULL;
}

/* Which launch by an MPI the variables are of: a launch inside of it has others. */
static void launch_name(char out[SUP_HASH_TEXT]) {
    static const char *const telling[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                                          "PMI_PORT",       "PMI_ID",
                                          "PMI_JOBID",      "SLURM_JOB_ID",
                                          "SLURM_STEP_ID",  NULL};
    struct stat s = {0};
    sup_hash hash = sup_hash_start();
    for (const char *const *name = telling; *name; name++) {
        const char *text = secure_getenv(*name);
        hash = sup_hash_string(hash, text ? text : "");
    }
    if (pmi_socket(&s)) hash = sup_hash_number(hash, s.st_ino);
    sup_hash_format(hash, out);
}

/* Has a process around us taken them? */
static bool is_taken(void) {
    const char *text = secure_getenv("SUPERSTEP_TAKEN");
    char name[SUP_HASH_TEXT], *end;
    if (!text) return false;
    launch_name(name);
    long pid = strtol(text, &end, 10);
    return *end == ' ' && !strcmp(end + 1, name) && pid != getpid();
}

/* Which MPI started this process, or NULL. Slurm's variables alone do not count: a batch script has them too. */
static const char *foreign(sup_launch *l) {
    const char *quiet = l->bad;
    const char *net = NULL;
    if (is_taken()) return NULL;
    if (get_ranks(l, &openmpi))
        net = "openmpi";
    else if (secure_getenv("PMI_RANK") && hydra_answers() && get_ranks(l, &hydra))
        net = "mpich";
    else if (secure_getenv("PMIX_RANK") && secure_getenv("PMIX_NAMESPACE"))
        net = "openmpi", get_ranks(l, &slurm);
    else if (secure_getenv("SLURM_PROCID") && secure_getenv("PMI_RANK"))
        net = "mpich", get_ranks(l, &slurm);
    l->bad = quiet;
    return net;
}

static bool is_pipe(int fd) {
    struct stat s;
    return !fstat(fd, &s) && S_ISFIFO(s.st_mode);
}

static void leave_to_mpi(sup_launch *l) { l->rank = l->size = l->local_rank = l->local_size = -1; }

/* Started by mpirun, mpiexec or srun, perhaps through our own launcher (then SUPERSTEP_NET says which). */
static void read_mpi(sup_launch *l, const char *wanted) {
    leave_to_mpi(l);
    const char *found = foreign(l);
    const char *net = wanted && strcmp(wanted, "mpi") != 0 ? wanted : found ? found : "openmpi";
    snprintf(l->net, sizeof l->net, "%s", net);
    l->launched = found || wanted;
    if (l->local_size > sysconf(_SC_NPROCESSORS_ONLN)) l->oversubscribed = true;
}

/* A descriptor that is not open any more means that the variables are a leftover of a run around us. */
static void read_shm(sup_launch *l) {
    sup_launch fresh;
    sup_launch_init(&fresh);
    int fd = -1;
    bool whole = get_ranks(l, &own) && get_int(l, "SUPERSTEP_SEGMENT_FD", 0, INT_MAX, &fd);
    if (whole && fcntl(fd, F_GETFD) >= 0) {
        l->segment_fd = fd;
        l->launched = true;
        return;
    }
    if (!whole) note_bad(l, "SUPERSTEP_RANK");
    fresh.bad = l->bad;
    *l = fresh;
}

void sup_launch_read(sup_launch *out) {
    sup_launch l;
    sup_launch_init(&l);
    char net[16] = "auto";
    get_word(&l, "SUPERSTEP_NET", sup_launch_nets, net, sizeof net);
    bool mpi = !strcmp(net, "mpi") || !strcmp(net, "openmpi") || !strcmp(net, "mpich");
    if (!strcmp(net, "shm")) {
        snprintf(l.net, sizeof l.net, "shm");
        read_shm(&l);
    } else if (!strcmp(net, "self")) {
        snprintf(l.net, sizeof l.net, "self");
        l.launched = true;
    }
    if (mpi) read_mpi(&l, net);
    if (!mpi && !l.launched) {
        sup_launch probe = l;
        if (foreign(&probe)) read_mpi(&l, NULL);
    }
    if (get_int(&l, "SUPERSTEP_NOTICE_FD", 3, INT_MAX, &l.notice_fd) && !is_pipe(l.notice_fd)) l.notice_fd = -1;
    get_flag(&l, "SUPERSTEP_OVERSUBSCRIBED", &l.oversubscribed);
    for (int i = 0; i < VARIABLES; i++)
        if (variables[i].users) get(&l, &variables[i]);
    l.refused = getauxval(AT_SECURE) && getenv("SUPERSTEP_NET");
    *out = l;
}

void sup_launch_take(sup_launch *out) {
    sup_launch l, probe = {0};
    char name[SUP_HASH_TEXT], taken[SUP_HASH_TEXT + 16];
    sup_launch_read(&l);
    for (int i = 0; i < VARIABLES; i++)
        if (!variables[i].stays) unsetenv(variables[i].name);
    if (l.segment_fd >= 0) fcntl(l.segment_fd, F_SETFD, FD_CLOEXEC);
    if (l.notice_fd >= 0) fcntl(l.notice_fd, F_SETFD, FD_CLOEXEC);
    if (foreign(&probe)) {
        launch_name(name);
        snprintf(taken, sizeof taken, "%ld %s", (long)getpid(), name);
        setenv("SUPERSTEP_TAKEN", taken, 1); /* without memory for it, the process has other troubles */
    }
    *out = l;
}

/* ---- the launcher's side ------------------------------------------------------------------------------------------*/

/* What the variable says for `l`; NULL: nothing. `room`: for a number. */
static const char *text_of(const sup_launch *l, const variable *v, char room[32]) {
    const void *member = (const char *)l + v->at;
    switch (v->form) {
    case NUMBER: snprintf(room, 32, "%d", *(const int *)member); return *(const int *)member < v->low ? NULL : room;
    case FLAG: return *(const bool *)member ? "1" : NULL;
    case SECONDS: snprintf(room, 32, "%.9g", *(const double *)member); return *(const double *)member > 0 ? room : NULL;
    default: return *(const char *)member ? member : NULL;
    }
}

sup_status sup_launch_export(const sup_launch *launch) {
    char room[32];
    int failed = unsetenv("SUPERSTEP_TAKEN");
    for (int i = 0; i < VARIABLES; i++) {
        const char *text = text_of(launch, &variables[i], room);
        failed |= text ? setenv(variables[i].name, text, 1) : unsetenv(variables[i].name);
    }
    return failed ? SUP_ENOMEM : SUP_OK;
}

/* Not those that differ from process to process: MPI's launcher has its own. */
void sup_launch_forwarded(const sup_launch *launch, const char *out[SUP_LAUNCH_FORWARDED + 1]) {
    char room[32];
    int count = 0;
    out[count++] = "SUPERSTEP_NET";
    for (int i = 0; i < VARIABLES; i++)
        if (variables[i].users && text_of(launch, &variables[i], room)) out[count++] = variables[i].name;
    out[count] = NULL;
}

/* What mpirun and mpiexec tell a process about itself. All else that begins like these is the user's own. */
static bool is_of_mpi(const char *name) {
    static const char *const all_of[] = {"OMPI_COMM_WORLD_", "PMI_", "MPI_LOCAL"};
    static const char exact[] =
        " HYDI_CONTROL_FD MPIR_CVAR_CH3_INTERFACE_HOSTNAME OMPI_APP_CTX_NUM_PROCS OMPI_ARGV OMPI_COMMAND "
        "OMPI_FILE_LOCATION OMPI_FIRST_RANKS OMPI_NUM_APP_CTX OMPI_UNIVERSE_SIZE OMPI_MCA_ess OMPI_MCA_ess_base_jobid "
        "OMPI_MCA_ess_base_vpid OMPI_MCA_initial_wdir OMPI_MCA_mpi_oversubscribe OMPI_MCA_orte_app_num "
        "OMPI_MCA_orte_bound_at_launch OMPI_MCA_orte_ess_node_rank OMPI_MCA_orte_ess_num_procs OMPI_MCA_orte_hnp_uri "
        "OMPI_MCA_orte_jobfam_session_dir OMPI_MCA_orte_launch OMPI_MCA_orte_local_daemon_uri OMPI_MCA_orte_num_nodes "
        "OMPI_MCA_orte_precondition_transports OMPI_MCA_orte_tmpdir_base OMPI_MCA_orte_top_session_dir OMPI_MCA_pmix "
        "OMPI_MCA_shmem_RUNTIME_QUERY_hint ";
    char word[132];
    for (size_t i = 0; i < sizeof all_of / sizeof all_of[0]; i++)
        if (!strncmp(name, all_of[i], strlen(all_of[i]))) return true;
    snprintf(word, sizeof word, " %s ", name);
    return strstr(exact, word) || (!strncmp(name, "PMIX_", 5) && strncmp(name, "PMIX_MCA_", 9) != 0);
}

static void forget_mpi(void) {
    char name[128];
    for (char **at = environ; at && *at;) {
        size_t length = strcspn(*at, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, *at);
        bool theirs = length < sizeof name && is_of_mpi(name);
        if (!theirs || unsetenv(name)) at++; /* else the next one is here now */
    }
}

void sup_launch_forget(const sup_launch *outer) {
    sup_launch quiet = {0};
    struct stat s;
    int fd;
    if (outer->segment_fd >= 0) fcntl(outer->segment_fd, F_SETFD, FD_CLOEXEC);
    if (outer->notice_fd >= 0) fcntl(outer->notice_fd, F_SETFD, FD_CLOEXEC);
    if (pmi_socket(&s) && get_int(&quiet, "PMI_FD", 0, INT_MAX, &fd)) fcntl(fd, F_SETFD, FD_CLOEXEC);
    /* where no MPI started us, what looks like its variables is the user's */
    if (secure_getenv("OMPI_COMM_WORLD_RANK") || secure_getenv("PMI_RANK") || secure_getenv("PMIX_RANK")) forget_mpi();
}

void sup_launch_leave(const sup_launch *outer, sup_launch *out) {
    sup_launch probe = {0};
    bool in_our_run = outer->segment_fd >= 0 || (foreign(&probe) && secure_getenv("SUPERSTEP_NET"));
    sup_launch_init(out);
    out->no_kernel_copy = outer->no_kernel_copy;
    if (in_our_run) return;
    for (int i = 0; i < VARIABLES; i++)
        if (variables[i].users)
            memcpy((char *)out + variables[i].at, (const char *)outer + variables[i].at, variables[i].size);
}
