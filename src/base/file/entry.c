/* Walking along a path, folder by folder. The text of a link goes before what is left of the path, as in the kernel. */
#include "base/file/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS 40 /* as many as the kernel follows */

typedef struct walk {
    const char *shown; /* the whole path, for messages */
    sup_diag *diag;
    sup_entry_enter *enter; /* NULL: folders are not asked about */
    void *context;
    bool make;
    int at; /* the folder where we are */
    int links;
    char rest[PATH_MAX]; /* the way from there */
} walk;

static sup_status no_way(const walk *w) {
    return sup_diag_errno(w->diag, errno == ENOENT ? SUP_ENOENT : SUP_EIO, w->shown, "cannot write");
}

static sup_status step_into(walk *w, int folder, const char *name) {
    if (w->at >= 0) close(w->at);
    w->at = folder;
    return w->enter ? w->enter(w->context, folder, name, w->diag) : SUP_OK;
}

/* The way begins at the root or where the process is. */
static sup_status begin(walk *w) {
    const char *from = w->rest[0] == '/' ? "/" : ".";
    int folder = open(from, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return folder < 0 ? no_way(w) : step_into(w, folder, from);
}

static sup_status set_rest(walk *w, const char *text, const char *after) {
    char joined[PATH_MAX];
    int n = snprintf(joined, sizeof joined, "%s%s%s", text, *after ? "/" : "", after);
    if (n < 0 || (size_t)n >= sizeof joined) {
        errno = ENAMETOOLONG;
        return no_way(w);
    }
    memcpy(w->rest, joined, (size_t)n + 1);
    return SUP_OK;
}

/* The first name of what is left, which moves on behind it. *last: nothing follows. */
static bool next_name(walk *w, char name[NAME_MAX + 1], bool *last) {
    const char *from = w->rest + strspn(w->rest, "/");
    size_t length = strcspn(from, "/");
    if (length > NAME_MAX) return false;
    memcpy(name, from, length);
    name[length] = 0;
    from += length;
    *last = !from[strspn(from, "/")];
    memmove(w->rest, from + strspn(from, "/"), strlen(from + strspn(from, "/")) + 1);
    return true;
}

static bool is_trusted(uid_t owner) { return owner == 0 || owner == geteuid(); }

/* Nobody but root and the caller puts anything into the folder. */
static bool is_closed(int folder) {
    struct stat st;
    return !fstat(folder, &st) && is_trusted(st.st_uid) && !(st.st_mode & (S_IWOTH | S_IWGRP | S_ISVTX));
}

/* Links of /proc lead to what a process has open, not to their text. */
static bool is_of_proc(int folder) {
    struct statfs fs;
    return !fstatfs(folder, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* With *object: the link leads to what somebody has open, and nothing follows. */
static sup_status follow(walk *w, int link, const struct stat *is, const char *name, bool last, int *object) {
    char text[PATH_MAX];
    if (!is_trusted(is->st_uid) && !is_closed(w->at))
        return sup_diag_set(w->diag, SUP_EIO, w->shown, 0,
                            "\"%.200s\" is another user's link (of user %lu); name what it leads to", name,
                            (unsigned long)is->st_uid);
    if (++w->links > LINKS) {
        errno = ELOOP;
        return no_way(w);
    }
    if (is_of_proc(w->at)) {
        bool end = last && !w->make;
        int open = openat(w->at, name, O_PATH | O_CLOEXEC | (end ? 0 : O_DIRECTORY));
        if (open < 0) return no_way(w);
        if (!end) return step_into(w, open, name);
        *object = open;
        return SUP_OK;
    }
    ssize_t n = readlinkat(link, "", text, sizeof text - 1);
    if (n < 0) return no_way(w);
    text[n] = 0;
    char after[PATH_MAX];
    memcpy(after, w->rest, strlen(w->rest) + 1);
    sup_status status = set_rest(w, text, after);
    return !status && text[0] == '/' ? begin(w) : status;
}

static int open_name(const walk *w, const char *name) { return openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC); }

static sup_status make_folder(const walk *w, const char *name, bool last, int *out) {
    if (mkdirat(w->at, name, last ? 0700 : 0755) && errno != EEXIST)
        return sup_diag_errno(w->diag, SUP_EIO, w->shown, "cannot make the folder");
    *out = open_name(w, name);
    return *out < 0 ? no_way(w) : SUP_OK;
}

static void arrive(walk *w, const char *name, int object, const struct stat *is, sup_entry *out) {
    *out = (sup_entry){.folder = w->at, .object = object};
    if (object >= 0) out->is = *is;
    fstat(w->at, &out->holds);
    snprintf(out->name, sizeof out->name, "%s", name);
    w->at = -1;
}

/* One name further. *there: the end was reached, and `out` says where. */
static sup_status step(walk *w, bool *there, sup_entry *out) {
    char name[NAME_MAX + 1];
    bool last;
    struct stat is = {0};
    if (!next_name(w, name, &last)) {
        errno = ENAMETOOLONG;
        return no_way(w);
    }
    if (!*name) memcpy(name, ".", 2); /* the path was "/" */
    int object = open_name(w, name), reached = -1;
    sup_status status = SUP_OK;
    if (object < 0 && errno == ENOENT && w->make) status = make_folder(w, name, last, &object);
    if (status) return status;
    if (object < 0 && !(errno == ENOENT && last)) return no_way(w);
    if (object >= 0 && fstat(object, &is)) status = no_way(w);
    if (!status && object >= 0 && S_ISLNK(is.st_mode)) {
        status = follow(w, object, &is, name, last, &reached);
        close(object);
        if (status || reached < 0) return status;
        *out = (sup_entry){.folder = -1, .object = reached};
        *there = !fstat(reached, &out->is);
        if (*there) return SUP_OK;
        close(reached);
        return no_way(w);
    }
    if (!status && (last && !w->make)) {
        *there = true;
        arrive(w, name, object, &is, out);
        return SUP_OK;
    }
    if (!status && !S_ISDIR(is.st_mode)) {
        errno = ENOTDIR;
        status = no_way(w);
    }
    if (status) {
        close(object);
        return status;
    }
    *there = last; /* only where folders are made */
    return step_into(w, object, name);
}

static sup_status go(walk *w, sup_entry *out) {
    size_t length = strlen(w->shown);
    bool there = false;
    errno = length ? ENAMETOOLONG : ENOENT;
    if (!length || length >= sizeof w->rest) return no_way(w);
    memcpy(w->rest, w->shown, length + 1);
    sup_status status = begin(w);
    while (!status && !there) status = step(w, &there, out);
    if (status || w->make || w->shown[length - 1] != '/') return status;
    if (out->object >= 0 && S_ISDIR(out->is.st_mode)) return SUP_OK;
    errno = out->object < 0 ? ENOENT : ENOTDIR;
    sup_entry_close(out);
    return no_way(w);
}

sup_status sup_entry_find(const char *path, sup_diag *diag, sup_entry *out) {
    walk w = {.shown = path, .diag = diag, .at = -1};
    sup_entry place = {.folder = -1, .object = -1};
    sup_status status = go(&w, &place);
    if (w.at >= 0) close(w.at);
    if (!status) *out = place;
    return status;
}

void sup_entry_close(sup_entry *place) {
    if (place->folder >= 0) close(place->folder);
    if (place->object >= 0) close(place->object);
    place->folder = place->object = -1;
}

sup_status sup_entry_make(const char *path, sup_entry_enter *enter, void *context, sup_diag *diag, int *folder) {
    walk w = {.shown = path, .diag = diag, .enter = enter, .context = context, .make = true, .at = -1};
    sup_entry unused = {.folder = -1, .object = -1};
    sup_status status = go(&w, &unused);
    if (!status)
        *folder = w.at;
    else if (w.at >= 0)
        close(w.at);
    return status;
}

bool sup_entry_is_own(const sup_entry *place) { return place->object >= 0 && place->is.st_uid == geteuid(); }

bool sup_entry_is_foreign(const sup_entry *place) {
    if (place->folder < 0) return false;
    return !is_trusted(place->holds.st_uid) || place->holds.st_mode & (S_IWOTH | S_ISVTX);
}
