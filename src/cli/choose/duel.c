/* Duels of superstep choose and report (choose/duel.h): the two sides in turn, in launches of their own, for a bounded
 * time. Terms Tcomm and Tsync, stages measure and choose. */
#include "cli/choose/duel.h"

#include "base/clock.h"
#include "base/text.h"
#include "cli/frame/cli.h"
#include "cli/measure/measure.h"
#include "measure/launch/cases.h"
#include "measure/launch/duel.h"
#include "profile/composed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASE_S 0.02  /* of a launch, for each case */
#define LEAST_S 0.12 /* of measuring in a launch */
#define MOST_S 0.6
#define PATIENCE 4.0
#define STOP_S 1.0 /* past its time it is asked to stop, */
#define END_S 4.0  /* and ended */
/* Where others use the cores a launch may leave nothing that counts; starting is cheap but for MPIs. */
enum { LAUNCHES = SUP_EVIDENCE_LAUNCHES, MORE_LAUNCHES = 2, TIES_LAUNCHES = 2, CASES_MOST = 192, PLACE = 64 };

/* ---- this machine ---- */

sup_status sup_dueling_here(const sup_profile *profile, const char *file, sup_diag *diag) {
    sup_origin here;
    sup_status st = sup_profile_measured(profile, file, diag);
    if (!st && profile->signature.hosts > 1)
        st = sup_diag_set(diag, SUP_EMISMATCH, file, 0, "of several hosts: duels are fought on this machine alone");
    if (st) return st;
    st = sup_cli_here(NULL, diag, &here);
    if (!st) st = sup_origin_match(&profile->signature, &here, SUP_SIGNATURE_ANY_RUN, diag);
    if (st && !diag->file[0] && file) snprintf(diag->file, sizeof diag->file, "%.255s", file);
    sup_record_clear(&sup_origin_record, &here);
    return st;
}

/* As processes of the profile were placed; NULL: as usual. */
static const char *place_of(const sup_dueling *d, char text[PLACE]) {
    const char *policy = d->profile->signature.policy;
    size_t length = policy ? strcspn(policy, " ") : 0;
    if (!length || length >= PLACE || !strncmp(policy, "list", 4)) return NULL;
    memcpy(text, policy, length);
    text[length] = 0;
    return text;
}

/* ---- time ---- */

static bool is_mpi(const char *transport) { return strcmp(transport, "shm") != 0; }

/* Starting and ending the processes, and what of it is part of the time that a launch is told to take. */
static double start_of(const char *transport) { return is_mpi(transport) ? 0.7 : 0.15; }
static double within_of(const char *transport) { return is_mpi(transport) ? 0.4 : 0.02; }

static sup_wish look(void *context, double fraction, const char *text, double seconds_left) {
    const sup_dueling *d = context;
    double over = sup_clock_now() - d->until_s;
    (void)text;
    sup_wish wish = sup_bar_progress(NULL, fraction, "confirming decisions", seconds_left);
    if (wish == SUP_WISH_ON && over > END_S) return SUP_WISH_NOW;
    return wish == SUP_WISH_ON && over > STOP_S ? SUP_WISH_STOP : wish;
}

/* Processes placed as those of the profile. */
static sup_launch_place place_at(sup_dueling *d, int64_t processes, char place[PLACE]) {
    return (sup_launch_place){.processes = (int)processes, .place = place_of(d, place), .progress = look, .context = d};
}

static int launches_over(const char *transport) { return is_mpi(transport) ? LAUNCHES : LAUNCHES + MORE_LAUNCHES; }

/* Seconds of measuring in each of so many launches; 0: there is no time left for them. */
static double slice(sup_dueling *d, double all_s, int launches, size_t cases, double start_s) {
    double each = d->patience * fmin(MOST_S, fmax(LEAST_S, CASE_S * (double)cases));
    double left = (all_s - d->spent_s) / launches - start_s;
    if (left < LEAST_S) return 0;
    each = fmin(each, left);
    d->until_s = sup_clock_now() + launches * (each + start_s);
    return each;
}

void sup_dueling_begin(sup_dueling *d) { d->spent_s = 0; }

/* A launch that failed is no mistake of who decides: what it was for stays open. */
static sup_status forgive(sup_dueling *d, sup_status st, sup_diag *diag) {
    if (st == SUP_OK || st == SUP_ENOMEM) return st;
    if (sup_bar_interrupts()) return SUP_EINTR;
    if (!d->failed && st != SUP_EINTR) /* that was for its time */
        sup_text_print(stderr, "superstep %s: a duel could not be fought: %s\n", d->verb, diag->text);
    d->failed = true;
    *diag = (sup_diag){0};
    return SUP_OK;
}

static void take(const sup_timing *t, int side, sup_choose_duel *d) {
    if (t->status) return;
    d->seconds[side] = t->seconds;
    d->ci[side] = t->ci;
    d->launches = side && t->launches > d->launches ? d->launches : t->launches;
}

/* ---- barriers and collectives ---- */

/* As many at once as were given of the same kind and number of processes. */
typedef struct group {
    sup_choose_duel *at[CASES_MOST / 2];
    size_t count;
} group;

static bool possible(const sup_choose_duel *d) {
    if (d->kind == SUP_DUEL_COLLECTIVE) return d->side[0].choice.algorithm && d->side[1].choice.algorithm;
    if (d->kind == SUP_DUEL_BARRIER) return d->side[0].barrier && d->side[1].barrier;
    return true;
}

static sup_status fight_cases(sup_dueling *d, const char *transport, const group *g, int launches, double all_s,
                              sup_diag *diag) {
    bool barriers = g->at[0]->kind == SUP_DUEL_BARRIER;
    sup_collective_case cases[CASES_MOST];
    sup_pattern patterns[CASES_MOST] = {0};
    sup_timing times[CASES_MOST];
    char place[PLACE];
    sup_status st = SUP_OK;
    for (size_t i = 0; i < 2 * g->count && !st; i++) {
        const sup_choose_duel *x = g->at[i / 2];
        const sup_choose_side *s = &x->side[i % 2];
        cases[i] = (sup_collective_case){x->operation, s->choice, x->bytes};
        if (barriers) st = sup_plan_barrier_pattern(s->barrier, &patterns[i]);
    }
    sup_cases_order order = {.at = place_at(d, g->at[0]->processes, place),
                             .transport = transport,
                             .patterns = barriers ? patterns : NULL,
                             .collectives = cases,
                             .count = 2 * g->count,
                             .launches = launches,
                             .seconds = slice(d, all_s, launches, 2 * g->count, start_of(transport)),
                             .bounded = !barriers};
    if (!st && order.seconds > 0) {
        order.seconds += within_of(transport);
        st = sup_measure_cases(&order, diag, times);
        for (size_t i = 0; i < 2 * g->count && !st; i++) take(&times[i], (int)(i % 2), g->at[i / 2]);
    }
    for (size_t i = 0; i < 2 * g->count; i++) sup_pattern_free(&patterns[i]);
    return forgive(d, st, diag);
}

/* ---- supersteps ---- */

/* A plan in which nothing but the algorithm of counts is decided. */
static sup_status write_plan(const sup_dueling *d, const char *transport, const char *counts, int64_t processes,
                             const char *path, sup_diag *diag) {
    sup_plan *plan = NULL;
    const sup_choosing c = {.profile = d->profile, .transport = transport, .processes = processes};
    sup_status st = sup_choose_begin(&c, diag, &plan);
    if (st) return st;
    plan->bsp = sup_record_make(&sup_plan_bsp_record);
    sup_plan_counts_row *row =
        plan->bsp ? SUP_APPEND(&sup_plan_counts_row_record, plan->bsp->counts, plan->bsp->counts_count) : NULL;
    if (!row || sup_record_set_string(&row->algorithm, counts)) st = sup_diag_no_memory(diag);
    if (!st) {
        row->processes_from = processes;
        row->processes_to = processes + 1;
        st = sup_plan_write(plan, path, diag);
    }
    sup_plan_free(plan);
    return st;
}

static sup_status fight_steps(sup_dueling *d, const char *transport, sup_choose_duel *x, sup_diag *diag) {
    sup_timing times[2];
    char place[PLACE], path[2][sizeof(sup_folder) + 32];
    sup_folder folder = {.open = -1, .keeper = -1};
    sup_step_duel duel = {.at = place_at(d, x->processes, place), .bytes = (size_t)x->bytes, .launches = LAUNCHES};
    sup_status st = sup_folder_open(P_tmpdir "/superstep", diag, &folder);
    double start = 0, within = 0;
    for (int k = 0; k < 2 && !st; k++) {
        const sup_choose_side *s = &x->side[k];
        duel.side[k] = (sup_step_side){.transport = s->transport ? s->transport : transport, .engine = s->engine};
        start += start_of(duel.side[k].transport);
        within = fmax(within, within_of(duel.side[k].transport));
        if (!s->counts) continue;
        snprintf(path[k], sizeof path[k], "%s/plan-%d.json", folder.path, k);
        duel.side[k].plan = path[k];
        st = write_plan(d, duel.side[k].transport, s->counts, x->processes, path[k], diag);
    }
    duel.seconds = slice(d, SUP_DUELS_S, LAUNCHES, 12, start) / 2;
    if (!st && duel.seconds > 0) {
        duel.seconds += within;
        st = sup_measure_step_duel(&duel, diag, times);
        for (int k = 0; k < 2 && !st; k++) take(&times[k], k, x);
    }
    sup_folder_close(&folder);
    return forgive(d, st, diag);
}

/* ---- all of them ---- */

/* The first that had no turn yet, and all that can go with it. */
static bool gather(sup_choose_duel *duels, size_t count, bool *done, group *g) {
    g->count = 0;
    for (size_t i = 0; i < count; i++) {
        sup_choose_duel *x = &duels[i];
        if (done[i] || !possible(x)) continue;
        if (g->count && (x->kind == SUP_DUEL_STEP || x->kind != g->at[0]->kind || x->processes != g->at[0]->processes ||
                         g->count == CASES_MOST / 2))
            continue;
        g->at[g->count++] = x;
        done[i] = true;
        if (x->kind == SUP_DUEL_STEP) break;
    }
    return g->count > 0;
}

/* Where others use the cores hardly a batch counts: those that came to nothing once more, for longer. */
static bool again(sup_dueling *d, sup_choose_duel *duels, size_t count, double all_s, bool *done, group *g) {
    if (d->patience > PATIENCE || d->spent_s > all_s / 2 || d->failed) return false;
    d->patience *= 4;
    for (size_t i = 0; i < count; i++) done[i] = duels[i].launches >= LAUNCHES;
    return gather(duels, count, done, g);
}

static sup_status fight(sup_dueling *d, const char *transport, sup_choose_duel *duels, size_t count, double all_s,
                        int launches, sup_diag *diag) {
    bool *done = calloc(count + 1, sizeof *done);
    group *g = malloc(sizeof *g);
    sup_status st = done && g ? SUP_OK : sup_diag_no_memory(diag);
    sup_bar_open(d->quiet);
    d->patience = 1;
    while (!st && (gather(duels, count, done, g) || again(d, duels, count, all_s, done, g))) {
        double begin = sup_clock_now();
        st = g->at[0]->kind == SUP_DUEL_STEP ? fight_steps(d, transport, g->at[0], diag)
                                             : fight_cases(d, transport, g, launches, all_s, diag);
        d->spent_s += sup_clock_now() - begin;
        for (size_t i = 0; i < g->count; i++) d->fought += g->at[i]->seconds[0] > 0 && g->at[i]->seconds[1] > 0;
    }
    sup_bar_close();
    if (st == SUP_EINTR) {
        d->signal = sup_bar_signal();
        sup_diag_set(diag, st, NULL, 0, "interrupted");
    }
    free(g);
    free(done);
    return st;
}

sup_status sup_choose_duels(void *context, const char *transport, sup_choose_duel *duels, size_t count,
                            sup_diag *diag) {
    return fight(context, transport, duels, count, SUP_DUELS_S, launches_over(transport), diag);
}

/* They have a time of their own. */
sup_status sup_choose_ties(void *context, const char *transport, sup_choose_duel *duels, size_t count, sup_diag *diag) {
    sup_dueling *d = context, own = *d;
    own.spent_s = 0;
    sup_status st = fight(&own, transport, duels, count, SUP_TIES_S, TIES_LAUNCHES, diag);
    d->signal = own.signal;
    d->failed = own.failed;
    return st;
}
