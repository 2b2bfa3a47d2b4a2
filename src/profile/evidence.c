/* What the numbers of a section rest on (evidence.h). */
#include "profile/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_S 20.0 /* of a measurement that has hardly begun nobody knows what is left */
#define PART 0.1     /* of the points, which may have seen fewer: those that are long, or found on the way */

static const struct {
    const char *kind, *section;
} sections[] = {
    {"empty requests", "pairs"},
    {"round trip", "pairs"},
    {"message starts", "pairs"},
    {"synchronous send", "pairs"},
    {"ring", "channels"},
    {"couples", "channels"},
    {"broadcast", "channels"},
    {"reduction", "channels"},
    {"packing", "channels"},
    {"copy", "copies"},
    {"total exchange", "classic"},
    {"barrier", "sync"},
    {"signal", "signals"},
    {"signals to many", "signals"},
    {"signals to many and back", "signals"},
    {"published word", "signals"},
    {"collective", "collectives"},
    {"rate", "kernels"},
    {"long run", "kernels"},
    {"exchange", "exchanges"},
    {"overlap", "overlap"},
    {"first time", "first"},
    {"interruptions", "interruptions"},
};
enum { KINDS = sizeof sections / sizeof *sections };

const char *sup_visited_section(const char *kind) {
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(sections[i].kind, kind)) return sections[i].section;
    return NULL;
}

static bool is_visited(const char *section) {
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(sections[i].section, section)) return true;
    return false;
}

static bool belongs(const sup_visited *v, const char *section, const char *transport) {
    const char *own = sup_visited_section(v->kind);
    if (!own || strcmp(own, section) != 0) return false;
    return !transport || (v->transport && !strcmp(v->transport, transport));
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t launches_of(const sup_visited *v) {
    size_t most = 0;
    for (size_t i = 0; i < v->found_count; i++)
        if (v->found[i].launch_count > most) most = v->found[i].launch_count;
    return (int64_t)most;
}

/* -1: there are no points, or no memory. */
static int64_t launches_in(const sup_profile *p, const char *section, const char *transport) {
    size_t count = 0;
    int64_t *each = malloc((p->visits_count + 1) * sizeof *each), few = -1;
    for (size_t i = 0; each && i < p->visits_count; i++)
        if (belongs(&p->visits[i], section, transport)) each[count++] = launches_of(&p->visits[i]);
    if (count) {
        qsort(each, count, sizeof *each, ascending);
        few = each[(size_t)(PART * (double)(count - 1))];
    }
    free(each);
    return few;
}

/* Rounds visit all points before any is visited again: a section whose points have seen several launches is whole, also
 * where the profile is not. */
sup_evidence sup_profile_evidence(const sup_profile *p, const char *section, const char *transport) {
    sup_evidence e = {.complete = true, .launches = -1};
    if (!is_visited(section) || p->composed) return e;
    e.launches = launches_in(p, section, transport);
    e.complete = !p->quality || p->quality->complete || e.launches >= SUP_EVIDENCE_LAUNCHES;
    return e;
}

bool sup_evidence_enough(const sup_evidence *e) {
    return e->complete && (e->launches < 0 || e->launches >= SUP_EVIDENCE_LAUNCHES);
}

double sup_profile_missing_s(const sup_profile *p, int64_t launches) {
    double spent = p->quality ? p->quality->spent_s : NAN, had = launches > 0 ? (double)launches : 0.5;
    if (!p->visits_count) return NAN;
    if (!(spent > 0)) return LEAST_S;
    double more = spent * (SUP_EVIDENCE_LAUNCHES - had) / had;
    return ceil(launches > 0 ? fmax(more, 1) : fmax(more, LEAST_S));
}
