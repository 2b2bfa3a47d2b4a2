/* What collective operations over hosts share (hosts.h): packed order, representatives, the two levels. */
#include "coll/hosts/hosts.h"

#include "coll/room/room.h"

/* ---- packed order ---- */

sup_packed sup_hosts_pack(sup_coll *c, const sup_blocks *blocks) {
    int own = c->own_host, n = c->all.group.size, inside = sup_host_size(c, own);
    int64_t *host_bytes = c->numbers, *host_at = host_bytes + n, *bytes = host_at + n, *at = bytes + n;
    sup_packed p = {.hosts = {0, host_bytes, host_at}, .inside = {0, bytes, at}, .straight = c->in_order};
    bool even = !blocks->bytes;
    for (int h = 0; h < c->hosts; h++) {
        host_at[h] = p.total;
        for (int k = c->first[h]; k < c->first[h + 1]; k++) {
            int i = c->order[k];
            int64_t length = sup_block_bytes(blocks, i);
            if (blocks->at && blocks->at[i] != p.total) p.straight = false;
            if (h == own) {
                bytes[k - c->first[h]] = length;
                at[k - c->first[h]] = p.total - host_at[h];
            }
            p.total += length;
        }
        host_bytes[h] = p.total - host_at[h];
        if (sup_host_size(c, h) != inside) even = false;
    }
    p.own = host_bytes[own];
    p.own_at = host_at[own];
    /* Where no array is needed none is given: more algorithms can do it. */
    if (even) p.hosts = (sup_blocks){.each = p.own};
    if (!blocks->bytes) p.inside = (sup_blocks){.each = blocks->each};
    return p;
}

static int64_t place_of(const sup_blocks *b, int i) { return b->at ? b->at[i] : i * b->each; }

void sup_hosts_unpack(const sup_coll *c, const sup_blocks *blocks, const unsigned char *packed, unsigned char *to) {
    for (int k = 0; k < c->all.group.size; k++) {
        int64_t length = sup_block_bytes(blocks, c->order[k]);
        sup_coll_move(to + place_of(blocks, c->order[k]), packed, length);
        packed += length;
    }
}

void sup_hosts_pack_up(const sup_coll *c, const sup_blocks *blocks, const unsigned char *from, unsigned char *packed) {
    for (int k = 0; k < c->all.group.size; k++) {
        int64_t length = sup_block_bytes(blocks, c->order[k]);
        sup_coll_move(packed, from + place_of(blocks, c->order[k]), length);
        packed += length;
    }
}

/* ---- representatives ---- */

int sup_hosts_stand_in(const sup_coll *c, int h, int chosen) {
    return chosen >= 0 && c->host_of[chosen] == h ? chosen : c->order[c->first[h]];
}

bool sup_hosts_am(const sup_coll *c, int chosen) {
    return sup_hosts_stand_in(c, c->own_host, chosen) == c->all.group.self;
}

sup_net_group sup_hosts_group(sup_coll *c, int chosen) {
    for (int h = 0; h < c->hosts; h++) c->ranks[h] = c->all.group.ranks[sup_hosts_stand_in(c, h, chosen)];
    return (sup_net_group){.net = c->all.group.net,
                           .size = c->hosts,
                           .self = sup_hosts_am(c, chosen) ? c->own_host : -1,
                           .ranks = c->ranks};
}

/* ---- levels ---- */

sup_status sup_run_inside(sup_coll *c, const sup_coll_scope *scope, const sup_coll_call *call,
                          const sup_choice *choice) {
    if (c->room && sup_room_has(call->operation)) {
        sup_status st = sup_room_run(c->room, call, choice);
        if (st != SUP_ENOTSUP) return st;
    }
    sup_coll_call by_messages = *call;
    by_messages.choice = NULL;
    sup_job job = sup_coll_job(call, scope->group.size, NULL);
    sup_choice other;
    choice = sup_coll_pick(c, scope, sup_messages_can, &by_messages, &job, &other);
    return choice ? sup_run_messages(c, &scope->group, call, choice) : SUP_EINVAL;
}

sup_status sup_hosts_inside(sup_coll *c, const sup_coll_call *call) {
    if (c->host.group.size == 1) return sup_coll_alone(call);
    sup_job job = sup_coll_job(call, c->host.group.size, NULL);
    if (call->operation != SUP_BARRIER && sup_coll_knows_total(&job) && sup_job_total(&job) == 0) return SUP_OK;
    return sup_run_inside(c, &c->host, call, NULL);
}

sup_status sup_hosts_between(sup_coll *c, const sup_net_group *group, const sup_coll_call *call,
                             const sup_choice *choice) {
    if (group->self < 0) return SUP_OK;
    return group->size == 1 ? sup_coll_alone(call) : sup_run_messages(c, group, call, choice);
}
