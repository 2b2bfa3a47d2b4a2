/* The sections of a net target (sections.h), in order. Stage "measure", Tcomm and Tsync. */
#include "measure/campaign/sections.h"

#include "measure/collective/work.h"
#include "measure/exchange/classic.h"
#include "measure/exchange/copy.h"
#include "measure/exchange/exchanges.h"
#include "measure/exchange/first.h"
#include "measure/exchange/overlap.h"
#include "measure/sync/signal.h"
#include "measure/sync/sync.h"

#include <stdlib.h>

static sup_status ask_pairs(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                            sup_diag *diag) {
    return sup_measure_pairs(lab, session, &o->pairs, profile, diag);
}

static sup_status ask_sync(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                           sup_diag *diag) {
    (void)o;
    return sup_measure_sync(lab, session, profile, diag);
}

static sup_status ask_signals(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                              sup_diag *diag) {
    (void)o;
    return sup_measure_signals(lab, session, profile, diag);
}

static sup_status ask_classic(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                              sup_diag *diag) {
    (void)o;
    return sup_measure_classic(lab, session, profile, diag);
}

static sup_status ask_taulop(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                             sup_diag *diag) {
    return sup_measure_taulop(lab, session, &o->taulop, profile, diag);
}

static sup_status ask_memcpy(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                             sup_diag *diag) {
    (void)o;
    return sup_measure_memcpy(lab, session, profile, diag);
}

static sup_status ask_exchanges(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                                sup_diag *diag) {
    (void)o;
    return sup_measure_exchanges(lab, session, profile, diag);
}

static sup_status ask_collectives(sup_lab *lab, const sup_sections_options *o, sup_session *session,
                                  sup_profile *profile, sup_diag *diag) {
    (void)o;
    return sup_measure_collectives(lab, session, profile, diag);
}

static sup_status ask_first(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                            sup_diag *diag) {
    (void)o;
    return sup_measure_first(lab, session, profile, diag);
}

/* Of the usual engine, and of the one whose transfers begin at the sync. */
static sup_status ask_overlap(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                              sup_diag *diag) {
    (void)o;
    sup_status usual = sup_measure_overlap(lab, session, NULL, profile, diag);
    if (usual && usual != SUP_ETIMEOUT) return usual;
    sup_status bulk = sup_measure_overlap(lab, session, "bulk", profile, diag);
    return bulk ? bulk : usual;
}

/* What interrupts everybody: it fills nothing here, measure/noise/noise.h does that from all launches. */
static sup_status ask_gaps(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                           sup_diag *diag) {
    (void)o;
    (void)profile;
    sup_timing t;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    sup_trial trial = sup_trial_of(SUP_TRIAL_INTERRUPTIONS, everybody, 1, lab->size, 0);
    sup_status status = sup_lab_ask(lab, session, "interruptions", &trial, diag, &t);
    free(everybody);
    return status;
}

static const struct {
    unsigned bit;
    sup_status (*ask)(sup_lab *lab, const sup_sections_options *options, sup_session *session, sup_profile *profile,
                      sup_diag *diag);
} sections[] = {{SUP_MEASURE_SYNC, ask_sync},         {SUP_MEASURE_SYNC, ask_signals},
                {SUP_MEASURE_CLASSIC, ask_classic},   {SUP_MEASURE_EXCHANGES, ask_exchanges},
                {SUP_MEASURE_PAIRS, ask_pairs},       {SUP_MEASURE_FIRST, ask_first},
                {SUP_MEASURE_TAULOP, ask_taulop},     {SUP_MEASURE_COLLECTIVES, ask_collectives},
                {SUP_MEASURE_MEMCPY, ask_memcpy},     {SUP_MEASURE_OVERLAP, ask_overlap},
                {SUP_MEASURE_INTERRUPTIONS, ask_gaps}};

sup_status sup_sections_ask(sup_lab *lab, const sup_sections_options *o, sup_session *session, sup_profile *profile,
                            sup_diag *diag) {
    bool missing = false;
    if (lab->oversubscribed)
        sup_session_warn(session, SUP_WARNING_SHORT_OF_CORES, &(sup_about){.transport = lab->transport});
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        if (o->parts && !(o->parts & sections[k].bit)) continue;
        sup_budget_enter(&lab->budget, sections[k].bit);
        sup_status status = sections[k].ask(lab, o, session, profile, diag);
        missing |= status == SUP_ETIMEOUT;
        if (status && status != SUP_ETIMEOUT) return status;
    }
    return missing ? SUP_ETIMEOUT : SUP_OK;
}
