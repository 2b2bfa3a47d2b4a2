/* superstep barrier synth: the barrier that fits the machine of a profile (choose/barrier/barrier.h), what it beat, and
 * a plan that has it. Term Tsync, stage choose. */
#include "base/file/file.h"
#include "base/text.h"
#include "choose/decide.h"
#include "cli/barrier/price.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define VERB SUP_BARRIER_VERB
enum { SHOWN = 8, BEATEN = 8 };

static sup_status say_why(sup_plan *plan, const sup_candidates *all, size_t choice) {
    const sup_candidate *taken = &all->at[choice], *usual = &all->at[all->usual];
    sup_plan_decision *d = sup_choose_say(plan, "barrier", taken->name, usual->name);
    if (!d) return SUP_ENOMEM;
    d->predicted_s = taken->cost.value;
    d->otherwise_s = usual->cost.value;
    d->measured_s = taken->measured_s;
    d->measured_otherwise_s = usual->measured_s;
    for (size_t i = 0; i < all->count && d->beaten_count < BEATEN; i++)
        if (i != choice && sup_choose_beat(d, all->at[i].name, all->at[i].cost.value, all->at[i].measured_s))
            return SUP_ENOMEM;
    return SUP_OK;
}

static sup_status make_plan(const sup_barrier_machine *m, const sup_candidates *all, size_t choice, sup_diag *diag,
                            sup_plan **out) {
    sup_choosing c = {m->profile, m->platform->transport, m->platform->processes, m->platform};
    sup_plan *plan = NULL;
    sup_status status = sup_choose_begin(&c, diag, &plan);
    if (status) return status;
    plan->barrier = sup_record_make(&sup_plan_barrier_record);
    status =
        plan->barrier ? sup_record_copy(&sup_plan_barrier_record, all->at[choice].record, plan->barrier) : SUP_ENOMEM;
    if (!status) status = say_why(plan, all, choice);
    if (status)
        sup_diag_set(diag, status, NULL, 0, "out of memory");
    else
        status = sup_plan_check(plan, diag);
    if (status)
        sup_plan_free(plan);
    else
        *out = plan;
    return status;
}

static int write_plan(const sup_barrier_request *r, const sup_barrier_machine *m, const sup_candidates *all,
                      size_t choice) {
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    if (!all->at[choice].record)
        return sup_cli_fail(VERB, SUP_EXIT_USAGE, "a plan cannot hold an irregular barrier for %" PRId64 " processes",
                            m->platform->processes);
    sup_status status = make_plan(m, all, choice, &diag, &plan);
    if (!status) status = sup_plan_put(plan, r->out, r->force, &diag);
    sup_plan_free(plan);
    return status ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
}

static int say_json(const sup_barrier_request *r, const sup_barrier_machine *m, const sup_candidates *all,
                    size_t choice) {
    json_t *beaten = json_array();
    for (size_t i = 0; i < all->count; i++)
        if (i != choice) json_array_append_new(beaten, sup_barrier_candidate_json(&all->at[i]));
    return sup_cli_emit(VERB, json_pack("{s:s,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "transport", m->platform->transport,
                                        "processes", (json_int_t)m->platform->processes, "choice",
                                        sup_barrier_candidate_json(&all->at[choice]), "cheapest",
                                        sup_barrier_candidate_json(&all->at[0]), "usual",
                                        sup_barrier_candidate_json(&all->at[all->usual]), "greedy",
                                        sup_barrier_candidate_json(&all->at[all->greedy]), "beaten", beaten, "plan",
                                        sup_cli_name(r->out)));
}

static void compare(const char *what, const sup_candidate *c, const sup_candidate *taken) {
    char text[SUP_UNIT_TEXT];
    sup_text_print(stdout, "  %s: %s, %s", what, c->name,
                   sup_unit_seconds(sup_candidate_seconds(c), text, sizeof text));
    printf(c == taken ? "\n" : ", %.2f times as long\n", sup_candidate_seconds(c) / sup_candidate_seconds(taken));
}

static void say(const sup_barrier_request *r, const sup_barrier_machine *m, const sup_candidates *all, size_t choice) {
    char text[SUP_UNIT_TEXT];
    const sup_candidate *taken = &all->at[choice];
    sup_text_print(stdout, "%" PRId64 " processes over %s: %s, %s %s\n", m->platform->processes, m->platform->transport,
                   taken->name, isfinite(taken->measured_s) ? "measured" : "predicted",
                   sup_unit_seconds(sup_candidate_seconds(taken), text, sizeof text));
    compare("usual", &all->at[all->usual], taken);
    compare("greedy algorithm", &all->at[all->greedy], taken);
    compare("cheapest prediction", &all->at[0], taken);
    printf("of %zu candidates:\n", all->count);
    sup_barrier_candidates_text(all, choice, SHOWN);
    if (r->out) sup_text_print(stdout, "%s: a plan with it, for `superstep run --plan`\n", r->out);
}

int sup_barrier_synth(const sup_barrier_request *r) {
    sup_diag diag = {0};
    sup_barrier_machine m;
    sup_candidates all = {0};
    size_t choice = 0;
    int code = sup_cli_check_out(VERB, r->out, SUP_FILE_PLAN, r->force);
    if (code) return code;
    code = sup_barrier_open_platform(r, r->processes, &m);
    if (code >= 0) return code;
    code = SUP_EXIT_OK;
    if (sup_candidates_find(m.platform, &diag, &all))
        code = sup_cli_fail_diag(VERB, &diag);
    else
        sup_candidates_choice(&all, &choice);
    if (!code && r->out) code = write_plan(r, &m, &all, choice);
    if (!code && r->json)
        code = say_json(r, &m, &all, choice);
    else if (!code)
        say(r, &m, &all, choice);
    sup_candidates_free(&all);
    sup_barrier_close_platform(&m);
    return code;
}
