/* barrier_accuracy [options]: predicted against measured, for every candidate barrier. A profile of this machine is
 * measured (or given), then every candidate in launches of their own, all of them in turn; printed are both times of
 * each, the mean error, and how much slower the barrier that predictions choose is than the best one measured.
 *
 *     barrier_accuracy -n 16 --net openmpi --json out.json
 *     barrier_accuracy -n 4 --net openmpi --hosts FILE --rsh SCRIPT
 *
 * Wanted: a mean error of at most 12 %, and a choice within 5 % of the best. Reports; passes no judgement on tests. */
#include "choose/barrier/barrier.h"
#include "measure/campaign/campaign.h"
#include "measure/launch/barriers.h"
#include "model/equation/model.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEAN_WANTED 0.12
#define CHOICE_WANTED 0.05
enum { MOST = 100, NAME = 200, CHEAPEST = 12 };

typedef struct candidate {
    char name[NAME];
    bool known; /* its kind is in the profile */
    sup_pattern pattern;
    sup_prediction predicted;
} candidate;

typedef struct wish {
    int processes;
    const char *net, *hosts, *rsh, *place, *tool, *profile, *save, *json;
    double budget_s, seconds;
    int launches;
} wish;

static void fail(const char *what, const sup_diag *diag) {
    fprintf(stderr, "barrier_accuracy: %s%s%s\n", what, *what ? ": " : "", diag->text);
    exit(1);
}

/* ---- candidates ---- */

static candidate *add_word(int processes, const char *word, candidate *all, size_t *count) {
    candidate *c = &all[*count];
    for (size_t k = 0; k < *count; k++)
        if (!strcmp(all[k].name, word)) return NULL;
    if (*count == MOST || sup_pattern_read(word, processes, &c->pattern)) return NULL;
    snprintf(c->name, sizeof c->name, "%s", word);
    ++*count;
    return c;
}

/* Those of the profile, and radices that it has not. */
static void add_words(const wish *w, const sup_profile *profile, candidate *all, size_t *count) {
    static const char *const others[] = {"tree:3", "tree:6", "tree:16", "dissemination:5", "dissemination:6"};
    for (size_t i = 0; i < profile->sync_count; i++) {
        const sup_sync_time *s = &profile->sync[i];
        if (s->processes != w->processes || strcmp(s->transport, w->net) != 0) continue;
        candidate *c = add_word(w->processes, s->algorithm, all, count);
        if (c) c->known = true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (atoi(strchr(others[i], ':') + 1) <= w->processes) add_word(w->processes, others[i], all, count);
}

/* Clusters of neighbours of several sizes, gathered in several ways, their first ones synchronised in several ways. */
static void add_levels(int processes, candidate *all, size_t *count) {
    static const char *const inner[] = {"linear", "tree", "flags"}, *const top[] = {"dissemination", "linear", "flags"};
    for (int size = 2; size <= processes / 2; size *= 2)
        for (size_t i = 0; i < 3 && processes % size == 0; i++)
            for (size_t t = 0; t < 3; t++) {
                char word[NAME];
                snprintf(word, sizeof word, "%d %s, %s", size, inner[i], top[t]);
                if (size > 2 || i != 1) add_word(processes, word, all, count); /* a tree of two is linear */
            }
}

/* What synthesis tries: the cheapest by prediction, the greedy one, the usual one. Returns the index of what it would
 * take; MOST: there is nothing to choose from. */
static size_t add_synthesised(const sup_platform *m, candidate *all, size_t *count) {
    sup_candidates found;
    sup_diag diag = {0};
    size_t choice = 0, chosen = MOST;
    if (sup_candidates_find(m, &diag, &found)) fail("candidates", &diag);
    sup_candidates_choice(&found, &choice);
    for (size_t i = 0; i < found.count; i++) {
        sup_pattern p;
        size_t k = 0;
        bool wanted = i < CHEAPEST || i == found.usual || i == found.greedy || i == choice;
        if (!wanted || !found.at[i].record || sup_plan_barrier_pattern(found.at[i].record, &p)) continue;
        while (k < *count && !sup_pattern_same(&all[k].pattern, &p)) k++;
        if (i == choice) chosen = k < MOST ? k : MOST;
        if (k < *count || *count == MOST) {
            sup_pattern_free(&p);
            continue;
        }
        snprintf(all[*count].name, NAME, "%s", found.at[i].name);
        all[(*count)++].pattern = p;
    }
    sup_candidates_free(&found);
    return chosen;
}

/* ---- the profile ---- */

static sup_profile *measure_profile(const wish *w, sup_campaign **campaign) {
    sup_diag diag = {0};
    sup_campaign_options o = {.tool = w->tool,
                              .file = w->save,
                              .beside = w->save ? w->save : "/tmp/barrier_accuracy",
                              .force = true,
                              .budget_s = w->budget_s,
                              .processes = w->processes,
                              .nets = {w->net},
                              .asked = {true},
                              .net_count = 1,
                              .place = w->place,
                              .hosts_file = w->hosts,
                              .rsh = w->rsh};
    if (sup_campaign_open(&o, &diag, campaign)) fail("profile", &diag);
    if (sup_campaign_run(*campaign, &diag)) fail("profile", &diag);
    return sup_campaign_profile(*campaign);
}

/* Candidates with their predictions. Returns the index of the one that would be taken. */
static size_t predict(const wish *w, const sup_profile *profile, candidate *all, size_t *count) {
    sup_diag diag = {0};
    sup_platform *m;
    const sup_platform_options o = {.transport = w->net, .processes = w->processes};
    if (sup_platform_open(profile, &o, &diag, &m)) fail("platform", &diag);
    add_words(w, profile, all, count);
    add_levels(w->processes, all, count);
    size_t chosen = add_synthesised(m, all, count);
    for (size_t i = 0; i < *count; i++)
        if (sup_barrier_cost(m, &all[i].pattern, false, &diag, &all[i].predicted)) fail(all[i].name, &diag);
    sup_platform_free(m);
    return chosen;
}

/* ---- what came out ---- */

typedef struct verdict {
    double mean, mean_new, chosen_over_best;
    size_t chosen, cheapest, best, judged, covered;
} verdict;

static verdict judge(const candidate *all, const sup_timing *found, size_t count, size_t chosen) {
    verdict v = {0};
    size_t fresh = 0;
    double least = INFINITY, quickest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (found[i].status) continue;
        double e = fabs(all[i].predicted.value / found[i].seconds - 1);
        v.mean += e;
        v.judged++;
        v.covered += found[i].seconds >= all[i].predicted.low && found[i].seconds <= all[i].predicted.high;
        if (!all[i].known) v.mean_new += e, fresh++;
        if (all[i].predicted.value < least) least = all[i].predicted.value, v.cheapest = i;
        if (found[i].seconds < quickest) quickest = found[i].seconds, v.best = i;
    }
    v.chosen = chosen < count ? chosen : v.cheapest;
    if (v.judged) v.mean /= (double)v.judged;
    v.mean_new = fresh ? v.mean_new / (double)fresh : NAN;
    if (v.judged) v.chosen_over_best = found[v.chosen].seconds / found[v.best].seconds;
    return v;
}

static void print(const wish *w, const candidate *all, const sup_timing *found, size_t count, const verdict *v) {
    printf("%s, %d processes\n%-48s %10s %10s %8s %8s\n", w->net, w->processes, "barrier", "predicted", "measured",
           "error", "typical");
    for (size_t i = 0; i < count; i++)
        printf("%-48s %8.3f µs %8.3f µs %+7.1f %% %8.3f%s\n", all[i].name, 1e6 * all[i].predicted.value,
               1e6 * found[i].seconds, 100 * (all[i].predicted.value / found[i].seconds - 1), 1e6 * found[i].typical,
               all[i].known ? "" : "  (not in the profile)");
    printf("mean error %.1f %% of %zu (of those not in the profile %.1f %%), wanted %g %%: %s\n", 100 * v->mean,
           v->judged, 100 * v->mean_new, 100 * MEAN_WANTED, v->mean <= MEAN_WANTED ? "holds" : "DOES NOT HOLD");
    printf("within the interval: %zu of %zu\n", v->covered, v->judged);
    printf("chosen: %s, %.3f µs; best: %s, %.3f µs; %.1f %% slower, wanted %g %%: %s\n", all[v->chosen].name,
           1e6 * found[v->chosen].seconds, all[v->best].name, 1e6 * found[v->best].seconds,
           100 * (v->chosen_over_best - 1), 100 * CHOICE_WANTED,
           v->chosen_over_best <= 1 + CHOICE_WANTED ? "holds" : "DOES NOT HOLD");
    printf("cheapest by prediction: %s, %.3f µs, %.1f %% slower than the best\n", all[v->cheapest].name,
           1e6 * found[v->cheapest].seconds, 100 * (found[v->cheapest].seconds / found[v->best].seconds - 1));
}

static void write_json(const wish *w, const candidate *all, const sup_timing *found, size_t count, const verdict *v) {
    FILE *f = fopen(w->json, "w");
    if (!f) {
        perror(w->json);
        exit(1);
    }
    fprintf(f, "{\"transport\": \"%s\", \"processes\": %d, \"mean_error\": %.5f, \"chosen_over_best\": %.5f,\n", w->net,
            w->processes, v->mean, v->chosen_over_best);
    fprintf(f, " \"chosen\": \"%s\", \"best\": \"%s\", \"barriers\": [\n", all[v->chosen].name, all[v->best].name);
    for (size_t i = 0; i < count; i++)
        if (!found[i].status)
            fprintf(f,
                    "%s  {\"name\": \"%s\", \"in_profile\": %s, \"predicted_s\": %.6g, \"low_s\": %.6g, \"high_s\": "
                    "%.6g, \"measured_s\": %.6g, \"typical_s\": %.6g}",
                    i ? ",\n" : "", all[i].name, all[i].known ? "true" : "false", all[i].predicted.value,
                    all[i].predicted.low, all[i].predicted.high, found[i].seconds, found[i].typical);
    fprintf(f, "\n]}\n");
    if (fclose(f)) perror(w->json);
}

/* ---- options ---- */

static wish read_options(int argc, char **argv) {
    static char tool[4200];
    static const struct option options[] = {{"np", 1, NULL, 'n'},      {"net", 1, NULL, 't'},
                                            {"hosts", 1, NULL, 'h'},   {"rsh", 1, NULL, 'r'},
                                            {"place", 1, NULL, 'p'},   {"tool", 1, NULL, 'T'},
                                            {"profile", 1, NULL, 'P'}, {"save", 1, NULL, 's'},
                                            {"json", 1, NULL, 'j'},    {"budget", 1, NULL, 'b'},
                                            {"seconds", 1, NULL, 'S'}, {"launches", 1, NULL, 'l'},
                                            {NULL, 0, NULL, 0}};
    wish w = {.processes = 2, .net = "shm", .budget_s = 30, .launches = 6, .seconds = 2};
    for (int c; (c = getopt_long(argc, argv, "n:", options, NULL)) != -1;) {
        switch (c) {
        case 'n': w.processes = atoi(optarg); break;
        case 't': w.net = optarg; break;
        case 'h': w.hosts = optarg; break;
        case 'r': w.rsh = optarg; break;
        case 'p': w.place = optarg; break;
        case 'T': w.tool = optarg; break;
        case 'P': w.profile = optarg; break;
        case 's': w.save = optarg; break;
        case 'j': w.json = optarg; break;
        case 'b': w.budget_s = atof(optarg); break;
        case 'S': w.seconds = atof(optarg); break;
        case 'l': w.launches = atoi(optarg); break;
        default:
            fprintf(stderr,
                    "usage: barrier_accuracy [-n P] [--net NET] [--hosts FILE] [--rsh PROGRAM] [--place POLICY]\n"
                    "  [--tool SUPERSTEP] [--budget SECONDS] [--profile FILE | --save FILE] [--seconds S]\n"
                    "  [--launches N] [--json FILE]\n");
            exit(2);
        }
    }
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 64);
    char *cut = length > 0 ? strstr(tool, "/tests/measure/") : NULL;
    if (!w.tool && cut) {
        memcpy(cut, "/src/cli/superstep", sizeof "/src/cli/superstep");
        w.tool = tool;
    }
    return w;
}

int main(int argc, char **argv) {
    static candidate all[MOST];
    static sup_timing found[MOST];
    static sup_pattern patterns[MOST];
    wish w = read_options(argc, argv);
    sup_diag diag = {0};
    sup_campaign *campaign = NULL;
    sup_profile *profile = NULL;
    size_t count = 0;
    if (w.profile ? sup_profile_read(w.profile, false, &diag, &profile) : SUP_OK) fail("", &diag);
    const sup_profile *measured = profile ? profile : measure_profile(&w, &campaign);
    size_t chosen = predict(&w, measured, all, &count);
    for (size_t i = 0; i < count; i++) patterns[i] = all[i].pattern;
    const sup_barriers_order order = {.tool = w.tool,
                                      .transport = w.net,
                                      .processes = w.processes,
                                      .place = w.place,
                                      .hosts_file = w.hosts,
                                      .rsh = w.rsh,
                                      .patterns = patterns,
                                      .count = count,
                                      .launches = w.launches,
                                      .seconds = w.seconds};
    if (sup_measure_barriers(&order, &diag, found)) fail("barriers", &diag);
    verdict v = judge(all, found, count, chosen);
    print(&w, all, found, count, &v);
    if (w.json) write_json(&w, all, found, count, &v);
    for (size_t i = 0; i < count; i++) sup_pattern_free(&all[i].pattern);
    sup_campaign_close(campaign);
    if (w.profile) sup_profile_free(profile);
    return 0;
}
