/* What `superstep choose` recommends, for the report: the tool makes the list from the plan, for a page calls no model
 * and knows no plan. Strings are the plan's. */
#ifndef SUP_REPORT_RECOMMENDED_H
#define SUP_REPORT_RECOMMENDED_H

#include <stdbool.h>
#include <stddef.h>

#define SUP_RECOMMENDED_PLAN "superstep run --plan" /* the command of what is in the plan; the page names its file */

typedef struct sup_recommended {
    const char *about, *where; /* "transport"; of which processes or program, NULL: all */
    const char *choice;
    const char *instead;        /* what it is compared with: the default, or the next best; NULL: nothing */
    bool changes;               /* it is not the default, and a duel has confirmed that it is better */
    bool open;                  /* it would be better than the default if a duel confirmed it */
    double predicted, measured; /* times faster than that; NaN: not known */
    double low, high;           /* interval of that; NaN */
    double duel, duel_ci;       /* times faster in a duel of the two; NaN: there was none */
    char rest[160];             /* what it rests on */
    const char *reason, *command;
} sup_recommended;

typedef struct sup_recommended_list {
    sup_recommended *at;
    size_t count;
    const char *plan, *profile; /* files: of the plan that was written, of the profile; NULL: none */
    char lacks[640];            /* what is missing until anything can be decided; empty: nothing */
} sup_recommended_list;

#endif
