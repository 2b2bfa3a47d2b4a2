/* Who goes where: the hosts of the run, and the cpu of each process on this machine; and whether the plan was made for
 * that. */
#include "cli/run/run.h"
#include "machine/origin.h"
#include "machine/topology/topology.h"
#include "machine/usable.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "run"

int sup_run_read_hosts(sup_run *run) {
    sup_diag diag;
    if (!run->hosts_file) return 0;
    if (sup_hosts_load(run->hosts_file, &diag, &run->hosts)) return sup_cli_fail_diag(VERB, &diag);
    for (int i = 0; i < run->hosts.count; i++)
        if (!sup_host_is_here(run->hosts.at[i].name)) run->remote = true;
    return 0;
}

/* Slots of a host that is this very machine say how many processes it should take, not which transport. */
static const sup_hosts *hosts_of(const sup_run *run) { return run->hosts.count ? &run->hosts : NULL; }

/* A plan for another machine, another number of processes or another transport would be followed to the letter. */
static sup_status match_plan(const sup_run *run, const sup_topology *topology, sup_diag *diag) {
    sup_plan *plan = NULL;
    sup_origin origin = {0};
    bool some_mpi = !strcmp(run->net, "mpi");
    sup_status status = sup_plan_read(run->tell.plan, true, diag, &plan);
    if (status) return status;
    status = sup_origin_set(&origin, topology, &run->policy, &run->placement, run->net);
    if (status) {
        sup_diag_set(diag, status, NULL, 0, "cannot say what this machine is");
    } else {
        if (some_mpi) { /* which one is found out later; both will do */
            free(origin.transport);
            origin.transport = NULL;
        }
        status = sup_origin_match(&plan->signature, &origin, 0, diag);
        if (status && !diag->file[0]) snprintf(diag->file, sizeof diag->file, "%.255s", run->tell.plan);
    }
    sup_record_clear(&sup_origin_record, &origin);
    sup_plan_free(plan);
    return status;
}

static int place_on(sup_run *run, const sup_hosts *hosts, int processes) {
    sup_diag diag;
    sup_topology *topology = NULL;
    sup_usable usable;
    int code = 0;
    if (sup_topology_load(0, &diag, &topology)) return sup_cli_fail_diag(VERB, &diag);
    if (sup_usable_read(topology, &diag, &usable)) {
        code = sup_cli_fail_diag(VERB, &diag);
        goto free_topology;
    }
    if (processes == 0) {
        processes = 0;
        for (int i = 0; i < run->hosts.count; i++) processes += run->hosts.at[i].slots;
        if (processes == 0) processes = usable.process_count;
        run->size = processes;
    }
    if (sup_policy_parse(run->place ? run->place : "compact", &diag, &run->policy)) {
        code = sup_cli_usage(VERB, "--place: %s", diag.text);
        goto free_usable;
    }
    if (sup_placement_make(topology, &usable, hosts, &run->policy, processes, &diag, &run->placement))
        code = sup_cli_fail_diag(VERB, &diag);
    /* Processes that take turns are better moved about by the kernel, unless somebody asked for something else. */
    if (!code && run->placement.oversubscribed && !run->place)
        for (int i = 0; i < run->placement.count; i++) run->placement.at[i].cpu = -1;
    if (!code && run->tell.plan[0] && !run->as_rank && match_plan(run, topology, &diag))
        code = sup_cli_fail_diag(VERB, &diag);
    if (!code && !run->as_rank) sup_run_plan_find(run, topology);
free_usable:
    sup_usable_free(&usable);
free_topology:
    sup_topology_free(topology);
    return code;
}

int sup_run_place(sup_run *run) { return place_on(run, hosts_of(run), run->size); }

int sup_run_place_rank(sup_run *run, int *cpu) {
    *cpu = -1;
    if (run->tell.local_rank < 0 || run->tell.local_size <= 0) return 0;
    int size = run->size;
    int code = place_on(run, NULL, run->tell.local_size);
    run->size = size;
    if (code) return code;
    *cpu = run->placement.at[run->tell.local_rank].cpu;
    if (run->placement.oversubscribed) run->tell.oversubscribed = true;
    return 0;
}
