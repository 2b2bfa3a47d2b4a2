/* Decides which barrier processes meet in (Tsync): of all of them, and of sets that programs are likely to make by
 * splitting, fewer on a host, all of some hosts, one of each host. barrier.h says how; a set whose usual barrier is
 * kept has no row in the plan. */
#include "choose/barrier/barrier.h"
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEATEN_MAX = 8, EACH_MAX = 16 };

/* A set of processes whose barrier would be another one than without a plan. The first of a list is all of them. */
typedef struct wanted {
    char name[160], usual_name[160];
    sup_plan_barrier *best, *usual; /* usual NULL: no plan can hold it, so nobody can measure it */
    double gain;
} wanted;

typedef struct wanted_list {
    wanted *at;
    sup_choose_duel *duels; /* [count] */
    size_t count;
} wanted_list;

static sup_plan_barrier *take_record(sup_candidate *c) {
    sup_plan_barrier *record = c->record;
    c->record = NULL;
    return record;
}

static void drop(sup_plan_barrier *b) {
    if (b) sup_record_clear(&sup_plan_barrier_record, b);
    free(b);
}

static void free_list(wanted_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        drop(list->at[i].best);
        drop(list->at[i].usual);
    }
    free(list->at);
    free(list->duels);
}

/* Takes the records of both. */
static sup_status want(wanted_list *list, sup_candidates *c, size_t best) {
    wanted *at = reallocarray(list->at, list->count + 1, sizeof *at);
    if (at) list->at = at;
    sup_choose_duel *duels = at ? reallocarray(list->duels, list->count + 1, sizeof *duels) : NULL;
    if (!duels) return SUP_ENOMEM;
    list->duels = duels;
    wanted *w = &list->at[list->count];
    sup_candidate *taken = &c->at[best], *usual = &c->at[c->usual];
    *w = (wanted){.gain = sup_candidate_seconds(usual) / sup_candidate_seconds(taken)};
    memcpy(w->name, taken->name, sizeof w->name);
    memcpy(w->usual_name, usual->name, sizeof w->usual_name);
    w->best = take_record(taken);
    w->usual = take_record(usual);
    sup_choose_duel *d = &duels[list->count++];
    *d = sup_choose_duel_of(SUP_DUEL_BARRIER, w->best->processes, 0);
    d->side[0].barrier = w->best;
    d->side[1].barrier = w->usual;
    return SUP_OK;
}

/* ---- rows of the plan ---- */

static sup_status add_row(sup_plan *plan, wanted *w) {
    sup_plan_barrier *row = SUP_APPEND(&sup_plan_barrier_record, plan->barriers, plan->barriers_count);
    if (!row) return SUP_ENOMEM;
    *row = *w->best;
    free(w->best);
    w->best = NULL;
    return SUP_OK;
}

/* ---- sets of some of the processes ---- */

typedef struct sets {
    const sup_choosing *c;
    wanted_list *list;
    sup_diag *diag;
    int *host;     /* [processes] */
    int64_t hosts; /* numbered as they appear */
    int64_t *rank; /* [processes]: the set in hand */
} sets;

static bool first_ones(const int64_t *rank, int64_t count) { return rank[0] == 0 && rank[count - 1] == count - 1; }

/* The first ones are a machine of their own, whose barriers may have been measured. */
static sup_status find_of(sets *s, int64_t count, sup_candidates *out) {
    if (!first_ones(s->rank, count)) return sup_candidates_of(s->c->platform, s->rank, count, s->diag, out);
    sup_platform *m;
    sup_platform_options o = {.transport = s->c->transport, .processes = count};
    sup_status st = sup_platform_open(s->c->profile, &o, s->diag, &m);
    if (st) return st;
    st = sup_candidates_of(m, s->rank, count, s->diag, out);
    sup_platform_free(m);
    return st;
}

static sup_status add_set(sets *s, int64_t count) {
    sup_candidates list;
    size_t k;
    if (count < 2 || count >= s->c->processes) return SUP_OK;
    sup_status st = find_of(s, count, &list);
    if (st) return st;
    sup_candidates_choice(&list, &k);
    if (k != list.usual) st = want(s->list, &list, k);
    sup_candidates_free(&list);
    return st;
}

/* Up to so many each, then powers of two. */
static bool worth_a_row(int64_t n) { return n <= EACH_MAX || (n & (n - 1)) == 0; }

/* The first `some` processes of the first host. */
static sup_status inside_a_host(sets *s) {
    int64_t on_first = 0;
    sup_status st = SUP_OK;
    for (int64_t i = 0; i < s->c->processes; i++)
        if (s->host[i] == 0) s->rank[on_first++] = i;
    int64_t most = s->hosts > 1 ? on_first - 1 : on_first; /* all of one host come with the hosts */
    for (int64_t n = 2; n <= most && !st; n++)
        if (worth_a_row(n)) st = add_set(s, n);
    return st;
}

static sup_status all_of_hosts(sets *s) {
    sup_status st = SUP_OK;
    for (int64_t k = 1; k < s->hosts && !st; k++) {
        int64_t count = 0;
        if (!worth_a_row(k)) continue;
        for (int64_t i = 0; i < s->c->processes; i++)
            if (s->host[i] < k) s->rank[count++] = i;
        st = add_set(s, count);
    }
    return st;
}

static sup_status one_of_each(sets *s) {
    int64_t count = 0;
    for (int64_t i = 0; i < s->c->processes; i++)
        if (s->host[i] == count) s->rank[count++] = i;
    return s->hosts > 1 ? add_set(s, count) : SUP_OK;
}

static sup_status find_sets(const sup_choosing *c, wanted_list *list, sup_diag *diag) {
    sets s = {.c = c, .list = list, .diag = diag};
    s.host = malloc((size_t)c->processes * sizeof *s.host);
    s.rank = malloc((size_t)c->processes * sizeof *s.rank);
    sup_status st = s.host && s.rank ? sup_barrier_hosts(c->platform, s.host, &s.hosts) : SUP_ENOMEM;
    if (!st) st = inside_a_host(&s);
    if (!st) st = all_of_hosts(&s);
    if (!st) st = one_of_each(&s);
    free(s.host);
    free(s.rank);
    return st;
}

/* ---- why ---- */

static sup_status because(sup_plan_decision *d, const sup_candidates *list, size_t k, int64_t smaller) {
    const sup_candidate *chosen = &list->at[k], *usual = &list->at[list->usual];
    char others[96] = "";
    if (smaller)
        snprintf(others, sizeof others, "; the plan has barriers for %" PRId64 " smaller set%s, too", smaller,
                 smaller == 1 ? "" : "s");
    if (k == list->usual)
        return sup_choose_because(d, "kept: of %zu barriers none is faster by more than is unknown of it%s",
                                  list->count, others);
    return sup_choose_because(d, "%.2f × as fast as what holds without a plan, the best of %zu barriers by %s%s",
                              sup_candidate_seconds(usual) / sup_candidate_seconds(chosen), list->count,
                              isnan(chosen->measured_s) ? "prediction" : "measurement", others);
}

static sup_status keep_duels(sup_plan_decision *d, const wanted_list *w) {
    sup_status st = SUP_OK;
    for (size_t i = 0; i < w->count && !st; i++) {
        char where[48];
        snprintf(where, sizeof where, "%" PRId64 " processes", w->duels[i].processes);
        st = sup_choose_keep_duel(d, &w->duels[i], where, w->at[i].name, w->at[i].usual_name);
    }
    return st;
}

/* all: what is wanted for all processes; NULL: the usual. */
static sup_status say(const sup_choosing *c, sup_plan *plan, const sup_candidates *list, size_t best,
                      const wanted_list *w, const sup_choose_duel *all) {
    bool taken = all && sup_choose_takes(c, all);
    size_t k = taken ? best : list->usual;
    const sup_candidate *chosen = &list->at[k], *usual = &list->at[list->usual];
    sup_plan_decision *d = sup_choose_say(plan, sup_decider_barrier.name, chosen->name, usual->name);
    if (!d) return SUP_ENOMEM;
    d->predicted_s = chosen->cost.value;
    d->otherwise_s = usual->cost.value;
    d->measured_s = chosen->measured_s;
    d->measured_otherwise_s = usual->measured_s;
    if (all) sup_choose_gain(d, sup_candidate_cost(&list->at[best]), sup_candidate_cost(usual));
    sup_status st = sup_choose_where(d, "%" PRId64 " processes over %s", c->processes, c->transport);
    if (!st && all && !taken)
        st = sup_choose_not(d, all, w->at[0].name, w->at[0].gain);
    else if (!st)
        st = because(d, list, k, (int64_t)plan->barriers_count);
    if (!st) st = keep_duels(d, w);
    for (size_t i = 0; i < list->count && d->beaten_count < BEATEN_MAX && !st; i++)
        if (i != k) st = sup_choose_beat(d, list->at[i].name, list->at[i].cost.value, list->at[i].measured_s);
    return st;
}

static sup_status decide_with(const sup_choosing *c, sup_candidates *list, wanted_list *w, sup_plan *plan,
                              sup_diag *diag) {
    size_t best;
    sup_candidates_choice(list, &best);
    bool changes = best != list->usual;
    sup_status st = changes ? want(w, list, best) : SUP_OK;
    if (!st) st = find_sets(c, w, diag);
    if (!st) st = sup_choose_confirm(c, w->duels, w->count, diag);
    for (size_t i = changes; i < w->count && !st; i++)
        if (sup_choose_takes(c, &w->duels[i])) st = add_row(plan, &w->at[i]);
    const sup_choose_duel *all = changes && w->count ? &w->duels[0] : NULL;
    if (!st) st = say(c, plan, list, best, w, all);
    if (st || !all || !sup_choose_takes(c, all)) return st;
    plan->barrier = w->at[0].best;
    w->at[0].best = NULL;
    return SUP_OK;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    sup_candidates list;
    wanted_list w = {0};
    if (c->processes < 2 || !c->platform->pairs) return SUP_OK;
    sup_status st = sup_candidates_find(c->platform, diag, &list);
    if (st == SUP_ENOENT) return SUP_OK; /* nobody measured what it takes */
    if (st) return st;
    st = decide_with(c, &list, &w, plan, diag);
    free_list(&w);
    sup_candidates_free(&list);
    return st;
}

const sup_decider sup_decider_barrier = {
    .name = "barrier",
    .help = "the barrier that fits the machine, for all processes and for sets of them",
    .rests = {{"pairs", true}, {"sync", true}, {"signals", true}},
    .decide = decide};
