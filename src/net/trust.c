/* May code be loaded from a file, or something be put into a folder that programs will follow? Only if nobody but root
 * and the caller writes there: the file and all folders above it are looked at, from the root down, so that each is
 * reached through folders that are known to be good. */
#include "net/trust.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_one_of_us(const char *user) {
    const struct passwd *p = getpwnam(user);
    return p && (p->pw_uid == 0 || p->pw_uid == geteuid());
}

/* Is somebody else than root and the caller in the group? Distributions that give each user a group of his own let him
 * create everything writable for it. A group that nobody knows may have any members. */
static bool has_strangers(gid_t gid) {
    const struct group *g = getgrgid(gid);
    if (!g) return true;
    char **names = g->gr_mem;
    size_t count = 0;
    while (names[count]) count++;
    /* getpwnam may use what g points to */
    char **copy = calloc(count + 1, sizeof *copy);
    bool strangers = copy == NULL;
    for (size_t i = 0; i < count && !strangers; i++) strangers = !(copy[i] = strdup(names[i]));
    for (size_t i = 0; i < count && !strangers; i++) strangers = !is_one_of_us(copy[i]);
    for (size_t i = 0; copy && i < count; i++) free(copy[i]);
    free(copy);
    if (strangers) return true;
    setpwent();
    for (const struct passwd *p; !strangers && (p = getpwent());)
        strangers = p->pw_gid == gid && p->pw_uid != 0 && p->pw_uid != geteuid();
    endpwent();
    return strangers;
}

/* The mode of a file with an access control list shows its mask where a group's rights would be. */
static bool has_list(const char *path) { return getxattr(path, "system.posix_acl_access", NULL, 0) > 0; }

/* `sticky`: a folder in which only its owner may replace a thing will do. */
static bool others_write(const char *path, const struct stat *s, bool sticky) {
    if (sticky && S_ISDIR(s->st_mode) && s->st_mode & S_ISVTX) return false;
    if (s->st_mode & S_IWOTH) return true;
    return s->st_mode & S_IWGRP && (has_list(path) || has_strangers(s->st_gid));
}

typedef struct trial {
    const char *what; /* the file that all this is about … */
    const char *done; /* … and what is not done with it */
    uid_t also;
    sup_diag *diag;
} trial;

/* What is at `path`, no link. */
static sup_status judge(const trial *t, const char *path, const struct stat *s, bool folder, bool sticky) {
    const char *kind = folder ? "the folder " : "";
    if (folder ? !S_ISDIR(s->st_mode) : !S_ISREG(s->st_mode))
        return sup_diag_set(t->diag, SUP_EPERM, NULL, 0, "%s is no %s, so %s is not %s", path,
                            folder ? "folder" : "plain file", t->what, t->done);
    if (s->st_uid != 0 && s->st_uid != geteuid() && s->st_uid != t->also)
        return sup_diag_set(t->diag, SUP_EPERM, NULL, 0,
                            "%s%s belongs to user %lu, who is neither root nor you, so %s is not %s", kind, path,
                            (unsigned long)s->st_uid, t->what, t->done);
    if (others_write(path, s, sticky))
        return sup_diag_set(t->diag, SUP_EPERM, NULL, 0, "%s%s can be written by others (mode %04o), so %s is not %s",
                            kind, path, (unsigned)s->st_mode & 07777, t->what, t->done);
    return SUP_OK;
}

/* One component of a path without links. */
static sup_status check(const trial *t, const char *path, bool folder, bool sticky) {
    struct stat s;
    if (lstat(path, &s)) return sup_diag_errno(t->diag, SUP_EPERM, NULL, path);
    return judge(t, path, &s, folder, sticky);
}

/* All folders down to `path`, the last of them strictly. */
static sup_status check_folders(const trial *t, const char *path) {
    char part[PATH_MAX];
    sup_status status = check(t, "/", true, path[1] != 0);
    for (size_t at = 1; path[1] && !status; at++) {
        if (path[at] != '/' && path[at] != 0) continue;
        memcpy(part, path, at);
        part[at] = 0;
        status = check(t, part, true, path[at] != 0);
        if (!path[at]) break;
    }
    return status;
}

/* Cuts the last component off a path. */
static void cut(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash)
        memcpy(path, ".", 2);
    else
        slash[slash == path ? 1 : 0] = 0;
}

/* The folder that was searched, and the one that the file is really in: they differ if it is a link. */
sup_status sup_trust_file(const char *path, uid_t also, sup_diag *diag, char real[PATH_MAX]) {
    char found[PATH_MAX], folder[PATH_MAX], searched[PATH_MAX];
    trial t = {.what = path, .done = "loaded", .also = also, .diag = diag};
    if (!realpath(path, found) || strlen(path) >= sizeof folder) return SUP_ENOENT;
    memcpy(folder, path, strlen(path) + 1);
    cut(folder);
    if (!realpath(folder, searched)) return SUP_ENOENT;
    sup_status status = check_folders(&t, searched);
    memcpy(folder, found, strlen(found) + 1);
    cut(folder);
    if (!status) status = check_folders(&t, folder);
    if (!status) status = check(&t, found, false, false);
    if (!status) memcpy(real, found, strlen(found) + 1);
    return status;
}

/* The path is that of a descriptor: what it stands for does not change. */
sup_status sup_trust_folder(const char *what, int folder, bool own, sup_diag *diag) {
    char path[PATH_MAX], name[40];
    struct stat s;
    trial t = {.what = what, .done = "put there", .also = (uid_t)-1, .diag = diag};
    snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(name, path, sizeof path - 1);
    if (n < 0 || fstat(folder, &s)) return sup_diag_errno(diag, SUP_EPERM, NULL, "cannot look at the folder");
    path[n] = 0;
    sup_status status = judge(&t, path, &s, true, !own);
    if (status || !own || s.st_uid == geteuid()) return status;
    return sup_diag_set(diag, SUP_EPERM, NULL, 0, "the folder %s is not yours, so %s is not put there", path, what);
}
