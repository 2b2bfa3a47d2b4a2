/* Sequences of terms at the same time become one sequence (taulop/normal.h): A2 on each channel, A3 between channels.
 *
 * Each list has a cursor; what is under way of it lies in the heap of its channel. All on a channel advance by the same
 * number of bytes, so a heap is ordered by the position of the channel at which a term ends: n log n. Repetitions are
 * followed turn by turn only while something else is under way. Tcomm, model stage. */
#include "model/taulop/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MORE_MAX 3e6 /* terms that repetitions add while something else is under way */

/* A place in nested repetitions. */
typedef struct frame {
    const sup_terms_list *list;
    size_t next;
    double left; /* turns behind this one */
    struct frame *outer;
} frame;

typedef struct entry {
    double end; /* position of the channel */
    double count;
    int kind;
    size_t cursor;
} entry;

/* What terms share: a channel; folds; waits, which share nothing. */
typedef struct resource {
    int kind, channel; /* kind: SUP_EXPR_SEND for channels */
    double position, count, sends;
    entry *heap;
    size_t used, room;
    bool known; /* cost is that of the next step */
    double cost;
} resource;

typedef struct work {
    sup_normal *n;
    frame **cursors; /* NULL: at its end */
    size_t alive;
    double left; /* terms that may still be put under way */
    frame *unused;
    resource *resources;
    size_t resources_count, resources_room;
    bool undecided; /* a cursor is at terms that stay side by side */
    sup_terms_list *out;
} work;

static bool no_memory(work *w) {
    w->n->status = SUP_ENOMEM;
    return false;
}

/* ---- heaps ---- */

static void swap(entry *a, entry *b) {
    entry kept = *a;
    *a = *b;
    *b = kept;
}

static bool push(work *w, resource *r, const entry *e) {
    if (r->used == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        entry *more = realloc(r->heap, room * sizeof *more);
        if (!more) return no_memory(w);
        r->heap = more;
        r->room = room;
    }
    size_t i = r->used++;
    r->heap[i] = *e;
    for (; i && r->heap[i].end < r->heap[(i - 1) / 2].end; i = (i - 1) / 2) swap(&r->heap[i], &r->heap[(i - 1) / 2]);
    r->count += e->count;
    r->sends += e->kind == SUP_EXPR_SEND;
    r->known = false;
    return true;
}

static entry pop(resource *r) {
    entry top = r->heap[0];
    r->heap[0] = r->heap[--r->used];
    for (size_t i = 0, least = 0;; i = least) {
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < r->used; k++)
            if (r->heap[k].end < r->heap[least].end) least = k;
        if (least == i) break;
        swap(&r->heap[i], &r->heap[least]);
    }
    r->count -= top.count;
    r->sends -= top.kind == SUP_EXPR_SEND;
    r->known = false;
    if (!r->used) r->count = r->sends = r->position = 0;
    return top;
}

static resource *resource_of(work *w, const sup_term *t) {
    bool own = t->kind == SUP_EXPR_FOLD || t->kind == SUP_EXPR_WAIT;
    int kind = own ? t->kind : SUP_EXPR_SEND, channel = own ? 0 : t->channel;
    for (size_t i = 0; i < w->resources_count; i++)
        if (w->resources[i].kind == kind && w->resources[i].channel == channel) return &w->resources[i];
    if (w->resources_count == w->resources_room) {
        size_t room = w->resources_room ? 2 * w->resources_room : 8;
        resource *more = realloc(w->resources, room * sizeof *more);
        if (!more) return NULL;
        w->resources = more;
        w->resources_room = room;
    }
    w->resources[w->resources_count] = (resource){.kind = kind, .channel = channel};
    return &w->resources[w->resources_count++];
}

/* ---- cursors ---- */

static bool enter(work *w, size_t cursor, const sup_terms_list *list, double times) {
    frame *f = w->unused;
    if (f)
        w->unused = f->outer;
    else if (!(f = sup_arena_take(&w->n->arena, sizeof *f)))
        return no_memory(w);
    *f = (frame){.list = list, .left = times - 1, .outer = w->cursors[cursor]};
    w->cursors[cursor] = f;
    return true;
}

/* Its next term under way; at its end there is one sequence less. */
static bool advance(work *w, size_t cursor) {
    for (;;) {
        frame *f = w->cursors[cursor];
        if (!f) {
            w->alive--;
            return true;
        }
        if (f->next == f->list->count && f->left > 0) {
            f->next = 0;
            f->left--;
        }
        if (f->next == f->list->count) {
            w->cursors[cursor] = f->outer;
            f->outer = w->unused;
            w->unused = f;
            continue;
        }
        const sup_term *t = &f->list->at[f->next];
        if (t->kind == SUP_TERM_BESIDE) {
            w->undecided = true;
            return true;
        }
        f->next++;
        if (t->kind == SUP_TERM_REPEAT) {
            if (!enter(w, cursor, t->body, t->times)) return false;
            continue;
        }
        if (w->left-- <= 0) {
            w->n->status = SUP_EINVAL;
            return false;
        }
        resource *r = resource_of(w, t);
        if (!r) return no_memory(w);
        double length = t->kind == SUP_EXPR_WAIT ? t->seconds : t->bytes;
        return push(w, r, &(entry){r->position + length, t->count, t->kind, cursor});
    }
}

/* All that is behind a cursor. */
static bool put_rest(work *w, size_t cursor, sup_terms_list *out) {
    for (frame *f = w->cursors[cursor]; f; f = f->outer) {
        for (size_t i = f->next; i < f->list->count; i++)
            if (!sup_normal_push(w->n, out, &f->list->at[i])) return false;
        if (f->left == 1)
            for (size_t i = 0; i < f->list->count; i++)
                if (!sup_normal_push(w->n, out, &f->list->at[i])) return false;
        if (f->left <= 1) continue;
        sup_terms_list *body = sup_arena_take(&w->n->arena, sizeof *body);
        if (!body) return no_memory(w);
        *body = *f->list;
        if (!sup_normal_push(w->n, out, &(sup_term){.kind = SUP_TERM_REPEAT, .times = f->left, .body = body}))
            return false;
    }
    return true;
}

/* ---- steps ---- */

/* What is under way on a channel, as far as all of it goes together. */
static sup_term step_of(const resource *r) {
    double length = fmax(0, r->heap[0].end - r->position);
    sup_term t = {.kind = r->kind, .channel = r->channel, .count = r->count};
    if (r->kind == SUP_EXPR_SEND && r->sends == 0) t.kind = SUP_EXPR_TRANSFER;
    if (r->kind == SUP_EXPR_WAIT)
        t.seconds = length;
    else
        t.bytes = length;
    return t;
}

/* Who ends within that step goes on with what follows. */
static bool finish_step(work *w, size_t which) {
    resource *r = &w->resources[which];
    double end = r->heap[0].end, near = end + 1e-12 * fabs(end); /* sizes need not be whole: no step of a rounding */
    size_t *ended = NULL, count = 0, room = 0;
    r->position = end;
    bool good = true;
    while (r->used && r->heap[0].end <= near && good) {
        if (count == room) {
            room = room ? 2 * room : 4;
            size_t *more = realloc(ended, room * sizeof *more);
            if (!more) {
                good = no_memory(w);
                break;
            }
            ended = more;
        }
        ended[count++] = pop(r).cursor;
    }
    for (size_t i = 0; i < count && good; i++) good = advance(w, ended[i]);
    free(ended);
    return good;
}

/* The channel whose step is next; *hidden: behind a longer one of another. SIZE_MAX: A3 stays undecided. */
static size_t next_step(work *w, bool *hidden) {
    size_t best = SIZE_MAX, busy = 0;
    for (size_t i = 0; i < w->resources_count; i++)
        if (w->resources[i].used) {
            busy++;
            if (best == SIZE_MAX) best = i;
        }
    *hidden = busy > 1;
    if (busy <= 1) return best;
    if (!w->n->costs) return SIZE_MAX;
    for (size_t i = 0; i < w->resources_count; i++) {
        resource *r = &w->resources[i];
        if (!r->used) continue;
        if (!r->known) {
            sup_term t = step_of(r);
            r->cost = sup_term_cost(w->n->costs, &t);
            r->known = true;
        }
        if (r->cost < w->resources[best].cost) best = i;
    }
    return best;
}

/* What is left of a term that is under way. */
static sup_term left_of(const resource *r, const entry *e) {
    double length = fmax(0, e->end - r->position);
    sup_term t = {.kind = e->kind, .channel = r->channel, .count = e->count};
    if (e->kind == SUP_EXPR_WAIT)
        t.seconds = length;
    else
        t.bytes = length;
    return t;
}

/* What is under way and everything behind it, in the order of the lists: the last one alone, or what nobody decides. */
static bool put_last(work *w, size_t cursors) {
    size_t count = 0;
    sup_terms_list *lists = sup_arena_take(&w->n->arena, cursors * sizeof *lists);
    if (!lists) return no_memory(w);
    for (size_t c = 0; c < cursors; c++) lists[c] = (sup_terms_list){0};
    for (size_t i = 0; i < w->resources_count; i++)
        for (size_t k = 0; k < w->resources[i].used; k++) {
            sup_term t = left_of(&w->resources[i], &w->resources[i].heap[k]);
            if (!sup_normal_push(w->n, &lists[w->resources[i].heap[k].cursor], &t)) return false;
        }
    for (size_t c = 0; c < cursors; c++) {
        if (!put_rest(w, c, &lists[c])) return false;
        if (lists[c].count) lists[count++] = lists[c];
    }
    if (count > 1)
        return sup_normal_push(w->n, w->out, &(sup_term){.kind = SUP_TERM_BESIDE, .body = lists, .lists = count});
    for (size_t i = 0; count && i < lists[0].count; i++)
        if (!sup_normal_push(w->n, w->out, &lists[0].at[i])) return false;
    return true;
}

static double terms(const sup_terms_list *list) {
    double sum = 0;
    for (size_t i = 0; i < list->count; i++) sum += list->at[i].kind == SUP_TERM_REPEAT ? terms(list->at[i].body) : 1;
    return sum;
}

/* Lists that share channels. */
static sup_status connected(sup_normal *n, const sup_terms_list *lists, size_t count, sup_terms_list *out) {
    work w = {.n = n, .alive = count, .left = MORE_MAX, .out = out, .cursors = calloc(count + 1, sizeof(frame *))};
    for (size_t i = 0; i < count; i++) w.left += terms(&lists[i]);
    bool good = w.cursors ? true : no_memory(&w);
    for (size_t i = 0; i < count && good; i++) good = enter(&w, i, &lists[i], 1) && advance(&w, i);
    while (good && w.alive > 1 && !w.undecided) {
        bool hidden;
        size_t next = next_step(&w, &hidden);
        if (next == SIZE_MAX) break;
        sup_term t = step_of(&w.resources[next]);
        good = (hidden || sup_normal_push(n, out, &t)) && finish_step(&w, next);
    }
    if (good && w.alive) put_last(&w, count);
    for (size_t i = 0; i < w.resources_count; i++) free(w.resources[i].heap);
    free(w.resources);
    free(w.cursors);
    return n->status;
}

/* ---- which lists share channels ---- */

/* Sets of channels, as bits; the last one is for all that have no bit of their own. */
typedef struct channels {
    int numbers[62];
    int count;
} channels;

enum { FOLDS = -1, WAITS = -2 };

static uint64_t bit_of(channels *all, const sup_term *t) {
    int number = t->kind == SUP_EXPR_FOLD ? FOLDS : t->kind == SUP_EXPR_WAIT ? WAITS : t->channel, k = 0;
    while (k < all->count && all->numbers[k] != number) k++;
    if (k == all->count && k < 62) all->numbers[all->count++] = number;
    return (uint64_t)1 << k;
}

static uint64_t channels_of(channels *all, const sup_terms_list *list) {
    uint64_t bits = 0;
    for (size_t i = 0; i < list->count; i++) {
        const sup_term *t = &list->at[i];
        if (t->kind == SUP_TERM_REPEAT)
            bits |= channels_of(all, t->body);
        else if (t->kind == SUP_TERM_BESIDE)
            for (size_t k = 0; k < t->lists; k++) bits |= channels_of(all, &t->body[k]);
        else
            bits |= bit_of(all, t);
    }
    return bits;
}

/* Sets that have a channel in common become one; at most 64 are left. */
static size_t join_sets(const uint64_t *of, size_t count, uint64_t sets[64]) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t kept = 0, into = SIZE_MAX; /* the first that it has a channel in common with; in their order */
        for (size_t k = 0; k < n; k++)
            if (!(sets[k] & of[i])) {
                sets[kept++] = sets[k];
            } else if (into == SIZE_MAX) {
                into = kept;
                sets[kept++] = sets[k] | of[i];
            } else {
                sets[into] |= sets[k];
            }
        if (into == SIZE_MAX) sets[kept++] = of[i];
        n = kept;
    }
    return n;
}

/* Independent ones: the longest counts, or all stay side by side. */
static sup_status put_independent(sup_normal *n, sup_terms_list *sets, size_t count, sup_terms_list *out) {
    size_t best = 0;
    double most = -1;
    if (count > 1 && !n->costs) {
        sup_terms_list *kept = sup_arena_take(&n->arena, count * sizeof *kept);
        if (!kept) return n->status = SUP_ENOMEM;
        memcpy(kept, sets, count * sizeof *kept);
        sup_normal_push(n, out, &(sup_term){.kind = SUP_TERM_BESIDE, .body = kept, .lists = count});
        return n->status;
    }
    for (size_t k = 0; k < count && count > 1; k++) {
        double cost = sup_terms_cost(n->costs, &sets[k]);
        if (cost > most) {
            most = cost;
            best = k;
        }
    }
    for (size_t i = 0; i < sets[best].count && !n->status; i++) sup_normal_push(n, out, &sets[best].at[i]);
    return n->status;
}

sup_status sup_normal_beside(sup_normal *n, sup_terms_list *lists, size_t count, sup_terms_list *out) {
    uint64_t sets[64];
    sup_terms_list made[64] = {{0}};
    channels all = {0};
    size_t some = 0, rest = 0;
    for (size_t i = 0; i < count; i++)
        if (lists[i].count) lists[some++] = lists[i];
    if (!some) return SUP_OK;
    uint64_t *of = calloc(some, sizeof *of);
    sup_terms_list *group = calloc(some, sizeof *group);
    if (!of || !group) n->status = SUP_ENOMEM;
    for (size_t i = 0; i < some && !n->status; i++) of[i] = channels_of(&all, &lists[i]);
    size_t sets_count = n->status ? 0 : join_sets(of, some, sets);
    for (size_t k = 0; k < sets_count && !n->status; k++, rest = 0) {
        for (size_t i = 0; i < some; i++)
            if (of[i] & sets[k]) group[rest++] = lists[i];
        connected(n, group, rest, &made[k]);
    }
    if (!n->status) put_independent(n, made, sets_count, out);
    free(of);
    free(group);
    return n->status;
}
