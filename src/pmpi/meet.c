/* Who takes part: whether all processes of an MPI_COMM_WORLD have begun with this library, known before any of them
 * asks the others for anything. A process that has not, because it was started without the library, or a tool in it
 * calls PMPI_Init, would never answer; to ask it by MPI would hang, or be taken for something that the program says.
 *
 * Before a process initialises MPI it enters a table that those of its host share, and counts itself. When MPI has been
 * initialised all of them had begun to do that, so whoever did so through this library is in the table. The first that
 * then looks decides for all, once, by one word; the others take that for an answer. Nobody waits for anybody.
 *
 *     name in the abstract namespace ──▶ process that listens there ──▶ its table, by /proc/PROCESS/fd
 *
 * The name is the run's: of PMIx, or the process at the other end of PMI's socket, which all processes of a host have
 * in common. Nobody accepts what comes to a listener: that it can be connected to says who it is. Since only so many
 * fit into its queue, every hundredth process that has the table listens, too. The table is a file without a name.
 * Nothing is left of any of this when the processes end, however they do. */
#include "machine/hash.h"
#include "net/host_memory.h"
#include "pmpi/pmpi.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- the table ---- */

enum { WORDS = 2, SETTINGS = 0, PLAN = 1 };
enum { DECIDED = 1, ALL = 2, SETTINGS_SAME = 4, PLAN_SAME = 8, COUNT_BIT = 8 };

/* All zeros: nobody is here. A word is the same for all if no bit of it is both set somewhere and clear somewhere. */
typedef struct table {
    _Atomic uint32_t joined;
    _Atomic uint64_t verdict;
    _Atomic uint64_t set[WORDS], clear[WORDS];
} table;

static table *here; /* NULL: this process is nowhere */
static int file = -1, listener = -1;

static bool same(int word) { return !(atomic_load(&here->set[word]) & atomic_load(&here->clear[word])); }

/* ---- the name of the run ---- */

static int number_of(const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        char *end;
        long n = text && *text ? strtol(text, &end, 10) : -1;
        if (n >= 0 && n <= INT_MAX && !*end) return (int)n;
    }
    return -1;
}

int sup_pmpi_told_rank(void) {
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    return number_of(names, sizeof names / sizeof names[0]);
}

int sup_pmpi_told_size_here(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    return number_of(names, sizeof names / sizeof names[0]);
}

/* The launcher's process that holds the other end of PMI's socket; 0: there is none. */
static pid_t other_end(void) {
    static const char *const names[] = {"PMI_FD"};
    struct ucred who;
    socklen_t length = sizeof who;
    int fd = number_of(names, 1);
    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length)) return 0;
    return who.pid;
}

/* false: nothing says which run this is. Of the name a hash is used: it may be long. */
static bool name_of_run(char name[64]) {
    char text[512];
    const char *space = getenv("PMIX_NAMESPACE"), *server = getenv("PMIX_SERVER_URI2");
    pid_t proxy = other_end();
    if (space && *space)
        snprintf(text, sizeof text, "pmix %s %s", space, server ? server : "");
    else if (proxy > 0)
        snprintf(text, sizeof text, "pmi %d", (int)proxy);
    else
        return false;
    sup_hash hash = sup_hash_bytes(sup_hash_start(), text, strlen(text));
    snprintf(name, 64, "superstep-1-" SUP_PMPI_NET "-%u-%016llx%016llx", (unsigned)geteuid(),
             (unsigned long long)(hash >> 64), (unsigned long long)hash);
    return true;
}

/* Number k of the names that a run has. */
static socklen_t address_of(const char *name, int k, struct sockaddr_un *out) {
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(out->sun_path + 1, sizeof out->sun_path - 1, "%s-%d", name, k);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* ---- finding each other ---- */

#define FILE_NAME "superstep-meeting"
enum { EACH = 100, LISTENERS = 64, TRIES = 2000, PAUSE_NS = 500000 };

/* The table of a process that listens; -1: it has none that we may open. */
static int file_of(pid_t process) {
    static const char target[] = "/memfd:" FILE_NAME;
    char path[300], link[sizeof target + 16];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *all = opendir(path);
    int found = -1;
    for (struct dirent *e; all && found < 0 && (e = readdir(all));) {
        ssize_t length = readlinkat(dirfd(all), e->d_name, link, sizeof link - 1);
        if (length < (ssize_t)sizeof target - 1 || memcmp(link, target, sizeof target - 1) != 0) continue;
        found = openat(dirfd(all), e->d_name, O_RDWR | O_CLOEXEC);
    }
    if (all) closedir(all);
    return found;
}

/* This process is number k. 0, EADDRINUSE: another one is already, or another error. */
static int listen_as(const char *name, int k) {
    struct sockaddr_un to;
    socklen_t length = address_of(name, k, &to);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return errno;
    if (bind(fd, (struct sockaddr *)&to, length) || listen(fd, EACH + EACH / 4)) {
        int error = errno;
        close(fd);
        return error;
    }
    listener = fd;
    return 0;
}

/* Number k, if it is one of our user's. 0, EAGAIN: it has no room; ECONNREFUSED: it does not listen yet, or no more. */
static int ask(const char *name, int k, pid_t *process) {
    struct sockaddr_un to;
    struct ucred who = {.pid = 0};
    socklen_t length = address_of(name, k, &to), size = sizeof who;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
    if (fd < 0) return errno;
    if (connect(fd, (struct sockaddr *)&to, length) || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size))
        error = errno;
    else if (who.pid <= 0 || who.uid != geteuid())
        error = EPERM;
    close(fd);
    *process = who.pid;
    return error;
}

/* Where the first member's table is, or that of one that has it as well; or this process is the first. -1: neither. */
static int find_file(const char *name) {
    for (int i = 0, k = 0; i < TRIES && k < LISTENERS; i++) {
        pid_t process = 0;
        int error = ask(name, k, &process);
        if (!error) return file_of(process);
        if (error == EAGAIN) {
            k++;
            continue;
        }
        if (error != ECONNREFUSED) return -1;
        if (k == 0 && listener < 0) {
            (void)sup_host_memory_make(FILE_NAME, sizeof(table),
                                       &file); /* it has to be there before anybody finds the name */
            if (file < 0 || !(error = listen_as(name, 0))) return file;
            close(file);
            file = -1;
            if (error != EADDRINUSE) return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return -1;
}

static void leave(void) {
    if (listener >= 0) close(listener);
    if (file >= 0) close(file);
    listener = file = -1;
}

void sup_pmpi_meet_join(uint64_t settings, uint64_t plan) {
    char name[64];
    uint64_t words[WORDS] = {[SETTINGS] = settings, [PLAN] = plan};
    if (here || !name_of_run(name)) return;
    file = find_file(name);
    here = sup_host_memory_map(file, sizeof *here);
    if (!here) {
        leave();
        return;
    }
    for (int i = 0; i < WORDS; i++) {
        atomic_fetch_or(&here->set[i], words[i]);
        atomic_fetch_or(&here->clear[i], ~words[i]);
    }
    uint32_t number = atomic_fetch_add(&here->joined, 1);
    if (listener < 0 && number % EACH == 0) (void)listen_as(name, (int)(number / EACH));
}

/* ---- the answer ---- */

sup_pmpi_meeting sup_pmpi_meet_decide(int size) {
    if (!here) return (sup_pmpi_meeting){0};
    uint64_t none = 0, count = atomic_load(&here->joined), mine = DECIDED | count << COUNT_BIT;
    if (count == (uint64_t)size) mine |= ALL;
    if (same(SETTINGS)) mine |= SETTINGS_SAME;
    if (same(PLAN)) mine |= PLAN_SAME;
    bool first = atomic_compare_exchange_strong(&here->verdict, &none, mine);
    uint64_t verdict = first ? mine : none;
    munmap(here, sizeof *here);
    here = NULL;
    leave();
    return (sup_pmpi_meeting){.all = verdict & ALL,
                              .count = (int)(verdict >> COUNT_BIT),
                              .settings_same = verdict & SETTINGS_SAME,
                              .plan_same = verdict & PLAN_SAME,
                              .first = first};
}
