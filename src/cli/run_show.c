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
    json_t *ranks = json_array(), *program = json_array(), *command = json_array();
    for (int i = 0; i < run->placement.count; i++) {
        int cpu = run->placement.at[i].cpu;
        json_array_append_new(ranks, json_pack("{s:i, s:s, s:o}", "rank", i, "host", host_of(run, i), "cpu",
                                               cpu < 0 ? json_null() : json_integer(cpu)));
    }
    for (char *const *word = run->argv; *word; word++) json_array_append_new(program, sup_cli_name(*word));
    for (char *const *word = command_of(run, mpi); *word; word++) json_array_append_new(command, sup_cli_name(*word));
    return sup_cli_emit("run", json_pack("{s:s, s:i, s:b, s:o, s:o, s:o, s:o}", "net", mpi ? mpi->net : run->net,
                                         "processes", run->size, "oversubscribed", run->placement.oversubscribed,
                                         "ranks", ranks, "program", program, "command", command, "plan",
                                         sup_cli_name(run->tell.plan[0] ? run->tell.plan : NULL)));
}

/* As a shell would take it back, on one line and without anything that a terminal would obey. */
static void show_odd_word(const char *word) {
    fputs(" $'", stdout);
    for (; *word; word++) {
        unsigned char c = (unsigned char)*word;
        if (c < ' ' || c == 0x7f)
            printf(c == '\n' ? "\\n" : "\\%03o", c);
        else
            printf(c == '\'' || c == '\\' ? "\\%c" : "%c", c);
    }
    putchar('\'');
}

static void show_word(const char *word) {
    bool plain = *word && !strpbrk(word, " \t\n\"'\\$`*?[]{}()<>|&;#~!"), odd = false;
    for (const char *c = word; *c; c++) odd |= (unsigned char)*c < ' ' || *c == 0x7f;
    if (odd) {
        show_odd_word(word);
        return;
    }
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

static void show_words(const char *title, char *const *words) {
    fputs(title, stdout);
    for (; *words; words++) show_word(*words);
    putchar('\n');
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
    if (run->tell.plan[0]) show_words("plan:", (char *[]){(char *)run->tell.plan, NULL});
    show_words("program:", run->argv);
    show_words("command:", command_of(run, mpi));
    return 0;
}
