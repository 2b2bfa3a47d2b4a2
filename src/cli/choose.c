/* superstep choose: a profile in, a plan out, with all decisions of the product and why (the stage in the middle of the
 * flow, all terms). superstep-choose(1) is the manual. */
#include "choose/choose.h"

#include "base/file.h"
#include "base/text.h"
#include "choose/rules.h"
#include "cli/choose_duel.h"
#include "cli/cli.h"
#include "cli/default_plan.h"
#include "cli/machine.h"
#include "cli/plan_text.h"
#include "net/launch.h"
#include "profile/composed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "choose"
#define PROCESSES_MAX 1e9

struct request {
    const char *profile, *out, *net, *only, *rules;
    long processes; /* 0: as many as were measured */
    bool install, forget, force, json, duel;
};

/* -1: go on. */
static int parse(struct request *r, int argc, char **argv) {
    int code = sup_options_parse(&sup_verb_choose, r, &argc, &argv);
    if (code >= 0) return code;
    r->profile = argc ? argv[0] : NULL;
    if (r->forget && (r->profile || r->out || r->only || r->install || r->rules || r->duel))
        return sup_cli_usage(VERB, "--forget takes no profile and no other option but -n, --net and --json");
    if (!r->forget && !r->profile) return sup_cli_usage(VERB, "no profile given");
    return -1;
}

/* ---- --forget ---- */

struct forgetting {
    json_t *list;
    int count, error;
    bool json;
};

static sup_status forget_one(const char *path, void *context) {
    struct forgetting *f = context;
    if (unlink(path)) {
        f->error = sup_cli_fail(VERB, SUP_EXIT_FILE, "%s: cannot be removed", path);
        return SUP_EIO;
    }
    f->count++;
    if (f->json)
        json_array_append_new(f->list, sup_cli_name(path));
    else
        sup_text_print(stdout, "%s: removed\n", path);
    return SUP_OK;
}

static int forget(const struct request *r) {
    sup_diag diag = {0};
    sup_origin here;
    struct forgetting f = {.json = r->json, .list = r->json ? json_array() : NULL};
    sup_status st = sup_cli_here(NULL, &diag, &here);
    if (!st) st = sup_default_plan_each(here.topology, r->net, r->processes, &diag, forget_one, &f);
    sup_record_clear(&sup_origin_record, &here);
    int code = f.error ? f.error : st ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
    if (code || !r->json) json_decref(f.list);
    if (code) return code;
    if (r->json) return sup_cli_emit(VERB, json_pack("{s:o}", "removed", f.list));
    if (!f.count) printf("no such plan is installed for this machine\n");
    return SUP_EXIT_OK;
}

/* ---- --default ---- */

/* A plan of another machine would be installed and never be found. */
static sup_status check_here(const struct request *r, const sup_profile *profile, sup_diag *diag) {
    sup_origin here;
    sup_status st = sup_profile_measured(profile, r->profile, diag);
    if (!st && profile->signature.hosts > 1)
        st = sup_diag_set(diag, SUP_EMISMATCH, r->profile, 0,
                          "of several hosts, which would not find the plan; --default is for this machine alone, and "
                          "`superstep run --plan` for others");
    if (st) return st;
    st = sup_cli_here(NULL, diag, &here);
    if (!st) st = sup_origin_match(&profile->signature, &here, SUP_SIGNATURE_ANY_RUN, diag);
    if (st && !diag->file[0]) snprintf(diag->file, sizeof diag->file, "%.255s", r->profile);
    sup_record_clear(&sup_origin_record, &here);
    return st;
}

/* Without --net every transport that was measured gets its plan; the caller has that of `main`. */
static sup_status install_others(const struct request *r, const sup_profile *profile, const sup_plan *main,
                                 sup_diag *diag, json_t *installed) {
    for (size_t i = 0; i < profile->pairs_count && !r->net; i++) {
        sup_choose_options options = {.transport = profile->pairs[i].transport,
                                      .processes = r->processes,
                                      .only = r->only};
        sup_plan *plan = NULL;
        char path[PATH_MAX];
        if (!strcmp(options.transport, main->signature.transport)) continue;
        sup_status st = sup_choose(profile, &options, diag, &plan);
        if (st == SUP_EINVAL || st == SUP_ENOENT) continue; /* fewer processes were measured over it */
        if (!st) st = sup_default_plan_install(plan, diag, path);
        if (!st) json_array_append_new(installed, sup_cli_name(path));
        sup_plan_free(plan);
        if (st) return st;
    }
    return SUP_OK;
}

static sup_status install(const struct request *r, const sup_profile *profile, const sup_plan *plan, sup_diag *diag,
                          json_t *installed) {
    char path[PATH_MAX];
    sup_status st = sup_default_plan_install(plan, diag, path);
    if (st) return st;
    json_array_append_new(installed, sup_cli_name(path));
    return install_others(r, profile, plan, diag, installed);
}

/* ---- --rules ---- */

static sup_status write_rules(const struct request *r, const sup_profile *profile, sup_diag *diag) {
    char *text = NULL;
    sup_status st = sup_rules_text(profile, r->processes, diag, &text);
    if (!st) st = sup_file_write(r->rules, text, strlen(text), r->force, diag);
    free(text);
    return st;
}

/* ---- the plan ---- */

static int say_json(const struct request *r, const sup_plan *plan, json_t *installed) {
    sup_diag diag = {0};
    json_t *json = NULL;
    if (sup_record_write(sup_plan_file.record, plan, &diag, &json)) return sup_cli_fail_diag(VERB, &diag);
    return sup_cli_emit(VERB, json_pack("{s:o, s:o, s:O, s:o}", "out", sup_cli_name(r->out), "rules",
                                        sup_cli_name(r->rules), "default", installed, "plan", json));
}

static int say(const struct request *r, const sup_plan *plan, json_t *installed) {
    if (r->json) return say_json(r, plan, installed);
    const sup_origin *o = &plan->signature;
    sup_text_print(stdout, "%" PRId64 " process%s over %s\n\n", o->processes, o->processes == 1 ? "" : "es",
                   o->transport);
    if (sup_plan_say_decisions(plan, stdout)) return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "out of memory");
    if (!plan->decisions_count) printf("the profile says nothing by which anything could be decided\n");
    if (r->out || r->rules || json_array_size(installed)) putchar('\n');
    char word[PATH_MAX + 8];
    if (r->out)
        sup_text_print(stdout, "%s: the plan; `superstep run --plan %s` follows it\n", r->out,
                       sup_text_word(r->out, word, sizeof word));
    if (r->rules)
        sup_text_print(stdout,
                       "%s: rules for Open MPI's own collectives; `mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
                       "coll_tuned_dynamic_rules_filename %s` follows them\n",
                       r->rules, sup_text_word(r->rules, word, sizeof word));
    for (size_t i = 0; i < json_array_size(installed); i++)
        sup_text_print(stdout, "%s: a plan that `superstep run` follows by itself\n",
                       json_string_value(json_array_get(installed, i)));
    return SUP_EXIT_OK;
}

static int make_plan(const struct request *r, const sup_profile *profile) {
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    json_t *installed = json_array();
    sup_choose_options options = {.transport = r->net,
                                  .processes = r->processes,
                                  .only = r->only,
                                  .duel = r->duel ? sup_choose_duels : NULL};
    sup_status st = installed ? SUP_OK : sup_diag_set(&diag, SUP_ENOMEM, NULL, 0, "out of memory");
    if (!st && (r->install || r->duel)) st = check_here(r, profile, &diag);
    if (!st) st = sup_choose(profile, &options, &diag, &plan);
    if (!st && r->out) st = sup_plan_put(plan, r->out, r->force, &diag);
    if (!st && r->rules) st = write_rules(r, profile, &diag);
    if (!st && r->install) st = install(r, profile, plan, &diag, installed);
    if (st && !diag.file[0]) snprintf(diag.file, sizeof diag.file, "%.255s", r->profile);
    int code = st ? sup_cli_fail_diag(VERB, &diag) : say(r, plan, installed);
    sup_plan_free(plan);
    json_decref(installed);
    return code;
}

static int run_choose(int argc, char **argv) {
    struct request r = {0};
    sup_diag diag = {0};
    sup_profile *profile = NULL;
    int code = parse(&r, argc, argv);
    if (code >= 0) return code;
    if (r.forget) return forget(&r);
    if ((code = sup_cli_check_out(VERB, r.out, SUP_FILE_PLAN, r.force))) return code;
    if ((code = sup_cli_check_out(VERB, r.rules, SUP_FILE_RULES, r.force))) return code;
    if (sup_machine_read(r.profile, &diag, &profile)) return sup_cli_fail_diag(VERB, &diag);
    code = make_plan(&r, profile);
    sup_profile_free(profile);
    return code;
}

static const char *decider_word(size_t index) { return sup_deciders[index] ? sup_deciders[index]->name : NULL; }

static const sup_option options[] = {
    SUP_FILE("out", struct request, out, "write the plan there"),
    {"np", 'n', "-np", "P", SUP_TO(struct request, processes), .low = 1, .high = PROCESSES_MAX,
     .what = "a number of processes", .help = "for so many processes (default: as many as were measured)"},
    {"net", .value = "NET", .kind = SUP_VALUE_WORD, SUP_TO(struct request, net),
     SUP_WORDS("self", "shm", "openmpi", "mpich"),
     .help = "for this transport: {words} (default: that of the profile's run)"},
    {"only", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(struct request, only), .word = decider_word,
     .help = "decide only about these: {words}"},
    SUP_FLAG("duel", struct request, duel,
             "measure collective algorithms against each other where the model does not know the better; only on the "
             "machine of the profile"),
    SUP_FILE("rules", struct request, rules, "also write rules for Open MPI's own collectives there"),
    SUP_FLAG("default", struct request, install,
             "also install it as this machine's plan, which superstep run follows; without --net for every transport "
             "that was measured"),
    SUP_FLAG("forget", struct request, forget, "remove this machine's plans again: all, or those of -n and --net"),
    SUP_FLAG("force", struct request, force, "replace a file that is there"),
    SUP_FLAG("json", struct request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_choose = {
    .name = VERB,
    .summary = "decide from a profile how programs should run here",
    .usage = "superstep choose [OPTION]... PROFILE\n"
             "superstep choose --forget [-n P] [--net NET] [--json]",
    .about =
        "Makes a plan from a profile: what the model predicts to be faster than the defaults, beyond its intervals; "
        "prints every decision with its gain and why.",
    .more = "Ends with 0, 2 if the command line is wrong, or more processes are asked for than were measured, 3 if a "
            "file cannot be read or written, or does not have the transport, 4 if a profile is of another machine or "
            "version, 5 without memory, or where others can write the folder of plans.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "PROFILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = 1,
    .run = run_choose,
};
