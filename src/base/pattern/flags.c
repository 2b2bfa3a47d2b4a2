/* Flags: everyone sets its flag in an array that member 0 looks through, and member 0 releases all by one word: the
 * signals of the linear barrier, but where memory is shared the release is one store, however many read it. */
#include "base/pattern/pattern.h"

const sup_generator sup_generator_flags = {.name = "flags",
                                           .effect = SUP_PATTERN_GATHERS,
                                           .barrier = true,
                                           .common_release = true,
                                           .stages = sup_pattern_linear_stages,
                                           .run = sup_pattern_linear_run};
