/* How a run ends before its time: bsp_abort, misuse, a peer that is gone. BSPlib has no error returns, so these print
 * and exit; nothing else in the library does. */
#include "bsp/calls/last_words.h"
#include "bsp/check/check.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENDED_WELL = 1000 };

void bsp_vabort(const char *format, va_list args) {
    bsp_words w = {.kind = BSP_WORDS_PLAIN, .rank = bsp_rt.pid};
    int n = vsnprintf(w.text, sizeof w.text, format, args);
    size_t len = n < 0 ? 0 : strlen(w.text);
    if (len && w.text[len - 1] == '\n') w.text[len - 1] = 0;
    bsp_last_words(&w);
}

void bsp_abort(const char *format, ...) {
    va_list args;
    va_start(args, format);
    bsp_vabort(format, args);
}

void bsp_fail(const char *call, const char *format, ...) {
    bsp_words w = {.kind = BSP_WORDS_CALL, .rank = bsp_rt.pid, .superstep = bsp_rt.superstep};
    char reason[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (bsp_rt.launch.check && bsp_rt.phase == BSP_INSIDE)
        bsp_check_error(bsp_site_here(), bsp_rt.pid, call, "%s", reason);
    if (bsp_rt.phase != BSP_INSIDE) w.kind = BSP_WORDS_PLAIN;
    snprintf(w.call, sizeof w.call, "%s", call);
    snprintf(w.text, sizeof w.text, "%s%s%s", w.kind ? "" : call, w.kind ? "" : ": ", reason);
    bsp_last_words(&w);
}

/* On one machine the process that failed, or the monitor, has said why, and the monitor ends the others: one line is
 * enough, and the one that failed should be the first to go. */
static _Noreturn void await_the_end(void) {
    bsp_flush();
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
