/* `superstep run` without --plan: the plan of this machine that `superstep choose --default` installed, if there is one
 * for just such a run. A plan that does not fit is no mistake of whoever runs a program: it is left out. */
#include "cli/frame/default_plan.h"
#include "cli/run/run.h"
#include "machine/signature.h"
#include "net/trust.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "run"

/* What an outer run found by itself holds for that one alone. */
void sup_run_plan_leave(sup_run *run) {
    char path[PATH_MAX];
    if (!run->tell.plan[0] || sup_default_plan_path("0", "self", 1, NULL, path)) return;
    char *end = strrchr(path, '/');
    size_t length = end ? (size_t)(end - path) + 1 : 0;
    if (length && !strncmp(run->tell.plan, path, length)) run->tell.plan[0] = 0;
}

void sup_run_plan_asked(sup_run *run) {
    run->planless = !strcmp(run->tell.plan, "none");
    if (run->planless) run->tell.plan[0] = 0;
}

/* Is it for a run like this? */
static sup_status fits(const sup_run *run, const sup_topology *topology, const char *net, const char *path,
                       sup_diag *diag) {
    sup_plan *plan = NULL;
    sup_origin origin;
    sup_record_init(&sup_origin_record, &origin);
    sup_status status = sup_plan_read(path, true, diag, &plan);
    if (!status) status = sup_origin_set(&origin, topology, &run->policy, &run->placement, net);
    if (!status) status = sup_origin_match(&plan->signature, &origin, 0, diag);
    sup_record_clear(&sup_origin_record, &origin);
    sup_plan_free(plan);
    return status;
}

void sup_run_plan_find(sup_run *run, const sup_topology *topology) {
    char digest[SUP_HASH_TEXT], path[PATH_MAX], real[PATH_MAX];
    sup_diag diag = {0};
    const char *net = run->net;
    /* processes on other hosts could not read it */
    if (run->remote || run->planless || run->tell.plan[0] || sup_topology_digest(topology, digest)) return;
    if (!strcmp(net, "mpi") && !(net = sup_run_mpi_name(run))) return;
    if (sup_default_plan_path(digest, net, run->size, NULL, path) || access(path, F_OK)) return;
    sup_status status = sup_trust_file(path, (uid_t)-1, &diag, real);
    if (!status) status = fits(run, topology, net, real, &diag);
    if (!status && strlen(real) < sizeof run->tell.plan)
        memcpy(run->tell.plan, real, strlen(real) + 1);
    else if (status && status != SUP_EMISMATCH)
        sup_cli_fail(VERB, 0, "without the plan of this machine: %s", diag.text);
}
