/* The auto engine: which engine a superstep uses, looked up in the plan's table (BSP §8.4.1: the best library
 * switches).
 *
 * A table over the plan's rows (messages, bytes, seconds of computation) needs to know what the coming superstep will
 * be like. Programs repeat themselves, so a superstep is taken to be like the last one that began at the same bsp_sync
 * call. This wrapper counts, and sets `eager` when a superstep begins. A direct get is over before the sync, so it says
 * nothing about the engine. */
#include "base/clock.h"
#include "bsp/engine/state.h"
#include "plan/plan.h"

#include <string.h>

enum { SITES = 256 };

/* What was seen in the superstep that began at a call site. */
typedef struct seen {
    const void *site;
    int64_t messages, bytes;
    double compute_s;
} seen;

static struct {
    seen table[SITES]; /* by hash of the site; a collision forgets the older one */
    seen now;
    double began;
} a;

static seen *entry(const void *site) {
    uint64_t h = (uintptr_t)site * 0x9e3779b97f4a7c15ull;
    return &a.table[h >> 56];
}

static void note(bsp_runtime *b, const bsp_transfer *t) {
    (void)b;
    a.now.messages++;
    a.now.bytes += (int64_t)t->local.len;
}

static bool wanted(const bsp_runtime *b) {
    bool chooses = !b->launch.engine[0] || !strcmp(b->launch.engine, "auto");
    return chooses && !b->launch.check && sup_plan_find_bsp(b->plan)->engines_count;
}

static sup_status auto_open(bsp_runtime *b, sup_diag *diag) {
    (void)b;
    (void)diag;
    a.now = (seen){0};
    a.began = sup_clock_now();
    return SUP_OK;
}

static void auto_sync(bsp_runtime *b, bool ending) {
    (void)b;
    (void)ending;
    a.now.compute_s = sup_clock_now() - a.began;
    *entry(a.now.site) = a.now;
}

static void auto_synced(bsp_runtime *b, bool ending) {
    (void)ending;
    const seen *last = entry(b->site);
    if (last->site == b->site)
        b->eager = sup_plan_find_engine(b->plan, last->messages, last->bytes, last->compute_s,
                                        b->eager ? SUP_PLAN_EAGER : SUP_PLAN_BULK) == SUP_PLAN_EAGER;
    a.now = (seen){.site = b->site};
    a.began = sup_clock_now();
}

const bsp_layer bsp_layer_auto = {
    .wanted = wanted,
    .open = auto_open,
    .transfer = {[BSP_PUT] = note, [BSP_HPPUT] = note, [BSP_GET] = note, [BSP_HPGET] = note, [BSP_SEND] = note},
    .sync = auto_sync,
    .synced = auto_synced};
