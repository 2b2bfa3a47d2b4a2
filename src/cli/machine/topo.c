/* superstep topo: the machine that everything else measures, models and places processes on, as a tree for people or
 * JSON for programs; and where a placement would put the processes of a run. */
#include "cli/frame/cli.h"

#include "machine/topology/render.h"

#include <stdio.h>
#include <string.h>

#define VERB "topo"
#define PROCESSES_MAX (1L << 20)

struct request {
    bool json;
    const char *from, *synthetic, *place, *hosts;
    long processes; /* 0 not given */
};

/* -1: go on. */
static int parse(struct request *out, int argc, char **argv) {
    int code = sup_options_parse(&sup_verb_topo, out, &argc, &argv);
    if (code >= 0) return code;
    if (out->from && out->synthetic) return sup_cli_usage(VERB, "--from and --synthetic exclude each other");
    if (out->hosts && !out->processes) return sup_cli_usage(VERB, "--hosts needs -n P");
    return -1;
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
    int code = parse(&request, argc, argv);
    if (code >= 0) return code;
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

static const sup_option options[] = {
    SUP_FLAG("json", struct request, json, "JSON instead of a tree"),
    SUP_FILE("from", struct request, from,
             "a machine from a file: hwloc XML, or JSON with nested {siblings, size, cacheLineSize, child}"),
    {"synthetic", .value = "DESCRIPTION", SUP_TO(struct request, synthetic),
     .help = "a made-up machine: \"package:2 l3:1 core:8 pu:2\""},
    {"place", .value = "POLICY", SUP_TO(struct request, place), .word = sup_policy_word,
     .help = "{words}, per-cache:L2, or cores such as 0,2,4-7; then /block or /cyclic over hosts (default compact)"},
    {"processes", 'n', .value = "P", SUP_TO(struct request, processes), .low = 1, .high = PROCESSES_MAX,
     .what = "a number of processes", .help = "number of processes to place"},
    SUP_FILE("hosts", struct request, hosts, "hosts, a line each: NAME slots=N"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_topo = {
    .name = VERB,
    .summary = "show cores, caches, memory and GPUs, and where processes would go",
    .usage = "superstep topo [--json] [--from FILE | --synthetic DESCRIPTION]\n"
             "               [--place POLICY] [-n P] [--hosts FILE]",
    .about = "Shows cores, the caches they share, memory nodes and GPUs, what this process may use if that is less, "
             "and where a run would place its processes.",
    .options = options,
    .run = run_topo,
};
