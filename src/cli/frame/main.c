/* The tool: finds the verb and hands over. Each verb is one file of this folder, or several that begin with its name,
 * and one row of SUP_VERBS; the stages of the flow (measure, model, choose, run, compare) reach the command line
 * through it. Called under the name `bsprun` it is `superstep run`, which is what people coming from other BSP
 * libraries type. */
#include "base/file/json.h"
#include "cli/frame/cli.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SUP_VERB(name) &sup_verb_##name,
static const sup_verb *const verbs[] = {SUP_VERBS NULL};
#undef SUP_VERB

static const sup_verb *find_verb(const char *name, bool hidden) {
    for (size_t i = 0; verbs[i]; i++)
        if (!strcmp(verbs[i]->name, name) && (hidden || !verbs[i]->hidden)) return verbs[i];
    return NULL;
}

static int unknown_verb(const char *name) {
    const char *names[sizeof verbs / sizeof *verbs] = {NULL};
    size_t count = 0;
    for (size_t i = 0; verbs[i]; i++)
        if (!verbs[i]->hidden) names[count++] = verbs[i]->name;
    const char *meant = sup_nearest(name, names);
    if (!meant) return sup_cli_usage(NULL, "unknown verb \"%.64s\"", name);
    return sup_cli_usage(NULL, "unknown verb \"%.64s\": did you mean %s?", name, meant);
}

/* ---- options before the verb, which are few: everything else belongs to a verb and comes after it ---- */

struct request {
    bool version, json, help;
};

static const sup_option options[] = {
    {"version", 'V', SUP_TO(struct request, version), .help = "print the version and end"},
    SUP_FLAG("json", struct request, json, "with --version: as JSON"),
    {"help", 'h', SUP_TO(struct request, help), .help = "this text; `superstep VERB --help` explains one verb"},
    {0},
};

static const sup_verb tool = {
    .usage = "superstep VERB [OPTION]... [ARGUMENT]...\n"
             "superstep --help | --version [--json]",
    .about = "Measures a parallel machine, models it, and runs programs the way that is fast on it.",
    .options = options,
    .most = -1,
    .stops = true,
};

static int print_help(void) {
    sup_options_help(&tool);
    printf("\nverbs:\n");
    for (size_t i = 0; verbs[i]; i++)
        if (!verbs[i]->hidden) printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    printf("\nsuperstep(1) lists exit codes and files.\n");
    return SUP_EXIT_OK;
}

static int print_version(bool json) {
    if (json) {
        printf("{\"superstep\": \"%s\", \"major\": %d, \"minor\": %d, \"patch\": %d}\n", sup_version_string(),
               SUP_VERSION_MAJOR, SUP_VERSION_MINOR, SUP_VERSION_PATCH);
    } else {
        printf("superstep %s\n", sup_version_string());
    }
    return SUP_EXIT_OK;
}

/* `superstep help [VERB]`, the spelling that people try first. */
static int help_about(int argc, char **argv) {
    if (argc < 3) return print_help();
    if (argc > 3) return sup_cli_usage(NULL, "help takes one verb");
    const sup_verb *verb = find_verb(argv[2], false);
    return verb ? sup_options_help(verb) : unknown_verb(argv[2]);
}

static int own_options(int argc, char **argv) {
    struct request request = {0};
    const char *first = argv[1];
    int code = sup_options_parse(&tool, &request, &argc, &argv);
    if (code >= 0) return code;
    if (request.help) return print_help();
    if (argc && find_verb(argv[0], false))
        return sup_cli_usage(NULL, "options of a verb come after it: superstep %s %.64s", argv[0], first);
    if (argc) return unknown_verb(argv[0]);
    if (request.version) return print_version(request.json);
    return sup_cli_usage(NULL, "--json needs --version or a verb before it");
}

/* `superstep __options`: every table of options, for tools/options. */
static int print_options(void) {
    json_t *all = json_array();
    json_array_append_new(all, sup_options_json(&tool));
    for (size_t i = 0; verbs[i]; i++)
        if (!verbs[i]->hidden) json_array_append_new(all, sup_options_json(verbs[i]));
    return sup_cli_emit(NULL, all);
}

static int dispatch(int argc, char **argv) {
    if (argc < 1 || !argv[0]) return sup_cli_usage(NULL, "no verb given");
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    if (strcmp(name, "bsprun") == 0) {
        argv[0] = (char *)sup_verb_run.name;
        return sup_verb_run.run(argc, argv);
    }
    if (argc < 2) return sup_cli_usage(NULL, "no verb given");
    if (argv[1][0] == '-') return own_options(argc, argv);
    if (strcmp(argv[1], "help") == 0) return help_about(argc, argv);
    if (strcmp(argv[1], "__options") == 0) return print_options();
    const sup_verb *verb = find_verb(argv[1], true);
    return verb ? verb->run(argc - 1, argv + 1) : unknown_verb(argv[1]);
}

int main(int argc, char **argv) {
    int code = dispatch(argc, argv);
    /* A full disk or a closed pipe shows only when the buffer is written; an answer nobody got is not a success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == SUP_EXIT_OK) {
        return sup_cli_fail(NULL, SUP_EXIT_FILE, "cannot write to standard output: %s", strerror(errno));
    }
    return code;
}
