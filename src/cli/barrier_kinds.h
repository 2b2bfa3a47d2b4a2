/* Barriers that are measured without a profile. Apart from the other files of the verb: headers of labs and of options
 * have a name in common. */
#ifndef SUP_CLI_BARRIER_KINDS_H
#define SUP_CLI_BARRIER_KINDS_H

#include "base/pattern.h"

enum { SUP_BARRIER_KINDS = 64 };

/* Those that a profile has, for so many processes; how many. */
size_t sup_barrier_kinds(int64_t processes, sup_pattern_kind out[SUP_BARRIER_KINDS]);

#endif
