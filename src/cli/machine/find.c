/* Reference profiles: profiles of machines that were measured for everybody, installed with the tool as
 * share/superstep/machines/NAME.json. They are looked for
 *
 *     in machines/ of the source tree, if this program is in its build folder
 *     in ../share/superstep/machines beside the program's folder (an installation that was moved)
 *     where they were installed
 *
 * and nowhere else. A name has no slash, so it leads to no other folder. Measured parts of what is composed. */
#include "base/text.h"
#include "cli/machine/machine.h"
#include "cli/machine_dir.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".json";

static bool is_name(const char *text) {
    size_t length = strlen(text);
    return length && length < SUP_MACHINE_NAME && text[0] != '.' && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

/* ---- the folder ---- */

static bool is_below(const char *path, const char *folder) {
    char root[PATH_MAX];
    if (!realpath(folder, root)) return false;
    size_t length = strlen(root);
    return !strncmp(path, root, length) && path[length] == '/';
}

static bool is_there(const char *folder) { return access(folder, R_OK | X_OK) == 0; }

/* Where they are; "": nowhere. */
static const char *machine_folder(void) {
    static char folder[PATH_MAX + 64];
    char own[PATH_MAX];
    if (folder[0]) return folder;
    if (!realpath("/proc/self/exe", own)) own[0] = 0;
    char *slash = strrchr(own, '/');
    if (is_below(own, SUP_BUILD_ROOT) && is_there(SUP_MACHINE_SOURCE)) {
        snprintf(folder, sizeof folder, "%s", SUP_MACHINE_SOURCE);
        return folder;
    }
    if (slash) {
        *slash = 0;
        snprintf(folder, sizeof folder, "%s/../share/superstep/machines", own);
        if (is_there(folder)) return folder;
    }
    snprintf(folder, sizeof folder, "%s", is_there(SUP_MACHINE_DIR) ? SUP_MACHINE_DIR : "");
    return folder;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

size_t sup_machine_names(char names[SUP_MACHINES][SUP_MACHINE_NAME]) {
    const char *folder = machine_folder();
    DIR *dir = *folder ? opendir(folder) : NULL;
    size_t count = 0;
    if (!dir) return 0;
    for (const struct dirent *entry; count < SUP_MACHINES && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name), end = sizeof suffix - 1;
        if (length <= end || length - end >= SUP_MACHINE_NAME || strcmp(entry->d_name + length - end, suffix)) continue;
        snprintf(names[count], SUP_MACHINE_NAME, "%.*s", (int)(length - end), entry->d_name);
        if (is_name(names[count])) count++;
    }
    closedir(dir);
    qsort(names, count, SUP_MACHINE_NAME, by_name);
    return count;
}

/* ---- one of them ---- */

/* The file of a reference profile; false: there is none of that name. */
static bool reference(const char *name, char path[SUP_MACHINE_PATH]) {
    const char *folder = machine_folder();
    if (!*folder || !is_name(name)) return false;
    snprintf(path, SUP_MACHINE_PATH, "%s/%s%s", folder, name, suffix);
    return access(path, R_OK) == 0;
}

static sup_status no_such(const char *name, sup_diag *diag) {
    static char names[SUP_MACHINES][SUP_MACHINE_NAME];
    const char *known[SUP_MACHINES + 1] = {NULL};
    size_t count = sup_machine_names(names);
    for (size_t i = 0; i < count; i++) known[i] = names[i];
    const char *meant = sup_nearest(name, known);
    return sup_diag_set(diag, SUP_ENOENT, name, 0, "No such file, and no name of `superstep machine list`%s%s%s",
                        meant ? ": did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

sup_status sup_machine_path(const char *name, sup_diag *diag, char path[SUP_MACHINE_PATH]) {
    if (!access(name, F_OK) && strlen(name) < SUP_MACHINE_PATH)
        memcpy(path, name, strlen(name) + 1);
    else if (!reference(name, path))
        return no_such(name, diag);
    return SUP_OK;
}

sup_status sup_machine_read(const char *name, sup_diag *diag, sup_profile **out) {
    char path[SUP_MACHINE_PATH];
    sup_status status = sup_machine_path(name, diag, path);
    if (!status) status = sup_profile_read(path, false, diag, out);
    if (status && !diag->file[0]) snprintf(diag->file, sizeof diag->file, "%s", name);
    return status;
}

/* A file by its own name, without folders: those of one machine say nothing to another. What no profile could hold has
 * no name. */
const char *sup_machine_called(const char *name) {
    const char *slash = strrchr(name, '/');
    const char *own = slash && slash[1] ? slash + 1 : name;
    return *own && sup_text_is_plain(own) ? own : "a profile";
}
