/* superstep taulop bench: its command line (taulop/bench.h). Term Tcomm. */
#include "cli/taulop/bench.h"

#include "cli/frame/cli.h"
#include "machine/place/placement.h"
#include "measure/campaign/campaign.h"

typedef sup_taulop_bench_request request;

static const sup_option options[] = {
    {.letter = 'n',
     .value = "P",
     SUP_TO(request, processes),
     .low = 2,
     .high = SUP_CAMPAIGN_PROCESSES,
     .what = "a number of processes",
     .help = "processes (default: as many as the profile is of)"},
    {"net", .value = "NAME", SUP_TO(request, net), .also = "--transport", .word = sup_campaign_net,
     .help = "the transport (default: that of the profile's run, or shm)"},
    SUP_FILE("profile", request, profile, "of the machine, for predictions"),
    SUP_FILE("plan", request, plan, "whose choices are judged (default: what holds without a plan)"),
    {"operations", .value = "LIST", SUP_TO(request, operations),
     .help = "broadcast,allreduce,…, and message, from one process to another (default: all)"},
    {"sizes", .value = "LIST", SUP_TO(request, sizes),
     .help = "bytes of the vector or of a block, 1536,24K or 1K..1M (default: some between those of profiles)"},
    {"seconds", .value = "S", .kind = SUP_VALUE_TIME, SUP_TO(request, seconds),
     .help = "how long measuring may take (default: some visits of each case)"},
    {"rounds", .value = "N", SUP_TO(request, rounds), .low = 1, .high = 32, .help = "launches (default 3)"},
    SUP_FILE("keep", request, keep, "measured times go there"),
    SUP_FILE("measured", request, measured, "take times from there, nothing is measured"),
    SUP_FLAG("force", request, force, "replace an existing file"),
    SUP_FILE("hosts", request, hosts, "a file of hosts, as for superstep run"),
    {"rsh", .value = "COMMAND", .kind = SUP_VALUE_COMMAND, SUP_TO(request, rsh),
     .help = "how to reach other hosts (default ssh)"},
    {"place", .value = "POLICY", SUP_TO(request, place), .word = sup_policy_word,
     .help = "where processes go, as for superstep run (default compact)"},
    SUP_FLAG("brief", request, brief, "without a line for each case"),
    SUP_FLAG("json", request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

static const sup_verb verb = {
    .name = "taulop bench",
    .summary = "measure collectives by all algorithms, beside what models predict",
    .usage = "superstep taulop bench [-n P] [--net NAME] [--profile FILE] [--operations LIST] [--sizes LIST]\n"
             "superstep taulop bench --measured FILE --profile FILE",
    .about = "Measures collective operations by every algorithm that fits, in turn over several launches, beside what "
             "models predict from the profile: errors, whether algorithms are in the right order, and what it costs to "
             "choose by them.",
    .options = options,
    .most = 0,
};

int sup_cli_taulop_bench(int argc, char **argv) {
    request r = {0};
    int code = sup_options_parse(&verb, &r, &argc, &argv);
    if (code >= 0) return code;
    if (r.measured &&
        (r.processes || r.net || r.sizes || r.operations || r.seconds > 0 || r.rounds || r.keep || r.hosts))
        return sup_cli_usage(SUP_TAULOP_BENCH_VERB,
                             "bench: with --measured nothing is measured: -n, --net, --sizes, --operations, --seconds, "
                             "--rounds, --keep and --hosts are for measuring");
    return sup_bench_run(&r);
}
