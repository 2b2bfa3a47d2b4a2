/* superstep show of a plan: what was decided and why, for people (plan_text.h), or the plan itself as JSON. */
#include "cli/show/plan.h"

#include "cli/frame/cli.h"
#include "report/plan_text.h"

#define VERB "show"

int sup_show_plan(const sup_json *doc, bool json) {
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    json_t *value = NULL;
    if (sup_plan_parse(doc, false, &diag, &plan)) return sup_cli_fail_diag(VERB, &diag);
    int code = SUP_EXIT_OK;
    if (!json && sup_plan_say(plan, stdout))
        code = sup_cli_no_memory(VERB);
    else if (json)
        code = sup_record_write(sup_plan_file.record, plan, &diag, &value) ? sup_cli_fail_diag(VERB, &diag)
                                                                           : sup_cli_emit(VERB, value);
    sup_plan_free(plan);
    return code;
}
