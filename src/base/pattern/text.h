/* Patterns as text that people write and read: one line a stage, signals as FROM>TO, or FROM>>TO where all receivers
 * read the one word that the sender writes (common). The number before a stage may be left out; # begins a comment.
 *
 *     processes 4                 (optional, first; without it one more than the greatest number below)
 *     0: 1>0 2>0 3>0
 *     1: 0>>1 0>>2 0>>3
 *
 * Everyone signals first in a stage and then waits for those that signal it, and no stage waits for a later one: so
 * circles are allowed, in a stage and over several, and no pattern can deadlock. What a pattern can fail at is to
 * inform everybody, which sup_pattern_covers finds. */
#ifndef SUP_BASE_PATTERN_TEXT_H
#define SUP_BASE_PATTERN_TEXT_H

#include "base/pattern/pattern.h"

#include <stdio.h>

#define SUP_PATTERN_TEXT_STAGES 16384
#define SUP_PATTERN_TEXT_SIGNALS ((size_t)1 << 22)
#define SUP_PATTERN_TEXT_BYTES ((size_t)64 << 20) /* for whoever loads a file */

/* path is what diagnostics call the text. For sup_pattern_free. SUP_EPARSE: with the line and the reason; at most
 * SUP_PATTERN_COVERS_MAX processes. SUP_ENOMEM. */
sup_status sup_pattern_read_text(const char *text, size_t length, const char *path, sup_diag *diag, sup_pattern *out);

/* As it is read. SUP_EIO, SUP_ENOMEM. */
sup_status sup_pattern_write_text(const sup_pattern *pattern, FILE *out);

#endif
