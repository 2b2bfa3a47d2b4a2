/* superstep taulop: τ-Lop expressions to evaluate, expressions and costs of collective algorithms, and models held
 * against measured collectives (TAU, PART ch. 5). Term Tcomm; superstep-taulop(1) is the manual. */
#include "cli/taulop.h"

#include "cli/taulop_bench.h"
#include "cli/taulop_eval.h"
#include "measure/campaign.h"

#include <stdio.h>
#include <string.h>

#define VERB SUP_TAULOP_VERB
#define PROCESSES_MOST (1 << 24)

static int no_eval(const sup_taulop_request *r) {
    (void)r;
    return sup_cli_usage(VERB, "eval comes first, its options and the expression behind it");
}

static int no_bench(const sup_taulop_request *r) {
    (void)r;
    return sup_cli_usage(VERB, "bench comes first, its options behind it");
}

/* Words of the verb, and which options they have besides --json. */
static const struct word {
    const char *name, *options;
    int (*run)(const sup_taulop_request *request);
} words[] = {
    {"eval", "profile,transport,evaluator,simplify", no_eval},
    {"bench", "", no_bench},
    {"coll", "processes,map,size,root,segment,profile,transport,expand,compare,plot", sup_taulop_coll},
};
enum { WORDS = sizeof words / sizeof *words };
static const char list_of_words[] = "eval, coll, bench";

static const char *word_of(size_t index) { return index < WORDS ? words[index].name : NULL; }

static const char *evaluator_word(size_t index) {
    for (size_t i = 0; sup_evaluators[i]; i++)
        if (i == index) return sup_evaluators[i]->name;
    return NULL;
}

static const char *operation_word(size_t index) { return index < SUP_OPERATIONS ? sup_operation_names[index] : NULL; }

/* The option that was given and that the word does not take; NULL: none. */
static const char *not_taken(const sup_taulop_request *r, const char *options) {
    const struct {
        const char *name;
        bool given;
    } all[] = {{"processes", r->processes != 0},
               {"map", r->map != NULL},
               {"size", r->sizes != NULL},
               {"root", r->root != 0},
               {"segment", r->segment != NULL},
               {"profile", r->profile != NULL},
               {"transport", r->net != NULL},
               {"expand", r->expand},
               {"compare", r->compare},
               {"plot", r->plot != NULL},
               {"evaluator", r->evaluator != NULL},
               {"simplify", r->simplify}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && !sup_option_has(options, all[i].name)) return all[i].name;
    return NULL;
}

static int run(int argc, char **argv) {
    sup_taulop_request r = {0};
    if (argc > 1 && !strcmp(argv[1], "eval")) return sup_cli_taulop_eval(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "bench")) return sup_cli_taulop_bench(argc - 1, argv + 1);
    int code = sup_options_parse(&sup_verb_taulop, &r, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "taulop what? there is: %s", list_of_words);
    const struct word *w = words;
    while (w < words + WORDS && strcmp(w->name, argv[0]) != 0) w++;
    if (w == words + WORDS)
        return sup_cli_usage(VERB, "there is nothing called \"%.64s\"; there is: %s", argv[0], list_of_words);
    const char *other = not_taken(&r, w->options);
    if (other) return sup_cli_usage(VERB, "%s has no option --%s", w->name, other);
    if (argc > 2) return sup_cli_usage(VERB, "%s: \"%.64s\" is one argument too many", w->name, argv[2]);
    if (argc < 2) return sup_cli_usage(VERB, "coll of which collective? such as broadcast:binomial");
    r.what = w->name;
    r.given = argv[1];
    if (r.plot && !r.compare) return sup_cli_usage(VERB, "--plot draws what --compare compares");
    return w->run(&r);
}

static const sup_option options[] = {
    {"processes", 'P', .also = "-n", .value = "P", SUP_TO(sup_taulop_request, processes), .low = 1,
     .high = PROCESSES_MOST, .what = "a number of processes", .help = "coll: processes (default: as the profile says)"},
    {"map", .value = "MAPPING", SUP_TO(sup_taulop_request, map),
     .help = "coll: nodes of ranks: seq:N, N ranks on each; rr:N, in turn over N nodes; one, all on one (default); or "
             "a list 0,0,1,1"},
    {"size", .value = "BYTES", SUP_TO(sup_taulop_request, sizes),
     .help = "coll: bytes of a block or of the vector: 64K, a list 1K,64K or a range 1K..8M"},
    {"root", .value = "RANK", SUP_TO(sup_taulop_request, root), .low = 0, .high = PROCESSES_MOST, .what = "a rank",
     .help = "coll: the root (default 0)"},
    {"segment", .value = "BYTES", SUP_TO(sup_taulop_request, segment), .help = "coll: pipelines cut their vector so"},
    SUP_FLAG("expand", sup_taulop_request, expand, "coll: also stage by stage"),
    SUP_FLAG("compare", sup_taulop_request, compare, "coll OPERATION: all its algorithms by all models"),
    {"plot", .value = "FILE", .kind = SUP_VALUE_FILE, SUP_TO(sup_taulop_request, plot),
     .help = "with --compare: a figure there, SVG or, by its name, PNG"},
    SUP_FILE("profile", sup_taulop_request, profile, "of the machine; without it nothing is priced"),
    {"transport", .also = "--net", .value = "NAME", SUP_TO(sup_taulop_request, net), .word = sup_campaign_net,
     .help = "whose channels (default: that of the profile's run)"},
    {"evaluator", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(sup_taulop_request, evaluator),
     .word = evaluator_word, .help = "eval: only by this one: {words} (default: by all)"},
    SUP_FLAG("simplify", sup_taulop_request, simplify,
             "eval: only the simplified expression, as it can be given again"),
    SUP_FLAG("json", sup_taulop_request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_taulop = {
    .name = VERB,
    .summary = "price expressions and collective algorithms by τ-Lop",
    .usage = "superstep taulop eval EXPR [--profile FILE] [--transport NAME]\n"
             "                  [--evaluator NAME] [--simplify] [--json]\n"
             "superstep taulop coll OPERATION:ALGORITHM -P P --size BYTES [--map MAPPING]\n"
             "                  [--root RANK] [--segment BYTES] [--expand]\n"
             "                  [--profile FILE] [--transport NAME] [--json]\n"
             "superstep taulop coll OPERATION --compare --profile FILE -P P --size BYTES\n"
             "                  [--map MAPPING] [--plot FILE] [--transport NAME] [--json]\n"
             "superstep taulop bench [-n P] [--net NAME] [--profile FILE] [OPTIONS]; bench --help has them",
    .about = "OPERATION is broadcast, scatter, gather, allgather, reduce, allreduce, reduce-scatter, alltoall, scan, "
             "exscan or barrier; ALGORITHM as plans name it: binomial, pipeline/64K (segments), shared:4 (radix), "
             "\"hosts ring\" (between the first ranks of nodes, shared memory inside).",
    .more = "Ends with 0, 2 if the command line or the expression is wrong, 3 if a file cannot be read or a channel is "
            "not measured, 5 if the system refuses.",
    .options = options,
    .arguments =
        (const sup_option[]){{.value = "WHAT", .word = word_of}, {.value = "OPERATION", .word = operation_word}, {0}},
    .most = -1,
    .run = run,
};
