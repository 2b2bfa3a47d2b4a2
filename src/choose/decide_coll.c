/* Decides which algorithm collective operations take (Tcomm): of all processes of the plan and of the first of them, by
 * bytes. collective.h says how; what is kept as it is without a plan has no row in it. Barriers have a decider of their
 * own. */
#include "choose/collective/collective.h"
#include "choose/collective/say.h"
#include "choose/collective/sets.h"
#include "choose/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DUELS_MOST = 64, CHANGES_MOST = 96 }; /* ties that are measured; what is confirmed */

typedef struct deciding {
    const sup_choosing *c;
    sup_plan *plan;
    sup_diag *diag;
    sup_coll_source source;
    sup_coll_sets sets;
    sup_coll_grid *grid;   /* [operation · SUP_COLL_SETS + set] */
    sup_coll_tie *changes; /* what is taken instead of the usual, and its duels */
    size_t change_count;
} deciding;

static sup_coll_grid *grid_of(const deciding *d, int operation, int set) {
    return &d->grid[operation * SUP_COLL_SETS + set];
}

/* ---- times ---- */

static sup_status price_all(deciding *d) {
    for (int op = 0; op < SUP_BARRIER; op++)
        for (int k = 0; k < d->sets.count; k++) {
            sup_coll_set set = sup_coll_set_of(&d->sets, k, op);
            sup_status st = sup_coll_grid_open(&d->source, &set, d->diag, grid_of(d, op, k));
            if (st) return st;
        }
    return SUP_OK;
}

static int by_gain(const void *a, const void *b) {
    const sup_coll_tie *x = a, *y = b;
    if (x->gain != y->gain) return x->gain < y->gain ? 1 : -1;
    return (x->grid > y->grid) - (x->grid < y->grid) + 2 * ((x->at > y->at) - (x->at < y->at));
}

static sup_status run_duels(deciding *d, sup_coll_tie *ties, size_t count) {
    sup_choose_duel *duels = malloc(count * sizeof *duels + 1);
    if (!duels) return SUP_ENOMEM;
    for (size_t i = 0; i < count; i++) duels[i] = ties[i].duel;
    sup_status st = d->c->ties(d->c->duel_context, d->c->transport, duels, count, d->diag);
    for (size_t i = 0; i < count && !st; i++) {
        ties[i].duel = duels[i];
        sup_coll_grid_settle(&d->grid[ties[i].grid], &ties[i]);
    }
    free(duels);
    return st;
}

/* Those that promise most come first. */
static sup_status settle_some(deciding *d, size_t *left) {
    size_t grids = (size_t)SUP_BARRIER * SUP_COLL_SETS, found = 0, room = 16 * grids;
    sup_coll_tie *ties = malloc(room * sizeof *ties);
    if (!ties) return SUP_ENOMEM;
    for (size_t g = 0; g < grids; g++)
        if (d->grid[g].count) found += sup_coll_grid_ties(&d->grid[g], (int)g, ties + found, room - found);
    qsort(ties, found, sizeof *ties, by_gain);
    if (found > *left) found = *left;
    sup_status st = found ? run_duels(d, ties, found) : SUP_OK;
    *left = found ? *left - found : 0;
    free(ties);
    return st;
}

/* Who won may be beaten by the next: a second round. */
static sup_status settle_ties(deciding *d) {
    size_t left = d->c->ties ? DUELS_MOST : 0;
    sup_status st = SUP_OK;
    for (int round = 0; round < 2 && left && !st; round++) st = settle_some(d, &left);
    return st;
}

/* ---- what is confirmed ---- */

static sup_status cover_all(deciding *d) {
    sup_status st = SUP_OK;
    for (int op = 0; op < SUP_BARRIER; op++)
        for (int k = 0; k < d->sets.count && !st; k++) st = sup_coll_grid_cover(grid_of(d, op, k));
    return st;
}

/* What all processes do comes first, then what promises most. */
static int by_use(const void *a, const void *b) {
    const sup_coll_tie *x = a, *y = b;
    if (x->duel.processes != y->duel.processes) return x->duel.processes < y->duel.processes ? 1 : -1;
    return by_gain(a, b);
}

/* Ranges that nobody confirms stay as they are without a plan. */
static sup_status confirm_all(deciding *d) {
    size_t grids = (size_t)SUP_BARRIER * SUP_COLL_SETS, room = 16 * grids;
    d->changes = malloc(room * sizeof *d->changes);
    if (!d->changes) return SUP_ENOMEM;
    for (size_t g = 0; g < grids; g++)
        if (d->grid[g].count)
            d->change_count +=
                sup_coll_grid_changes(&d->grid[g], (int)g, d->changes + d->change_count, room - d->change_count);
    qsort(d->changes, d->change_count, sizeof *d->changes, by_use);
    size_t count = d->change_count < CHANGES_MOST ? d->change_count : CHANGES_MOST;
    sup_choose_duel *duels = malloc(count * sizeof *duels + 1);
    if (!duels) return SUP_ENOMEM;
    for (size_t i = 0; i < count; i++) duels[i] = d->changes[i].duel;
    sup_status st = sup_choose_confirm(d->c, duels, count, d->diag);
    for (size_t i = 0; i < d->change_count && !st; i++) {
        sup_coll_tie *t = &d->changes[i];
        if (i < count) t->duel = duels[i];
        if (sup_choose_duelled(&t->duel)) sup_coll_grid_measured(&d->grid[t->grid], t);
        if (!sup_choose_takes(d->c, &t->duel)) sup_coll_grid_revert(&d->grid[t->grid], t);
    }
    free(duels);
    return st;
}

/* ---- rows of the plan ---- */

static sup_plan_collective *table_of(deciding *d, int operation, int hosts) {
    sup_plan *plan = d->plan;
    if (plan->collectives_count) {
        sup_plan_collective *last = &plan->collectives[plan->collectives_count - 1];
        if (!strcmp(last->operation, sup_operation_names[operation]) && last->hosts == hosts) return last;
    }
    sup_plan_collective *t = SUP_APPEND(&sup_plan_collective_record, plan->collectives, plan->collectives_count);
    if (!t || sup_record_set_string(&t->operation, sup_operation_names[operation]) ||
        sup_record_set_string(&t->transport, d->c->transport))
        return NULL;
    t->hosts = hosts;
    return t;
}

static sup_status add_row(sup_plan_collective *table, const sup_coll_grid *g, const sup_coll_range *range,
                          int64_t processes_to) {
    sup_plan_collective_row *row = SUP_APPEND(&sup_plan_collective_row_record, table->rows, table->rows_count);
    if (!row) return SUP_ENOMEM;
    row->processes_from = g->set.processes;
    row->processes_to = processes_to;
    row->bytes_from = range->from;
    row->bytes_to = range->to;
    return sup_record_set_string(&row->algorithm, g->at[range->candidate].text);
}

/* The same rows as for the next fewer processes: those hold for these, too. */
static bool continues(const sup_plan_collective *t, size_t before, const sup_coll_grid *g) {
    size_t rows = 0;
    sup_coll_range r;
    for (size_t k = 0; sup_coll_grid_range(g, k, &r); k++) {
        if (r.candidate < 0) continue;
        if (before + rows >= t->rows_count) return false;
        const sup_plan_collective_row *row = &t->rows[before + rows++];
        if (row->processes_to != g->set.processes || row->bytes_from != r.from || row->bytes_to != r.to ||
            strcmp(row->algorithm, g->at[r.candidate].text) != 0)
            return false;
    }
    return rows && before + rows == t->rows_count;
}

static sup_status add_ranges(sup_plan_collective *t, const sup_coll_grid *g, int64_t processes_to) {
    sup_coll_range r;
    sup_status st = SUP_OK;
    for (size_t k = 0; sup_coll_grid_range(g, k, &r) && !st; k++)
        if (r.candidate >= 0) st = add_row(t, g, &r, processes_to);
    return st;
}

static sup_status add_rows(deciding *d, int operation) {
    size_t before = 0; /* where the rows of the next fewer processes begin */
    sup_status st = SUP_OK;
    for (int k = 0; k < d->sets.count && !st; k++) {
        const sup_coll_grid *g = grid_of(d, operation, k);
        bool last = k + 1 == d->sets.count || d->sets.hosts[k + 1] != d->sets.hosts[k];
        int64_t to = last ? d->sets.processes[k] + 1 : d->sets.processes[k + 1];
        if (!sup_coll_changes(g)) continue;
        sup_plan_collective *t = table_of(d, operation, d->sets.hosts[k]);
        if (!t) return SUP_ENOMEM;
        if (continues(t, before, g)) {
            for (size_t n = before; n < t->rows_count; n++) t->rows[n].processes_to = to;
        } else {
            before = t->rows_count;
            st = add_ranges(t, g, to);
        }
    }
    return st;
}

/* ---- all of it ---- */

/* One decision for each operation that would change, and one for all that stay. */
static sup_status say_all(deciding *d) {
    char kept[256] = "";
    size_t used = 0, algorithms = 0;
    int last = d->sets.count - 1;
    sup_status st = SUP_OK;
    for (int op = 0; op < SUP_BARRIER && !st; op++) {
        const sup_coll_grid *g = grid_of(d, op, last);
        if (!sup_coll_known(g)) continue;
        sup_coll_wanted wanted = {d->changes, d->change_count, op};
        if (sup_coll_changes(g) || sup_coll_wants(&wanted, g)) {
            st = sup_coll_say(d->plan, d->c, g, last, &wanted);
            continue;
        }
        used += (size_t)snprintf(kept + used, sizeof kept - used, "%s%s", used ? ", " : "", sup_operation_names[op]);
        algorithms += g->count;
    }
    return st || !used ? st : sup_coll_say_kept(d->plan, d->c, kept, algorithms, last);
}

static sup_status decide_with(deciding *d) {
    size_t grids = (size_t)SUP_BARRIER * SUP_COLL_SETS;
    d->grid = calloc(grids, sizeof *d->grid);
    sup_status st = d->grid ? sup_coll_sets_open(d->c->platform, &d->sets) : SUP_ENOMEM;
    if (!st) st = price_all(d);
    if (!st) st = settle_ties(d);
    if (!st) st = cover_all(d);
    if (!st) st = confirm_all(d);
    for (int op = 0; op < SUP_BARRIER && !st; op++) st = add_rows(d, op);
    if (!st) st = say_all(d);
    free(d->changes);
    for (size_t g = 0; d->grid && g < grids; g++) sup_coll_grid_free(&d->grid[g]);
    free(d->grid);
    sup_coll_sets_free(&d->sets);
    return st;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    sup_collective_platform *platform = NULL;
    if (c->processes < 2 || c->processes > SUP_COLL_PROCESSES_MOST || !c->platform->pairs) return SUP_OK;
    sup_status st = sup_collective_open(c->profile, c->transport, diag, &platform);
    if (st == SUP_ENOENT) {
        *diag = (sup_diag){0}; /* then measured times alone decide */
        st = SUP_OK;
    }
    if (st) return st;
    deciding d = {.c = c, .plan = plan, .diag = diag};
    d.source = sup_coll_source_of(c->profile, c->transport, platform);
    st = decide_with(&d);
    sup_collective_close(platform);
    return st;
}

const sup_decider sup_decider_collectives = {.name = SUP_COLL_ABOUT,
                                             .help = "the algorithm of collective operations, by processes and bytes",
                                             .rests = {{"collectives", true}, {"channels", true}, {"pairs", true}},
                                             .decide = decide};
