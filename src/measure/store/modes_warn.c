/* Warnings about things with two modes (modes.h): what visits found, sorted by what they were visits of. */
#include "measure/store/modes.h"

#include "base/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hardware threads of one core pass a signal on in some tens of nanoseconds; other cores take longer. */
#define ONE_CORE_S 1e-7
#define SMALL_BYTES 64
#define ONE_CORE_RATIO 2.0

/* What a list of findings is about: a pair of processes, or (transport NULL) so many cores. */
typedef struct item {
    const char *transport;
    int64_t first, second; /* ranks; or 0, and cores */
    const sup_visited *visited;
    const sup_found *found;
} item;

typedef struct items {
    item *at;
    size_t count;
} items;

static int by_thing(const void *a, const void *b) {
    const item *x = a, *y = b;
    int order = strcmp(x->transport ? x->transport : "", y->transport ? y->transport : "");
    if (order) return order;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

/* Rank number `index` of runs [first, count, …]; -1: there is none. */
static int64_t rank_at(const sup_visited *v, int64_t index) {
    for (size_t i = 0; i + 1 < v->ranks_count; i += 2) {
        if (index < v->ranks[i + 1]) return v->ranks[i] + index;
        index -= v->ranks[i + 1];
    }
    return -1;
}

static sup_status add(items *all, const sup_visited *v) {
    bool cores = !v->transport;
    if (!cores && v->group != 2) return SUP_OK;
    for (size_t g = 0; g < v->found_count; g++) {
        int64_t first = cores ? 0 : rank_at(v, 2 * (int64_t)g),
                second = cores ? v->group : rank_at(v, 2 * (int64_t)g + 1);
        if (first < 0 || second < 0) continue;
        if (!sup_list_room(&all->at, all->count, sizeof *all->at)) return SUP_ENOMEM;
        if (first > second && !cores) {
            int64_t swap = first;
            first = second;
            second = swap;
        }
        all->at[all->count++] = (item){v->transport, first, second, v, &v->found[g]};
    }
    return SUP_OK;
}

/* The cores of the two, and what the host has done if that is plain: ", and where" goes on from "in 1 of 5 launches".
 */
static void say_why(const sup_profile *p, const item *shown, const sup_modes *l, char *text, size_t size) {
    int64_t host, first, second;
    bool rare_is_fast = l->rare_s < l->usual_s;
    double fast = rare_is_fast ? l->rare_s : l->usual_s, slow = rare_is_fast ? l->usual_s : l->rare_s;
    text[0] = 0;
    if (sup_origin_place(&p->signature, shown->first, &host, &first) || first < 0 ||
        sup_origin_place(&p->signature, shown->second, &host, &second) || second < 0)
        return;
    if (shown->visited->bytes > SMALL_BYTES || !(fast < ONE_CORE_S) || slow < ONE_CORE_RATIO * fast)
        snprintf(text, size, " (cores %" PRId64 " and %" PRId64 ")", first, second);
    else
        snprintf(text, size, ": the host had cores %" PRId64 " and %" PRId64 " on one physical core %s", first, second,
                 rare_is_fast ? "then" : "except then");
}

static sup_status warn_pair(const sup_profile *p, const item *shown, const sup_modes *l, sup_warning **list,
                            size_t *count) {
    char why[128];
    say_why(p, shown, l, why, sizeof why);
    return sup_warning_add(list, count, SUP_WARNING_TWO_LEVELS,
                           &(sup_about){.transport = shown->transport,
                                        .reason = why,
                                        .number = {(double)shown->first, (double)shown->second, l->rare_s, l->usual_s,
                                                   (double)l->rare, (double)l->launches}});
}

static sup_status warn_cores(const item *shown, const sup_modes *l, sup_warning **list, size_t *count) {
    return sup_warning_add(list, count, SUP_WARNING_TWO_LEVELS_OF_RATES,
                           &(sup_about){.kernel = shown->visited->kernel,
                                        .number = {(double)shown->second, l->rare_s / l->usual_s, (double)l->rare,
                                                   (double)l->launches, (double)l->split, (double)l->points}});
}

/* Items of one thing. */
static sup_status look(const sup_profile *p, const item *at, size_t items_count, sup_warning **list, size_t *count) {
    sup_modes l;
    sup_status status = SUP_OK;
    const sup_found **found = malloc(items_count * sizeof *found);
    if (!found) return SUP_ENOMEM;
    for (size_t i = 0; i < items_count; i++) found[i] = at[i].found;
    if (sup_modes_look(found, items_count, &l)) {
        const item *shown = &at[l.shown];
        status = shown->transport ? warn_pair(p, shown, &l, list, count) : warn_cores(shown, &l, list, count);
    }
    free(found);
    return status;
}

sup_status sup_modes_warn(const sup_profile *p, sup_warning **list, size_t *count) {
    items all = {0};
    sup_status status = SUP_OK;
    for (size_t i = 0; i < p->visits_count && !status; i++) status = add(&all, &p->visits[i]);
    if (all.count && !status) qsort(all.at, all.count, sizeof *all.at, by_thing);
    for (size_t i = 0, end; i < all.count && !status; i = end) {
        for (end = i + 1; end < all.count && !by_thing(&all.at[i], &all.at[end]);) end++;
        status = look(p, &all.at[i], end - i, list, count);
    }
    free(all.at);
    return status;
}
