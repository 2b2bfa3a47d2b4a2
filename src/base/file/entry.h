/* Where a path leads, found by descriptors: every folder on the way is opened once, below the one before, and nothing
 * is looked at twice. So nobody can change what a path means between a look and a use.
 *
 * A symbolic link is followed if it is root's or the caller's, or lies where only they can have put it. Any other leads
 * where another user wants it to. */
#ifndef SUP_BASE_FILE_ENTRY_H
#define SUP_BASE_FILE_ENTRY_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

typedef struct sup_entry {
    int folder;              /* that holds it; -1: it was reached through a descriptor (/dev/stdout) */
    char name[NAME_MAX + 1]; /* in the folder; no link */
    int object;              /* what is there (O_PATH); -1: nothing yet */
    struct stat is, holds;   /* of the object, of the folder */
} sup_entry;

/* May a folder on the way be entered? Asked from the first one ("/" or ".") on; `name` is for messages. */
typedef sup_status sup_entry_enter(void *context, int folder, const char *name, sup_diag *diag);

/* SUP_ENOENT: a folder on the way is missing; SUP_EIO: another user's link, or what the kernel says. To be closed. */
sup_status sup_entry_find(const char *path, sup_diag *diag, sup_entry *out);
void sup_entry_close(sup_entry *place);

/* The folder at `path`, made with all that is missing on the way (mode 0755, the last 0700). `enter` is asked of each
 * before anything is made in it. */
sup_status sup_entry_make(const char *path, sup_entry_enter *enter, void *context, sup_diag *diag, int *folder);

/* Is the object the caller's own? May others than root and the caller change what names in the folder stand for? */
bool sup_entry_is_own(const sup_entry *place);
bool sup_entry_is_foreign(const sup_entry *place);

#endif
