/* superstep barrier: patterns of synchronisation to look at, to verify, to price, to find, to write as C and to measure
 * (BSP ch. 5 and 7). Term Tsync, all stages; superstep-barrier(1) is the manual. */
#include "cli/barrier/barrier.h"

#include "machine/place/placement.h"

#include "choose/barrier/emit.h"
#include "measure/campaign/campaign.h"

#include <stdio.h>
#include <string.h>

#define VERB SUP_BARRIER_VERB

/* Words of the verb: how many barriers they take, and which options besides --json. */
static const struct word {
    const char *name;
    int least, most;
    const char *options;
    int (*run)(const sup_barrier_request *request);
} words[] = {
    {"show", 1, 1, "n,hosts,svg,out,force", sup_barrier_show},
    {"verify", 1, 1, "n,hosts,counts", sup_barrier_verify},
    {"cost", 1, 1, "n,net,profile", sup_barrier_prices},
    {"synth", 0, 0, "n,net,profile,out,force", sup_barrier_synth},
    {"emit", 1, 1, "n,hosts,mpi,shm,name,out,force,drop", sup_barrier_emit},
    {"bench", 0, 64, "n,net,hosts,rsh,place,profile,seconds", sup_barrier_bench},
};
enum { WORDS = sizeof words / sizeof *words };

static const char *word_of(size_t index) { return index < WORDS ? words[index].name : NULL; }

/* The option that was given and that the word does not take; NULL: none. */
static const char *not_taken(const sup_barrier_request *r, const char *options) {
    const struct {
        const char *name;
        bool given;
    } all[] = {{"n", r->processes != 0},
               {"hosts", r->hosts != NULL},
               {"svg", r->svg != NULL},
               {"out", r->out != NULL},
               {"force", r->force},
               {"counts", r->counts},
               {"net", r->net != NULL},
               {"profile", r->profile != NULL},
               {"mpi", r->mpi},
               {"shm", r->shm},
               {"name", r->function != NULL},
               {"drop", r->drop != 0},
               {"rsh", r->rsh != NULL},
               {"place", r->place != NULL},
               {"seconds", r->seconds > 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && !sup_option_has(options, all[i].name)) return all[i].name;
    return NULL;
}

static const char list_of_words[] = "show, verify, cost, synth, emit, bench";

static int run(int argc, char **argv) {
    sup_barrier_request r = {0};
    int code = sup_options_parse(&sup_verb_barrier, &r, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "barrier what? there is: %s", list_of_words);
    const struct word *w = words;
    while (w < words + WORDS && strcmp(w->name, argv[0]) != 0) w++;
    if (w == words + WORDS)
        return sup_cli_usage(VERB, "there is nothing called \"%.64s\"; there is: %s", argv[0], list_of_words);
    r.what = w->name;
    r.given = argv + 1;
    r.count = argc - 1;
    if (r.count < w->least)
        return sup_cli_usage(VERB, "%s which barrier? a word (tree:4), a plan, or a file of stages", w->name);
    if (r.count > w->most)
        return sup_cli_usage(VERB, "%s takes %s", w->name, w->most ? "one barrier" : "no barrier: it finds one");
    const char *other = not_taken(&r, w->options);
    if (other) return sup_cli_usage(VERB, "%s has no option %s%s", w->name, other[1] ? "--" : "-", other);
    return w->run(&r);
}

static const sup_option options[] = {
    {.letter = 'n',
     .value = "P",
     SUP_TO(sup_barrier_request, processes),
     .low = 1,
     .high = SUP_PATTERN_COVERS_MAX,
     .what = "a number of processes",
     .help = "processes (default: as the plan, the hosts or the profile say)"},
    {"hosts", .value = "LIST", .kind = SUP_VALUE_FILE, SUP_TO(sup_barrier_request, hosts),
     .help = "processes of each host: 2,2; or a file of hosts, as for `superstep run`"},
    {"svg", .value = "FILE", .kind = SUP_VALUE_FILE, SUP_TO(sup_barrier_request, svg),
     .help = "show: draw it there, instead of in letters"},
    SUP_FLAG("counts", sup_barrier_request, counts, "verify: also how often each has heard of each, where P is small"),
    SUP_FILE("profile", sup_barrier_request, profile, "cost, synth, bench: of the machine, for predictions"),
    {"net", .value = "NAME", SUP_TO(sup_barrier_request, net), .word = sup_campaign_net,
     .help = "cost, synth, bench: the transport (default: that of the profile's run, or shm)"},
    SUP_FLAG("mpi", sup_barrier_request, mpi, "emit: a function over MPI, which is the default"),
    SUP_FLAG("shm", sup_barrier_request, shm, "emit: a function over shared memory, of C11 atomics"),
    {"name", .value = "FUNCTION", SUP_TO(sup_barrier_request, function),
     .help = "emit: what the function is called (default superstep_barrier)"},
    SUP_FILE("out", sup_barrier_request, out, "emit: the source; synth: a plan; show: the text"),
    SUP_FLAG("force", sup_barrier_request, force, "replace an existing file"),
    {"seconds", .value = "S", .kind = SUP_VALUE_TIME, SUP_TO(sup_barrier_request, seconds),
     .help = "bench: how long measuring may take (default 10s)"},
    {"rsh", .value = "COMMAND", .kind = SUP_VALUE_COMMAND, SUP_TO(sup_barrier_request, rsh),
     .help = "bench: how to reach other hosts (default ssh)"},
    {"place", .value = "POLICY", SUP_TO(sup_barrier_request, place), .word = sup_policy_word,
     .help = "bench: where processes go, as for superstep run (default compact)"},
    {"drop", .value = "K", SUP_TO(sup_barrier_request, drop), .low = 1, .high = SUP_EMIT_EDGES_MAX, .hidden = true,
     .help = "emit: without the K-th signal, for tests that must notice"},
    SUP_FLAG("json", sup_barrier_request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_barrier = {
    .name = VERB,
    .summary = "draw, verify, price, find, write as C and measure barriers",
    .usage = "superstep barrier show BARRIER [-n P] [--hosts LIST] [--svg FILE]\n"
             "superstep barrier verify BARRIER [-n P] [--counts]\n"
             "superstep barrier cost BARRIER|all --profile FILE [-n P] [--net NAME]\n"
             "superstep barrier synth --profile FILE [-n P] [--net NAME] [--out PLAN]\n"
             "superstep barrier emit BARRIER [-n P] [--mpi | --shm] [--name FUNCTION]\n"
             "                  [--out FILE.c]\n"
             "superstep barrier bench [BARRIER]... -n P [--net NAME] [--hosts FILE]\n"
             "                  [--profile FILE] [--seconds S]",
    .about = "BARRIER is a word, with or without its radix (tree:4, dissemination), \"usual\" for what holds without a "
             "plan, a plan, or a file of stages.",
    .more = "Ends with 0, 1 if it is no barrier, 2 if the command line is wrong or the parts do not fit, 3 if a file "
            "cannot be read or written, 4 if a profile is of another placement, 5 if the system refuses.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "WHAT", .word = word_of},
                                      {.value = "BARRIER",
                                       .kind = SUP_VALUE_FILE,
                                       .word = sup_generator_word,
                                       SUP_WORDS(SUP_BARRIER_USUAL, SUP_BARRIER_ALL)},
                                      {0}},
    .most = -1,
    .run = run,
};
