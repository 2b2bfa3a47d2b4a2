/* superstep taulop eval: a τ-Lop expression as the papers write it, simplified, and priced on a profile. Tcomm, stage
 * model; superstep-taulop(1) is the manual. */
#include "cli/taulop/eval.h"

#include "cli/frame/cli.h"
#include "cli/machine/machine.h"
#include "measure/campaign/campaign.h"
#include "model/taulop/taulop.h"
#include "report/page/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "taulop eval"

typedef struct request {
    const char *text, *profile, *transport, *evaluator;
    bool simplify, json;
} request;

/* What there is to say. */
typedef struct answer {
    sup_exprs *x;
    sup_profile *profile;
    sup_taulop_costs *costs; /* NULL: without a profile */
    const char *transport;
    const sup_expr *given, *simple;
} answer;

static const char *evaluator_word(size_t index) {
    for (size_t i = 0; sup_evaluators[i]; i++)
        if (i == index) return sup_evaluators[i]->name;
    return NULL;
}

static const sup_option options[] = {
    SUP_FILE("profile", request, profile, "of the machine; without it nothing is priced"),
    {"transport", .value = "NAME", SUP_TO(request, transport), .word = sup_campaign_net,
     .help = "whose channels (default: that of the profile's run)"},
    {"net", .value = "NAME", SUP_TO(request, transport), .word = sup_campaign_net, .hidden = true,
     .help = "the same, as other verbs call it"},
    {"evaluator", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(request, evaluator), .word = evaluator_word,
     .help = "only by this one: {words} (default: by all)"},
    SUP_FLAG("simplify", request, simplify, "only the simplified expression, as it can be given again"),
    SUP_FLAG("json", request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

static const sup_verb verb = {
    .name = VERB,
    .summary = "price a \u03c4-Lop expression",
    .usage = "superstep taulop eval EXPR [--profile FILE] [--transport NAME]\n"
             "                  [--evaluator NAME] [--simplify] [--json]",
    .about = "EXPR is made of transmissions T0(64K) (channel and bytes; T1(1M, 4): 4 of them), transfers L0(8K, 2), "
             "folds G(8K) and waits W(1us); X + Y is one after the other, X || Y at the same time, 4 || X four of them "
             "at the same time, 3 * X three one after the other. A number takes what comes next, then || binds, then "
             "+; brackets nest.",
    .more = "Ends with 0, 2 if the command line or the expression is wrong, 3 if a file cannot be read or a channel is "
            "not measured, 5 if the system refuses.",
    .options = options,
    .most = 1,
};

/* To be freed; NULL: no memory. */
static char *text_of(const sup_expr *e, bool plain) {
    size_t length = sup_expr_print(e, plain, NULL, 0);
    char *text = malloc(length + 1);
    if (text) sup_expr_print(e, plain, text, length + 1);
    return text;
}

static sup_status open_costs(const request *r, answer *a, sup_diag *diag) {
    if (!r->profile) return SUP_OK;
    sup_status status = sup_machine_read(r->profile, diag, &a->profile);
    if (status) return status;
    a->transport = r->transport ? r->transport : a->profile->signature.transport;
    if (!a->transport) a->transport = "shm";
    status = sup_taulop_open(a->profile, a->transport, diag, &a->costs);
    if (status) snprintf(diag->file, sizeof diag->file, "%s", r->profile);
    return status;
}

static sup_status work_out(const request *r, answer *a, sup_diag *diag) {
    a->x = sup_exprs_new();
    if (!a->x) return sup_diag_no_memory(diag);
    sup_status status = sup_expr_read(a->x, r->text, diag, &a->given);
    if (!status) status = open_costs(r, a, diag);
    if (!status && a->costs) {
        status = sup_taulop_check(a->costs, a->given, diag);
        if (status) snprintf(diag->file, sizeof diag->file, "%s", r->profile);
    }
    if (status) return status;
    status = sup_expr_simplify(a->x, a->given, a->costs, &a->simple);
    if (status == SUP_EINVAL) return sup_diag_set(diag, status, NULL, 0, "too many repetitions beside one another");
    return status ? sup_diag_set(diag, status, NULL, 0, "cannot simplify: %s", sup_status_text(status)) : status;
}

static bool is_wanted(const request *r, const sup_evaluator *e) {
    return !r->evaluator || !strcmp(r->evaluator, e->name);
}

static sup_status say_json(const request *r, const answer *a, sup_diag *diag, int *code) {
    static const char *const keys[] = {"expression", "plain", "simplified", "simplified_plain"};
    json_t *all = json_object(), *seconds = json_object();
    for (int k = 0; k < 4; k++) {
        char *text = text_of(k < 2 ? a->given : a->simple, k % 2);
        json_object_set_new(all, keys[k], text ? json_string(text) : NULL);
        free(text);
    }
    json_object_set_new(all, "transmissions", json_real(sup_expr_transmissions(a->given)));
    if (a->costs) json_object_set_new(all, "transport", sup_cli_name(a->transport));
    sup_status status = SUP_OK;
    for (size_t i = 0; sup_evaluators[i] && a->costs && !status; i++) {
        double value = 0;
        if (!is_wanted(r, sup_evaluators[i])) continue;
        status = sup_taulop_cost(a->costs, sup_evaluators[i], a->given, diag, &value);
        if (!status) json_object_set_new(seconds, sup_evaluators[i]->name, json_real(value));
    }
    if (a->costs)
        json_object_set_new(all, "seconds", seconds);
    else
        json_decref(seconds);
    if (status)
        json_decref(all);
    else
        *code = sup_cli_emit(VERB, all);
    return status;
}

static sup_status say_text(const request *r, const answer *a, sup_diag *diag) {
    char *given = text_of(a->given, false), *simple = text_of(a->simple, false), unit[SUP_UNIT_TEXT];
    sup_status status = given && simple ? SUP_OK : sup_diag_no_memory(diag);
    if (!status) printf("expression  %s\nsimplified  %s\n", given, simple);
    for (size_t i = 0; sup_evaluators[i] && a->costs && !status; i++) {
        double value = 0;
        if (!is_wanted(r, sup_evaluators[i])) continue;
        status = sup_taulop_cost(a->costs, sup_evaluators[i], a->given, diag, &value);
        if (!status)
            printf("%-10s  %s, %s\n", sup_evaluators[i]->name, sup_unit_seconds(value, unit, sizeof unit),
                   sup_evaluators[i]->summary);
    }
    free(given);
    free(simple);
    return status;
}

static sup_status say(const request *r, const answer *a, sup_diag *diag, int *code) {
    if (r->json) return say_json(r, a, diag, code);
    if (!r->simplify) return say_text(r, a, diag);
    char *text = text_of(a->simple, true);
    if (!text) return sup_diag_no_memory(diag);
    puts(text);
    free(text);
    return SUP_OK;
}

/* A mistake in the expression has its place on two more lines. */
static int fail(sup_diag *diag) {
    char *place = strchr(diag->text, '\n');
    if (place) *place++ = '\0';
    int code = sup_cli_fail_diag(VERB, diag);
    if (place) fprintf(stderr, "%s\n", place);
    return code;
}

int sup_cli_taulop_eval(int argc, char **argv) {
    request r = {0};
    answer a = {0};
    sup_diag diag = {0};
    int code = sup_options_parse(&verb, &r, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "which expression? such as '2 || T0(64K) + T1(1M)'");
    if ((r.evaluator || r.transport) && !r.profile)
        return sup_cli_usage(VERB, "--%s without --profile FILE: nothing is priced",
                             r.evaluator ? "evaluator" : "transport");
    r.text = argv[0];
    code = SUP_EXIT_OK;
    sup_status status = work_out(&r, &a, &diag);
    if (!status) status = say(&r, &a, &diag, &code);
    if (status) code = fail(&diag);
    sup_taulop_close(a.costs);
    sup_profile_free(a.profile);
    sup_exprs_free(a.x);
    return code;
}
