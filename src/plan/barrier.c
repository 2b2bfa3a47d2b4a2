/* Barriers of a plan: Tsync, the joint between choosing and running (BSP ch. 5 and 7, reference §3).
 *
 * A generator is expanded into the signals that it stands for; given stages are taken as they are. Either way the
 * result is a barrier iff everyone has heard of everyone: K_0 = I + S_0, K_s = K_{s−1} + K_{s−1}·S_s has no zero. Here
 * K is kept by columns, one bit set a process: heard[j] has bit i if j has heard of i. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting edges ---- */

typedef struct builder {
    sup_plan_edges e;
    size_t capacity;
    bool failed;
} builder;

static void add_edge(builder *b, int stage, int from, int to) {
    if (b->failed) return;
    if (b->e.count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        int **lists[] = {&b->e.stage, &b->e.from, &b->e.to};
        for (size_t i = 0; i < 3; i++) {
            int *more = reallocarray(*lists[i], capacity, sizeof **lists[i]);
            if (!more) {
                b->failed = true;
                return;
            }
            *lists[i] = more;
        }
        b->capacity = capacity;
    }
    b->e.stage[b->e.count] = stage;
    b->e.from[b->e.count] = from;
    b->e.to[b->e.count++] = to;
    if (stage >= b->e.stages) b->e.stages = stage + 1;
}

/* A cluster: `count` members, the k-th is list[first + k · step]. */
typedef struct cluster {
    const int *list;
    int64_t first, step, count;
} cluster;

static int member(const cluster *c, int64_t k) { return c->list[c->first + k * c->step]; }

static int stages_of(int algorithm, int64_t count) {
    int n = 0;
    if (algorithm == SUP_PLAN_LINEAR) return count > 1;
    while (((int64_t)1 << n) < count) n++;
    return n;
}

/* Signals after which the first member (dissemination: every member) has heard of all. */
static void arrive(builder *b, int algorithm, const cluster *c, int stage) {
    if (algorithm == SUP_PLAN_LINEAR) {
        for (int64_t k = 1; k < c->count; k++) add_edge(b, stage, member(c, k), member(c, 0));
        return;
    }
    for (int64_t step = 1; step < c->count; step *= 2, stage++) {
        if (algorithm == SUP_PLAN_DISSEMINATION)
            for (int64_t k = 0; k < c->count; k++) add_edge(b, stage, member(c, k), member(c, (k + step) % c->count));
        else
            for (int64_t k = step; k < c->count; k += 2 * step) add_edge(b, stage, member(c, k), member(c, k - step));
    }
}

/* One level of clusters, side by side; returns how many stages it takes. Members that go on are moved to the front. */
static int arrive_level(builder *b, const sup_plan_level *level, int *members, int64_t *count, int stage) {
    int64_t stride = level->stride, size = level->size ? level->size : *count;
    int longest = 0;
    for (int64_t block = 0; block * stride * size < *count && !b->failed; block++) {
        for (int64_t r = 0; r < stride && block * stride * size + r < *count; r++) {
            cluster c = {members, block * stride * size + r, stride, 0};
            c.count = (*count - c.first + stride - 1) / stride;
            if (c.count > size) c.count = size;
            arrive(b, level->algorithm, &c, stage);
            int stages = stages_of(level->algorithm, c.count);
            if (stages > longest) longest = stages;
        }
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < *count; k++)
        if (k / stride % size == 0) members[kept++] = members[k];
    *count = kept;
    return longest;
}

/* Release of the first `count` edges: reversed and transposed, from stage `begin` on. */
static void release_edges(builder *b, size_t count, int arrival_stages, int begin) {
    for (size_t e = count; e-- > 0;) add_edge(b, begin + arrival_stages - 1 - b->e.stage[e], b->e.to[e], b->e.from[e]);
}

static void build_levels(builder *b, const sup_plan_level *levels, size_t level_count, int *members, int64_t count) {
    int stage = 0;
    size_t below = 0;
    int below_stages = 0;
    bool full = false; /* the top leaves everybody on it informed */
    for (size_t l = 0; l < level_count; l++) {
        below = b->e.count;
        below_stages = stage;
        full = levels[l].algorithm == SUP_PLAN_DISSEMINATION;
        stage += arrive_level(b, &levels[l], members, &count, stage);
    }
    if (full)
        release_edges(b, below, below_stages, stage);
    else
        release_edges(b, b->e.count, stage, stage);
}

static sup_status build(const sup_plan_barrier *p, builder *b) {
    if (p->algorithm == SUP_PLAN_STAGES) {
        for (size_t s = 0; s < p->stages_count; s++)
            for (size_t k = 0; k + 1 < p->stages[s].signals_count; k += 2)
                add_edge(b, (int)s, (int)p->stages[s].signals[k], (int)p->stages[s].signals[k + 1]);
        return b->failed ? SUP_ENOMEM : SUP_OK;
    }
    int *members = calloc((size_t)p->processes, sizeof *members);
    if (!members) return SUP_ENOMEM;
    for (int64_t i = 0; i < p->processes; i++) members[i] = (int)i;
    sup_plan_level whole = {.algorithm = p->algorithm, .size = 0, .stride = 1};
    if (p->algorithm == SUP_PLAN_LEVELS)
        build_levels(b, p->levels, p->levels_count, members, p->processes);
    else
        build_levels(b, &whole, 1, members, p->processes);
    free(members);
    return b->failed ? SUP_ENOMEM : SUP_OK;
}

/* Padding of unequal clusters leaves no empty stage: the longest cluster of a level fills every stage of it. */
sup_status sup_plan_barrier_edges(const sup_plan_barrier *barrier, sup_plan_edges *out) {
    builder b = {0};
    sup_status status = build(barrier, &b);
    if (status)
        sup_plan_edges_free(&b.e);
    else
        *out = b.e;
    return status;
}

void sup_plan_edges_free(sup_plan_edges *edges) {
    free(edges->stage);
    free(edges->from);
    free(edges->to);
    *edges = (sup_plan_edges){0};
}

/* ---- is it a barrier? ---- */

static size_t first_missing(const uint64_t *set, size_t words, int64_t processes) {
    for (size_t w = 0; w < words; w++) {
        uint64_t missing = ~set[w];
        if (missing) {
            size_t bit = w * 64 + (size_t)__builtin_ctzll(missing);
            return bit < (size_t)processes ? bit : (size_t)processes;
        }
    }
    return (size_t)processes;
}

static bool spread(const sup_plan_edges *edges, uint64_t *heard, uint64_t *before, size_t words, size_t total) {
    size_t e = 0;
    for (int s = 0; s < edges->stages; s++) {
        /* A stage's signals leave before any of them arrives, so it reads what was known before it. */
        memcpy(before, heard, total * sizeof *heard);
        for (; e < edges->count && edges->stage[e] == s; e++) {
            uint64_t *to = heard + (size_t)edges->to[e] * words;
            const uint64_t *from = before + (size_t)edges->from[e] * words;
            for (size_t w = 0; w < words; w++) to[w] |= from[w];
        }
    }
    return e == edges->count;
}

static int by_stage(const void *a, const void *b) {
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Generators work cluster by cluster; the product needs stage by stage. */
static sup_status sorted_copy(const sup_plan_edges *edges, sup_plan_edges *out) {
    size_t n = edges->count ? edges->count : 1;
    int(*all)[3] = calloc(n, sizeof *all);
    sup_plan_edges copy = {edges->stages, edges->count, calloc(n, sizeof(int)), calloc(n, sizeof(int)),
                           calloc(n, sizeof(int))};
    if (!all || !copy.stage || !copy.from || !copy.to) {
        free(all);
        sup_plan_edges_free(&copy);
        return SUP_ENOMEM;
    }
    for (size_t e = 0; e < edges->count; e++) {
        all[e][0] = edges->stage[e];
        all[e][1] = edges->from[e];
        all[e][2] = edges->to[e];
    }
    qsort(all, edges->count, sizeof *all, by_stage);
    for (size_t e = 0; e < edges->count; e++) {
        copy.stage[e] = all[e][0];
        copy.from[e] = all[e][1];
        copy.to[e] = all[e][2];
    }
    free(all);
    *out = copy;
    return SUP_OK;
}

sup_status sup_plan_edges_check(const sup_plan_edges *edges, int64_t processes, bool *complete, int *deaf,
                                int *unheard) {
    if (processes < 1 || processes > SUP_PLAN_EXPLICIT_MAX) return SUP_EINVAL;
    sup_plan_edges sorted;
    if (sorted_copy(edges, &sorted)) return SUP_ENOMEM;
    size_t words = ((size_t)processes + 63) / 64, total = words * (size_t)processes;
    uint64_t *heard = calloc(total, sizeof *heard), *before = calloc(total, sizeof *before);
    sup_status status = heard && before ? SUP_OK : SUP_ENOMEM;
    if (!status) {
        for (size_t j = 0; j < (size_t)processes; j++) heard[j * words + j / 64] |= (uint64_t)1 << j % 64;
        if (!spread(&sorted, heard, before, words, total)) status = SUP_EINVAL;
    }
    if (!status) {
        *complete = true;
        for (size_t j = 0; j < (size_t)processes && *complete; j++) {
            size_t i = first_missing(heard + j * words, words, processes);
            if (i < (size_t)processes) {
                *complete = false;
                *deaf = (int)j;
                *unheard = (int)i;
            }
        }
    }
    free(before);
    free(heard);
    sup_plan_edges_free(&sorted);
    return status;
}
