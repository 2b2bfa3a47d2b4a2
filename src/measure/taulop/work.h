/* What the parts of the τ-Lop section share: taulop.c (channels) calls taulop/threshold.c (o and H), taulop/mechanism.c
 * (S, one copy or two), taulop/transfer.c (L on its grid) and taulop/local.c (γ and p); all of them ask through
 * taulop/work.c. */
#ifndef SUP_MEASURE_TAULOP_WORK_H
#define SUP_MEASURE_TAULOP_WORK_H

#include "measure/lab/lab.h"
#include "measure/taulop/taulop.h"

enum { SUP_TAULOP_SIZES = 32, SUP_TAULOP_TAUS = 64 };

/* How L(m,τ) of a host is measured (taulop.h): a row of the table in taulop.c. */
typedef struct sup_tau_setup {
    unsigned bit;        /* SUP_SETUP_… */
    const char *name;    /* in files */
    sup_trial_kind kind; /* with more than one process */
    bool ring;           /* everybody sends and receives: its time is o and the transfers of a message */
    bool couples;        /* τ is even */
    size_t shared_bytes; /* memory that all of the host see, which messages go through; 0: needs none */
} sup_tau_setup;

typedef struct sup_tau_work {
    sup_lab *lab;
    sup_session *session;
    sup_taulop_options options;
    sup_diag *diag;
    bool missing; /* something that was asked is not known */
    /* the channel that is asked about */
    int number; /* c */
    int *ranks; /* c = 0: of one host; c = 1: of two hosts in turn */
    int ranks_count;
    int most; /* τ */
    const sup_tau_setup *setup;
    bool cold;
    /* o and H */
    sup_timing eager, rendezvous;
    int64_t threshold;
    /* S and how large messages are moved */
    int64_t segment;       /* -1: not cut */
    const char *mechanism; /* NULL: the times do not decide */
    /* L⁰ of cached rings for the network: NULL none */
    const sup_transfer *shared;
} sup_tau_work;

/* SUP_ETIMEOUT: not known, which is remembered. */
sup_status sup_tau_ask(sup_tau_work *work, const char *text, const sup_trial *trial, sup_timing *out);
/* Bytes of the largest message, by what is wanted and what there is of memory. */
double sup_tau_largest(const sup_tau_work *work);
/* How many transfers a message is made of. */
int sup_tau_transfers(const sup_tau_work *work, double bytes);

/* o and H of the channel's first pair. */
sup_status sup_tau_overhead(sup_tau_work *work);
const sup_timing *sup_tau_overhead_at(const sup_tau_work *work, double bytes);
/* o(m) as a curve of two levels; *out is part of a record, which frees it. */
sup_status sup_tau_overhead_curve(const sup_tau_work *work, sup_file_curve **out);

/* S and the mechanism of the channel's first pair. */
sup_status sup_tau_mechanism(sup_tau_work *work);

/* L(m,τ). Sizes that would take too long are left out for all τ, as is a row of which something is not known; NULL: not
 * even one row. */
sup_status sup_tau_transfer(sup_tau_work *work, sup_transfer **out);

/* γ of the sum of doubles, with τ processes at it. A curve of which something is not known is left out. */
sup_status sup_tau_gamma(sup_tau_work *work, int tau, sup_channel *channel);
/* p(m) of the channel's first process. */
sup_status sup_tau_packing(sup_tau_work *work, sup_channel *channel);

#endif
