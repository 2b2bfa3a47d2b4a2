/* Everything that is measured over a net, in one collective call: pairs, barriers, the classic g and l, τ-Lop. Terms
 * Tcomm and Tsync, stage "measure".
 *
 *     all P processes:  sup_measure_net(net, &options, session, profile, diag)
 *
 * Rank 0 decides what is measured and for how long, tells the others by messages, and alone has a session and a
 * profile (the others pass NULL). Messages with tags from 0x7f00 on and signal slots 40 … 49 are used. May be called
 * again on the same net. */
#ifndef SUP_MEASURE_SECTIONS_H
#define SUP_MEASURE_SECTIONS_H

#include "measure/pair.h"
#include "measure/taulop.h"

enum {
    SUP_MEASURE_PAIRS = 1,
    SUP_MEASURE_SYNC = 2,
    SUP_MEASURE_CLASSIC = 4,
    SUP_MEASURE_TAULOP = 8,
    SUP_MEASURE_COPIES = 16,
    SUP_MEASURE_CALIBRATION = 32,
    SUP_MEASURE_CURVES = 31 /* everything but calibration runs */
};

/* Only rank 0's matter, except for `lab`. */
typedef struct sup_measure_net_options {
    unsigned parts; /* SUP_MEASURE_…; 0: all */
    sup_pair_options pairs;
    sup_taulop_options taulop;
    sup_lab_options lab;
    const char *launches; /* file with what earlier launches found, which gets this one's (launches.h); NULL: none */
    bool *complete;       /* not NULL: set to whether time sufficed for everything */
} sup_measure_net_options;

/* options may be NULL. SUP_EINTR: stopped by the user; the profile holds what was measured until then, as it does when
 * the session's time runs out, which is no failure. SUP_EPEER: a process is gone. */
sup_status sup_measure_net(sup_net *net, const sup_measure_net_options *options, sup_session *session,
                           sup_profile *profile, sup_diag *diag);

/* Rank 0's part on a lab that is open. */
sup_status sup_measure_lab(sup_lab *lab, const sup_measure_net_options *options, sup_session *session,
                           sup_profile *profile, sup_diag *diag);

#endif
