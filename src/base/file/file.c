/* Reading a file whole. file/write.c writes one. */
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sup_status too_large(const char *path, size_t most, sup_diag *diag) {
    return sup_diag_set(diag, SUP_EPARSE, path, 0, "larger than %zu MiB", most >> 20);
}

/* Opened without waiting, so that a FIFO nobody writes to reads as empty instead of hanging; read with waiting, so that
 * a pipe that is still being written is read to its end. */
static sup_status open_text(const char *path, size_t most, sup_diag *diag, int *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return sup_diag_errno(diag, errno == ENOENT ? SUP_ENOENT : SUP_EIO, path, "cannot open");
    struct stat st = {0};
    bool known = fstat(fd, &st) == 0, large = known && S_ISREG(st.st_mode) && (uintmax_t)st.st_size > most;
    if (large || (known && S_ISDIR(st.st_mode))) {
        close(fd);
        return large ? too_large(path, most, diag) : sup_diag_set(diag, SUP_EIO, path, 0, "is a folder");
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    *out = fd;
    return SUP_OK;
}

sup_status sup_file_read(const char *path, size_t most, sup_diag *diag, char **out, size_t *out_length) {
    int fd = -1;
    sup_status status = open_text(path, most, diag, &fd);
    if (status) return status;
    char *text = NULL;
    size_t room = 0, length = 0;
    for (ssize_t n = 1; n != 0 && !status;) {
        if (room - length < 2) { /* with its terminator */
            room = room ? 2 * room : 1 << 16;
            char *more = realloc(text, room);
            if (!more) status = sup_diag_set(diag, SUP_ENOMEM, path, 0, "out of memory");
            if (!more) break;
            text = more;
        }
        n = read(fd, text + length, room - length - 1);
        if (n > 0) length += (size_t)n;
        if (n < 0 && errno != EINTR) status = sup_diag_errno(diag, SUP_EIO, path, "cannot read");
        if (length > most) status = too_large(path, most, diag);
    }
    close(fd);
    if (status) {
        free(text);
        return status;
    }
    text[length] = 0;
    *out = text;
    *out_length = length;
    return SUP_OK;
}

bool sup_file_first_line(const char *path, char *buf, size_t size) {
    FILE *f = fopen(path, "re");
    if (!f) return false;
    bool ok = fgets(buf, (int)size, f) != NULL;
    fclose(f);
    if (ok) buf[strcspn(buf, "\n")] = 0;
    return ok && buf[0];
}
