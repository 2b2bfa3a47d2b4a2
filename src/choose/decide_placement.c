/* Says what is known about where processes should be. A profile is of one placement, so that no other can be compared
 * with it: nothing is decided. What pairs cost says whether it could matter at all (BSP §7.5). */
#include "choose/decide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct spread {
    const sup_class_cost *near, *far;
    size_t classes;
} spread;

static spread spread_of(const sup_platform *m) {
    spread s = {0};
    for (size_t i = 0; i < m->class_count; i++) {
        const sup_class_cost *c = &m->classes[i];
        if (!c->known) continue;
        s.classes++;
        if (!s.near || c->latency < s.near->latency) s.near = c;
        if (!s.far || c->latency > s.far->latency) s.far = c;
    }
    return s;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    (void)diag;
    const char *policy = c->profile->signature.policy ? c->profile->signature.policy : "as measured";
    spread s = spread_of(c->platform);
    if (c->processes < 2 || !s.classes) return SUP_OK;
    sup_plan_decision *d = sup_choose_say(plan, "placement", policy, policy);
    char command[96];
    size_t length = strcspn(policy, " ");
    if (!d) return SUP_ENOMEM;
    if (c->profile->signature.policy && length < 64) {
        snprintf(command, sizeof command, "superstep run --place %.*s", (int)length, policy);
        if (sup_record_set_string(&d->command, command)) return SUP_ENOMEM;
    }
    if (s.classes == 1)
        return sup_choose_because(d,
                                  "kept: all pairs are alike (%s, latency %.3g µs), so it makes no difference to "
                                  "communication",
                                  s.near->name, 1e6 * s.near->latency);
    if (s.far->latency - s.far->d_latency <= s.near->latency + s.near->d_latency)
        return sup_choose_because(d, "kept: pairs of all %zu classes cost the same within their intervals", s.classes);
    return sup_choose_because(d,
                              "kept: pairs \"%s\" take %.1f × as long as pairs \"%s\", but only this placement was "
                              "measured; measure another one to compare",
                              s.far->name, s.far->latency / s.near->latency, s.near->name);
}

const sup_decider sup_decider_placement = {.name = "placement",
                                           .help = "where processes are",
                                           .rests = {{"pairs", true}},
                                           .decide = decide};
