/* The plan, joint 2 of the flow: the file as a whole. */
#include "plan/plan.h"

#include <inttypes.h>

static const sup_field fields[] = {
    SUP_F_STRING(sup_plan, kind, "kind"),
    SUP_F_INT(sup_plan, schema, "schema", 1, SUP_PLAN_SCHEMA),
    SUP_F_STRING(sup_plan, created, "created"),
    SUP_F_STRING(sup_plan, tool, "tool"),
    SUP_F_STRING_MAYBE(sup_plan, profile, "profile"),
    SUP_F_RECORD(sup_plan, signature, "signature", &sup_origin_record),
    SUP_F_MAYBE(sup_plan, barrier, "barrier", &sup_plan_barrier_record),
    SUP_F_MAYBE(sup_plan, bsp, "bsp", &sup_plan_bsp_record),
    SUP_F_RECORDS(sup_plan, vectors, "vectors", false, &sup_plan_vector_record),
    SUP_F_RECORDS(sup_plan, collectives, "collectives", false, &sup_plan_collective_record),
    SUP_F_RECORDS(sup_plan, partitions, "partitions", false, &sup_plan_partition_record),
    SUP_F_RECORDS(sup_plan, ghosts, "ghosts", false, &sup_plan_ghost_record),
    SUP_F_RECORDS(sup_plan, tiles, "tiles", false, &sup_plan_tile_record),
    SUP_F_END,
};

static sup_status check_plan(const sup_where *w, const void *object) {
    const sup_plan *p = object;
    sup_status status = sup_record_file_check(w, &sup_plan_file, p->kind, p->created);
    if (status) return status;
    if (p->barrier && p->barrier->processes != p->signature.processes) {
        sup_where at = sup_where_below(w, "barrier", -1, &sup_plan_barrier_record);
        return sup_where_fail(&at, "processes", -1, "a barrier of %" PRId64 " processes in a plan of %" PRId64,
                              p->barrier->processes, p->signature.processes);
    }
    return SUP_OK;
}

static const sup_record plan_record = {"plan", sizeof(sup_plan), offsetof(sup_plan, extra), fields, check_plan, NULL,
                                       NULL};
const sup_record_file sup_plan_file = {SUP_PLAN_KIND, SUP_PLAN_SCHEMA, &plan_record};

sup_status sup_plan_new(int64_t now_unix_s, sup_diag *diag, sup_plan **out) {
    void *object = NULL;
    sup_status status = sup_record_file_new(&sup_plan_file, now_unix_s, diag, &object);
    if (!status) *out = object;
    return status;
}

sup_status sup_plan_parse(const sup_json *doc, bool strict, sup_diag *diag, sup_plan **out) {
    void *object = NULL;
    sup_status status = sup_record_file_parse(&sup_plan_file, doc, strict, diag, &object);
    if (!status) *out = object;
    return status;
}

sup_status sup_plan_read(const char *path, bool strict, sup_diag *diag, sup_plan **out) {
    void *object = NULL;
    sup_status status = sup_record_file_read(&sup_plan_file, path, strict, diag, &object);
    if (!status) *out = object;
    return status;
}

sup_status sup_plan_write(const sup_plan *plan, const char *path, sup_diag *diag) {
    return sup_record_file_save(&sup_plan_file, plan, path, diag);
}

sup_status sup_plan_text(const sup_plan *plan, sup_diag *diag, char **out, size_t *out_length) {
    return sup_record_file_text(&sup_plan_file, plan, diag, out, out_length);
}

sup_status sup_plan_check(const sup_plan *plan, sup_diag *diag) { return sup_record_check(&plan_record, plan, diag); }

sup_status sup_plan_ready(sup_plan *plan, sup_diag *diag) { return sup_record_ready(&plan_record, plan, diag); }

void sup_plan_free(sup_plan *plan) { sup_record_file_free(&sup_plan_file, plan); }
