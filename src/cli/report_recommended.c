/* superstep report, chapter "Recommendations": what `superstep choose` decides by the same profile, as rows of the page
 * and as a plan beside it. */
#include "cli/report_recommended.h"

#include "base/file.h"
#include "choose/choose.h"
#include "cli/cli.h"
#include "cli/plan_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sup_recommending_open(const char *verb, const char *page, bool force, sup_recommending *out) {
    const char *dot = strrchr(page, '.'), *slash = strrchr(page, '/');
    int length = dot && dot != page && (!slash || dot > slash + 1) ? (int)(dot - page) : (int)strlen(page);
    *out = (sup_recommending){.force = force};
    if (sup_file_is_stream(page)) return SUP_EXIT_OK; /* there is no place beside it */
    if (snprintf(out->path, sizeof out->path, "%.*s-plan.json", length, page) >= (int)sizeof out->path)
        return sup_cli_fail(verb, SUP_EXIT_FILE, "--out: the name is too long");
    return sup_cli_check_out(verb, out->path, SUP_FILE_PLAN, force);
}

/* Of what is as it would be anyway, the next best says what that is worth. */
static void fill(const sup_plan_decision *d, sup_recommended *r) {
    const sup_plan_beaten *next = d->beaten_count ? &d->beaten[0] : NULL;
    *r = (sup_recommended){.about = d->about,
                           .where = d->where,
                           .choice = d->choice,
                           .changes = sup_decision_changes(d),
                           .predicted = sup_decision_predicted(d),
                           .measured = sup_decision_measured(d),
                           .reason = d->reason,
                           .command = d->command};
    if (r->changes) {
        r->instead = d->otherwise;
        if (!r->command) r->command = SUP_RECOMMENDED_PLAN;
    } else if (next) {
        r->instead = next->choice;
        r->predicted = next->predicted_s / d->predicted_s;
        r->measured = next->measured_s / d->measured_s;
    }
    if (!r->changes && !r->command) r->command = "nothing to do: the default";
    if (r->reason && !strncmp(r->reason, "kept: ", 6)) r->reason += 6;
}

sup_status sup_recommending_make(const sup_profile *profile, sup_diag *diag, sup_recommending *r) {
    sup_choose_options options = {0};
    sup_status st = sup_choose(profile, &options, diag, &r->plan);
    if (st == SUP_ENOMEM) return st;
    if (st || !r->plan->decisions_count) return SUP_OK;
    r->list.at = calloc(r->plan->decisions_count, sizeof *r->list.at);
    if (!r->list.at) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < r->plan->decisions_count; i++) fill(&r->plan->decisions[i], &r->list.at[i]);
    r->list.count = r->plan->decisions_count;
    r->list.plan = r->path[0] ? r->path : NULL;
    return SUP_OK;
}

int sup_recommending_write(const char *verb, const sup_recommending *r) {
    sup_diag diag = {0};
    if (!r->list.plan) return SUP_EXIT_OK;
    return sup_plan_put(r->plan, r->path, r->force, &diag) ? sup_cli_fail_diag(verb, &diag) : SUP_EXIT_OK;
}

json_t *sup_recommending_json(const sup_recommending *r) {
    json_t *plan = NULL;
    sup_diag diag = {0};
    if (!r->list.count || sup_record_write(sup_plan_file.record, r->plan, &diag, &plan)) return json_null();
    json_t *decisions = json_incref(json_object_get(plan, "decisions"));
    json_decref(plan);
    return decisions;
}

void sup_recommending_close(sup_recommending *r) {
    free(r->list.at);
    sup_plan_free(r->plan);
    *r = (sup_recommending){0};
}
