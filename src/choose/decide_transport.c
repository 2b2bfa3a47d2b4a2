/* Recommends a transport: what a superstep that asks for nothing takes over each one that the profile has, and what a
 * message takes. A plan is of one transport; another one needs another plan. */
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };
#define MESSAGE 65536.0 /* bytes: long enough that copies count */

typedef struct way {
    const char *net;
    sup_prediction empty;
    double message_s, measured_s;
} way;

/* Of the class of pairs that takes longest. */
static double message_of(const sup_platform *m) {
    double longest = 0;
    for (size_t i = 0; i < m->class_count; i++) {
        if (!m->classes[i].known) continue;
        double t = sup_pair_time(m, &m->classes[i], MESSAGE).value;
        if (t > longest) longest = t;
    }
    return longest;
}

static sup_status price(const sup_choosing *c, const char *net, sup_diag *diag, way *out) {
    sup_platform *own = NULL;
    const sup_platform *m = c->platform;
    sup_status st = SUP_OK;
    if (strcmp(net, c->transport) != 0) {
        st = sup_platform_open(c->profile, &(sup_platform_options){.transport = net, .processes = c->processes}, diag,
                               &own);
        m = own;
    }
    out->net = net;
    out->measured_s = sup_choose_measured(c->profile, net, SUP_SYNC_EMPTY, c->processes);
    if (!st) st = sup_choose_empty(m, diag, &out->empty);
    if (!st) out->message_s = message_of(m);
    sup_platform_free(own);
    return st;
}

/* What `superstep run` takes by itself. */
static size_t find_usual(const sup_choosing *c, const way *ways, size_t count) {
    const char *name = c->profile->signature.hosts > 1 ? "openmpi" : "shm";
    for (int turn = 0; turn < 2; turn++, name = c->transport)
        for (size_t i = 0; i < count; i++)
            if (!strcmp(ways[i].net, name)) return i;
    return 0;
}

static int by_time(const void *a, const void *b) {
    const way *x = a, *y = b;
    return x->empty.value < y->empty.value ? -1 : x->empty.value > y->empty.value;
}

static sup_status explain(sup_plan_decision *d, const way *ways, size_t count, size_t best, size_t usual) {
    if (count == 1) return sup_choose_because(d, "kept: no other transport was measured");
    if (best != usual)
        return sup_choose_because(d,
                                  "%.1f × as fast as %s in supersteps that ask for nothing, %.1f × in messages of "
                                  "64 KiB",
                                  ways[usual].empty.value / ways[best].empty.value, ways[usual].net,
                                  ways[usual].message_s / ways[best].message_s);
    const way *next = &ways[usual == 0 ? 1 : 0];
    return sup_choose_because(d,
                              "kept: the next best, %s, takes %.1f × as long in supersteps that ask for nothing, "
                              "%.1f × in messages of 64 KiB",
                              next->net, next->empty.value / ways[usual].empty.value,
                              next->message_s / ways[usual].message_s);
}

static sup_status say(const sup_choosing *c, sup_plan *plan, const way *ways, size_t count, size_t proposed,
                      size_t usual, const sup_choose_duel *duel) {
    size_t best = proposed != usual && !sup_choose_takes(c, duel) ? usual : proposed;
    sup_plan_decision *d = sup_choose_say(plan, "transport", ways[best].net, ways[usual].net);
    if (!d) return SUP_ENOMEM;
    char command[96];
    d->predicted_s = ways[best].empty.value;
    d->otherwise_s = ways[usual].empty.value;
    d->measured_s = ways[best].measured_s;
    d->measured_otherwise_s = ways[usual].measured_s;
    if (proposed != usual) sup_choose_gain(d, ways[proposed].empty, ways[usual].empty);
    snprintf(command, sizeof command, "superstep run --net %.40s", ways[best].net);
    sup_status st = sup_record_set_string(&d->command, command);
    if (!st) st = sup_choose_where(d, "a superstep of %" PRId64 " processes that asks for nothing", c->processes);
    if (!st && proposed != usual) st = sup_choose_keep_duel(d, duel, NULL, ways[proposed].net, ways[usual].net);
    if (!st && best != proposed)
        st = sup_choose_not(d, duel, ways[proposed].net, ways[usual].empty.value / ways[proposed].empty.value);
    else if (!st)
        st = explain(d, ways, count, best, usual);
    for (size_t i = 0; i < count && !st; i++)
        if (i != best) st = sup_choose_beat(d, ways[i].net, ways[i].empty.value, ways[i].measured_s);
    return st;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    way ways[MOST];
    size_t count = 0, best;
    if (c->processes < 2) return SUP_OK;
    for (size_t i = 0; i < c->profile->pairs_count && count < MOST; i++) {
        sup_diag apart = {0}; /* what was not measured over so many processes, or not enough, is no way */
        sup_evidence e = sup_profile_evidence(c->profile, "exchanges", c->profile->pairs[i].transport);
        if (!sup_evidence_enough(&e)) continue;
        sup_status st = price(c, c->profile->pairs[i].transport, &apart, &ways[count]);
        if (st == SUP_ENOMEM) return sup_diag_set(diag, st, NULL, 0, "out of memory");
        if (!st && ways[count].empty.value > 0) count++;
    }
    if (!count) return SUP_OK;
    qsort(ways, count, sizeof *ways, by_time);
    size_t usual = best = find_usual(c, ways, count);
    for (size_t i = 0; i < count && best == usual; i++)
        if (sup_choose_better(ways[i].empty, ways[usual].empty) && ways[i].message_s <= ways[usual].message_s) best = i;
    sup_choose_duel duel = sup_choose_duel_of(SUP_DUEL_STEP, c->processes, 0);
    duel.side[0].transport = ways[best].net;
    duel.side[1].transport = ways[usual].net;
    sup_status st = best == usual ? SUP_OK : sup_choose_confirm(c, &duel, 1, diag);
    return st ? st : say(c, plan, ways, count, best, usual, &duel);
}

const sup_decider sup_decider_transport = {.name = "transport",
                                           .help = "how processes exchange bytes and signals",
                                           .rests = {{"pairs", true}, {"exchanges", true}},
                                           .decide = decide};
