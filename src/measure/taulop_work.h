/* What the parts of the τ-Lop measurement share: taulop.c (channels and order of work), taulop_threshold.c (o and H),
 * taulop_transfer.c (L and γ). */
#ifndef SUP_MEASURE_TAULOP_WORK_H
#define SUP_MEASURE_TAULOP_WORK_H

#include "measure/launches.h"
#include "measure/taulop.h"

enum { SUP_TAULOP_SIZES = 32, SUP_TAULOP_TAUS = 64 };

/* How L(m,τ) of a host is measured (taulop.h): a row of the table in taulop.c. */
typedef struct sup_tau_setup {
    unsigned bit;        /* SUP_SETUP_… */
    const char *name;    /* in files */
    sup_trial_kind kind; /* with more than one process */
    bool ring;           /* everybody sends and receives: its time is o and two transfers */
    bool couples;        /* τ is even */
    size_t shared_bytes; /* memory that all of the host see, which messages go through; 0: needs none */
} sup_tau_setup;

typedef struct sup_tau_work {
    sup_lab *lab;
    sup_session *session;
    sup_taulop_options options;
    sup_diag *diag;
    /* the channel being measured */
    int number; /* c */
    int *ranks; /* c = 0: of one host; c = 1: of two hosts in turn */
    int ranks_count;
    int most; /* τ */
    const sup_tau_setup *setup;
    bool cold;
    /* o and H */
    sup_timing eager, rendezvous;
    int64_t threshold;
    /* the grid */
    double bytes[SUP_TAULOP_SIZES];
    int bytes_count;
    int taus[SUP_TAULOP_TAUS];
    int taus_count;
    /* L⁰ of cached rings for the network: NULL none */
    const sup_transfer *shared;
    double share;     /* of the progress bar */
    double reserve_s; /* time that is for later channels */
} sup_tau_work;

/* Seconds left for this channel. */
double sup_tau_left(const sup_tau_work *work);
sup_status sup_tau_try(sup_tau_work *work, const char *text, const sup_trial *trial, sup_timing *out);

/* o and H of the channel's first pair. */
sup_status sup_tau_overhead(sup_tau_work *work);
double sup_tau_overhead_at(const sup_tau_work *work, double bytes);
/* o(m) as a curve of two levels; *out is part of a record, which frees it. */
sup_status sup_tau_overhead_curve(const sup_tau_work *work, sup_file_curve **out);

/* L(m,τ); sizes that would take too long are left out for all τ. What was measured is in *out even if it returns
 * SUP_EINTR or SUP_ETIMEOUT; NULL: not even one row. */
sup_status sup_tau_transfer(sup_tau_work *work, sup_transfer **out);
/* γ of the sum of doubles, with τ processes at it. */
sup_status sup_tau_gamma(sup_tau_work *work, int tau, sup_channel *channel);

#endif
