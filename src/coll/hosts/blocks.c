/* Collective operations over hosts that move blocks: gather, scatter, allgather, reduce-scatter, alltoall (hosts.h).
 * Blocks of a host travel together, in packed order. Where that is also how they lie in the caller's buffer they go
 * from and to there; else through the stage. */
#include "coll/hosts/hosts.h"

/* The operation between representatives, with the hosts' parts as blocks; `in` and `out` as it wants them. */
static sup_coll_call of_hosts(int operation, int root, const void *in, void *out, const sup_packed *p) {
    sup_coll_call call = {.operation = operation, .root = root, .in = in, .out = out, .bytes = p->own};
    bool deals = operation == SUP_SCATTER || operation == SUP_REDUCE_SCATTER;
    if (deals) {
        call.in_bytes = p->hosts.bytes;
        call.in_at = p->hosts.at;
    } else {
        call.out_bytes = p->hosts.bytes;
        call.out_at = p->hosts.at;
    }
    return call;
}

/* Gather or scatter among the members of the own host. */
static sup_coll_call of_host(const sup_coll *c, int operation, int chosen, const void *in, void *out,
                             const sup_packed *p) {
    int root = c->place[sup_hosts_stand_in(c, c->own_host, chosen)];
    sup_coll_call call = {.operation = operation, .root = root, .in = in, .out = out};
    call.bytes = sup_block_bytes(&p->inside, c->host.group.self);
    if (operation == SUP_SCATTER) {
        call.in_bytes = p->inside.bytes;
        call.in_at = p->inside.at;
    } else {
        call.out_bytes = p->inside.bytes;
        call.out_at = p->inside.at;
    }
    return call;
}

sup_status sup_hosts_gather(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    bool root = c->all.group.self == call->root;
    sup_blocks blocks = {.each = call->bytes};
    sup_packed p = sup_hosts_pack(c, &blocks);
    bool straight = root && p.straight;
    sup_status st = root && !straight             ? sup_coll_reserve(&c->stage, (size_t)p.total)
                    : sup_hosts_am(c, call->root) ? sup_coll_reserve(&c->stage, (size_t)p.own)
                                                  : SUP_OK;
    if (st) return st;
    unsigned char *all = straight ? call->out : c->stage.at, *own = root ? all + p.own_at : all;
    sup_coll_call inside = of_host(c, SUP_GATHER, call->root, call->in, own, &p);
    st = sup_hosts_inside(c, &inside);
    if (st) return st;
    sup_net_group group = sup_hosts_group(c, call->root);
    sup_coll_call between = of_hosts(SUP_GATHER, c->host_of[call->root], own, all, &p);
    st = sup_hosts_between(c, &group, &between, choice);
    if (!st && root && !straight) sup_hosts_unpack(c, &blocks, all, call->out);
    return st;
}

sup_status sup_hosts_scatter(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    bool root = c->all.group.self == call->root;
    sup_blocks blocks = {.each = call->bytes};
    sup_packed p = sup_hosts_pack(c, &blocks);
    bool straight = root && p.straight;
    sup_status st = root && !straight             ? sup_coll_reserve(&c->stage, (size_t)p.total)
                    : sup_hosts_am(c, call->root) ? sup_coll_reserve(&c->stage, (size_t)p.own)
                                                  : SUP_OK;
    if (st) return st;
    if (root && !straight) sup_hosts_pack_up(c, &blocks, call->in, c->stage.at);
    unsigned char *all = straight ? (unsigned char *)(uintptr_t)call->in : c->stage.at;
    unsigned char *own = root ? all + p.own_at : all;
    sup_net_group group = sup_hosts_group(c, call->root);
    sup_coll_call between = of_hosts(SUP_SCATTER, c->host_of[call->root], all, own, &p);
    st = sup_hosts_between(c, &group, &between, choice);
    if (st) return st;
    sup_coll_call inside = of_host(c, SUP_SCATTER, call->root, own, call->out, &p);
    return sup_hosts_inside(c, &inside);
}

sup_status sup_hosts_allgather(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    sup_blocks blocks = {call->bytes, call->out_bytes, call->out_at};
    sup_packed p = sup_hosts_pack(c, &blocks);
    sup_status st = p.straight ? SUP_OK : sup_coll_reserve(&c->stage, (size_t)p.total);
    if (st) return st;
    unsigned char *all = p.straight ? call->out : c->stage.at;
    sup_coll_call inside = of_host(c, SUP_GATHER, -1, call->in, all + p.own_at, &p);
    st = sup_hosts_inside(c, &inside);
    if (st) return st;
    sup_net_group group = sup_hosts_group(c, -1);
    sup_coll_call between = of_hosts(SUP_ALLGATHER, 0, all + p.own_at, all, &p);
    st = sup_hosts_between(c, &group, &between, choice);
    if (st) return st;
    sup_coll_call tell = {.operation = SUP_BROADCAST, .out = all, .bytes = p.total};
    st = sup_hosts_inside(c, &tell);
    if (!st && !p.straight) sup_hosts_unpack(c, &blocks, all, call->out);
    return st;
}

/* The first of a host folds its members' vectors, hosts fold and deal out their parts, and they are dealt out inside.
 */
sup_status sup_hosts_reduce_scatter(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    sup_blocks blocks = {call->bytes, call->in_bytes, call->in_at};
    sup_packed p = sup_hosts_pack(c, &blocks);
    bool leads = sup_hosts_am(c, -1), alone = c->host.group.size == 1;
    size_t total = (size_t)p.total, own = (size_t)p.own;
    sup_status st = sup_coll_reserve(&c->stage, leads ? 2 * total + own : total);
    if (st) return st;
    unsigned char *sum = c->stage.at, *packed = sum + (leads ? total : 0), *part = packed + total;
    const unsigned char *in = call->in;
    if (!p.straight) {
        sup_hosts_pack_up(c, &blocks, in, packed);
        in = packed;
    }
    sup_coll_call inside = {.operation = SUP_REDUCE, .in = in, .out = sum, .bytes = p.total, .fold = call->fold};
    if (!alone) st = sup_hosts_inside(c, &inside);
    if (st) return st;
    sup_net_group group = sup_hosts_group(c, -1);
    sup_coll_call between = of_hosts(SUP_REDUCE_SCATTER, 0, alone ? in : sum, alone ? call->out : part, &p);
    between.fold = call->fold;
    st = sup_hosts_between(c, &group, &between, choice);
    if (st || alone) return st;
    sup_coll_call deal = of_host(c, SUP_SCATTER, -1, part, call->out, &p);
    return sup_hosts_inside(c, &deal);
}

/* ---- alltoall ---- */

/* Rows of a host's members, P blocks each in the order of the group, become what it has for each host: of its members,
 * one after the other, the blocks for that host's. */
static void turn(const sup_coll *c, int64_t bytes, const unsigned char *rows, unsigned char *parts) {
    int members = c->host.group.size, n = c->all.group.size;
    for (int h = 0; h < c->hosts; h++)
        for (int i = 0; i < members; i++)
            for (int k = c->first[h]; k < c->first[h + 1]; k++) {
                sup_coll_move(parts, rows + ((int64_t)i * n + c->order[k]) * bytes, bytes);
                parts += bytes;
            }
}

/* What comes of host h: of its members, one after the other, the blocks for those of this host. */
static void take_apart(const sup_coll *c, int64_t bytes, const unsigned char *parts, unsigned char *rows) {
    int members = c->host.group.size, n = c->all.group.size;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < members; j++) {
            sup_coll_move(rows + ((int64_t)j * n + c->order[k]) * bytes, parts, bytes);
            parts += bytes;
        }
}

sup_status sup_hosts_alltoall(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    int members = c->host.group.size, n = c->all.group.size;
    int64_t row = call->bytes * n, all = row * members, at = 0;
    bool leads = sup_hosts_am(c, -1);
    sup_status st = leads ? sup_coll_reserve(&c->stage, 2 * (size_t)all) : SUP_OK;
    if (st) return st;
    unsigned char *rows = c->stage.at, *parts = leads ? rows + all : NULL;
    sup_coll_call inside = {.operation = SUP_GATHER, .in = call->in, .out = rows, .bytes = row};
    st = sup_hosts_inside(c, &inside);
    if (st) return st;
    if (leads) {
        int64_t *lengths = c->numbers, *places = lengths + n;
        bool even = true;
        for (int h = 0; h < c->hosts; h++) {
            lengths[h] = sup_host_size(c, h) * members * call->bytes;
            places[h] = at;
            at += lengths[h];
            if (lengths[h] != lengths[0]) even = false;
        }
        turn(c, call->bytes, rows, parts);
        sup_net_group group = sup_hosts_group(c, -1);
        sup_coll_call between = {.operation = SUP_ALLTOALL, .in = parts, .out = rows, .bytes = lengths[0]};
        if (!even) {
            between.in_bytes = between.out_bytes = lengths;
            between.in_at = between.out_at = places;
        }
        st = sup_hosts_between(c, &group, &between, choice);
        if (st) return st;
        take_apart(c, call->bytes, rows, parts);
    }
    sup_coll_call deal = {.operation = SUP_SCATTER, .in = parts, .out = call->out, .bytes = row};
    return sup_hosts_inside(c, &deal);
}
