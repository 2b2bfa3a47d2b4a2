/* --dry-run: what would be started where, for people and as JSON. */
#include "cli/run.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *host_of(const sup_run *run, int rank) {
    static char own[256];
    if (run->hosts.count) return run->hosts.at[run->placement.at[rank].host].name;
    if (!own[0] && gethostname(own, sizeof own - 1)) snprintf(own, sizeof own, "localhost");
    return own;
}

static char *const *command_of(const sup_run *run, const sup_run_mpi *mpi) { return mpi ? mpi->argv : run->argv; }

static int show_json(const sup_run *run, const sup_run_mpi *mpi) {
    json_t *ranks = json_array(), *command = json_array();
    for (int i = 0; i < run->placement.count; i++) {
        int cpu = run->placement.at[i].cpu;
        json_array_append_new(ranks, json_pack("{s:i, s:s, s:o}", "rank", i, "host", host_of(run, i), "cpu",
                                               cpu < 0 ? json_null() : json_integer(cpu)));
    }
    for (char *const *word = command_of(run, mpi); *word; word++) json_array_append_new(command, sup_cli_name(*word));
    return sup_cli_emit("run",
                        json_pack("{s:s, s:i, s:b, s:o, s:o}", "net", mpi ? mpi->net : run->net, "processes", run->size,
                                  "oversubscribed", run->placement.oversubscribed, "ranks", ranks, "command", command));
}

static void show_word(const char *word) {
    bool plain = *word && !strpbrk(word, " \t\n\"'\\$`*?[]{}()<>|&;#~!");
    if (plain) {
        printf(" %s", word);
        return;
    }
    fputs(" '", stdout);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
}

int sup_run_show(const sup_run *run, const sup_run_mpi *mpi) {
    if (run->json) return show_json(run, mpi);
    printf("%d process%s over %s%s\n", run->size, run->size == 1 ? "" : "es", mpi ? mpi->net : run->net,
           run->placement.oversubscribed ? ", more than there are cores" : "");
    for (int i = 0; i < run->placement.count; i++) {
        int cpu = run->placement.at[i].cpu;
        printf("rank %d: host %s, ", i, host_of(run, i));
        if (cpu < 0)
            puts("not pinned");
        else
            printf("cpu %d\n", cpu);
    }
    fputs("command:", stdout);
    for (char *const *word = command_of(run, mpi); *word; word++) show_word(*word);
    putchar('\n');
    return 0;
}
