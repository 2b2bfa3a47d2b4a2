/* Removing what an MPI leaves behind when its processes are killed.
 *
 *     Open MPI   TMPDIR/ompi.HOST.UID/pid.PID        PID is mpirun's; in it "contact.txt" has the number of the run
 *                /dev/shm/vader_segment.HOST.UID.JOB.N   the upper half of JOB is that number
 *     MPICH      /dev/shm/mpich_shar_tmpXXXXXX       random letters
 *     UCX        /dev/shm/ucx_shm_posix_XXXXXXXX     a random number
 *
 * What bears the number of the run is ours. A random name says nothing, so such a file is removed only if it is this
 * user's, was made while the run lasted, and no process has it open or mapped: a run that is alive always has. We must
 * be able to see all processes for that, and are able to only in the first process namespace of the machine. */
#include "net/launch/monitor_leftover.h"
#include "net/launch/monitor_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SHARED "/dev/shm"
#define MOST 256 /* files with random names: those of one run on one machine, and more than we ever saw */
#define DEPTH 8
#define LONGEST_S .5
#define FIRST_NAMESPACE "pid:[4026531836]"

typedef struct file {
    char name[64];
    dev_t device;
    ino_t inode;
    bool used;
} file;

struct timespec sup_leftover_begin(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* the clock that stamps files */
    return now;
}

static bool is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* ---- folders of Open MPI ------------------------------------------------------------------------------------------*/

/* A folder of this user's, not a link to one; -1 none. */
static int open_own(int folder, const char *name) {
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (!fstat(fd, &st) && st.st_uid == geteuid()) return fd;
    close(fd);
    return -1;
}

static void remove_tree(int parent, const char *name, int depth) {
    int fd = depth > 0 ? open_own(parent, name) : -1;
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (unlinkat(fd, e->d_name, 0)) remove_tree(fd, e->d_name, depth - 1);
    }
    closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* "891486208.0;tcp://…": the number of the job of mpirun itself, whose upper half all jobs of the run share; 0 unknown.
 */
static unsigned long read_family(int session) {
    char text[64] = "";
    int fd = openat(session, "contact.txt", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? strtoul(text, NULL, 10) >> 16 : 0;
}

/* Folder `name` in `top`, and `top` itself where it becomes empty, as mpirun does. */
static unsigned long clear_session(int base, const char *top_name, const char *name) {
    int top = open_own(base, top_name);
    if (top < 0) return 0;
    int session = open_own(top, name);
    unsigned long family = session >= 0 ? read_family(session) : 0;
    if (session >= 0) {
        close(session);
        remove_tree(top, name, DEPTH);
        unlinkat(base, top_name, AT_REMOVEDIR);
    }
    close(top);
    return family;
}

/* Where Open MPI looks for a folder for temporary files. */
static const char *temporary(void) {
    static const char *const names[] = {"OMPI_MCA_orte_local_tmpdir_base", "OMPI_MCA_orte_tmpdir_base", "TMPDIR",
                                        "TEMP", "TMP"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return value;
    }
    return "/tmp";
}

/* What mpirun with the number `launcher` had. Returns the number of its run, 0 unknown. */
static unsigned long clear_launcher(pid_t launcher) {
    char tail[24], session[32];
    unsigned long family = 0;
    DIR *dir = opendir(temporary());
    if (!dir) return 0;
    snprintf(tail, sizeof tail, ".%u", (unsigned)geteuid());
    snprintf(session, sizeof session, "pid.%d", (int)launcher);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t length = strlen(e->d_name), end = strlen(tail);
        if (strncmp(e->d_name, "ompi.", 5) || length <= end || strcmp(e->d_name + length - end, tail)) continue;
        unsigned long found = clear_session(dirfd(dir), e->d_name, session);
        if (found) family = found;
    }
    closedir(dir);
    return family;
}

/* The same from around a rank, whose environment has the folder and the number. */
static unsigned long clear_rank(void) {
    const char *folder = getenv("OMPI_MCA_orte_jobfam_session_dir"), *job = getenv("OMPI_MCA_ess_base_jobid");
    char path[4096];
    if (!folder || !job || (size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) return 0;
    char *last = strrchr(path, '/');
    if (!last || last == path) return 0;
    *last++ = 0;
    char *top = strrchr(path, '/');
    if (!top || top == path || strncmp(top + 1, "ompi.", 5)) return 0;
    *top++ = 0;
    int base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (base < 0) return 0;
    clear_session(base, top, last);
    close(base);
    return strtoul(job, NULL, 10) >> 16;
}

/* ---- shared memory ------------------------------------------------------------------------------------------------*/

/* "vader_segment.HOST.UID.JOB.N" of this user and this run; the host may have dots too. */
static bool is_of_family(const char *name, unsigned long family) {
    char text[256];
    unsigned uid, rank;
    unsigned long job;
    int end = 0;
    if (!family || strncmp(name, "vader_segment.", 14) || strlen(name) >= sizeof text) return false;
    const char *at = name + strlen(name);
    for (int dots = 0; dots < 3;) {
        if (--at == name) return false;
        dots += *at == '.';
    }
    return sscanf(at, ".%u.%lx.%u%n", &uid, &job, &rank, &end) == 3 && !at[end] && uid == geteuid() &&
           job >> 16 == family;
}

/* Names that this MPI gives and that do not say whose they are: Open MPI's do once the number of the run is known. */
static bool is_random(const char *name, bool openmpi, unsigned long family) {
    const char *begin[] = {"ucx_shm_posix_", openmpi ? "open_mpi." : "mpich_shar_tmp",
                           openmpi && !family ? "vader_segment." : NULL};
    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
        if (begin[i] && !strncmp(name, begin[i], strlen(begin[i]))) return true;
    return false;
}

/* Removes what is ours by name; returns how many others there are to ask about. */
static int look_around(DIR *dir, bool openmpi, unsigned long family, struct timespec since, file *files) {
    int count = 0, folder = dirfd(dir);
    struct stat st;
    for (struct dirent *e; (e = readdir(dir));) {
        if (is_of_family(e->d_name, family)) {
            unlinkat(folder, e->d_name, 0);
            continue;
        }
        if (count == MOST || !is_random(e->d_name, openmpi, family) || strlen(e->d_name) >= sizeof files->name)
            continue;
        if (fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) continue;
        if (st.st_uid != geteuid() || is_before(st.st_ctim, since)) continue;
        file *f = &files[count++];
        *f = (file){.device = st.st_dev, .inode = st.st_ino};
        snprintf(f->name, sizeof f->name, "%s", e->d_name);
    }
    return count;
}

static void mark_used(file *files, int count, dev_t device, ino_t inode) {
    for (int i = 0; i < count; i++)
        if (files[i].inode == inode && files[i].device == device) files[i].used = true;
}

/* Both return false if the process would not say. */
static bool ask_descriptors(int process, file *files, int count) {
    struct stat st;
    int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) return errno != EACCES && errno != EPERM;
    errno = 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (!fstatat(fd, e->d_name, &st, 0)) mark_used(files, count, st.st_dev, st.st_ino);
    closedir(dir);
    return true;
}

static bool ask_mappings(int process, file *files, int count) {
    char line[8192], kind;
    unsigned major, minor;
    unsigned long long inode;
    int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
    FILE *maps = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!maps) return errno != EACCES && errno != EPERM;
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "s ") && sscanf(line, "%*s %*3s%c %*s %x:%x %llu", &kind, &major, &minor, &inode) == 4 &&
            kind == 's')
            mark_used(files, count, makedev(major, minor), (ino_t)inode);
    fclose(maps);
    return true;
}

/* Marks files that somebody has; false if one might whom we may not ask, or have no time to. Descriptors of all come
 * before mappings of all: a file is mapped before its descriptor is closed, so it is always found in one of the two
 * passes. */
static bool ask_everybody(file *files, int count) {
    bool (*const ask[])(int, file *, int) = {ask_descriptors, ask_mappings};
    double end = sup_monitor_now() + LONGEST_S;
    for (int pass = 0; pass < 2; pass++) {
        DIR *dir = opendir("/proc");
        struct stat st;
        bool sure = dir != NULL;
        for (struct dirent *e; sure && (e = readdir(dir));) {
            if (sup_monitor_now() > end) sure = false;
            if (e->d_name[0] < '0' || e->d_name[0] > '9' || !strcmp(e->d_name, "1")) continue; /* 1 is init */
            int process = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (process < 0) continue; /* gone */
            if (!ask[pass](process, files, count) && !fstat(process, &st)) sure = st.st_uid != geteuid();
            close(process);
        }
        if (dir) closedir(dir);
        if (!sure) return false;
    }
    return true;
}

static bool see_all(void) {
    char name[64] = "";
    return readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0 && !strcmp(name, FIRST_NAMESPACE);
}

static void clear_shared(bool openmpi, unsigned long family, struct timespec since) {
    DIR *dir = opendir(SHARED);
    if (!dir) return;
    file *files = calloc(MOST, sizeof *files);
    int count = files ? look_around(dir, openmpi, family, since, files) : 0;
    if (count && see_all() && ask_everybody(files, count))
        for (int i = 0; i < count; i++)
            if (!files[i].used) unlinkat(dirfd(dir), files[i].name, 0);
    free(files);
    closedir(dir);
}

void sup_leftover_clear(bool openmpi, pid_t launcher, struct timespec since) {
    unsigned long family = !openmpi ? 0 : launcher > 0 ? clear_launcher(launcher) : clear_rank();
    clear_shared(openmpi, family, since);
}
