/* superstep report, chapter "Recommendations": what `superstep choose` decides by the same profile, for the page
 * and as a plan beside it. */
#include "cli/report/recommended.h"

#include "base/file/file.h"
#include "choose/choose.h"
#include "cli/choose/duel.h"
#include "cli/frame/cli.h"

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

sup_status sup_recommending_make(const sup_profile *profile, bool duels, bool quiet, sup_diag *diag,
                                 sup_recommending *r) {
    sup_choose_lacks lacks;
    sup_dueling dueling = {.verb = "report", .profile = profile, .quiet = quiet};
    sup_choose_options options = {.duel = duels && !sup_dueling_here(profile, NULL, diag) ? sup_choose_duels : NULL,
                                  .duel_context = &dueling};
    sup_status st = sup_choose(profile, &options, diag, &r->plan, &lacks);
    if (st == SUP_ENOMEM || st == SUP_EINTR) return st;
    if (!st && lacks.count) sup_choose_lacks_text(&lacks, r->lacks);
    if (!st && !lacks.count && r->plan->decisions_count && r->path[0]) r->file = r->path;
    return SUP_OK;
}

int sup_recommending_write(const char *verb, const sup_recommending *r) {
    sup_diag diag = {0};
    if (!r->file) return SUP_EXIT_OK;
    return sup_plan_put(r->plan, r->path, r->force, &diag) ? sup_cli_fail_diag(verb, &diag) : SUP_EXIT_OK;
}

json_t *sup_recommending_json(const sup_recommending *r) {
    json_t *plan = NULL;
    sup_diag diag = {0};
    if (!r->plan || !r->plan->decisions_count || sup_record_write(sup_plan_file.record, r->plan, &diag, &plan))
        return json_null();
    json_t *decisions = json_incref(json_object_get(plan, "decisions"));
    json_decref(plan);
    return decisions;
}

void sup_recommending_close(sup_recommending *r) {
    sup_plan_free(r->plan);
    *r = (sup_recommending){0};
}
