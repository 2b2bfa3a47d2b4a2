/* Check mode: an exchange around the real one that notes every call and verifies at the sync. See check.h. */
#include "bsp/check.h"
#include "bsp/coll_area.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A registration that is in force, or will be from the next superstep on. */
typedef struct live {
    const void *addr;
    uint64_t number;
    bsp_site site;
} live;

static struct {
    const bsp_exchange *inner;
    bsp_records *out; /* for each process: what of ours concerns it */
    bsp_reg_call *calls;
    size_t call_count, call_room;
    live *lives;
    size_t live_count, live_room;
    uint64_t registrations;
    uint64_t tag_calls;
    bsp_site tag_site;
} k;

/* Differs for almost all different contents; the length is compared elsewhere. */
uint64_t bsp_check_sum(const void *p, size_t len) {
    const unsigned char *at = p;
    uint64_t sum = 0x9e3779b97f4a7c15ull ^ len, w;
    for (; len >= 8; len -= 8, at += 8) {
        memcpy(&w, at, 8);
        sum = (sum ^ w) * 0xff51afd7ed558ccdull;
        sum ^= sum >> 32;
    }
    for (; len; len--, at++) sum = (sum ^ *at) * 0xc4ceb9fe1a85ec53ull;
    return sum ^ sum >> 29;
}

void bsp_records_add(bsp_records *r, bsp_record record) {
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->at = bsp_grow(r->at, r->room * sizeof *r->at, "bsp_sync");
    }
    r->at[r->count++] = record;
}

/* ---- opening ---- */

static void check_close(bsp_runtime *b) {
    k.inner->close(b);
    for (int q = 0; k.out && q < b->procs; q++) free(k.out[q].at);
    free(k.out);
    free(k.calls);
    free(k.lives);
    const bsp_exchange *inner = k.inner;
    memset(&k, 0, sizeof k);
    k.inner = inner;
}

static sup_status check_open(bsp_runtime *b, sup_diag *diag) {
    sup_status st = k.inner->open(b, diag);
    if (st) return st;
    k.out = calloc((size_t)b->nprocs, sizeof *k.out);
    if (k.out) return SUP_OK;
    k.inner->close(b);
    return SUP_ENOMEM;
}

/* ---- calls ---- */

static void note(bsp_runtime *b, int pid, bsp_touch touch, uintptr_t addr, size_t len, uint64_t sum, bsp_site site) {
    bsp_records_add(&k.out[pid], (bsp_record){addr, len, sum, site, touch, b->pid});
}

static void check_put(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    note(b, pid, BSP_TOUCH_PUT, remote, len, bsp_check_sum(src, len), bsp_site_here());
    k.inner->put(b, pid, remote, src, len);
}

static void check_hpput(bsp_runtime *b, int pid, uintptr_t remote, const void *src, size_t len) {
    bsp_site site = bsp_site_here();
    uint64_t sum = bsp_check_sum(src, len);
    note(b, pid, BSP_TOUCH_HPPUT, remote, len, sum, site);
    note(b, b->pid, BSP_TOUCH_HPPUT_OF, (uintptr_t)src, len, sum, site);
    k.inner->hpput(b, pid, remote, src, len);
}

static void check_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    bsp_site site = bsp_site_here();
    note(b, pid, BSP_TOUCH_GET, remote, len, 0, site);
    note(b, b->pid, BSP_TOUCH_GET_TO, (uintptr_t)dst, len, 0, site);
    k.inner->get(b, pid, remote, dst, len);
}

static void check_hpget(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    bsp_site site = bsp_site_here();
    note(b, pid, BSP_TOUCH_HPGET, remote, len, 0, site);
    note(b, b->pid, BSP_TOUCH_HPGET_TO, (uintptr_t)dst, len, 0, site);
    k.inner->hpget(b, pid, remote, dst, len);
}

static void check_send(bsp_runtime *b, int pid, const void *tag, const void *payload, size_t len) {
    if (!tag && b->tag_size)
        bsp_check_error(bsp_site_here(), b->pid, "bsp_send", "no tag given, but the tag size is %zu", b->tag_size);
    k.inner->send(b, pid, tag, payload, len);
}

/* ---- registrations ---- */

static void add_call(uint64_t number, bsp_site site, bool push) {
    if (k.call_count == k.call_room) {
        k.call_room = k.call_room ? 2 * k.call_room : 16;
        k.calls = bsp_grow(k.calls, k.call_room * sizeof *k.calls, "bsp_push_reg");
    }
    k.calls[k.call_count++] = (bsp_reg_call){number, site, push, 0};
}

/* Pushes and pops take effect in program order, so the list can follow at once. */
void bsp_check_reg(bsp_runtime *b, const void *addr, size_t size, bool push) {
    bsp_site site = bsp_site_here();
    (void)size;
    if (push) {
        if (k.live_count == k.live_room) {
            k.live_room = k.live_room ? 2 * k.live_room : 16;
            k.lives = bsp_grow(k.lives, k.live_room * sizeof *k.lives, "bsp_push_reg");
        }
        k.lives[k.live_count++] = (live){addr, ++k.registrations, site};
        add_call(k.registrations, site, true);
        return;
    }
    size_t i = k.live_count;
    while (i > 0 && k.lives[i - 1].addr != addr) i--;
    if (!i) bsp_check_error(site, b->pid, "bsp_pop_reg", "address %p is not registered here", addr);
    add_call(k.lives[i - 1].number, site, false);
    memmove(&k.lives[i - 1], &k.lives[i], (k.live_count - i) * sizeof *k.lives);
    k.live_count--;
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

/* What of everybody's transfers touches this process's memory. */
static void swap_records(bsp_runtime *b, const bsp_head *theirs, bsp_records *all) {
    size_t n = (size_t)b->nprocs, total = 0;
    const void **out = calloc(n, sizeof *out);
    void **in = calloc(n, sizeof *in);
    size_t *out_len = calloc(n, sizeof *out_len), *in_len = calloc(n, sizeof *in_len);
    if (!out || !in || !out_len || !in_len) bsp_fail_status("bsp_sync", SUP_ENOMEM);
    for (int q = 0; q < b->nprocs; q++) total += q == b->pid ? k.out[q].count : theirs[q].records;
    all->at = bsp_grow(NULL, (total + 1) * sizeof *all->at, "bsp_sync");
    all->room = total + 1;
    for (int q = 0; q < b->nprocs; q++) {
        size_t count = q == b->pid ? k.out[q].count : theirs[q].records;
        if (q == b->pid) {
            if (count) memcpy(all->at + all->count, k.out[q].at, count * sizeof *all->at);
        } else {
            in[q] = all->at + all->count;
            in_len[q] = count * sizeof *all->at;
            out[q] = k.out[q].at;
            out_len[q] = k.out[q].count * sizeof *all->at;
        }
        all->count += count;
    }
    bsp_check_swap(b, BSP_CHECK_TAG_RECORDS, out, out_len, in, in_len);
    for (int q = 0; q < b->nprocs; q++) k.out[q].count = 0;
    free(out);
    free(in);
    free(out_len);
    free(in_len);
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
        mine[q] = (bsp_head){b->epoch,         k.out[q].count, k.call_count, sum_of_calls(), k.tag_calls,
                             b->next_tag_size, ending,         site,         k.tag_site};
    bsp_check_agree(b, mine, theirs, k.calls);
    bsp_records all = {0};
    swap_records(b, theirs, &all);
    free(mine);
    free(theirs);
    k.call_count = 0;
    k.tag_calls = 0;
    k.inner->sync(b, ending);
    bsp_check_overlap(b, &all);
    free(all.at);
    if (ending) warn_of_leaks(b);
}

/* Its owner may be writing: that is what a program that makes this call has agreed to. */
static void check_direct_get(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    k.inner->direct_get(b, pid, remote, dst, len);
}

static const bsp_exchange exchange_check = {"check",   check_open,  check_close, check_put,  check_hpput,
                                            check_get, check_hpget, check_send,  check_sync, check_direct_get};

const bsp_exchange *bsp_check_wrap(bsp_runtime *b, const bsp_exchange *inner) {
    b->eager = false;
    k.inner = inner;
    return &exchange_check;
}
