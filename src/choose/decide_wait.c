/* Decides how long a process that waits keeps looking before it sleeps (Tsync). Without a plan a process learns how
 * long its waits last. A profile says how noisy the machine is, and no measurement of one says that a fixed time would
 * be better than the learned one: so the decision is to leave it learned, and it says on what kind of machine. */
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>

static double noise_of(const sup_choosing *c) {
    for (size_t i = 0; i < c->profile->noise_count; i++) {
        const sup_noise *n = &c->profile->noise[i];
        if (!strcmp(n->term, "sync") && n->transport && !strcmp(n->transport, c->transport)) return n->typical;
    }
    return NAN;
}

/* Interruptions of at least 50 µs, which is about what sleeping and being woken takes. */
static double interruptions_of(const sup_choosing *c) {
    for (size_t i = 0; i < c->profile->interruptions_count; i++) {
        const sup_interruptions *x = &c->profile->interruptions[i];
        if (!x->transport || strcmp(x->transport, c->transport) != 0) continue;
        for (size_t k = 0; k < x->least_s_count && k < x->per_s_count; k++)
            if (x->least_s[k] >= 49e-6) return x->per_s[k];
    }
    return NAN;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    (void)diag;
    if (c->processes < 2) return SUP_OK;
    sup_plan_decision *d = sup_choose_say(plan, "wait", "learned", "learned");
    if (!d) return SUP_ENOMEM;
    const sup_origin *o = &c->profile->signature;
    double noise = noise_of(c), often = interruptions_of(c);
    if (c->processes > o->cores * o->hosts)
        return sup_choose_because(d,
                                  "kept: with %" PRId64 " processes on %" PRId64 " cores whoever waits yields its core",
                                  c->processes, (o->cores * o->hosts));
    if (isfinite(noise) && isfinite(often))
        return sup_choose_because(d,
                                  "kept: a sync usually takes %.2f × its calm time here, a process is interrupted "
                                  "for 50 µs or more %.0f times a second, and how long to look follows that by "
                                  "itself",
                                  noise, often);
    return sup_choose_because(d, "kept: how long to look is learned, and nothing was measured that would fix it");
}

/* It rests on nothing, for it changes nothing. */
const sup_decider sup_decider_wait = {.name = "wait",
                                      .help = "how long a process looks before it sleeps",
                                      .decide = decide};
