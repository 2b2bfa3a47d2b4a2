/* The folder of a campaign's launches (start.h), and the process that removes it: it waits for the end of a pipe, which
 * comes when the tool closes it, and also when the tool is killed. Stage "measure". */
#include "measure/launch/start.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".superstep-XXXXXX"
#define SWEEPS 200 /* of 50 ms: processes that were killed with the tool may still be writing */

static bool sweep(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return errno == ENOENT;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    return rmdir(path) == 0 || errno == ENOENT;
}

/* A file that was being written when the tool was killed (base/file/file.h) is beside the folder. */
static void sweep_half_written(const sup_folder *folder, pid_t writer) {
    char pattern[sizeof folder->path + 64];
    int length = (int)(strlen(folder->path) - strlen(FOLDER));
    glob_t found;
    snprintf(pattern, sizeof pattern, "%.*s.superstep-%ld-*.tmp", length, folder->path, (long)writer);
    if (glob(pattern, GLOB_PERIOD, NULL, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
}

static void keep(const sup_folder *folder, int end, pid_t writer) {
    const struct timespec nap = {.tv_nsec = 50000000};
    char byte;
    int none = open("/dev/null", O_RDWR);
    setsid(); /* what the terminal asks is not asked of it */
    for (int number = 1; number < NSIG; number++)
        if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_IGN);
    for (int file = 0; none >= 0 && file <= STDERR_FILENO; file++) dup2(none, file); /* nobody waits for our end */
    while (read(end, &byte, 1) < 0 && errno == EINTR) {
    }
    sweep_half_written(folder, writer);
    for (int i = 0; i < SWEEPS && !sweep(folder->path); i++) nanosleep(&nap, NULL);
    _exit(0);
}

/* If it cannot be made, neither can the file beside it, and that is known before anything is measured. */
static sup_status make(const char *beside, sup_diag *diag, sup_folder *out) {
    const char *slash = strrchr(beside, '/');
    int length = slash ? (int)(slash - beside) + 1 : 0;
    if (snprintf(out->path, sizeof out->path - 64, "%.*s" FOLDER, length, beside) >= (int)sizeof out->path - 64)
        return sup_diag_set(diag, SUP_EIO, NULL, 0, "%.64s…: the name is too long", beside);
    if (mkdtemp(out->path)) return SUP_OK;
    return sup_diag_set(diag, SUP_EIO, NULL, 0, "cannot write in \"%.*s\": %s", slash ? length : 1,
                        slash ? beside : ".", strerror(errno));
}

sup_status sup_folder_open(const char *beside, sup_diag *diag, sup_folder *out) {
    int ends[2];
    *out = (sup_folder){.open = -1, .keeper = -1};
    if (pipe2(ends, O_CLOEXEC)) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot make a pipe");
    sup_status status = make(beside, diag, out);
    if (status) goto close_pipe;
    fflush(NULL);
    pid_t self = getpid();
    out->keeper = fork();
    if (out->keeper == 0) {
        close(ends[1]);
        keep(out, ends[0], self);
    }
    if (out->keeper < 0) {
        status = sup_diag_errno(diag, SUP_EIO, NULL, "cannot start a process");
        rmdir(out->path);
        goto close_pipe;
    }
    close(ends[0]);
    out->open = ends[1];
    return SUP_OK;
close_pipe:
    close(ends[0]);
    close(ends[1]);
    return status;
}

void sup_folder_close(sup_folder *folder) {
    if (folder->keeper <= 0) return;
    close(folder->open);
    while (waitpid(folder->keeper, NULL, 0) < 0 && errno == EINTR) {
    }
    *folder = (sup_folder){.open = -1, .keeper = -1};
}
