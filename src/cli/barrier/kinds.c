/* Barriers that are measured without a profile (barrier/kinds.h): the same that measurements put into one. */
#include "cli/barrier/kinds.h"

#include "measure/sync/sync.h"

#include <string.h>

_Static_assert((int)SUP_BARRIER_KINDS >= (int)SUP_SYNC_WORDS_MOST, "room for all of them");

size_t sup_barrier_kinds(int64_t processes, char out[SUP_BARRIER_KINDS][SUP_PATTERN_WORD]) {
    sup_sync_words words;
    sup_sync_words_find(NULL, (int)processes, &words);
    memcpy(out, words.at, words.count * sizeof *out);
    return words.count;
}
