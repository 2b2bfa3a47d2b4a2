/* Tcomm as the program sees it before the sync: what it spends inside puts, gets and sends, apart from computation.
 *
 *     last sync │ computation │ call │ computation │ call │ computation │ sync
 *               look          look   look          look   look          look
 *
 * Looking at the clock takes as long as many a call, so it must be in none of the times: from the end of a call to the
 * beginning of the next, with nothing between them, `between_s` pass, and `empty_s` inside one that is only counted.
 * Both are measured when recording begins and taken off for each call. What comes behind the first unbuffered transfer
 * might hide it: T'comp. */
#include "bsp/tracing/trace.h"

#include "base/clock.h"
#include "base/number/stats.h"

#include <math.h>

enum { LOOKS = 63 };

void bsp_trace_calls_begin(bsp_trace_calls *c) { c->began = sup_clock_ns(); }

void bsp_trace_calls_end(bsp_trace_calls *c, bool unbuffered_one) {
    int64_t now = sup_clock_ns();
    c->ended = now;
    c->inside += now - c->began;
    c->number++;
    if (!unbuffered_one || c->first) return;
    c->first = now;
    c->inside_then = c->inside;
    c->number_then = c->number;
    c->looking_then_s = c->looking_s;
}

void bsp_trace_calls_clear(bsp_trace_calls *c) {
    *c = (bsp_trace_calls){.between_s = c->between_s, .empty_s = c->empty_s};
}

void bsp_trace_calls_open(bsp_trace_calls *c, void (*call)(void *context), void *context) {
    double between[LOOKS], empty[LOOKS];
    *c = (bsp_trace_calls){0};
    call(context);
    for (int i = 0; i < LOOKS; i++) {
        int64_t before = c->ended, inside = c->inside;
        call(context);
        between[i] = sup_clock_seconds(before, c->began);
        empty[i] = 1e-9 * (double)(c->inside - inside);
    }
    sup_stats_sort(between, LOOKS);
    sup_stats_sort(empty, LOOKS);
    c->between_s = sup_stats_median_sorted(between, LOOKS);
    c->empty_s = sup_stats_median_sorted(empty, LOOKS);
    bsp_trace_calls_clear(c);
}

void bsp_trace_calls_times(const bsp_trace_calls *c, int64_t from, int64_t to, double time[BSP_TRACE_TIMES]) {
    double inside = 1e-9 * (double)c->inside, all = sup_clock_seconds(from, to), number = (double)c->number;
    time[BSP_TRACE_CALLS] = fmax(0, inside - number * c->empty_s);
    time[BSP_TRACE_COMPUTE] = fmax(0, all - inside - number * c->between_s - c->looking_s);
    time[BSP_TRACE_BEHIND] = 0;
    if (!c->first) return;
    double calls = 1e-9 * (double)(c->inside - c->inside_then) + (double)(c->number - c->number_then) * c->between_s;
    calls += c->looking_s - c->looking_then_s;
    double behind = sup_clock_seconds(c->first, to) - calls;
    time[BSP_TRACE_BEHIND] = fmin(fmax(0, behind), time[BSP_TRACE_COMPUTE]);
}
