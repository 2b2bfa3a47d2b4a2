/* Internal side of the error contract in <superstep/status.h>: filling a diag. */
#ifndef SUP_BASE_STATUS_H
#define SUP_BASE_STATUS_H

#include <superstep/status.h>

#include <stddef.h>

/* Fills diag (may be NULL) and returns status, so that a failing function can end in one line:
 *     return sup_diag_set(diag, SUP_EPARSE, name, line, "expected a number, got %s", what);
 * file may be NULL, line 0. */
sup_status sup_diag_set(sup_diag *diag, sup_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same with the text of errno appended: "cannot open: No such file or directory". */
sup_status sup_diag_errno(sup_diag *diag, sup_status status, const char *file, const char *what);

#ifdef __clang_analyzer__ /* which does not look into other files: a failure stays one */
#define sup_diag_set(diag, status, ...) (sup_diag_set(diag, status, __VA_ARGS__), (status))
#define sup_diag_errno(diag, status, ...) (sup_diag_errno(diag, status, __VA_ARGS__), (status))
#endif

static inline sup_status sup_diag_no_memory(sup_diag *diag) {
    sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    return SUP_ENOMEM;
}

#endif
