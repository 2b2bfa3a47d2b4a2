/* The auto engine: which engine a superstep uses, looked up in the plan's table (BSP §8.4.1: the best library
 * switches).
 *
 * A table over the plan's rows (messages, bytes, seconds of computation) needs to know what the coming superstep will
 * be like. Programs repeat themselves, so a superstep is taken to be like the last one that began at the same bsp_sync
 * call. This wraps the real exchange: it counts, and sets `eager` when a superstep begins. Without a table it is not
 * installed. */
#include "base/clock.h"
#include "bsp/state.h"
#include "plan/plan.h"

#include <stdlib.h>

enum { SITES = 256 };

/* What was seen in the superstep that began at a call site. */
typedef struct seen {
    const void *site;
    int64_t messages, bytes;
    double compute_s;
} seen;

static struct {
    const bsp_exchange *inner;
    seen table[SITES]; /* by hash of the site; a collision forgets the older one */
    seen now;
    double began;
} a;

static seen *entry(const void *site) {
    uint64_t h = (uintptr_t)site * 0x9e3779b97f4a7c15ull;
    return &a.table[h >> 56];
}

static void note(size_t len) {
    a.now.messages++;
    a.now.bytes += (int64_t)len;
}

static sup_status auto_open(bsp_runtime *b, sup_diag *diag) { return a.inner->open(b, diag); }
static void auto_close(bsp_runtime *b) { a.inner->close(b); }

static void auto_put(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    note(len);
    a.inner->put(b, pid, remote, src, len);
}

static void auto_hpput(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    note(len);
    a.inner->hpput(b, pid, remote, src, len);
}

static void auto_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    note(len);
    a.inner->get(b, pid, remote, dst, len);
}

static void auto_hpget(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    note(len);
    a.inner->hpget(b, pid, remote, dst, len);
}

static void auto_send(bsp_runtime *b, int pid, const void *tag, const void *payload, size_t len) {
    note(len);
    a.inner->send(b, pid, tag, payload, len);
}

static void auto_sync(bsp_runtime *b, bool ending) {
    double now = sup_clock_now();
    a.now.compute_s = now - a.began;
    *entry(a.now.site) = a.now;
    a.inner->sync(b, ending);
    const seen *last = entry(b->site);
    if (last->site == b->site)
        b->eager = sup_plan_find_engine(b->plan, last->messages, last->bytes, last->compute_s,
                                        b->eager ? SUP_PLAN_EAGER : SUP_PLAN_BULK) == SUP_PLAN_EAGER;
    a.now = (seen){.site = b->site};
    a.began = sup_clock_now();
}

/* It is over before the sync, so it says nothing about the engine. */
static void auto_direct_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    a.inner->direct_get(b, pid, remote, dst, len);
}

static const bsp_exchange exchange_auto = {"auto",   auto_open,  auto_close, auto_put,  auto_hpput,
                                           auto_get, auto_hpget, auto_send,  auto_sync, auto_direct_get};

const bsp_exchange *bsp_auto_wrap(bsp_runtime *b, const bsp_exchange *inner) {
    if (!b->plan || !b->plan->bsp || !b->plan->bsp->engines_count) return inner;
    a.inner = inner;
    a.now = (seen){0};
    a.began = sup_clock_now();
    return &exchange_auto;
}
