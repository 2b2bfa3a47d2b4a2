/* The primitives of BSPlib that are called inside begin and end: each checks what would corrupt memory, then makes one
 * transfer. */
#define BSP_PLAIN_CALLS
#include "base/clock.h"
#include "bsp/check/check.h"
#include "bsp/shared/shared.h"

#include <bsp.h>
#include <limits.h>
#include <string.h>
#include <superstep/bsp_inline.h>

/* ---- checks ---- */

static void need_inside(const char *call) {
    if (bsp_rt.phase == BSP_BEFORE) bsp_fail(call, "called before bsp_begin");
    if (bsp_rt.phase == BSP_AFTER) bsp_fail(call, "called after bsp_end");
}

/* nprocs is 0 outside begin and end, so that one comparison finds both mistakes. */
static void __attribute__((noinline)) wrong_target(const char *call, int pid) {
    need_inside(call);
    bsp_fail(call, "there is no process %d", pid);
}

/* Not registered: says what the program may have had in mind. */
static _Noreturn void unregistered(const char *call, const void *addr) {
    const bsp_table *t = &bsp_rt.reg;
    for (int i = 0; i < t->changes; i++)
        if (t->change[i].push && t->change[i].addr == addr)
            bsp_fail(call, "the address is registered from the next superstep on, not yet (%p)", addr);
    for (int s = 0; s < t->slots; s++) {
        const bsp_area *a = &t->area[(size_t)s * (size_t)bsp_rt.nprocs + (size_t)bsp_rt.pid];
        if (t->slot[s].used && (uintptr_t)addr - a->base < a->size)
            bsp_fail(call, "the address is not registered (%p): it is byte %zu of the area registered as %p", addr,
                     (size_t)((uintptr_t)addr - a->base), (const void *)a->base);
    }
    bsp_fail(call, "the address is not registered (%p)", addr);
}

static void __attribute__((noinline))
wrong_area(const char *call, const bsp_area *areas, const void *addr, int pid, size_t offset, size_t nbytes) {
    if (nbytes > PTRDIFF_MAX) bsp_fail(call, "negative size");
    if (!areas) unregistered(call, addr);
    if (offset > PTRDIFF_MAX) bsp_fail(call, "negative offset");
    bsp_fail(call, "outside the registered area: %zu bytes at offset %zu of %zu on process %d", nbytes, offset,
             areas[pid].size, pid);
}

/* The address on process pid that offset bytes into the area named addr stand for. */
static inline uintptr_t remote_address(const char *call, int pid, const void *addr, size_t offset, size_t nbytes) {
    if ((unsigned)pid >= (unsigned)bsp_rt.nprocs) wrong_target(call, pid);
    const bsp_area *areas = bsp_reg_find(&bsp_rt, addr);
    if (!areas || offset > areas[pid].size || nbytes > areas[pid].size - offset)
        wrong_area(call, areas, addr, pid, offset, nbytes);
    return areas[pid].base + offset;
}

/* The program's own end of a transfer, where there is something to transfer. */
static inline void need_memory(const char *call, const char *what, const void *p) {
    if (__builtin_expect(!p, 0)) bsp_fail(call, "%s is NULL", what);
}

/* Nothing to move, whatever the address; the target is still checked. */
static inline int nothing(const char *call, int pid, size_t nbytes) {
    if (nbytes) return 0;
    if ((unsigned)pid >= (unsigned)bsp_rt.nprocs) wrong_target(call, pid);
    return 1;
}

/* ---- enquiry ---- */

int bsp_pid(void) {
    need_inside("bsp_pid");
    return bsp_rt.pid;
}

double bsp_time(void) {
    need_inside("bsp_time");
    return sup_clock_now() - bsp_rt.start;
}

/* ---- registration ---- */

void bsp_push_reg(const void *addr, size_t size) {
    need_inside("bsp_push_reg");
    if (size > PTRDIFF_MAX) bsp_fail("bsp_push_reg", "negative size");
    if (!addr && size) bsp_fail("bsp_push_reg", "NULL with a size");
    if (bsp_rt.launch.check) bsp_check_reg(&bsp_rt, addr, true);
    bsp_reg_note(&bsp_rt, addr, size, true);
}

void bsp_pop_reg(const void *addr) {
    need_inside("bsp_pop_reg");
    if (bsp_rt.launch.check) bsp_check_reg(&bsp_rt, addr, false);
    bsp_reg_note(&bsp_rt, addr, 0, false);
}

/* ---- direct remote memory access ---- */

#define NOT_INLINE __attribute__((noinline)) void
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The next eight bytes to or from the same area of pid need no call, if nobody wants to see them. */
static inline void remember(int pid, const void *addr) { bsp_log_aim(&bsp_rt, pid, addr, &bsp_rt.reg.last_area[pid]); }

/* The transfer of one block between here and process pid. */
static inline void move(bsp_kind kind, int pid, const void *local, uintptr_t remote, size_t len) {
    bsp_transfer t; /* puts and gets have no tag, and need not pay for writing one */
    t.kind = kind;
    t.pid = pid;
    t.local = (bsp_region){(uintptr_t)local, len};
    t.remote = (bsp_region){remote, len};
    bsp_rt.transfer[kind](&bsp_rt, &t);
}

static inline void put_any(bsp_kind kind, const char *call, int pid, const void *src, const void *dst, size_t offset,
                           size_t nbytes) {
    if (nothing(call, pid, nbytes)) return;
    uintptr_t remote = remote_address(call, pid, dst, offset, nbytes);
    need_memory(call, "src", src);
    move(kind, pid, src, remote, nbytes);
    remember(pid, dst);
}

void bsp_put_(int pid, const void *src, const void *dst, size_t offset, size_t nbytes) {
    put_any(BSP_PUT, "bsp_put", pid, src, dst, offset, nbytes);
}

void bsp_hpput_(int pid, const void *src, const void *dst, size_t offset, size_t nbytes) {
    put_any(BSP_HPPUT, "bsp_hpput", pid, src, dst, offset, nbytes);
}

/* For programs that were compiled without bsp_inline.h, or take the address. */
void bsp_put(int pid, const void *src, const void *dst, size_t offset, size_t nbytes) {
    if (!bsp_put8_(pid, src, dst, offset, nbytes)) bsp_put_(pid, src, dst, offset, nbytes);
}

void bsp_hpput(int pid, const void *src, const void *dst, size_t offset, size_t nbytes) {
    if (!bsp_put8_(pid, src, dst, offset, nbytes)) bsp_hpput_(pid, src, dst, offset, nbytes);
}

NOT_INLINE bsp_get_any(int pid, const void *src, size_t offset, void *dst, size_t nbytes) {
    if (nothing("bsp_get", pid, nbytes)) return;
    uintptr_t remote = remote_address("bsp_get", pid, src, offset, nbytes);
    need_memory("bsp_get", "dst", dst);
    move(BSP_GET, pid, dst, remote, nbytes);
    remember(pid, src);
}

/* The same where the owner has to be asked. */
static bool __attribute__((noinline)) ask8(int pid, uintptr_t remote, void *dst) {
    bsp_runtime *b = &bsp_rt;
    bsp_log *a = b->ask_log ? &b->ask_log[(unsigned)pid] : NULL;
    if (!a || a->cursor == a->limit) return false;
    bsp_ask_write(a->cursor, remote, 8);
    a->cursor += 8;
    *b->get_cursor++ = (bsp_short_get){(uint64_t)pid, (uintptr_t)dst | (uint64_t)8 << BSP_ADDR_BITS};
    return true;
}

/* Eight bytes from the area named last, in a heap, while the list is open. */
static inline bool get8(int pid, const void *src, size_t offset, void *dst, size_t nbytes) {
    bsp_runtime *b = &bsp_rt;
    bsp_short_get *to = b->get_cursor;
    if (UNLIKELY(nbytes != 8 || (unsigned)pid >= b->get_procs || to == b->get_limit)) return false;
    const bsp_log *l = &b->put_log[(unsigned)pid];
    if (UNLIKELY(l->addr != src || offset >= l->room || !dst)) return false;
    if (UNLIKELY(!l->mapped)) return ask8(pid, l->base + offset, dst);
    *to = (bsp_short_get){l->mapped + offset, (uintptr_t)dst | (uint64_t)8 << BSP_ADDR_BITS};
    b->get_cursor = to + 1;
    return true;
}

void bsp_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes) {
    if (UNLIKELY(!get8(pid, src, offset, dst, nbytes))) bsp_get_any(pid, src, offset, dst, nbytes);
}

void bsp_hpget(int pid, const void *src, size_t offset, void *dst, size_t nbytes) {
    if (nothing("bsp_hpget", pid, nbytes)) return;
    uintptr_t remote = remote_address("bsp_hpget", pid, src, offset, nbytes);
    need_memory("bsp_hpget", "dst", dst);
    move(BSP_HPGET, pid, dst, remote, nbytes);
}

void bsp_direct_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes) {
    if (nothing("bsp_direct_get", pid, nbytes)) return;
    if (!dst) bsp_fail("bsp_direct_get", "NULL for where the bytes go");
    uintptr_t remote = remote_address("bsp_direct_get", pid, src, offset, nbytes);
    move(BSP_DIRECT_GET, pid, dst, remote, nbytes);
}

/* ---- messages ---- */

NOT_INLINE bsp_send_any(int pid, const void *tag, const void *payload, size_t nbytes) {
    if ((unsigned)pid >= (unsigned)bsp_rt.nprocs) wrong_target("bsp_send", pid);
    if (nbytes > PTRDIFF_MAX) bsp_fail("bsp_send", "negative size");
    if (nbytes) need_memory("bsp_send", "payload", payload);
    if (!tag && bsp_rt.tag_size) bsp_fail("bsp_send", "tag is NULL, and the tag size is %zu", bsp_rt.tag_size);
    bsp_transfer t = {BSP_SEND, pid, {(uintptr_t)payload, nbytes}, {0, nbytes}, tag};
    bsp_rt.transfer[BSP_SEND](&bsp_rt, &t);
}

void bsp_send(int pid, const void *tag, const void *payload, size_t nbytes) {
    const bsp_runtime *b = &bsp_rt;
    if (UNLIKELY((unsigned)pid >= b->send_procs || !payload ||
                 !bsp_log_send(&b->send_log[(unsigned)pid], tag, b->tag_size, payload, nbytes)))
        bsp_send_any(pid, tag, payload, nbytes);
}

/* Writes value, or -1 for SIZE_MAX, as the caller's type; a value is never cut off. */
static void store(const char *call, void *where, int width, size_t value) {
    if (!where) return;
    size_t limit = width == BSP_AS_INT ? INT_MAX : width == BSP_AS_UINT ? UINT_MAX : SIZE_MAX;
    if (value != SIZE_MAX && value > limit && width != BSP_AS_NONE)
        bsp_fail(call, "the value %zu does not fit the type of the variable", value);
    if (width == BSP_AS_INT || width == BSP_AS_UINT) {
        unsigned v = (unsigned)value;
        memcpy(where, &v, sizeof v);
    } else if (width != BSP_AS_NONE) {
        memcpy(where, &value, sizeof value);
    }
}

static ptrdiff_t load(const void *where, int width) {
    if (width == BSP_AS_INT) return *(const int *)where;
    if (width == BSP_AS_UINT) return (ptrdiff_t) * (const unsigned *)where;
    return *(const ptrdiff_t *)where;
}

void bsp_set_tagsize_as(void *tag_nbytes, int width) {
    need_inside("bsp_set_tagsize");
    if (width == BSP_AS_NONE || !tag_nbytes) bsp_fail("bsp_set_tagsize", "no tag size given: the pointer is NULL");
    ptrdiff_t n = load(tag_nbytes, width);
    if (n < 0) bsp_fail("bsp_set_tagsize", "negative size");
    if (bsp_rt.launch.check) bsp_check_tag_size();
    store("bsp_set_tagsize", tag_nbytes, width, bsp_rt.next_tag_size); /* a second call finds what the first has set */
    bsp_rt.next_tag_size = (size_t)n;
    bsp_rt.changed = true;
}

void bsp_qsize_as(void *packets, int packets_width, void *payload_nbytes, int payload_width) {
    need_inside("bsp_qsize");
    store("bsp_qsize", packets, packets_width, bsp_rt.queue.packets);
    store("bsp_qsize", payload_nbytes, payload_width, bsp_rt.queue.bytes);
}

static const unsigned char *tag_of(const bsp_message *m) { return (const unsigned char *)(m + 1); }
static const unsigned char *payload_of(const bsp_message *m) { return tag_of(m) + bsp_pad16(m->tag_len); }

void bsp_get_tag_as(void *status, int width, void *tag) {
    need_inside("bsp_get_tag");
    const bsp_message *m = bsp_queue_first(&bsp_rt.queue);
    if (m && m->tag_len && !tag) bsp_fail("bsp_get_tag", "tag is NULL, and the tag has %zu bytes", (size_t)m->tag_len);
    store("bsp_get_tag", status, width, m ? m->len : SIZE_MAX);
    if (m && m->tag_len) memcpy(tag, tag_of(m), m->tag_len);
}

static NOT_INLINE move_any(void *payload, size_t max_nbytes) {
    need_inside("bsp_move");
    const bsp_message *m = bsp_queue_first(&bsp_rt.queue);
    if (!m) bsp_fail("bsp_move", "the queue is empty");
    if (max_nbytes > PTRDIFF_MAX) bsp_fail("bsp_move", "negative size");
    size_t n = m->len < max_nbytes ? m->len : max_nbytes;
    if (n) need_memory("bsp_move", "payload", payload);
    if (n) memcpy(payload, payload_of(m), n);
    bsp_queue_drop(&bsp_rt.queue, m);
}

/* The queue is empty outside begin and end. */
void bsp_move(void *payload, size_t max_nbytes) {
    const bsp_message *m = bsp_queue_first(&bsp_rt.queue);
    if (UNLIKELY(!m || m->len != 16 || max_nbytes - 16 > PTRDIFF_MAX - 16 || !payload)) {
        move_any(payload, max_nbytes);
        return;
    }
    memcpy(payload, payload_of(m), 16);
    bsp_queue_drop(&bsp_rt.queue, m);
}

ptrdiff_t bsp_hpmove(void **tag, void **payload) {
    need_inside("bsp_hpmove");
    const bsp_message *m = bsp_queue_first(&bsp_rt.queue);
    if (!m) return -1;
    need_memory("bsp_hpmove", "tag", tag);
    need_memory("bsp_hpmove", "payload", payload);
    *tag = (void *)(uintptr_t)tag_of(m);
    *payload = (void *)(uintptr_t)payload_of(m);
    bsp_queue_drop(&bsp_rt.queue, m);
    return (ptrdiff_t)m->len;
}

void(bsp_set_tagsize)(int *tag_nbytes) { bsp_set_tagsize_as(tag_nbytes, BSP_AS_INT); }
void(bsp_qsize)(int *packets, int *nbytes) {
    bsp_qsize_as(packets, packets ? BSP_AS_INT : BSP_AS_NONE, nbytes, nbytes ? BSP_AS_INT : BSP_AS_NONE);
}
void(bsp_get_tag)(int *status, void *tag) { bsp_get_tag_as(status, BSP_AS_INT, tag); }

/* ---- superstep ---- */

void bsp_sync(void) {
    bsp_runtime *b = &bsp_rt;
    if (b->phase != BSP_INSIDE) need_inside("bsp_sync");
    b->site = __builtin_return_address(0);
    b->sync(b, false);
    b->epoch++;
    b->tag_size = b->next_tag_size;
    b->superstep++;
}
