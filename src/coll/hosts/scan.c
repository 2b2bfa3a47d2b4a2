/* Scan and exscan over hosts that are stretches of the group: inside each, then the last of each learn what the hosts
 * before them make together, which every member puts before its own (hosts.h). */
#include "coll/hosts/hosts.h"

static const sup_algorithm *between_hosts(const sup_choice *choice) {
    return sup_algorithm_find(SUP_EXSCAN, choice->algorithm->name);
}

/* The last members of the hosts. */
static sup_net_group lasts(sup_coll *c) {
    for (int h = 0; h < c->hosts; h++) c->ranks[h] = c->all.group.ranks[c->order[c->first[h + 1] - 1]];
    bool last = c->host.group.self == c->host.group.size - 1;
    return (
        sup_net_group){.net = c->all.group.net, .size = c->hosts, .self = last ? c->own_host : -1, .ranks = c->ranks};
}

/* What this host's members make together, on the last of them: the result of a scan, or that of an exscan and its own
 * operand, kept at `own`. */
static sup_status whole(sup_coll *c, const sup_coll_call *call, unsigned char *own) {
    if (call->operation == SUP_SCAN) {
        sup_coll_move(own, call->out, call->bytes);
        return SUP_OK;
    }
    if (c->host.group.size == 1) return SUP_OK;
    return sup_coll_fold(c, call->fold, own, call->out, call->bytes, true, false);
}

sup_status sup_hosts_scan(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    bool last = c->host.group.self == c->host.group.size - 1;
    size_t room = ((size_t)call->bytes + 63) / 64 * 64;
    sup_status st = sup_coll_reserve(&c->stage, 2 * room);
    if (st) return st;
    unsigned char *before = c->stage.at, *own = before + room;
    if (last) sup_coll_move(own, call->in, call->bytes); /* which may be where the result goes */
    sup_coll_call inside = {
        .operation = call->operation, .in = call->in, .out = call->out, .bytes = call->bytes, .fold = call->fold};
    st = sup_hosts_inside(c, &inside);
    if (!st && last) st = whole(c, call, own);
    if (st) return st;
    sup_net_group group = lasts(c);
    sup_coll_call between = {
        .operation = SUP_EXSCAN, .in = own, .out = before, .bytes = call->bytes, .fold = call->fold};
    sup_choice exscan = *choice;
    exscan.algorithm = between_hosts(choice);
    st = sup_hosts_between(c, &group, &between, &exscan);
    if (st || c->own_host == 0) return st;
    sup_coll_call tell = {.operation = SUP_BROADCAST,
                          .root = c->host.group.size - 1,
                          .out = before,
                          .bytes = call->bytes};
    st = sup_hosts_inside(c, &tell);
    if (st) return st;
    if (call->operation == SUP_EXSCAN && c->host.group.self == 0) {
        sup_coll_move(call->out, before, call->bytes);
        return SUP_OK;
    }
    return sup_coll_fold(c, call->fold, call->out, before, call->bytes, true, true);
}
