/* A machine that was composed of parts (composed.h): what it is, in a line for people, and what was assumed. */
#include "profile/composed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char *sup_composed_text(const sup_composed *c, char *buf, size_t size) {
    char cores[64] = "", link[512] = "";
    if (c->node_processes != c->measured)
        snprintf(cores, sizeof cores, " of %" PRId64 " core%s", c->node_processes, c->node_processes == 1 ? "" : "s");
    if (c->link)
        snprintf(link, sizeof link, ", link %.80s (%s%.400s)", c->link, c->link_source ? "source: " : "measured",
                 c->link_source ? c->link_source : "");
    snprintf(buf, size, "composed of %" PRId64 " node%s%s like %.80s (%" PRId64 " measured)%s", c->nodes,
             c->nodes == 1 ? "" : "s", cores, c->node, c->measured, link);
    return buf;
}

sup_status sup_composed_rule(sup_composed *c, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char **rules = realloc(c->rules, (c->rules_count + 1) * sizeof *rules);
    if (!rules) return SUP_ENOMEM;
    c->rules = rules;
    rules[c->rules_count] = NULL;
    sup_status status = sup_record_set_string(&rules[c->rules_count], text);
    if (!status) c->rules_count++;
    return status;
}

sup_status sup_profile_measured(const sup_profile *profile, const char *file, sup_diag *diag) {
    if (!profile->composed) return SUP_OK;
    return sup_diag_set(diag, SUP_EMISMATCH, file, 0,
                        "is of a machine that was composed of parts, where one that was measured is needed");
}
