/* The middle of the flow (choose.h): opens the profile for the plan's processes and transport, asks every decider, and
 * gives the plan. Two plans of one profile differ in the time at which they were made and in nothing else. */
#include "choose/choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the plan's decisions: what most depends on first. */
const sup_decider *const sup_deciders[] = {
    &sup_decider_transport, &sup_decider_processes, &sup_decider_barrier, &sup_decider_collectives,
    &sup_decider_counts,    &sup_decider_engine,    &sup_decider_tiles,   NULL,
};

/* ---- which deciders ---- */

static bool is_named(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && !strncmp(at, name, length)) return true;
    return false;
}

static sup_status check_names(const char *list, sup_diag *diag) {
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ","), i = 0;
        while (sup_deciders[i] &&
               (strlen(sup_deciders[i]->name) != length || strncmp(sup_deciders[i]->name, at, length) != 0))
            i++;
        if (!sup_deciders[i])
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "there is nothing to decide called \"%.*s\"",
                                length > 64 ? 64 : (int)length, at);
    }
    return SUP_OK;
}

/* ---- the plan before anything is decided ---- */

static sup_status set_digest(const sup_profile *profile, sup_plan *plan, sup_diag *diag) {
    char *text = NULL, digest[SUP_HASH_TEXT];
    size_t length = 0;
    sup_status st = sup_profile_text(profile, diag, &text, &length);
    if (st) return st;
    sup_hash_format(sup_hash_bytes(sup_hash_start(), text, length), digest);
    free(text);
    return sup_record_set_string(&plan->profile, digest);
}

/* That of the profile. Of fewer processes it is not known where others will put them: then any placement will do. */
static sup_status set_signature(const sup_choosing *c, sup_plan *plan) {
    const sup_origin *from = &c->profile->signature;
    sup_origin *to = &plan->signature;
    sup_status st = sup_record_copy(&sup_origin_record, from, to);
    if (!st) st = sup_record_set_string(&to->transport, c->transport);
    if (st || c->processes == from->processes) return st;
    int64_t last = 0, host, core;
    for (int64_t i = 0; i < c->processes && from->placement_count; i++)
        if (!sup_origin_place(from, i, &host, &core) && host > last) last = host;
    if (from->placement_count) to->hosts = last + 1;
    for (size_t i = 0; i < to->placement_count; i++) free(to->placement[i].cores);
    free(to->placement);
    to->placement = NULL;
    to->placement_count = 0;
    to->processes = c->processes;
    return sup_record_set_string(&to->policy, NULL);
}

sup_status sup_choose_begin(const sup_choosing *c, sup_diag *diag, sup_plan **out) {
    sup_plan *plan = NULL;
    sup_status st = sup_plan_new(-1, diag, &plan);
    if (!st) st = set_digest(c->profile, plan, diag);
    if (!st && (st = set_signature(c, plan))) sup_diag_set(diag, st, NULL, 0, "out of memory");
    if (st)
        sup_plan_free(plan);
    else
        *out = plan;
    return st;
}

/* ---- all of it ---- */

static sup_status decide(const sup_choosing *c, const char *only, sup_plan *plan, sup_diag *diag,
                         sup_choose_lacks *lacks) {
    snprintf(lacks->transport, sizeof lacks->transport, "%s", c->transport);
    for (const sup_decider *const *d = sup_deciders; *d; d++) {
        size_t before = lacks->count;
        if (only && !is_named(only, (*d)->name)) continue;
        sup_choose_gate(c, *d, lacks);
        if (lacks->count > before) continue;
        sup_status st = (*d)->decide(c, plan, diag);
        if (st == SUP_ENOMEM) sup_diag_set(diag, st, NULL, 0, "out of memory");
        if (st) return st;
    }
    return sup_plan_check(plan, diag);
}

sup_status sup_choose(const sup_profile *profile, const sup_choose_options *options, sup_diag *diag, sup_plan **out,
                      sup_choose_lacks *lacks) {
    sup_platform *platform = NULL;
    sup_plan *plan = NULL;
    *lacks = (sup_choose_lacks){.missing_s = NAN};
    sup_status st = check_names(options->only, diag);
    if (!st)
        st =
            sup_platform_open(profile,
                              &(sup_platform_options){.transport = options->transport, .processes = options->processes},
                              diag, &platform);
    if (st) return st;
    sup_choosing c = {.profile = profile,
                      .transport = platform->transport,
                      .processes = platform->processes,
                      .platform = platform,
                      .duel = options->duel,
                      .ties = options->ties,
                      .duel_context = options->duel_context,
                      .unconfirmed = options->unconfirmed};
    st = sup_choose_begin(&c, diag, &plan);
    if (!st) st = decide(&c, options->only, plan, diag, lacks);
    sup_platform_free(platform);
    if (st)
        sup_plan_free(plan);
    else
        *out = plan;
    return st;
}
