/* The table of generators of patterns (pattern.h), and how one is found and named. */
#include "base/pattern/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Barriers first: those before `halving`. */
const sup_generator *const sup_generators[] = {&sup_generator_linear,        &sup_generator_tree,
                                               &sup_generator_dissemination, &sup_generator_butterfly,
                                               &sup_generator_ring,          &sup_generator_pairwise,
                                               &sup_generator_flags,         &sup_generator_halving,
                                               &sup_generator_binomial,      NULL};

const sup_generator *sup_generator_find(const char *name) {
    for (size_t i = 0; sup_generators[i]; i++)
        if (sup_generators[i]->barrier && !strcmp(sup_generators[i]->name, name)) return sup_generators[i];
    return NULL;
}

const char *sup_generator_word(size_t index) {
    for (size_t i = 0; sup_generators[i]; i++)
        if (sup_generators[i]->barrier && !index--) return sup_generators[i]->name;
    return NULL;
}

void sup_generator_names(char *text, size_t size) {
    const char *word;
    size_t used = 0;
    for (size_t i = 0; (word = sup_generator_word(i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", word);
}

bool sup_pattern_kind_read(const char *word, sup_pattern_kind *out) {
    char name[SUP_PATTERN_WORD], *end;
    size_t length = strcspn(word, ":");
    if (length >= sizeof name) return false;
    memcpy(name, word, length);
    name[length] = 0;
    const sup_generator *g = sup_generator_find(name);
    if (!g) return false;
    *out = (sup_pattern_kind){g, g->radix};
    if (!word[length]) return true;
    if (word[length + 1] < '0' || word[length + 1] > '9') return false;
    long radix = strtol(word + length + 1, &end, 10);
    out->radix = (int)radix;
    return !*end && g->radix && radix >= 2 && radix <= g->radix_most;
}

void sup_pattern_kind_why(const char *word, char *text, size_t size) {
    char names[400];
    size_t length = strcspn(word, ":");
    for (size_t i = 0; sup_generators[i]; i++) {
        const sup_generator *g = sup_generators[i];
        if (!g->barrier || strlen(g->name) != length || strncmp(g->name, word, length) != 0) continue;
        if (g->radix)
            snprintf(text, size, "the radix of %s is a number from 2 to %d", g->name, g->radix_most);
        else
            snprintf(text, size, "%s has no radix", g->name);
        return;
    }
    sup_generator_names(names, sizeof names);
    snprintf(text, size, "no barrier \"%.40s\": %s", word, names);
}

const char *sup_pattern_kind_word(sup_pattern_kind kind, char text[SUP_PATTERN_WORD]) {
    if (kind.radix == kind.generator->radix)
        snprintf(text, SUP_PATTERN_WORD, "%s", kind.generator->name);
    else
        snprintf(text, SUP_PATTERN_WORD, "%s:%d", kind.generator->name, kind.radix);
    return text;
}
