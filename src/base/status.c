/* Status codes and diagnostics: what every other module uses to say that, where and why something failed. */
#include "base/status.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sup_status_text(sup_status status) {
    switch (status) {
    case SUP_OK: return "success";
    case SUP_ENOMEM: return "out of memory";
    case SUP_EINVAL: return "invalid argument";
    case SUP_EIO: return "input/output error";
    case SUP_EPARSE: return "malformed input";
    case SUP_EVERSION: return "unsupported version";
    case SUP_EMISMATCH: return "does not match this machine or run";
    case SUP_ENOTSUP: return "not available here";
    case SUP_EPERM: return "not permitted";
    case SUP_ENOENT: return "not found";
    case SUP_EPEER: return "another process of the run is gone";
    case SUP_ETIMEOUT: return "timed out";
    case SUP_EBUSY: return "busy";
    case SUP_EINTR: return "interrupted";
    case SUP_ETRUNC: return "message longer than its buffer";
    default: return "unknown status";
    }
}

/* Names in parentheses are no macros, which they are for the analyzer. */
sup_status(sup_diag_set)(sup_diag *diag, sup_status status, const char *file, int line, const char *format, ...) {
    if (!diag) return status;
    diag->status = status;
    diag->line = line;
    snprintf(diag->file, sizeof diag->file, "%s", file ? file : "");
    va_list args;
    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    sup_text_make_plain(diag->file); /* what diagnostics quote was written by others, and ends on a terminal */
    sup_text_make_plain(diag->text);
    return status;
}

sup_status(sup_diag_errno)(sup_diag *diag, sup_status status, const char *file, const char *what) {
    return sup_diag_set(diag, status, file, 0, "%s: %s", what, strerror(errno));
}

void sup_diag_format(const sup_diag *diag, char *buf, unsigned long size) {
    const char *text = diag->text[0] ? diag->text : sup_status_text(diag->status);
    if (diag->file[0] && diag->line > 0)
        snprintf(buf, size, "%s:%d: %s", diag->file, diag->line, text);
    else if (diag->file[0])
        snprintf(buf, size, "%s: %s", diag->file, text);
    else
        snprintf(buf, size, "%s", text);
}
