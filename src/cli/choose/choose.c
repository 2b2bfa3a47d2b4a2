/* superstep choose: a profile in, a plan out, with all decisions of the product and why (the stage in the middle of the
 * flow, all terms). superstep-choose(1) is the manual. */
#include "choose/choose.h"

#include "base/file/file.h"
#include "base/text.h"
#include "choose/collective/rules.h"
#include "cli/choose/duel.h"
#include "cli/frame/cli.h"
#include "cli/frame/default_plan.h"
#include "cli/machine/machine.h"
#include "net/launch/launch.h"
#include "report/plan_text.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "choose"
#define PROCESSES_MAX 1e9

struct request {
    const char *profile, *out, *net, *only, *rules;
    long processes; /* 0: as many as were measured */
    bool install, forget, force, json, ties, no_duel;
};

/* -1: go on. */
static int parse(struct request *r, int argc, char **argv) {
    int code = sup_options_parse(&sup_verb_choose, r, &argc, &argv);
    if (code >= 0) return code;
    r->profile = argc ? argv[0] : NULL;
    if (r->forget && (r->profile || r->out || r->only || r->install || r->rules || r->ties || r->no_duel))
        return sup_cli_usage(VERB, "--forget takes no profile and no other option but -n, --net and --json");
    if (!r->forget && !r->profile) return sup_cli_usage(VERB, "no profile given");
    if (r->no_duel && (r->install || r->ties))
        return sup_cli_usage(VERB, "--no-duel does not go with --%s%s", r->install ? "default" : "duel",
                             r->install ? ", which installs what duels have confirmed" : "");
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
    if (r->install && profile->signature.hosts > 1)
        return sup_diag_set(diag, SUP_EMISMATCH, r->profile, 0,
                            "of several hosts, which would not find the plan; --default is for this machine alone, and "
                            "`superstep run --plan` for others");
    return sup_dueling_here(profile, r->profile, diag);
}

/* ---- deciding ---- */

/* Plans of all transports that are wanted: the first is that of the profile's run, or of --net. */
struct plans {
    sup_plan *at[SUP_PROFILE_TRANSPORTS];
    size_t count;
    sup_dueling dueling;
    sup_diag away; /* why no duels are fought; empty: they are */
    sup_choose_lacks lacks;
};

static sup_status decide(const struct request *r, const sup_profile *profile, const char *net, struct plans *p,
                         sup_diag *diag) {
    bool duels = !r->no_duel && !p->away.text[0];
    sup_choose_options options = {.transport = net,
                                  .processes = r->processes,
                                  .only = r->only,
                                  .duel = duels ? sup_choose_duels : NULL,
                                  .ties = r->ties ? sup_choose_ties : NULL,
                                  .duel_context = &p->dueling,
                                  .unconfirmed = r->no_duel};
    sup_dueling_begin(&p->dueling);
    sup_status st = sup_choose(profile, &options, diag, &p->at[p->count], &p->lacks);
    if (!st) p->count++;
    return st;
}

/* What is not sure enough makes no plan at all; nor do some of the transports get one then. */
static sup_status decide_all(const struct request *r, const sup_profile *profile, struct plans *p, sup_diag *diag) {
    sup_status st = decide(r, profile, r->net, p, diag);
    for (size_t i = 0; i < profile->pairs_count && r->install && !r->net && !st && !p->lacks.count; i++) {
        const char *net = profile->pairs[i].transport;
        if (!strcmp(net, p->at[0]->signature.transport)) continue;
        st = decide(r, profile, net, p, diag);
        if (st == SUP_EINVAL || st == SUP_ENOENT) st = SUP_OK; /* fewer processes were measured over it */
    }
    return st;
}

static int say_lacks(const struct request *r, const sup_choose_lacks *lacks) {
    char text[SUP_LACKS_TEXT], word[PATH_MAX + 8], budget[32];
    sup_choose_lacks_text(lacks, text);
    if (isnan(lacks->missing_s)) return sup_cli_fail(VERB, SUP_EXIT_FAIL, "%s: no plan: %s", r->profile, text);
    snprintf(budget, sizeof budget, "%.0fs", lacks->missing_s);
    return sup_cli_fail(VERB, SUP_EXIT_FAIL, "%s: no plan: %s: `superstep measure --resume --budget %s --out %s`",
                        r->profile, text, budget, sup_text_word(r->profile, word, sizeof word));
}

static sup_status install(const struct plans *p, sup_diag *diag, json_t *installed) {
    sup_status st = SUP_OK;
    for (size_t i = 0; i < p->count && !st; i++) {
        char path[PATH_MAX];
        st = sup_default_plan_install(p->at[i], diag, path);
        if (!st) json_array_append_new(installed, sup_cli_name(path));
    }
    return st;
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

/* Does anything wait for a duel that was not fought? */
static bool is_open(const sup_plan *plan) {
    for (size_t i = 0; i < plan->decisions_count; i++)
        if (plan->decisions[i].proposed && !plan->decisions[i].duels_count) return true;
    return false;
}

static bool is_unconfirmed(const sup_plan *plan) {
    for (size_t i = 0; i < plan->decisions_count; i++)
        if (sup_plan_decision_changes(&plan->decisions[i]) && !sup_plan_decision_confirmed(&plan->decisions[i]))
            return true;
    return false;
}

static void say_duels(const struct request *r, const struct plans *p) {
    if (is_unconfirmed(p->at[0]))
        printf(
            "\nno duel has confirmed what is decided here: without --no-duel, and on this profile's machine, only what "
            "duels confirm is taken\n");
    else if (is_open(p->at[0]) && p->away.text[0])
        sup_text_print(stdout, "\nno duels were fought, for %s: %s; --no-duel takes what is not confirmed\n",
                       r->profile, p->away.text);
}

static int say(const struct request *r, const struct plans *p, json_t *installed) {
    const sup_plan *plan = p->at[0];
    if (r->json) return say_json(r, plan, installed);
    const sup_origin *o = &plan->signature;
    sup_text_print(stdout, "%" PRId64 " process%s over %s\n\n", o->processes, o->processes == 1 ? "" : "es",
                   o->transport);
    if (sup_plan_say_decisions(plan, stdout)) return sup_cli_no_memory(VERB);
    if (!plan->decisions_count) printf("the profile says nothing by which anything could be decided\n");
    say_duels(r, p);
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

static sup_status write_all(const struct request *r, const sup_profile *profile, const struct plans *p, sup_diag *diag,
                            json_t *installed) {
    sup_status st = r->out ? sup_plan_put(p->at[0], r->out, r->force, diag) : SUP_OK;
    if (!st && r->rules) st = write_rules(r, profile, diag);
    if (!st && r->install) st = install(p, diag, installed);
    return st;
}

static int make_plans(const struct request *r, const sup_profile *profile, struct plans *p) {
    sup_diag diag = {0};
    json_t *installed = json_array();
    sup_status st = installed ? SUP_OK : sup_diag_no_memory(&diag);
    sup_status away = st ? SUP_OK : check_here(r, profile, &p->away);
    if (away && (r->install || r->ties || away == SUP_ENOMEM)) {
        diag = p->away;
        st = away;
    }
    if (!st) st = decide_all(r, profile, p, &diag);
    bool enough = !st && !p->lacks.count;
    if (enough) st = write_all(r, profile, p, &diag, installed);
    if (st && !diag.file[0]) snprintf(diag.file, sizeof diag.file, "%.255s", r->profile);
    int code = st ? sup_cli_fail_diag(VERB, &diag) : enough ? say(r, p, installed) : say_lacks(r, &p->lacks);
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
    struct plans p = {.dueling = {.verb = VERB, .profile = profile, .quiet = r.json}};
    code = make_plans(&r, profile, &p);
    for (size_t i = 0; i < p.count; i++) sup_plan_free(p.at[i]);
    sup_profile_free(profile);
    if (p.dueling.signal) { /* a shell leaves its loop only then */
        signal(p.dueling.signal, SIG_DFL);
        raise(p.dueling.signal);
    }
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
    SUP_FLAG(
        "duel", struct request, ties,
        "also measure collective algorithms against each other where the model does not know the better, for about "
        "10 s; only on the machine of the profile"),
    SUP_FLAG("no-duel", struct request, no_duel,
             "measure nothing: what would change a default is taken unconfirmed, and marked so"),
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
        "Makes a plan from a profile: what is faster than the defaults beyond the intervals of both, and in a duel of "
        "the "
        "two on this machine, for which up to 8 s are taken a transport; prints every decision with its gain and why.",
    .more = "Ends with 0, 1 if the profile is not sure enough for a plan (it says how much longer to measure), 2 if "
            "the command line is wrong, or more processes are asked for than were measured, 3 if a "
            "file cannot be read or written, or does not have the transport, 4 if a profile is of another machine or "
            "version, 5 without memory, or where others can write the folder of plans.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "PROFILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = 1,
    .run = run_choose,
};
