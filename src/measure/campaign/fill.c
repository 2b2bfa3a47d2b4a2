/* What the launches of a campaign found becomes a profile (campaign/work.h): stores, sections, noise, and how far all
 * of it can be trusted. Stage "measure", all terms. */
#include "measure/campaign/work.h"

#include "measure/noise/noise.h"
#include "measure/noise/tally.h"
#include "measure/store/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISTURBED 0.10 /* of the batches; an idle machine loses about 1 % to timers and kernel threads */
#define NARROW 0.05    /* unless something else is wanted */

static sup_status no_memory(sup_diag *diag) { return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory"); }

/* ---- whose is it ---- */

static bool same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

bool sup_subject_has(const sup_subject *s, const sup_visited *v) { return same(v->transport, s->transport); }

/* ---- merging ---- */

/* Where the processes were; rates do not depend on it. */
static sup_status take_places(const sup_campaign *c, sup_subject *s, const sup_result *r) {
    sup_rank_place *places = NULL;
    int size = 0;
    bool needed = s->kind == &sup_target_net;
    sup_status status = r->places_count ? sup_places_read(r->places, r->places_count, &places, &size) : SUP_OK;
    if (!status && needed && size != c->placement.count) status = SUP_EPARSE;
    if (status) {
        free(places);
        return status;
    }
    free(s->places);
    s->places = places;
    s->oversubscribed = r->oversubscribed;
    return SUP_OK;
}

static void forget_warnings(sup_subject *s) {
    while (s->warning_count) sup_warning_drop(s->warnings, &s->warning_count, s->warning_count - 1);
}

sup_status sup_subject_merge(sup_campaign *c, sup_subject *s, const sup_result *r, sup_diag *diag) {
    sup_status status = sup_store_read(s->store, s->transport, r->visits, r->visits_count);
    if (!status) status = take_places(c, s, r);
    if (!status && r->interruptions) status = sup_interruptions_merge(r->interruptions, c->profile);
    forget_warnings(s);
    for (size_t i = 0; i < r->warnings_count && !status; i++)
        status = sup_warning_add_copy(&s->warnings, &s->warning_count, &r->warnings[i]);
    if (status == SUP_EPARSE) return sup_diag_set(diag, status, NULL, 0, "a launch has left a wrong result");
    return status ? no_memory(diag) : SUP_OK;
}

/* ---- sections ---- */

static void count_narrow(const sup_campaign *c, sup_subject *s) {
    double wanted = c->options.until > 0.0 ? c->options.until : NARROW;
    size_t within = 0;
    s->points = s->narrow = 0;
    for (size_t i = 0; i < sup_store_count(s->store); i++) {
        const sup_point *p = sup_store_at(s->store, i);
        if (p->status || !sup_trial_kinds[p->trial.kind].term) continue; /* no time */
        double width = sup_store_width(s->store, p);
        s->points++;
        s->narrow += width <= NARROW;
        within += width <= wanted;
    }
    s->wide = s->points ? 1.0 - (double)within / (double)s->points : 1.0;
}

static bool is_ours(const sup_campaign *c, const sup_visited *v) {
    for (int i = 0; i < c->subject_count; i++)
        if (sup_subject_has(&c->subjects[i], v)) return true;
    return false;
}

/* Visits of what is not measured this time stay. */
static sup_status write_visits(sup_campaign *c) {
    sup_profile *p = c->profile;
    sup_status status = SUP_OK;
    size_t kept = 0;
    for (size_t i = 0; i < p->visits_count; i++) {
        if (is_ours(c, &p->visits[i]))
            sup_record_clear(&sup_visited_record, &p->visits[i]);
        else
            p->visits[kept++] = p->visits[i];
    }
    p->visits_count = kept;
    for (int k = 0; k < c->subject_count && !status; k++) {
        sup_visited *list = NULL;
        size_t count = 0;
        status = sup_store_write(c->subjects[k].store, c->subjects[k].transport, false, &list, &count);
        for (size_t i = 0; i < count; i++) {
            sup_visited *to = status ? NULL : SUP_APPEND(&sup_visited_record, p->visits, p->visits_count);
            if (to) {
                *to = list[i];
                continue;
            }
            sup_record_clear(&sup_visited_record, &list[i]);
            status = SUP_ENOMEM;
        }
        free(list);
    }
    return status;
}

static sup_status fill_noise(sup_campaign *c) {
    const sup_store *stores[SUP_SUBJECTS];
    const char *transports[SUP_SUBJECTS];
    for (int i = 0; i < c->subject_count; i++) {
        stores[i] = c->subjects[i].store;
        transports[i] = c->subjects[i].transport;
    }
    return sup_noise_fill(stores, transports, (size_t)c->subject_count, c->profile);
}

/* Sections say what they have to say in a session of their own: the next launch makes all of it anew. */
sup_status sup_campaign_fill(sup_campaign *c, sup_subject *s, const sup_request *request, sup_diag *diag) {
    sup_session *session = NULL;
    sup_session_options options = sup_session_defaults();
    sup_lab lab = {.size = s->kind->alone ? 1 : c->placement.count,
                   .transport = s->transport,
                   .oversubscribed = s->oversubscribed,
                   .places = s->places,
                   .store = s->store};
    sup_status status = sup_session_open(&options, diag, &session);
    if (status) return status;
    sup_store_settle(s->store);
    status = s->kind->fill(&lab, request, session, c->profile, diag);
    if (status == SUP_ETIMEOUT || status == SUP_ENOTSUP) status = SUP_OK; /* a part is left out */
    size_t count;
    const sup_warning *said = sup_session_warnings(session, &count);
    for (size_t i = 0; i < count && !status; i++)
        if (sup_warning_add_copy(&s->warnings, &s->warning_count, &said[i])) status = no_memory(diag);
    sup_session_close(session);
    count_narrow(c, s);
    if (!status && (write_visits(c) || fill_noise(c))) status = no_memory(diag);
    return status;
}

/* ---- quality ---- */

bool sup_campaign_complete(const sup_campaign *c) {
    for (int i = 0; i < c->subject_count; i++)
        if (!c->subjects[i].gone && !c->subjects[i].complete) return false;
    return !c->had_unfinished;
}

static sup_status add_all(sup_quality *q, const sup_warning *list, size_t count) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = sup_warning_add_copy(&q->warnings, &q->warnings_count, &list[i]);
    return status;
}

static sup_status add_warnings(sup_campaign *c, sup_quality *q) {
    size_t count;
    const sup_warning *own = sup_session_warnings(c->session, &count);
    sup_status status = add_all(q, c->kept, c->kept_count);
    if (!status) status = add_all(q, own, count);
    if (!status) status = sup_modes_warn(c->profile, &q->warnings, &q->warnings_count);
    if (!status) status = sup_conditions_warn(&c->around, &q->warnings, &q->warnings_count);
    if (!status && q->rejection_rate > DISTURBED)
        status = sup_warning_add(&q->warnings, &q->warnings_count, SUP_WARNING_MACHINE_DISTURBED,
                                 &(sup_about){.number = {q->rejection_rate}});
    for (int i = 0; i < c->subject_count && !status; i++)
        status = add_all(q, c->subjects[i].warnings, c->subjects[i].warning_count);
    for (int i = 0; i < c->subject_count && !status && c->wish != SUP_WISH_ON; i++) {
        const sup_subject *s = &c->subjects[i];
        if (s->transport && !s->gone && !s->complete)
            status = sup_warning_add(&q->warnings, &q->warnings_count, SUP_WARNING_INTERRUPTED,
                                     &(sup_about){.transport = s->transport});
    }
    return status;
}

sup_status sup_campaign_quality(sup_campaign *c, sup_diag *diag) {
    const sup_clock *clock = sup_session_clock(c->session);
    uint64_t batches = sup_session_batches(c->session);
    sup_quality *q = sup_record_make(&sup_quality_record);
    if (!q) return no_memory(diag);
    q->rejection_rate = batches ? fmin(1.0, (double)sup_session_dropped(c->session) / (double)batches) : 0.0;
    q->budget_s = c->budget_s;
    q->spent_s = c->spent_before_s + sup_session_spent(c->session);
    q->complete = sup_campaign_complete(c);
    q->busy = sup_conditions_busy(&c->around) || q->rejection_rate > DISTURBED;
    q->clock_resolution_s = clock->resolution_s;
    q->clock_overhead_s = clock->overhead_s;
    q->calm_share = SUP_FOUND_LOW;
    if (c->profile->quality) {
        sup_record_clear(&sup_quality_record, c->profile->quality);
        free(c->profile->quality);
    }
    c->profile->quality = q;
    return add_warnings(c, q) ? no_memory(diag) : SUP_OK;
}
