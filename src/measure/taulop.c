/* τ-Lop parameters, measured (taulop.h): which channels there are, and the order of work. Tcomm, stage "measure". */
#include "measure/taulop_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES 64.0
#define NETWORK_SHARE 0.6 /* of the time, if there is a network */
#define LARGEST ((size_t)64 << 20)

static const sup_tau_setup setups[] = {
    {SUP_SETUP_RING, "ring", SUP_TRIAL_RING, .ring = true},
    {SUP_SETUP_PING, "ping", SUP_TRIAL_STREAM, .couples = true},
    {SUP_SETUP_BROADCAST, "broadcast", SUP_TRIAL_BROADCAST, .shared_bytes = (size_t)1 << 20},
};

int sup_taulop_taus(int most, int taus[64]) {
    int count = 0;
    for (int base = 1; base > 0 && base <= most && count < 60; base *= 2) {
        taus[count++] = base;
        int between = base + base / 2;
        if (base > 1 && between < most && between < 2 * base) taus[count++] = between;
    }
    if (count > 0 && taus[count - 1] < most) taus[count++] = most;
    return count;
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

/* ---- the grid ---- */

static void make_grid(sup_tau_work *w) {
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double most = fmin((double)w->options.max_bytes, memory / 8.0 / w->ranks_count);
    if (w->setup->shared_bytes) most = fmin(most, (double)w->setup->shared_bytes);
    w->bytes_count = 0;
    for (double bytes = FIRST_BYTES; bytes <= most && w->bytes_count < SUP_TAULOP_SIZES; bytes *= 4.0)
        w->bytes[w->bytes_count++] = bytes;
    w->taus_count = sup_taulop_taus(w->most, w->taus);
}

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
    const char *mechanism = w->number == 0 ? "buffered" : w->options.rdma ? "rdma" : "tcp";
    if (!status) status = sup_record_set_string(&c->mechanism, mechanism);
    c->number = w->number;
    c->cached = !w->cold;
    c->threshold_bytes = w->threshold;
    c->segment_bytes = -1;
    return status ? status : sup_tau_overhead_curve(w, &c->overhead_s);
}

/* ---- channels ---- */

static sup_status measure_channel(sup_tau_work *w, sup_profile *profile) {
    make_grid(w);
    sup_channel *c = entry(w, profile);
    if (!c) return SUP_ENOMEM;
    sup_status status = describe(w, c);
    if (status) return status;
    status = sup_tau_transfer(w, &c->transfer);
    if (c->transfer) c->violations = sup_taulop_violations(c->transfer);
    if (c->violations > 0)
        sup_session_warn(w->session, SUP_WARNING_TRANSFERS_OUT_OF_BOUNDS,
                         &(sup_about){.transport = w->lab->transport,
                                      .channel = c->name,
                                      .setup = c->setup,
                                      .number = {(double)c->violations}});
    bool wants_gamma = w->number == 0 && w->setup->ring;
    w->share = 0.8;
    if (!status && wants_gamma) status = sup_tau_gamma(w, 1, c);
    if (!status && wants_gamma && w->most > 1) status = sup_tau_gamma(w, w->most, c);
    return status;
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

/* Is there memory that all of the host see? */
static sup_status can_share(sup_tau_work *w, bool *can) {
    sup_timing t;
    sup_trial trial = sup_trial_of(w->setup->kind, w->ranks, 1, 2, 64);
    sup_status status = sup_tau_try(w, "broadcast setup", &trial, &t);
    *can = status != SUP_ENOTSUP;
    if (!*can) sup_session_warn(w->session, SUP_WARNING_NO_BROADCAST, &(sup_about){.transport = w->lab->transport});
    return *can ? status : SUP_OK;
}

static sup_status measure_setups(sup_tau_work *w, sup_profile *profile) {
    sup_status status = SUP_OK;
    for (int cold = 0; cold <= (w->options.cold ? 1 : 0) && !status; cold++)
        for (size_t k = 0; k < sizeof setups / sizeof setups[0] && !status; k++) {
            if (!(w->options.setups & setups[k].bit)) continue;
            if (w->number > 0 && !setups[k].ring) continue; /* PART measures networks with rings only */
            w->cold = cold;
            w->setup = &setups[k];
            bool can = true;
            if (w->setup->shared_bytes) status = can_share(w, &can);
            if (!status && can) status = measure_channel(w, profile);
        }
    return status;
}

sup_status sup_measure_taulop(sup_lab *lab, sup_session *session, const sup_taulop_options *options,
                              sup_profile *profile, sup_diag *diag) {
    sup_tau_work w = {.lab = lab, .session = session, .diag = diag};
    if (options) w.options = *options;
    if (!w.options.setups) w.options.setups = SUP_SETUP_RING;
    if (!w.options.max_bytes || w.options.max_bytes > LARGEST) w.options.max_bytes = LARGEST;
    w.ranks = calloc((size_t)lab->size + 2, sizeof *w.ranks);
    if (!w.ranks) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    sup_status status = SUP_OK;
    bool short_of_time = false;
    for (int number = 0; number < 2 && !status; number++) {
        w.reserve_s = number == 0 && find_ranks(&w, 1) ? NETWORK_SHARE * sup_session_left(session) : 0.0;
        if (!find_ranks(&w, number)) continue;
        w.share = 0.0;
        w.shared = number > 0 ? shared_transfer(&w, profile) : NULL;
        if (number > 0 && !w.shared && !w.options.rdma)
            sup_session_warn(session, SUP_WARNING_ONE_PROCESS_A_HOST, &(sup_about){.transport = lab->transport});
        status = sup_tau_overhead(&w);
        if (!status) status = measure_setups(&w, profile);
        short_of_time |= status == SUP_ETIMEOUT;
        if (status == SUP_ETIMEOUT) status = SUP_OK; /* another channel has time of its own */
    }
    free(w.ranks);
    if (!status && short_of_time) status = SUP_ETIMEOUT;
    if (status == SUP_ETIMEOUT)
        sup_session_warn(session, SUP_WARNING_TIME_FOR_TRANSFERS, &(sup_about){.transport = lab->transport});
    if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory");
    return status;
}
