/* superstep predict --sweep: what the numbers mean. Where more processes are of no use any more, and which term does
 * it; why a number of processes is more than so many times as fast, which wants a reason. */
#include "cli/predict/predict.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUPERLINEAR 1.05 /* efficiency above which a reason is given */
#define GAIN 0.05        /* strong scaling: time has to fall by so much from one number to the next */
#define HALF 0.5         /* weak scaling: least efficiency */

const char *const sup_sweep_parts[] = {"computation", "bandwidth", "latency", "synchronisation", "noise", NULL};

static double all_parts(const sup_sweep_row *r) {
    double all = 0;
    for (int k = 0; k < SUP_SWEEP_PARTS; k++) all += r->part_s[k];
    return all;
}

static double share(const sup_sweep_row *r, int part) {
    double all = all_parts(r);
    return all > 0 ? r->part_s[part] / all : 0;
}

/* ---- more efficient than the first ---- */

static char *bytes_text(double bytes, char *buf, size_t size) {
    const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int k = 0;
    for (; k < 4 && bytes >= 1024; k++) bytes /= 1024;
    snprintf(buf, size, "%.3g %s", bytes, units[k]);
    return buf;
}

/* The kernel whose unit became cheaper by most of the time, with less memory to go through; -1: none did. */
static int cheaper(const sup_sweep_row *first, const sup_sweep_row *r) {
    int best = -1;
    double most = 0;
    for (int k = 0; k < first->kernel_count && k < r->kernel_count; k++) {
        const sup_sweep_kernel *a = &first->kernels[k], *b = &r->kernels[k];
        if (!a->name[0] || strcmp(a->name, b->name) != 0 || !(a->unit_s > 1.02 * b->unit_s)) continue;
        if (b->footprint > 0.9 * a->footprint) continue;
        double saved = (1 - b->unit_s / a->unit_s) * a->all_s;
        if (saved <= most) continue;
        most = saved;
        best = k;
    }
    return best;
}

/* Which part of the time, times processes, fell most. In weak scaling: which part of the time. */
static int fell_most(const sup_sweep_row *first, const sup_sweep_row *r, bool strong) {
    double times = strong ? (double)r->processes / (double)first->processes : 1, most = 0;
    int part = 0;
    for (int k = 0; k < SUP_SWEEP_PARTS; k++) {
        double fell = first->part_s[k] - times * r->part_s[k];
        if (fell <= most) continue;
        most = fell;
        part = k;
    }
    return part;
}

static void explain(const sup_sweep_row *first, sup_sweep_row *r, bool strong) {
    int k = cheaper(first, r), part = fell_most(first, r, strong);
    if (k >= 0 && part == SUP_BOUND_COMPUTATION) {
        const sup_sweep_kernel *a = &first->kernels[k], *b = &r->kernels[k];
        char fa[24], fb[24], ta[24], tb[24];
        snprintf(r->reason, sizeof r->reason,
                 "P = %" PRId64 " has efficiency %.2f because kernel %.40s goes through %s a process instead of %s and "
                 "then takes %s a unit instead of %s: it fits into a nearer cache",
                 r->processes, r->efficiency, a->name, bytes_text(b->footprint, fb, sizeof fb),
                 bytes_text(a->footprint, fa, sizeof fa), sup_time_text(b->unit_s, tb, sizeof tb),
                 sup_time_text(a->unit_s, ta, sizeof ta));
    } else if (part != SUP_BOUND_COMPUTATION) {
        snprintf(r->reason, sizeof r->reason,
                 "P = %" PRId64 " has efficiency %.2f because %s falls faster than processes are added: the program "
                 "asks for less",
                 r->processes, r->efficiency, sup_sweep_parts[part]);
    } else if (r->kernel_count && !r->kernels[0].name[0]) {
        snprintf(r->reason, sizeof r->reason,
                 "P = %" PRId64 " has efficiency %.2f because the recorded computation falls faster than as 1/P",
                 r->processes, r->efficiency);
    } else {
        r->unexplained = true;
        snprintf(r->reason, sizeof r->reason,
                 "P = %" PRId64 " has efficiency %.2f, which nothing in the profile explains: do not rely on it",
                 r->processes, r->efficiency);
    }
}

/* ---- where it stops ---- */

static bool no_more(const sup_sweep_row *before, const sup_sweep_row *r, bool strong) {
    if (!strong) return r->efficiency < HALF;
    return r->time.value > (1 - GAIN) * before->time.value;
}

static void say_why(sup_sweep_result *s, const sup_sweep_row *before, const sup_sweep_row *r) {
    int grew = 0;
    for (int k = 1; k < SUP_SWEEP_PARTS; k++)
        if (share(r, k) - share(before, k) > share(r, grew) - share(before, grew)) grew = k;
    char a[24], b[24], what[120];
    if (s->strong)
        snprintf(what, sizeof what, "%s after %s with %" PRId64, sup_time_text(r->time.value, a, sizeof a),
                 sup_time_text(before->time.value, b, sizeof b), before->processes);
    else
        snprintf(what, sizeof what, "%s, efficiency %.2f", sup_time_text(r->time.value, a, sizeof a), r->efficiency);
    if (share(r, grew) - share(before, grew) < 0.005)
        snprintf(s->why, sizeof s->why,
                 "It stops scaling at P = %" PRId64 " (%s): no term gets smaller, %s is %.0f %% of the time.",
                 r->processes, what, sup_sweep_parts[r->bound], 100 * share(r, r->bound));
    else
        snprintf(s->why, sizeof s->why,
                 "It stops scaling at P = %" PRId64 " (%s): %s grew from %.0f %% of the time with P = %" PRId64
                 " to %.0f %%.",
                 r->processes, what, sup_sweep_parts[grew], 100 * share(before, grew), before->processes,
                 100 * share(r, grew));
}

static void find_stop(sup_sweep_result *s) {
    s->stops = -1;
    for (int k = 1; k < s->count && s->stops < 0; k++) {
        const sup_sweep_row *before = &s->rows[k - 1], *r = &s->rows[k];
        if (r->processes <= before->processes || !no_more(before, r, s->strong)) continue;
        s->stops = k;
        say_why(s, s->strong ? before : &s->rows[0], r);
    }
    if (s->stops < 0 && s->count > 1)
        snprintf(s->why, sizeof s->why, "It scales up to P = %" PRId64 ", the last of the sweep.",
                 s->rows[s->count - 1].processes);
}

void sup_sweep_judge(sup_sweep_result *s) {
    for (int k = 0; k < s->count; k++) {
        sup_sweep_row *r = &s->rows[k];
        const sup_sweep_row *first = &s->rows[0];
        double grown = (double)r->processes / (double)first->processes;
        double faster = r->time.value > 0 ? first->time.value / r->time.value : 0;
        r->speedup = s->strong ? faster : faster * grown;
        r->efficiency = s->strong ? faster / grown : faster;
        if (r->efficiency > SUPERLINEAR) explain(first, r, s->strong);
    }
    find_stop(s);
}
