/* Candidates of a collective operation over sizes (collective.h): which there are, and what each is expected to take.
 */
#include "choose/collective/collective.h"
#include "choose/collective/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES_MOST = 64,
    MIDPOINTS_MOST = 16, /* processes: of more only powers of two are priced */
    SPARSE_FROM = 64     /* and from so many on every fourth power */
};

/* ---- sizes ---- */

/* Of one byte a block: how many blocks count. */
static int64_t parts_of(const sup_coll_set *set) {
    sup_job job = {.operation = set->operation, .processes = set->processes, .bytes = 1, .element = 1};
    return sup_job_total(&job);
}

static sup_status fill_sizes(sup_coll_grid *g) {
    int64_t parts = parts_of(&g->set);
    int step = g->set.processes <= MIDPOINTS_MOST ? 1 : g->set.processes <= SPARSE_FROM ? 2 : 4;
    size_t room = 2 * 24;
    g->total = malloc(room * sizeof *g->total);
    g->bytes = malloc(room * sizeof *g->bytes);
    if (!g->total || !g->bytes) return SUP_ENOMEM;
    for (int half = 0; half < (int)room; half += step) { /* 8, 12, 16, 24, 32, … */
        int64_t total = (half % 2 ? INT64_C(12) : INT64_C(8)) << half / 2;
        int64_t bytes = (total + parts - 1) / parts;
        if (total > SUP_COLL_BYTES_MOST) break;
        bytes = (bytes + 7) / 8 * 8; /* whole elements of folds */
        if (g->sizes && bytes == g->bytes[g->sizes - 1]) continue;
        g->bytes[g->sizes] = bytes;
        g->total[g->sizes++] = bytes * parts;
    }
    return SUP_OK;
}

/* ---- candidates ---- */

static bool same(const sup_choice *a, const sup_choice *b) {
    return a->algorithm == b->algorithm && a->segment_bytes == b->segment_bytes && a->radix == b->radix &&
           a->hosts == b->hosts;
}

static int add_candidate(const sup_coll_source *source, sup_coll_grid *g, sup_choice choice) {
    for (size_t i = 0; i < g->count; i++)
        if (same(&g->at[i].choice, &choice)) return (int)i;
    if (g->count == CANDIDATES_MOST) return -1;
    if (source->allowed && !source->allowed(g->set.operation, &choice)) return -1;
    g->at[g->count].choice = choice;
    sup_choice_text(&choice, g->at[g->count].text);
    return (int)g->count++;
}

static void add_segments(const sup_coll_source *source, sup_coll_grid *g, sup_choice choice) {
    static const int64_t segments[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10};
    add_candidate(source, g, choice);
    if (!(choice.algorithm->traits & SUP_ALGORITHM_SEGMENTS)) return;
    for (size_t s = 0; s < sizeof segments / sizeof *segments; s++) {
        choice.segment_bytes = segments[s];
        add_candidate(source, g, choice);
    }
}

static void add_radices(const sup_coll_source *source, sup_coll_grid *g, sup_choice choice) {
    const sup_algorithm *a = choice.algorithm;
    add_segments(source, g, choice);
    for (int r = 2; r <= a->radix_most && r <= 16 && r < g->set.processes; r *= 2) {
        if (r == a->radix) continue;
        choice.radix = r;
        add_segments(source, g, choice);
    }
}

/* What is between hosts only works where there are hosts, and more than one process on some. */
static void add_all(const sup_coll_source *source, sup_coll_grid *g) {
    bool several = g->set.hosts > 1 && g->set.hosts < g->set.processes && source->memory;
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        bool shared = (*a)->traits & SUP_ALGORITHM_SHARED;
        if ((*a)->operation != g->set.operation) continue;
        if (shared && !(source->memory && g->set.hosts == 1)) continue;
        add_radices(source, g, (sup_choice){.algorithm = *a});
        if (several && !shared) add_radices(source, g, (sup_choice){.algorithm = *a, .hosts = true});
    }
    if (source->mpi) add_candidate(source, g, (sup_choice){0});
}

static bool fits(const sup_coll_grid *g, const sup_choice *choice, sup_job *job) {
    sup_job inside = *job;
    if (!choice->algorithm) return true;
    if (choice->hosts) inside.processes = g->set.hosts;
    return sup_algorithm_fits(choice->algorithm, &inside);
}

/* ---- times ---- */

/* A model that lacks a measurement has no word about this candidate. */
static sup_status predict(const sup_coll_source *source, const sup_coll_grid *g, const sup_choice *choice,
                          const sup_job *job, sup_diag *diag, sup_prediction *out) {
    sup_diag own = {0};
    if (!source->model || !choice->algorithm) return SUP_OK;
    sup_status st = source->model->cost(source->platform, choice, job, g->set.mapping, &own, out);
    if (st == SUP_ENOENT || st == SUP_EINVAL) {
        out->value = NAN;
        return SUP_OK;
    }
    if (st) *diag = own;
    return st;
}

static sup_status price(const sup_coll_source *source, const sup_coll_grid *g, size_t size, sup_diag *diag,
                        sup_coll_candidate *c) {
    sup_coll_time *t = &c->time[size];
    sup_job job = {.operation = g->set.operation,
                   .processes = g->set.processes,
                   .bytes = g->bytes[size],
                   .element = 8,
                   .segment_bytes = c->choice.segment_bytes,
                   .radix = c->choice.radix};
    *t = (sup_coll_time){.cost = {NAN, NAN, NAN}, .predicted_s = NAN, .measured_s = NAN};
    if (!fits(g, &c->choice, &job)) return SUP_OK;
    sup_status st = predict(source, g, &c->choice, &job, diag, &t->cost);
    if (st) return st;
    t->predicted_s = t->cost.value;
    sup_prediction measured;
    if (sup_coll_measured(source->profile, source->transport, &g->set, c->text, g->bytes[size], &measured)) {
        t->cost = measured;
        t->measured_s = measured.value;
        t->settled = true;
    }
    return SUP_OK;
}

/* A segment that is not shorter than what is cut cuts nothing: the same as without; NULL: it does cut, or nobody is. */
static const sup_coll_candidate *uncut(const sup_coll_grid *g, const sup_coll_candidate *c, size_t size) {
    sup_choice whole = c->choice;
    whole.segment_bytes = 0;
    if (!c->choice.segment_bytes || c->choice.segment_bytes < g->bytes[size]) return NULL;
    for (size_t i = 0; i < g->count; i++)
        if (same(&g->at[i].choice, &whole)) return &g->at[i];
    return NULL;
}

static sup_status price_some(const sup_coll_source *source, bool segmented, sup_diag *diag, sup_coll_grid *g) {
    sup_status st = SUP_OK;
    for (size_t i = 0; i < g->count; i++) {
        sup_coll_candidate *c = &g->at[i];
        if ((c->choice.segment_bytes != 0) != segmented) continue;
        c->time = g->memory + i * g->sizes;
        for (size_t s = 0; s < g->sizes && !st; s++) {
            const sup_coll_candidate *whole = uncut(g, c, s);
            if (whole)
                c->time[s] = whole->time[s];
            else
                st = price(source, g, s, diag, c);
        }
        if (st) return st;
    }
    return SUP_OK;
}

static sup_status price_all(const sup_coll_source *source, sup_diag *diag, sup_coll_grid *g) {
    g->memory = malloc(g->count * g->sizes * sizeof *g->memory + 1);
    if (!g->memory) return SUP_ENOMEM;
    sup_status st = price_some(source, false, diag, g);
    return st ? st : price_some(source, true, diag, g);
}

/* ---- what holds without a plan ---- */

static sup_status find_usual(const sup_coll_source *source, sup_coll_grid *g) {
    sup_choices_for what = {.operation = g->set.operation,
                            .processes = g->set.processes,
                            .transport = source->transport,
                            .hosts = g->set.hosts,
                            .memory = source->memory};
    g->usual = malloc(g->sizes * sizeof *g->usual);
    g->taken = malloc(g->sizes * sizeof *g->taken);
    if (!g->usual || !g->taken) return SUP_ENOMEM;
    sup_plan_choices(NULL, &what, &g->defaults);
    for (size_t s = 0; s < g->sizes; s++) {
        g->usual[s] = add_candidate(source, g, *sup_choices_at(&g->defaults, g->total[s]));
        g->taken[s] = -1;
    }
    return SUP_OK;
}

sup_coll_source sup_coll_source_of(const sup_profile *profile, const char *transport,
                                   const sup_collective_platform *platform) {
    return (sup_coll_source){.profile = profile,
                             .transport = transport,
                             .model = platform ? sup_collective_models[0] : NULL,
                             .platform = platform,
                             .memory = true,
                             .mpi = strcmp(transport, "shm") != 0};
}

sup_status sup_coll_grid_open(const sup_coll_source *source, const sup_coll_set *set, sup_diag *diag,
                              sup_coll_grid *out) {
    sup_coll_grid g = {.set = *set};
    g.at = calloc(CANDIDATES_MOST, sizeof *g.at);
    sup_status st = g.at ? fill_sizes(&g) : SUP_ENOMEM;
    if (!st) st = find_usual(source, &g);
    if (!st) add_all(source, &g);
    if (!st) st = price_all(source, diag, &g);
    if (st)
        sup_coll_grid_free(&g);
    else
        *out = g;
    return st;
}

void sup_coll_grid_free(sup_coll_grid *g) {
    free(g->total);
    free(g->bytes);
    free(g->at);
    free(g->usual);
    free(g->taken);
    free(g->memory);
    *g = (sup_coll_grid){0};
}
