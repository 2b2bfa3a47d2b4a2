/* Stages of a collective in which all ranks do the same, from the schedule of one: its peers become rules (so many
 * ranks on, mirrored in bits, …), and of a regular mapping only nodes that can differ are looked at. The result is that
 * of collective/walk.c. Term Tcomm.
 *
 * A sequential mapping: whether a peer so many ranks on is on the same node depends on the place inside the node alone,
 * so the first node and the last, which may be shorter, stand for all. Round-robin over n nodes: node a differs from
 * node b only if a < t ≤ b for a t at which ranks end or begin to wrap round, modulo n. */
#include "model/collective/stages.h"

#include <stdlib.h>
#include <string.h>

#define WORK_MOST ((int64_t)1 << 30)

enum {
    SHIFT,   /* r + d mod P */
    BITS,    /* r xor d */
    TURNS,   /* even ranks r + d, odd ones r − d, mod P */
    REFLECT, /* d − r mod P */
    RULES
};

typedef struct first_action { /* an action of rank 0 */
    int kind, stage, rule;
    int64_t peer, d, bytes;
    bool early;
} first_action;

typedef struct record {
    sup_walker walker;
    first_action *at;
    size_t count, room;
    int stage;
    bool has_message, failed;
} record;

static sup_status take(sup_walker *walker, const sup_action *a) {
    record *w = (record *)walker;
    if (w->count == w->room) {
        size_t more = w->room ? 2 * w->room : 64;
        first_action *p = realloc(w->at, more * sizeof *p);
        if (!p) {
            w->failed = true;
            return SUP_ENOMEM;
        }
        w->at = p;
        w->room = more;
    }
    bool message = a->kind == SUP_SEND || a->kind == SUP_RECEIVE;
    if (a->stage != w->stage) w->has_message = false;
    w->stage = a->stage;
    w->has_message = w->has_message || message;
    w->at[w->count++] = (first_action){.kind = a->kind,
                                       .stage = a->stage,
                                       .peer = message ? a->peer : -1,
                                       .bytes = a->bytes,
                                       .early = !message && !w->has_message};
    return SUP_OK;
}

static int64_t around(int64_t x, int64_t p) { return ((x % p) + p) % p; }

static int64_t peer_of(int rule, int64_t d, int64_t rank, int64_t p) {
    int64_t x = rank;
    switch (rule) {
    case SHIFT: x = rank + d; return x >= p ? x - p : x; /* 0 ≤ d < p */
    case BITS: return rank ^ d;
    case TURNS: return around(rank % 2 ? rank - d : rank + d, p);
    default: return around(d - rank, p);
    }
}

/* ---- what another rank does, held against rank 0 ---- */

typedef struct check {
    sup_walker walker;
    const record *first;
    unsigned char *rules; /* of each first_action: which are still possible, a bit each */
    size_t at;
    int64_t rank, processes;
} check;

static sup_status compare(sup_walker *walker, const sup_action *a) {
    check *c = (check *)walker;
    if (c->at == c->first->count) return SUP_ENOTSUP;
    const first_action *d = &c->first->at[c->at];
    if (d->kind != a->kind || d->stage != a->stage || d->bytes != a->bytes) return SUP_ENOTSUP;
    if (d->peer >= 0)
        for (int rule = 0; rule < RULES; rule++)
            if (peer_of(rule, d->peer, c->rank, c->processes) != a->peer)
                c->rules[c->at] &= (unsigned char)~(1U << rule);
    if (d->peer >= 0 && !c->rules[c->at]) return SUP_ENOTSUP;
    c->at++;
    return SUP_OK;
}

/* Rules of the actions of rank 0, by some other ranks. */
static sup_status find_rules(const sup_choice *choice, const sup_job *job, record *first) {
    int64_t p = job->processes, others[] = {1, 2, 3, p / 2, p / 2 + 1, p - 2, p - 1};
    unsigned char *rules = malloc(first->count + 1);
    sup_status status = rules ? SUP_OK : SUP_ENOMEM;
    if (rules) memset(rules, (1 << RULES) - 1, first->count + 1);
    for (size_t i = 0; i < sizeof others / sizeof *others && !status; i++) {
        if (others[i] < 1 || others[i] >= p) continue;
        check c = {.walker.take = compare, .first = first, .rules = rules, .rank = others[i], .processes = p};
        status = choice->algorithm->walk(job, others[i], &c.walker);
        if (!status && c.at != first->count) status = SUP_ENOTSUP;
    }
    for (size_t i = 0; i < first->count && !status; i++) {
        first_action *d = &first->at[i];
        if (d->peer < 0) continue;
        while (d->rule < RULES && !(rules[i] & (1U << d->rule))) d->rule++;
        d->d = d->peer;
        int64_t block = 1;
        while (d->rule == BITS && block <= d->d) block *= 2;
        if (p % block || (d->rule == TURNS && p % 2)) status = SUP_ENOTSUP; /* somebody would have no peer */
    }
    free(rules);
    return status;
}

/* ---- a stage ---- */

typedef struct work {
    const sup_mapping *mapping;
    int64_t processes, done;
    sup_stages *stages;
    sup_part *parts;     /* [actions of a stage] */
    sup_member *members; /* of a node */
    size_t members_room;
} work;

static size_t task_of(work *w, const first_action *actions, size_t count, int64_t rank, int64_t node) {
    for (size_t i = 0; i < count; i++) {
        const first_action *d = &actions[i];
        w->parts[i] = (sup_part){.kind = d->kind, .early = d->early, .bytes = d->bytes, .count = 1};
        if (d->peer >= 0)
            w->parts[i].channel = sup_mapping_node(w->mapping, peer_of(d->rule, d->d, rank, w->processes)) != node;
    }
    return sup_stages_task(w->stages, w->parts, count);
}

static uint64_t channels_of(const work *w, const first_action *actions, size_t count, int64_t rank, int64_t node) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        if (actions[i].peer >= 0)
            bits = 2 * bits + (uint64_t)(sup_mapping_node(w->mapping, peer_of(actions[i].rule, actions[i].d, rank,
                                                                              w->processes)) != node);
    return bits;
}

/* The ranks of a node: from, from + step, … below to. */
typedef struct ranks {
    int64_t node, from, to, step;
} ranks;

/* Where ranks from r on may first have peers on other sides than r has. A peer d on is on the node where the ranks
 * [from, to) − d are, or [from, to) + P − d; of a round-robin node all peers change where they wrap round. */
static int64_t run_end(const work *w, const first_action *actions, size_t count, const ranks *n, int64_t r) {
    int64_t end = n->to, p = w->processes;
    for (size_t i = 0; i < count; i++) {
        if (actions[i].peer < 0) continue;
        if (actions[i].rule != SHIFT) return r + n->step;
        int64_t d = actions[i].d, at[] = {p - d, n->from - d, n->to - d, n->from + p - d, n->to + p - d};
        for (size_t k = 0; k < (n->step > 1 ? 1 : 5); k++)
            if (at[k] > r && at[k] < end) end = at[k];
    }
    return end;
}

static bool more_members(work *w, size_t need) {
    if (need <= w->members_room) return true;
    size_t more = w->members_room ? 2 * w->members_room : 64;
    sup_member *p = realloc(w->members, more * sizeof *p);
    if (!p) {
        w->stages->failed = true;
        return false;
    }
    w->members = p;
    w->members_room = more;
    return true;
}

enum { KNOWN = 16 }; /* combinations of sides that are remembered */

/* Ranks with peers on the same sides are one member. */
static void one_node(work *w, size_t stage, const first_action *actions, size_t count, ranks node) {
    size_t n = 0, known = 0;
    uint64_t bits_of[KNOWN];
    if (node.to > w->processes) node.to = w->processes;
    for (int64_t r = node.from, end; r < node.to; r = end) {
        size_t k = 0;
        uint64_t bits = count <= 64 ? channels_of(w, actions, count, r, node.node) : 0;
        end = run_end(w, actions, count, &node, r);
        int64_t run = (end - r + node.step - 1) / node.step;
        end = r + run * node.step;
        w->done += (int64_t)count;
        while (k < known && bits_of[k] != bits) k++;
        if (count <= 64 && k < known) { /* the first members are those that are remembered */
            w->members[k].ranks += run;
            continue;
        }
        if (!more_members(w, n + 1)) return;
        w->members[n] = (sup_member){task_of(w, actions, count, r, node.node), run};
        if (known == n && known < KNOWN) bits_of[known++] = bits;
        n++;
    }
    if (!n || w->stages->failed) return;
    size_t crew = sup_stages_crew(w->stages, w->members, n);
    if (!w->stages->failed) sup_stages_add(w->stages, stage, crew);
}

static void node_of_round_robin(work *w, size_t stage, const first_action *actions, size_t count, int64_t t) {
    int64_t n = w->mapping->size;
    for (int k = 0; k < 2; k++) {
        int64_t node = around(t - k, n);
        one_node(w, stage, actions, count, (ranks){node, node, w->processes, n});
    }
}

static void all_nodes(work *w, size_t stage, const first_action *actions, size_t count) {
    const sup_mapping *m = w->mapping;
    bool turns = m->kind == SUP_MAPPING_ROUND_ROBIN;
    int64_t nodes = turns ? m->size : (w->processes + m->size - 1) / m->size;
    for (int64_t a = 0; a < nodes && w->done <= WORK_MOST; a++)
        one_node(w, stage, actions, count,
                 turns ? (ranks){a, a, w->processes, m->size} : (ranks){a, a * m->size, (a + 1) * m->size, 1});
}

static void one_stage(work *w, size_t stage, const first_action *actions, size_t count) {
    const sup_mapping *m = w->mapping;
    bool shifts = true;
    for (size_t i = 0; i < count; i++) shifts = shifts && (actions[i].peer < 0 || actions[i].rule == SHIFT);
    if (!shifts) {
        all_nodes(w, stage, actions, count);
    } else if (m->kind == SUP_MAPPING_SEQUENTIAL) {
        int64_t last = (w->processes - 1) / m->size;
        one_node(w, stage, actions, count, (ranks){0, 0, m->size, 1});
        one_node(w, stage, actions, count, (ranks){last, last * m->size, w->processes, 1});
    } else {
        node_of_round_robin(w, stage, actions, count, 0);
        node_of_round_robin(w, stage, actions, count, w->processes);
        for (size_t i = 0; i < count; i++)
            if (actions[i].peer >= 0) node_of_round_robin(w, stage, actions, count, w->processes - actions[i].d);
    }
}

static bool same_actions(const first_action *a, const first_action *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i].kind != b[i].kind || a[i].rule != b[i].rule || a[i].d != b[i].d ||
            (a[i].peer < 0) != (b[i].peer < 0) || a[i].bytes != b[i].bytes || a[i].early != b[i].early)
            return false;
    return true;
}

static sup_status make(const record *first, work *w) {
    size_t stage = 0, before = 0, before_count = 0, end;
    for (size_t at = 0; at < first->count && !w->stages->failed; at = end) {
        end = at + 1;
        while (end < first->count && first->at[end].stage == first->at[at].stage) end++;
        if (at && end - at == before_count && same_actions(first->at + before, first->at + at, before_count)) {
            w->stages->stages[stage - 1].times++;
        } else {
            one_stage(w, stage, first->at + at, end - at);
            if (w->stages->failed) return SUP_ENOMEM;
            if (w->done > WORK_MOST) return SUP_EINVAL;
            stage++;
        }
        before = at;
        before_count = end - at;
    }
    return w->stages->failed ? SUP_ENOMEM : SUP_OK;
}

sup_status sup_stages_alike(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                            sup_stages *out) {
    sup_stages s = {0};
    record first = {.walker.take = take, .stage = -1};
    work w = {.mapping = mapping, .processes = job->processes, .stages = &s};
    const sup_algorithm *a = choice->algorithm;
    if (!a || !a->walk || !(a->traits & SUP_ALGORITHM_ALIKE) || mapping->kind == SUP_MAPPING_CUSTOM || job->in_bytes ||
        job->out_bytes)
        return SUP_ENOTSUP;
    sup_status status = a->walk(job, 0, &first.walker);
    if (!status) status = find_rules(choice, job, &first);
    if (!status) {
        w.parts = malloc((first.count + 1) * sizeof *w.parts);
        status = w.parts ? make(&first, &w) : SUP_ENOMEM;
    }
    if (!status) sup_stages_fold(&s);
    free(w.parts);
    free(w.members);
    free(first.at);
    if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory for the stages of a collective");
    if (status == SUP_EINVAL)
        sup_diag_set(diag, status, NULL, 0, "the schedule of %lld processes has too many actions to price",
                     (long long)job->processes);
    if (status)
        sup_stages_free(&s);
    else
        *out = s;
    return status;
}
