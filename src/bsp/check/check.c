/* Check mode: a wrapper that notes every call and verifies at the sync. See check.h. */
#include "bsp/check/check.h"
#include "bsp/collective/area.h"

#include <stdlib.h>
#include <string.h>

/* A registration that is in force, or will be from the next superstep on. */
typedef struct live {
    const void *addr;
    uint64_t number;
    bsp_site site;
} live;

static struct {
    bsp_records *out; /* for each process: what of ours concerns it */
    bsp_reg_call *calls;
    size_t call_count, call_room;
    live *lives;
    size_t live_count, live_room;
    uint64_t registrations;
    size_t nulls, null_pops; /* registrations of NULL in force; those popped in this superstep, it is not known which */
    uint64_t tag_calls;
    bsp_site tag_site;
    bsp_records all; /* of the sync under way: what touches the memory of this process */
} k;

static void records_add(bsp_records *r, bsp_record record) {
    BSP_ROOM_FOR_ONE(r->at, r->count, r->room, 64, "bsp_sync");
    r->at[r->count++] = record;
}

/* ---- opening ---- */

static bool wanted(const bsp_runtime *b) { return b->launch.check; }

static void check_close(bsp_runtime *b) {
    for (int q = 0; k.out && q < b->procs; q++) free(k.out[q].at);
    free(k.out);
    free(k.calls);
    free(k.lives);
    free(k.all.at);
    memset(&k, 0, sizeof k);
}

static sup_status check_open(bsp_runtime *b, sup_diag *diag) {
    (void)diag;
    k.out = calloc((size_t)b->nprocs, sizeof *k.out);
    return k.out ? SUP_OK : SUP_ENOMEM;
}

/* ---- calls ---- */

/* What each kind of transfer does to the memory of the other process, and of this one. */
static const struct {
    int there, here; /* bsp_touch; -1 nothing that matters */
} touches[BSP_KINDS] = {
    [BSP_PUT] = {BSP_TOUCH_PUT, -1},
    [BSP_HPPUT] = {BSP_TOUCH_HPPUT, BSP_TOUCH_HPPUT_OF},
    [BSP_GET] = {BSP_TOUCH_GET, BSP_TOUCH_GET_TO},
    [BSP_HPGET] = {BSP_TOUCH_HPGET, BSP_TOUCH_HPGET_TO},
};

static void note(bsp_runtime *b, const bsp_transfer *t) {
    bsp_site site = bsp_site_here();
    bool put = t->kind == BSP_PUT || t->kind == BSP_HPPUT;
    uint64_t sum = put ? bsp_check_sum((const void *)t->local.at, t->local.len) : 0;
    int there = touches[t->kind].there, here = touches[t->kind].here;
    records_add(&k.out[t->pid], (bsp_record){t->remote.at, t->remote.len, sum, site, (uint32_t)there, b->pid});
    if (here >= 0)
        records_add(&k.out[b->pid], (bsp_record){t->local.at, t->local.len, sum, site, (uint32_t)here, b->pid});
}

/* ---- registrations ---- */

static void add_call(uint64_t number, bsp_site site, bool push) {
    BSP_ROOM_FOR_ONE(k.calls, k.call_count, k.call_room, 16, "bsp_push_reg");
    k.calls[k.call_count++] = (bsp_reg_call){number, site, push, 0};
}

/* Pushes and pops take effect in program order, so the list can follow at once; but pops of NULL when the others have
 * said what they name. */
void bsp_check_reg(bsp_runtime *b, const void *addr, bool push) {
    bsp_site site = bsp_site_here();
    if (push) {
        BSP_ROOM_FOR_ONE(k.lives, k.live_count, k.live_room, 16, "bsp_push_reg");
        k.lives[k.live_count++] = (live){addr, ++k.registrations, site};
        add_call(k.registrations, site, true);
        k.nulls += !addr;
        return;
    }
    if (!addr && k.nulls) {
        k.nulls--;
        k.null_pops++;
        add_call(0, site, false);
        return;
    }
    size_t i = k.live_count;
    while (i > 0 && k.lives[i - 1].addr != addr) i--;
    if (!i || !addr) bsp_check_error(site, b->pid, "bsp_pop_reg", "address %p is not registered here", addr);
    add_call(k.lives[i - 1].number, site, false);
    memmove(&k.lives[i - 1], &k.lives[i], (k.live_count - i) * sizeof *k.lives);
    k.live_count--;
}

static bool gave_null(uint64_t number) {
    for (size_t i = k.live_count; i > 0; i--)
        if (k.lives[i - 1].number == number) return !k.lives[i - 1].addr;
    return false;
}

/* The registrations of NULL that the sync has left. */
static void drop_nulls(const bsp_table *t) {
    int s = bsp_reg_latest_null(t);
    size_t kept = k.live_count;
    for (size_t i = k.live_count; i > 0; i--) {
        const live *l = &k.lives[i - 1];
        bool left = !l->addr && (s < 0 || t->slot[s].number != l->number);
        if (!l->addr && !left) s = t->slot[s].older;
        if (!left) k.lives[--kept] = *l;
    }
    memmove(k.lives, k.lives + kept, (k.live_count - kept) * sizeof *k.lives);
    k.live_count -= kept;
    k.null_pops = 0;
}

void bsp_check_tag_size(void) {
    k.tag_calls++;
    k.tag_site = bsp_site_here();
}

/* ---- the sync ---- */

static void verify_sources(bsp_runtime *b) {
    const bsp_records *own = &k.out[b->pid];
    for (size_t i = 0; i < own->count; i++) {
        const bsp_record *r = &own->at[i];
        if (r->touch == BSP_TOUCH_HPPUT_OF && bsp_check_sum((const void *)(uintptr_t)r->addr, r->len) != r->sum)
            bsp_check_error(r->site, b->pid, "bsp_hpput",
                            "its source, %llu bytes at %p, was changed before the sync; use bsp_put, or another buffer",
                            (unsigned long long)r->len, (const void *)(uintptr_t)r->addr);
    }
}

static void warn_of_unread(bsp_runtime *b, bool ending, bsp_site site) {
    if (b->queue.packets)
        bsp_check_warn(site, (bsp_site){0}, b->pid, ending ? "bsp_end" : "bsp_sync",
                       b->queue.packets == 1 ? "drops %zu message that was not read"
                                             : "drops %zu messages that were not read",
                       b->queue.packets);
}

/* Registrations are collective, so one process speaks for all. */
static void warn_of_leaks(bsp_runtime *b) {
    for (size_t i = 0; i < k.live_count && b->pid == 0; i++)
        if (!sup_bsp_coll_owns(k.lives[i].addr))
            bsp_check_warn(k.lives[i].site, (bsp_site){0}, b->pid, "bsp_push_reg",
                           "address %p is still registered at bsp_end", k.lives[i].addr);
}

/* What of everybody's transfers touches this process's memory, by rank. */
static void swap_records(bsp_runtime *b, const bsp_head *theirs) {
    int n = b->nprocs;
    size_t total = 0, *first = bsp_grow(NULL, (size_t)n * sizeof *first, "bsp_sync");
    for (int q = 0; q < n; q++) {
        first[q] = total;
        total += theirs[q].records;
    }
    k.all.at = bsp_grow(k.all.at, (total + 1) * sizeof *k.all.at, "bsp_sync");
    k.all.room = total + 1;
    k.all.count = total;
    const bsp_records *own = &k.out[b->pid];
    if (own->count) memcpy(k.all.at + first[b->pid], own->at, own->count * sizeof *own->at);
    for (int d = 1; d < n; d++) {
        int to = (b->pid + d) % n, from = (b->pid - d + n) % n;
        bsp_swap(b, BSP_CHECK_TAG_RECORDS, d, k.out[to].at, k.out[to].count * sizeof *k.all.at, k.all.at + first[from],
                 theirs[from].records * sizeof *k.all.at);
    }
    for (int q = 0; q < n; q++) k.out[q].count = 0;
    free(first);
}

static uint64_t sum_of_calls(void) {
    uint64_t sum = 1;
    for (size_t i = 0; i < k.call_count; i++) sum = sum * 0x100000001b3ull + (k.calls[i].number << 1 | k.calls[i].push);
    return sum;
}

static void check_sync(bsp_runtime *b, bool ending) {
    bsp_site site = bsp_site_here();
    verify_sources(b);
    warn_of_unread(b, ending, site);
    bsp_head *mine = calloc((size_t)b->nprocs, sizeof *mine), *theirs = calloc((size_t)b->nprocs, sizeof *theirs);
    if (!mine || !theirs) bsp_fail_status("bsp_sync", SUP_ENOMEM);
    for (int q = 0; q < b->nprocs; q++)
        mine[q] = (bsp_head){k.out[q].count,   k.call_count, sum_of_calls(), k.null_pops, k.tag_calls,
                             b->next_tag_size, ending,       site,           k.tag_site};
    bsp_check_agree(b, mine, theirs, k.calls, gave_null);
    swap_records(b, theirs);
    free(mine);
    free(theirs);
    k.call_count = 0;
    k.tag_calls = 0;
}

static void check_synced(bsp_runtime *b, bool ending) {
    bsp_check_overlap(b, &k.all);
    if (k.null_pops) drop_nulls(&b->reg);
    if (ending) warn_of_leaks(b);
}

/* Messages meet in nobody's memory. The owner of what a direct get reads may be writing: that is what a program that
 * makes this call has agreed to. */
const bsp_layer bsp_layer_check = {
    .wanted = wanted,
    .open = check_open,
    .close = check_close,
    .transfer = {[BSP_PUT] = note, [BSP_HPPUT] = note, [BSP_GET] = note, [BSP_HPGET] = note},
    .sync = check_sync,
    .synced = check_synced};
