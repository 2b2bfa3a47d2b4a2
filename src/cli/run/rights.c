/* Programs with more rights than their caller: setuid, setgid, or with capabilities of the file. They listen to no
 * launcher, lest somebody else decide what they do. Those of this library say so themselves; one that is linked with
 * another version of it would run as several separate programs without a word. */
#include "cli/run/run.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool has_rights(const char *program) {
    struct stat s;
    if (stat(program, &s)) return false;
    if (s.st_mode & S_ISUID && s.st_uid != getuid()) return true;
    if (s.st_mode & S_ISGID && s.st_mode & S_IXGRP && s.st_gid != getgid()) return true;
    return getxattr(program, "security.capability", NULL, 0) > 0;
}

int sup_run_apart(const char *program) {
    return has_rights(program) && sup_run_linked_bsp(program) ? SUP_EXIT_SYSTEM : 0;
}
