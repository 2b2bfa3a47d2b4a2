/* Recommendations of the report, and the plan beside it. */
#ifndef SUP_CLI_REPORT_RECOMMENDED_H
#define SUP_CLI_REPORT_RECOMMENDED_H

#include "choose/choose.h"
#include "plan/plan.h"
#include "profile/profile.h"

#include <limits.h>

typedef struct sup_recommending {
    sup_plan *plan;             /* NULL: the profile has not what it takes */
    char lacks[SUP_LACKS_TEXT]; /* what is missing until anything can be decided; "": nothing */
    char path[PATH_MAX];        /* "": the page is no file, and has no plan beside it */
    const char *file;           /* path, where something is decided; else NULL */
    bool force;
} sup_recommending;

/* Names the file of the plan: "report.html" has "report-plan.json". Exit code: is anything in its way? */
int sup_recommending_open(const char *verb, const char *page, bool force, sup_recommending *out);
/* Decides; duels: what would change a default may be measured here. A profile that nothing can be decided by is no
 * mistake. */
sup_status sup_recommending_make(const sup_profile *profile, bool duels, bool quiet, sup_diag *diag,
                                 sup_recommending *r);
/* Writes the plan if there is one; exit code. */
int sup_recommending_write(const char *verb, const sup_recommending *r);
/* Everything that was decided, as in the plan; a new reference, null where nothing was. */
json_t *sup_recommending_json(const sup_recommending *r);
void sup_recommending_close(sup_recommending *r);

#endif
