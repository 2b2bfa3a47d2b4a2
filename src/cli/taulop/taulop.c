/* superstep taulop: τ-Lop expressions to evaluate, expressions and costs of collective algorithms, and models held
 * against measured collectives (TAU, PART ch. 5). Term Tcomm; superstep-taulop(1) is the manual. */
#include "cli/taulop/taulop.h"

#include "base/file/file.h"
#include "cli/taulop/bench.h"
#include "cli/taulop/eval.h"
#include "measure/campaign/campaign.h"

#include <stdio.h>
#include <string.h>

#define VERB SUP_TAULOP_VERB
#define PROCESSES_MOST (1 << 24)

/* Words of the verb. eval and bench have command lines of their own. */
static const struct word {
    const char *name;
    int (*main)(int argc, char **argv);            /* takes its command line whole */
    int (*run)(const sup_taulop_request *request); /* … or by the table below */
} words[] = {
    {"eval", sup_cli_taulop_eval, NULL},
    {"coll", NULL, sup_taulop_coll},
    {"bench", sup_cli_taulop_bench, NULL},
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

static const struct word *find_word(const char *name) {
    for (size_t i = 0; i < WORDS; i++)
        if (!strcmp(words[i].name, name)) return &words[i];
    return NULL;
}

static int run(int argc, char **argv) {
    sup_taulop_request r = {0};
    const struct word *w = argc > 1 ? find_word(argv[1]) : NULL;
    if (w && w->main) return w->main(argc - 1, argv + 1);
    int code = sup_options_parse(&sup_verb_taulop, &r, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "taulop what? there is: %s", list_of_words);
    w = find_word(argv[0]);
    if (!w) return sup_cli_usage(VERB, "there is nothing called \"%.64s\"; there is: %s", argv[0], list_of_words);
    if (w->main) return sup_cli_usage(VERB, "%s comes first, its options behind it", w->name);
    if (argc > 2) return sup_cli_usage(VERB, "%s: \"%.64s\" is one argument too many", w->name, argv[2]);
    if (argc < 2) return sup_cli_usage(VERB, "%s of which collective? such as broadcast:binomial", w->name);
    r.given = argv[1];
    if (r.plot && !r.compare) return sup_cli_usage(VERB, "--plot draws what --compare compares");
    if ((code = sup_cli_check_out(VERB, r.plot, SUP_FILE_FIGURE, r.force))) return code;
    return w->run(&r);
}

static const sup_option options[] = {
    {"processes", 'P', .also = "-n", .value = "P", SUP_TO(sup_taulop_request, processes), .low = 1,
     .high = PROCESSES_MOST, .what = "a number of processes", .help = "processes (default: as the profile says)"},
    {"map", .value = "MAPPING", SUP_TO(sup_taulop_request, map),
     .help = "nodes of ranks: seq:N, N ranks on each; rr:N, in turn over N nodes; one, all on one (default); or "
             "a list 0,0,1,1"},
    {"size", .value = "BYTES", SUP_TO(sup_taulop_request, sizes),
     .help = "bytes of a block or of the vector: 64K, a list 1K,64K or a range 1K..8M"},
    {"root", .value = "RANK", SUP_TO(sup_taulop_request, root), .low = 0, .high = PROCESSES_MOST, .what = "a rank",
     .help = "the root (default 0)"},
    {"segment", .value = "BYTES", SUP_TO(sup_taulop_request, segment), .help = "pipelines cut their vector so"},
    SUP_FLAG("expand", sup_taulop_request, expand, "also stage by stage"),
    SUP_FLAG("compare", sup_taulop_request, compare, "all algorithms of an operation algorithms by all models"),
    {"plot", .value = "FILE", .kind = SUP_VALUE_FILE, SUP_TO(sup_taulop_request, plot),
     .help = "with --compare: a figure there, SVG or, by its name, PNG"},
    SUP_FLAG("force", sup_taulop_request, force, "replace an existing figure"),
    SUP_FILE("profile", sup_taulop_request, profile, "of the machine; without it nothing is priced"),
    {"transport", .value = "NAME", SUP_TO(sup_taulop_request, net), .word = sup_campaign_net,
     .help = "whose channels (default: that of the profile's run)"},
    {"evaluator", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(sup_taulop_request, evaluator),
     .word = evaluator_word, .help = "only by this one: {words} (default: by all)"},
    SUP_FLAG("simplify", sup_taulop_request, simplify, "only the simplified expression, as it can be given again"),
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
             "superstep taulop bench [OPTION]...",
    .about = "OPERATION is broadcast, scatter, gather, allgather, reduce, allreduce, reduce-scatter, alltoall, scan, "
             "exscan or barrier; ALGORITHM as plans name it: binomial, pipeline/64K (segments), shared:4 (radix), "
             "\"hosts ring\" (between the first ranks of nodes, shared memory inside).",
    .more = "The options are those of coll; `superstep taulop eval --help` and `superstep taulop bench --help` show "
            "theirs. "
            "Ends with 0, 2 if the command line or the expression is wrong, 3 if a file cannot be read or a channel is "
            "not measured, 5 if the system refuses.",
    .options = options,
    .arguments =
        (const sup_option[]){{.value = "WHAT", .word = word_of}, {.value = "OPERATION", .word = operation_word}, {0}},
    .most = -1,
    .run = run,
};
