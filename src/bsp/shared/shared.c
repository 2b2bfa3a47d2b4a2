/* Memory of the engine over shared memory: where logs and cards are. shared/engine.c has the calls and the sync. */
#include "bsp/shared/shared.h"

size_t bsp_shared_homes(const bsp_runtime *b) { return 2 * BSP_LOGS * (size_t)b->nprocs * BSP_LOG_HOME; }

unsigned char *bsp_shared_room(bsp_runtime *b, bsp_shared *x, int kind, int pid, size_t need) {
    bsp_log *l = &x->log[b->epoch & 1][kind][pid];
    bool opened;
    if (!l->first) {
        l->first = bsp_shared_home(b, x, b->pid, kind, pid);
        l->first->capacity = BSP_LOG_HOME - sizeof(bsp_chunk);
    }
    unsigned char *p = bsp_log_room_slow(&x->arena, l, b->epoch, need, &opened);
    if (!p) bsp_fail("bsp_sync", "more than %zu bytes of communication in flight", x->arena.bytes);
    if (opened) {
        x->touched[kind][x->touches[kind]++] = pid;
        x->did |= 1u << kind;
        if (x->many)
            atomic_fetch_or_explicit(bsp_shared_mail(b, x, pid, kind, b->pid), 1ull << (b->pid % 64),
                                     memory_order_relaxed);
    }
    return p;
}

void bsp_shared_ask_plan(const bsp_runtime *b, bsp_shared *x, size_t len) {
    x->foreign_by_kernel = !strcmp(sup_plan_find_staging(b->plan, "foreign", (int64_t)len, &x->foreign), "cma");
}
