/* How well the numbers of a profile are known, all terms: how many there are, how wide their intervals are, and what to
 * do where too many are too wide. For the section "quality", the facts and the banner of the page. */
#ifndef SUP_REPORT_CERTAINTY_H
#define SUP_REPORT_CERTAINTY_H

#include "profile/profile.h"

#define SUP_WIDE 0.10         /* an interval is wide beyond this share of its value */
#define SUP_WIDE_ALLOWED 0.10 /* beyond this share of numbers that are wide one should measure longer */

struct sup_section;

typedef struct sup_certainty {
    size_t numbers, known; /* all, and those with an interval or from one sample */
    size_t wide, single;   /* of those known: wider than SUP_WIDE, or from one sample; only the latter */
    double middle, most;   /* intervals as shares of the value: in the middle, at 95 %; NaN: none is known */
    int64_t samples, reruns;
} sup_certainty;

/* SUP_ENOMEM. */
sup_status sup_certainty_of(const sup_profile *profile, const struct sup_section *const *sections, sup_certainty *out);
/* Of those known; NaN: none is. */
double sup_certainty_within(const sup_certainty *certainty);

#define SUP_ADVICE 4096
/* What to do about it, some sentences, commands between backquotes; empty: nothing. file: of the profile, NULL: it was
 * not kept; page: the report that shall be made again, NULL: none. */
char *sup_certainty_advice(const sup_profile *profile, const sup_certainty *certainty, const char *file,
                           const char *page, char buf[SUP_ADVICE]);

/* What numbers made of some sections over a transport (NULL: over all) rest on: "9 launches" of the section with the
 * fewest; a warning where that is not enough to decide by. */
#define SUP_REST 160
const char *sup_certainty_rest(const sup_profile *profile, const char *const *sections, const char *transport,
                               char buf[SUP_REST]);

#endif
