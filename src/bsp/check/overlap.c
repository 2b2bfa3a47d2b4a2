/* Check mode, transfers that meet in the memory of one process.
 *
 *                 put      hpput    get to   hpget to     (written by)
 *     put         race
 *     hpput       race     race
 *     get to      –        error    warning
 *     hpget to    error    error    error    error
 *     get of      –        error    –        error        (read by)
 *     hpget of    error    error    error    error
 *     hpput's     changed  changed  changed  changed      (source of)
 *
 * race: an error where the bytes differ, else a warning; buffered puts of one process have an order, so there they are
 * a warning where the bytes differ and nothing else. changed: an error if the source is not what it was at the call.
 * Whether bytes differ is seen from what lies there after the sync: if each writer finds its own bytes, they agree. */
#include "bsp/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 1000 }; /* of one transfer that are looked at: bounds the time where thousands meet */

typedef enum verdict { FINE, RACE, CHANGED, ODD, WRONG } verdict;

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

static const char *const call_of[] = {"bsp_put", "bsp_hpput", "bsp_get",  "bsp_hpget",
                                      "bsp_get", "bsp_hpget", "bsp_hpput"};

static verdict rule(const bsp_record *a, const bsp_record *b) {
    static const verdict table[][4] = {
        [BSP_TOUCH_PUT] = {RACE, RACE, FINE, WRONG},
        [BSP_TOUCH_HPPUT] = {RACE, RACE, WRONG, WRONG},
        [BSP_TOUCH_GET_TO] = {FINE, WRONG, ODD, WRONG},
        [BSP_TOUCH_HPGET_TO] = {WRONG, WRONG, WRONG, WRONG},
        [BSP_TOUCH_GET] = {FINE, WRONG, FINE, WRONG},
        [BSP_TOUCH_HPGET] = {WRONG, WRONG, WRONG, WRONG},
        [BSP_TOUCH_HPPUT_OF] = {CHANGED, CHANGED, CHANGED, CHANGED},
    };
    if (b->touch <= BSP_TOUCH_HPGET_TO) return table[a->touch][b->touch];
    return a->touch <= BSP_TOUCH_HPGET_TO ? table[b->touch][a->touch] : FINE;
}

static bool still_there(const bsp_record *r) {
    return bsp_check_sum((const void *)(uintptr_t)r->addr, r->len) == r->sum;
}

static void report(bsp_runtime *b, const bsp_record *first, const bsp_record *last, bool wrong, const char *what) {
    uint64_t low = first->addr > last->addr ? first->addr : last->addr;
    uint64_t high =
        first->addr + first->len < last->addr + last->len ? first->addr + first->len : last->addr + last->len;
    char where[512], text[1024];
    bsp_site_text(first->site, where, sizeof where);
    snprintf(text, sizeof text, "overlaps %s of rank %d (%s): %llu bytes at %p on rank %d %s", call_of[first->touch],
             first->rank, where, (unsigned long long)(high - low), (void *)(uintptr_t)low, b->pid, what);
    if (wrong) bsp_check_error(last->site, last->rank, call_of[last->touch], "%s", text);
    bsp_check_warn(last->site, first->site, last->rank, call_of[last->touch], "%s", text);
}

static void judge(bsp_runtime *b, const bsp_record *x, const bsp_record *y) {
    const bsp_record *first = x->rank <= y->rank ? x : y, *last = first == x ? y : x;
    const bsp_record *source = x->touch == BSP_TOUCH_HPPUT_OF ? x : y;
    bool ordered = x->touch == BSP_TOUCH_PUT && y->touch == BSP_TOUCH_PUT && x->rank == y->rank;
    switch (rule(x, y)) {
    case FINE: return;
    case ODD: report(b, first, last, false, "are written twice"); return;
    case WRONG: report(b, first, last, true, "are used by both at no stated time"); return;
    case CHANGED:
        if (!still_there(source)) report(b, source, source == x ? y : x, true, "are its source and were overwritten");
        return;
    case RACE:
        if (still_there(x) && still_there(y)) {
            if (!ordered) report(b, first, last, false, "get the same value from both");
        } else {
            report(b, first, last, !ordered, "get different values");
        }
    }
}

static int by_address(const void *p, const void *q) {
    const bsp_record *x = p, *y = q;
    if (x->addr != y->addr) return x->addr < y->addr ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->touch < y->touch ? -1 : x->touch > y->touch;
}

/* Reads that no write can disturb are left out: a location that all read may be read a million times. */
static void drop_harmless(bsp_records *r) {
    bool writes = false, unbuffered = false;
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        uint32_t t = r->at[i].touch;
        writes = writes || t <= BSP_TOUCH_HPGET_TO;
        unbuffered = unbuffered || t == BSP_TOUCH_HPPUT || t == BSP_TOUCH_HPGET_TO;
    }
    for (size_t i = 0; i < r->count && writes; i++)
        if (r->at[i].touch != BSP_TOUCH_GET || unbuffered) r->at[kept++] = r->at[i];
    r->count = kept;
}

void bsp_check_overlap(bsp_runtime *b, bsp_records *r) {
    drop_harmless(r);
    if (r->count < 2) return;
    qsort(r->at, r->count, sizeof *r->at, by_address);
    for (size_t i = 0; i < r->count; i++) {
        uint64_t end = r->at[i].addr + r->at[i].len;
        for (size_t j = i + 1; j < r->count && j <= i + NEIGHBOURS && r->at[j].addr < end; j++)
            judge(b, &r->at[i], &r->at[j]);
    }
}
