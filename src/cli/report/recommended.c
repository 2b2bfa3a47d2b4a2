/* superstep report, chapter "Recommendations": what `superstep choose` decides by the same profile, as rows of the page
 * and as a plan beside it. */
#include "cli/report/recommended.h"

#include "base/file/file.h"
#include "choose/choose.h"
#include "cli/choose/duel.h"
#include "cli/frame/cli.h"
#include "cli/frame/plan_text.h"
#include "report/certainty.h"

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

static const sup_plan_beaten *beaten_of(const sup_plan_decision *d, const char *choice) {
    for (size_t i = 0; i < d->beaten_count; i++)
        if (!choice || !strcmp(d->beaten[i].choice, choice)) return &d->beaten[i];
    return NULL;
}

/* Of what is as it would be anyway, the next best says what that is worth; of what nobody confirmed what it promises.
 */
static void compare(const sup_plan_decision *d, sup_recommended *r) {
    const sup_plan_beaten *other = beaten_of(d, r->open ? d->proposed : NULL);
    if (r->open) {
        r->choice = d->proposed;
        r->instead = d->choice;
        r->command = "nothing yet: superstep choose, on the machine of the profile, fights the duel";
        r->low = d->gain_low;
        r->high = d->gain_high;
        if (other) r->predicted = d->predicted_s / other->predicted_s;
        if (other) r->measured = d->measured_s / other->measured_s;
    } else if (other) {
        r->instead = other->choice;
        r->predicted = other->predicted_s / d->predicted_s;
        r->measured = other->measured_s / d->measured_s;
    }
}

static const char *rest_of(const sup_profile *profile, const sup_plan *plan, const char *about, char text[SUP_REST]) {
    const char *sections[SUP_CHOOSE_RESTS + 1] = {0};
    bool over = false;
    for (const sup_decider *const *d = sup_deciders; *d; d++)
        for (int i = 0; i < SUP_CHOOSE_RESTS && !strcmp((*d)->name, about); i++) {
            sections[i] = (*d)->rests[i].section;
            over = over || (*d)->rests[i].over;
        }
    text[0] = 0;
    return sections[0] ? sup_certainty_rest(profile, sections, over ? plan->signature.transport : NULL, text) : text;
}

static void fill(const sup_profile *profile, const sup_plan *plan, const sup_plan_decision *d, sup_recommended *r) {
    *r = (sup_recommended){.about = d->about,
                           .where = d->where,
                           .choice = d->choice,
                           .changes = sup_plan_decision_confirmed(d),
                           .open = d->proposed && !d->duels_count && !sup_plan_decision_changes(d),
                           .predicted = sup_decision_predicted(d),
                           .measured = sup_decision_measured(d),
                           .low = d->gain_low,
                           .high = d->gain_high,
                           .reason = d->reason,
                           .command = d->command};
    r->duel = sup_decision_duel(d, &r->duel_ci);
    rest_of(profile, plan, d->about, r->rest);
    if (r->changes) {
        r->instead = d->otherwise;
        if (!r->command) r->command = SUP_RECOMMENDED_PLAN;
    } else {
        compare(d, r);
    }
    if (!r->changes && !r->command) r->command = "nothing to do: the default";
    if (r->reason && !strncmp(r->reason, "kept: ", 6)) r->reason += 6;
}

sup_status sup_recommending_make(const sup_profile *profile, bool duels, bool quiet, sup_diag *diag,
                                 sup_recommending *r) {
    sup_choose_lacks lacks;
    sup_dueling dueling = {.verb = "report", .profile = profile, .quiet = quiet};
    sup_choose_options options = {.duel = duels && !sup_dueling_here(profile, NULL, diag) ? sup_choose_duels : NULL,
                                  .duel_context = &dueling};
    sup_status st = sup_choose(profile, &options, diag, &r->plan, &lacks);
    if (st == SUP_ENOMEM || st == SUP_EINTR) return st;
    if (!st && lacks.count) sup_choose_lacks_text(&lacks, r->list.lacks);
    if (st || !r->plan->decisions_count) return SUP_OK;
    r->list.at = calloc(r->plan->decisions_count, sizeof *r->list.at);
    if (!r->list.at) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < r->plan->decisions_count; i++)
        fill(profile, r->plan, &r->plan->decisions[i], &r->list.at[i]);
    r->list.count = r->plan->decisions_count;
    r->list.plan = r->path[0] && !lacks.count ? r->path : NULL;
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
