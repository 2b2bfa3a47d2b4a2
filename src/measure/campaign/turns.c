/* Turns of launches that live side by side (turns.h). Stage "measure". */
#include "measure/campaign/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *beside(const char *request, const char *what, char path[4200]) {
    snprintf(path, 4200, "%.4000s.%s", request, what);
    return path;
}

/* Of the bytes from the turn on, length 0: all. The lock is the open file's, so a process that is forked has it, too:
 * nobody but the tool unlocks. */
static int set(int file, int command, short type, int64_t turn, int64_t length) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = turn, .l_len = length};
    int result;
    do result = fcntl(file, command, &lock);
    while (result && errno == EINTR);
    return result;
}

/* ---- the tool ---- */

sup_status sup_turns_open(const char *request, sup_diag *diag, sup_turns *out) {
    char path[4200];
    *out = (sup_turns){.file = -1, .told = -1};
    int file = open(beside(request, SUP_TURNS_FILE, path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || set(file, F_OFD_SETLK, F_WRLCK, 0, 0)) goto failed;
    if (mkfifo(beside(request, SUP_TURNS_TOLD, path), 0600)) goto failed;
    out->told =
        open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC); /* also to write: it never says that there are no writers */
    if (out->told < 0) goto failed;
    out->file = file;
    return SUP_OK;
failed:
    sup_diag_errno(diag, SUP_EIO, path, "cannot make");
    if (file >= 0) close(file);
    return SUP_EIO;
}

sup_status sup_turns_give(sup_turns *t, double seconds) {
    off_t at = (off_t)t->turn * (off_t)sizeof seconds;
    if (pwrite(t->file, &seconds, sizeof seconds, at) != (ssize_t)sizeof seconds) return SUP_EIO;
    return set(t->file, F_OFD_SETLK, F_UNLCK, t->turn++, 1) ? SUP_EIO : SUP_OK;
}

bool sup_turns_told(sup_turns *t) {
    char bytes[64];
    return read(t->told, bytes, sizeof bytes) > 0;
}

void sup_turns_end(sup_turns *t) {
    if (t->file >= 0) set(t->file, F_OFD_SETLK, F_UNLCK, 0, 0);
    sup_turns_leave(t);
}

/* ---- a process of the launch ---- */

void sup_turns_join(const char *request, sup_turns *out) {
    char path[4200];
    *out = (sup_turns){.file = open(beside(request, SUP_TURNS_FILE, path), O_RDONLY | O_CLOEXEC), .told = -1};
    if (out->file >= 0) out->told = open(beside(request, SUP_TURNS_TOLD, path), O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

void sup_turns_leave(sup_turns *t) {
    if (t->file >= 0) close(t->file);
    if (t->told >= 0) close(t->told);
    *t = (sup_turns){.file = -1, .told = -1};
}

double sup_turns_wait(sup_turns *t, bool leads) {
    double seconds = 0.0;
    if (t->file < 0) return INFINITY;
    if (leads && write(t->told, "", 1) != 1) return 0.0;
    if (set(t->file, F_OFD_SETLKW, F_RDLCK, t->turn, 1)) return 0.0;
    set(t->file, F_OFD_SETLK, F_UNLCK, t->turn, 1);
    off_t at = (off_t)t->turn++ * (off_t)sizeof seconds;
    return pread(t->file, &seconds, sizeof seconds, at) == (ssize_t)sizeof seconds && seconds > 0.0 ? seconds : 0.0;
}
