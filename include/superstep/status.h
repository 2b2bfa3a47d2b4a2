/* Status codes: how every Superstep call reports failure.
 *
 * A function that can fail returns sup_status: SUP_OK (0) or one of the negative codes below. Outputs are the last
 * arguments and are written only on success. Where a call can explain itself (a file with a mistake in it, a transport
 * that would not open) it takes a sup_diag; NULL means the caller does not want the explanation. */
#ifndef SUPERSTEP_STATUS_H
#define SUPERSTEP_STATUS_H

#include <superstep/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int sup_status;

enum {
    SUP_OK = 0,
    SUP_ENOMEM = -1,    /* memory, address space or locked-memory limit exhausted */
    SUP_EINVAL = -2,    /* an argument is out of its domain */
    SUP_EIO = -3,       /* the operating system refused to read, write, map or start something */
    SUP_EPARSE = -4,    /* a file is not what it claims to be; the diag has line and reason */
    SUP_EVERSION = -5,  /* a file of a schema version this build does not know */
    SUP_EMISMATCH = -6, /* right format, wrong machine, placement, process count or transport */
    SUP_ENOTSUP = -7,   /* not available in this build or on this machine */
    SUP_EPERM = -8,     /* not permitted (pinning, locking, another process's memory) */
    SUP_ENOENT = -9,    /* no such file, program, host or entry */
    SUP_EPEER = -10,    /* another process of the run is gone */
    SUP_ETIMEOUT = -11, /* a stated time passed without progress */
    SUP_EBUSY = -12,    /* cannot be done now, may be later */
    SUP_EINTR = -13,    /* stopped on request (signal, progress callback) */
    SUP_ETRUNC = -14    /* a message was longer than the buffer given for it */
};

/* Where and why. `file` and `text` are always terminated; `line` is 0 where a line makes no sense. */
typedef struct sup_diag {
    sup_status status;
    int line;
    char file[256];
    char text[512];
} sup_diag;

/* A short English sentence without a full stop, never NULL, for any code. */
SUP_API const char *sup_status_text(sup_status status);

/* Formats "file:line: text" (the parts that are there) into buf, always terminated. */
SUP_API void sup_diag_format(const sup_diag *diag, char *buf, unsigned long size);

#ifdef __cplusplus
}
#endif
#endif
