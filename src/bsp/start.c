/* bsp_init, bsp_begin, bsp_end: processes come and go.
 *
 * Under a launcher every process runs main from its start. If main named its parallel function to bsp_init, the
 * processes other than the first go straight there, so that what main does around it is done once. A program that is
 * run directly parts into processes at bsp_begin; the original process stays behind as their monitor. */
#include "base/clock.h"
#include "bsp/check.h"
#include "bsp/heap.h"
#include "bsp/last_words.h"
#include "bsp/state.h"
#include "bsp/trace.h"
#include "bsp/watchdog.h"
#include "machine/usable.h"
#include "net/monitor.h"
#include "net/shm.h"

#include <bsp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const sup_launch *bsp_launch(void) {
    static bool known;
    if (!known) sup_launch_read(&bsp_rt.launch);
    known = true;
    return &bsp_rt.launch;
}

/* Cores this process may use, as a list; at least one entry. */
static int usable_cores(int *cores, int room) {
    sup_limits limits;
    if (sup_limits_read("", &limits)) return cores[0] = -1, 1;
    int n = limits.affinity_count < room ? limits.affinity_count : room;
    if (limits.affinity && n > 0)
        memcpy(cores, limits.affinity, (size_t)n * sizeof *cores);
    else
        n = 1, cores[0] = -1;
    int quota = (int)(limits.cpu_quota + 0.1);
    sup_limits_free(&limits);
    return quota >= 1 && quota < n ? quota : n;
}

int bsp_nprocs(void) {
    if (bsp_rt.phase != BSP_BEFORE) return bsp_rt.procs;
    if (bsp_launch()->launched && bsp_launch()->size > 0) return bsp_launch()->size;
    int cores[SUP_SHM_MAX_PROCS];
    return usable_cores(cores, SUP_SHM_MAX_PROCS);
}

/* How many processes take part: what rank 0 asks for, 0 if it ends without a parallel part. The others may not know, if
 * main found it out behind bsp_init. */
static int agree(bsp_runtime *b, int maxprocs) {
    enum { SLOT = 2 };
    uint64_t asked = maxprocs > 0 ? (uint64_t)maxprocs : UINT64_MAX;
    sup_status st = SUP_OK;
    for (int q = 1; b->pid == 0 && q < b->net->size && !st; q++) st = sup_net_signal(b->net, q, SLOT, asked);
    if (b->pid > 0) st = sup_net_await(b->net, 0, SLOT, 1, &asked);
    if (st) bsp_fail_status("bsp_begin", st);
    if (asked == UINT64_MAX) return 0;
    return asked < (uint64_t)b->net->size ? (int)asked : b->net->size;
}

static pid_t owner; /* a child that the program forks may exit as it likes */

/* An MPI waits for ever in its initialisation for a process that ends before it: so that one comes, and says so. On one
 * machine the monitor does. */
static void exit_without_begin(void) {
    bsp_runtime *b = &bsp_rt;
    sup_diag diag;
    if (b->phase != BSP_BEFORE || b->net || getpid() != owner || sup_net_open(&b->launch, &diag, &b->net)) return;
    b->pid = b->net->rank;
    if (agree(b, 0)) bsp_fail("bsp_begin", "rank %d ends without calling it", b->pid);
    sup_net_close(b->net);
    b->net = NULL;
}

void bsp_init(void (*spmd)(void), int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (!spmd) bsp_fail("bsp_init", "no function given");
    if (bsp_rt.phase != BSP_BEFORE) bsp_fail("bsp_init", "called after bsp_begin");
    bsp_rt.spmd = spmd;
    if (bsp_launch()->launched && strcmp(bsp_launch()->net, "shm") != 0 && strcmp(bsp_launch()->net, "self") != 0) {
        owner = getpid();
        atexit(exit_without_begin);
    }
    if (bsp_launch()->launched && bsp_launch()->rank > 0) {
        spmd();
        exit(EXIT_SUCCESS);
    }
}

/* ---- begin ---- */

/* Runs directly: part into processes, each on a core of its own if there are enough. */
static void part(int procs) {
    int cores[SUP_SHM_MAX_PROCS], found = usable_cores(cores, SUP_SHM_MAX_PROCS);
    bool enough = procs <= found && cores[0] >= 0;
    sup_monitor_options opt = {.size = procs,
                               .cores = enough ? cores : NULL,
                               .oversubscribed = procs > found,
                               .name = program_invocation_short_name,
                               .tell = &bsp_rt.launch};
    sup_diag diag;
    sup_launch mine;
    if (sup_monitor_part(&opt, &diag, &mine)) bsp_fail("bsp_begin", "%s", diag.text);
    bsp_rt.launch = mine;
}

static void exit_without_end(void) {
    /* an MPI that cannot go on exits by itself, in the middle of a call of ours, and has said why */
    if (bsp_rt.phase == BSP_INSIDE && getpid() == owner && !bsp_site_is_nested())
        bsp_fail("bsp_end", "the program exits without calling it");
}

/* The heap moves into memory that all processes can address; what was allocated before stays private. */
static void share_heap(bsp_runtime *b) {
    sup_status st = sup_net_region_alloc(b->net, b->net->arena_bytes, &b->heap);
    if (!st) st = sup_heap_start(b->heap->base, b->heap->len);
    int fd;
    size_t offset;
    if (!st && !sup_net_region_backing(b->net, b->heap, &fd, &offset)) st = sup_heap_backing(b->heap->base, fd, offset);
    if (st && st != SUP_ENOTSUP) bsp_fail("bsp_begin", "no shared heap: %s", sup_status_text(st));
}

static void open_exchange(bsp_runtime *b) {
    sup_diag diag = {0};
    b->exchange = b->net->arena_bytes ? &bsp_exchange_shared : &bsp_exchange_message;
    if (b->launch.check)
        b->exchange = bsp_check_wrap(b, b->exchange);
    else if (!strcmp(b->launch.engine, "auto") || !b->launch.engine[0])
        b->exchange = bsp_auto_wrap(b, b->exchange);
    if (b->launch.trace[0]) b->exchange = bsp_trace_wrap(b, b->exchange);
    if (b->launch.deadlock_s > 0) b->exchange = bsp_watchdog_wrap(b, b->exchange);
    sup_status st = b->exchange->open(b, &diag);
    if (st) bsp_fail("bsp_begin", "%s", diag.text[0] ? diag.text : sup_status_text(st));
}

/* A process beyond the number the program asked for: keeps the others company at the end, and is gone. */
static _Noreturn void leave(bsp_runtime *b) {
    if (b->exchange) b->exchange->close(b);
    sup_net_close(b->net);
    b->phase = BSP_AFTER;
    exit(EXIT_SUCCESS);
}

void bsp_begin(int maxprocs) {
    bsp_runtime *b = &bsp_rt;
    if (b->phase == BSP_INSIDE) bsp_fail("bsp_begin", "called a second time");
    if (b->phase == BSP_AFTER) bsp_fail("bsp_begin", "called after bsp_end");
    bool first = !bsp_launch()->launched || b->launch.rank <= 0;
    if (maxprocs < 1 && first) bsp_fail("bsp_begin", "the number of processes must be at least 1");
    if (!bsp_launch()->launched && maxprocs > 1) part(maxprocs > SUP_SHM_MAX_PROCS ? bsp_nprocs() : maxprocs);
    sup_diag diag;
    sup_status st = sup_net_open(&b->launch, &diag, &b->net);
    if (st == SUP_ENOENT) exit(EXIT_SUCCESS); /* main has ended without a parallel part */
    if (st) bsp_fail("bsp_begin", "%s", diag.text);
    b->pid = b->net->rank;
    b->procs = b->nprocs = agree(b, maxprocs);
    if (!b->nprocs) leave(b);
    b->eager = strcmp(b->launch.engine, "bulk") != 0; /* "auto" begins eagerly: small transfers are packed anyway */
    bsp_plan_open(b);
    if (b->net->arena_bytes) share_heap(b);
    open_exchange(b);
    if (b->pid >= b->nprocs) leave(b);
    b->phase = BSP_INSIDE;
    b->epoch = 1;
    owner = getpid();
    atexit(exit_without_end);
    if (b->nprocs > 1) bsp_flush_lines();
    b->exchange->sync(b, false); /* everyone is here: time starts at the same moment */
    b->epoch++;
    b->start = sup_clock_now();
}

/* ---- end ---- */

void bsp_end(void) {
    bsp_runtime *b = &bsp_rt;
    if (b->phase == BSP_BEFORE) bsp_fail("bsp_end", "called before bsp_begin");
    if (b->phase == BSP_AFTER) bsp_fail("bsp_end", "called after bsp_end");
    b->site = __builtin_return_address(0);
    b->exchange->sync(b, true);
    b->phase = BSP_AFTER;
    b->nprocs = 0;
    bsp_flush_as_before();
    sup_heap_stop();
    b->exchange->close(b);
    bsp_reg_release(&b->reg);
    bsp_queue_release(&b->queue);
    b->net->keep_memory = true; /* blocks of the shared heap may be in use behind bsp_end */
    sup_net_close(b->net);
    b->net = NULL;
    if (b->pid > 0) exit(EXIT_SUCCESS);
}
