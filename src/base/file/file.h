/* Files that are read and written whole or not at all, and files of one line. */
#ifndef SUP_BASE_FILE_FILE_H
#define SUP_BASE_FILE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* The bytes at path and a 0 after them, to be freed. A FIFO that nobody writes to is empty. SUP_ENOENT; SUP_EIO: cannot
 * be read, or a directory; SUP_EPARSE: more than `most` bytes; SUP_ENOMEM. */
sup_status sup_file_read(const char *path, size_t most, sup_diag *diag, char **out, size_t *out_length);

/* What a file is, by how it begins: "profile", "plan", "trace" and whatever else a file of records calls itself, or one
 * of these. Of a file that has nothing in it nobody asks. */
#define SUP_FILE_PROFILE "profile"
#define SUP_FILE_PLAN "plan"
#define SUP_FILE_TRACE "trace"
#define SUP_FILE_JSON "JSON file" /* that is nothing of the above */
#define SUP_FILE_REPORT "report"
#define SUP_FILE_FIGURE "figure"
#define SUP_FILE_SOURCE "barrier in C"
#define SUP_FILE_RULES "file of rules"
#define SUP_FILE_SWEEP "table of a sweep"
#define SUP_FILE_SCRIPT "gnuplot script"
#define SUP_FILE_TEXT "text file" /* that is nothing of the above */
#define SUP_FILE_BINARY "binary file"
enum { SUP_FILE_KIND = 40, SUP_FILE_LOOK = 1 << 16 };
/* The first SUP_FILE_LOOK bytes of a file are enough. */
void sup_file_kind(const void *begins, size_t length, char kind[SUP_FILE_KIND]);

/* Puts the bytes at path, through a temporary file beside it and a rename: a reader sees the old file or the new one,
 * and whatever goes wrong (a full disk, a limit on sizes, an interrupt) leaves no temporary file. What is no plain
 * file, such as /dev/stdout or /dev/null, is written to as it is.
 *
 * A file of another kind than the bytes is never replaced, one of their own kind if `over`; an empty one always.
 * A new file has mode 0666 under the umask; one that replaces the caller's own keeps who may read, write and execute
 * it. What belongs to another user is left alone in a folder that others may write in, that has the sticky bit, or that
 * is another user's; his links are not followed there (entry.h). SUP_EIO. */
sup_status sup_file_write(const char *path, const void *bytes, size_t length, bool over, sup_diag *diag);

/* Could sup_file_write put a file of that kind there, as far as one can know before? The disk may still turn out to be
 * full. */
sup_status sup_file_check(const char *path, const char *kind, bool over, sup_diag *diag);

/* Is there nothing at path but perhaps an empty file, as mktemp makes it? */
bool sup_file_is_nothing(const char *path);
/* Is it a place that is written to, and that cannot be replaced: /dev/stdout, a pipe? */
bool sup_file_is_stream(const char *path);

/* The first line of a small file of the kernel, without its end. False: there is none, or it is empty. */
bool sup_file_first_line(const char *path, char *buf, size_t size);

#endif
