/* superstep machine: profiles of machines that one does not have. Composes one from a node that was measured and a
 * link, and knows reference profiles and links to compose from; superstep-machine(1) is the manual. Model stage of the
 * flow: profiles in, a profile out. */
#include "cli/machine/machine.h"
#include "base/file/file.h"
#include "measure/campaign/campaign.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB SUP_MACHINE_VERB

struct request {
    const char *what, *name;
    const char *link, *link_file, *link_from, *net, *out;
    long nodes, cores;
    double latency, bandwidth;
    bool json, force;
};

/* ---- the link ---- */

/* What the link is made from, and freed with. */
struct way {
    sup_link own; /* read, given, or taken from a profile */
    sup_profile *from;
    sup_compose_link link;
};

static void close_way(struct way *w) {
    sup_record_clear(&sup_link_record, &w->own);
    sup_profile_free(w->from);
}

static int named_link(const char *name, struct way *w) {
    const sup_link *found = sup_link_find(name);
    if (!found) {
        const char *meant = sup_link_nearest(name);
        return sup_cli_usage(VERB, "--link: there is no link \"%.64s\"%s%s%s; `superstep machine links` lists them",
                             name, meant ? ": did you mean " : "", meant ? meant : "", meant ? "?" : "");
    }
    return sup_record_copy(&sup_link_record, found, &w->own) ? sup_cli_no_memory(VERB) : -1;
}

/* Numbers of the command line stand for themselves, or in place of a link's. */
static int given_link(const struct request *r, struct way *w) {
    sup_link *l = &w->own;
    char source[1024];
    bool whole = !l->name;
    if (!(r->latency > 0) && !(r->bandwidth > 0)) return -1;
    if (whole && (!(r->latency > 0) || !(r->bandwidth > 0)))
        return sup_cli_usage(VERB, "a link without a name needs --latency and --bandwidth");
    if (r->latency > 0) l->latency_s = r->latency;
    if (r->bandwidth > 0) l->bandwidth_bytes_per_s = r->bandwidth;
    if (whole) {
        l->kind = SUP_LINK_RDMA;
        l->overhead_s = fmin(r->latency / 3, 4e-6);
        l->uncertainty = 0.2;
        snprintf(source, sizeof source, "numbers of the command line; overhead taken to be %.3g us",
                 1e6 * l->overhead_s);
    } else {
        snprintf(source, sizeof source, "%s%s%s of the command line; the rest: %.800s", r->latency > 0 ? "latency" : "",
                 r->latency > 0 && r->bandwidth > 0 ? " and " : "", r->bandwidth > 0 ? "bandwidth" : "", l->source);
    }
    if ((whole && sup_record_set_string(&l->name, "given")) || sup_record_set_string(&l->source, source))
        return sup_cli_no_memory(VERB);
    return -1;
}

/* -1: go on. */
static int open_way(const struct request *r, struct way *w) {
    sup_diag diag = {0};
    if (r->link_from) {
        sup_status status = sup_machine_read(r->link_from, &diag, &w->from);
        if (!status)
            status = sup_compose_link_of(w->from, sup_machine_called(r->link_from), NULL, &diag, &w->own, &w->link);
        return status ? sup_cli_fail_diag(VERB, &diag) : -1;
    }
    int code = -1;
    if (r->link_file) {
        if (sup_link_read(r->link_file, r->link, &diag, &w->own)) code = sup_cli_fail_diag(VERB, &diag);
    } else if (r->link) {
        code = named_link(r->link, w);
    }
    if (code < 0) code = given_link(r, w);
    if (w->own.name) w->link.link = &w->own;
    return code;
}

/* ---- composing ---- */

static int write_out(const struct request *r, const sup_profile *made) {
    sup_diag diag = {0};
    if (sup_profile_put(made, r->out, r->force, &diag)) return sup_cli_fail_diag(VERB, &diag);
    return sup_machine_composed(r->out, made, r->json);
}

static int compose_with(const struct request *r, const struct way *w) {
    sup_diag diag = {0};
    sup_profile *node = NULL, *made = NULL;
    if (sup_machine_read(r->name, &diag, &node)) return sup_cli_fail_diag(VERB, &diag);
    sup_compose_options o = {.node = sup_machine_called(r->name),
                             .nodes = r->nodes,
                             .cores = r->cores,
                             .transport = r->net,
                             .link = w->link,
                             .now_unix_s = -1};
    sup_status status = sup_compose(node, &o, &diag, &made);
    int code = status ? sup_cli_fail_diag(VERB, &diag) : write_out(r, made);
    sup_profile_free(made);
    sup_profile_free(node);
    return code;
}

static int compose(const struct request *r) {
    struct way w = {0};
    sup_record_init(&sup_link_record, &w.own);
    int code = sup_cli_check_out(VERB, r->out, SUP_FILE_PROFILE, r->force);
    if (code) return code;
    code = open_way(r, &w);
    if (code < 0) code = compose_with(r, &w);
    close_way(&w);
    return code;
}

/* ---- the command line ---- */

static int check_compose(const struct request *r) {
    if (!r->name) return sup_cli_usage(VERB, "compose of which node? a profile, or a name of `superstep machine list`");
    if (!r->out) return sup_cli_usage(VERB, "--out FILE is missing: where should the profile go?");
    if (!r->nodes) return sup_cli_usage(VERB, "--nodes N is missing");
    if (r->link_from && (r->link || r->link_file)) return sup_cli_usage(VERB, "--link-from stands alone: one link");
    if (r->link_from && (r->latency > 0 || r->bandwidth > 0))
        return sup_cli_usage(VERB, "--link-from takes measured numbers: no --latency, no --bandwidth");
    if (r->nodes > 1 && !r->link && !r->link_file && !r->link_from && !(r->latency > 0) && !(r->bandwidth > 0))
        return sup_cli_usage(VERB, "several nodes need a link: --link NAME, --link-file FILE, --link-from PROFILE, or "
                                   "--latency and --bandwidth");
    return -1;
}

/* -1: go on. */
static int parse(struct request *r, int argc, char **argv) {
    int code = sup_options_parse(&sup_verb_machine, r, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "machine what? there is: compose, list, links, show");
    r->what = argv[0];
    r->name = argc > 1 ? argv[1] : NULL;
    bool composing = !strcmp(r->what, "compose");
    if (composing) return check_compose(r);
    if (r->link || r->link_file || r->link_from || r->net || r->out || r->nodes || r->cores || r->force ||
        r->latency > 0 || r->bandwidth > 0)
        return sup_cli_usage(VERB, "%.16s takes no option but --json; the others are of compose", r->what);
    return -1;
}

static int run(int argc, char **argv) {
    struct request r = {0};
    int code = parse(&r, argc, argv);
    if (code >= 0) return code;
    if (!strcmp(r.what, "compose")) return compose(&r);
    if (!strcmp(r.what, "links")) return sup_machine_links(r.name, r.json);
    if (!strcmp(r.what, "show"))
        return r.name ? sup_machine_show(r.name, r.json) : sup_cli_usage(VERB, "show which profile?");
    if (strcmp(r.what, "list") != 0)
        return sup_cli_usage(VERB, "there is nothing called \"%.64s\"; there is: compose, list, links, show", r.what);
    return r.name ? sup_cli_usage(VERB, "list takes no name") : sup_machine_list(r.json);
}

static const sup_option options[] = {
    {"nodes", .value = "N", SUP_TO(struct request, nodes), .low = 1, .high = SUP_PROGRAM_PROCESSES_MAX,
     .what = "a number of nodes", .help = "nodes of the machine"},
    {"cores", .value = "N", SUP_TO(struct request, cores), .low = 1, .high = SUP_COMPOSE_CORES_MAX,
     .what = "a number of cores", .help = "processes of a node (default: as many as were measured)"},
    {"link", .value = "NAME", SUP_TO(struct request, link), .word = sup_link_word,
     .help = "between nodes: {words}, or a name in --link-file"},
    SUP_FILE("link-file", struct request, link_file,
             "a link of your own, as `superstep machine links --json` has them"),
    {"link-from", .value = "PROFILE", .kind = SUP_VALUE_FILE, SUP_TO(struct request, link_from),
     .help = "the link between the hosts of this profile"},
    {"latency", .value = "TIME", .kind = SUP_VALUE_TIME, SUP_TO(struct request, latency), .low = 1e-9, .high = 10,
     .what = "a time such as 1.3us", .help = "of the link, one way between two processes: 1.3us"},
    {"bandwidth", .value = "RATE", .kind = SUP_VALUE_RATE, SUP_TO(struct request, bandwidth), .low = 1, .high = 1e15,
     .what = "a rate such as 24GB/s", .help = "of a node's link, one direction: 24GB/s, 200Gbit/s"},
    {"net", .value = "NAME", SUP_TO(struct request, net), .word = sup_campaign_net,
     .help = "only this transport of the node (default: all of MPI that were measured)"},
    SUP_FILE("out", struct request, out, "the profile of the composed machine"),
    SUP_FLAG("force", struct request, force, "replace an existing file"),
    SUP_FLAG("json", struct request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_machine = {
    .name = VERB,
    .summary = "make profiles of machines one does not have, from measured parts",
    .usage = "superstep machine compose PROFILE --nodes N [--cores N]\n"
             "                  [--link NAME | --link-file FILE | --link-from PROFILE]\n"
             "                  [--latency TIME] [--bandwidth RATE] [--net NAME] --out FILE\n"
             "superstep machine list\n"
             "superstep machine links [NAME]\n"
             "superstep machine show PROFILE",
    .about = "Composes a profile of many nodes like one that was measured and a link between them, for predictions. "
             "PROFILE is a file, or the name of a reference profile: list shows those. links shows links, show what a "
             "profile is composed of.",
    .more =
        "Ends with 0, 2 if the command line is wrong or the parts do not fit, 3 if a file cannot be read or written, "
        "4 if a link is taken from a profile that is composed itself, 5 without memory.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "WHAT", SUP_WORDS("compose", "list", "links", "show")},
                                      {.value = "PROFILE", .kind = SUP_VALUE_FILE},
                                      {0}},
    .most = 2,
    .run = run,
};
