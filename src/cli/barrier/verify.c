/* superstep barrier verify: does everybody hear of everybody (BSP §5.5)? Where not, who does not hear of whom, and why.
 */
#include "base/number/knowledge.h"
#include "base/text.h"
#include "cli/barrier/barrier.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_BARRIER_VERB

typedef struct verdict {
    bool covers;
    int64_t deaf, unheard;
    sup_gap gap;      /* of what is no barrier */
    uint64_t *counts; /* NULL: not asked for */
    sup_pattern_edge *superfluous;
    size_t superfluous_count;
} verdict;

static sup_status judge(const sup_barrier_request *r, const sup_pattern *p, verdict *v) {
    sup_status status = sup_pattern_covers(p, &v->covers, &v->deaf, &v->unheard);
    if (!status && !v->covers) status = sup_gap_find(p, v->deaf, v->unheard, &v->gap);
    if (!status && r->counts) {
        v->counts = calloc((size_t)p->processes * (size_t)p->processes, sizeof *v->counts);
        status = v->counts ? sup_pattern_counts(p, p->stages, v->counts) : SUP_ENOMEM;
    }
    if (!status && r->counts && v->covers) status = sup_pattern_superfluous(p, &v->superfluous, &v->superfluous_count);
    return status;
}

static json_t *gap_json(const verdict *v) {
    if (v->covers) return json_null();
    json_t *signals = json_array(), *heard = json_array();
    for (size_t k = 0; k < v->gap.signals_count; k++) {
        const sup_gap_signal *s = &v->gap.signals[k];
        json_array_append_new(signals, json_pack("{s:I,s:i,s:o}", "from", (json_int_t)s->from, "stage", s->stage,
                                                 "sender_hears_in",
                                                 s->heard < v->gap.stages ? json_integer(s->heard) : json_null()));
    }
    for (int64_t i = 0; i < v->gap.processes; i++)
        json_array_append_new(heard, v->gap.heard[i] < v->gap.stages ? json_integer(v->gap.heard[i]) : json_null());
    return json_pack("{s:I,s:I,s:o,s:o}", "process", (json_int_t)v->deaf, "never_hears_of", (json_int_t)v->unheard,
                     "hears_in_stage", heard, "signals", signals);
}

static json_t *counts_json(const sup_pattern *p, const uint64_t *counts) {
    if (!counts) return json_null();
    json_t *rows = json_array();
    for (int64_t i = 0; i < p->processes; i++) {
        json_t *row = json_array();
        for (int64_t j = 0; j < p->processes; j++)
            json_array_append_new(row, json_real((double)counts[i * p->processes + j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static int say_json(const sup_barrier_given *b, const verdict *v) {
    const sup_pattern *p = &b->pattern;
    int code = sup_cli_emit(VERB, json_pack("{s:o,s:I,s:i,s:I,s:b,s:o,s:o}", "barrier_name", sup_cli_name(b->name),
                                            "processes", (json_int_t)p->processes, "stages", p->stages, "signals",
                                            (json_int_t)sup_barrier_signals(p), "barrier", v->covers, "gap",
                                            gap_json(v), "counts", counts_json(p, v->counts)));
    return code ? code : v->covers ? SUP_EXIT_OK : SUP_EXIT_FAIL;
}

static void print_counts(const sup_pattern *p, const verdict *v) {
    int width = 1;
    for (int64_t k = 0; k < p->processes * p->processes; k++) {
        int w = snprintf(NULL, 0, "%" PRIu64, v->counts[k]);
        if (w > width) width = w;
    }
    printf("in how many ways the process of the column hears of that of the row:\n");
    for (int64_t i = 0; i < p->processes; i++) {
        for (int64_t j = 0; j < p->processes; j++) printf(" %*" PRIu64, width, v->counts[i * p->processes + j]);
        printf("\n");
    }
    if (v->superfluous_count) printf("signals that could be left out, each by itself:");
    for (size_t e = 0; e < v->superfluous_count; e++)
        printf("%s %" PRId64 ">%" PRId64 " in stage %d", e ? "," : "", v->superfluous[e].from, v->superfluous[e].to,
               v->superfluous[e].stage);
    if (v->superfluous_count) printf("\n");
}

static int say(const sup_barrier_given *b, const verdict *v) {
    const sup_pattern *p = &b->pattern;
    if (v->covers) {
        sup_text_print(stdout, "%s is a barrier: all of %" PRId64 " hear of all, in %d stage%s and %zu signal%s\n",
                       b->name, p->processes, p->stages, p->stages == 1 ? "" : "s", sup_barrier_signals(p),
                       sup_barrier_signals(p) == 1 ? "" : "s");
        if (v->counts) print_counts(p, v);
        return SUP_EXIT_OK;
    }
    char *why = NULL;
    if (!sup_gap_text(&v->gap, &why)) fputs(why, stdout);
    free(why);
    if (v->counts) print_counts(p, v);
    return sup_cli_fail(VERB, SUP_EXIT_FAIL, "%s is no barrier: %" PRId64 " never hears of %" PRId64, b->name, v->deaf,
                        v->unheard);
}

int sup_barrier_verify(const sup_barrier_request *r) {
    sup_barrier_given b;
    int code = sup_barrier_open(r, r->given[0], r->processes, &b);
    if (code >= 0) return code;
    verdict v = {0};
    if (r->counts && b.pattern.processes > SUP_COUNTS_MAX)
        code = sup_cli_usage(VERB, "--counts: of %d processes at most", SUP_COUNTS_MAX);
    else if (judge(r, &b.pattern, &v))
        code = sup_cli_no_memory(VERB);
    else
        code = r->json ? say_json(&b, &v) : say(&b, &v);
    free(v.superfluous);
    free(v.counts);
    sup_gap_free(&v.gap);
    sup_barrier_close(&b);
    return code;
}
