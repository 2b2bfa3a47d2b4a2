/* τ-Lop parameters, measured (taulop.h): which channels there are, and what is asked of each. Tcomm, stage "measure".
 */
#include "measure/taulop/work.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)16 << 20)

static const sup_tau_setup setups[] = {
    {SUP_SETUP_RING, "ring", SUP_TRIAL_RING, .ring = true},
    {SUP_SETUP_PING, "ping", SUP_TRIAL_STREAM, .couples = true},
    {SUP_SETUP_BROADCAST, "broadcast", SUP_TRIAL_BROADCAST, .shared_bytes = (size_t)1 << 20},
};

unsigned sup_taulop_setup(const char *name) {
    for (size_t k = 0; k < sizeof setups / sizeof setups[0]; k++)
        if (!strcmp(setups[k].name, name)) return setups[k].bit;
    return 0;
}

/* ---- who takes part ---- */

/* The host with most processes, then the one with most of the others; -1: there is none. */
static int fullest_host(const sup_lab *lab, int but, int *members) {
    int best = -1;
    *members = 0;
    int *count = calloc((size_t)lab->size, sizeof *count);
    for (int i = 0; count && i < lab->size; i++) {
        int host = lab->places[i].host;
        if (host == but || ++count[host] <= *members) continue;
        *members = count[host];
        best = host;
    }
    free(count);
    return best;
}

static int list_host(const sup_lab *lab, int host, int *ranks, int step, int most) {
    int count = 0;
    for (int i = 0; i < lab->size && count < most; i++)
        if (lab->places[i].host == host) ranks[step * count++] = i;
    return count;
}

/* Sets the processes of channel c. False: the channel does not exist here. */
static bool find_ranks(sup_tau_work *w, int number) {
    int here, there, home = fullest_host(w->lab, -1, &here);
    w->number = number;
    if (number == 0) {
        if (here < 2) return false;
        w->ranks_count = list_host(w->lab, home, w->ranks, 1, here);
        w->most = here;
        return true;
    }
    int other = fullest_host(w->lab, home, &there);
    if (other < 0) return false;
    int tau = there < here ? there : here;
    list_host(w->lab, home, w->ranks, 2, tau);
    list_host(w->lab, other, w->ranks + 1, 2, tau);
    w->ranks_count = 2 * tau;
    w->most = tau;
    return true;
}

/* ---- channels ---- */

static sup_channel *entry(sup_tau_work *w, sup_profile *profile) {
    for (size_t i = 0; i < profile->channels_count; i++) {
        sup_channel *c = &profile->channels[i];
        bool same = !strcmp(c->transport, w->lab->transport) && !strcmp(c->setup, w->setup->name);
        if (!same || c->number != w->number || c->cached == w->cold) continue;
        sup_record_clear(&sup_channel_record, c);
        return c;
    }
    return SUP_APPEND(&sup_channel_record, profile->channels, profile->channels_count);
}

static sup_status describe(sup_tau_work *w, sup_channel *c) {
    sup_status status = sup_record_set_string(&c->name, w->number == 0 ? "shm" : "network");
    if (!status) status = sup_record_set_string(&c->transport, w->lab->transport);
    if (!status) status = sup_record_set_string(&c->setup, w->setup->name);
    if (!status && w->mechanism) status = sup_record_set_string(&c->mechanism, w->mechanism);
    c->number = w->number;
    c->cached = !w->cold;
    c->threshold_bytes = w->threshold;
    c->segment_bytes = w->segment;
    return status ? status : sup_tau_overhead_curve(w, &c->overhead_s);
}

static sup_status left_out(sup_status status) { return status == SUP_ETIMEOUT ? SUP_OK : status; }

static sup_status ask_channel(sup_tau_work *w, sup_profile *profile) {
    sup_channel *c = entry(w, profile);
    if (!c) return SUP_ENOMEM;
    sup_status status = describe(w, c);
    if (!status) status = sup_tau_transfer(w, &c->transfer);
    if (c->transfer) c->violations = sup_taulop_violations(c->transfer);
    if (c->violations > 0 && !w->lab->visit) /* who visits finds out more */
        sup_session_warn(w->session, SUP_WARNING_TRANSFERS_OUT_OF_BOUNDS,
                         &(sup_about){.transport = w->lab->transport,
                                      .channel = c->name,
                                      .setup = c->setup,
                                      .number = {(double)c->violations}});
    if (status || !w->setup->ring) return status;
    status = left_out(sup_tau_packing(w, c));
    if (w->number > 0) return status;
    if (!status) status = left_out(sup_tau_gamma(w, 1, c));
    return status || w->most < 2 ? status : left_out(sup_tau_gamma(w, w->most, c));
}

/* L⁰ of the cached ring, which network transfers contain. */
static const sup_transfer *shared_transfer(const sup_tau_work *w, const sup_profile *profile) {
    for (size_t i = 0; i < profile->channels_count; i++) {
        const sup_channel *c = &profile->channels[i];
        if (c->number == 0 && c->cached && !strcmp(c->transport, w->lab->transport) && !strcmp(c->setup, "ring"))
            return c->transfer;
    }
    return NULL;
}

/* Is there memory that all of the host see? What cannot be done is never found: who cannot visit does not miss it. */
static sup_status can_share(sup_tau_work *w, bool *can) {
    sup_timing t;
    sup_trial trial = sup_trial_of(w->setup->kind, w->ranks, 1, 2, 64);
    sup_status status = sup_lab_ask(w->lab, w->session, "broadcast setup", &trial, w->diag, &t);
    *can = !status;
    w->missing |= status == SUP_ETIMEOUT && w->lab->visit;
    if (status != SUP_ENOTSUP) return left_out(status);
    sup_session_warn(w->session, SUP_WARNING_NO_BROADCAST, &(sup_about){.transport = w->lab->transport});
    return SUP_OK;
}

static sup_status ask_setups(sup_tau_work *w, sup_profile *profile) {
    sup_status status = SUP_OK;
    for (int cold = 0; cold <= (w->options.cold ? 1 : 0) && !status; cold++)
        for (size_t k = 0; k < sizeof setups / sizeof setups[0] && !status; k++) {
            if (!(w->options.setups & setups[k].bit)) continue;
            if (w->number > 0 && !setups[k].ring) continue; /* PART measures networks with rings only */
            w->cold = cold;
            w->setup = &setups[k];
            bool can = true;
            if (w->setup->shared_bytes) status = can_share(w, &can);
            if (!status && can) status = ask_channel(w, profile);
        }
    return status;
}

static sup_status ask_number(sup_tau_work *w, sup_profile *profile) {
    w->shared = w->number > 0 ? shared_transfer(w, profile) : NULL;
    if (w->number > 0 && !w->shared && !w->options.rdma)
        sup_session_warn(w->session, SUP_WARNING_ONE_PROCESS_A_HOST, &(sup_about){.transport = w->lab->transport});
    w->lab->budget.needed = true; /* a channel without it is none, and the second comes when much is spent */
    sup_status status = sup_tau_overhead(w);
    w->lab->budget.needed = false;
    if (!status) status = left_out(sup_tau_mechanism(w));
    if (!status) status = ask_setups(w, profile);
    return left_out(status);
}

sup_status sup_measure_taulop(sup_lab *lab, sup_session *session, const sup_taulop_options *options,
                              sup_profile *profile, sup_diag *diag) {
    sup_tau_work w = {.lab = lab, .session = session, .diag = diag};
    if (options) w.options = *options;
    if (!w.options.setups) w.options.setups = SUP_SETUP_RING;
    if (!w.options.max_bytes || w.options.max_bytes > LARGEST) w.options.max_bytes = LARGEST;
    w.ranks = calloc((size_t)lab->size + 2, sizeof *w.ranks);
    if (!w.ranks) return sup_diag_no_memory(diag);
    sup_status status = SUP_OK;
    for (int number = 0; number < 2 && !status; number++)
        if (find_ranks(&w, number)) status = ask_number(&w, profile);
    free(w.ranks);
    if (status == SUP_ENOMEM) return sup_diag_set(diag, status, NULL, 0, "out of memory");
    if (status || !w.missing) return status;
    return SUP_ETIMEOUT;
}
