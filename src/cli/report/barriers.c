/* superstep report, section "Barriers": what is found for each transport (choose/barrier/barrier.h), for the page. */
#include "cli/report/barriers.h"

#include "choose/barrier/barrier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHEAPEST = 5, PROCESSES_MOST = 256 }; /* candidates of more take longer than a report may */

static double seconds(const sup_barrier_shown *b) { return isfinite(b->measured) ? b->measured : b->predicted; }

static int by_time(const void *a, const void *b) {
    double x = seconds(a), y = seconds(b);
    return (x > y) - (x < y);
}

static bool take(const sup_candidates *all, size_t choice, sup_barriers_of *out) {
    out->at = calloc(all->count, sizeof *out->at);
    out->all = all->count;
    for (size_t i = 0; out->at && i < all->count; i++) {
        const sup_candidate *c = &all->at[i];
        bool measured = isfinite(c->measured_s) && c->measured_s > 0;
        if (!measured && i >= CHEAPEST && i != choice && i != all->usual && i != all->greedy) continue;
        sup_barrier_shown *r = &out->at[out->count++];
        *r = (sup_barrier_shown){.predicted = c->cost.value,
                                 .low = c->cost.low,
                                 .high = c->cost.high,
                                 .measured = c->measured_s,
                                 .stages = c->stages,
                                 .signals = c->signals,
                                 .chosen = i == choice,
                                 .usual = i == all->usual,
                                 .greedy = i == all->greedy};
        memcpy(r->name, c->name, sizeof r->name);
    }
    if (out->at) qsort(out->at, out->count, sizeof *out->at, by_time);
    return out->at && all->at[choice].record && !sup_plan_barrier_pattern(all->at[choice].record, &out->chosen);
}

static int *hosts_of(const sup_platform *m) {
    int64_t hosts = 0;
    int *host = calloc((size_t)m->processes, sizeof *host);
    if (host && !sup_barrier_hosts(m, host, &hosts) && hosts > 1) return host;
    free(host);
    return NULL;
}

static void add(const sup_profile *profile, const char *transport, sup_barriers_list *out) {
    sup_platform_options o = {.transport = transport};
    sup_diag diag = {0};
    sup_platform *m = NULL;
    sup_candidates all = {0};
    size_t choice = 0;
    if (sup_platform_open(profile, &o, &diag, &m)) return;
    sup_barriers_of *b = &out->at[out->count];
    *b = (sup_barriers_of){.processes = m->processes};
    snprintf(b->transport, sizeof b->transport, "%s", m->transport);
    if (m->processes > 1 && m->processes <= PROCESSES_MOST && !sup_candidates_find(m, &diag, &all)) {
        sup_candidates_choice(&all, &choice);
        if (take(&all, choice, b)) {
            b->host_of = hosts_of(m);
            out->count++;
        } else {
            free(b->at);
        }
        sup_candidates_free(&all);
    }
    sup_platform_free(m);
}

void sup_report_barriers(const sup_profile *profile, sup_barriers_list *out) {
    *out = (sup_barriers_list){.at = calloc(profile->pairs_count + 1, sizeof *out->at)};
    for (size_t i = 0; out->at && i < profile->pairs_count; i++)
        if (profile->pairs[i].transport) add(profile, profile->pairs[i].transport, out);
    if (!out->count) sup_barriers_list_free(out);
}
