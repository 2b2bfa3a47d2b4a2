/* Finding and loading a transport's plug-in, superstep-net-NAME.so, and finding other libraries that lie beside it,
 * from the first of these places that has it:
 *
 *     each directory of SUPERSTEP_PLUGIN_PATH
 *     its folder (src/net/mpi) of the build tree that this code was built in, if the library or program with this code
 *     is in it
 *     superstep/ beside libsuperstep or libbsp (an installation that was moved)
 *     the install directory
 *
 * Nowhere else: what is loaded here runs with all that its caller may do. For the same reason a plug-in is refused if
 * somebody other than root or the caller could have put it there (net/trust.h). Who owns the library that this code is
 * in could have changed that as well, so an installation of a third user's serves others; but not root.
 *
 * A plug-in stays loaded until the process ends: an MPI cannot be unloaded. */
#include "base/status.h"
#include "net/net.h"
#include "net/plugin_dir.h"
#include "net/trust.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct search {
    const char *file;   /* what is looked for … */
    const char *folder; /* … and where it is in a build tree */
    sup_diag *diag;
    sup_status status;  /* why a plug-in that was found is refused */
    uid_t owner;        /* of the code that searches; -1 where that does not count */
    char own[PATH_MAX]; /* the library or program that this code is in, "" if unknown */
    bool library;       /* it is a library */
    char looked[400];   /* the places that did not have it, for the diag */
    char found[PATH_MAX];
} search;

static void note(search *s, const char *dir) {
    if (strstr(s->looked, dir)) return;
    size_t used = strlen(s->looked), room = sizeof s->looked - used;
    int n = snprintf(s->looked + used, room, "%s%s", used ? ", " : "", dir);
    if (n < 0 || (size_t)n >= room) memcpy(s->looked + sizeof s->looked - 4, "...", 4);
}

/* True also if it is there and may not be loaded: what another place has is not what was meant. */
static bool look(search *s, const char *dir, uid_t also) {
    char file[PATH_MAX];
    int n = snprintf(file, sizeof file, "%s/%s", dir, s->file);
    s->status = SUP_ENOENT;
    if (n > 0 && (size_t)n < sizeof file) s->status = sup_trust_file(file, also, s->diag, s->found);
    if (s->status != SUP_ENOENT) return true;
    note(s, dir);
    return false;
}

static bool look_in_path(search *s, const char *path) {
    char dir[PATH_MAX];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (n && n < sizeof dir) {
            memcpy(dir, path, n);
            dir[n] = '\0';
            if (look(s, dir, (uid_t)-1)) return true;
        }
        path += n + (path[n] == ':');
    }
    return false;
}

/* The same file is built and installed: where it lies tells which of the two it is. */
static bool look_in_build(search *s) {
    char root[PATH_MAX], dir[PATH_MAX];
    if (!realpath(SUP_BUILD_ROOT, root)) return false;
    size_t length = strlen(root);
    snprintf(dir, sizeof dir, "%s/%s", SUP_BUILD_ROOT, s->folder);
    return !strncmp(s->own, root, length) && s->own[length] == '/' && look(s, dir, s->owner);
}

static bool look_beside(search *s) {
    char dir[PATH_MAX + 16];
    const char *slash = strrchr(s->own, '/');
    if (!s->library || !slash) return false;
    snprintf(dir, sizeof dir, "%.*s/superstep", (int)(slash - s->own), s->own);
    return strcmp(dir, SUP_PLUGIN_DIR) != 0 && access(dir, F_OK) == 0 && look(s, dir, s->owner);
}

/* Which file has this code in it. The name that the loader has of the program itself is whatever its parent said. */
static void find_self(search *s) {
    Dl_info info;
    struct link_map *map = NULL;
    struct stat st;
    s->owner = (uid_t)-1;
    if (dladdr1((const void *)SUP_PLUGIN_DIR, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name[0])
        s->library = realpath(map->l_name, s->own) != NULL;
    else if (!realpath("/proc/self/exe", s->own))
        s->own[0] = 0;
    if (s->own[0] && geteuid() != 0 && !stat(s->own, &st)) s->owner = st.st_uid;
}

static bool locate(search *s) {
    find_self(s);
    return look_in_path(s, secure_getenv("SUPERSTEP_PLUGIN_PATH")) || look_in_build(s) || look_beside(s) ||
           look(s, SUP_PLUGIN_DIR, s->owner);
}

/* Two MPIs in one process would take each other's symbols. Open MPI is known by an object only it has. */
static bool other_mpi_is_loaded(const char *name) {
    if (!dlsym(RTLD_DEFAULT, "MPI_Init")) return false;
    return (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL) != !strcmp(name, "openmpi");
}

static sup_status load(const search *s, const char *name, sup_diag *diag, const sup_net_plugin **out) {
    if (s->status) return s->status;
    if (other_mpi_is_loaded(name))
        return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "this program is linked with another MPI than %s", name);
    /* Global: Open MPI loads components of its own, which expect to find its symbols. */
    void *handle = dlopen(s->found, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "cannot load the transport: %s", dlerror());
    const sup_net_plugin *p = dlsym(handle, "sup_net_plugin");
    if (!p) return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "is no transport: it has no sup_net_plugin");
    if (p->abi != SUP_NET_PLUGIN_ABI)
        return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "is of interface version %d, this program needs %d",
                            p->abi, SUP_NET_PLUGIN_ABI);
    if (strcmp(p->name, name) != 0)
        return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "is the transport '%s', not '%s'", p->name, name);
    *out = p;
    return SUP_OK;
}

sup_status sup_net_plugin_find(const char *name, sup_diag *diag, const sup_net_plugin **out) {
    char file[64];
    if (!name[0] || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "'%s' is not the name of a transport", name);
    snprintf(file, sizeof file, "superstep-net-%.32s.so", name);
    search s = {.file = file, .folder = "src/net/mpi", .diag = diag};
    if (!locate(&s))
        return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "no transport '%s': %s is not in %s", name, file, s.looked);
    return load(&s, name, diag, out);
}

sup_status sup_net_plugin_locate(const char *file, const char *folder, sup_diag *diag, char *out, size_t size) {
    search s = {.file = file, .folder = folder, .diag = diag};
    if (!locate(&s)) return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "%s is not in %s", file, s.looked);
    if (s.status) return s.status;
    if ((size_t)snprintf(out, size, "%s", s.found) >= size)
        return sup_diag_set(diag, SUP_EINVAL, s.found, 0, "the path is too long");
    return SUP_OK;
}
