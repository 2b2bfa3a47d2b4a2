/* Finding and loading a transport's plug-in: superstep-net-NAME.so, from the first of these places that has it:
 *
 *     each directory of SUPERSTEP_PLUGIN_PATH
 *     src/net/mpi of the build tree that this program or library lies in, if it lies in one
 *     superstep/ beside libsuperstep (an installation that was moved)
 *     the install directory
 *
 * A plug-in stays loaded until the process ends: an MPI cannot be unloaded. */
#include "base/status.h"
#include "net/net.h"
#include "net/plugin_dir.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct search {
    const char *name;
    char looked[400]; /* the places that did not have it, for the diag */
    char found[PATH_MAX];
} search;

static void note(search *s, const char *dir) {
    if (strstr(s->looked, dir)) return;
    size_t used = strlen(s->looked), room = sizeof s->looked - used;
    int n = snprintf(s->looked + used, room, "%s%s", used ? ", " : "", dir);
    if (n < 0 || (size_t)n >= room) memcpy(s->looked + sizeof s->looked - 4, "...", 4);
}

static bool look(search *s, const char *dir) {
    int n = snprintf(s->found, sizeof s->found, "%s/superstep-net-%s.so", dir, s->name);
    if (n > 0 && (size_t)n < sizeof s->found && access(s->found, R_OK) == 0) return true;
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
            if (look(s, dir)) return true;
        }
        path += n + (path[n] == ':');
    }
    return false;
}

/* Cuts the last component off; false if there is none left. */
static bool parent(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    *slash = '\0';
    return path[0] != '\0';
}

/* A build tree is known by Meson's own folder: a directory that merely has such a name must not be trusted. */
static bool look_in_build(search *s, const char *file) {
    char dir[PATH_MAX], probe[PATH_MAX + 32];
    if (snprintf(dir, sizeof dir, "%s", file) >= (int)sizeof dir) return false;
    while (parent(dir)) {
        snprintf(probe, sizeof probe, "%s/meson-private", dir);
        if (access(probe, F_OK) != 0) continue;
        snprintf(probe, sizeof probe, "%s/src/net/mpi", dir);
        return look(s, probe);
    }
    return false;
}

static bool look_beside(search *s, const char *file) {
    char dir[PATH_MAX], probe[PATH_MAX + 32];
    if (snprintf(dir, sizeof dir, "%s", file) >= (int)sizeof dir || !parent(dir)) return false;
    snprintf(probe, sizeof probe, "%s/superstep", dir);
    return strcmp(probe, SUP_PLUGIN_DIR) != 0 && access(probe, F_OK) == 0 && look(s, probe);
}

static bool locate(search *s) {
    if (look_in_path(s, secure_getenv("SUPERSTEP_PLUGIN_PATH"))) return true;
    char program[PATH_MAX] = "", library[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    Dl_info info;
    if (dladdr((const void *)SUP_PLUGIN_DIR, &info) && info.dli_fname && !realpath(info.dli_fname, library))
        library[0] = '\0';
    return look_in_build(s, program) || look_in_build(s, library) || look_beside(s, library) || look(s, SUP_PLUGIN_DIR);
}

/* Two MPIs in one process would take each other's symbols. Open MPI is known by an object only it has. */
static bool other_mpi_is_loaded(const char *name) {
    if (!dlsym(RTLD_DEFAULT, "MPI_Init")) return false;
    return (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL) != !strcmp(name, "openmpi");
}

static sup_status load(const search *s, sup_diag *diag, const sup_net_plugin **out) {
    if (other_mpi_is_loaded(s->name))
        return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "this program is linked with another MPI than %s",
                            s->name);
    /* Global: Open MPI loads components of its own, which expect to find its symbols. */
    void *handle = dlopen(s->found, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "cannot load the transport: %s", dlerror());
    const sup_net_plugin *p = dlsym(handle, "sup_net_plugin");
    if (!p) return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "is no transport: it has no sup_net_plugin");
    if (p->abi != SUP_NET_PLUGIN_ABI)
        return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "is of interface version %d, this program needs %d",
                            p->abi, SUP_NET_PLUGIN_ABI);
    if (strcmp(p->name, s->name) != 0)
        return sup_diag_set(diag, SUP_EMISMATCH, s->found, 0, "is the transport '%s', not '%s'", p->name, s->name);
    *out = p;
    return SUP_OK;
}

sup_status sup_net_plugin_find(const char *name, sup_diag *diag, const sup_net_plugin **out) {
    if (!name[0] || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "'%s' is not the name of a transport", name);
    search s = {.name = name};
    if (!locate(&s))
        return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "no transport '%s': superstep-net-%s.so is not in %s", name,
                            name, s.looked);
    return load(&s, diag, out);
}
