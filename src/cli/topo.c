/* superstep topo: the machine that everything else measures, models and places processes on, as a tree for people or
 * JSON for programs; and where a placement would put the processes of a run. */
#include "cli/cli.h"

#include "machine/render.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define VERB "topo"
#define PROCESSES_MAX (1L << 20)

struct request {
    bool json, help;
    const char *from, *synthetic, *place, *hosts;
    long processes; /* 0 not given */
};

static const char help_text[] =
    "usage: superstep topo [--json] [--from FILE | --synthetic DESCRIPTION]\n"
    "                      [--place POLICY] [-n P] [--hosts FILE]\n"
    "\n"
    "Shows cores, the caches they share, memory nodes and GPUs, what this process may\n"
    "use if that is less, and where a run would place its processes.\n"
    "\n"
    "  --json                   JSON instead of a tree\n"
    "  --from FILE              a machine from a file: hwloc XML, or JSON with nested\n"
    "                           {siblings, size, cacheLineSize, child}\n"
    "  --synthetic DESCRIPTION  a made-up machine: \"package:2 l3:1 core:8 pu:2\"\n"
    "  --place POLICY           none, compact (default), scatter, per-cache, per-cache:L2,\n"
    "                           or cores such as 0,2,4-7; then /block or /cyclic over hosts\n"
    "  -n P, --processes P      number of processes to place\n"
    "  --hosts FILE             hosts, a line each: NAME slots=N\n"
    "  -h, --help               this text\n";

static int parse_options(int argc, char **argv, struct request *out) {
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},
        {"from", required_argument, NULL, 'f'},
        {"synthetic", required_argument, NULL, 's'},
        {"place", required_argument, NULL, 'p'},
        {"processes", required_argument, NULL, 'n'},
        {"hosts", required_argument, NULL, 'H'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int c;
    optind = 0; /* glibc: start over, also after another scan */
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":n:h", options, NULL)) != -1) {
        switch (c) {
        case 'j': out->json = true; break;
        case 'f': out->from = optarg; break;
        case 's': out->synthetic = optarg; break;
        case 'p': out->place = optarg; break;
        case 'H': out->hosts = optarg; break;
        case 'h': out->help = true; break;
        case 'n':
            if (sup_cli_int(optarg, 1, PROCESSES_MAX, &out->processes)) break;
            return sup_cli_usage(VERB, "-n: '%.40s' is not a number from 1 to %ld", optarg, PROCESSES_MAX);
        case ':': return sup_cli_usage(VERB, "%s needs a value", argv[optind - 1]);
        default: return sup_cli_usage(VERB, "unknown option %.80s", argv[optind - 1]);
        }
    }
    if (out->help) return SUP_EXIT_OK;
    if (optind < argc) return sup_cli_usage(VERB, "unexpected argument '%.80s'", argv[optind]);
    if (out->from && out->synthetic) return sup_cli_usage(VERB, "--from and --synthetic exclude each other");
    if (out->hosts && !out->processes) return sup_cli_usage(VERB, "--hosts needs -n P");
    return SUP_EXIT_OK;
}

static sup_status get_topology(const struct request *request, sup_diag *diag, sup_topology **out) {
    if (request->from) return sup_topology_from_file(request->from, SUP_TOPOLOGY_DEVICES, diag, out);
    if (request->synthetic) return sup_topology_from_synthetic(request->synthetic, diag, out);
    return sup_topology_load(SUP_TOPOLOGY_DEVICES, diag, out);
}

static int print(const struct request *request, const sup_view *view) {
    sup_status status = request->json ? sup_render_json(view, stdout) : sup_render_text(view, stdout);
    if (!status && fflush(stdout)) status = SUP_EIO;
    if (status) return sup_cli_fail(VERB, sup_cli_exit_code(status), "cannot write: %s", sup_status_text(status));
    return SUP_EXIT_OK;
}

/* Placement asked for: made, shown with the rest. Hosts and policy live as long as the view. */
static int show_placed(const struct request *request, sup_view *view) {
    sup_diag diag;
    sup_hosts hosts = {0};
    sup_policy policy = {0};
    sup_placement placement = {0};
    int code;
    if (sup_policy_parse(request->place ? request->place : "compact", &diag, &policy))
        return sup_cli_usage(VERB, "--place: %s", diag.text);
    if (request->hosts && sup_hosts_load(request->hosts, &diag, &hosts)) {
        code = sup_cli_fail_diag(VERB, &diag);
        goto free_policy;
    }
    if (request->hosts) view->hosts = &hosts;
    int processes = (int)request->processes;
    if (!processes) processes = policy.count ? policy.count : view->usable->process_count;
    if (sup_placement_make(view->topology, view->usable, view->hosts, &policy, processes, &diag, &placement)) {
        code = sup_cli_fail_diag(VERB, &diag);
        goto free_hosts;
    }
    view->policy = &policy;
    view->placement = &placement;
    code = print(request, view);
    view->policy = NULL;
    view->placement = NULL;
    sup_placement_free(&placement);
free_hosts:
    view->hosts = NULL;
    sup_hosts_free(&hosts);
free_policy:
    sup_policy_free(&policy);
    return code;
}

static int run_topo(int argc, char **argv) {
    struct request request = {0};
    sup_diag diag;
    sup_topology *topology = NULL;
    sup_usable usable;
    int code = parse_options(argc, argv, &request);
    if (code) return code;
    if (request.help) return sup_cli_help(&sup_verb_topo);
    if (get_topology(&request, &diag, &topology)) {
        if (request.synthetic && diag.status == SUP_EPARSE) return sup_cli_usage(VERB, "--synthetic: %s", diag.text);
        return sup_cli_fail_diag(VERB, &diag);
    }
    if (sup_usable_read(topology, &diag, &usable)) {
        code = sup_cli_fail_diag(VERB, &diag);
        goto free_topology;
    }
    sup_view view = {.topology = topology, .usable = &usable};
    code = request.place || request.processes ? show_placed(&request, &view) : print(&request, &view);
    sup_usable_free(&usable);
free_topology:
    sup_topology_free(topology);
    return code;
}

const sup_verb sup_verb_topo = {
    .name = VERB,
    .summary = "show cores, caches, memory and GPUs, and where processes would go",
    .help = help_text,
    .run = run_topo,
};
