/* Files that are read and written whole or not at all, and files of one line. */
#ifndef SUP_BASE_FILE_H
#define SUP_BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* The bytes at path and a 0 after them, to be freed. A FIFO that nobody writes to is empty. SUP_ENOENT; SUP_EIO: cannot
 * be read, or a directory; SUP_EPARSE: more than `most` bytes; SUP_ENOMEM. */
sup_status sup_file_read(const char *path, size_t most, sup_diag *diag, char **out, size_t *out_length);

/* Puts the bytes at path, through a temporary file beside it and a rename: a reader sees the old file or the new one,
 * and whatever goes wrong (a full disk, a limit on sizes, an interrupt) leaves no temporary file. What is no plain
 * file, such as /dev/stdout, is written to as it is.
 *
 * A new file has mode 0666 under the umask; one that replaces the caller's own keeps who may read, write and execute
 * it. What belongs to another user is left alone in a folder that others may write in, that has the sticky bit, or that
 * is another user's; his links are not followed there (entry.h). SUP_EIO. */
sup_status sup_file_write(const char *path, const void *bytes, size_t length, sup_diag *diag);

/* Could sup_file_write put something there, as far as one can know before? The disk may still turn out to be full. */
sup_status sup_file_check(const char *path, sup_diag *diag);

/* The first line of a small file of the kernel, without its end. False: there is none, or it is empty. */
bool sup_file_first_line(const char *path, char *buf, size_t size);

#endif
