/* The tool: finds the verb and hands over. Each verb is one file of this folder and one line of the table below; the
 * stages of the flow (measure, model, choose, run, compare) reach the command line through it. Called under the name
 * `bsprun` it is `superstep run`, which is what people coming from other BSP libraries type. */
#include "cli/cli.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const sup_verb *const verbs[] = {&sup_verb_report,
                                        &sup_verb_topo,
                                        &sup_verb_measure,
                                        &sup_verb_show,
                                        &sup_verb_diff,
                                        &sup_verb_run,
                                        &sup_verb_check,
                                        &sup_verb_predict,
                                        &sup_verb_compare,
                                        &sup_verb_tune,
                                        NULL};

static const sup_verb *find_verb(const char *name) {
    for (size_t i = 0; verbs[i]; i++) {
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    }
    return NULL;
}

static int print_help(void) {
    printf("usage: superstep VERB [OPTION]... [ARGUMENT]...\n"
           "       superstep --help | --version [--json]\n"
           "\n"
           "Measures a parallel machine, models it, and runs programs the way that is fast on it.\n"
           "\n"
           "verbs:\n");
    for (size_t i = 0; verbs[i]; i++) printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    printf("\n"
           "`superstep VERB --help` explains one verb; superstep(1) lists exit codes and files.\n");
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
    const sup_verb *verb = find_verb(argv[2]);
    if (!verb) return sup_cli_usage(NULL, "unknown verb \"%.64s\"", argv[2]);
    return sup_cli_help(verb);
}

/* Options before the verb are few: everything else belongs to a verb and comes after it. */
static int own_options(int argc, char **argv) {
    bool json = false, version = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return print_help();
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            version = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (find_verb(argv[i])) {
            return sup_cli_usage(NULL, "options of a verb come after it: superstep %s %.64s", argv[i], argv[1]);
        } else {
            return sup_cli_usage(NULL, "unknown option or verb \"%.64s\"", argv[i]);
        }
    }
    if (version) return print_version(json);
    return sup_cli_usage(NULL, "--json needs --version or a verb before it");
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
    if (strcmp(argv[1], "__measure") == 0) return sup_measure_rank(argc - 1, argv + 1);
    if (strcmp(argv[1], "__steps") == 0) return sup_measure_steps(argc - 1, argv + 1);
    const sup_verb *verb = find_verb(argv[1]);
    if (!verb) return sup_cli_usage(NULL, "unknown verb \"%.64s\"", argv[1]);
    return verb->run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    int code = dispatch(argc, argv);
    /* A full disk or a closed pipe shows only when the buffer is written; an answer nobody got is not a success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == SUP_EXIT_OK) {
        return sup_cli_fail(NULL, SUP_EXIT_FILE, "cannot write to standard output: %s", strerror(errno));
    }
    return code;
}
