/* Why somebody never hears of somebody (knowledge.h): the news of one process, followed through the stages. */
#include "base/number/knowledge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void sup_gap_free(sup_gap *gap) {
    free(gap->signals);
    free(gap->heard);
    *gap = (sup_gap){0};
}

/* When everyone hears. Whoever hears in this stage tells nobody before the next. */
static void follow(const sup_pattern *p, sup_pattern_edge *edges, sup_gap *gap) {
    for (int64_t j = 0; j < p->processes; j++) gap->heard[j] = p->stages;
    gap->heard[gap->unheard] = -1;
    for (int s = 0; s < p->stages; s++) {
        size_t n = sup_pattern_stage(p, s, edges);
        for (size_t e = 0; e < n; e++)
            if (gap->heard[edges[e].from] < s && gap->heard[edges[e].to] > s) gap->heard[edges[e].to] = s;
    }
}

sup_status sup_gap_find(const sup_pattern *p, int64_t deaf, int64_t unheard, sup_gap *out) {
    if (deaf < 0 || unheard < 0 || deaf >= p->processes || unheard >= p->processes) return SUP_EINVAL;
    size_t got = 0;
    for (int s = 0; s < p->stages; s++) got += sup_pattern_peers(p, s, deaf, true, NULL);
    sup_gap gap = {.deaf = deaf, .unheard = unheard, .processes = p->processes, .stages = p->stages};
    gap.heard = malloc((size_t)p->processes * sizeof *gap.heard);
    gap.signals = calloc(got + 1, sizeof *gap.signals);
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    int64_t *from = calloc(got + 1, sizeof *from);
    sup_status st = gap.heard && gap.signals && edges && from ? SUP_OK : SUP_ENOMEM;
    if (!st) {
        follow(p, edges, &gap);
        if (gap.heard[deaf] < p->stages) st = SUP_EINVAL;
    }
    for (int s = 0; s < p->stages && !st; s++) {
        size_t n = sup_pattern_peers(p, s, deaf, true, from);
        for (size_t k = 0; k < n; k++)
            gap.signals[gap.signals_count++] = (sup_gap_signal){from[k], s, gap.heard[from[k]]};
    }
    free(from);
    free(edges);
    if (st)
        sup_gap_free(&gap);
    else
        *out = gap;
    return st;
}

/* ---- for people ---- */

enum { NAMED = 16 }; /* processes named in a line */

/* "2, 3 and 8 more" */
static void name_those(FILE *f, const sup_gap *gap, int stage) {
    size_t n = 0;
    for (int64_t j = 0; j < gap->processes; j++)
        if (gap->heard[j] == stage && n++ < NAMED) fprintf(f, "%s%" PRId64, n > 1 ? ", " : "", j);
    if (n > NAMED) fprintf(f, " and %zu more", n - NAMED);
}

static bool somebody_hears(const sup_gap *gap, int stage) {
    for (int64_t j = 0; j < gap->processes; j++)
        if (gap->heard[j] == stage) return true;
    return false;
}

static void tell_signals(FILE *f, const sup_gap *gap) {
    if (gap->signals_count == 0) fprintf(f, "nobody signals %" PRId64 " in any stage\n", gap->deaf);
    for (size_t k = 0; k < gap->signals_count && k < NAMED; k++) {
        const sup_gap_signal *s = &gap->signals[k];
        fprintf(f, "%" PRId64 " signals %" PRId64 " in stage %d, ", s->from, gap->deaf, s->stage);
        if (s->heard >= gap->stages)
            fprintf(f, "but never hears of %" PRId64 " itself\n", gap->unheard);
        else
            fprintf(f, "but hears of %" PRId64 " only in stage %d\n", gap->unheard, s->heard);
    }
    if (gap->signals_count > NAMED)
        fprintf(f, "and it gets %zu signals more, all too early\n", gap->signals_count - NAMED);
}

sup_status sup_gap_text(const sup_gap *gap, char **out) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f) return SUP_ENOMEM;
    fprintf(f, "process %" PRId64 " may leave before process %" PRId64 " has arrived:\n", gap->deaf, gap->unheard);
    int last = -1;
    for (int s = 0; s < gap->stages; s++) {
        if (!somebody_hears(gap, s)) continue;
        fprintf(f, "in stage %d these hear of %" PRId64 ": ", s, gap->unheard);
        name_those(f, gap, s);
        fprintf(f, "\n");
        last = s;
    }
    if (last < 0) fprintf(f, "nobody hears of %" PRId64 ", which signals nobody\n", gap->unheard);
    tell_signals(f, gap);
    if (fclose(f)) {
        free(text);
        return SUP_ENOMEM;
    }
    *out = text;
    return SUP_OK;
}
