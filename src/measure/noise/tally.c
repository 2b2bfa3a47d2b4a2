/* Medians of ratios, and rates of interruptions added up (noise/tally.h). */
#include "measure/noise/tally.h"

#include "base/list.h"
#include "base/number/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one term over one transport; a list. */
struct sup_noise_tally {
    sup_noise_tally *next;
    char term;
    char *transport; /* NULL: none */
    double *typical, *bad;
    size_t count;
};

static bool same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static sup_noise_tally **find(sup_noise_tally **tally, char term, const char *transport) {
    while (*tally && ((*tally)->term != term || !same((*tally)->transport, transport))) tally = &(*tally)->next;
    return tally;
}

static sup_noise_tally *make(char term, const char *transport) {
    sup_noise_tally *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->term = term;
    t->transport = transport ? strdup(transport) : NULL;
    if (!transport || t->transport) return t;
    free(t);
    return NULL;
}

static const char *name_of(char term) {
    switch (term) {
    case 'c': return "comp";
    case 'm': return "comm";
    case 's': return "sync";
    default: return NULL;
    }
}

sup_status sup_noise_tally_add(sup_noise_tally **tally, char term, const char *transport, double calm, double typical,
                               double bad) {
    if (!name_of(term) || !(calm > 0.0) || !isfinite(typical) || !isfinite(bad)) return SUP_OK;
    sup_noise_tally **at = find(tally, term, transport);
    if (!*at) *at = make(term, transport);
    sup_noise_tally *t = *at;
    if (!t || !sup_list_room(&t->typical, t->count, sizeof *t->typical) ||
        !sup_list_room(&t->bad, t->count, sizeof *t->bad))
        return SUP_ENOMEM;
    t->typical[t->count] = fmax(1.0, typical / calm);
    t->bad[t->count] = fmax(t->typical[t->count], bad / calm);
    t->count++;
    return SUP_OK;
}

static void clear(sup_profile *p) {
    for (size_t i = 0; i < p->noise_count; i++) sup_record_clear(&sup_noise_record, &p->noise[i]);
    free(p->noise);
    p->noise = NULL;
    p->noise_count = 0;
}

sup_status sup_noise_tally_fill(const sup_noise_tally *tally, sup_profile *p) {
    clear(p);
    for (const sup_noise_tally *t = tally; t; t = t->next) {
        if (!t->count) continue;
        sup_noise *noise = SUP_APPEND(&sup_noise_record, p->noise, p->noise_count);
        if (!noise) return SUP_ENOMEM;
        noise->typical = sup_stats_median(t->typical, t->count);
        noise->bad = sup_stats_median(t->bad, t->count);
        noise->points = (int64_t)t->count;
        sup_status status = sup_record_set_string(&noise->term, name_of(t->term));
        if (!status) status = sup_record_set_string(&noise->transport, t->transport);
        if (!status && !isfinite(noise->typical + noise->bad)) status = SUP_ENOMEM; /* what a median without is */
        if (status) {
            clear(p);
            return status;
        }
    }
    return SUP_OK;
}

void sup_noise_tally_free(sup_noise_tally *t) {
    while (t) {
        sup_noise_tally *next = t->next;
        free(t->bad);
        free(t->typical);
        free(t->transport);
        free(t);
        t = next;
    }
}

/* ---- interruptions ---- */

static bool same_classes(const sup_interruptions *a, const sup_interruptions *b) {
    return a->least_s_count == b->least_s_count && a->per_s_count == b->per_s_count &&
           !memcmp(a->least_s, b->least_s, a->least_s_count * sizeof *a->least_s);
}

static sup_interruptions *merged_with(sup_profile *p, const sup_interruptions *launch) {
    for (size_t i = 0; i < p->interruptions_count; i++)
        if (same(p->interruptions[i].transport, launch->transport) &&
            p->interruptions[i].processes == launch->processes)
            return &p->interruptions[i];
    return NULL;
}

sup_status sup_interruptions_merge(const sup_interruptions *launch, sup_profile *p) {
    if (!(launch->watched_s > 0.0)) return SUP_OK;
    sup_interruptions *sum = merged_with(p, launch);
    if (sum && same_classes(sum, launch)) {
        double all = sum->watched_s + launch->watched_s;
        for (size_t k = 0; k < sum->per_s_count; k++)
            sum->per_s[k] = (sum->per_s[k] * sum->watched_s + launch->per_s[k] * launch->watched_s) / all;
        for (size_t k = 1; k < sum->per_s_count; k++) sum->per_s[k] = fmin(sum->per_s[k], sum->per_s[k - 1]);
        sum->watched_s = all;
        return SUP_OK;
    }
    if (sum) /* classes of another version: what was watched for longer says more */
        return sum->watched_s < launch->watched_s ? sup_record_copy(&sup_interruptions_record, launch, sum) : SUP_OK;
    sum = SUP_APPEND(&sup_interruptions_record, p->interruptions, p->interruptions_count);
    if (!sum) return SUP_ENOMEM;
    sup_status status = sup_record_copy(&sup_interruptions_record, launch, sum);
    if (status) sup_record_clear(&sup_interruptions_record, &p->interruptions[--p->interruptions_count]);
    return status;
}
