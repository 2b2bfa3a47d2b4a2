/* Whether a profile is enough to decide by (choose.h): what each decider rests on, and what is missing of it. */
#include "choose/choose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void sup_choose_gate(const sup_choosing *c, const sup_decider *decider, sup_choose_lacks *lacks) {
    bool alone = c->processes < 2 || !c->platform->pairs; /* nobody to communicate with */
    for (int i = 0; i < SUP_CHOOSE_RESTS && decider->rests[i].section; i++) {
        const sup_choose_rest *r = &decider->rests[i];
        if (r->over && alone) continue;
        sup_evidence e = sup_profile_evidence(c->profile, r->section, r->over ? c->transport : NULL);
        if (sup_evidence_enough(&e) || lacks->count == SUP_CHOOSE_LACKS) continue;
        double missing = sup_profile_missing_s(c->profile, e.launches);
        lacks->missing_s = lacks->count ? fmax(lacks->missing_s, missing) : missing;
        lacks->at[lacks->count++] = (sup_choose_lack){decider->name, r->section, r->over, e};
    }
}

static bool said_before(const sup_choose_lacks *l, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (!strcmp(l->at[i].section, l->at[at].section)) return true;
    return false;
}

/* Sections, and what is known of each. */
const char *sup_choose_lacks_text(const sup_choose_lacks *l, char text[SUP_LACKS_TEXT]) {
    int used =
        isnan(l->missing_s)
            ? snprintf(text, SUP_LACKS_TEXT, "measure anew: the profile is not complete, and cannot be gone on with")
            : snprintf(text, SUP_LACKS_TEXT, "measure longer: about %.0f s are missing", l->missing_s);
    bool any = false;
    for (size_t i = 0; i < l->count && used < SUP_LACKS_TEXT; i++) {
        const sup_choose_lack *x = &l->at[i];
        if (said_before(l, i)) continue;
        size_t room = SUP_LACKS_TEXT - (size_t)used;
        const char *over = x->over ? " over " : "", *net = x->over ? l->transport : "";
        if (x->evidence.launches < 0)
            used += snprintf(text + used, room, "%s%s%s%s not complete", any ? ", " : " (", x->section, over, net);
        else
            used += snprintf(text + used, room, "%s%s%s%s: %" PRId64 " of %d launches", any ? ", " : " (", x->section,
                             over, net, x->evidence.launches, SUP_EVIDENCE_LAUNCHES);
        any = true;
    }
    if (any && used < SUP_LACKS_TEXT) snprintf(text + used, SUP_LACKS_TEXT - (size_t)used, ")");
    return text;
}
