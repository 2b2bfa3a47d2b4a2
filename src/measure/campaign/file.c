/* The profile of a campaign before, while and after it is made (campaign/work.h): what may be overwritten, and what can
 * be gone on with. Stage "measure", all terms. */
#include "measure/campaign/work.h"

#include "base/file/file.h"
#include "profile/composed.h"

#include <stdlib.h>
#include <string.h>

static sup_status no_memory(sup_diag *diag) { return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory"); }

/* ---- the file ---- */

static sup_status check_new(sup_campaign *c, sup_diag *diag) {
    const char *file = c->options.file;
    c->over = c->options.force || c->options.resume;
    c->stream = sup_file_is_stream(file);
    sup_status status = sup_file_check(file, SUP_FILE_PROFILE, true, diag);
    if (!status && !c->over && !c->stream && !sup_file_is_nothing(file))
        status = sup_diag_set(diag, SUP_EIO, file, 0, "exists; --force replaces it, --resume goes on with it");
    return status;
}

sup_status sup_campaign_check(sup_campaign *c, sup_diag *diag) {
    const char *file = c->options.file;
    if (!file) return SUP_OK;
    if (!*file) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--out: the name is empty");
    sup_status status = check_new(c, diag);
    if (status || !c->options.resume || c->stream || sup_file_is_nothing(file)) return status;
    status = sup_profile_read(file, false, diag, &c->profile);
    if (!status) status = sup_profile_measured(c->profile, file, diag);
    if (!status && !c->processes) c->processes = (int)c->profile->signature.processes;
    return status;
}

sup_status sup_campaign_save(sup_campaign *c, bool last, sup_diag *diag) {
    if (!c->options.file || (c->stream && !last)) return SUP_OK;
    sup_status status = sup_profile_put(c->profile, c->options.file, c->over, diag);
    c->over |= !status; /* it is our own now */
    return status;
}

/* ---- going on ---- */

static sup_status describe(const sup_campaign *c, sup_origin *origin) {
    return sup_origin_set(origin, c->topology, &c->policy, &c->placement, c->net_count ? c->nets[0] : "self");
}

/* A profile of another machine, or of other processes, cannot be gone on with. Transports may be added. */
static sup_status match(const sup_campaign *c, sup_diag *diag) {
    sup_origin here;
    sup_diag why = {0};
    const sup_profile *p = c->profile;
    sup_record_init(&sup_origin_record, &here);
    sup_status status = describe(c, &here);
    if (!status) status = sup_record_set_string(&here.transport, p->signature.transport);
    if (!status && sup_origin_match(&p->signature, &here, 0, &why))
        status =
            sup_diag_set(diag, SUP_EMISMATCH, NULL, 0, "%s: cannot be gone on with: %s", c->options.file, why.text);
    else if (status)
        no_memory(diag);
    sup_record_clear(&sup_origin_record, &here);
    return status;
}

/* Numbers that nobody knows the origin of could only be thrown away, and quantiles of different shares have no mean. */
static sup_status check_visits(const sup_campaign *c, sup_diag *diag) {
    const sup_profile *p = c->profile;
    const char *file = c->options.file;
    if (!p->visits_count && !(p->kernels_count || p->pairs_count || p->channels_count || p->sync_count)) return SUP_OK;
    if (!p->visits_count)
        return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0,
                            "%s: cannot be gone on with: an earlier version made it, and did not keep what each launch "
                            "found; --force measures anew",
                            file);
    if (p->quality && p->quality->calm_share == SUP_FOUND_LOW) return SUP_OK;
    return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0,
                        "%s: cannot be gone on with: an earlier version made it, whose calm values are another "
                        "quantile of the batches than the %g %% of this one; --force measures anew",
                        file, 100.0 * SUP_FOUND_LOW);
}

/* Is a warning of the last time about what is measured again now, and will then be said again if it is still so? */
static bool said_anew(const sup_campaign *c, const sup_warning *w) {
    bool rates = c->subject_count && c->subjects[0].kind->alone;
    if (sup_warning_in(w, "run") || (sup_warning_in(w, "kernels") && rates)) return true;
    for (int i = 0; i < c->net_count; i++)
        if (sup_warning_over(w, c->nets[i])) return true;
    return false;
}

/* What was said about the machine remains true of what was measured then; of several of a kind the last is kept. */
static bool said_later(const sup_quality *q, size_t at) {
    for (size_t i = at + 1; i < q->warnings_count; i++)
        if (!strcmp(q->warnings[i].code, q->warnings[at].code)) return true;
    return false;
}

static sup_status keep_warnings(sup_campaign *c) {
    const sup_quality *q = c->profile->quality;
    sup_status status = SUP_OK;
    for (size_t i = 0; q && i < q->warnings_count && !status; i++) {
        const sup_warning *w = &q->warnings[i];
        const sup_warning_kind *kind = sup_warning_kind_of(w);
        bool machine = sup_warning_in(w, "machine");
        if (machine ? said_later(q, i) : said_anew(c, w)) continue;
        size_t before = c->kept_count;
        status = sup_warning_add_copy(&c->kept, &c->kept_count, w);
        if (!status && machine && c->kept_count > before) status = sup_warning_age(&c->kept[before]);
        c->had_unfinished |= kind && kind->unfinished;
    }
    return status;
}

static sup_status take_visits(sup_campaign *c) {
    const sup_profile *p = c->profile;
    sup_status status = SUP_OK;
    for (size_t i = 0; i < p->visits_count && !status; i++) {
        const sup_visited *v = &p->visits[i];
        for (size_t f = 0; f < v->found_count; f++)
            for (size_t k = 0; k < v->found[f].launch_count; k++)
                if (v->found[f].launch[k] > c->launch) c->launch = v->found[f].launch[k];
        for (int s = 0; s < c->subject_count && !status; s++)
            if (sup_subject_has(&c->subjects[s], v))
                status = sup_store_read(c->subjects[s].store, c->subjects[s].transport, v, 1);
    }
    return status;
}

static sup_status go_on(sup_campaign *c, sup_diag *diag) {
    const sup_quality *q = c->profile->quality;
    sup_status status = match(c, diag);
    if (!status) status = check_visits(c, diag);
    if (status) return status;
    c->spent_before_s = q && q->spent_s > 0.0 ? q->spent_s : 0.0;
    return keep_warnings(c) || take_visits(c) ? no_memory(diag) : SUP_OK;
}

sup_status sup_campaign_begin(sup_campaign *c, sup_diag *diag) {
    if (c->profile) return go_on(c, diag);
    sup_status status = sup_profile_new(-1, diag, &c->profile);
    if (status) return status;
    return describe(c, &c->profile->signature) ? no_memory(diag) : SUP_OK;
}
