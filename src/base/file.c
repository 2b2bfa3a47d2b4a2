/* Reading a file whole, and writing one so that it is never seen half written, and so that nothing else is left. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static sup_status too_large(const char *path, size_t most, sup_diag *diag) {
    return sup_diag_set(diag, SUP_EPARSE, path, 0, "larger than %zu MiB", most >> 20);
}

/* Opened without waiting, so that a FIFO nobody writes to reads as empty instead of hanging; read with waiting, so that
 * a pipe that is still being written is read to its end. */
static sup_status open_text(const char *path, size_t most, sup_diag *diag, int *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return sup_diag_errno(diag, errno == ENOENT ? SUP_ENOENT : SUP_EIO, path, "cannot open");
    struct stat st = {0};
    bool known = fstat(fd, &st) == 0, large = known && S_ISREG(st.st_mode) && (uintmax_t)st.st_size > most;
    if (large || (known && S_ISDIR(st.st_mode))) {
        close(fd);
        return large ? too_large(path, most, diag) : sup_diag_set(diag, SUP_EIO, path, 0, "is a directory");
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    *out = fd;
    return SUP_OK;
}

sup_status sup_file_read(const char *path, size_t most, sup_diag *diag, char **out, size_t *out_length) {
    int fd = -1;
    sup_status status = open_text(path, most, diag, &fd);
    if (status) return status;
    char *text = NULL;
    size_t room = 0, length = 0;
    for (ssize_t n = 1; n != 0 && !status;) {
        if (room - length < 2) { /* with its terminator */
            room = room ? 2 * room : 1 << 16;
            char *more = realloc(text, room);
            if (!more) status = sup_diag_set(diag, SUP_ENOMEM, path, 0, "out of memory");
            if (!more) break;
            text = more;
        }
        n = read(fd, text + length, room - length - 1);
        if (n > 0) length += (size_t)n;
        if (n < 0 && errno != EINTR) status = sup_diag_errno(diag, SUP_EIO, path, "cannot read");
        if (length > most) status = too_large(path, most, diag);
    }
    close(fd);
    if (status) {
        free(text);
        return status;
    }
    text[length] = 0;
    *out = text;
    *out_length = length;
    return SUP_OK;
}

static bool write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* What would end the process while the temporary file is there waits until it is gone. A limit on the size of files
 * (ulimit -f) is an error like any other then. */
static void hold_signals(sigset_t *before) {
    static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) sigaddset(&set, held[i]);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void release_signals(const sigset_t *before) {
    const struct timespec now = {0};
    sigset_t too_large;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ)) sigtimedwait(&too_large, NULL, &now);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A new file in target's folder, of a name that is not longer for being temporary. Its mode is that of the file it
 * replaces, or what the umask makes of 0666. */
static int open_beside(const char *target, char *name, size_t size) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        int n = snprintf(name, size, "%.*s.superstep-%ld-%u.tmp", folder, target, (long)getpid(), attempt);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        struct stat st;
        if (fd >= 0 && stat(target, &st) == 0 && fchmod(fd, st.st_mode & 07777) != 0) errno = 0;
        return fd;
    }
    return -1;
}

static sup_status replace(const char *target, const char *bytes, size_t length, const char *shown, sup_diag *diag) {
    char name[PATH_MAX];
    int fd = open_beside(target, name, sizeof name);
    if (fd < 0) return sup_diag_errno(diag, SUP_EIO, shown, "cannot write");
    const char *what = "cannot write";
    /* fsync first: a rename that reaches the disk before the bytes would leave an empty file after a power cut. */
    bool ok = write_all(fd, bytes, length) && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS);
    int saved = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    if (ok && rename(name, target) != 0) {
        ok = false;
        saved = errno;
        what = "cannot replace";
    }
    if (ok) return SUP_OK;
    unlink(name);
    errno = saved;
    return sup_diag_errno(diag, SUP_EIO, shown, what);
}

/* /dev/stdout and its like cannot be replaced, only written to. */
static sup_status pour(const char *path, const char *bytes, size_t length, sup_diag *diag) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    bool ok = fd >= 0 && write_all(fd, bytes, length);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    errno = saved;
    return ok ? SUP_OK : sup_diag_errno(diag, SUP_EIO, path, "cannot write");
}

/* A link that somebody else has put into a folder for all, such as /tmp, leads where he wants it to. */
static bool is_trap(const char *path) {
    struct stat self, folder;
    char parent[PATH_MAX];
    if (lstat(path, &self) || !S_ISLNK(self.st_mode) || self.st_uid == geteuid()) return false;
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    if (snprintf(parent, sizeof parent, "%.*s.", length, path) >= (int)sizeof parent || stat(parent, &folder))
        return true;
    return (folder.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && self.st_uid != folder.st_uid;
}

/* SUP_OK with *plain: a plain file is there or may come to be there. */
static sup_status look(const char *path, sup_diag *diag, bool *plain) {
    struct stat st;
    *plain = true;
    if (is_trap(path)) return sup_diag_set(diag, SUP_EIO, path, 0, "is another user's link in a folder for all");
    if (stat(path, &st)) return errno == ENOENT ? SUP_OK : sup_diag_errno(diag, SUP_EIO, path, "cannot write");
    if (S_ISDIR(st.st_mode)) return sup_diag_set(diag, SUP_EIO, path, 0, "is a directory");
    *plain = S_ISREG(st.st_mode);
    return SUP_OK;
}

sup_status sup_file_write(const char *path, const void *bytes, size_t length, sup_diag *diag) {
    bool plain;
    sup_status status = look(path, diag, &plain);
    if (status) return status;
    if (!plain) return pour(path, bytes, length, diag);
    sigset_t before;
    char *target = realpath(path, NULL); /* a symbolic link stays one: what it points to is replaced */
    hold_signals(&before);
    status = replace(target ? target : path, bytes, length, path, diag);
    release_signals(&before);
    free(target);
    return status;
}

sup_status sup_file_check(const char *path, sup_diag *diag) {
    bool plain;
    char name[PATH_MAX];
    sup_status status = look(path, diag, &plain);
    if (status) return status;
    /* what its owner has protected is not replaced, though its folder would allow it */
    if (access(path, W_OK) && errno != ENOENT) return sup_diag_errno(diag, SUP_EIO, path, "cannot write");
    if (!plain) return SUP_OK;
    sigset_t before;
    char *target = realpath(path, NULL);
    hold_signals(&before);
    int fd = open_beside(target ? target : path, name, sizeof name);
    if (fd < 0)
        status = sup_diag_errno(diag, SUP_EIO, path, "cannot write");
    else
        unlink(name);
    if (fd >= 0) close(fd);
    release_signals(&before);
    free(target);
    return status;
}

bool sup_file_first_line(const char *path, char *buf, size_t size) {
    FILE *f = fopen(path, "re");
    if (!f) return false;
    bool ok = fgets(buf, (int)size, f) != NULL;
    fclose(f);
    if (ok) buf[strcspn(buf, "\n")] = 0;
    return ok && buf[0];
}
