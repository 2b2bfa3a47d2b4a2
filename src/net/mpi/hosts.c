/* Who is on which host under MPI, and whether a host has more processes than cores.
 *
 * Processes are on one host if it has one name; they can find each other there if it is also one boot of the kernel and
 * one table of processes: containers and namespaces that only look like one host are kept apart. */
#include "net/mpi/open_comm.h"
#include "net/mpi/transport.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a process tells all others. */
typedef struct card {
    char name[MPI_MAX_PROCESSOR_NAME];
    char boot[40];
    uint64_t processes; /* which table of processes */
    int64_t pid;        /* 0: cannot say who I am */
    cpu_set_t cores;    /* that it may use */
} card;

/* What stays as it is for as long as the process lives. It is no use to read it again, and takes as long as setting up
 * half of a communicator does. */
static pthread_once_t self_once = PTHREAD_ONCE_INIT;
static struct {
    char boot[40];
    uint64_t processes;
    pid_t pid; /* 0: it cannot be said */
} self;

static void find_self(void) {
    struct stat st;
    int f = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (f >= 0 && read(f, self.boot, sizeof self.boot - 1) > 0 && !stat("/proc/self/ns/pid", &st)) {
        self.processes = (uint64_t)st.st_ino;
        self.pid = getpid();
    }
    if (f >= 0) close(f);
}

void sup_mpi_hosts_prepare(void) { pthread_once(&self_once, find_self); }

static int fill_card(card *c) {
    int length;
    sup_mpi_hosts_prepare();
    memcpy(c->boot, self.boot, sizeof c->boot);
    c->processes = self.processes;
    c->pid = self.pid == getpid() ? self.pid : 0; /* a child of who found it */
    /* a machine with more cores than the mask has bits: everything allowed, as far as one can tell */
    if (sched_getaffinity(0, sizeof c->cores, &c->cores)) memset(&c->cores, 0xff, sizeof c->cores);
    return MPI_Get_processor_name(c->name, &length);
}

static bool meet(const card *a, const card *b) {
    return a->pid && b->pid && a->processes == b->processes && !memcmp(a->boot, b->boot, sizeof a->boot);
}

/* Each name once, and which one is whose. */
static bool name_hosts(sup_mpi *t, const card *cards) {
    int size = t->net.size, count = 0;
    int *first = calloc((size_t)size, sizeof *first); /* of each host: a rank on it */
    if (!first) return false;
    for (int p = 0; p < size; p++) {
        int host = p ? t->host_of[p - 1] : 0; /* neighbours mostly share one */
        if (!p || strcmp(cards[p].name, cards[first[host]].name) != 0)
            for (host = 0; host < count; host++)
                if (!strcmp(cards[p].name, cards[first[host]].name)) break;
        if (host == count) first[count++] = p;
        t->host_of[p] = host;
    }
    t->hosts = calloc((size_t)count, MPI_MAX_PROCESSOR_NAME);
    for (int h = 0; t->hosts && h < count; h++)
        memcpy(t->hosts + (size_t)h * MPI_MAX_PROCESSOR_NAME, cards[first[h]].name, MPI_MAX_PROCESSOR_NAME);
    free(first);
    return t->hosts != NULL;
}

/* More processes on this host than cores that all of them together may use? A launcher may have bound each to one core,
 * so the masks of all are united. */
static bool too_many(const sup_mpi *t, const card *cards) {
    cpu_set_t all;
    int here = 0;
    CPU_ZERO(&all);
    for (int p = 0; p < t->net.size; p++)
        if (t->host_of[p] == t->host_of[t->net.rank]) {
            CPU_OR(&all, &all, &cards[p].cores);
            here++;
        }
    return here > CPU_COUNT(&all);
}

int sup_mpi_hosts_open(sup_mpi *t, bool *crowded) {
    size_t size = (size_t)t->net.size;
    card *mine = calloc(1, sizeof *mine), *cards = calloc(size, sizeof *cards);
    t->host_of = calloc(size, sizeof *t->host_of);
    t->host_pids = calloc(size, sizeof *t->host_pids);
    int fine = mine && cards && t->host_of && t->host_pids, all = 0;
    if (fine) fine = fill_card(mine) == MPI_SUCCESS;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    if (code == MPI_SUCCESS && !(all && mine && cards)) code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS) code = MPI_Allgather(mine, sizeof *mine, MPI_BYTE, cards, sizeof *mine, MPI_BYTE, t->user);
    if (code == MPI_SUCCESS) {
        fine = name_hosts(t, cards);
        code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
        if (code == MPI_SUCCESS && !all) code = MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS) {
        for (int p = 0; p < t->net.size; p++)
            if (p != t->net.rank && t->host_of[p] == t->host_of[t->net.rank] && meet(mine, &cards[p]))
                t->host_pids[p] = (pid_t)cards[p].pid;
        *crowded = too_many(t, cards);
    }
    free(mine);
    free(cards);
    return code;
}

void sup_mpi_hosts_close(sup_mpi *t) {
    free(t->hosts);
    free(t->host_of);
    free(t->host_pids);
    t->hosts = NULL;
    t->host_of = NULL;
    t->host_pids = NULL;
}

const char *sup_mpi_host(sup_net *net, int rank) {
    if ((unsigned)rank >= (unsigned)net->size) return NULL;
    const sup_mpi *t = sup_mpi_of(net);
    return t->hosts + (size_t)t->host_of[rank] * MPI_MAX_PROCESSOR_NAME;
}
