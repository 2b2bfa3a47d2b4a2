/* Exchange between processes that can address each other's memory: the fast path of BSP ch. 6 on one machine.
 *
 *     put, send    appended to the log for that process, in memory that it can read; it carries them out at the sync
 *     hpput        copied straight to its place if that place can be addressed, else as put
 *     get          copied straight from its place after the barrier; or the owner is asked for it (memory of its own)
 *
 * A sync is one barrier. What anybody did rides on its signals; if nobody did anything, that is all. If anybody reads,
 * a second barrier separates all reading from all writing.
 *
 *     … barrier 1 │ read for gets, help others read │ barrier 2 │ write gets, then puts by source rank │ next superstep
 *
 * A process that is through may already write straight into the memory of one that is still carrying out puts; so it
 * looks first whether that one has `applied` the last superstep in which there was anything to do.
 *
 * Logs exist twice (even and odd supersteps): who has passed the next barrier knows that everyone has left this sync.
 */
#include "bsp/shared.h"
#include "bsp/log.h"
#include "net/wait.h"
#include "plan/plan.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { HOME = 32 * 1024, ONE_COPY = 16 * 1024, HP_MIN = 512 };

/* ---- opening ---- */

static size_t home_offset(const bsp_runtime *b, int parity, int kind, int to) {
    size_t index = ((size_t)parity * BSP_LOGS + (size_t)kind) * (size_t)b->nprocs + (size_t)to;
    return sizeof(bsp_card) + index * HOME;
}

static bsp_chunk *home_of(const bsp_runtime *b, const bsp_shared *x, int owner, int parity, int kind, int to) {
    return (bsp_chunk *)(x->base[owner] + home_offset(b, parity, kind, to));
}

static bsp_card *card_of(const bsp_shared *x, int pid) { return (bsp_card *)x->base[pid]; }

static sup_status open_logs(bsp_runtime *b, bsp_shared *x) {
    for (int parity = 0; parity < 2; parity++)
        for (int k = 0; k < BSP_LOGS; k++) {
            x->log[parity][k] = bsp_logs_new(b->nprocs);
            if (!x->log[parity][k]) return SUP_ENOMEM;
            for (int to = 0; to < b->nprocs; to++) {
                bsp_chunk *c = home_of(b, x, b->pid, parity, k, to);
                x->log[parity][k][to].first = c;
                /* capacity is written when the log is first used: no page is touched for those who never talk */
            }
        }
    for (int k = 0; k < BSP_LOGS; k++) {
        x->touched[k] = calloc((size_t)b->nprocs, sizeof(int));
        if (!x->touched[k]) return SUP_ENOMEM;
    }
    return SUP_OK;
}

static void shared_close(bsp_runtime *b) {
    bsp_shared *x = b->ex;
    if (!x) return;
    for (int k = 0; k < BSP_LOGS; k++) {
        free(x->log[0][k]);
        free(x->log[1][k]);
        free(x->touched[k]);
    }
    free(x->gets);
    free(x->shorts);
    free(x->deferred);
    free(x->buffer);
    free(x->applied);
    free(x->base);
    free(x->reply);
    free(x->heap);
    bsp_lanes_open(b, NULL, NULL, 0);
    b->get_cursor = b->get_limit = NULL;
    sup_barrier_free(x->barrier);
    sup_net_region_free(b->net, x->region);
    free(x);
    b->ex = NULL;
}

/* Every process tells where its heap lies for itself; the barrier that opens the run makes it known in time. */
static sup_status view_heaps(bsp_runtime *b, bsp_shared *x) {
    if (!b->heap) return SUP_OK;
    x->heap_bytes = b->heap->len;
    card_of(x, b->pid)->heap = (uintptr_t)b->heap->base;
    card_of(x, b->pid)->own = (uintptr_t)&bsp_rt;
    sup_status st = sup_barrier_run(x->barrier, 0, NULL);
    for (int p = 0; p < b->nprocs && !st; p++)
        x->heap[p] = (bsp_heap_view){card_of(x, p)->heap, sup_net_direct(b->net, b->heap, p)};
    b->views = x->heap;
    b->view_bytes = x->heap_bytes;
    /* May the kernel copy from and to the others? Their cards are a place to try; a yes for one is a yes for all. */
    int next = (b->pid + 1) % b->nprocs;
    uint64_t word;
    if (!st && b->nprocs > 1)
        x->kernel_copies = !sup_net_copy_from(b->net, next, &word, (void *)card_of(x, next)->own, sizeof word);
    return st;
}

static sup_status shared_open(bsp_runtime *b, sup_diag *diag) {
    bsp_shared *x = calloc(1, sizeof *x);
    if (!x) return SUP_ENOMEM;
    b->ex = x;
    sup_status st = sup_net_region_alloc(b->net, b->net->arena_bytes, &x->region);
    if (st) goto close;
    st = SUP_ENOMEM;
    x->base = calloc((size_t)b->nprocs, sizeof *x->base);
    x->applied = calloc((size_t)b->nprocs, sizeof *x->applied);
    x->reply = calloc((size_t)b->nprocs, sizeof *x->reply);
    x->heap = calloc((size_t)b->nprocs, sizeof *x->heap);
    if (!x->base || !x->applied || !x->reply || !x->heap) goto close;
    for (int p = 0; p < b->nprocs; p++) x->base[p] = sup_net_direct(b->net, x->region, p);
    if (b->pid < b->nprocs) { /* processes that were not asked for only open and close */
        x->arena = (bsp_arena){x->base[b->pid], home_offset(b, 2, 0, 0), b->net->arena_bytes};
        st = open_logs(b, x);
        if (!st) st = bsp_barrier_open(b, &x->barrier, diag);
        if (!st) st = view_heaps(b, x);
        if (st) goto close;
    }
    return SUP_OK;
close:
    shared_close(b);
    return st;
}

/* ---- appending ---- */

unsigned char *bsp_shared_room(bsp_runtime *b, bsp_shared *x, int kind, int pid, size_t need) {
    bsp_log *l = &x->log[b->epoch & 1][kind][pid];
    bool opened;
    if (!l->first->capacity) l->first->capacity = HOME - sizeof(bsp_chunk);
    unsigned char *p = bsp_log_room_slow(&x->arena, l, b->epoch, need, &opened);
    if (!p) bsp_fail("bsp_sync", "more than %zu bytes of communication in flight", x->arena.bytes);
    if (opened) {
        x->touched[kind][x->touches[kind]++] = pid;
        x->did |= 1u << kind;
    }
    return p;
}

static void shared_put(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    bsp_shared *x = b->ex;
    size_t need = bsp_record_bytes(len);
    unsigned char *p = bsp_room(b, x, BSP_LOG_PUT, pid, need);
    bsp_record_write(p, remote, src, len);
    bsp_advance(b, x, BSP_LOG_PUT, pid, p + need);
}

/* Messages are preceded by their number and total length, in the first 16 bytes of the log. */
static unsigned char *__attribute__((noinline)) room_for_message(bsp_runtime *b, bsp_log *l, int pid, size_t need) {
    bsp_shared *x = b->ex;
    if (!l->cursor) l->cursor = bsp_shared_room(b, x, BSP_LOG_SEND, pid, sizeof(bsp_sum)) + sizeof(bsp_sum);
    return need <= (size_t)(l->limit - l->cursor) ? l->cursor : bsp_shared_room(b, x, BSP_LOG_SEND, pid, need);
}

static void shared_send(bsp_runtime *b, int pid, const void *tag, const void *payload, size_t len) {
    bsp_shared *x = b->ex;
    bsp_log *l = &x->log[b->epoch & 1][BSP_LOG_SEND][pid];
    size_t need = bsp_message_bytes(b->tag_size, len);
    unsigned char *p = l->cursor;
    if (!p || need > (size_t)(l->limit - p)) p = room_for_message(b, l, pid, need);
    l->cursor = p + need;
    l->packets++;
    l->bytes += len;
    bsp_message_write(p, tag, b->tag_size, payload, len);
}

/* ---- straight copies ---- */

/* Until pid has carried out the puts of the last superstep that had any. */
static void await_applied(bsp_runtime *b, bsp_shared *x, int pid) {
    if (x->applied[pid] >= x->busy_epoch) return;
    sup_wait w = SUP_WAIT_INIT;
    while ((x->applied[pid] = atomic_load_explicit(&card_of(x, pid)->applied, memory_order_acquire)) < x->busy_epoch) {
        sup_wait_pause(&w, b->net->oversubscribed);
        if (w.yields && sup_net_failure(b->net, NULL, NULL)) bsp_fail_status("bsp_hpput", SUP_EPEER);
    }
}

static void defer(bsp_runtime *b, bool put, int pid, void *near, void *local, size_t len) {
    bsp_shared *x = b->ex;
    if (x->deferrals == x->deferred_room) {
        x->deferred_room = x->deferred_room ? 2 * x->deferred_room : 64;
        x->deferred = bsp_grow(x->deferred, (size_t)x->deferred_room * sizeof *x->deferred, "bsp_hpput");
    }
    x->deferred[x->deferrals++] = (bsp_copy){near, local, len, pid, put};
}

bool bsp_shared_by_kernel(const bsp_runtime *b, const bsp_shared *x, size_t len) {
    if (!x->kernel_copies) return false;
    const char *planned = b->plan ? sup_plan_find_staging(b->plan, "foreign", (int64_t)len) : NULL;
    return planned ? !strcmp(planned, "cma") : len >= BSP_KERNEL_MIN;
}

static void shared_hpput(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    bsp_shared *x = b->ex;
    void *near = len >= HP_MIN ? bsp_near_of(b, x, pid, remote, len) : NULL;
    if (!near && bsp_shared_by_kernel(b, x, len)) {
        await_applied(b, x, pid);
        if (!sup_net_copy_to(b->net, pid, (void *)remote, src, len)) return;
    }
    if (!near) { /* a short one is cheaper in the log: writing into another's cache line waits for the line */
        shared_put(b, pid, remote, src, len);
    } else if (!b->eager) {
        defer(b, true, pid, near, (void *)(uintptr_t)src, len);
    } else {
        await_applied(b, x, pid);
        memmove(near, src, len);
    }
}

static void shared_hpget(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    bsp_shared *x = b->ex;
    void *near = bsp_near_of(b, x, pid, remote, len);
    if (!near) {
        bsp_shared_get(b, pid, remote, dst, len);
    } else if (!b->eager) {
        defer(b, false, pid, near, dst, len);
    } else {
        await_applied(b, x, pid);
        memmove(dst, near, len);
    }
}

/* Nobody is asked: the owner need not be anywhere near a sync. */
static void shared_direct_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    bsp_shared *x = b->ex;
    const void *near = bsp_near_of(b, x, pid, remote, len);
    await_applied(b, x, pid);
    if (near) {
        memmove(dst, near, len);
        return;
    }
    if (!x->kernel_copies)
        bsp_fail("bsp_direct_get",
                 "process %d's memory at %p is not in its heap, and the kernel does not copy from there on this "
                 "machine: let it come from malloc, behind bsp_begin",
                 pid, (const void *)remote);
    sup_status st = sup_net_copy_from(b->net, pid, dst, (const void *)remote, len);
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
        bsp_copy *c = &x->deferred[i];
        await_applied(b, x, c->pid);
        if (c->put)
            memmove(c->near, c->local, c->len);
        else
            memmove(c->local, c->near, c->len);
    }
    x->deferrals = 0;
}

/* First chunk of what `from` wrote for us in this superstep, or NULL. */
bsp_chunk *bsp_shared_arrived(bsp_runtime *b, bsp_shared *x, int kind, int from) {
    uint64_t epoch = b->epoch;
    bsp_chunk *c = home_of(b, x, from, (int)(epoch & 1), kind, b->pid);
    return c->epoch == epoch ? c : NULL;
}

/* Reads for those who cannot: each request of a process is answered in order in a log for it. */
static void serve(bsp_runtime *b, bsp_shared *x) {
    for (int from = 0; from < b->nprocs; from++)
        for (bsp_chunk *c = bsp_shared_arrived(b, x, BSP_LOG_ASK, from); c; c = bsp_log_next(x->base[from], c))
            for (const unsigned char *at = bsp_chunk_data(c), *end = at + c->used; at < end;) {
                size_t len;
                const void *src = bsp_ask_read(&at, &len);
                size_t need = (len + 7) & ~(size_t)7;
                unsigned char *p = bsp_room(b, x, BSP_LOG_REPLY, from, need);
                memcpy(p, src, len);
                bsp_advance(b, x, BSP_LOG_REPLY, from, p + need);
            }
    close_logs(b, x);
    x->did = 0; /* answers are nobody's next superstep */
}

static void apply_puts(bsp_runtime *b, bsp_shared *x) {
    for (int from = 0; from < b->nprocs; from++)
        for (bsp_chunk *c = bsp_shared_arrived(b, x, BSP_LOG_PUT, from); c; c = bsp_log_next(x->base[from], c))
            bsp_log_apply(bsp_chunk_data(c), bsp_chunk_data(c) + c->used);
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

/* Own new areas into memory that the others read after the barrier. */
static void publish_areas(bsp_runtime *b, bsp_shared *x) {
    int parity = (int)(b->epoch & 1);
    size_t bytes = (size_t)b->reg.pushes * sizeof(bsp_area);
    if (bytes > x->board_bytes[parity]) {
        unsigned char *p = bsp_arena_take(&x->arena, 2 * bytes + 1024);
        if (!p) bsp_fail_status("bsp_push_reg", SUP_ENOMEM);
        x->board_bytes[parity] = 2 * bytes + 1024;
        card_of(x, b->pid)->board[parity] = (uint64_t)(p - x->base[b->pid]);
    }
    bsp_card *mine = card_of(x, b->pid);
    mine->pushes[parity] = (uint64_t)b->reg.pushes;
    if (bytes) memcpy(x->base[b->pid] + mine->board[parity], b->reg.fresh, bytes);
}

static const bsp_area *areas_of(bsp_runtime *b, int pid) {
    bsp_shared *x = b->ex;
    int parity = (int)(b->epoch & 1);
    return (const bsp_area *)(x->base[pid] + card_of(x, pid)->board[parity]);
}

static void apply_changes(bsp_runtime *b, bsp_shared *x) {
    int parity = (int)(b->epoch & 1);
    for (int p = 0; p < b->nprocs; p++) {
        bsp_card *c = card_of(x, p);
        uint64_t theirs = c->change_epoch[parity] == b->epoch ? c->pushes[parity] : 0;
        if (theirs != (uint64_t)b->reg.pushes)
            bsp_fail("bsp_push_reg", "%d registrations here, %llu on rank %d in the same superstep", b->reg.pushes,
                     (unsigned long long)theirs, p);
    }
    bsp_reg_apply(b, areas_of);
}

static void barrier(bsp_shared *x, unsigned bits, unsigned *all) {
    sup_status st = sup_barrier_run(x->barrier, bits, all);
    if (st) bsp_fail_status("bsp_sync", st);
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
    if (all & (BSP_DID_GET | BSP_DID_PUT)) {
        x->busy_epoch = b->epoch;
        atomic_store_explicit(&card_of(x, b->pid)->applied, x->busy_epoch, memory_order_release);
    }
}

static void shared_sync(bsp_runtime *b, bool ending) {
    bsp_shared *x = b->ex;
    unsigned bits = x->did | (ending ? BSP_DID_END : 0), all;
    if (x->did) close_logs(b, x);
    if (x->deferrals) run_deferred(b, x);
    if (b->reg.changes) {
        publish_areas(b, x);
        card_of(x, b->pid)->change_epoch[b->epoch & 1] = b->epoch;
    }
    x->did = 0;
    barrier(x, bits, &all);
    if ((all & BSP_DID_END) && !ending) bsp_fail("bsp_sync", "another process has called bsp_end");
    bsp_queue_clear(&b->queue);
    if (all & ~(unsigned)BSP_DID_END) deliver(b, x, all);
    if (b->reg.changes) {
        apply_changes(b, x);
        for (int parity = 0; parity < 2; parity++) bsp_logs_forget(x->log[parity][BSP_LOG_PUT], b->nprocs);
    }
    /* Where nobody stands between the program and this exchange, its small puts need not come through here. */
    bsp_log **next = x->log[(b->epoch + 1) & 1];
    bsp_lanes_open(b, next[BSP_LOG_PUT], next[BSP_LOG_SEND], b->exchange == &bsp_exchange_shared ? b->nprocs : 0);
}

const bsp_exchange bsp_exchange_shared = {"shared",       shared_open,  shared_close, shared_put,  shared_hpput,
                                          bsp_shared_get, shared_hpget, shared_send,  shared_sync, shared_direct_get};
