/* The tables of collectives of a plan, and their checks: what the runtime looks up is known, unambiguous and little
 * enough for sup_choices, or the file is refused. */
#include "plan/collective.h"
#include "plan/range.h"

/* Rows for one number of processes: with the borders of the defaults they make at most SUP_CHOICES_MOST ranges. */
enum { ROWS_MOST = 4096, ROWS_OF_ONE_MOST = 12 };

static const sup_field row_fields[] = {
    SUP_F_INT_OR(sup_plan_collective_row, processes_from, "processes_from", 0, SUP_PROCESSES_MAX, 0),
    SUP_F_INT_OR(sup_plan_collective_row, processes_to, "processes_to", 1, SUP_PROCESSES_MAX, -1),
    SUP_F_INT_OR(sup_plan_collective_row, bytes_from, "bytes_from", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_plan_collective_row, bytes_to, "bytes_to", 1, SUP_INT_MAX, -1),
    SUP_F_STRING(sup_plan_collective_row, algorithm, "algorithm"),
    SUP_F_INT_OR(sup_plan_collective_row, segment_bytes, "segment_bytes", 1, SUP_INT_MAX, -1),
    SUP_F_END,
};

static sup_status check_row(const sup_where *w, const void *object) {
    const sup_plan_collective_row *row = object;
    sup_status st = sup_plan_check_range(w, "processes_to", row->processes_from, row->processes_to);
    return st ? st : sup_plan_check_range(w, "bytes_to", row->bytes_from, row->bytes_to);
}

SUP_RECORD(sup_plan_collective_row_record, "collective row", sup_plan_collective_row, row_fields, check_row);

static const sup_field fields[] = {
    SUP_F_STRING(sup_plan_collective, operation, "operation"),
    SUP_F_STRING_MAYBE(sup_plan_collective, transport, "transport"),
    SUP_F_INT_OR(sup_plan_collective, hosts, "hosts", 1, SUP_PROCESSES_MAX, 0),
    SUP_F_RECORDS(sup_plan_collective, rows, "rows", true, &sup_plan_collective_row_record),
    SUP_F_END,
};

/* ---- one row, which the operation gives its meaning ---- */

static sup_status check_choice(const sup_where *w, int operation, const sup_plan_collective_row *row) {
    sup_choice choice;
    sup_diag diag = {0};
    sup_status st = sup_choice_read(operation, row->algorithm, &diag, &choice);
    if (st == SUP_ENOMEM) return st;
    if (st) return sup_where_fail(w, "algorithm", -1, "%s", diag.text);
    bool segments = choice.algorithm && choice.algorithm->traits & SUP_ALGORITHM_SEGMENTS;
    if (row->segment_bytes > 0 && !segments)
        return sup_where_fail(w, "segment_bytes", -1, "\"%s\" has no segments", row->algorithm);
    if (row->segment_bytes > 0 && choice.segment_bytes > 0)
        return sup_where_fail(w, "segment_bytes", -1, "\"algorithm\" has a segment already");
    return SUP_OK;
}

/* ---- rows beside each other ---- */

static bool rows_meet(const sup_plan_collective_row *a, const sup_plan_collective_row *b) {
    return sup_plan_ranges_meet(a->processes_from, a->processes_to, b->processes_from, b->processes_to) &&
           sup_plan_ranges_meet(a->bytes_from, a->bytes_to, b->bytes_from, b->bytes_to);
}

/* A row that meets an earlier one could never be sure to count. */
static sup_status check_beside(const sup_where *w, const sup_plan_collective *c, size_t k) {
    const sup_plan_collective_row *row = &c->rows[k];
    int same = 0;
    sup_where at = sup_where_below(w, "rows", (int)k, &sup_plan_collective_row_record);
    for (size_t i = 0; i < c->rows_count; i++) {
        const sup_plan_collective_row *other = &c->rows[i];
        if (i < k && rows_meet(row, other))
            return sup_where_fail(&at, "bytes_from", -1,
                                  "row %zu is for some of the same processes and bytes as row %zu", k, i);
        same += sup_plan_ranges_meet(row->processes_from, row->processes_from + 1, other->processes_from,
                                     other->processes_to);
    }
    if (same > ROWS_OF_ONE_MOST)
        return sup_where_fail(&at, NULL, -1, "more than %d rows for %" PRId64 " processes", ROWS_OF_ONE_MOST,
                              row->processes_from);
    return SUP_OK;
}

static sup_status check_collective(const sup_where *w, const void *object) {
    const sup_plan_collective *c = object;
    int operation = sup_operation_find(c->operation);
    sup_status st = SUP_OK;
    if (operation == SUP_OPERATIONS)
        return sup_where_fail(w, "operation", -1, "there is no collective operation \"%.64s\"", c->operation);
    if (c->rows_count > ROWS_MOST) return sup_where_fail(w, "rows", -1, "more than %d rows", ROWS_MOST);
    for (size_t k = 0; k < c->rows_count && !st; k++) {
        sup_where at = sup_where_below(w, "rows", (int)k, &sup_plan_collective_row_record);
        st = check_choice(&at, operation, &c->rows[k]);
        if (!st) st = check_beside(w, c, k);
    }
    return st;
}

SUP_RECORD(sup_plan_collective_record, "collective", sup_plan_collective, fields, check_collective);
