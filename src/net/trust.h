/* Is a file such that its code may be loaded: can nobody but root and the caller have put it there? And is a folder
 * such that one may put something there for programs to follow? */
#ifndef SUP_NET_TRUST_H
#define SUP_NET_TRUST_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Gives the real path of `path` (no symbolic links, absolute) if the file and every folder above it belong to root or
 * to the effective user, and nobody else can write them. `also`: one more owner to accept, or (uid_t)-1.
 *
 * Writable by others means: by everybody, or by a group in which there is somebody else. A folder with the sticky bit
 * such as /tmp is accepted above the one that holds the file, for what lies in it is only its owner's to replace.
 *
 * The path stays good after the call: whoever could change what it names would have to write in one of these folders.
 * SUP_ENOENT: there is no such file; SUP_EPERM: diag says which path and why. */
sup_status sup_trust_file(const char *path, uid_t also, sup_diag *diag, char real[PATH_MAX]);

/* Does the open folder belong to root or the effective user, and can nobody else write there? Above the last one (own
 * false) the sticky bit will do; the last must be the user's own. SUP_EPERM: diag says why `what` is not put there. */
sup_status sup_trust_folder(const char *what, int folder, bool own, sup_diag *diag);

#endif
