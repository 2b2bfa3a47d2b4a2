/* Stages of a collective as τ-Lop expressions (TAU §4, PART §5.2.2). Term Tcomm, model stage.
 *
 * A process does one thing after the other, processes of a node share its channels, nodes do not disturb each other. So
 * a stage is: what its processes copy or fold first, then their messages, then what they copy or fold behind them. Of
 * messages inside nodes those of the busiest node count, of messages between nodes those that leave or reach the node
 * with most of them (A3: the two do not interfere). A message belongs to its sender, or, in a stage in which somebody
 * receives more messages than anybody sends, to its receiver: both have to do with all theirs. */
#include "model/collective/build.h"
#include "model/collective/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct chain {   /* what ranks that are alike do one after the other */
    size_t first, count; /* parts of the list */
    int64_t ranks;
} chain;

/* The chains of a crew, in one order whatever the crew's was. */
typedef struct chains {
    chain *at;
    sup_part *parts;
    size_t count, room, parts_count, parts_room;
    double load, number; /* bytes and actions of all of them */
} chains;

typedef struct builder {
    sup_exprs *x;
    const sup_stages *s;
    bool priced;        /* copies and further messages go through channels of their own (memory.h) */
    bool room;          /* no messages: memory that all share */
    chains best, other; /* the greatest so far, and one that is being made */
    bool failed;
} builder;

static bool room_for(builder *b, void **at, size_t *room, size_t need, size_t size) {
    if (need <= *room) return true;
    size_t more = *room ? 2 * *room : 16;
    while (more < need) more *= 2;
    void *p = realloc(*at, more * size);
    if (!p) {
        b->failed = true;
        return false;
    }
    *at = p;
    *room = more;
    return true;
}

/* ---- which parts count ---- */

typedef struct pick { /* kinds of actions: bits; on which channel; early or not */
    unsigned kinds;
    int channel; /* 1: those ranks that use the network, with all of theirs; 0: the others; -1 any */
    int early;
} pick;

static bool picks(const pick *k, const sup_part *p) { return (k->kinds >> p->kind & 1) && p->early == k->early; }

static bool picks_task(const builder *b, const pick *k, const sup_task *t) {
    bool any = false, network = false;
    for (size_t i = 0; i < t->count; i++) {
        const sup_part *p = &b->s->parts[t->first + i];
        if (!picks(k, p)) continue;
        any = true;
        network = network || p->channel;
    }
    return any && (k->channel < 0 || network == (k->channel == 1));
}

static int compare_parts(const sup_part *a, const sup_part *b) {
    if (a->channel != b->channel) return a->channel - b->channel;
    if (a->kind != b->kind) return a->kind - b->kind;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static int compare_chains(const chains *x, const chain *a, const chains *y, const chain *b) {
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = compare_parts(&x->parts[a->first + i], &y->parts[b->first + i]);
        if (order) return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

static void add_task(builder *b, chains *c, const pick *k, const sup_task *t, int64_t ranks) {
    chain new = {.first = c->parts_count, .ranks = ranks};
    if (!room_for(b, (void **)&c->parts, &c->parts_room, c->parts_count + t->count, sizeof *c->parts) ||
        !room_for(b, (void **)&c->at, &c->room, c->count + 1, sizeof *c->at))
        return;
    for (size_t i = 0; i < t->count; i++) {
        const sup_part *p = &b->s->parts[t->first + i];
        if (!picks(k, p)) continue;
        c->parts[c->parts_count++] = *p;
        new.count++;
        if (k->channel >= 0 && p->channel != k->channel) continue;
        c->load += (double)ranks * (double)p->count * (double)p->bytes;
        c->number += (double)ranks * (double)p->count;
    }
    size_t at = c->count;
    while (at > 0 && compare_chains(c, &c->at[at - 1], c, &new) > 0) at--;
    if (at > 0 && compare_chains(c, &c->at[at - 1], c, &new) == 0) {
        c->at[at - 1].ranks += ranks;
        c->parts_count = new.first;
        return;
    }
    memmove(c->at + at + 1, c->at + at, (c->count - at) * sizeof *c->at);
    c->at[at] = new;
    c->count++;
}

/* More to do; of equal ones the one that comes first in an order of contents. */
static bool greater(const chains *a, const chains *b) {
    if (a->load != b->load) return a->load > b->load;
    if (a->number != b->number) return a->number > b->number;
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = compare_chains(a, &a->at[i], b, &b->at[i]);
        if (order) return order > 0;
        if (a->at[i].ranks != b->at[i].ranks) return a->at[i].ranks > b->at[i].ranks;
    }
    return a->count > b->count;
}

static void clear(chains *c) {
    c->count = c->parts_count = 0;
    c->load = c->number = 0;
}

/* best: the greatest of the crews of a stage, or what it was before if that is greater. */
static void find_best(builder *b, const sup_stage *stage, const pick *k) {
    const sup_stages *s = b->s;
    for (int64_t at = stage->first; at >= 0; at = s->stage_crews[at].next) {
        const sup_crew *crew = &s->crews[s->stage_crews[at].crew];
        clear(&b->other);
        for (size_t i = 0; i < crew->count; i++) {
            const sup_member *m = &s->members[crew->first + i];
            if (picks_task(b, k, &s->tasks[m->task])) add_task(b, &b->other, k, &s->tasks[m->task], m->ranks);
        }
        if (!greater(&b->other, &b->best)) continue;
        chains was = b->best;
        b->best = b->other;
        b->other = was;
    }
}

/* ---- expressions ---- */

static const sup_expr *many(sup_exprs *x, int64_t n, const sup_expr *e) {
    return n > 1 ? sup_expr_many(x, (double)n, e) : e;
}

static const sup_expr *times(sup_exprs *x, int64_t n, const sup_expr *e) {
    return n > 1 ? sup_expr_times(x, (double)n, e) : e;
}

static const sup_expr *messages_expr(builder *b, const sup_part *p) {
    const sup_expr *parts[2] = {sup_expr_send(b->x, p->channel, (double)p->bytes, 1)};
    if (!b->priced || p->count < 2) return times(b->x, p->count, parts[0]);
    parts[1] = times(b->x, p->count - 1, sup_expr_transfer(b->x, SUP_CHANNEL_MORE + p->channel, (double)p->bytes, 1));
    return sup_expr_sequence(b->x, parts, 2);
}

static const sup_expr *part_expr(builder *b, const sup_part *p) {
    double bytes = (double)p->bytes;
    if (p->kind == SUP_FOLD) return times(b->x, p->count, sup_expr_fold(b->x, bytes, 1));
    if (p->kind != SUP_COPY) return messages_expr(b, p);
    int channel = !b->priced ? 0 : b->room ? SUP_CHANNEL_ROOM : SUP_CHANNEL_COPIES;
    return times(b->x, p->count, sup_expr_transfer(b->x, channel, bytes, 1));
}

static const sup_expr *chain_expr(builder *b, const chains *c, const chain *one) {
    const sup_expr *few[8], **parts = one->count <= 8 ? few : malloc(one->count * sizeof *parts);
    if (!parts) {
        b->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < one->count; i++) parts[i] = part_expr(b, &c->parts[one->first + i]);
    const sup_expr *e = sup_expr_sequence(b->x, parts, one->count);
    if (parts != few) free(parts);
    return many(b->x, one->ranks, e);
}

/* Up to this many things of a stage lie beside each other; a list that grows. */
typedef struct list {
    const sup_expr **at;
    size_t count, room;
} list;

static void put(builder *b, list *l, const sup_expr *e) {
    if (room_for(b, (void **)&l->at, &l->room, l->count + 1, sizeof *l->at)) l->at[l->count++] = e;
}

static void put_best(builder *b, list *l) {
    for (size_t i = 0; i < b->best.count; i++) {
        const sup_expr *e = chain_expr(b, &b->best, &b->best.at[i]);
        if (e) put(b, l, e);
    }
}

static const sup_expr *together(builder *b, list *l) {
    const sup_expr *e = l->count ? sup_expr_together(b->x, l->at, l->count) : NULL;
    l->count = 0;
    return e;
}

/* Does somebody receive more messages than anybody sends? */
static bool by_receivers(const sup_stages *s, const sup_stage *stage) {
    int64_t sends = 0, receives = 0;
    for (int64_t at = stage->first; at >= 0; at = s->stage_crews[at].next) {
        const sup_crew *crew = &s->crews[s->stage_crews[at].crew];
        for (size_t i = 0; i < crew->count; i++) {
            const sup_task *t = &s->tasks[s->members[crew->first + i].task];
            if (t->sends > sends) sends = t->sends;
            if (t->receives > receives) receives = t->receives;
        }
    }
    return receives > sends;
}

static const sup_expr *messages(builder *b, const sup_stage *stage, list *l) {
    unsigned out = 1U << SUP_SEND, in = 1U << SUP_RECEIVE, own = by_receivers(b->s, stage) ? in : out;
    clear(&b->best);
    find_best(b, stage, &(pick){own, 0, 0});
    put_best(b, l);
    clear(&b->best);
    find_best(b, stage, &(pick){own, 1, 0});
    find_best(b, stage, &(pick){own == out ? in : out, 1, 0});
    put_best(b, l);
    return together(b, l);
}

static const sup_expr *local(builder *b, const sup_stage *stage, int early, list *l) {
    clear(&b->best);
    find_best(b, stage, &(pick){1U << SUP_COPY | 1U << SUP_FOLD, -1, early});
    put_best(b, l);
    return together(b, l);
}

/* What a stage consists of, one after the other; how many there are, at most STAGE_PARTS. */
enum { STAGE_PARTS = 4 };
static size_t stage_parts(builder *b, const sup_stage *stage, double signal_s, list *l, const sup_expr **parts) {
    size_t n = 0;
    if (stage->signals > 0 && signal_s > 0) parts[n++] = sup_expr_wait(b->x, stage->signals * signal_s);
    if ((parts[n] = local(b, stage, 1, l))) n++;
    if ((parts[n] = messages(b, stage, l))) n++;
    if ((parts[n] = local(b, stage, 0, l))) n++;
    return n;
}

static void builder_free(builder *b) {
    free(b->best.at);
    free(b->best.parts);
    free(b->other.at);
    free(b->other.parts);
}

sup_status sup_stages_expressions(sup_exprs *x, const sup_stages *s, sup_diag *diag, const sup_expr **out) {
    builder b = {.x = x, .s = s};
    list l = {0};
    for (size_t i = 0; i < s->stages_count; i++) {
        const sup_expr *parts[STAGE_PARTS];
        size_t n = stage_parts(&b, &s->stages[i], 0, &l, parts);
        out[i] = n ? sup_expr_sequence(x, parts, n) : NULL;
    }
    free(l.at);
    builder_free(&b);
    if (b.failed) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for an expression");
    return sup_exprs_status(x, diag);
}

typedef struct repeated {
    const sup_expr *e;
    int64_t times;
} repeated;

/* One more, or the last one once more. */
static size_t repeat(repeated *all, size_t n, const sup_expr *e, int64_t count) {
    if (n && e && all[n - 1].e && sup_expr_equal(all[n - 1].e, e)) {
        all[n - 1].times += count;
        return n;
    }
    all[n] = (repeated){e, count};
    return n + 1;
}

/* Parts of a stage lie in the sequence of all, so that those of several stages that are alike become one. */
static bool sends(const sup_stages *s) {
    for (size_t i = 0; i < s->parts_count; i++)
        if (s->parts[i].kind == SUP_SEND || s->parts[i].kind == SUP_RECEIVE) return true;
    return false;
}

static sup_status whole(sup_exprs *x, const sup_stages *s, bool priced, double signal_s, sup_diag *diag,
                        const sup_expr **out) {
    builder b = {.x = x, .s = s, .priced = priced, .room = !sends(s)};
    list l = {0};
    size_t n = 0, most = STAGE_PARTS * s->stages_count + 2;
    repeated *all = malloc(most * sizeof *all);
    const sup_expr **parts = malloc(most * sizeof *parts), *e = NULL;
    if (priced && !b.room && signal_s > 0 && all) n = repeat(all, n, sup_expr_wait(x, signal_s), 1); /* start-up */
    for (size_t i = 0; i < s->stages_count && all && parts; i++) {
        const sup_expr *of_stage[STAGE_PARTS];
        size_t count = stage_parts(&b, &s->stages[i], signal_s, &l, of_stage);
        if (count == 1 || s->stages[i].times == 1)
            for (size_t k = 0; k < count; k++) n = repeat(all, n, of_stage[k], s->stages[i].times);
        else if (count)
            n = repeat(all, n, sup_expr_sequence(x, of_stage, count), s->stages[i].times);
    }
    sup_status status = sup_exprs_status(x, diag);
    if (!all || !parts || b.failed) status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for an expression");
    for (size_t i = 0; i < n && !status; i++) parts[i] = times(x, all[i].times, all[i].e);
    if (!status) e = sup_expr_sequence(x, parts, n);
    if (!status) status = sup_exprs_status(x, diag);
    free(all);
    free(parts);
    free(l.at);
    builder_free(&b);
    if (!status) *out = e;
    return status;
}

sup_status sup_stages_expression(sup_exprs *x, const sup_stages *s, sup_diag *diag, const sup_expr **out) {
    return whole(x, s, false, 0, diag, out);
}

sup_status sup_stages_priced(sup_exprs *x, const sup_stages *s, double signal_s, sup_diag *diag, const sup_expr **out) {
    return whole(x, s, true, signal_s, diag, out);
}

sup_status sup_collective_expression(sup_exprs *x, const sup_choice *choice, const sup_job *job,
                                     const sup_mapping *mapping, sup_diag *diag, const sup_expr **out) {
    sup_stages s;
    sup_status status = sup_stages_make(choice, job, mapping, diag, &s);
    if (status) return status;
    status = sup_stages_expression(x, &s, diag, out);
    sup_stages_free(&s);
    return status;
}
