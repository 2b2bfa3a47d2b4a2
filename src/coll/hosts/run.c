/* Collective operations over hosts: between one member of each by the chosen algorithm over messages, inside each in
 * its room. What can be done so, and the operations on whole vectors; those on blocks are in hosts/blocks.c, scans in
 * hosts/scan.c. Any mapping of members to hosts will do, except where a fold or a scan needs the order of the group. */
#include "coll/hosts/hosts.h"

/* The member that is root stands for its host, so that nothing has to be passed on there. */
static sup_status broadcast(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    sup_net_group group = sup_hosts_group(c, call->root);
    sup_coll_call between = *call;
    between.root = c->host_of[call->root];
    sup_status st = sup_hosts_between(c, &group, &between, choice);
    if (st) return st;
    sup_coll_call inside = *call;
    inside.choice = NULL;
    inside.root = c->place[sup_hosts_stand_in(c, c->own_host, call->root)];
    return sup_hosts_inside(c, &inside);
}

static sup_status reduce(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    bool root = c->all.group.self == call->root, stands = sup_hosts_am(c, call->root);
    sup_coll_call inside = *call, between = *call;
    inside.choice = NULL;
    if (c->host.group.size > 1) {
        sup_status st = stands && !root ? sup_coll_reserve(&c->stage, (size_t)call->bytes) : SUP_OK;
        if (st) return st;
        inside.root = c->place[sup_hosts_stand_in(c, c->own_host, call->root)];
        inside.out = root ? call->out : c->stage.at;
        st = sup_hosts_inside(c, &inside);
        if (st) return st;
        between.in = inside.out;
    }
    sup_net_group group = sup_hosts_group(c, call->root);
    between.root = c->host_of[call->root];
    return sup_hosts_between(c, &group, &between, choice);
}

static sup_status allreduce(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    sup_coll_call step = *call;
    step.choice = NULL;
    step.operation = SUP_REDUCE;
    step.root = 0;
    sup_status st = sup_hosts_inside(c, &step);
    if (st) return st;
    sup_net_group group = sup_hosts_group(c, -1);
    step.operation = SUP_ALLREDUCE;
    step.in = call->out;
    st = sup_hosts_between(c, &group, &step, choice);
    if (st) return st;
    step.operation = SUP_BROADCAST;
    step.fold = NULL;
    return sup_hosts_inside(c, &step);
}

static sup_status barrier(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    sup_coll_call step = {.operation = call->operation};
    sup_status st = sup_hosts_inside(c, &step);
    if (st) return st;
    sup_net_group group = sup_hosts_group(c, -1);
    st = sup_hosts_between(c, &group, &step, choice);
    return st ? st : sup_hosts_inside(c, &step);
}

typedef sup_status run_fn(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);

/* parts: hosts exchange blocks, as long as a host has members; order: members of a host must follow one another. */
static const struct {
    run_fn *run;
    bool parts, order;
} operations[SUP_OPERATIONS] = {
    [SUP_BROADCAST] = {broadcast, false, false},
    [SUP_SCATTER] = {sup_hosts_scatter, true, false},
    [SUP_GATHER] = {sup_hosts_gather, true, false},
    [SUP_ALLGATHER] = {sup_hosts_allgather, true, false},
    [SUP_REDUCE] = {reduce, false, false},
    [SUP_ALLREDUCE] = {allreduce, false, false},
    [SUP_REDUCE_SCATTER] = {sup_hosts_reduce_scatter, true, false},
    [SUP_ALLTOALL] = {sup_hosts_alltoall, true, false},
    [SUP_SCAN] = {sup_hosts_scan, false, true},
    [SUP_EXSCAN] = {sup_hosts_scan, false, true},
    [SUP_BARRIER] = {barrier, false, false},
};

static bool alike(const sup_coll *c) {
    for (int h = 1; h < c->hosts; h++)
        if (sup_host_size(c, h) != sup_host_size(c, 0)) return false;
    return true;
}

bool sup_hosts_can(const sup_coll *c, const sup_job *job, const sup_choice *choice) {
    const sup_algorithm *a = choice->algorithm;
    bool parts = operations[job->operation].parts;
    if (!operations[job->operation].run || (a->traits & SUP_ALGORITHM_SHARED)) return false;
    /* Lengths that not everybody knows. */
    if (!sup_coll_knows_total(job)) return false;
    if (operations[job->operation].order && !c->in_order) return false;
    if (parts && !(a->traits & SUP_ALGORITHM_BLOCKS) && (sup_coll_has_blocks(job) || !alike(c))) return false;
    if (c->hosts == 1) return true;
    sup_job between = *job;
    between.processes = c->hosts;
    between.root = c->host_of[job->root];
    between.in_bytes = between.in_at = between.out_bytes = between.out_at = NULL;
    if (parts) between.bytes = sup_job_total(job) / c->hosts;
    if (operations[job->operation].order) {
        a = sup_algorithm_find(SUP_EXSCAN, a->name);
        between.operation = SUP_EXSCAN;
    }
    return a && sup_algorithm_fits(a, &between);
}

sup_status sup_run_hosts(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    return operations[call->operation].run(c, call, choice);
}
