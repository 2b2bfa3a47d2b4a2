/* How well profiles of the same machine agree, number by number: what bench/repeatability prints.
 *
 *     agreement [--json] [--taken SHARE] A B [A B]…
 *
 * For every number and every point of a curve in both: how far apart, and whether the 90 % interval of each covers the
 * other. A point whose size only one of them has is held against the other's curve; what only one has at all agrees
 * with nothing. Nothing is left out. Differences are relative to the lesser of the two; those of shares of something,
 * which may be 0, are of the whole. --taken: share of the machine's time that others had meanwhile (0.3); it says
 * which floors apply, as does the number of processes. Without profiles to read the exit status is 1; a missed floor is
 * a result and not an error. */
#include "base/list.h"
#include "profile/profile.h"
#include "report/section/sections.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 20, NODE_PROCESSES = 8, MOST_SECTIONS = 24 };
#define MOST 10.0             /* a difference counts as no more than this, or one of them would be the mean */
#define OF_95 (1.645 / 1.960) /* files hold 95 % intervals */
#define TAKEN 0.05

/* ---- profiles as lists of numbers ---- */

struct series {
    const char *section; /* a constant */
    char *name;
    size_t count;
    double *x, *y, *ci; /* x NULL: a number */
    const sup_curve *curve;
    bool share, met;
};

struct all {
    struct series *at;
    size_t count;
    bool failed;
};

static double *copied(const double *values, size_t count) {
    double *made = malloc(count * sizeof *made);
    if (made) memcpy(made, values, count * sizeof *made);
    return made;
}

static bool keep(void *context, const sup_series *s) {
    struct all *all = context;
    if (!sup_list_room(&all->at, all->count, sizeof *all->at)) return !(all->failed = true);
    struct series *k = &all->at[all->count++];
    *k = (struct series){.section = s->section, .name = strdup(s->name), .count = s->count, .curve = s->curve};
    k->share = !s->unit[0];
    k->x = s->x ? copied(s->x, s->count) : NULL;
    k->y = copied(s->y, s->count);
    k->ci = copied(s->y, s->count);
    all->failed = !k->name || !k->y || !k->ci || (s->x && !k->x);
    for (size_t i = 0; !all->failed && i < s->count; i++) k->ci[i] = sup_series_ci(s, i);
    return !all->failed;
}

static void drop(struct all *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->at[i].ci);
        free(all->at[i].y);
        free(all->at[i].x);
        free(all->at[i].name);
    }
    free(all->at);
}

static struct series *find(struct all *all, const struct series *like) {
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->at[i].section, like->section) && !strcmp(all->at[i].name, like->name)) return &all->at[i];
    return NULL;
}

/* ---- counting ---- */

struct tally {
    const char *section; /* NULL: all */
    size_t numbers, within_5, within_10, alone;
    size_t intervals, covered_90, covered_95;
    double sum;
};

struct miss {
    char name[SUP_SERIES_NAME + 64];
    double a, b, off;
};

static struct result {
    struct tally all, section[MOST_SECTIONS];
    size_t sections, pairs;
    struct miss *misses;
    size_t count;
    int64_t processes;
    double taken;
} result;

static struct tally *tally_of(const char *section) {
    for (size_t i = 0; i < result.sections; i++)
        if (!strcmp(result.section[i].section, section)) return &result.section[i];
    if (result.sections == MOST_SECTIONS) return NULL;
    result.section[result.sections].section = section;
    return &result.section[result.sections++];
}

static double difference(const struct series *s, double a, double b) {
    double least = s->share ? 1 : fmin(fabs(a), fabs(b));
    return a == b ? 0 : !(least > 0) ? MOST : fmin(MOST, fabs(a - b) / least);
}

static bool miss(const struct series *s, double x, double a, double b, double off, bool by_curve) {
    if (!sup_list_room(&result.misses, result.count, sizeof *result.misses)) return false;
    struct miss *m = &result.misses[result.count++];
    m->a = a, m->b = b, m->off = off;
    if (isnan(x))
        snprintf(m->name, sizeof m->name, "%s %s", s->section, s->name);
    else
        snprintf(m->name, sizeof m->name, "%s %s at %.6g%s", s->section, s->name, x, by_curve ? " (curve)" : "");
    return true;
}

/* b NaN: only one has it. by_curve: b is what the other's curve says, which has no such point. */
static bool count(const struct series *s, double x, double a, double b, bool by_curve) {
    double off = isnan(b) ? MOST : difference(s, a, b);
    struct tally *both[] = {&result.all, tally_of(s->section)};
    for (int i = 0; i < 2 && both[i]; i++) {
        both[i]->numbers++;
        both[i]->within_5 += off <= 0.05;
        both[i]->within_10 += off <= 0.10;
        both[i]->alone += isnan(b);
        both[i]->sum += isnan(b) ? 0 : off;
    }
    return off <= 0.10 || miss(s, x, a, b, off, by_curve);
}

/* Does what one profile says with an interval cover what the other says? */
static void cover(const struct series *s, double value, double ci, double other) {
    struct tally *both[] = {&result.all, tally_of(s->section)};
    if (!isfinite(ci)) return;
    for (int i = 0; i < 2 && both[i]; i++) {
        both[i]->intervals++;
        both[i]->covered_90 += fabs(other - value) <= OF_95 * ci;
        both[i]->covered_95 += fabs(other - value) <= ci;
    }
}

/* ---- one against the other ---- */

/* The point of b at x; b->count: none. */
static size_t point_at(const struct series *b, double x) {
    size_t i = 0;
    while (i < b->count && b->x[i] != x) i++;
    return i;
}

static double curve_at(const struct series *b, double x) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < b->count; i++) low = fmin(low, b->x[i]), high = fmax(high, b->x[i]);
    return b->curve && x >= low && x <= high ? sup_curve_at(b->curve, x) : NAN;
}

/* The points of a; those that both have only if `first`, because the other way round they would count twice. */
static bool compare_curves(const struct series *a, const struct series *b, bool first) {
    bool good = true;
    for (size_t i = 0; i < a->count && good; i++) {
        size_t k = point_at(b, a->x[i]);
        if (k < b->count) {
            if (!first) continue;
            good = count(a, a->x[i], a->y[i], b->y[k], false);
            cover(a, a->y[i], a->ci[i], b->y[k]);
            cover(b, b->y[k], b->ci[k], a->y[i]);
            continue;
        }
        double other = curve_at(b, a->x[i]);
        good = count(a, a->x[i], a->y[i], other, !isnan(other));
        if (!isnan(other)) cover(a, a->y[i], a->ci[i], other);
    }
    return good;
}

static bool compare(const struct series *a, const struct series *b) {
    if (a->x && b->x) return compare_curves(a, b, true) && compare_curves(b, a, false);
    cover(a, a->y[0], a->ci[0], b->y[0]);
    cover(b, b->y[0], b->ci[0], a->y[0]);
    return count(a, NAN, a->y[0], b->y[0], false);
}

static bool alone(const struct series *s) {
    bool good = true;
    for (size_t i = 0; i < s->count && good; i++) good = count(s, s->x ? s->x[i] : NAN, s->y[i], NAN, false);
    return good;
}

static bool compare_all(struct all *a, struct all *b) {
    bool good = true;
    for (size_t i = 0; i < a->count && good; i++) {
        struct series *other = find(b, &a->at[i]);
        good = other ? compare(&a->at[i], other) : alone(&a->at[i]);
        if (other) other->met = true;
    }
    for (size_t i = 0; i < b->count && good; i++)
        if (!b->at[i].met) good = alone(&b->at[i]);
    return good;
}

static bool complain(const sup_diag *diag) {
    char text[800];
    sup_diag_format(diag, text, sizeof text);
    fprintf(stderr, "agreement: %s\n", text);
    return false;
}

static bool compare_files(const char *first, const char *second) {
    sup_profile *a = NULL, *b = NULL;
    struct all of_a = {0}, of_b = {0};
    sup_diag diag = {0};
    if (sup_profile_read(first, true, &diag, &a)) return complain(&diag);
    bool good = !sup_profile_read(second, true, &diag, &b);
    if (!good) complain(&diag);
    if (good) {
        sup_series_each(a, NULL, keep, &of_a);
        sup_series_each(b, NULL, keep, &of_b);
        good = !of_a.failed && !of_b.failed && compare_all(&of_a, &of_b);
        if (!good) fprintf(stderr, "agreement: no memory\n");
        result.processes = a->signature.processes;
        result.pairs++;
    }
    drop(&of_b);
    drop(&of_a);
    sup_profile_free(b);
    sup_profile_free(a);
    return good;
}

/* ---- what came out ---- */

struct floors {
    const char *name;
    double within_10, covered_low, covered_high;
};

/* On a node with neighbours there is time that nobody reports as taken. */
static struct floors floors(void) {
    if (result.processes >= NODE_PROCESSES) return (struct floors){"a node, 8 processes and more", 88, 80, 97};
    if (result.taken > TAKEN) return (struct floors){"others have up to 30 % of the time", 93, 85, 97};
    return (struct floors){"idle", 97, 85, 97};
}

/* In the mean, of those that both have. */
static double mean_off(const struct tally *t) {
    return t->numbers > t->alone ? 100 * t->sum / (double)(t->numbers - t->alone) : 0;
}

static double percent(size_t part, size_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

/* Those that differ first, then those that only one has. */
static int by_off(const void *a, const void *b) {
    const struct miss *x = a, *y = b;
    if (isnan(x->b) != isnan(y->b)) return isnan(x->b) ? 1 : -1;
    return x->off < y->off ? 1 : x->off > y->off ? -1 : strcmp(x->name, y->name);
}

static void print_tally(const struct tally *t) {
    printf("%-14s %7zu %10.1f %10.1f %10.1f %10.1f %10.1f %7zu\n", t->section ? t->section : "all", t->numbers,
           percent(t->within_5, t->numbers), percent(t->within_10, t->numbers), mean_off(t),
           percent(t->covered_90, t->intervals), percent(t->covered_95, t->intervals), t->alone);
}

static void print_text(void) {
    struct floors f = floors();
    double close = percent(result.all.within_10, result.all.numbers);
    double covered = percent(result.all.covered_90, result.all.intervals);
    printf("%-14s %7s %10s %10s %10s %10s %10s %7s\n", "section", "numbers", "within 5 %", "10 %", "mean off %",
           "90 % int.", "95 % int.", "in one");
    for (size_t i = 0; i < result.sections; i++) print_tally(&result.section[i]);
    print_tally(&result.all);
    printf("floors (%s; others had %.1f %% of the time): within 10 %%: %.1f %%, >= %.0f %% %s; "
           "90 %% intervals cover the other: %.1f %%, %.0f to %.0f %% %s\n",
           f.name, 100 * result.taken, close, f.within_10, close >= f.within_10 ? "holds" : "DOES NOT HOLD", covered,
           f.covered_low, f.covered_high,
           covered >= f.covered_low && covered <= f.covered_high ? "holds" : "DOES NOT HOLD");
    if (result.count)
        printf("%zu numbers differ by more than 10 %% or are only in one, those that differ most:\n", result.count);
    for (size_t i = 0; i < result.count && i < WORST; i++) {
        const struct miss *m = &result.misses[i];
        if (isnan(m->b))
            printf("  %-70s %12.4g            only in one\n", m->name, m->a);
        else
            printf("  %-70s %12.4g %12.4g %7.1f %%\n", m->name, m->a, m->b, 100 * m->off);
    }
}

static json_t *tally_json(const struct tally *t) {
    return json_pack("{s:s, s:I, s:f, s:f, s:f, s:I, s:f, s:f, s:I}", "section", t->section ? t->section : "all",
                     "numbers", (json_int_t)t->numbers, "within_5_percent", percent(t->within_5, t->numbers),
                     "within_10_percent", percent(t->within_10, t->numbers), "mean_difference_percent", mean_off(t),
                     "intervals", (json_int_t)t->intervals, "covered_90_percent", percent(t->covered_90, t->intervals),
                     "covered_95_percent", percent(t->covered_95, t->intervals), "only_in_one", (json_int_t)t->alone);
}

static int print_json(void) {
    struct floors f = floors();
    double close = percent(result.all.within_10, result.all.numbers);
    double covered = percent(result.all.covered_90, result.all.intervals);
    json_t *sections = json_array(), *misses = json_array();
    for (size_t i = 0; i < result.sections; i++) json_array_append_new(sections, tally_json(&result.section[i]));
    for (size_t i = 0; i < result.count; i++) {
        const struct miss *m = &result.misses[i];
        json_array_append_new(misses, json_pack("{s:s, s:f, s:o, s:f}", "name", m->name, "a", m->a, "b",
                                                isnan(m->b) ? json_null() : json_real(m->b), "difference_percent",
                                                100 * m->off));
    }
    json_t *verdict = json_pack("{s:s, s:f, s:b, s:f, s:f, s:b}", "machine", f.name, "within_10_percent", f.within_10,
                                "within_10_percent_holds", close >= f.within_10, "covered_low_percent", f.covered_low,
                                "covered_high_percent", f.covered_high, "covered_holds",
                                covered >= f.covered_low && covered <= f.covered_high);
    json_t *all = json_pack("{s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "pairs", (json_int_t)result.pairs, "processes",
                            (json_int_t)result.processes, "taken_by_others", result.taken, "all",
                            tally_json(&result.all), "sections", sections, "floors", verdict, "misses", misses);
    if (!all) return 1;
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(all);
    return 0;
}

int main(int argc, char **argv) {
    bool json = false;
    int at = 1, rc = 0;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
        if (!strcmp(argv[at], "--json"))
            json = true;
        else if (!strcmp(argv[at], "--taken") && at + 1 < argc)
            result.taken = strtod(argv[++at], NULL);
        else
            break;
    }
    if (argc - at < 2 || (argc - at) % 2 || !strncmp(argv[at], "--", 2)) {
        fprintf(stderr, "usage: agreement [--json] [--taken SHARE] A B [A B]...\n");
        return 2;
    }
    for (; at < argc && !rc; at += 2) rc = compare_files(argv[at], argv[at + 1]) ? 0 : 1;
    if (!rc && result.count) qsort(result.misses, result.count, sizeof *result.misses, by_off);
    if (!rc && json) rc = print_json();
    if (!rc && !json) print_text();
    free(result.misses);
    return rc;
}
