/* The search for a barrier (stage choose, term Tsync): every pattern over all processes, and for clusters inside
 * clusters a pattern for each level, by predicted cost.
 *
 * All combinations of levels and patterns are priced where that is affordable; else one level after the other is
 * improved while the others stay, from the top down, until nothing improves. What is affordable is counted in signals,
 * so that the outcome depends on nothing but the profile. */
#include "choose/barrier/work.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    KINDS_MAX = 96,
    RADIX_ALL = 8,           /* all radices up to this, and the number of members */
    STAGE_MAX = 1 << 20,     /* signals in one stage of a radix that is not the usual one */
    KEPT = 4,                /* best ones of a choice of levels that are listed */
    SWEEPS_MAX = 4,          /* of improving level by level */
    EXHAUSTIVE_MAX = 1 << 12 /* combinations */
};

/* ---- kinds ---- */

typedef struct kinds {
    sup_pattern_kind at[KINDS_MAX];
    size_t count;
} kinds;

static void add_kind(kinds *list, const sup_generator *g, int radix, int64_t members) {
    sup_pattern_kind kind = {g, radix};
    if (list->count == KINDS_MAX) return;
    sup_pattern p = sup_pattern_of(kind, members);
    if (p.stages > SUP_PLAN_STAGE_MAX || (radix != g->radix && sup_pattern_widest(&p) > STAGE_MAX)) return;
    list->at[list->count++] = kind;
}

/* Those that fit so many members. A gathering whose radix is as large as that is one stage, which those without a radix
 * are anyway; an exchange then is everybody with everybody. */
static void find_kinds(kinds *list, int64_t members, bool gathers, bool spreads) {
    list->count = 0;
    for (size_t i = 0; sup_generators[i]; i++) {
        const sup_generator *g = sup_generators[i];
        bool spread = g->effect == SUP_PATTERN_SPREADS;
        if (!g->barrier || !(spread ? spreads : gathers && g->effect == SUP_PATTERN_GATHERS)) continue;
        if (!g->radix || members < 2) {
            add_kind(list, g, g->radix, members);
            continue;
        }
        int64_t most = spread ? members : members - 1;
        if (most > g->radix_most) most = g->radix_most;
        for (int radix = 2; radix <= RADIX_ALL && radix <= most; radix++) add_kind(list, g, radix, members);
        if (spread && most == members && members > RADIX_ALL) add_kind(list, g, (int)members, members);
    }
}

/* ---- over all ---- */

static sup_status add_plain(sup_candidates *list, sup_participants *participants, sup_pattern_kind kind,
                            sup_diag *diag) {
    char word[SUP_PATTERN_WORD];
    sup_pattern p = sup_pattern_of(kind, participants->processes);
    sup_draft d = {.pattern = &p, .origin = "pattern", .name = sup_pattern_kind_word(kind, word)};
    sup_status st = sup_participants_price(participants, &p, diag, &d.cost);
    return st ? st : sup_candidates_add(list, participants, &d, NULL);
}

sup_status sup_search_plain(sup_candidates *list, sup_participants *participants, sup_diag *diag) {
    kinds all;
    sup_status st = SUP_OK;
    find_kinds(&all, participants->processes, true, true);
    for (int usual = 1; usual >= 0; usual--) /* usual radices first, in case that there is no room for the others */
        for (size_t k = 0; k < all.count && !st; k++) {
            sup_pattern_kind kind = all.at[k];
            if ((kind.radix == kind.generator->radix) != usual) continue;
            if (usual || participants->room > 0) st = add_plain(list, participants, kind, diag);
        }
    return st;
}

sup_status sup_search_measured(sup_candidates *list, sup_participants *participants, sup_diag *diag) {
    sup_status st = SUP_OK;
    for (size_t i = 0; i < participants->seen_count && !st; i++) {
        const char *word = participants->seen[i].row->algorithm;
        sup_pattern p;
        sup_draft d = {.pattern = &p, .origin = "search", .name = word};
        st = sup_pattern_read(word, participants->processes, &p);
        if (st) return st;
        if (p.generator->barrier) d.origin = "pattern";
        st = sup_participants_price(participants, &p, diag, &d.cost);
        if (!st) st = sup_candidates_add(list, participants, &d, NULL);
        sup_pattern_free(&p);
    }
    return st;
}

/* ---- levels ---- */

typedef struct combination {
    sup_pattern_kind kind[SUP_PARTITION_LEVELS];
    sup_prediction cost;
} combination;

typedef struct search {
    sup_candidates *list;
    sup_participants *participants;
    const sup_partitions *partitions, *hosts;
    sup_diag *diag;
    bool lanes;
    kinds level[SUP_PARTITION_LEVELS];
    combination best[KEPT];
    size_t found;
    double floor; /* the room below which it ends */
} search;

static sup_status build(const search *s, const sup_pattern_kind *kind, sup_pattern *out) {
    return s->lanes ? sup_build_lanes(s->partitions, kind, out) : sup_build_stack(s->partitions, kind, 1, out);
}

static void keep(search *s, const combination *c) {
    size_t at = s->found;
    while (at > 0 && c->cost.value < s->best[at - 1].cost.value) at--;
    size_t most = s->lanes ? 1 : KEPT;
    if (at >= most) return;
    if (s->found < most) s->found++;
    for (size_t k = s->found - 1; k > at; k--) s->best[k] = s->best[k - 1];
    s->best[at] = *c;
}

static sup_status price(search *s, combination *c) {
    sup_pattern p;
    sup_status st = build(s, c->kind, &p);
    if (st) return st;
    st = sup_participants_price(s->participants, &p, s->diag, &c->cost);
    sup_pattern_free(&p);
    return st;
}

static sup_status all_combinations(search *s) {
    size_t at[SUP_PARTITION_LEVELS] = {0}, l = 0;
    while (l < s->partitions->levels) {
        combination c;
        for (size_t k = 0; k < s->partitions->levels; k++) c.kind[k] = s->level[k].at[at[k]];
        sup_status st = price(s, &c);
        if (st) return st;
        keep(s, &c);
        for (l = 0; l < s->partitions->levels && ++at[l] == s->level[l].count; l++) at[l] = 0;
    }
    return SUP_OK;
}

/* The best kind of one level, the others as they are. */
static sup_status improve_level(search *s, size_t level, combination *now, bool *better) {
    combination try = *now;
    for (size_t k = 0; k < s->level[level].count && s->participants->room > s->floor; k++) {
        try.kind[level] = s->level[level].at[k];
        if (try.kind[level].generator == now->kind[level].generator && try.kind[level].radix == now->kind[level].radix)
            continue;
        sup_status st = price(s, &try);
        if (st) return st;
        if (!(try.cost.value < now->cost.value)) continue;
        keep(s, &try);
        *now = try;
        *better = true;
    }
    return SUP_OK;
}

static sup_status improve(search *s) {
    combination now;
    for (size_t l = 0; l < s->partitions->levels; l++) now.kind[l] = s->level[l].at[s->level[l].count - 1];
    sup_status st = price(s, &now);
    if (st) return st;
    keep(s, &now);
    bool better = true;
    for (int sweep = 0; sweep < SWEEPS_MAX && better; sweep++) {
        better = false;
        for (size_t l = s->partitions->levels; l-- > 0 && !st;) st = improve_level(s, l, &now, &better);
        if (st) return st;
    }
    return SUP_OK;
}

/* ---- names ---- */

static bool same_partition(const sup_partitions *a, size_t level, const sup_partitions *b, size_t other) {
    for (int64_t i = 0; i < a->processes; i++)
        if ((a->of[level][i] == a->of[level][a->of[level][i]]) && b->of[other][i] != b->of[other][a->of[level][i]])
            return false;
    int64_t x = 0, y = 0;
    for (int64_t i = 0; i < a->processes; i++) {
        x += a->of[level][i] == i;
        y += b->of[other][i] == i;
    }
    return x == y;
}

static void level_name(const search *s, size_t level, char *text, size_t size) {
    sup_groups g;
    if (s->hosts->levels > 1 && same_partition(s->partitions, level, s->hosts, 0)) {
        snprintf(text, size, "hosts");
    } else if (sup_groups_of(s->partitions, level, true, &g)) {
        snprintf(text, size, "groups");
    } else {
        int64_t most = sup_groups_largest(&g);
        snprintf(text, size, "groups of %s%d", most * g.count == s->partitions->processes ? "" : "up to ", (int)most);
        sup_groups_free(&g);
    }
}

static void name_of(const search *s, const combination *c, char *text, size_t size) {
    size_t used = 0, top = s->partitions->levels - 1;
    for (size_t l = 0; l <= top && used < size; l++) {
        char word[SUP_PATTERN_WORD], where[64] = "";
        sup_pattern_kind_word(c->kind[l], word);
        if (l < top) level_name(s, l, where, sizeof where);
        used +=
            (size_t)(l < top ? snprintf(text + used, size - used, "%s in %s, ", word, where)
                             : snprintf(text + used, size - used, "%s between%s", word, s->lanes ? ", in lanes" : ""));
    }
}

static sup_status add_best(search *s) {
    for (size_t k = 0; k < s->found; k++) {
        sup_pattern_level levels[SUP_PARTITION_LEVELS];
        char name[160];
        sup_pattern p;
        sup_status st = build(s, s->best[k].kind, &p);
        if (st) return st;
        name_of(s, &s->best[k], name, sizeof name);
        bool regular = !s->lanes && sup_build_levels(s->partitions, s->best[k].kind, levels);
        sup_draft d = {.pattern = &p,
                       .origin = "search",
                       .name = name,
                       .levels = regular ? levels : NULL,
                       .level_count = s->partitions->levels,
                       .cost = s->best[k].cost};
        st = sup_candidates_add(s->list, s->participants, &d, NULL);
        sup_pattern_free(&p);
        if (st) return st;
    }
    return SUP_OK;
}

/* ---- all choices of levels ---- */

static double combinations(const search *s) {
    double product = 1;
    for (size_t l = 0; l < s->partitions->levels; l++) product *= (double)s->level[l].count;
    return product;
}

/* What one of them takes to price: of its first kinds. */
static sup_status effort(const search *s, double *out) {
    sup_pattern_kind first[SUP_PARTITION_LEVELS];
    sup_pattern p;
    for (size_t l = 0; l < s->partitions->levels; l++) first[l] = s->level[l].at[0];
    sup_status st = build(s, first, &p);
    if (st) return st;
    *out = sup_participants_effort(s->participants, sup_pattern_signals(&p));
    sup_pattern_free(&p);
    return SUP_OK;
}

static sup_status search_levels(search *s, double share) {
    for (size_t l = 0; l < s->partitions->levels; l++) {
        sup_groups g;
        sup_status st = sup_groups_of(s->partitions, l, false, &g);
        if (st) return st;
        bool top = l + 1 == s->partitions->levels;
        find_kinds(&s->level[l], sup_groups_largest(&g), !s->lanes, top || s->lanes);
        sup_groups_free(&g);
        if (!s->level[l].count) return SUP_OK;
    }
    double each;
    sup_status st = effort(s, &each);
    if (st) return st;
    s->floor = s->participants->room - share;
    bool all = combinations(s) <= EXHAUSTIVE_MAX && 2 * each * combinations(s) <= share;
    st = all ? all_combinations(s) : improve(s);
    return st ? st : add_best(s);
}

sup_status sup_search_nest(sup_candidates *list, sup_participants *participants, const sup_partitions *partitions,
                           const sup_partitions *hosts, double share, sup_diag *diag) {
    search s = {.list = list, .participants = participants, .partitions = partitions, .hosts = hosts, .diag = diag};
    sup_status st = search_levels(&s, share / 2);
    /* lanes are explicit, and those between hosts would all go through the one network that a host has */
    if (st || partitions->processes > SUP_PLAN_EXPLICIT_MAX || participants->hosts > 1) return st;
    s = (search){.list = list,
                 .participants = participants,
                 .partitions = partitions,
                 .hosts = hosts,
                 .diag = diag,
                 .lanes = true};
    return search_levels(&s, share / 2);
}
