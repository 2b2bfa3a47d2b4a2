/* Where the plans of this machine are (default_plan.h):
 *
 *     $XDG_CONFIG_HOME/superstep/plans/TOPOLOGY-TRANSPORT-PROCESSES.json        or below ~/.config
 *
 * The two variables are read here and nowhere else. What is found there is followed by programs, so nobody but root
 * and the user may have put it there (net/trust.h). */
#include "cli/frame/default_plan.h"

#include "base/file/entry.h"
#include "net/launch/launch.h"
#include "net/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sup_status too_long(sup_diag *diag) {
    return sup_diag_set(diag, SUP_EIO, NULL, 0, "the path of the user's plans is too long");
}

static sup_status find_folder(sup_diag *diag, char folder[PATH_MAX]) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool own = config && config[0] == '/'; /* others count as not set, says its specification */
    if (!own && (!home || home[0] != '/'))
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                            "neither XDG_CONFIG_HOME nor HOME says where the plans of this user are");
    int length = snprintf(folder, PATH_MAX, "%s%s/superstep/plans", own ? config : home, own ? "" : "/.config");
    return length >= PATH_MAX ? too_long(diag) : SUP_OK;
}

/* A name of a file that says nothing but what it should. */
static bool is_digest(const char *text) { return *text && strspn(text, "0123456789abcdef") == strlen(text); }

static bool is_transport(const char *text) {
    for (const char *const *net = sup_launch_nets; *net; net++)
        if (!strcmp(*net, text)) return strcmp(text, "auto") != 0 && strcmp(text, "mpi") != 0;
    return false;
}

sup_status sup_default_plan_path(const char *topology, const char *transport, int64_t processes, sup_diag *diag,
                                 char path[PATH_MAX]) {
    char folder[PATH_MAX];
    if (!is_digest(topology) || !is_transport(transport))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no plan is kept for the transport \"%.40s\"", transport);
    sup_status st = find_folder(diag, folder);
    if (st) return st;
    int length = snprintf(path, PATH_MAX, "%s/%s-%s-%" PRId64 ".json", folder, topology, transport, processes);
    return length >= PATH_MAX ? too_long(diag) : SUP_OK;
}

/* Trust comes first: nothing is made or written below a folder that is not root's or the user's alone. */
static sup_status enter(void *what, int folder, const char *name, sup_diag *diag) {
    (void)name;
    return sup_trust_folder(what, folder, false, diag);
}

/* Readable by its user alone; in a folder that only he and root write in, so its path means the same throughout. */
static sup_status write_plan(const sup_plan *plan, const char *path, int folder, sup_diag *diag) {
    struct stat st;
    const char *name = strrchr(path, '/') + 1;
    if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode))
        return sup_diag_set(diag, SUP_EPERM, path, 0, "is no plain file");
    mode_t before = umask(077);
    sup_status status = sup_plan_write(plan, path, diag);
    umask(before);
    if (!status && fchmodat(folder, name, 0600, 0))
        return sup_diag_errno(diag, SUP_EIO, path, "cannot change who may write");
    return status;
}

sup_status sup_default_plan_install(const sup_plan *plan, sup_diag *diag, char path[PATH_MAX]) {
    const sup_origin *o = &plan->signature;
    char folder[PATH_MAX], real[PATH_MAX], what[] = "the plan";
    int fd = -1;
    sup_status st = sup_default_plan_path(o->topology, o->transport, o->processes, diag, path);
    if (!st) st = find_folder(diag, folder);
    if (!st) st = sup_entry_make(folder, enter, what, diag, &fd);
    if (st) return st;
    st = sup_trust_folder(what, fd, true, diag);
    if (!st) st = write_plan(plan, path, fd, diag);
    if (!st && sup_trust_file(path, (uid_t)-1, diag, real)) { /* which no run would follow */
        st = SUP_EPERM;
        unlinkat(fd, strrchr(path, '/') + 1, 0);
    }
    close(fd);
    return st;
}

/* "TOPOLOGY-TRANSPORT-PROCESSES.json" of the wanted kind? */
static bool is_wanted(const char *name, const char *topology, const char *transport, int64_t processes) {
    size_t length = strlen(topology);
    if (strncmp(name, topology, length) != 0 || name[length] != '-') return false;
    char net[32], end[8];
    int64_t count;
    if (sscanf(name + length + 1, "%31[a-z]-%" SCNd64 "%7s", net, &count, end) != 3 || strcmp(end, ".json") != 0)
        return false;
    return is_transport(net) && (!transport || !strcmp(transport, net)) && (!processes || processes == count);
}

sup_status sup_default_plan_each(const char *topology, const char *transport, int64_t processes, sup_diag *diag,
                                 sup_status (*visit)(const char *path, void *context), void *context) {
    char folder[PATH_MAX], path[PATH_MAX];
    struct dirent **names = NULL;
    sup_status st = find_folder(diag, folder);
    if (st) return st;
    int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0) return errno == ENOENT ? SUP_OK : sup_diag_errno(diag, SUP_EIO, folder, "cannot read the folder");
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
        if (!st && fits && is_wanted(name, topology, transport, processes)) st = visit(path, context);
        free(names[i]);
    }
    free(names);
    return st;
}
