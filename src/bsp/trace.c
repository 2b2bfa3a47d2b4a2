/* Recording of supersteps: counts what the program asks for and measures the three terms of a superstep as it sees
 * them.
 *
 *     … computation │ waiting for the slowest │ the real sync │ computation …
 *       compute_s   │ wait_s: a barrier of    │ sync_s        │
 *                   │ our own                 │               │
 *
 * Without the extra barrier the time of a sync would be that of the slowest process. It also carries whether anybody
 * has switched recording off, so that all processes leave out the same supersteps.
 *
 * A program may have several sections. Recording goes on from one to the next, and the file is written at the end of
 * each, with all that was recorded up to there. */
#include "bsp/trace.h"
#include "base/clock.h"
#include "base/file.h"
#include "bsp/message.h"
#include "net/numbers.h"

#include <superstep/trace.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIT_OFF = 1 };
enum { EXIT_NO_TRACE = 3, LAST_WORDS_US = 200000 };

static struct {
    const bsp_exchange *inner;
    bsp_trace_book book;
    sup_barrier *barrier; /* where signals may be used; by messages otherwise */
    int procs;            /* of the first section; 0: there was none yet */
    bool begun, off;
    bool lost;     /* it could not be written */
    bool left_out; /* this section has another number of processes, and a trace has one */
    bool warned;
    int64_t begin_ns, last_ns; /* end of the last sync */
    double wall_s, earlier_s;  /* of all sections up to now, and without the one that runs */
    uint64_t early_bytes;      /* counted by the exchange up to the last sync */
    char path[PATH_MAX];
    pid_t owner;
    bool guarded;
} t;

void sup_trace_off(void) { t.off = true; }
void sup_trace_on(void) { t.off = false; }

/* ---- the barrier ---- */

/* Dissemination by messages: with a progress thread every use of the net takes its lock, which must not be held while
 * waiting. */
static unsigned barrier_by_messages(bsp_runtime *b, unsigned bits) {
    msg_exchange *x = b->ex;
    unsigned char mine = (unsigned char)bits;
    for (int step = 1, round = 0; step < b->nprocs; step *= 2, round++) {
        sup_net_req out, in;
        unsigned char theirs = 0;
        int to = (b->pid + step) % b->nprocs, from = (b->pid - step + b->nprocs) % b->nprocs;
        msg_lock(x);
        sup_status st = sup_net_irecv(b->net, from, SUP_TAG_TRACE + round, &theirs, 1, &in);
        if (!st) st = sup_net_isend(b->net, to, SUP_TAG_TRACE + round, &mine, 1, &out);
        msg_unlock(x);
        msg_check("bsp_sync", st);
        msg_wait(b, &in);
        msg_wait(b, &out);
        mine |= theirs;
    }
    return mine;
}

static unsigned barrier(bsp_runtime *b, unsigned bits) {
    if (!t.barrier) return barrier_by_messages(b, bits);
    unsigned all = bits;
    sup_status st = sup_barrier_run(t.barrier, bits, &all);
    if (st) bsp_fail_status("bsp_sync", st);
    return all;
}

static uint64_t early_bytes(const bsp_runtime *b) { return t.barrier ? 0 : ((const msg_exchange *)b->ex)->early_bytes; }

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
    return sup_file_check(t.path, diag);
}

static sup_status traced_open(bsp_runtime *b, sup_diag *diag) {
    sup_status st = t.procs ? SUP_OK : prepare_file(b, diag);
    if (!st) st = t.inner->open(b, diag);
    t.begun = false;
    t.earlier_s = t.wall_s;
    t.early_bytes = 0;
    bool first = !t.procs;
    if (first) t.procs = b->nprocs;
    t.left_out = b->nprocs != t.procs;
    if (st || b->pid >= b->nprocs || t.left_out) return st;
    if (first) st = bsp_trace_book_open(&t.book, b->nprocs);
    if (!st && b->net->arena_bytes) {
        sup_net_group everybody = sup_net_group_first(b->net, b->nprocs);
        sup_pattern pattern = sup_pattern_make(&sup_generator_dissemination, b->nprocs);
        st = sup_barrier_new(&everybody, &pattern, SUP_SLOT_TRACE, &t.barrier);
    }
    if (!st && t.barrier) sup_barrier_begin_at(t.barrier, b->section.origin);
    if (!st) return SUP_OK;
    bsp_trace_book_close(&t.book);
    t.inner->close(b);
    return sup_diag_set(diag, st, NULL, 0, "cannot record a trace: %s", sup_status_text(st));
}

/* The exchange is closed first: its progress thread is gone then, and the net is ours. */
static void traced_close(bsp_runtime *b) {
    t.inner->close(b);
    if (t.left_out && b->pid == 0 && !t.warned)
        dprintf(STDERR_FILENO, "superstep: a section on %d of the processes is not in the trace, which is of %d\n",
                b->procs, t.procs);
    t.warned |= t.left_out;
    if (b->pid >= b->procs || t.left_out) return;
    sup_diag diag = {0};
    sup_status st = bsp_trace_gather(b, &t.book, t.wall_s, t.path, &diag);
    t.lost = st && b->pid == 0;
    if (t.lost)
        dprintf(STDERR_FILENO, "superstep: the trace %s was not written: %s\n", t.path,
                diag.text[0] ? diag.text : sup_status_text(st));
    bsp_barrier_close(b, t.barrier);
    t.barrier = NULL;
}

/* ---- calls ---- */

static void count(int pid, int kind, size_t bytes) {
    if (!t.left_out) bsp_trace_count(&t.book, pid, kind, bytes);
}

static void traced_put(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    count(pid, SUP_TRACE_PUT, len);
    t.inner->put(b, pid, remote, src, len);
}

static void traced_hpput(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    count(pid, SUP_TRACE_HPPUT, len);
    t.inner->hpput(b, pid, remote, src, len);
}

static void traced_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    count(pid, SUP_TRACE_GET, len);
    t.inner->get(b, pid, remote, dst, len);
}

static void traced_hpget(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    count(pid, SUP_TRACE_HPGET, len);
    t.inner->hpget(b, pid, remote, dst, len);
}

static void traced_send(bsp_runtime *b, int pid, const void *tag, const void *payload, size_t len) {
    count(pid, SUP_TRACE_SEND, len + b->tag_size);
    t.inner->send(b, pid, tag, payload, len);
}

/* The sync of bsp_begin ends no superstep. What recording itself takes is in none of the three times. */
static void traced_sync(bsp_runtime *b, bool ending) {
    if (!t.begun || t.left_out) {
        t.inner->sync(b, ending);
        t.begun = true;
        t.begin_ns = t.last_ns = sup_clock_ns();
        return;
    }
    int64_t entered = sup_clock_ns();
    uint64_t early = early_bytes(b);
    unsigned all = barrier(b, t.off ? BIT_OFF : 0);
    int64_t together = sup_clock_ns();
    t.inner->sync(b, ending);
    int64_t done = sup_clock_ns();
    const double time[BSP_TRACE_TIMES] = {[BSP_TRACE_COMPUTE] = sup_clock_seconds(t.last_ns, entered),
                                          [BSP_TRACE_WAIT] = sup_clock_seconds(entered, together),
                                          [BSP_TRACE_SYNC] = sup_clock_seconds(together, done)};
    bsp_trace_book_note(&t.book, !(all & BIT_OFF), b->site, time, early - t.early_bytes);
    t.early_bytes = early_bytes(b);
    t.wall_s = t.earlier_s + sup_clock_seconds(t.begin_ns, done);
    t.last_ns = sup_clock_ns();
}

/* It counts as an unbuffered get, which it could have been; the time it takes is the program's own. */
static void traced_direct_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    bsp_trace_count(&t.book, pid, SUP_TRACE_HPGET, len);
    t.inner->direct_get(b, pid, remote, dst, len);
}

static const bsp_exchange traced = {"traced",   traced_open,  traced_close, traced_put,  traced_hpput,
                                    traced_get, traced_hpget, traced_send,  traced_sync, traced_direct_get};

const bsp_exchange *bsp_trace_wrap(bsp_runtime *b, const bsp_exchange *inner) {
    (void)b;
    t.inner = inner;
    return &traced;
}
