/* Check mode, collective calls: all processes must be in the same call of bsp_sync or bsp_end, with the same sequence
 * of registrations and the same tag size behind them.
 *
 * Everybody gets everybody's head, so all come to the same conclusion; of those who differ from rank 0 the first one
 * reports, and the others wait for the end. */
#include "bsp/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void wait_for_the_end(void) {
    for (int i = 0; i < 100; i++) usleep(100000);
    _exit(1);
}

/* With pops of NULL the sums say nothing: see compare_calls. */
static bool differ(const bsp_head *a, const bsp_head *b, bool nulls) {
    return a->ending != b->ending || a->calls != b->calls || (!nulls && a->calls_sum != b->calls_sum) ||
           a->tag_calls != b->tag_calls || (a->tag_calls && a->tag_size != b->tag_size);
}

static const char *end_or_sync(const bsp_head *h) { return h->ending ? "bsp_end" : "bsp_sync"; }

/* Rank 0 made `first`, this process made `mine`; how many each. */
static _Noreturn void report_calls(const bsp_reg_call *first, size_t firsts, const bsp_reg_call *mine, size_t mines) {
    static const char *const names[] = {"bsp_pop_reg", "bsp_push_reg"};
    size_t i = 0;
    char where[512];
    while (i < firsts && i < mines && first[i].push == mine[i].push &&
           (first[i].number == mine[i].number || !first[i].number || !mine[i].number))
        i++;
    if (i < firsts) bsp_site_text(first[i].site, where, sizeof where);
    if (i >= mines)
        bsp_check_error(first[i].site, bsp_rt.pid, names[first[i].push],
                        "rank 0 calls it here, this rank does not: %zu and %zu registrations in the superstep", firsts,
                        mines);
    if (i >= firsts)
        bsp_check_error(mine[i].site, bsp_rt.pid, names[mine[i].push],
                        "rank 0 has no such call: %zu registrations in the superstep, %zu on rank 0", mines, firsts);
    if (first[i].push != mine[i].push)
        bsp_check_error(mine[i].site, bsp_rt.pid, names[mine[i].push], "at the same point rank 0 calls %s (%s)",
                        names[first[i].push], where);
    bsp_check_error(mine[i].site, bsp_rt.pid, "bsp_pop_reg",
                    "pops registration %llu, rank 0 pops registration %llu (%s): the order must be the same",
                    (unsigned long long)mine[i].number, (unsigned long long)first[i].number, where);
}

static _Noreturn void report(const bsp_head *first, const bsp_head *mine, const bsp_reg_call *rank_0,
                             const bsp_reg_call *calls) {
    char where[512];
    if (first->ending != mine->ending) {
        bsp_site_text(first->site, where, sizeof where);
        bsp_check_error(mine->site, bsp_rt.pid, end_or_sync(mine), "rank 0 is in %s (%s)", end_or_sync(first), where);
    }
    if (first->calls_sum != mine->calls_sum || first->calls != mine->calls)
        report_calls(rank_0, first->calls, calls, mine->calls);
    bsp_site site = mine->tag_calls ? mine->tag_site : first->tag_site;
    bsp_site_text(first->tag_site, where, sizeof where);
    if (first->tag_calls != mine->tag_calls)
        bsp_check_error(site, bsp_rt.pid, "bsp_set_tagsize", "called %llu times in the superstep, %llu times on rank 0",
                        (unsigned long long)mine->tag_calls, (unsigned long long)first->tag_calls);
    bsp_check_error(site, bsp_rt.pid, "bsp_set_tagsize", "sets %llu bytes, rank 0 sets %llu (%s)",
                    (unsigned long long)mine->tag_size, (unsigned long long)first->tag_size, where);
}

static void swap_heads(bsp_runtime *b, const bsp_head *mine, bsp_head *theirs) {
    int n = b->nprocs;
    theirs[b->pid] = mine[b->pid];
    for (int d = 1; d < n; d++) {
        int to = (b->pid + d) % n, from = (b->pid - d + n) % n;
        bsp_swap(b, BSP_CHECK_TAG_HEAD, d, &mine[to], sizeof *mine, &theirs[from], sizeof *theirs);
    }
}

/* The list of rank 0 to everybody. */
static bsp_reg_call *list_of_rank_0(bsp_runtime *b, const bsp_head *theirs, const bsp_reg_call *calls) {
    size_t bytes = theirs[0].calls * sizeof *calls;
    bsp_reg_call *list = bsp_grow(NULL, bytes + 1, "bsp_sync");
    for (int q = 1; q < b->nprocs && b->pid == 0; q++) bsp_swap(b, BSP_CHECK_TAG_CALLS, q, calls, bytes, NULL, 0);
    if (b->pid > 0) bsp_swap(b, BSP_CHECK_TAG_CALLS, b->pid, NULL, 0, list, bytes);
    return list;
}

/* ---- pops of NULL ---- */

/* This process makes call `mine`, another one makes `theirs` in the same place; ends the run if they do not fit. */
static void hold_against(const bsp_reg_call *mine, const bsp_reg_call *theirs, int rank,
                         bool (*gave_null)(uint64_t number)) {
    static const char *const names[] = {"bsp_pop_reg", "bsp_push_reg"};
    char where[512];
    bsp_site_text(theirs->site, where, sizeof where);
    if (mine->push != theirs->push)
        bsp_check_error(mine->site, bsp_rt.pid, names[mine->push], "at the same point rank %d calls %s (%s)", rank,
                        names[theirs->push], where);
    if (mine->number && mine->number != theirs->number)
        bsp_check_error(mine->site, bsp_rt.pid, "bsp_pop_reg",
                        "pops registration %llu, rank %d pops registration %llu (%s): the order must be the same",
                        (unsigned long long)mine->number, rank, (unsigned long long)theirs->number, where);
    if (!mine->number && !gave_null(theirs->number))
        bsp_check_error(mine->site, bsp_rt.pid, "bsp_pop_reg",
                        "pops NULL, rank %d pops registration %llu (%s), in which this rank did not give NULL", rank,
                        (unsigned long long)theirs->number, where);
}

/* Somebody pops NULL. Everybody makes as many calls, and each is held against that of the first process that names what
 * it pops. What nobody names is the engine's to find. */
static void compare_calls(bsp_runtime *b, const bsp_head *theirs, const bsp_reg_call *calls,
                          bool (*gave_null)(uint64_t number)) {
    int n = b->nprocs;
    size_t count = theirs[b->pid].calls;
    bsp_reg_call *all = bsp_grow(NULL, (size_t)n * count * sizeof *all, "bsp_sync");
    memcpy(all + (size_t)b->pid * count, calls, count * sizeof *all);
    for (int d = 1; d < n; d++)
        bsp_swap(b, BSP_CHECK_TAG_CALLS, d, calls, count * sizeof *all, all + (size_t)((b->pid - d + n) % n) * count,
                 count * sizeof *all);
    bool wrong = false;
    for (size_t i = 0; i < count; i++) {
        int first = 0;
        for (int q = 0; q < n; q++)
            if (!all[(size_t)first * count + i].number) first = q;
        const bsp_reg_call *named = &all[(size_t)first * count + i];
        for (int q = 0; q < n; q++) {
            const bsp_reg_call *c = &all[(size_t)q * count + i];
            bool fits = c->push == named->push && (!c->number || c->number == named->number);
            wrong |= !fits;
            if (q == b->pid && named->number) hold_against(c, named, first, gave_null);
        }
    }
    free(all);
    if (wrong) wait_for_the_end();
}

void bsp_check_agree(bsp_runtime *b, const bsp_head *mine, bsp_head *theirs, const bsp_reg_call *calls,
                     bool (*gave_null)(uint64_t number)) {
    swap_heads(b, mine, theirs);
    int odd = 0;
    bool nulls = false;
    for (int q = 0; q < b->nprocs; q++) nulls |= theirs[q].nulls > 0;
    for (int q = 1; q < b->nprocs && !odd; q++)
        if (differ(&theirs[q], &theirs[0], nulls)) odd = q;
    if (!odd && nulls) compare_calls(b, theirs, calls, gave_null);
    if (!odd) return;
    bsp_reg_call *list = list_of_rank_0(b, theirs, calls);
    if (b->pid == odd) report(&theirs[0], mine, list, calls);
    wait_for_the_end();
}
