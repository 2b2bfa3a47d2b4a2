/* Writing a file so that it is never seen half written, that nothing else is left, that no file of another kind is lost
 * by a slip of the hand, and that no other user of the machine decides what is written over or who may write to it
 * afterwards. */
#include "base/file/entry.h"
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 8 /* to find the entry again, when somebody writes there at the same time */

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

/* Who may do what stays as it was if the file was the caller's own; else it is what the umask makes of 0666. Never more
 * than reading, writing and executing: a bit by which others act as the owner is no property of what is written. Nor
 * may another group get what the old one had. */
static bool take_over(int fd, const sup_entry *entry) {
    mode_t mode = entry->is.st_mode & 0777;
    if (!sup_entry_is_own(entry)) return true;
    if (fchown(fd, (uid_t)-1, entry->is.st_gid)) mode &= ~(mode_t)070;
    return !fchmod(fd, mode) || errno == EPERM || errno == ENOTSUP;
}

/* A new file in the folder, of a name that is not longer for being temporary. */
static int open_beside(const sup_entry *entry, char name[NAME_MAX + 1]) {
    mode_t mode = sup_entry_is_own(entry) ? entry->is.st_mode & 0600 : 0666;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name, NAME_MAX + 1, ".superstep-%ld-%u.tmp", (long)getpid(), attempt);
        int fd = openat(entry->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode | 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0 || take_over(fd, entry)) return fd;
        int saved = errno;
        unlinkat(entry->folder, name, 0);
        close(fd);
        errno = saved;
        return -1;
    }
    return -1;
}

/* Where nothing was, nothing may have come to be meanwhile. Some file systems cannot say so in one call. */
static int put_in_place(const sup_entry *entry, const char *name) {
    int folder = entry->folder;
    if (entry->object >= 0) return renameat(folder, name, folder, entry->name);
    if (!renameat2(folder, name, folder, entry->name, RENAME_NOREPLACE)) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (linkat(folder, name, folder, entry->name, 0))
        return errno == EEXIST ? -1 : renameat(folder, name, folder, entry->name);
    return unlinkat(folder, name, 0);
}

/* *again: somebody has put something there since we looked. */
static sup_status replace(const sup_entry *entry, const char *bytes, size_t length, const char *shown, sup_diag *diag,
                          bool *again) {
    char name[NAME_MAX + 1];
    int fd = open_beside(entry, name);
    if (fd < 0) return sup_diag_errno(diag, SUP_EIO, shown, "cannot write");
    const char *what = "cannot write";
    /* fsync first: a rename that reaches the disk before the bytes would leave an empty file after a power cut. */
    bool ok = write_all(fd, bytes, length) && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS);
    int saved = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    if (ok && put_in_place(entry, name) != 0) {
        ok = false;
        saved = errno;
        *again = entry->object < 0 && saved == EEXIST;
        what = "cannot replace";
    }
    if (ok) return SUP_OK;
    unlinkat(entry->folder, name, 0);
    errno = saved;
    return sup_diag_errno(diag, SUP_EIO, shown, what);
}

/* /dev/stdout and its like cannot be replaced, only written to: as what was found, whatever its name stands for now. */
static sup_status pour(const sup_entry *entry, const char *bytes, size_t length, const char *shown, sup_diag *diag) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", entry->object);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    bool ok = fd >= 0 && write_all(fd, bytes, length);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    errno = saved;
    return ok ? SUP_OK : sup_diag_errno(diag, SUP_EIO, shown, "cannot write");
}

/* Finds the entry and says whether it may be written. In a folder where others may change names, or that is another
 * user's, nothing of anybody else is touched. *plain: a file is there, or may come to be there. */
static sup_status look(const char *path, sup_diag *diag, sup_entry *entry, bool *plain) {
    sup_status status = sup_entry_find(path, diag, entry);
    if (status) return SUP_EIO;
    bool there = entry->object >= 0;
    *plain = entry->folder >= 0 && (!there || S_ISREG(entry->is.st_mode));
    if (there && S_ISDIR(entry->is.st_mode))
        status = sup_diag_set(diag, SUP_EIO, path, 0, "is a folder");
    else if (there && !sup_entry_is_own(entry) && sup_entry_is_foreign(entry))
        status = sup_diag_set(diag, SUP_EIO, path, 0,
                              "cannot write: belongs to another user (%lu), in a folder that is not only yours",
                              (unsigned long)entry->is.st_uid);
    if (status) sup_entry_close(entry);
    return status;
}

/* ---- what is there ---- */

/* How the file begins that is there. */
static ssize_t read_beginning(const sup_entry *entry, char *bytes, size_t most) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", entry->object);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return -1;
    ssize_t length = 0, n = 1;
    while (n > 0 && (size_t)length < most) {
        n = read(fd, bytes + length, most - (size_t)length);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            length += n;
    }
    int saved = errno;
    close(fd);
    errno = saved;
    return n < 0 ? -1 : length;
}

/* May a file of that kind take the place of what is there? */
static sup_status allow(const sup_entry *entry, const char *path, const char *kind, bool over, sup_diag *diag) {
    char there[SUP_FILE_KIND];
    if (entry->object < 0) return SUP_OK;
    char *bytes = malloc(SUP_FILE_LOOK);
    if (!bytes) return sup_diag_set(diag, SUP_ENOMEM, path, 0, "out of memory");
    ssize_t length = read_beginning(entry, bytes, SUP_FILE_LOOK);
    if (length >= 0) sup_file_kind(bytes, (size_t)length, there);
    free(bytes);
    if (length < 0) return sup_diag_errno(diag, SUP_EIO, path, "cannot tell what is there");
    if (!length) return SUP_OK;
    if (strcmp(there, kind) != 0)
        return sup_diag_set(diag, SUP_EIO, path, 0, "is a %s, not a %s: it is not replaced", there, kind);
    return over ? SUP_OK : sup_diag_set(diag, SUP_EIO, path, 0, "exists; --force replaces it");
}

bool sup_file_is_nothing(const char *path) {
    struct stat is;
    char first;
    if (stat(path, &is)) return errno == ENOENT;
    if (!S_ISREG(is.st_mode) || is.st_size) return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY); /* files of the kernel have a size of 0 and much in them */
    bool nothing = fd >= 0 && read(fd, &first, 1) == 0;
    if (fd >= 0) close(fd);
    return nothing;
}

bool sup_file_is_stream(const char *path) {
    sup_entry entry;
    if (sup_entry_find(path, NULL, &entry)) return false;
    bool stream = entry.object >= 0 && !S_ISDIR(entry.is.st_mode) && (entry.folder < 0 || !S_ISREG(entry.is.st_mode));
    sup_entry_close(&entry);
    return stream;
}

/* ---- writing ---- */

/* What is to be written. */
typedef struct writing {
    const char *path, *bytes;
    size_t length;
    char kind[SUP_FILE_KIND];
    bool over;
} writing;

static sup_status write_once(const writing *w, sup_diag *diag, bool *again) {
    const char *path = w->path, *bytes = w->bytes;
    size_t length = w->length;
    sup_entry entry;
    bool plain;
    sup_status status = look(path, diag, &entry, &plain);
    *again = false;
    if (status) return status;
    sigset_t before;
    if (plain) status = allow(&entry, path, w->kind, w->over, diag);
    if (status) {
        sup_entry_close(&entry);
        return status;
    }
    if (plain) {
        hold_signals(&before);
        status = replace(&entry, bytes, length, path, diag, again);
        release_signals(&before);
    } else {
        status = pour(&entry, bytes, length, path, diag);
    }
    sup_entry_close(&entry);
    return status;
}

sup_status sup_file_write(const char *path, const void *bytes, size_t length, bool over, sup_diag *diag) {
    writing w = {.path = path, .bytes = bytes, .length = length, .over = over};
    bool again = true;
    sup_status status = SUP_OK;
    sup_file_kind(bytes, length, w.kind);
    for (int i = 0; i < TRIES && again; i++) status = write_once(&w, diag, &again);
    return status;
}

static sup_status try_to_write(const sup_entry *entry, const char *path, sup_diag *diag) {
    char name[NAME_MAX + 1];
    sigset_t before;
    hold_signals(&before);
    int fd = open_beside(entry, name);
    sup_status status = fd < 0 ? sup_diag_errno(diag, SUP_EIO, path, "cannot write") : SUP_OK;
    if (fd >= 0) unlinkat(entry->folder, name, 0);
    if (fd >= 0) close(fd);
    release_signals(&before);
    return status;
}

sup_status sup_file_check(const char *path, const char *kind, bool over, sup_diag *diag) {
    sup_entry entry;
    bool plain;
    sup_status status = look(path, diag, &entry, &plain);
    if (status) return status;
    if (plain) status = allow(&entry, path, kind, over, diag);
    /* what its owner has protected is not replaced, though its folder would allow it */
    bool kept =
        !status && entry.object >= 0 && entry.folder >= 0 && faccessat(entry.folder, entry.name, W_OK, AT_EACCESS);
    if (kept)
        status = sup_diag_errno(diag, SUP_EIO, path, "cannot write");
    else if (plain && !status)
        status = try_to_write(&entry, path, diag);
    sup_entry_close(&entry);
    return status;
}
