/* The table of generators of patterns (pattern.h), and how one is found and named. */
#include "base/pattern.h"

#include <stdio.h>
#include <string.h>

const sup_generator *const sup_generators[] = {&sup_generator_linear,        &sup_generator_tree,
                                               &sup_generator_dissemination, &sup_generator_halving,
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
