/* Patterns drawn stage by stage, for people: as text, and as a picture (SVG). Term Tsync; the patterns of
 * base/pattern/pattern.h.
 *
 * host_of: [processes], the host of each, numbered as they appear; NULL: nothing is known of hosts. */
#ifndef SUP_REPORT_DRAW_PATTERN_H
#define SUP_REPORT_DRAW_PATTERN_H

#include "base/pattern/pattern.h"

#include <stdio.h>

enum {
    SUP_PATTERN_DRAW_TEXT_MAX = 32, /* processes up to which the text has a line for each */
    SUP_PATTERN_DRAW_SVG_MAX = 64,  /* processes of a picture; of more the first ones are drawn, with a note */
    SUP_PATTERN_DRAW_STAGES = 64    /* stages drawn; of more the first ones, with a note */
};

/* "tree:4 of 16 processes: 4 stages, 30 signals" */
void sup_pattern_draw_title(const sup_pattern *pattern, char *text, size_t size);

/* Up to SUP_PATTERN_DRAW_TEXT_MAX processes a line each, a column a stage: → whom it signals, ← who signals it; ⇒ and ⇐
 * by one word that all read. More: the runs of each stage. SUP_ENOMEM, SUP_EIO. */
sup_status sup_pattern_draw_text(const sup_pattern *pattern, const int *host_of, FILE *out);

/* A whole document that needs nothing else; from malloc, ends with 0 (not counted). SUP_ENOMEM. */
sup_status sup_pattern_draw_svg(const sup_pattern *pattern, const int *host_of, char **out, size_t *length);

#endif
