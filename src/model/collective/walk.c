/* Stages of a collective by walking the schedule of every rank, node after node: each rank's actions of a stage become
 * a task, the tasks of a node a crew. Memory is for classes, not for ranks. Term Tcomm. */
#include "model/collective/stages.h"

#include <stdlib.h>
#include <string.h>

#define ACTIONS_MOST ((int64_t)1 << 28)
#define LOOK_BACK 4

typedef struct link { /* ranks of the current node with a task in a stage */
    size_t task;
    int64_t ranks, next;
} link;

typedef struct walk {
    sup_walker walker;
    const sup_mapping *mapping;
    sup_stages *stages;
    int64_t rank, node, actions;
    int stage;        /* whose parts are being gathered; -1 none */
    bool has_message; /* this rank has a message in this stage */
    bool too_many;
    sup_part *parts;
    size_t parts_count, parts_room;
    link *links;
    size_t links_count, links_room;
    int64_t *first; /* link of each stage; -1 none */
    size_t first_room;
    int *touched; /* stages */
    size_t touched_count, touched_room;
    sup_member *members;
    size_t members_room;
} walk;

static bool room(walk *w, void **at, size_t *has, size_t need, size_t size) {
    if (need <= *has) return true;
    size_t more = *has ? 2 * *has : 64;
    while (more < need) more *= 2;
    void *p = realloc(*at, more * size);
    if (!p) {
        w->stages->failed = true;
        return false;
    }
    *at = p;
    *has = more;
    return true;
}

/* ---- a rank's stage ---- */

static bool stage_known(walk *w, size_t stage) {
    size_t had = w->first_room;
    if (!room(w, (void **)&w->first, &w->first_room, stage + 1, sizeof *w->first)) return false;
    for (size_t i = had; i < w->first_room; i++) w->first[i] = -1;
    return true;
}

static void flush(walk *w) {
    if (w->stage < 0 || !w->parts_count || w->stages->failed) return;
    size_t task = sup_stages_task(w->stages, w->parts, w->parts_count);
    w->parts_count = 0;
    if (!stage_known(w, (size_t)w->stage)) return;
    int64_t at = w->first[w->stage];
    while (at >= 0 && w->links[at].task != task) at = w->links[at].next;
    if (at >= 0) {
        w->links[at].ranks++;
        return;
    }
    if (!room(w, (void **)&w->links, &w->links_room, w->links_count + 1, sizeof *w->links)) return;
    if (w->first[w->stage] < 0) {
        if (!room(w, (void **)&w->touched, &w->touched_room, w->touched_count + 1, sizeof *w->touched)) return;
        w->touched[w->touched_count++] = w->stage;
    }
    w->links[w->links_count] = (link){task, 1, w->first[w->stage]};
    w->first[w->stage] = (int64_t)w->links_count++;
}

static sup_status take(sup_walker *walker, const sup_action *a) {
    walk *w = (walk *)walker;
    if (a->stage != w->stage) {
        flush(w);
        w->stage = a->stage;
        w->has_message = false;
    }
    if (++w->actions > ACTIONS_MOST) {
        w->too_many = true;
        return SUP_EINVAL;
    }
    bool message = a->kind == SUP_SEND || a->kind == SUP_RECEIVE;
    sup_part p = {.kind = a->kind, .bytes = a->bytes, .count = 1};
    if (message) {
        w->has_message = true;
        p.channel = sup_mapping_node(w->mapping, a->peer) != w->node;
    } else {
        p.early = !w->has_message;
    }
    for (size_t i = w->parts_count; i > 0 && i + LOOK_BACK > w->parts_count; i--) {
        sup_part *q = &w->parts[i - 1];
        if (q->kind != p.kind || q->bytes != p.bytes || q->channel != p.channel || q->early != p.early) continue;
        q->count++;
        return SUP_OK;
    }
    if (!room(w, (void **)&w->parts, &w->parts_room, w->parts_count + 1, sizeof *w->parts)) return SUP_ENOMEM;
    w->parts[w->parts_count++] = p;
    return SUP_OK;
}

/* ---- a node ---- */

static void node_done(walk *w) {
    for (size_t i = 0; i < w->touched_count && !w->stages->failed; i++) {
        int stage = w->touched[i];
        size_t n = 0;
        for (int64_t at = w->first[stage]; at >= 0; at = w->links[at].next, n++) {
            if (!room(w, (void **)&w->members, &w->members_room, n + 1, sizeof *w->members)) return;
            w->members[n] = (sup_member){w->links[at].task, w->links[at].ranks};
        }
        size_t crew = sup_stages_crew(w->stages, w->members, n);
        if (!w->stages->failed) sup_stages_add(w->stages, (size_t)stage, crew);
        w->first[stage] = -1;
    }
    w->touched_count = 0;
    w->links_count = 0;
}

static sup_status one_rank(walk *w, const sup_choice *choice, const sup_job *job, int64_t rank) {
    w->rank = rank;
    w->stage = -1;
    w->parts_count = 0;
    sup_status status = choice->algorithm->walk(job, rank, &w->walker);
    flush(w);
    return status;
}

/* ---- all ranks, those of a node behind each other ---- */

typedef struct rank_node {
    int64_t node, rank;
} rank_node;

static int by_node(const void *a, const void *b) {
    const rank_node *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static sup_status custom_ranks(walk *w, const sup_choice *choice, const sup_job *job) {
    rank_node *all = malloc((size_t)job->processes * sizeof *all);
    sup_status status = all ? SUP_OK : SUP_ENOMEM;
    for (int64_t r = 0; r < job->processes && all; r++) all[r] = (rank_node){sup_mapping_node(w->mapping, r), r};
    if (all) qsort(all, (size_t)job->processes, sizeof *all, by_node);
    for (int64_t i = 0; i < job->processes && !status; i++) {
        if (i && all[i].node != w->node) node_done(w);
        w->node = all[i].node;
        status = one_rank(w, choice, job, all[i].rank);
    }
    free(all);
    node_done(w);
    return status;
}

static sup_status regular_ranks(walk *w, const sup_choice *choice, const sup_job *job) {
    const sup_mapping *m = w->mapping;
    bool turns = m->kind == SUP_MAPPING_ROUND_ROBIN;
    sup_status status = SUP_OK;
    int64_t nodes = turns ? m->size : (job->processes + m->size - 1) / m->size, step = turns ? m->size : 1;
    for (int64_t node = 0; node < nodes && !status; node++) {
        int64_t from = turns ? node : node * m->size, to = turns ? job->processes : from + m->size;
        w->node = node;
        for (int64_t r = from; r < to && r < job->processes && !status; r += step) status = one_rank(w, choice, job, r);
        node_done(w);
    }
    return status;
}

sup_status sup_stages_walk(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                           sup_stages *out) {
    sup_stages s = {0};
    walk w = {.walker.take = take, .mapping = mapping, .stages = &s};
    if (!choice->algorithm || !choice->algorithm->walk)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "it has no schedule of messages");
    sup_status status =
        mapping->kind == SUP_MAPPING_CUSTOM ? custom_ranks(&w, choice, job) : regular_ranks(&w, choice, job);
    if (!status) sup_stages_fold(&s);
    if (s.failed) status = SUP_ENOMEM;
    if (status == SUP_ENOMEM)
        sup_diag_set(diag, status, NULL, 0, "out of memory for the stages of a collective");
    else if (w.too_many)
        sup_diag_set(diag, status, NULL, 0,
                     "the schedule of %lld processes has more than %lld actions: too many to price",
                     (long long)job->processes, (long long)ACTIONS_MOST);
    else if (status)
        sup_diag_set(diag, status, NULL, 0, "%s has no schedule for this", choice->algorithm->name);
    free(w.parts);
    free(w.links);
    free(w.first);
    free(w.touched);
    free(w.members);
    if (status)
        sup_stages_free(&s);
    else
        *out = s;
    return status;
}
