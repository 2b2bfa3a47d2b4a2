/* Collective operations on a group (coll.h): opening and closing, which way an operation is carried out, and by which
 * algorithm. */
#include "coll/room/work.h"
#include "coll/ways.h"

#include <stdlib.h>
#include <string.h>

/* ---- ways ---- */

typedef struct way {
    bool (*is)(const sup_choice *choice);
    bool (*can)(const sup_coll *coll, const sup_job *job, const sup_choice *choice);
    sup_status (*run)(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);
} way;

static bool over_hosts(const sup_choice *choice) { return choice->hosts; }
static bool in_memory(const sup_choice *choice) { return choice->algorithm->traits & SUP_ALGORITHM_SHARED; }
static bool by_messages(const sup_choice *choice) { return !in_memory(choice); }

static bool memory_can(const sup_coll *c, const sup_job *job, const sup_choice *choice) {
    return c->memory && c->hosts == 1 && sup_room_has(job->operation) && sup_algorithm_fits(choice->algorithm, job);
}

static sup_status memory(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    return sup_run_inside(c, &c->all, call, choice);
}

static sup_status messages(sup_coll *c, const sup_coll_call *call, const sup_choice *choice) {
    return sup_run_messages(c, &c->all.group, call, choice);
}

/* The first that it is. */
static const way ways[] = {
    {over_hosts, sup_hosts_can, sup_run_hosts},
    {in_memory, memory_can, memory},
    {by_messages, sup_messages_can, messages},
};

static const way *way_of(const sup_choice *choice) {
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].is(choice)) return &ways[i];
    return NULL;
}

bool sup_coll_can(const sup_coll *c, const sup_job *job, const sup_choice *choice) {
    const sup_algorithm *a = choice->algorithm;
    if (!a || a->operation != job->operation || (sup_coll_has_blocks(job) && !(a->traits & SUP_ALGORITHM_BLOCKS)))
        return false;
    const way *w = way_of(choice);
    sup_job as_chosen = *job;
    as_chosen.segment_bytes = choice->segment_bytes;
    as_chosen.radix = choice->radix;
    return w && w->can(c, &as_chosen, choice);
}

/* ---- which one ---- */

const sup_choice *sup_coll_look(const sup_coll *c, int operation, int64_t total_bytes) {
    return sup_choices_at(sup_coll_table(c, &c->all, operation), total_bytes);
}

/* ---- running ---- */

enum { PLAIN_BYTES = 1 << 20 };

static bool folds(int operation) {
    return operation == SUP_REDUCE || operation == SUP_ALLREDUCE || operation == SUP_REDUCE_SCATTER ||
           operation == SUP_SCAN || operation == SUP_EXSCAN;
}

/* Lengths of several blocks without their places: the own block of a gather or scatter has none. */
static bool lacks_places(const sup_coll_call *call) {
    bool in = call->in_bytes && !call->in_at, out = call->out_bytes && !call->out_at;
    return (in && call->operation != SUP_GATHER) || (out && call->operation != SUP_SCATTER);
}

/* The case that is called most, of which the rest of sup_coll_run would find that nothing is in the way: members of one
 * host in their memory, short blocks of one length. To find that out takes as long as a small broadcast. */
static bool is_plain(const sup_coll *c, const sup_coll_call *call) {
    const sup_choice *choice = call->choice;
    const sup_fold *fold = call->fold;
    if (!choice || !choice->algorithm || !c->plain || c->broken) return false;
    if (call->in_bytes || call->out_bytes || call->in_at || call->out_at) return false;
    if (choice->hosts || choice->algorithm->operation != call->operation || choice->algorithm->fits) return false;
    if (!in_memory(choice) || call->bytes <= 0 || call->bytes > PLAIN_BYTES) return false;
    if ((unsigned)call->root >= (unsigned)c->all.group.size) return false;
    if (!fold) return !folds(call->operation);
    return fold->element && !(fold->element & (fold->element - 1)) && !((size_t)call->bytes & (fold->element - 1));
}

static sup_status run(sup_coll *c, const sup_coll_call *call) {
    if (call->operation < 0 || call->operation >= SUP_OPERATIONS) return SUP_EINVAL;
    if (folds(call->operation) && (!call->fold || !call->fold->element || call->bytes % (int64_t)call->fold->element))
        return SUP_EINVAL;
    if (c->broken) return c->broken;
    sup_job job = sup_coll_job(call, c->all.group.size, NULL);
    sup_status st = sup_job_check(&job, NULL);
    if (st) return st;
    if (lacks_places(call)) return SUP_EINVAL;
    if (c->all.group.size == 1) return sup_coll_alone(call);
    sup_choice other;
    const sup_choice *choice = sup_coll_pick(c, &c->all, sup_coll_can, call, &job, &other);
    if (!choice) return SUP_EINVAL;
    if (call->operation != SUP_BARRIER && sup_coll_knows_total(&job) && sup_job_total(&job) == 0) return SUP_OK;
    return way_of(choice)->run(c, call, choice);
}

/* These all members find alike, before they do anything; or lengths differ, of which others know nothing. */
static bool is_of_the_call(sup_status st) { return st == SUP_EINVAL || st == SUP_ENOTSUP || st == SUP_EMISMATCH; }

sup_status sup_coll_run(sup_coll *c, const sup_coll_call *call) {
    sup_status st = is_plain(c, call) ? sup_room_run(c->room, call, call->choice) : SUP_ENOTSUP;
    if (__builtin_expect(!st, 1)) return SUP_OK;
    if (st == SUP_ENOTSUP) st = run(c, call);
    if (st && !is_of_the_call(st)) sup_coll_end(c, st);
    return st;
}

sup_status sup_coll_greatest(sup_coll *c, int64_t *number) {
    if (!c->plain) return SUP_ENOTSUP;
    sup_status st = c->broken ? c->broken : sup_room_gather_all(c->room, number, sizeof *number, 0, c->numbers);
    if (st && !c->broken) sup_coll_end(c, st);
    for (int i = 0; i < c->all.group.size && !st; i++)
        if (c->numbers[i] > *number) *number = c->numbers[i];
    return st;
}

/* ---- opening ---- */

/* Members by host. */
static sup_status find_hosts(sup_coll *c) {
    const sup_net_group *g = &c->all.group;
    sup_net_hosts hosts;
    int n = g->size;
    sup_status st = SUP_OK;
    if (c->options.host_of) {
        memcpy(c->host_of, c->options.host_of, (size_t)n * sizeof *c->host_of);
    } else if (!(st = sup_net_group_hosts(g, &hosts))) {
        memcpy(c->host_of, hosts.host_of, (size_t)n * sizeof *c->host_of);
        sup_net_hosts_free(&hosts);
    }
    if (st) return st;
    for (int i = 0; i < n; i++)
        if (c->host_of[i] < 0 || c->host_of[i] > c->hosts)
            return SUP_EINVAL;
        else if (c->host_of[i] == c->hosts)
            c->hosts++;
    int at = 0;
    c->in_order = true;
    for (int h = 0; h < c->hosts; h++) {
        c->first[h] = at;
        for (int i = 0; i < n; i++)
            if (c->host_of[i] == h) {
                c->in_order = c->in_order && at == i;
                c->place[i] = at - c->first[h];
                c->order[at++] = i;
            }
    }
    c->first[c->hosts] = at;
    c->own_host = c->host_of[g->self];
    return SUP_OK;
}

static sup_status make_scopes(sup_coll *c, const sup_net_group *group) {
    size_t n = (size_t)group->size;
    c->all.group.ranks = calloc(n, sizeof(int));
    c->host.group.ranks = calloc(n, sizeof(int));
    c->host_of = calloc(n, sizeof(int));
    c->place = calloc(n, sizeof(int));
    c->order = calloc(n, sizeof(int));
    c->first = calloc(n + 1, sizeof(int));
    c->ranks = calloc(n, sizeof(int));
    c->numbers = calloc(n * SUP_COLL_NUMBERS, sizeof *c->numbers);
    c->all.choices = calloc(SUP_OPERATIONS, sizeof(sup_choices));
    c->host.choices = calloc(SUP_OPERATIONS, sizeof(sup_choices));
    if (!c->all.group.ranks || !c->host.group.ranks || !c->host_of || !c->place || !c->order || !c->first ||
        !c->ranks || !c->numbers || !c->all.choices || !c->host.choices)
        return SUP_ENOMEM;
    for (int i = 0; i < group->size; i++) c->all.group.ranks[i] = sup_net_group_rank(group, i);
    sup_status st = find_hosts(c);
    if (st) return st;
    sup_net_group *host = &c->host.group;
    const int *members = c->order + c->first[c->own_host];
    host->net = group->net;
    host->size = c->first[c->own_host + 1] - c->first[c->own_host];
    host->self = c->place[group->self];
    for (int i = 0; i < host->size; i++) host->ranks[i] = c->all.group.ranks[members[i]];
    return SUP_OK;
}

/* The room of each host that has several members. All have theirs, or none has: c->memory. */
static sup_status open_rooms(sup_coll *c) {
    const sup_net_group *all = &c->all.group, *host = &c->host.group;
    bool shares = !c->options.no_memory;
    for (int i = 0; i < host->size; i++) shares = shares && sup_net_shares(host->net, host->ranks[i]);
    sup_status st = sup_coll_agree(all, c->options.slot, shares ? SUP_OK : SUP_ENOTSUP);
    if (st) return st == SUP_ENOTSUP ? SUP_OK : st;
    if (host->size > 1) st = sup_room_open(host, c->options.slot, &c->room);
    st = sup_coll_agree(all, c->options.slot, st);
    c->memory = !st;
    if (!st || st == SUP_EPEER) return st;
    sup_room_close(c->room);
    c->room = NULL;
    return SUP_OK;
}

/* Where requests are under way for ever the transport may yet read and write there. */
static void release_buffers(sup_coll *c) {
    free(c->temp.at);
    free(c->turned.at);
    free(c->stage.at);
    for (int i = 0; i < c->chunks; i++) free(c->chunk[i]);
    free(c->chunk);
}

static void release(sup_coll *c) {
    sup_room_close(c->room);
    free(c->all.group.ranks);
    free(c->host.group.ranks);
    free(c->all.choices);
    free(c->host.choices);
    free(c->host_of);
    free(c->place);
    free(c->order);
    free(c->first);
    free(c->ranks);
    free(c->numbers);
    if (!c->lost) release_buffers(c);
    free(c);
}

sup_status sup_coll_open(const sup_net_group *group, const sup_coll_options *options, sup_diag *diag, sup_coll **out) {
    if (group->self < 0 || group->size < 1 || options->tag < 0 || options->tag + SUP_COLL_TAGS - 1 > SUP_NET_TAG_MAX ||
        options->slot < 0 || options->slot + SUP_COLL_SLOTS > SUP_NET_SLOTS)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "collective operations: no member of the group, or no such tags");
    sup_coll *c = calloc(1, sizeof *c);
    if (!c) return sup_coll_agree(group, options->slot, SUP_ENOMEM);
    c->all.group = (sup_net_group){.net = group->net, .size = group->size, .self = group->self};
    c->options = *options;
    sup_status st = make_scopes(c, group), before = sup_coll_heard(group, options->slot);
    st = sup_coll_agree(group, options->slot, before ? before : st);
    if (!st) st = open_rooms(c);
    if (st) {
        release(c);
        return st;
    }
    c->plain = c->memory && c->hosts == 1 && c->room;
    *out = c;
    return SUP_OK;
}

void sup_coll_close(sup_coll *c) {
    if (c) release(c);
}
