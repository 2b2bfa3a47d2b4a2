/* Names of what is measured (collective/word.h). Stage "measure", Tcomm. */
#include "measure/collective/word.h"

#include <stdio.h>
#include <string.h>

const char *sup_collective_word(int operation, const sup_choice *choice, char text[SUP_COLLECTIVE_WORD]) {
    char how[SUP_CHOICE_TEXT];
    snprintf(text, SUP_COLLECTIVE_WORD, "%.20s %s", sup_operation_names[operation], sup_choice_text(choice, how));
    return text;
}

sup_status sup_collective_word_read(const char *text, int *operation, sup_choice *choice) {
    char name[24];
    sup_diag diag = {0};
    const char *space = text ? strchr(text, ' ') : NULL;
    if (!space || space == text || space - text >= (ptrdiff_t)sizeof name) return SUP_EINVAL;
    snprintf(name, sizeof name, "%.*s", (int)(space - text), text);
    *operation = sup_operation_find(name);
    if (*operation >= SUP_OPERATIONS) return SUP_EINVAL;
    if (sup_choice_read(*operation, space + 1, &diag, choice) || !choice->algorithm) return SUP_EINVAL;
    return SUP_OK;
}

bool sup_collective_has_blocks(int operation) {
    return operation == SUP_SCATTER || operation == SUP_GATHER || operation == SUP_ALLGATHER ||
           operation == SUP_REDUCE_SCATTER || operation == SUP_ALLTOALL;
}

int64_t sup_collective_element(int operation) {
    bool folds = operation == SUP_REDUCE || operation == SUP_ALLREDUCE || operation == SUP_REDUCE_SCATTER ||
                 operation == SUP_SCAN || operation == SUP_EXSCAN;
    return folds ? (int64_t)sizeof(double) : 1;
}
