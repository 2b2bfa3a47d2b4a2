/* superstep diff: what changed between two profiles beyond their confidence intervals, all terms. superstep-diff(1) is
 * the manual. */
#include "cli/machine/machine.h"

#include "base/text.h"
#include "report/compare.h"
#include "report/data.h"
#include "report/page/table.h"
#include "report/page/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "diff"

struct request {
    bool json, all;
    double least; /* percent */
};

/* ---- text ---- */

static void value_cells(sup_table *t, const sup_change *c) {
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT];
    bool seconds = c->unit[0] == 's';
    if (isfinite(c->a)) {
        seconds ? sup_table_cell(t, "%s", sup_unit_seconds(c->a, a, sizeof a)) : sup_table_cell(t, "%.4g", c->a);
        seconds ? sup_table_cell(t, "%s", sup_unit_seconds(c->b, b, sizeof b)) : sup_table_cell(t, "%.4g", c->b);
        return;
    }
    sup_table_cell(t, "%zu of %zu points", c->changed, c->compared);
    if (isfinite(c->x_low))
        sup_table_cell(t, "%s – %s", sup_unit_bytes(c->x_low, a, sizeof a), sup_unit_bytes(c->x_high, b, sizeof b));
    else
        sup_table_cell(t, "–");
}

static void change_row(sup_table *t, const sup_change *c) {
    sup_table_cell(t, "%s", c->section);
    sup_table_cell(t, "%s", c->name);
    if (c->kind == SUP_CHANGE_VALUE) {
        value_cells(t, c);
        isfinite(c->ratio) ? sup_table_cell(t, "%+.1f %%", 100.0 * (c->ratio - 1.0)) : sup_table_cell(t, "–");
    } else {
        sup_table_cell(t, "%s", c->kind == SUP_CHANGE_ONLY_A ? "there" : "–");
        sup_table_cell(t, "%s", c->kind == SUP_CHANGE_ONLY_B ? "there" : "–");
        sup_table_cell(t, "only in %s", c->kind == SUP_CHANGE_ONLY_A ? "A" : "B");
    }
}

static bool is_change(const sup_change *c) { return c->kind != SUP_CHANGE_VALUE || c->changed; }

static double share(sup_coverage c) { return c.intervals ? (double)c.hold / (double)c.intervals : NAN; }

static int print_text(const struct request *r, const sup_comparison *all) {
    size_t same = 0;
    sup_table *t =
        sup_table_new("changed beyond the confidence intervals", "section", "name", "A>", "B>", "change>", NULL);
    for (size_t i = 0; i < all->count; i++) {
        same += !is_change(&all->changes[i]);
        if (r->all || is_change(&all->changes[i])) change_row(t, &all->changes[i]);
    }
    sup_status status = sup_table_status(t);
    if (!status && sup_table_rows(t)) {
        sup_table_text(t, stdout);
        printf("\n");
    }
    sup_table_free(t);
    if (status) return sup_cli_no_memory(VERB);
    printf("%zu of %zu numbers and curves did not change; ", same, all->count);
    if (all->compared)
        printf("%.1f %% of %zu values agree within 10 %%\n", 100.0 * (double)all->close / (double)all->compared,
               all->compared);
    else
        printf("there is nothing that both profiles have\n");
    if (all->in_a.intervals && all->in_b.intervals)
        printf("90 %% intervals: those of A hold %.1f %% of the values of B, those of B hold %.1f %% of those of A\n",
               100.0 * share(all->in_a), 100.0 * share(all->in_b));
    return SUP_EXIT_OK;
}

/* ---- JSON ---- */

static json_t *change_json(const sup_change *c) {
    static const char *const kinds[] = {"value", "only_a", "only_b"};
    json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:b}", "section", c->section, "name", c->name, "unit", c->unit,
                            "kind", kinds[c->kind], "changed", is_change(c));
    if (c->kind != SUP_CHANGE_VALUE) return one;
    json_object_set_new(one, "ratio", sup_data_real(c->ratio));
    if (isfinite(c->a)) {
        json_object_set_new(one, "a", sup_data_real(c->a));
        json_object_set_new(one, "b", sup_data_real(c->b));
        json_object_set_new(one, "a_ci", sup_data_real(c->a_ci));
        json_object_set_new(one, "b_ci", sup_data_real(c->b_ci));
    } else {
        json_object_set_new(one, "points_compared", json_integer((json_int_t)c->compared));
        json_object_set_new(one, "points_changed", json_integer((json_int_t)c->changed));
        json_object_set_new(one, "x_low", sup_data_real(c->x_low));
        json_object_set_new(one, "x_high", sup_data_real(c->x_high));
    }
    return one;
}

static json_t *coverage_json(sup_coverage c) {
    return json_pack("{s:I, s:I, s:o}", "intervals", (json_int_t)c.intervals, "hold", (json_int_t)c.hold, "share",
                     sup_data_real(share(c)));
}

static int print_json(const struct request *r, const sup_comparison *all) {
    json_t *list = json_array();
    for (size_t i = 0; i < all->count; i++)
        if (r->all || is_change(&all->changes[i])) json_array_append_new(list, change_json(&all->changes[i]));
    return sup_cli_emit(VERB, json_pack("{s:I, s:I, s:I, s:{s:o, s:o}, s:o}", "compared", (json_int_t)all->compared,
                                        "within_10_percent", (json_int_t)all->close, "changed",
                                        (json_int_t)all->changed, "coverage", "a", coverage_json(all->in_a), "b",
                                        coverage_json(all->in_b), "changes", list));
}

/* ---- the verb ---- */

static int compare(const struct request *r, const sup_profile *a, const sup_profile *b) {
    sup_comparison all;
    sup_diag diag;
    if (sup_compare(a, b, r->least / 100.0, &all)) return sup_cli_no_memory(VERB);
    if (sup_origin_match(&a->signature, &b->signature, 0, &diag))
        sup_text_print(stderr, "superstep diff: the profiles are of different runs: %s\n", diag.text);
    int code = r->json ? print_json(r, &all) : print_text(r, &all);
    for (size_t i = 0; i < all.count && !code; i++)
        if (is_change(&all.changes[i])) code = SUP_EXIT_FAIL;
    sup_comparison_free(&all);
    return code;
}

static int run_diff(int argc, char **argv) {
    struct request r = {0};
    sup_profile *a = NULL, *b = NULL;
    sup_diag diag;
    int code = sup_options_parse(&sup_verb_diff, &r, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 2) return sup_cli_usage(VERB, "two profiles are compared, %d given", argc);
    if (sup_machine_read(argv[0], &diag, &a)) return sup_cli_fail_diag(VERB, &diag);
    code = sup_machine_read(argv[1], &diag, &b) ? sup_cli_fail_diag(VERB, &diag) : compare(&r, a, b);
    sup_profile_free(b);
    sup_profile_free(a);
    return code;
}

static const sup_option options[] = {
    {"at-least", .value = "PERCENT", SUP_TO(struct request, least), .high = INFINITY, .what = "a percentage",
     .help = "only what differs by so much or more (default 0)"},
    SUP_FLAG("all", struct request, all, "also what did not change"),
    SUP_FLAG("json", struct request, json, "JSON instead of a table"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_diff = {
    .name = VERB,
    .summary = "say what changed between two profiles",
    .usage = "superstep diff [--json] [--all] [--at-least PERCENT] A B",
    .about = "Says what is different in profile B, beyond the confidence intervals of both.",
    .more = "Ends with 0 if nothing changed, 1 if something did, 2 if the command line is wrong, 3 if a file cannot be "
            "read.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "PROFILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = -1,
    .run = run_diff,
};
