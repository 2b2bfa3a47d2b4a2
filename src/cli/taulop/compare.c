/* superstep taulop coll OPERATION --compare: all algorithms that can do it, all sizes, all models; the cheapest of each
 * model marked. Term Tcomm. */
#include "cli/taulop/taulop.h"

#include "base/text.h"
#include "report/data.h"
#include "report/page/table.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_TAULOP_VERB

static const int64_t usual_segments[] = {8192, 65536};

static bool add(sup_taulop_rows *rows, sup_choice choice) {
    sup_taulop_row *p = realloc(rows->at, (rows->count + 1) * sizeof *p);
    if (!p) return false;
    rows->at = p;
    rows->at[rows->count] = (sup_taulop_row){.choice = choice};
    sup_choice_text(&choice, rows->at[rows->count].name);
    rows->count++;
    return true;
}

/* An algorithm, and where it cuts its vector also with segments: the given, or usual ones. */
static bool add_algorithm(const sup_taulop_job *j, const sup_taulop_request *r, const sup_algorithm *a, bool hosts,
                          sup_taulop_rows *rows) {
    bool cuts = a->traits & SUP_ALGORITHM_SEGMENTS;
    if (r->segment && cuts) return add(rows, (sup_choice){a, j->job.segment_bytes, 0, hosts});
    if (!add(rows, (sup_choice){a, 0, 0, hosts})) return false;
    if (a->traits & SUP_ALGORITHM_SHARED || !cuts) return true; /* rooms cut by themselves */
    for (size_t k = 0; k < sizeof usual_segments / sizeof *usual_segments; k++)
        if (usual_segments[k] < j->sizes[j->size_count - 1] && !add(rows, (sup_choice){a, usual_segments[k], 0, hosts}))
            return false;
    return true;
}

static bool find_rows(const sup_taulop_job *j, const sup_taulop_request *r, sup_taulop_rows *rows) {
    int64_t nodes = sup_mapping_used(&j->mapping);
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        sup_job between = j->job;
        bool shared = (*a)->traits & SUP_ALGORITHM_SHARED;
        if ((*a)->operation != j->job.operation) continue;
        if (shared ? nodes == 1 : sup_algorithm_fits(*a, &j->job))
            if (!add_algorithm(j, r, *a, false, rows)) return false;
        between.processes = nodes;
        between.root = 0;
        if (!shared && nodes > 1 && nodes < j->job.processes && sup_algorithm_fits(*a, &between))
            if (!add_algorithm(j, r, *a, true, rows)) return false;
    }
    return true;
}

static bool price_row(const sup_taulop_job *j, size_t models, sup_taulop_row *row) {
    row->seconds = malloc((j->size_count * models + 1) * sizeof *row->seconds);
    for (size_t i = 0; row->seconds && i < j->size_count * models; i++) {
        sup_job job = j->job;
        sup_diag diag = {0};
        sup_prediction p;
        job.bytes = j->sizes[i / models];
        job.segment_bytes = 0;
        row->seconds[i] = NAN;
        if (!sup_collective_models[i % models]->cost(j->platform, &row->choice, &job, &j->mapping, &diag, &p))
            row->seconds[i] = p.value;
        else if (!row->why[0])
            snprintf(row->why, sizeof row->why, "%.150s", diag.text);
    }
    return row->seconds != NULL;
}

/* Of a size and a model; SIZE_MAX: nobody can say. */
static size_t cheapest(const sup_taulop_rows *rows, size_t at) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < rows->count; i++)
        if (isfinite(rows->at[i].seconds[at]) &&
            (best == SIZE_MAX || rows->at[i].seconds[at] < rows->at[best].seconds[at]))
            best = i;
    return best;
}

static void print_size(const sup_taulop_job *j, const sup_taulop_rows *rows, size_t size) {
    char text[SUP_UNIT_TEXT], title[128] = "";
    if (j->job.operation != SUP_BARRIER)
        snprintf(title, sizeof title, "%s", sup_unit_bytes((double)j->sizes[size], text, sizeof text));
    sup_table *t = sup_table_new(title, "algorithm", NULL);
    for (size_t m = 0; m < rows->models && t; m++) {
        char head[64];
        snprintf(head, sizeof head, "%s>", sup_collective_models[m]->name);
        sup_table_column(t, head);
    }
    for (size_t i = 0; i < rows->count; i++) {
        sup_table_cell(t, "%s", rows->at[i].name);
        for (size_t m = 0; m < rows->models; m++) {
            size_t at = size * rows->models + m;
            sup_table_cell(t, "%s%s", cheapest(rows, at) == i ? "*" : "",
                           sup_unit_seconds(rows->at[i].seconds[at], text, sizeof text));
        }
    }
    if (t) sup_table_text(t, stdout);
    sup_table_free(t);
}

static void print_all(const sup_taulop_job *j, const sup_taulop_rows *rows) {
    int64_t nodes = sup_mapping_used(&j->mapping);
    sup_text_print(stdout, "%s, %" PRId64 " processes on %" PRId64 " node%s, over %s; * is the cheapest of a model\n",
                   sup_operation_names[j->job.operation], j->job.processes, nodes, nodes == 1 ? "" : "s", j->transport);
    for (size_t s = 0; s < j->size_count; s++) {
        printf("\n");
        print_size(j, rows, s);
    }
    for (size_t i = 0, said = 0; i < rows->count && !said; i++)
        if (rows->at[i].why[0]) sup_text_print(stdout, "\n–: %s\n", rows->at[i].why), said = 1;
}

static json_t *all_json(const sup_taulop_job *j, const sup_taulop_rows *rows) {
    json_t *sizes = json_array();
    for (size_t s = 0; s < j->size_count; s++) {
        json_t *algorithms = json_object(), *best = json_object();
        for (size_t i = 0; i < rows->count; i++) {
            json_t *models = json_object();
            for (size_t m = 0; m < rows->models; m++) {
                double v = rows->at[i].seconds[s * rows->models + m];
                json_object_set_new(models, sup_collective_models[m]->name, sup_data_real(v));
            }
            json_object_set_new(algorithms, rows->at[i].name, models);
        }
        for (size_t m = 0; m < rows->models; m++) {
            size_t k = cheapest(rows, s * rows->models + m);
            json_object_set_new(best, sup_collective_models[m]->name,
                                k == SIZE_MAX ? json_null() : json_string(rows->at[k].name));
        }
        json_array_append_new(sizes, json_pack("{s:I,s:o,s:o}", "bytes", (json_int_t)j->sizes[s], "seconds", algorithms,
                                               "cheapest", best));
    }
    return json_pack("{s:s,s:I,s:I,s:o,s:o,s:o}", "operation", sup_operation_names[j->job.operation], "processes",
                     (json_int_t)j->job.processes, "nodes", (json_int_t)sup_mapping_used(&j->mapping), "map",
                     sup_cli_name(j->map), "transport", sup_cli_name(j->transport), "sizes", sizes);
}

int sup_taulop_compare(const sup_taulop_job *j, const sup_taulop_request *r) {
    sup_taulop_rows rows = {0};
    int code = SUP_EXIT_OK;
    if (!j->platform) return sup_cli_usage(VERB, "--compare: --profile FILE is missing");
    if (r->expand || r->simplify || r->evaluator)
        return sup_cli_usage(VERB, "--compare has no --%s",
                             r->expand     ? "expand"
                             : r->simplify ? "simplify"
                                           : "evaluator");
    if (r->plot && j->size_count < 2)
        return sup_cli_usage(VERB, "--plot: a figure needs more than one size, such as 1K..8M");
    while (sup_collective_models[rows.models]) rows.models++;
    bool good = find_rows(j, r, &rows);
    for (size_t i = 0; i < rows.count && good; i++) good = price_row(j, rows.models, &rows.at[i]);
    if (!good)
        code = sup_cli_no_memory(VERB);
    else if (r->json)
        code = sup_cli_emit(VERB, all_json(j, &rows));
    else
        print_all(j, &rows);
    if (code == SUP_EXIT_OK && r->plot) code = sup_taulop_plot(j, &rows, r->plot, r->force);
    for (size_t i = 0; i < rows.count; i++) free(rows.at[i].seconds);
    free(rows.at);
    return code;
}
