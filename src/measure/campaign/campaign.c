/* A campaign from beginning to end (campaign.h): what can be wrong is found first; then generations of launches of
 * all targets, until the time is over, everything is as narrow as wanted, or somebody stops it. Stage "measure", all
 * terms. */
#include "measure/campaign/work.h"

#include "measure/comp/user.h"
#include "measure/launch/tool_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- before ---- */

/* Each is tried in a process of its own before anything is measured. */
static sup_status try_plugins(const sup_campaign *c, sup_diag *diag) {
    for (size_t i = 0; i < c->options.plugin_count; i++) {
        sup_user_kernel kernel;
        sup_status status = sup_user_kernel_load(c->options.plugins[i], NULL, diag, &kernel);
        if (status == SUP_EINVAL || status == SUP_ETIMEOUT) /* the command line is right, what it names is not */
            status = diag->status = SUP_EPARSE;
        if (status) return status;
        sup_user_kernel_unload(&kernel);
    }
    return SUP_OK;
}

static void warn_of_placement(sup_campaign *c) {
    const sup_usable *u = &c->usable;
    bool rates = c->options.kernel_count || c->options.plugin_count;
    if (c->processes == 1) sup_session_warn(c->session, SUP_WARNING_ONE_PROCESS, NULL);
    if (c->remote && rates) sup_session_warn(c->session, SUP_WARNING_RATES_OF_ONE_HOST, NULL);
    if (c->processes > 1 && c->placement.oversubscribed)
        sup_session_warn(c->session, SUP_WARNING_PROCESSES_TAKE_TURNS,
                         &(sup_about){.number = {c->processes, u->core_count}});
    if (u->cpu_quota > 0.0 && u->cpu_quota < u->core_count)
        sup_session_warn(c->session, SUP_WARNING_CPU_QUOTA, &(sup_about){.number = {u->cpu_quota, u->core_count}});
}

sup_status sup_campaign_open(const sup_campaign_options *options, sup_diag *diag, sup_campaign **out) {
    sup_session_options all = sup_session_defaults();
    sup_campaign *c = calloc(1, sizeof *c);
    if (!c) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    c->options = *options;
    c->processes = options->processes;
    c->net_count = options->net_count;
    memcpy(c->nets, options->nets, sizeof c->nets);
    memcpy(c->asked, options->asked, sizeof c->asked);
    c->folder = (sup_folder){.open = -1, .keeper = -1};
    sup_status status = sup_tool_find(c->options.tool, c->tool, sizeof c->tool, diag);
    if (!status) status = sup_campaign_check(c, diag);
    if (!status) status = sup_campaign_plan(c, diag);
    if (!status) status = sup_campaign_subjects(c, diag);
    if (!status) status = sup_campaign_begin(c, diag);
    if (!status) status = try_plugins(c, diag);
    if (!status) status = sup_session_open(&all, diag, &c->session);
    if (!status) warn_of_placement(c);
    if (status) {
        sup_campaign_close(c);
        return status;
    }
    *out = c;
    return SUP_OK;
}

void sup_campaign_close(sup_campaign *c) {
    if (!c) return;
    sup_folder_close(&c->folder);
    sup_session_close(c->session);
    for (int i = 0; i < c->subject_count; i++) {
        sup_subject *s = &c->subjects[i];
        while (s->warning_count) sup_warning_drop(s->warnings, &s->warning_count, s->warning_count - 1);
        free(s->warnings);
        free(s->places);
        sup_store_free(s->store);
    }
    while (c->kept_count) sup_warning_drop(c->kept, &c->kept_count, c->kept_count - 1);
    free(c->kept);
    sup_trace_free(c->recorded);
    sup_profile_free(c->profile);
    sup_placement_free(&c->placement);
    sup_policy_free(&c->policy);
    sup_hosts_free(&c->hosts);
    sup_usable_free(&c->usable);
    sup_topology_free(c->topology);
    free(c);
}

/* ---- the loop ---- */

/* After each generation of launches the file is what is known so far: a profile, whatever happens next. */
static sup_status keep(sup_campaign *c, sup_diag *diag) {
    sup_conditions_look(&c->around);
    sup_status status = sup_campaign_quality(c, diag);
    return status ? status : sup_campaign_save(c, false, diag);
}

static bool goes_on(sup_campaign *c) { return sup_campaign_look(c, "") == SUP_WISH_ON; }

static sup_status go_round(sup_campaign *c, sup_diag *diag) {
    sup_status status = SUP_OK;
    double seconds = 0.0;
    while (!status && goes_on(c) && (seconds = sup_campaign_generation_s(c)) > 0.0) {
        status = sup_campaign_generation(c, seconds, diag);
        if (!status) status = keep(c, diag);
    }
    if (!status && c->options.others && goes_on(c)) status = sup_campaign_record(c, diag);
    return status;
}

sup_status sup_campaign_run(sup_campaign *c, sup_diag *diag) {
    const char *beside = c->options.beside ? c->options.beside : c->options.file;
    sup_status status = sup_folder_open(beside ? beside : "/tmp/", diag, &c->folder);
    if (status) return status;
    sup_conditions_begin(NULL, &c->around);
    snprintf(c->now, sizeof c->now, "starting");
    status = go_round(c, diag);
    if (!status) status = keep(c, diag);
    sup_folder_close(&c->folder);
    return status;
}

/* ---- what came out ---- */

bool sup_campaign_interrupted(const sup_campaign *c) { return c->wish != SUP_WISH_ON; }
sup_profile *sup_campaign_profile(sup_campaign *c) { return c->profile; }
const sup_topology *sup_campaign_topology(const sup_campaign *c) { return c->topology; }
const sup_trace *sup_campaign_recorded(const sup_campaign *c) { return c->recorded; }
