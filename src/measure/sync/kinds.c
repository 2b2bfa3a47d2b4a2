/* Which barriers a profile has (sync.h). Stage "measure", Tsync. */
#include "measure/sync/sync.h"

#include "measure/pair/class.h"

#include <stdio.h>
#include <string.h>

/* Those with more stages are never chosen: their time says nothing about others. Where nothing says which processes are
 * near, clusters are of so many, from so many processes on. */
enum { STAGES_MOST = 16, CLUSTER = 4, CLUSTERED_FROM = 8, CLUSTERINGS = 2 };

static const int radices[] = {2, 3, 4, 8};

static void add(const char *word, int64_t processes, sup_sync_words *out) {
    sup_pattern p;
    for (size_t i = 0; i < out->count; i++)
        if (!strcmp(out->at[i], word)) return;
    if (out->count == SUP_SYNC_WORDS_MOST || sup_pattern_read(word, processes, &p)) return;
    if (p.stages <= STAGES_MOST) snprintf(out->at[out->count++], SUP_PATTERN_WORD, "%s", word);
    sup_pattern_free(&p);
}

static void add_kind(sup_pattern_kind kind, int64_t processes, sup_sync_words *out) {
    char word[SUP_PATTERN_WORD];
    add(sup_pattern_kind_word(kind, word), processes, out);
}

/* Clusters of neighbours, by the generators that search of barriers joins most. */
static void add_clusters(int64_t size, int64_t processes, sup_sync_words *out) {
    static const char *const joined[][2] = {{"linear", "dissemination"},
                                            {"flags", "dissemination"},
                                            {"flags", "flags"}};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        char word[SUP_PATTERN_WORD];
        snprintf(word, sizeof word, "%d %s, %s", (int)size, joined[i][0], joined[i][1]);
        add(word, processes, out);
    }
}

static void add_levels(const sup_rank_place *places, int processes, sup_sync_words *out) {
    sup_grouping *g;
    sup_diag diag = {0};
    int found = 0;
    if (!places || processes < 4 || sup_grouping_make(places, processes, &diag, &g)) return;
    for (int l = g->levels - 1; l > 0 && found < CLUSTERINGS; l--) { /* the widest first: hosts */
        int64_t size, stride;
        if (!sup_grouping_rule(g, l, &size, &stride) || stride != 1 || size < 2 || size > processes / 2) continue;
        add_clusters(size, processes, out);
        found++;
    }
    sup_grouping_free(g);
    if (!found && processes >= CLUSTERED_FROM) add_clusters(CLUSTER, processes, out);
}

void sup_sync_words_find(const sup_rank_place *places, int processes, sup_sync_words *out) {
    out->count = 0;
    for (size_t g = 0; sup_generators[g]; g++) {
        const sup_generator *generator = sup_generators[g];
        if (!generator->barrier) continue;
        add_kind((sup_pattern_kind){generator, generator->radix}, processes, out);
        for (size_t r = 0; generator->radix && r < sizeof radices / sizeof *radices; r++)
            if (radices[r] <= generator->radix_most && radices[r] <= processes)
                add_kind((sup_pattern_kind){generator, radices[r]}, processes, out);
    }
    add_levels(places, processes, out);
}
