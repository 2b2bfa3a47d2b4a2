/* superstep barrier bench: candidates measured in turn, over several launches (measure/launch/cases.h), beside what
 * the model predicts of them. Term Tsync, stages measure and model. */
#include "cli/barrier/kinds.h"
#include "cli/barrier/price.h"
#include "cli/measure/measure.h"
#include "measure/launch/cases.h"
#include "report/data.h"
#include "report/page/table.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_BARRIER_VERB
#define SECONDS 10.0
enum { SHOWN = 24 }; /* of the candidates that are no plain patterns */

typedef struct row {
    char name[160];
    sup_pattern pattern;
    sup_prediction cost; /* value NaN: not predicted */
    bool choice, usual;
    sup_timing time;
} row;

typedef struct bench {
    sup_barrier_machine m;
    bool predicts;
    const char *net;
    int64_t processes;
    row *rows;
    size_t count;
    double mean_error, over_best; /* NaN: nothing was predicted; the choice beyond the best */
    size_t judged;
} bench;

/* ---- which barriers ---- */

static bool make_room(bench *b, size_t count) {
    b->rows = calloc(count + 1, sizeof *b->rows);
    return b->rows != NULL;
}

/* Patterns by themselves, the cheapest others, and those that one asks about. */
static int take_candidates(bench *b) {
    sup_diag diag = {0};
    sup_candidates all = {0};
    size_t choice = 0;
    if (sup_candidates_find(b->m.platform, &diag, &all)) return sup_cli_fail_diag(VERB, &diag);
    sup_candidates_choice(&all, &choice);
    int code = make_room(b, all.count) ? -1 : sup_cli_no_memory(VERB);
    size_t others = 0;
    for (size_t i = 0; i < all.count && code < 0 && b->count < SUP_BARRIERS_MOST; i++) {
        const sup_candidate *c = &all.at[i];
        bool asked = i == choice || i == all.usual || i == all.greedy || !strcmp(c->origin, "pattern");
        if (!c->record || (!asked && others++ >= SHOWN)) continue;
        row *r = &b->rows[b->count];
        *r = (row){.cost = c->cost, .choice = i == choice, .usual = i == all.usual};
        memcpy(r->name, c->name, sizeof r->name);
        if (sup_plan_barrier_pattern(c->record, &r->pattern))
            code = sup_cli_no_memory(VERB);
        else
            b->count++;
    }
    sup_candidates_free(&all);
    return code;
}

static int take_kinds(bench *b) {
    char words[SUP_BARRIER_KINDS][SUP_PATTERN_WORD];
    size_t count = sup_barrier_kinds(b->processes, words);
    if (!make_room(b, count)) return sup_cli_no_memory(VERB);
    for (size_t i = 0; i < count; i++) {
        row *r = &b->rows[b->count];
        *r = (row){.cost.value = NAN};
        snprintf(r->name, sizeof r->name, "%s", words[i]);
        if (sup_pattern_read(words[i], b->processes, &r->pattern)) return sup_cli_no_memory(VERB);
        b->count++;
    }
    return -1;
}

static int take_given(const sup_barrier_request *q, bench *b) {
    sup_barrier_request alone = *q;
    alone.hosts = NULL;
    if (!make_room(b, (size_t)q->count)) return sup_cli_no_memory(VERB);
    for (int i = 0; i < q->count; i++) {
        sup_diag diag = {0};
        sup_barrier_given given;
        int code = sup_barrier_open(&alone, q->given[i], b->processes, &given);
        if (code >= 0) return code;
        if ((code = sup_barrier_check(&given)) >= 0) {
            sup_barrier_close(&given);
            return code;
        }
        row *r = &b->rows[b->count++];
        *r = (row){.pattern = given.pattern, .cost.value = NAN};
        memcpy(r->name, given.name, sizeof r->name);
        given.pattern = (sup_pattern){0};
        sup_barrier_close(&given);
        if (b->predicts && sup_barrier_cost(b->m.platform, &r->pattern, false, &diag, &r->cost))
            return sup_cli_fail_diag(VERB, &diag);
    }
    return -1;
}

/* ---- what there is to run on ---- */

/* A profile says nothing about processes that are spread otherwise. */
static int check_placement(const sup_barrier_request *q, const bench *b, const int *host_of) {
    const sup_profile *p = b->m.profile;
    for (int64_t i = 0; i < b->processes; i++) {
        int64_t host = 0, core = 0;
        if (sup_origin_place(&p->signature, i, &host, &core)) return -1; /* it does not say */
        if (host == (host_of ? host_of[i] : 0)) continue;
        return sup_cli_fail(VERB, SUP_EXIT_MISMATCH,
                            "%.200s is of another placement: there process %" PRId64 " is on host %" PRId64
                            ", here on host %d",
                            q->profile, i, host, host_of ? host_of[i] : 0);
    }
    return -1;
}

/* Of this machine? Over hosts nobody knows before they run. */
static int check_machine(const sup_barrier_request *q, const bench *b) {
    sup_origin here;
    sup_diag diag = {0};
    if (q->hosts) return -1;
    sup_status status = sup_cli_here(NULL, &diag, &here);
    if (!status) status = sup_origin_match(&b->m.profile->signature, &here, SUP_SIGNATURE_ANY_RUN, &diag);
    sup_record_clear(&sup_origin_record, &here);
    return status ? sup_cli_fail_diag(VERB, &diag) : -1;
}

/* As many as the first one is for, if it says. */
static int own_processes(const sup_barrier_request *q, int64_t *processes) {
    sup_barrier_given given;
    const char *first = q->given[0];
    if (sup_barrier_is_word(first)) return -1;
    int code = sup_barrier_open(q, first, 0, &given);
    if (code >= 0) return code;
    *processes = given.pattern.processes;
    sup_barrier_close(&given);
    return -1;
}

static int open_bench(const sup_barrier_request *q, bench *b) {
    int *host_of = NULL;
    b->processes = q->processes;
    if (q->hosts && q->hosts[strspn(q->hosts, "0123456789,")] == 0)
        return sup_cli_usage(VERB, "bench: --hosts names a file of hosts, as for `superstep run`");
    int code = sup_barrier_given_hosts(q, &b->processes, &host_of);
    if (code < 0 && !b->processes && q->count) code = own_processes(q, &b->processes);
    if (code < 0 && q->profile) {
        code = sup_barrier_open_platform(q, b->processes, &b->m);
        if (code < 0) {
            b->predicts = true;
            b->processes = b->m.platform->processes;
            b->net = b->m.platform->transport;
            code = check_machine(q, b);
        }
        if (code < 0) code = check_placement(q, b, host_of);
    } else if (code < 0) {
        b->net = q->net ? q->net : "shm";
        if (q->hosts && !q->net) code = sup_cli_usage(VERB, "bench: over hosts say which transport: --net openmpi");
    }
    free(host_of);
    if (code >= 0) return code;
    if (!b->processes) return sup_cli_usage(VERB, "-n P is missing: how many processes?");
    if (b->processes < 2) return sup_cli_usage(VERB, "bench: a barrier has two processes or more");
    return -1;
}

/* ---- measuring ---- */

static int measure(const sup_barrier_request *q, bench *b) {
    sup_diag diag = {0};
    sup_pattern *patterns = calloc(b->count + 1, sizeof *patterns);
    sup_timing *times = calloc(b->count + 1, sizeof *times);
    int code = patterns && times ? -1 : sup_cli_no_memory(VERB);
    if (patterns && times) {
        for (size_t i = 0; i < b->count; i++) patterns[i] = b->rows[i].pattern;
        sup_cases_order order = {.at = {.processes = (int)b->processes,
                                        .hosts_file = q->hosts,
                                        .rsh = q->rsh,
                                        .place = q->place,
                                        .progress = sup_bar_progress},
                                 .transport = b->net,
                                 .patterns = patterns,
                                 .count = b->count,
                                 .seconds = (q->seconds > 0 ? q->seconds : SECONDS) / SUP_BARRIERS_LAUNCHES};
        sup_bar_open(q->json);
        sup_status status = sup_measure_cases(&order, &diag, times);
        sup_bar_close();
        if (status) code = sup_cli_fail_diag(VERB, &diag);
    }
    for (size_t i = 0; i < b->count && code < 0 && times; i++) b->rows[i].time = times[i];
    free(times);
    free(patterns);
    return code;
}

static double seconds(const row *r) { return r->time.status ? NAN : r->time.seconds; }

static int by_time(const void *a, const void *b) {
    double x = seconds(a), y = seconds(b);
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Rows by their time; how far predictions are off. */
static void judge(bench *b) {
    double sum = 0;
    qsort(b->rows, b->count, sizeof *b->rows, by_time);
    b->over_best = NAN;
    for (size_t i = 0; i < b->count; i++) {
        row *r = &b->rows[i];
        if (r->choice && seconds(r) > 0) b->over_best = seconds(r) / seconds(&b->rows[0]) - 1;
        if (!isfinite(r->cost.value) || !(seconds(r) > 0)) continue;
        sum += fabs(r->cost.value / seconds(r) - 1);
        b->judged++;
    }
    b->mean_error = b->judged ? sum / (double)b->judged : NAN;
}

/* ---- what came out ---- */

static int say_json(const bench *b) {
    json_t *rows = json_array();
    const char *choice = NULL;
    for (size_t i = 0; i < b->count; i++) {
        const row *r = &b->rows[i];
        double measured = seconds(r);
        if (r->choice) choice = r->name;
        json_array_append_new(rows, json_pack("{s:o,s:i,s:I,s:o,s:o,s:o,s:o,s:I,s:o,s:o,s:o,s:o}", "barrier",
                                              sup_cli_name(r->name), "stages", r->pattern.stages, "signals",
                                              (json_int_t)sup_barrier_signals(&r->pattern), "measured_s",
                                              sup_data_real(measured), "ci_s", sup_data_real(r->time.ci), "typical_s",
                                              sup_data_real(r->time.typical), "bad_s", sup_data_real(r->time.bad), "n",
                                              (json_int_t)r->time.n, "predicted_s", sup_data_real(r->cost.value),
                                              "low_s", sup_data_real(isfinite(r->cost.value) ? r->cost.low : NAN),
                                              "high_s", sup_data_real(isfinite(r->cost.value) ? r->cost.high : NAN),
                                              "error", sup_data_real(r->cost.value / measured - 1)));
    }
    return sup_cli_emit(VERB, json_pack("{s:s,s:I,s:o,s:o,s:o,s:s,s:o}", "transport", b->net, "processes",
                                        (json_int_t)b->processes, "barriers", rows, "mean_error",
                                        sup_data_real(b->mean_error), "choice", sup_cli_name(choice), "best",
                                        b->rows[0].name, "choice_over_best", sup_data_real(b->over_best)));
}

static void print_row(sup_table *t, const row *r, bool predicts) {
    char text[SUP_UNIT_TEXT];
    sup_table_cell(t, "%s", r->name);
    sup_table_cell(t, "%d", r->pattern.stages);
    sup_table_cell(t, "%zu", sup_barrier_signals(&r->pattern));
    sup_table_cell(t, "%s", sup_unit_seconds(seconds(r), text, sizeof text));
    sup_table_cell(t, "%s", sup_unit_interval(r->time.seconds, r->time.ci, text, sizeof text));
    sup_table_cell(t, "%s", sup_unit_seconds(r->time.status ? NAN : r->time.typical, text, sizeof text));
    if (!predicts) return;
    sup_table_cell(t, "%s", sup_unit_seconds(r->cost.value, text, sizeof text));
    if (isfinite(r->cost.value / seconds(r)))
        sup_table_cell(t, "%+.1f %%", 100 * (r->cost.value / seconds(r) - 1));
    else
        sup_table_cell(t, "%s", "");
    sup_table_cell(t, "%s%s%s", r->choice ? "chosen" : "", r->choice && r->usual ? ", " : "", r->usual ? "usual" : "");
}

static void say(const bench *b) {
    char title[128];
    snprintf(title, sizeof title, "%" PRId64 " processes over %s", b->processes, b->net);
    sup_table *t = sup_table_new(title, "barrier", "stages>", "signals>", "measured>", "interval>", "typical>", NULL);
    if (b->predicts) {
        sup_table_column(t, "predicted>");
        sup_table_column(t, "error>");
        sup_table_column(t, "");
    }
    for (size_t i = 0; i < b->count; i++) print_row(t, &b->rows[i], b->predicts);
    if (t) sup_table_text(t, stdout);
    sup_table_free(t);
    if (b->judged) printf("mean error of %zu predictions: %.1f %%\n", b->judged, 100 * b->mean_error);
    if (isfinite(b->over_best)) printf("the choice takes %.1f %% longer than the best\n", 100 * b->over_best);
}

int sup_barrier_bench(const sup_barrier_request *q) {
    bench b = {0};
    int code = open_bench(q, &b);
    if (code < 0) code = q->count ? take_given(q, &b) : b.predicts ? take_candidates(&b) : take_kinds(&b);
    if (code < 0) code = measure(q, &b);
    if (code < 0) {
        judge(&b);
        code = SUP_EXIT_OK;
        if (q->json)
            code = say_json(&b);
        else
            say(&b);
    }
    for (size_t i = 0; i < b.count; i++) sup_pattern_free(&b.rows[i].pattern);
    free(b.rows);
    sup_barrier_close_platform(&b.m);
    return code;
}
