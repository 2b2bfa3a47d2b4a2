/* bsp_init, bsp_begin, bsp_end: processes come and go.
 *
 * Under a launcher every process runs main from its start. If main named its parallel function to bsp_init, the
 * processes other than the first go straight there, so that what main does around it is done once. A program that is
 * run directly parts into processes at bsp_begin; the original process stays behind as their monitor.
 *
 *     rank 0      … bsp_begin ══ section ══ bsp_end … goes on alone … bsp_begin ══ section ══ bsp_end … exit
 *     the others  … bsp_begin ══ section ══ bsp_end   wait            bsp_begin ══ section ══ bsp_end   wait  exit
 *
 * Processes and transport stay for as long as the program runs: an MPI cannot be started twice. From the wait the
 * others go to the function that bsp_init was given; without one they come out of bsp_end when rank 0 has come to the
 * next bsp_begin, and go through what is in between themselves. A program that is run directly and wants more
 * processes than there are parts again: rank 0 becomes the monitor of the new ones. */
#include "base/clock.h"
#include "bsp/calls/last_words.h"
#include "bsp/calls/section.h"
#include "bsp/collective/area.h"
#include "bsp/collective/straight.h"
#include "bsp/engine/state.h"
#include "bsp/heap/heap.h"
#include "machine/usable.h"
#include "net/launch/monitor.h"
#include "net/shm/shm.h"

#include <bsp.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/bsp_inline.h>
#include <sys/sysinfo.h>
#include <unistd.h>

__attribute__((weak)) bool bsp_takes_at_load(void) { return true; }

/* Calls of programs, for whoever looks for the line of the program that made one. */
static bsp_entry *const entries[] = {
    (bsp_entry *)bsp_put,        (bsp_entry *)bsp_hpput,          (bsp_entry *)bsp_get,        (bsp_entry *)bsp_hpget,
    (bsp_entry *)bsp_send,       (bsp_entry *)bsp_sync,           (bsp_entry *)bsp_end,        (bsp_entry *)bsp_begin,
    (bsp_entry *)bsp_init,       (bsp_entry *)bsp_push_reg,       (bsp_entry *)bsp_pop_reg,    (bsp_entry *)bsp_pid,
    (bsp_entry *)bsp_time,       (bsp_entry *)bsp_set_tagsize_as, (bsp_entry *)bsp_qsize_as,   (bsp_entry *)bsp_move,
    (bsp_entry *)bsp_get_tag_as, (bsp_entry *)bsp_hpmove,         (bsp_entry *)bsp_direct_get, (bsp_entry *)bsp_get_any,
    (bsp_entry *)bsp_send_any,   (bsp_entry *)bsp_put_,           (bsp_entry *)bsp_hpput_,
};

/* Before the program's first line: what it starts, be it before its first BSP call, is no part of the run. */
__attribute__((constructor)) static void take_launch(void) {
    bsp_site_entries(entries, sizeof entries / sizeof entries[0], (bsp_entry *)bsp_init);
    if (bsp_takes_at_load()) bsp_launch();
}

static bool comes; /* this process must come to the transport, even if only to say that it has nothing to do there */
static bool parts; /* the program was run directly, and has parted into processes */

/* ---- cores ---- */

/* Those this process might use when it was first asked: a rank that has been pinned has but one. At least one entry. */
static struct { int count, list[SUP_SHM_MAX_PROCS]; } cores;

static int usable_cores(void) {
    sup_limits limits;
    if (cores.count) return cores.count;
    cores.list[0] = -1;
    cores.count = 1;
    if (sup_limits_read("", &limits)) return 1;
    int n = limits.affinity_count < SUP_SHM_MAX_PROCS ? limits.affinity_count : SUP_SHM_MAX_PROCS;
    if (limits.affinity && n > 0) {
        memcpy(cores.list, limits.affinity, (size_t)n * sizeof *cores.list);
        cores.count = n;
    }
    int quota = (int)(limits.cpu_quota + 0.1);
    sup_limits_free(&limits);
    if (quota >= 1 && quota < cores.count) cores.count = quota;
    return cores.count;
}

/* As it was before this process was pinned. */
static void unpin(void) {
    cpu_set_t *set = CPU_ALLOC(65536);
    size_t bytes = CPU_ALLOC_SIZE(65536);
    if (!set || cores.list[0] < 0) return;
    CPU_ZERO_S(bytes, set);
    for (int i = 0; i < cores.count; i++) CPU_SET_S((size_t)cores.list[i], bytes, set);
    (void)sched_setaffinity(0, bytes, set);
    CPU_FREE(set);
}

int bsp_nprocs(void) {
    if (bsp_rt.phase == BSP_INSIDE) return bsp_rt.procs;
    if (!parts && bsp_launch()->launched && bsp_launch()->size > 0) return bsp_launch()->size;
    int found = usable_cores();
    return found > bsp_rt.procs ? found : bsp_rt.procs;
}

/* ---- the end of the program ---- */

static pid_t owner; /* a child that the program forks may exit as it likes */

static void close_net(bsp_runtime *b) {
    b->net->keep_memory = true; /* blocks of the shared heap may still be in use */
    sup_net_close(b->net);
    b->net = NULL;
}

/* An MPI waits for ever in its initialisation for a process that ends before it: so that one comes, and says so. On one
 * machine the monitor does. */
static void exit_without_begin(bsp_runtime *b) {
    sup_diag diag;
    if (!comes || sup_net_open(&b->launch, &diag, &b->net)) return;
    b->pid = b->net->rank;
    if (b->pid == 0)
        bsp_section_tell(b, 0);
    else if (bsp_section_hear(b, false))
        bsp_fail("bsp_begin", "rank %d ends without calling it", b->pid);
    close_net(b);
}

/* Launchers of MPI end everything at an exit code other than 0, and drop what they have not forwarded by then. */
static void let_words_pass(const bsp_runtime *b, int status) {
    bool on_one_machine = !strcmp(sup_net_name(b->net), "shm") || !strcmp(sup_net_name(b->net), "self");
    if (status != 0 && !on_one_machine) usleep(50000);
}

static void at_exit(int status, void *unused) {
    (void)unused;
    bsp_runtime *b = &bsp_rt;
    if (getpid() != owner) return;
    if (b->phase == BSP_BEFORE && !b->net) exit_without_begin(b);
    /* an MPI that cannot go on exits by itself, in the middle of a call of ours, and has said why */
    if (b->phase == BSP_INSIDE && !bsp_site_is_nested()) bsp_fail("bsp_end", "the program exits without calling it");
    if (b->told) bsp_fail("bsp_begin", "rank %d ends without calling it", b->pid);
    if (b->phase != BSP_AFTER || !b->net) return;
    let_words_pass(b, status);
    if (b->pid == 0) bsp_section_tell(b, 0);
    close_net(b);
}

static void watch_exit(void) {
    static bool watched;
    owner = getpid();
    if (!watched) on_exit(at_exit, NULL);
    watched = true;
}

/* ---- opening ---- */

/* Runs directly: part into processes, each on a core of its own if there are enough. */
static void part(int procs) {
    int found = usable_cores();
    bool enough = procs <= found && cores.list[0] >= 0;
    sup_monitor_options opt = {.size = procs,
                               .cores = enough ? cores.list : NULL,
                               .oversubscribed = procs > found,
                               .name = program_invocation_short_name,
                               .tell = &bsp_rt.launch};
    sup_diag diag;
    sup_launch mine;
    if (sup_monitor_part(&opt, &diag, &mine)) bsp_fail("bsp_begin", "%s", diag.text);
    bsp_rt.launch = mine;
    parts = true;
}

enum { HEAP_LEAST = 1 << 20 };

/* How much memory of new blocks may be taken before the program touches it: an eighth of this process's share of what
 * is free, or of what its control group may have. None where the process may run on cores of several memory nodes:
 * there the thread that touches a page first decides on which node it lies. */
static size_t fill_in_advance(int processes) {
    struct sysinfo memory;
    if (!sup_limits_one_node("") || sysinfo(&memory) != 0) return 0;
    size_t bytes = (size_t)memory.freeram * memory.mem_unit, limit = sup_limits_memory("");
    if (limit && limit < bytes) bytes = limit;
    return bytes / 8 / (size_t)processes;
}

/* The heap moves into memory that all processes can address; what was allocated before stays private. */
static void share_heap(bsp_runtime *b) {
    if (b->heap) {
        sup_heap_resume();
        return;
    }
    sup_status st = sup_net_region_alloc(b->net, b->net->arena_bytes, &b->heap);
    /* its tables are private memory, of which there may be less (ulimit -d, strict overcommitting) */
    size_t bytes = st ? 0 : b->heap->len;
    if (!st) st = sup_heap_start(b->heap->base, bytes);
    while (st == SUP_ENOMEM && bytes > HEAP_LEAST) st = sup_heap_start(b->heap->base, bytes /= 2);
    int fd;
    size_t offset;
    if (!st && !sup_net_region_backing(b->net, b->heap, &fd, &offset)) st = sup_heap_backing(b->heap->base, fd, offset);
    if (!st) sup_heap_fill_up_to(fill_in_advance(sup_net_size(b->net)));
    if (st && st != SUP_ENOTSUP) bsp_fail("bsp_begin", "no shared heap: %s", sup_status_text(st));
}

static _Noreturn void fail_open(const sup_diag *diag, sup_status status) {
    char text[sizeof diag->file + sizeof diag->text + 32];
    sup_diag_format(diag, text, sizeof text);
    bsp_fail("bsp_begin", "%s", diag->text[0] ? text : sup_status_text(status));
}

static void open_net(bsp_runtime *b) {
    sup_diag diag;
    sup_status st = sup_net_open(&b->launch, &diag, &b->net);
    if (st == SUP_ENOENT) exit(EXIT_SUCCESS); /* main has ended without a parallel part */
    if (st) fail_open(&diag, st);
    b->pid = b->net->rank;
}

/* Run directly, and more processes are wanted than there are: those that there are end, and new ones part from this
 * one, with all that it has in memory. */
static void part_again(bsp_runtime *b, int procs) {
    bsp_section_tell(b, 0);
    close_net(b);
    if (b->launch.segment_fd >= 0) close(b->launch.segment_fd);
    b->launch.segment_fd = -1;
    b->heap = NULL; /* the processes that part have a view of their own of it */
    b->section = (bsp_section){0};
    b->procs = procs;
    unpin();
    part(procs);
}

static void heed_refusal(const char *call) {
    if (bsp_launch()->refused) bsp_fail(call, "%s", sup_launch_refusal);
}

/* ---- sections ---- */

static jmp_buf again;
static bool serving;

/* Opens what a section needs; processes that are not in it take part in that, and wait for its end. */
static void open_section(bsp_runtime *b) {
    b->procs = b->nprocs = b->section.procs;
    b->superstep = b->section.superstep;
    b->told = false;
    /* "auto" begins eagerly: small transfers are packed anyway */
    b->eager = strcmp(b->launch.engine, "bulk") != 0 && !b->launch.check;
    if (!b->plan) bsp_plan_open(b);
    if (b->net->arena_bytes) share_heap(b);
    sup_diag diag = {0};
    sup_status st = bsp_chain_open(b, &diag);
    if (st) fail_open(&diag, st);
}

static void close_section(bsp_runtime *b) {
    b->phase = BSP_AFTER;
    b->nprocs = 0;
    bsp_flush_as_before();
    sup_heap_stop();
    bsp_chain_close(b);
    bsp_reg_release(&b->reg);
    b->reg.last_addr = BSP_NO_ADDR;
    bsp_queue_release(&b->queue);
    bsp_coll_straight_close();
    sup_bsp_coll_reset();
    b->tag_size = b->next_tag_size = 0;
    b->changed = false;
}

static _Noreturn void leave(bsp_runtime *b) {
    b->phase = BSP_AFTER;
    if (b->net) close_net(b);
    exit(EXIT_SUCCESS);
}

/* Ranks above 0 between sections: until one begins that this process is in, or the program ends. */
static void await_section(bsp_runtime *b) {
    fflush(NULL); /* what it has printed comes before what rank 0 prints behind the section */
    while (bsp_section_hear(b, true)) {
        b->told = true;
        if (b->pid < b->section.procs) return;
        open_section(b);
        close_section(b);
    }
    leave(b);
}

/* The life of a rank above 0 of a program that names its parallel function. */
static _Noreturn void serve(bsp_runtime *b) {
    serving = true;
    if (setjmp(again)) fflush(NULL);
    for (;;) {
        /* who comes here in the middle of a program may have heard of the section that begins */
        if (b->phase == BSP_AFTER && !b->told) await_section(b);
        if (b->told && bsp_section_function(b)) b->spmd = bsp_section_function(b);
        b->spmd();
        if (b->told) bsp_fail("bsp_begin", "rank %d returns without calling it", b->pid);
        if (b->phase != BSP_AFTER) exit(EXIT_SUCCESS); /* where it is found out */
    }
}

/* The first section has been told of, and this process is in the function that it heard of in bsp_init; meanwhile
 * rank 0 has named another one, which the section is of. */
static void change_function(bsp_runtime *b) {
    if (!serving || !bsp_section_function(b) || bsp_section_function(b) == b->spmd) return;
    b->told = true;
    watch_exit();
    longjmp(again, 1);
}

/* Behind bsp_end, or before the first section if it is without this process. */
static void go_on(bsp_runtime *b) {
    if (serving) longjmp(again, 1);
    if (b->spmd) serve(b);
    await_section(b);
    b->spmd = bsp_section_function(b);
    if (b->spmd) serve(b);
}

void bsp_init(void (*spmd)(void), int argc, char **argv) {
    (void)argc;
    (void)argv;
    if (!spmd) bsp_fail("bsp_init", "no function given");
    if (bsp_rt.phase == BSP_INSIDE) bsp_fail("bsp_init", "called after bsp_begin");
    heed_refusal("bsp_init");
    bsp_rt.spmd = spmd;
    if (bsp_rt.phase == BSP_AFTER) return;
    if (bsp_launch()->launched && strcmp(bsp_launch()->net, "shm") != 0 && strcmp(bsp_launch()->net, "self") != 0) {
        comes = true;
        watch_exit();
    }
    if (bsp_launch()->launched && bsp_launch()->rank > 0 && !serving) serve(&bsp_rt); /* else: called in the function */
}

/* Without a function to go to, a process that was not in the last section cannot come to this one. */
static int most_procs(const bsp_runtime *b) { return b->phase == BSP_AFTER && !b->spmd ? b->procs : b->net->size; }

void bsp_begin(int maxprocs) {
    bsp_runtime *b = &bsp_rt;
    if (b->phase == BSP_INSIDE) bsp_fail("bsp_begin", "called a second time");
    heed_refusal("bsp_begin");
    if (b->phase == BSP_AFTER && !b->net)
        bsp_fail("bsp_begin",
                 "called after bsp_end in a program that has started MPI itself: there is one section then");
    bool first = !bsp_launch()->launched || b->launch.rank <= 0;
    if (maxprocs < 1 && first) bsp_fail("bsp_begin", "the number of processes must be at least 1");
    bool direct = parts || !b->launch.launched;
    if (direct && maxprocs > SUP_SHM_MAX_PROCS) maxprocs = bsp_nprocs();
    if (direct && b->net && b->pid == 0 && maxprocs > most_procs(b))
        part_again(b, maxprocs);
    else if (direct && !b->net && maxprocs > 1)
        part(maxprocs);
    if (!b->net) open_net(b);
    if (b->pid == 0)
        bsp_section_tell(b, maxprocs < most_procs(b) ? maxprocs : most_procs(b));
    else if (!b->told) {
        if (!bsp_section_hear(b, false)) leave(b);
        change_function(b);
    }
    open_section(b);
    watch_exit();
    while (b->pid >= b->nprocs) {
        close_section(b);
        go_on(b); /* comes back, if at all, to a section with this process in it */
        open_section(b);
    }
    b->phase = BSP_INSIDE;
    b->epoch = 1;
    if (b->nprocs > 1) bsp_flush_lines();
    b->sync(b, false); /* everyone is here: time starts at the same moment */
    b->epoch++;
    b->start = sup_clock_now();
}

void bsp_end(void) {
    bsp_runtime *b = &bsp_rt;
    if (b->phase == BSP_BEFORE) bsp_fail("bsp_end", "called before bsp_begin");
    if (b->phase == BSP_AFTER) bsp_fail("bsp_end", "called after bsp_end");
    b->site = __builtin_return_address(0);
    b->sync(b, true);
    b->superstep++;
    close_section(b);
    if (!b->net->lasts) { /* the program ends what the transport stands on, when it likes */
        close_net(b);
        if (b->pid > 0) exit(EXIT_SUCCESS);
    }
    if (b->pid > 0) go_on(b);
}
