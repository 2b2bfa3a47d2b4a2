/* superstep taulop bench: collective operations by all algorithms, measured in turn over several launches
 * (measure/launch/cases.h) or read from a file of an earlier time, beside what τ-Lop and other models say of
 * them from a profile, and what choosing by them costs. Term Tcomm, stages measure and model. */
#include "cli/taulop/bench.h"

#include "base/file/file.h"
#include "cli/machine/machine.h"
#include "cli/measure/measure.h"
#include "cli/taulop/taulop.h"
#include "measure/collective/word.h"
#include "plan/collective.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_TAULOP_BENCH_VERB

/* Between the sizes of profiles, which are powers of 8. */
static const int64_t usual_sizes[] = {24, 192, 1536, 6144, 24576, 98304, 393216, 1572864, 6291456};

typedef struct work {
    const sup_taulop_bench_request *q;
    sup_bench b;
    sup_profile *profile; /* NULL: nothing is predicted */
    sup_collective_platform *platform;
    sup_taulop_costs *costs;
    sup_mapping mapping;
    sup_plan *plan; /* NULL: the defaults */
    sup_choices choices[SUP_OPERATIONS];
    bool wanted[SUP_BENCH_OPERATIONS];
    int64_t sizes[SUP_TAULOP_SIZES];
    size_t size_count;
} work;

/* ---- the command line ---- */

static int read_operations(work *w) {
    const char *list = w->q->operations;
    for (int i = 0; i < SUP_BENCH_OPERATIONS && !list; i++) w->wanted[i] = true;
    for (const char *at = list; at && *at;) {
        char word[32];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        int operation = strcmp(word, SUP_CASE_MESSAGE_NAME) ? sup_operation_find(word) : SUP_CASE_MESSAGE;
        if (operation == SUP_OPERATIONS && strcmp(word, SUP_CASE_MESSAGE_NAME) != 0)
            return sup_cli_usage(VERB, "bench: --operations: there is no operation \"%.31s\"", word);
        w->wanted[operation] = true;
        at += length + (at[length] == ',');
    }
    return -1;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int read_sizes(work *w) {
    const char *list = w->q->sizes;
    size_t kept = 0;
    if (!list) {
        w->size_count = sizeof usual_sizes / sizeof *usual_sizes;
        memcpy(w->sizes, usual_sizes, sizeof usual_sizes);
        return -1;
    }
    if (!sup_taulop_read_sizes(list, w->sizes, &w->size_count))
        return sup_cli_usage(VERB, "bench: --sizes: \"%.64s\" is no list (1K,64K) or range (1K..1M) of up to %d sizes",
                             list, SUP_TAULOP_SIZES);
    qsort(w->sizes, w->size_count, sizeof *w->sizes, by_value);
    for (size_t i = 0; i < w->size_count; i++)
        if (!kept || w->sizes[kept - 1] != w->sizes[i]) w->sizes[kept++] = w->sizes[i];
    w->size_count = kept;
    return -1;
}

/* ---- the machine ---- */

static int open_profile(work *w) {
    sup_diag diag = {0};
    if (!w->q->profile) return -1;
    if (sup_machine_read(w->q->profile, &diag, &w->profile)) return sup_cli_fail_diag(VERB, &diag);
    return -1;
}

static int place_nodes(work *w) {
    sup_bench *b = &w->b;
    const sup_origin *o = w->profile ? &w->profile->signature : NULL;
    b->nodes = 1;
    if (!o || o->hosts < 2) return -1;
    if (!(b->node_of = calloc((size_t)b->processes, sizeof *b->node_of))) return sup_cli_no_memory(VERB);
    for (int64_t i = 0; i < b->processes; i++) {
        int64_t core = 0;
        if (sup_origin_place(o, i, &b->node_of[i], &core)) b->node_of[i] = 0;
        if (b->node_of[i] >= b->nodes) b->nodes = b->node_of[i] + 1;
    }
    return -1;
}

/* Processes and transport: of the file of measured times, the command line, or the profile. */
static int find_machine(work *w) {
    const sup_taulop_bench_request *q = w->q;
    sup_bench *b = &w->b;
    sup_diag diag = {0};
    if (q->measured) return sup_bench_load(q->measured, &diag, b) ? sup_cli_fail_diag(VERB, &diag) : -1;
    b->processes = q->processes ? q->processes : w->profile ? w->profile->signature.processes : 0;
    b->transport = strdup(q->net ? q->net : w->profile ? w->profile->signature.transport : "shm");
    if (!b->transport) return sup_cli_no_memory(VERB);
    if (!b->processes) return sup_cli_usage(VERB, "bench: -n P is missing: how many processes?");
    if (b->processes < 2) return sup_cli_usage(VERB, "bench: a collective operation has two processes or more");
    return place_nodes(w);
}

static int open_models(work *w) {
    sup_bench *b = &w->b;
    sup_diag diag = {0};
    if (!w->profile) return -1;
    if (sup_collective_open(w->profile, b->transport, &diag, &w->platform)) return sup_cli_fail_diag(VERB, &diag);
    if (sup_taulop_open(w->profile, b->transport, &diag, &w->costs)) return sup_cli_fail_diag(VERB, &diag);
    for (size_t i = 0; sup_collective_models[i] && b->model_count < SUP_BENCH_MODELS; i++)
        b->models[b->model_count++] = sup_collective_models[i]->name;
    for (size_t i = 0; sup_evaluators[i] && b->model_count < SUP_BENCH_MODELS; i++)
        b->models[b->model_count++] = sup_evaluators[i]->name;
    return -1;
}

static int open_plan(work *w) {
    sup_diag diag = {0};
    if (w->q->plan && sup_plan_read(w->q->plan, false, &diag, &w->plan)) return sup_cli_fail_diag(VERB, &diag);
    for (int o = 0; o < SUP_OPERATIONS; o++) {
        const sup_choices_for what = {.operation = o,
                                      .processes = w->b.processes,
                                      .transport = w->b.transport,
                                      .hosts = (int)w->b.nodes,
                                      .memory = w->b.nodes == 1};
        sup_plan_choices(w->plan, &what, &w->choices[o]);
    }
    return -1;
}

static int map(work *w) {
    const sup_bench *b = &w->b;
    w->mapping =
        (sup_mapping){.kind = SUP_MAPPING_SEQUENTIAL, .processes = b->processes, .size = b->processes, .nodes = 1};
    if (!b->node_of) return -1;
    w->mapping =
        (sup_mapping){.kind = SUP_MAPPING_CUSTOM, .processes = b->processes, .nodes = b->nodes, .node_of = b->node_of};
    return -1;
}

/* ---- which cases ---- */

static void add_row(work *w, int operation, const sup_choice *choice, int64_t bytes) {
    sup_bench *b = &w->b;
    b->rows[b->count++] = (sup_bench_row){.of = {operation, *choice, bytes}, .seconds = NAN, .typical = NAN, .ci = NAN};
}

/* Is it measured at this size? Reductions are sums of doubles; what is too large is only measured if it is asked for.
 */
static bool is_measured(const work *w, int operation, int64_t bytes) {
    const sup_job job = {.operation = operation, .processes = w->b.processes, .bytes = bytes};
    return bytes % sup_collective_element(operation) == 0 &&
           (w->q->sizes || sup_job_total(&job) <= SUP_COLLECTIVES_LARGEST);
}

static bool is_listed(const sup_choice *choices, size_t count, const sup_choice *choice) {
    char wanted[SUP_CHOICE_TEXT], text[SUP_CHOICE_TEXT];
    sup_choice_text(choice, wanted);
    for (size_t c = 0; c < count; c++)
        if (!strcmp(sup_choice_text(&choices[c], text), wanted)) return true;
    return false;
}

/* What the plan has for these sizes is measured too, whatever its segments and radix. */
static size_t add_planned(const work *w, int operation, sup_choice *choices, size_t count) {
    for (size_t k = 0; k < w->size_count && count < SUP_COLLECTIVES_CHOICES; k++) {
        const sup_job job = {.operation = operation, .processes = w->b.processes, .bytes = w->sizes[k]};
        const sup_choice *choice = sup_choices_at(&w->choices[operation], sup_job_total(&job));
        if (choice->algorithm && !is_listed(choices, count, choice)) choices[count++] = *choice;
    }
    return count;
}

static void list_operation(work *w, int operation) {
    sup_choice choices[SUP_COLLECTIVES_CHOICES];
    int processes = (int)w->b.processes;
    size_t sizes = operation == SUP_BARRIER ? 1 : w->size_count;
    size_t count = sup_collectives_choices(operation, processes, (int)w->b.nodes, choices);
    count = add_planned(w, operation, choices, count);
    for (size_t c = 0; c < count; c++)
        for (size_t k = 0; k < sizes; k++) {
            int64_t bytes = operation == SUP_BARRIER ? 0 : w->sizes[k];
            if (is_measured(w, operation, bytes) && sup_collectives_fit(operation, processes, &choices[c], bytes))
                add_row(w, operation, &choices[c], bytes);
        }
}

static int list_cases(work *w) {
    size_t most = (size_t)(SUP_OPERATIONS * SUP_COLLECTIVES_CHOICES + 1) * w->size_count;
    const sup_choice none = {0};
    if (!(w->b.rows = calloc(most, sizeof *w->b.rows))) return sup_cli_no_memory(VERB);
    for (size_t k = 0; k < w->size_count && w->wanted[SUP_CASE_MESSAGE]; k++)
        add_row(w, SUP_CASE_MESSAGE, &none, w->sizes[k]);
    for (int o = 0; o < SUP_OPERATIONS; o++)
        if (w->wanted[o]) list_operation(w, o);
    if (w->b.count > SUP_COLLECTIVES_CASES)
        return sup_cli_usage(VERB,
                             "bench: %zu cases are more than can be measured at once, %d: fewer --operations or "
                             "--sizes",
                             w->b.count, SUP_COLLECTIVES_CASES);
    return w->b.count ? -1 : sup_cli_usage(VERB, "bench: no algorithm fits any of the sizes");
}

/* ---- measuring ---- */

static int measure(work *w) {
    const sup_taulop_bench_request *q = w->q;
    sup_bench *b = &w->b;
    sup_diag diag = {0};
    sup_collective_case *cases = calloc(b->count, sizeof *cases);
    sup_timing *times = calloc(b->count, sizeof *times);
    int code = cases && times ? -1 : sup_cli_no_memory(VERB);
    if (cases && times) {
        for (size_t i = 0; i < b->count; i++) cases[i] = b->rows[i].of;
        int launches = q->rounds > 0 ? (int)q->rounds : 3;
        sup_cases_order order = {.at = {.processes = (int)b->processes,
                                        .hosts_file = q->hosts,
                                        .rsh = q->rsh,
                                        .place = q->place,
                                        .progress = sup_bar_progress},
                                 .transport = b->transport,
                                 .collectives = cases,
                                 .count = b->count,
                                 .launches = launches,
                                 .seconds = q->seconds > 0 ? q->seconds / launches : 0};
        sup_bar_open(q->json);
        sup_status status = sup_measure_cases(&order, &diag, times);
        sup_bar_close();
        if (status) code = sup_cli_fail_diag(VERB, &diag);
        for (size_t i = 0; i < b->count && code < 0; i++) {
            if (times[i].status) continue;
            b->rows[i].seconds = times[i].seconds;
            b->rows[i].typical = times[i].typical;
            b->rows[i].ci = times[i].ci;
        }
    }
    free(times);
    free(cases);
    return code;
}

/* ---- predicting ---- */

/* A message is what the simplest broadcast to one other process is; τ-Lop has an expression of its own for it. */
static void predict_message(const work *w, sup_bench_row *r) {
    bool apart = sup_mapping_node(&w->mapping, 0) != sup_mapping_node(&w->mapping, 1);
    const sup_taulop_channel *channel = sup_taulop_channel_of(w->costs, apart);
    const sup_choice linear = {.algorithm = sup_algorithm_find(SUP_BROADCAST, "linear")};
    const sup_job job = {.operation = SUP_BROADCAST, .processes = 2, .bytes = r->of.bytes};
    size_t m = 0;
    for (; sup_collective_models[m]; m++) {
        sup_prediction p = {NAN, NAN, NAN};
        sup_diag diag = {0};
        if (m == 0 && channel)
            p.value = sup_taulop_send(channel, (double)r->of.bytes, 1);
        else if (!linear.algorithm ||
                 sup_collective_models[m]->cost(w->platform, &linear, &job, &w->mapping, &diag, &p))
            p.value = NAN;
        r->predicted[m] = p.value;
    }
    for (; m < w->b.model_count; m++)
        r->predicted[m] = channel ? sup_taulop_send(channel, (double)r->of.bytes, 1) : NAN;
}

static void predict_expression(const work *w, const sup_job *job, size_t first, sup_bench_row *r) {
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e = NULL;
    sup_diag diag = {0};
    sup_status status = x ? sup_collective_expression(x, &r->of.choice, job, &w->mapping, &diag, &e) : SUP_ENOMEM;
    for (size_t m = first; m < w->b.model_count; m++) {
        double seconds = NAN;
        if (status || sup_taulop_cost(w->costs, sup_evaluators[m - first], e, &diag, &seconds)) seconds = NAN;
        r->predicted[m] = seconds;
    }
    if (x) sup_exprs_free(x);
}

static void predict(const work *w, sup_bench_row *r) {
    const sup_job job = {.operation = r->of.operation,
                         .processes = w->b.processes,
                         .bytes = r->of.bytes,
                         .element = sup_collective_element(r->of.operation),
                         .segment_bytes = r->of.choice.segment_bytes,
                         .radix = r->of.choice.radix};
    size_t m = 0;
    for (; sup_collective_models[m]; m++) {
        sup_prediction p = {NAN, NAN, NAN};
        sup_diag diag = {0};
        if (sup_collective_models[m]->cost(w->platform, &r->of.choice, &job, &w->mapping, &diag, &p)) p.value = NAN;
        r->predicted[m] = p.value;
    }
    predict_expression(w, &job, m, r);
}

static void predict_all(work *w) {
    for (size_t i = 0; i < w->b.count; i++) {
        sup_bench_row *r = &w->b.rows[i];
        if (r->of.operation == SUP_CASE_MESSAGE)
            predict_message(w, r);
        else
            predict(w, r);
    }
}

/* ---- all of it ---- */

static const sup_choice *choice_at(void *context, int operation, int64_t total) {
    const work *w = context;
    return sup_choices_at(&w->choices[operation], total);
}

static int keep(const work *w) {
    sup_diag diag = {0};
    const char *path = w->q->keep;
    if (!path) return -1;
    return sup_bench_save(&w->b, path, w->q->force, &diag) ? sup_cli_fail_diag(VERB, &diag) : -1;
}

static int prepare(work *w) {
    const sup_taulop_bench_request *q = w->q;
    int code = sup_cli_check_out(VERB, q->keep, SUP_FILE_JSON, q->force);
    if (!code) code = read_operations(w);
    if (code < 0) code = read_sizes(w);
    if (code < 0) code = open_profile(w);
    if (code < 0) code = find_machine(w);
    if (code < 0) code = open_models(w);
    if (code < 0) code = open_plan(w);
    return code < 0 ? map(w) : code;
}

static void free_work(work *w) {
    sup_plan_free(w->plan);
    sup_taulop_close(w->costs);
    sup_collective_close(w->platform);
    sup_profile_free(w->profile);
    free(w->b.rows);
    free(w->b.node_of);
    free((char *)w->b.transport);
    free(w);
}

int sup_bench_run(const sup_taulop_bench_request *q) {
    work *w = calloc(1, sizeof *w);
    if (!w) return sup_cli_no_memory(VERB);
    w->q = q;
    int code = prepare(w);
    if (code < 0 && !q->measured) code = list_cases(w);
    if (code < 0 && !q->measured) code = measure(w);
    if (code < 0) code = keep(w);
    if (code < 0) {
        if (w->b.model_count) predict_all(w);
        sup_bench_judge(&w->b, choice_at, w);
        code = SUP_EXIT_OK;
        if (q->json)
            code = sup_cli_emit(VERB, sup_bench_json(&w->b));
        else
            sup_bench_text(&w->b, q->brief);
    }
    free_work(w);
    return code;
}
