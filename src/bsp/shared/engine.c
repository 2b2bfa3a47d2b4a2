/* The engine for processes that can address each other's memory: the fast path of BSP ch. 6 on one machine.
 *
 *     put, send    appended to the log for that process, in memory that it can read; it carries them out at the sync
 *     hpput        copied straight to its place if that place can be addressed, else as put
 *     get          copied straight from its place after the barrier; or the owner is asked for it (memory of its own)
 *
 * A sync is one barrier. What anybody did rides on its signals; if nobody did anything, that is all. If anybody reads,
 * a second barrier separates all reading from all writing.
 *
 *     … barrier 1 │ read for gets, help others read │ barrier 2 │ write gets, then puts as if by source rank │ next
 *
 * A process that is through may already write straight into the memory of one that is still carrying out puts; so it
 * looks first whether that one has `applied` the last superstep in which there was anything to do.
 *
 * Logs exist twice (even and odd supersteps): who has passed the next barrier knows that everyone has left this sync.
 */
#include "bsp/engine/log.h"
#include "bsp/shared/shared.h"
#include "net/wait.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- opening ---- */

static sup_status open_logs(bsp_runtime *b, bsp_shared *x) {
    size_t n = (size_t)b->nprocs;
    bsp_log *all = bsp_logs_map(2 * BSP_LOGS * n);
    if (!all) return SUP_ENOMEM;
    for (int parity = 0; parity < 2; parity++)
        for (int k = 0; k < BSP_LOGS; k++, all += n) x->log[parity][k] = all;
    for (int k = 0; k < BSP_LOGS; k++) {
        x->touched[k] = calloc((size_t)b->nprocs, sizeof(int));
        if (!x->touched[k]) return SUP_ENOMEM;
    }
    return SUP_OK;
}

static void shared_close(bsp_runtime *b) {
    bsp_shared *x = b->ex;
    if (!x) return;
    bsp_logs_unmap(x->log[0][0], 2 * BSP_LOGS * (size_t)b->procs);
    for (int k = 0; k < BSP_LOGS; k++) free(x->touched[k]);
    free(x->gets);
    free(x->list.at);
    free(x->deferred);
    free(x->buffer);
    free(x->applied);
    free(x->base);
    free(x->reply);
    free(b->views);
    b->views = NULL;
    b->view_bytes = 0;
    bsp_lanes_open(b, NULL, NULL, 0);
    b->get_cursor = b->get_limit = NULL;
    bsp_barrier_close(b, x->barrier);
    sup_net_region_free(b->net, x->desk);
    sup_net_region_free(b->net, x->region);
    free(x);
    b->ex = NULL;
}

static void view_heaps(bsp_runtime *b, bsp_shared *x) {
    if (!b->heap) return;
    b->view_bytes = b->heap->len;
    for (int p = 0; p < b->nprocs; p++)
        b->views[p] = (bsp_heap_view){sup_net_region_there(b->net, b->heap, p), sup_net_direct(b->net, b->heap, p)};
    x->kernel_copies = b->nprocs > 1 && sup_net_copies(b->net, (b->pid + 1) % b->nprocs);
}

static sup_status shared_open(bsp_runtime *b, sup_diag *diag) {
    bsp_shared *x = calloc(1, sizeof *x);
    if (!x) return SUP_ENOMEM;
    b->ex = x;
    /* Nothing is taken down where this fails: that would be a meeting of all, and the others do not know of it. */
    sup_status st = sup_net_region_alloc(b->net, b->net->arena_bytes, &x->region);
    if (!st) st = sup_net_region_alloc(b->net, sizeof(bsp_card), &x->desk);
    if (st) return st;
    x->base = calloc((size_t)b->nprocs, sizeof *x->base);
    x->applied = calloc((size_t)b->nprocs, sizeof *x->applied);
    x->reply = calloc((size_t)b->nprocs, sizeof *x->reply);
    b->views = calloc((size_t)b->nprocs, sizeof *b->views);
    if (!x->base || !x->applied || !x->reply || !b->views) return SUP_ENOMEM;
    for (int p = 0; p < b->nprocs; p++) x->base[p] = sup_net_direct(b->net, x->region, p);
    x->cards = sup_net_direct(b->net, x->desk, 0);
    x->card_step = b->nprocs > 1 ? (size_t)((unsigned char *)sup_net_direct(b->net, x->desk, 1) - x->cards) : 0;
    x->many = b->nprocs > BSP_MANY;
    if (b->pid < b->nprocs) { /* processes that were not asked for only open and close */
        x->arena = (bsp_arena){x->base[b->pid], bsp_shared_homes(b), b->net->arena_bytes};
        st = open_logs(b, x);
        if (!st) st = bsp_barrier_open(b, &x->barrier, diag);
        if (st) return st;
        view_heaps(b, x);
    }
    return SUP_OK;
}

/* ---- appending ---- */

static void shared_put(bsp_runtime *b, const bsp_transfer *t) {
    bsp_shared *x = b->ex;
    size_t need = bsp_record_bytes(t->local.len);
    unsigned char *p = bsp_room(b, x, BSP_LOG_PUT, t->pid, need);
    bsp_record_write(p, t->remote.at, (const void *)t->local.at, t->local.len);
    bsp_advance(b, x, BSP_LOG_PUT, t->pid, p + need);
}

/* Messages are preceded by their number and total length, in the first 16 bytes of the log. */
static unsigned char *__attribute__((noinline)) room_for_message(bsp_runtime *b, bsp_log *l, int pid, size_t need) {
    bsp_shared *x = b->ex;
    if (!l->cursor) l->cursor = bsp_shared_room(b, x, BSP_LOG_SEND, pid, sizeof(bsp_sum)) + sizeof(bsp_sum);
    return need <= (size_t)(l->limit - l->cursor) ? l->cursor : bsp_shared_room(b, x, BSP_LOG_SEND, pid, need);
}

static void shared_send(bsp_runtime *b, const bsp_transfer *t) {
    bsp_shared *x = b->ex;
    bsp_log *l = &x->log[b->epoch & 1][BSP_LOG_SEND][t->pid];
    size_t len = t->local.len, need = bsp_message_bytes(b->tag_size, len);
    unsigned char *p = l->cursor;
    if (!p || need > (size_t)(l->limit - p)) p = room_for_message(b, l, t->pid, need);
    l->cursor = p + need;
    l->packets++;
    l->bytes += len;
    bsp_message_write(p, t->tag, b->tag_size, (const void *)t->local.at, len);
}

/* ---- straight copies ---- */

/* Until pid has carried out the puts of the last superstep that had any. */
static void await_applied(bsp_runtime *b, bsp_shared *x, int pid) {
    if (x->applied[pid] >= x->busy_epoch) return;
    sup_patience naps = b->net->patience; /* nobody rings for this: it is seldom waited for */
    naps.nap_ns = 50000;
    naps.nap_max_ns = 1000000;
    sup_wait w = SUP_WAIT_INIT;
    while ((x->applied[pid] = atomic_load_explicit(&bsp_card_of(x, pid)->applied, memory_order_acquire)) <
           x->busy_epoch) {
        sup_wait_pause(&w, &naps, NULL);
        if (w.slow && sup_net_failure(b->net, NULL, NULL)) bsp_fail_status("bsp_hpput", SUP_EPEER);
    }
}

static void __attribute__((noinline)) defer(bsp_shared *x, int pid, void *to, const void *from, size_t len) {
    BSP_ROOM_FOR_ONE(x->deferred, x->deferrals, x->deferred_room, 64, "bsp_hpput");
    x->deferred[x->deferrals++] = (bsp_copy){to, from, len, pid};
}

/* Between memory here and memory of pid that is mapped here: now, or with the bulk engine at the sync. */
static inline void copy_mapped(bsp_runtime *b, bsp_shared *x, int pid, void *to, const void *from, size_t len) {
    if (!b->eager) {
        defer(x, pid, to, from, len);
        return;
    }
    await_applied(b, x, pid);
    memmove(to, from, len);
}

static void shared_hpput(bsp_runtime *b, const bsp_transfer *t) {
    bsp_shared *x = b->ex;
    size_t len = t->local.len;
    const void *src = (const void *)t->local.at;
    void *mapped = len >= SUP_DEFAULT_STRAIGHT_MIN ? bsp_mapped(b, t->pid, t->remote.at, len) : NULL;
    if (mapped) {
        copy_mapped(b, x, t->pid, mapped, src, len);
        return;
    }
    if (bsp_shared_by_kernel(b, x, len)) {
        await_applied(b, x, t->pid);
        if (!sup_net_copy_to(b->net, t->pid, (void *)t->remote.at, src, len)) return;
    }
    shared_put(b, t);
}

static void shared_hpget(bsp_runtime *b, const bsp_transfer *t) {
    bsp_shared *x = b->ex;
    const void *mapped = bsp_mapped(b, t->pid, t->remote.at, t->local.len);
    if (mapped)
        copy_mapped(b, x, t->pid, (void *)t->local.at, mapped, t->local.len);
    else
        bsp_shared_get(b, t);
}

/* Nobody is asked: the owner need not be anywhere near a sync. */
static void shared_direct_get(bsp_runtime *b, const bsp_transfer *t) {
    bsp_shared *x = b->ex;
    void *dst = (void *)t->local.at;
    const void *mapped = bsp_mapped(b, t->pid, t->remote.at, t->local.len);
    await_applied(b, x, t->pid);
    if (mapped) {
        memmove(dst, mapped, t->local.len);
        return;
    }
    if (!x->kernel_copies)
        bsp_fail("bsp_direct_get",
                 "process %d's memory at %p is not in its heap, and the kernel does not copy from there on this "
                 "machine: let it come from malloc, behind bsp_begin",
                 t->pid, (const void *)t->remote.at);
    sup_status st = sup_net_copy_from(b->net, t->pid, dst, (const void *)t->remote.at, t->local.len);
    if (st) bsp_fail_status("bsp_direct_get", st);
}

/* ---- the sync ---- */

static void close_logs(bsp_runtime *b, bsp_shared *x) {
    int parity = (int)(b->epoch & 1);
    for (int k = 0; k < BSP_LOGS; k++) {
        for (int i = 0; i < x->touches[k]; i++) {
            bsp_log *l = &x->log[parity][k][x->touched[k][i]];
            if (k == BSP_LOG_SEND) *(bsp_sum *)bsp_chunk_data(l->first) = (bsp_sum){l->packets, l->bytes};
            bsp_log_close(l);
            if (k == BSP_LOG_SEND) l->packets = l->bytes = 0;
        }
        x->touches[k] = 0;
    }
}

/* Bulk engine: unbuffered transfers wait for the sync. They come before the barrier, like those of the eager engine. */
static void run_deferred(bsp_runtime *b, bsp_shared *x) {
    for (int i = 0; i < x->deferrals; i++) {
        await_applied(b, x, x->deferred[i].pid);
        memmove(x->deferred[i].to, x->deferred[i].from, x->deferred[i].len);
    }
    x->deferrals = 0;
}

/* Reads for those who cannot: each request of a process is answered in order in a log for it. */
static void serve(bsp_runtime *b, bsp_shared *x) {
    for (int from = 0; from < b->nprocs; from++)
        for (bsp_chunk *c = bsp_shared_arrived(b, x, BSP_LOG_ASK, from); c; c = bsp_log_next(x->base[from], c))
            for (const unsigned char *at = bsp_chunk_data(c), *end = at + c->used; at < end;) {
                size_t len;
                const void *src = bsp_ask_read(&at, &len);
                size_t need = bsp_pad8(len);
                unsigned char *p = bsp_room(b, x, BSP_LOG_REPLY, from, need);
                memcpy(p, src, len);
                bsp_advance(b, x, BSP_LOG_REPLY, from, p + need);
            }
    close_logs(b, x);
    x->did = 0; /* answers are nobody's next superstep */
}

/* With whose puts to begin. If all began with rank 0, all would read its log at the same time, and then that of rank 1;
 * so large ones are taken from the next rank on. Where two ranks write to the same place the order of ranks decides,
 * and stays: stretches are compared, which costs a look at each record, so none may be shorter than a page. */
enum { IN_TURN_LEAST = 4096, IN_TURN_MOST = 64 };

static int first_source(const bsp_runtime *b, const bsp_shared *x) {
    uintptr_t reach[IN_TURN_MOST][2];
    int n = 0;
    if (b->nprocs < 3 || b->nprocs > IN_TURN_MOST) return 0;
    for (int from = 0; from < b->nprocs; from++) {
        bsp_chunk *c = bsp_shared_arrived(b, x, BSP_LOG_PUT, from);
        if (!c) continue;
        reach[n][0] = UINTPTR_MAX;
        reach[n][1] = 0;
        for (; c; c = bsp_log_next(x->base[from], c))
            if (!bsp_log_reach(bsp_chunk_data(c), bsp_chunk_data(c) + c->used, IN_TURN_LEAST, reach[n])) return 0;
        for (int k = 0; k < n; k++)
            if (reach[k][0] < reach[n][1] && reach[n][0] < reach[k][1]) return 0;
        n++;
    }
    return (b->pid + 1) % b->nprocs;
}

static void apply_puts(bsp_runtime *b, bsp_shared *x) {
    int first = first_source(b, x);
    for (int k = 0; k < b->nprocs; k++) {
        int from = (first + k) % b->nprocs;
        for (bsp_chunk *c = bsp_shared_arrived(b, x, BSP_LOG_PUT, from); c; c = bsp_log_next(x->base[from], c))
            bsp_log_apply(bsp_chunk_data(c), bsp_chunk_data(c) + c->used);
    }
}

static void collect_messages(bsp_runtime *b, bsp_shared *x) {
    for (int from = 0; from < b->nprocs; from++) {
        bsp_chunk *c = bsp_shared_arrived(b, x, BSP_LOG_SEND, from);
        if (!c) continue;
        const bsp_sum *sum = (const bsp_sum *)bsp_chunk_data(c);
        bsp_queue_count(&b->queue, sum->packets, sum->bytes);
        bsp_queue_add(b, bsp_chunk_data(c) + sizeof *sum, bsp_chunk_data(c) + c->used);
        while ((c = bsp_log_next(x->base[from], c))) bsp_queue_add(b, bsp_chunk_data(c), bsp_chunk_data(c) + c->used);
    }
}

static const bsp_area *areas_of(bsp_runtime *b, int pid) {
    bsp_shared *x = b->ex;
    int parity = (int)(b->epoch & 1);
    const bsp_card *c = bsp_card_of(x, pid);
    return c->board[parity] ? (const bsp_area *)(x->base[pid] + c->board[parity]) : c->areas[parity];
}

/* Own changes of registrations, and what all must have alike, into memory that the others read after the barrier. */
static void publish_changes(bsp_runtime *b, bsp_shared *x) {
    int parity = (int)(b->epoch & 1);
    size_t bytes = (size_t)b->reg.changes * sizeof(bsp_area);
    bsp_card *mine = bsp_card_of(x, b->pid);
    if (bytes > sizeof mine->areas[parity] && bytes > x->board_bytes[parity]) {
        unsigned char *p = bsp_arena_take(&x->arena, 2 * bytes + 1024);
        if (!p) bsp_fail_status("bsp_push_reg", SUP_ENOMEM);
        x->board_bytes[parity] = 2 * bytes + 1024;
        mine->board[parity] = (uint64_t)(p - x->base[b->pid]);
    }
    mine->accord[parity] = b->accord;
    mine->change_epoch[parity] = b->epoch;
    if (bytes) memcpy((void *)(uintptr_t)areas_of(b, b->pid), b->reg.fresh, bytes);
}

/* What p shows on its card. */
static bsp_accord accord_of(const bsp_runtime *b, int p) {
    int parity = (int)(b->epoch & 1);
    const bsp_card *c = bsp_card_of(b->ex, p);
    return c->change_epoch[parity] == b->epoch ? c->accord[parity] : (bsp_accord){.tag_size = b->tag_size};
}

static void compare_changes(bsp_runtime *b) {
    bsp_accord_compare(b, accord_of);
    b->accord.digest = 0;
}

static void barrier(bsp_shared *x, unsigned bits, unsigned *all) {
    sup_status st = sup_barrier_run(x->barrier, bits, all);
    if (st) bsp_fail_status("bsp_sync", st);
}

/* Everything for us is read; the others write there again in the superstep after next. */
static void clear_mail(const bsp_runtime *b, const bsp_shared *x) {
    for (int k = 0; k < BSP_LOGS; k++)
        for (int from = 0; from < b->nprocs; from += 64)
            atomic_store_explicit(bsp_shared_mail(b, x, b->pid, k, from), 0, memory_order_relaxed);
}

/* Everything but the empty sync. */
static void deliver(bsp_runtime *b, bsp_shared *x, unsigned all) {
    if (all & BSP_DID_GET) {
        if (all & BSP_DID_ASK) serve(b, x);
        bsp_shared_read_gets(b, x);
        barrier(x, 0, NULL);
        bsp_shared_write_gets(b, x, (all & BSP_DID_ASK) != 0);
    }
    if (all & BSP_DID_PUT) apply_puts(b, x);
    if (all & BSP_DID_SEND) collect_messages(b, x);
    if (x->many) clear_mail(b, x);
    if (all & (BSP_DID_GET | BSP_DID_PUT)) {
        x->busy_epoch = b->epoch;
        atomic_store_explicit(&bsp_card_of(x, b->pid)->applied, x->busy_epoch, memory_order_release);
    }
}

static void shared_sync(bsp_runtime *b, bool ending) {
    bsp_shared *x = b->ex;
    unsigned bits = x->did | (ending ? BSP_DID_END : 0), all;
    if (x->did) close_logs(b, x);
    if (x->deferrals) run_deferred(b, x);
    if (bsp_accord_take(b)) {
        publish_changes(b, x);
        bits |= BSP_DID_CHANGE;
    }
    x->did = 0;
    barrier(x, bits, &all);
    if ((all & BSP_DID_END) && !ending) bsp_fail("bsp_sync", "another process has called bsp_end");
    if (all & BSP_DID_CHANGE) compare_changes(b);
    bsp_queue_clear(&b->queue);
    if (all & ~(unsigned)(BSP_DID_END | BSP_DID_CHANGE)) deliver(b, x, all);
    if (b->reg.changes) {
        bsp_accord_apply(b, areas_of);
        for (int parity = 0; parity < 2; parity++) bsp_logs_forget(x->log[parity][BSP_LOG_PUT], b->nprocs);
    }
    bsp_log **next = x->log[(b->epoch + 1) & 1];
    bsp_lanes_open(b, next[BSP_LOG_PUT], next[BSP_LOG_SEND], b->nprocs);
}

static bool wanted(const bsp_runtime *b) { return sup_net_one_memory(b->net); }

static void shared_wait(bsp_runtime *b, sup_net_req *req) {
    sup_status st = sup_net_wait(b->net, req);
    if (st) bsp_fail_status("bsp_sync", st);
}

const bsp_layer bsp_layer_shared = {.wanted = wanted,
                                    .open = shared_open,
                                    .close = shared_close,
                                    .transfer = {[BSP_PUT] = shared_put,
                                                 [BSP_HPPUT] = shared_hpput,
                                                 [BSP_GET] = bsp_shared_get,
                                                 [BSP_HPGET] = shared_hpget,
                                                 [BSP_SEND] = shared_send,
                                                 [BSP_DIRECT_GET] = shared_direct_get},
                                    .sync = shared_sync,
                                    .wait = shared_wait};
