/* Which collectives are measured (collectives.h): algorithms, sizes, and cases as words. Stage "measure", Tcomm. */
#include "measure/collective/work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR = 8 };

static const int64_t segments[] = {16 << 10, 64 << 10, 256 << 10};

/* ---- sizes ---- */

size_t sup_collectives_sizes(int operation, int processes, int64_t bytes[SUP_COLLECTIVES_SIZES]) {
    int64_t blocks = sup_collective_has_blocks(operation) && processes > 0 ? processes : 1;
    int64_t largest = SUP_COLLECTIVES_LARGEST / blocks / FACTOR * FACTOR, last = 0;
    size_t n = 0;
    if (operation == SUP_BARRIER) {
        bytes[0] = 0;
        return 1;
    }
    for (int64_t b = FACTOR; b <= largest && n < SUP_COLLECTIVES_SIZES - 1; b *= FACTOR) bytes[n++] = last = b;
    if (largest > last + last / 2) bytes[n++] = largest;
    return n;
}

/* ---- algorithms ---- */

sup_job sup_collectives_job(int operation, int processes, const sup_choice *choice, int64_t bytes) {
    return (sup_job){.operation = operation,
                     .processes = processes,
                     .bytes = bytes,
                     .element = sup_collective_element(operation),
                     .segment_bytes = choice->segment_bytes,
                     .radix = choice->radix};
}

bool sup_collectives_fit(int operation, int processes, const sup_choice *choice, int64_t bytes) {
    sup_job job = sup_collectives_job(operation, processes, choice, bytes);
    if (bytes < 0 || bytes % job.element || choice->segment_bytes >= (bytes > 0 ? bytes : 1)) return false;
    if (!sup_collective_has_blocks(operation)) return choice->hosts || sup_algorithm_fits(choice->algorithm, &job);
    return bytes <= INT64_MAX / 2 / processes && (choice->hosts || sup_algorithm_fits(choice->algorithm, &job));
}

static bool fits_some(int operation, int processes, const sup_choice *choice) {
    int64_t bytes[SUP_COLLECTIVES_SIZES];
    size_t n = sup_collectives_sizes(operation, processes, bytes);
    for (size_t k = 0; k < n; k++)
        if (sup_collectives_fit(operation, processes, choice, bytes[k])) return true;
    return false;
}

typedef struct choices {
    int operation, processes;
    sup_choice *at;
    size_t count;
} choices;

static void add(choices *all, sup_choice choice, int processes) {
    if (all->count < SUP_COLLECTIVES_CHOICES && fits_some(all->operation, processes, &choice))
        all->at[all->count++] = choice;
}

static void add_all(choices *all, const sup_algorithm *a, bool hosts, int processes) {
    bool shared = a->traits & SUP_ALGORITHM_SHARED;
    sup_choice choice = {.algorithm = a, .hosts = hosts};
    add(all, choice, processes);
    for (size_t i = 0; i < sizeof segments / sizeof *segments && (a->traits & SUP_ALGORITHM_SEGMENTS) && !shared; i++) {
        choice.segment_bytes = segments[i];
        add(all, choice, processes);
    }
}

/* Memory of one host first, then over hosts, then messages: what is most likely to be the best. */
size_t sup_collectives_choices(int operation, int processes, int hosts, sup_choice out[SUP_COLLECTIVES_CHOICES]) {
    choices all = {.operation = operation, .processes = processes, .at = out};
    for (int pass = 0; pass < 3; pass++)
        for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
            bool shared = (*a)->traits & SUP_ALGORITHM_SHARED;
            if ((*a)->operation != operation || shared != (pass == 0)) continue;
            if (pass == 0 && hosts > 1) continue;
            if (pass == 1 && (hosts < 2 || hosts >= processes)) continue;
            add_all(&all, *a, pass == 1, pass == 1 ? hosts : processes);
        }
    return all.count;
}

/* ---- words ---- */

sup_trial sup_collective_trial(const sup_collective_case *c, int processes, int *ranks, bool rotates,
                               char word[SUP_COLLECTIVE_WORD]) {
    for (int i = 0; i < processes; i++) ranks[i] = i;
    if (c->operation == SUP_CASE_MESSAGE) return sup_trial_of(SUP_TRIAL_ROUND_TRIP, ranks, 1, 2, (size_t)c->bytes);
    sup_trial trial = sup_trial_of(SUP_TRIAL_COLLECTIVE, ranks, 1, processes, (size_t)c->bytes);
    trial.kernel = sup_collective_word(c->operation, &c->choice, word);
    trial.number = rotates;
    return trial;
}

const char *sup_collective_case_text(const sup_collective_case *c, char text[SUP_COLLECTIVE_CASE_TEXT]) {
    char word[SUP_COLLECTIVE_WORD] = SUP_CASE_MESSAGE_NAME;
    if (c->operation != SUP_CASE_MESSAGE) sup_collective_word(c->operation, &c->choice, word);
    snprintf(text, SUP_COLLECTIVE_CASE_TEXT, "%s %" PRId64, word, c->bytes);
    return text;
}

sup_status sup_collective_case_read(const char *text, sup_collective_case *out) {
    char word[SUP_COLLECTIVE_CASE_TEXT], *end = NULL;
    const char *last = strrchr(text, ' ');
    if (!last || last[1] < '0' || last[1] > '9' || last - text >= SUP_COLLECTIVE_WORD) return SUP_EPARSE;
    snprintf(word, sizeof word, "%.*s", (int)(last - text), text);
    errno = 0;
    out->bytes = strtoll(last + 1, &end, 10);
    if (errno || *end) return SUP_EPARSE;
    if (!strcmp(word, SUP_CASE_MESSAGE_NAME)) {
        out->operation = SUP_CASE_MESSAGE;
        out->choice = (sup_choice){0};
        return SUP_OK;
    }
    return sup_collective_word_read(word, &out->operation, &out->choice) ? SUP_EPARSE : SUP_OK;
}
