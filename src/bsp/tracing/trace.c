/* Recording of supersteps: counts what the program asks for and measures the terms of a superstep as it sees them.
 *
 *     … computation, with calls in between │ waiting for the slowest │ the real sync │ computation …
 *       compute_s, calls_s (tracing/calls.c) │ wait_s: a barrier of    │ sync_s        │
 *                                          │ our own (tracing/meet.c)  │               │
 *
 * Without the extra barrier the time of a sync would be that of the slowest process. It also carries whether anybody
 * has switched recording off, so that all processes leave out the same supersteps, and what all of them asked for.
 *
 * A program may have several sections. Recording goes on from one to the next, and the file is written at the end of
 * each, with all that was recorded up to there. A tap is given the same times, and needs no file: then what was counted
 * is forgotten at every sync. */
#include "bsp/tracing/trace.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "base/text.h"

#include <superstep/trace.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIT_OFF = 1 };
enum { EXIT_NO_TRACE = 3, LAST_WORDS_US = 200000 };

static struct {
    bsp_trace_book book;
    bsp_trace_calls calls;
    bsp_trace_fresh fresh;
    bsp_trace_meeting meeting;
    bsp_trace_tap *tap; /* NULL: nobody listens */
    void *tap_context;
    int procs; /* of the first section; 0: there was none yet */
    bool begun, off;
    bool lost;     /* it could not be written */
    bool left_out; /* this section has another number of processes, and a trace has one */
    bool warned;
    int64_t begin_ns, last_ns; /* end of the last sync */
    double wall_s, earlier_s;  /* of all sections up to now, and without the one that runs */
    uint64_t early_bytes;      /* counted by the engine up to the last sync */
    /* of the sync under way */
    int64_t entered, together;
    uint64_t early;
    bool keep;
    char path[PATH_MAX];
    pid_t owner;
    bool guarded;
} t;

void sup_trace_off(void) { t.off = true; }
void sup_trace_on(void) { t.off = false; }

void bsp_trace_tap_set(bsp_trace_tap *tap, void *context) {
    t.tap = tap;
    t.tap_context = context;
}

/* ---- opening and closing ---- */

/* The program may change its folder before the end. */
static void note_path(const char *file) {
    char folder[PATH_MAX] = "";
    if (file[0] != '/' && !getcwd(folder, sizeof folder)) folder[0] = 0;
    int n = snprintf(t.path, sizeof t.path, "%s%s%s", folder, folder[0] ? "/" : "", file);
    if (n < 0 || (size_t)n >= sizeof t.path) snprintf(t.path, sizeof t.path, "%s", file);
}

/* A program that ends well but for its trace does not end well. What others have yet to write comes first: the launcher
 * ends them when it sees this. glibc goes on with the handlers that are left. */
static void exit_without_trace(int status, void *unused) {
    (void)unused;
    if (!t.lost || status != 0 || getpid() != t.owner) return;
    t.lost = false;
    fflush(NULL);
    usleep(LAST_WORDS_US);
    exit(EXIT_NO_TRACE);
}

static sup_status prepare_file(bsp_runtime *b, sup_diag *diag) {
    note_path(b->launch.trace);
    if (b->pid > 0) return SUP_OK;
    t.owner = getpid();
    if (!t.guarded) on_exit(exit_without_trace, NULL);
    t.guarded = true;
    return sup_file_check(t.path, SUP_FILE_TRACE, true, diag);
}

static bool has_file(const bsp_runtime *b) { return b->launch.trace[0] != 0; }
static bool wanted(const bsp_runtime *b) { return has_file(b) || t.tap; }

static void call_nothing(void *context) {
    bsp_runtime *b = context;
    const bsp_transfer nothing = {.kind = BSP_PUT};
    b->transfer[BSP_PUT](b, &nothing);
}

/* What recording adds to a call: calls that reach this layer alone. */
static void time_calls(bsp_runtime *b) {
    const bsp_layer *first = b->layer[0];
    int layers = b->layers;
    b->layer[0] = &bsp_layer_trace;
    b->layers = 1;
    bsp_trace_calls_open(&t.calls, call_nothing, b);
    bsp_trace_forget(&t.book);
    b->layer[0] = first;
    b->layers = layers;
}

void bsp_trace_adjust(bsp_runtime *b) {
    if (t.begun && !t.left_out && !has_file(b)) time_calls(b);
}

static void calibrate(bsp_runtime *b) {
    time_calls(b);
    bsp_trace_fresh_open(&t.fresh);
}

static sup_status traced_open(bsp_runtime *b, sup_diag *diag) {
    sup_status st = t.procs || !has_file(b) ? SUP_OK : prepare_file(b, diag);
    t.begun = false;
    t.earlier_s = t.wall_s;
    t.early_bytes = b->early_bytes;
    bool first = !t.procs;
    if (first) t.procs = b->nprocs;
    t.left_out = b->nprocs != t.procs;
    if (st || t.left_out) return st;
    st = bsp_trace_meeting_open(b, has_file(b), &t.meeting);
    if (b->pid >= b->nprocs && !st) return SUP_OK;
    if (!st && first) st = bsp_trace_book_open(&t.book, b->nprocs);
    if (!st) {
        calibrate(b);
        return SUP_OK;
    }
    bsp_trace_book_close(&t.book);
    return sup_diag_set(diag, st, NULL, 0, "cannot record a trace: %s", sup_status_text(st));
}

/* The engine is closed already: its progress thread is gone, and the net is ours. */
static void traced_close(bsp_runtime *b) {
    bool file = has_file(b);
    if (t.left_out && b->pid == 0 && !t.warned && file)
        dprintf(STDERR_FILENO, "superstep: a section on %d of the processes is not in the trace, which is of %d\n",
                b->procs, t.procs);
    t.warned |= t.left_out;
    if (t.left_out) return;
    sup_diag diag = {0};
    bool inside = b->pid < b->procs;
    sup_status st = file && inside ? bsp_trace_gather(b, &t.book, t.wall_s, t.path, &diag) : SUP_OK;
    t.lost = st && b->pid == 0;
    if (t.lost)
        sup_text_print(stderr, "superstep: the trace %s was not written: %s\n", t.path,
                       diag.text[0] ? diag.text : sup_status_text(st));
    bsp_trace_meeting_close(b, &t.meeting);
}

/* ---- calls ---- */

static const int kinds[BSP_KINDS] = {
    [BSP_PUT] = SUP_TRACE_PUT,     [BSP_HPPUT] = SUP_TRACE_HPPUT, [BSP_GET] = SUP_TRACE_GET,
    [BSP_HPGET] = SUP_TRACE_HPGET, [BSP_SEND] = SUP_TRACE_SEND,   [BSP_DIRECT_GET] = SUP_TRACE_HPGET};

/* Whether memory is new to a large call is for the file alone: a tap has times, which are better without such looks. */
static bool looks(const bsp_runtime *b, const bsp_transfer *x) {
    return x->local.len >= BSP_TRACE_LARGE && has_file(b);
}

/* A direct get counts as an unbuffered get, which it could have been. */
static void call(bsp_runtime *b, const bsp_transfer *x) {
    if (t.left_out) return;
    if (looks(b, x)) t.fresh.call = bsp_trace_fresh_pages();
    bsp_trace_calls_begin(&t.calls);
    size_t tag = x->kind == BSP_SEND ? b->tag_size : 0;
    bsp_trace_count(&t.book, x->pid, kinds[x->kind], x->local.len + tag);
}

/* … but nothing travels behind it. */
static void called(bsp_runtime *b, const bsp_transfer *x) {
    if (t.left_out) return;
    bsp_trace_calls_end(&t.calls, x->kind == BSP_HPPUT || x->kind == BSP_HPGET);
    if (!looks(b, x)) return;
    t.fresh.calls_new += (bsp_trace_fresh_pages() - t.fresh.call) * t.fresh.page;
    t.calls.looking_s += 2 * t.fresh.look_s;
}

/* The sync of bsp_begin ends no superstep. What recording itself takes is in none of the times. */
static void traced_sync(bsp_runtime *b, bool ending) {
    (void)ending;
    if (!t.begun || t.left_out) return;
    t.entered = sup_clock_ns();
    t.fresh.sync = bsp_trace_fresh_pages();
    t.early = b->early_bytes;
    uint64_t asked = has_file(b) ? bsp_trace_book_hash(&t.book, b->site) : 0;
    t.keep = !(bsp_trace_meet(b, &t.meeting, t.off ? BIT_OFF : 0, asked * (2 * (uint64_t)b->pid + 1)) & BIT_OFF);
    t.together = sup_clock_ns();
}

static void traced_synced(bsp_runtime *b, bool ending) {
    (void)ending;
    int64_t done = sup_clock_ns();
    if (!t.begun || t.left_out) {
        t.begun = true;
        t.fresh.calls_new = 0;
        t.begin_ns = t.last_ns = done;
        return;
    }
    bsp_trace_seen seen = {.time = {[BSP_TRACE_WAIT] = sup_clock_seconds(t.entered, t.together),
                                    [BSP_TRACE_SYNC] = sup_clock_seconds(t.together, done)},
                           .calls_new = t.fresh.calls_new,
                           .sync_new = (bsp_trace_fresh_pages() - t.fresh.sync) * t.fresh.page};
    t.fresh.calls_new = 0;
    bsp_trace_calls_times(&t.calls, t.last_ns, t.entered, seen.time);
    bsp_trace_calls_clear(&t.calls);
    bsp_trace_book_note(&t.book, t.keep && has_file(b), b->site, bsp_trace_met(b, &t.meeting), &seen,
                        t.early - t.early_bytes);
    if (t.tap) t.tap(t.tap_context, seen.time);
    t.early_bytes = b->early_bytes;
    t.wall_s = t.earlier_s + sup_clock_seconds(t.begin_ns, done);
    t.last_ns = sup_clock_ns();
}

const bsp_layer bsp_layer_trace = {.wanted = wanted,
                                   .open = traced_open,
                                   .close = traced_close,
                                   .transfer = {[BSP_PUT] = call,
                                                [BSP_HPPUT] = call,
                                                [BSP_GET] = call,
                                                [BSP_HPGET] = call,
                                                [BSP_SEND] = call,
                                                [BSP_DIRECT_GET] = call},
                                   .called = called,
                                   .sync = traced_sync,
                                   .synced = traced_synced};
