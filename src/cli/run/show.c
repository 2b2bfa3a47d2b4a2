/* --dry-run: what would be started where, for people and as JSON. */
#include "cli/run/run.h"

#include "base/text.h"

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
    json_t *preload = mpi && mpi->preload[0] ? sup_cli_name(mpi->preload) : NULL;
    return sup_cli_emit("run", json_pack("{s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o*}", "net", mpi ? mpi->net : run->net,
                                         "processes", run->size, "oversubscribed", run->placement.oversubscribed,
                                         "ranks", ranks, "program", program, "command", command, "plan",
                                         sup_cli_name(run->tell.plan[0] ? run->tell.plan : NULL), "preload", preload));
}

/* As a shell would take it back, on one line and without anything that a terminal would obey. */
static void show_odd_word(const char *word) {
    fputs(" $'", stdout);
    bool plain;
    for (size_t length; *word; word += length) {
        length = sup_text_character(word, &plain);
        if (*word == '\'' || *word == '\\') putchar('\\');
        if (plain) fwrite(word, 1, length, stdout);
        if (!plain && *word == '\n') fputs("\\n", stdout);
        for (size_t i = 0; i < length && !plain && *word != '\n'; i++) printf("\\%03o", (unsigned char)word[i]);
    }
    putchar('\'');
}

static void show_word(const char *word) {
    if (!sup_text_is_plain(word)) {
        show_odd_word(word);
        return;
    }
    if (*word && !strpbrk(word, " \"'\\$`*?[]{}()<>|&;#~!")) {
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
        sup_text_print(stdout, "rank %d: host %s, ", i, host_of(run, i));
        if (cpu < 0)
            puts("not pinned");
        else
            printf("cpu %d\n", cpu);
    }
    if (run->tell.plan[0]) show_words("plan:", (char *[]){(char *)run->tell.plan, NULL});
    show_words("program:", run->argv);
    show_words("command:", command_of(run, mpi));
    if (mpi && mpi->preload[0]) show_words("preload:", (char *const[]){(char *)mpi->preload, NULL});
    return 0;
}
