/* Barriers that are measured without a profile. Apart from the other files of the verb: headers of labs and of options
 * have a name in common. */
#ifndef SUP_CLI_BARRIER_KINDS_H
#define SUP_CLI_BARRIER_KINDS_H

#include "base/pattern/pattern.h"

enum { SUP_BARRIER_KINDS = 64 };

/* Words of those that a profile has, for so many processes; how many. */
size_t sup_barrier_kinds(int64_t processes, char out[SUP_BARRIER_KINDS][SUP_PATTERN_WORD]);

#endif
