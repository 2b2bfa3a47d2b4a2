/* The time of a recorded run as lines that add up to it (compare.h): all terms of the equation, and what no term holds.
 * Last stage of the flow.
 *
 * Means times counts are where the time went; medians are what a typical superstep takes, and what models predict. So
 * there are two columns. That of means is of the process that ran longest; that of medians takes the slowest process of
 * each kind of superstep, and what its sum lacks of the recorded supersteps' time is the line of waiting and noise. */
#include "cli/compare/compare.h"
#include "cli/predict/predict.h"

#include <math.h>

const char *const sup_wall_names[SUP_WALL_LINES] = {
    [SUP_WALL_COMPUTATION] = "computation",
    [SUP_WALL_CALLS] = "calls",
    [SUP_WALL_SYNC] = "sync",
    [SUP_WALL_FIRST] = "first",
    [SUP_WALL_WAITING] = "waiting",
    [SUP_WALL_OUTSIDE] = "outside",
};

static void find_longest(const sup_trace *t, sup_wall *w) {
    w->wall_s = t->processes[0].wall_s;
    for (size_t p = 1; p < t->processes_count; p++)
        if (t->processes[p].wall_s > w->wall_s) {
            w->wall_s = t->processes[p].wall_s;
            w->rank = (int64_t)p;
        }
}

/* Means of that process. Its steps are all that it met, each once. */
static void add_means(const sup_trace *t, sup_wall *w) {
    const sup_trace_process *p = &t->processes[w->rank];
    w->calls_known = true;
    for (size_t i = 0; i < p->steps_count; i++) {
        const sup_trace_step *s = &p->steps[i];
        double times = (double)s->count;
        w->line[SUP_WALL_COMPUTATION].mean_s += times * s->compute_s.mean;
        w->line[SUP_WALL_SYNC].mean_s += times * s->sync_s.mean;
        w->line[SUP_WALL_WAITING].mean_s += times * s->wait_s.mean;
        w->new_bytes += s->calls_new_bytes + s->sync_new_bytes;
        w->firsts_known = w->firsts_known || s->first;
        if (s->calls_s) w->line[SUP_WALL_CALLS].mean_s += times * s->calls_s->mean;
        w->calls_known = w->calls_known && s->calls_s;
    }
}

static void add_medians(const sup_program *recorded, double clock_s, sup_wall *w) {
    for (size_t i = 0; i < recorded->step_count; i++) {
        const sup_step *s = &recorded->steps[i];
        double times = (double)s->repeat;
        w->line[SUP_WALL_COMPUTATION].typical_s += times * sup_predict_without(s->measured_compute_s, clock_s);
        w->line[SUP_WALL_SYNC].typical_s += times * sup_predict_without(s->measured_sync_s, clock_s);
        if (!isnan(s->measured_more_s)) w->line[SUP_WALL_FIRST].typical_s += s->measured_more_s;
        if (!s->calls_inside) w->line[SUP_WALL_CALLS].typical_s += times * s->measured_calls_s;
    }
}

static void judge(sup_wall_line *line, double times, double measured, double predicted) {
    if (isnan(predicted) || isnan(measured)) return;
    line->judged_s = (isnan(line->judged_s) ? 0 : line->judged_s) + times * measured;
    line->claimed_s = (isnan(line->claimed_s) ? 0 : line->claimed_s) + times * predicted;
}

static void add_predicted(const sup_held_list *list, sup_wall *w) {
    for (size_t i = 0; i < list->count; i++) {
        const sup_held *h = &list->at[i];
        double after = isnan(h->calls) ? NAN : h->sync - h->calls;
        if (!h->taken) judge(&w->line[SUP_WALL_COMPUTATION], h->count, h->measured_compute, h->compute);
        judge(&w->line[SUP_WALL_CALLS], h->count, h->measured_calls, h->calls);
        judge(&w->line[SUP_WALL_SYNC], h->count, h->measured_sync, after);
        judge(&w->exchange, h->count, h->measured - h->measured_compute, h->sync);
        judge(&w->line[SUP_WALL_FIRST], 1, h->measured_more, h->more);
        judge(&w->exchange, 1, h->measured_more, h->more);
        for (int k = 0; k < SUP_FIRST_PARTS; k++) w->first_s[k] += h->count * h->first[k] + h->more_first[k];
    }
}

void sup_wall_make(const sup_trace *trace, const sup_program *recorded, const sup_held_list *list, double clock_s,
                   sup_wall *out) {
    sup_wall w = {.supersteps = trace->supersteps, .left_out = trace->left_out, .taken = list->taken};
    for (int k = 0; k < SUP_WALL_LINES; k++) w.line[k].judged_s = w.line[k].claimed_s = NAN;
    w.exchange.judged_s = w.exchange.claimed_s = NAN;
    find_longest(trace, &w);
    add_means(trace, &w);
    add_medians(recorded, clock_s, &w);
    add_predicted(list, &w);
    const sup_wall_line *comp = &w.line[SUP_WALL_COMPUTATION], *calls = &w.line[SUP_WALL_CALLS],
                        *sync = &w.line[SUP_WALL_SYNC], *first = &w.line[SUP_WALL_FIRST];
    sup_wall_line *waiting = &w.line[SUP_WALL_WAITING], *outside = &w.line[SUP_WALL_OUTSIDE];
    double inside = comp->mean_s + calls->mean_s + sync->mean_s + waiting->mean_s;
    w.exchange.typical_s = calls->typical_s + sync->typical_s + first->typical_s;
    w.exchange.mean_s = calls->mean_s + sync->mean_s;
    w.explained_s = comp->typical_s + w.exchange.typical_s;
    w.unexplained_s = w.wall_s - w.explained_s;
    waiting->typical_s = inside - w.explained_s;
    outside->mean_s = outside->typical_s = w.wall_s - inside;
    *out = w;
}
