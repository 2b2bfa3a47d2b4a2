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
    SUP_F_RECORDS(sup_plan, barriers, "barriers", false, &sup_plan_barrier_record),
    SUP_F_MAYBE(sup_plan, bsp, "bsp", &sup_plan_bsp_record),
    SUP_F_RECORDS(sup_plan, vectors, "vectors", false, &sup_plan_vector_record),
    SUP_F_RECORDS(sup_plan, collectives, "collectives", false, &sup_plan_collective_record),
    SUP_F_RECORDS(sup_plan, partitions, "partitions", false, &sup_plan_partition_record),
    SUP_F_RECORDS(sup_plan, ghosts, "ghosts", false, &sup_plan_ghost_record),
    SUP_F_RECORDS(sup_plan, tiles, "tiles", false, &sup_plan_tile_record),
    SUP_F_RECORDS(sup_plan, decisions, "decisions", false, &sup_plan_decision_record),
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

static SUP_RECORD(plan_record, "plan", sup_plan, fields, check_plan);
const sup_record_file sup_plan_file = {SUP_PLAN_KIND, SUP_PLAN_SCHEMA, &plan_record};
