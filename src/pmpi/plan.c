/* The plan that a program with the preloaded library follows: taken whole, and only on the machine that it is for. */
#include "base/file/file.h"
#include "base/file/json.h"
#include "machine/hash.h"
#include "machine/topology/topology.h"
#include "pmpi/pmpi.h"

#include <stdlib.h>
#include <string.h>

sup_plan *sup_pmpi_plan;

/* How many processes there are and where is of no account here: a plan's barriers say themselves for which sets they
 * are. */
static sup_status is_of_this_machine(const sup_plan *plan, sup_diag *diag) {
    sup_topology *topology = NULL;
    sup_origin here = {0};
    sup_status st = sup_topology_load(0, diag, &topology);
    if (st) return st;
    st = sup_origin_set(&here, topology, NULL, NULL, SUP_PMPI_NET);
    sup_topology_free(topology);
    if (st) return sup_diag_set(diag, st, NULL, 0, "cannot say what this machine is");
    st = sup_origin_match(&plan->signature, &here, SUP_SIGNATURE_ANY_RUN, diag);
    sup_record_clear(&sup_origin_record, &here);
    return st;
}

/* The same bytes, the same plan. */
static sup_status digest_of(const char *path, sup_diag *diag, uint64_t *out) {
    char *text = NULL;
    size_t length = 0;
    sup_status st = sup_file_read(path, SUP_JSON_MAX, diag, &text, &length);
    if (st) return st;
    sup_hash hash = sup_hash_bytes(sup_hash_start(), text, length);
    free(text);
    *out = (uint64_t)hash ^ (uint64_t)(hash >> 64);
    if (!*out) *out = 1; /* 0 is none */
    return SUP_OK;
}

sup_plan *sup_pmpi_plan_read(uint64_t *digest) {
    sup_plan *plan = NULL;
    sup_diag diag = {0};
    char text[800];
    *digest = 0;
    if (!sup_pmpi_set.plan[0]) return NULL;
    sup_status st = digest_of(sup_pmpi_set.plan, &diag, digest);
    if (!st) st = sup_plan_read(sup_pmpi_set.plan, false, &diag, &plan);
    if (!st) st = is_of_this_machine(plan, &diag);
    if (!st) return plan;
    sup_diag_format(&diag, text, sizeof text);
    sup_pmpi_say("the plan is ignored: %s", text);
    sup_plan_free(plan);
    *digest = 0;
    return NULL;
}
