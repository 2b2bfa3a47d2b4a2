/* How a run ends before its time: bsp_abort, misuse, a peer that is gone. BSPlib has no error returns, so these print
 * and exit; nothing else in the library does. */
#include "bsp/check.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ABORT_CODE = 1, ENDED_WELL = 1000 };

void bsp_end_all(void) {
    fflush(stdout);
    fflush(stderr);
    bsp_rt.phase = BSP_AFTER; /* some transports call exit: nobody has forgotten bsp_end */
    if (bsp_rt.net) sup_net_abort(bsp_rt.net, ABORT_CODE);
    _exit(ABORT_CODE);
}

/* One write, so that the lines of several processes do not mix. */
static void say(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t n = write(STDERR_FILENO, text, left);
        if (n <= 0) return;
        text += n;
        left -= (size_t)n;
    }
}

void bsp_vabort(const char *format, va_list args) {
    char text[4096];
    int n = vsnprintf(text, sizeof text - 1, format, args);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof text - 2 ? (size_t)n : sizeof text - 2;
    if (len == 0 || text[len - 1] != '\n') text[len++] = '\n';
    text[len] = 0;
    say(text);
    bsp_end_all();
}

void bsp_abort(const char *format, ...) {
    va_list args;
    va_start(args, format);
    bsp_vabort(format, args);
}

void bsp_fail(const char *call, const char *format, ...) {
    char reason[1024], text[1280];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (bsp_rt.launch.check && bsp_rt.phase == BSP_INSIDE)
        bsp_check_error(bsp_site_here(), bsp_rt.pid, call, "%s", reason);
    if (bsp_rt.phase == BSP_INSIDE)
        snprintf(text, sizeof text, "%s: %s (rank %d, superstep %llu)\n", call, reason, bsp_rt.pid,
                 (unsigned long long)bsp_rt.superstep);
    else
        snprintf(text, sizeof text, "%s: %s\n", call, reason);
    say(text);
    bsp_end_all();
}

/* On one machine the process that failed, or the monitor, has said why, and the monitor ends the others: one line is
 * enough, and the one that failed should be the first to go. */
static _Noreturn void await_the_end(void) {
    for (int i = 0; i < 20; i++) usleep(100000);
    bsp_end_all();
}

void bsp_fail_status(const char *call, sup_status st) {
    int rank = -1, cause = 0;
    if (st == SUP_EPEER && bsp_rt.net && sup_net_failure(bsp_rt.net, &rank, &cause) && rank >= 0) {
        if (cause != ENDED_WELL && !strcmp(sup_net_name(bsp_rt.net), "shm")) await_the_end();
        if (cause >= 1000) bsp_fail(call, "rank %d has ended with exit code %d", rank, cause - 1000);
        bsp_fail(call, "rank %d was ended by signal %d", rank, cause);
    }
    bsp_fail(call, "%s", sup_status_text(st));
}

void *bsp_grow(void *old, size_t bytes, const char *call) {
    void *p = realloc(old, bytes);
    if (!p) bsp_fail(call, "out of memory (%zu bytes)", bytes);
    return p;
}
