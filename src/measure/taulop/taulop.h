/* τ-Lop parameters, measured (TAU §5, PART §5.3): o(m) with its step at the eager/rendezvous threshold H, the segment
 * size S and the mechanism of large messages, the transfer time L(m,τ) on a grid, γ_sum and p(m). Tcomm, stage
 * "measure"; the models price with it.
 *
 *   o     eager: RTT(0)/2. Rendezvous: shared memory by the jump of the time at H, networks by a synchronous send.
 *   H     the smallest message whose send does not complete while nobody receives it; found by bisection.
 *   S     what comes at a time into the receiver's buffer, watched.
 *   n     transfers of a message: 1 from H on where one copy moves it, else 2.
 *   L⁰    τ = 1: (RTT(m)/2 − o)/n.  τ > 1, by setup:
 *           ring       τ processes of a host, sendrecv: (Ring − o)/n
 *           ping       τ/2 couples, message after message: time of a message
 *           broadcast  one writes two shared segments in turn, τ − 1 read: time of a segment
 *   L¹    2τ processes on two hosts in turn: Ring/2 − o¹ − 2·L⁰ (TCP), Ring/2 − o¹ (RDMA)
 *   γ, p  a process by itself, τ of them at once for γ; p gathers blocks of SUP_PACK_BLOCK bytes, SUP_PACK_STRIDE apart
 *
 * Sizes are powers of 4 from 64 bytes to 4 MB and both sides of H; if all is wanted also powers of 2 between 1 KB and
 * 4 MB, larger ones, and H and S with their halves and doubles.
 * They end where a message would take too long for a visit; profile/channel.h has the rule for what is beyond. Bounds
 * L(m,τ) ≤ L(m,Aτ) ≤ A·L(m,τ) are checked beyond the intervals, violations counted. */
#ifndef SUP_MEASURE_TAULOP_TAULOP_H
#define SUP_MEASURE_TAULOP_TAULOP_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

enum { SUP_SETUP_RING = 1, SUP_SETUP_PING = 2, SUP_SETUP_BROADCAST = 4 };
enum { SUP_PACK_BLOCK = 64, SUP_PACK_STRIDE = 128 };

#define SUP_MECHANISM_BUFFERED "buffered"
#define SUP_MECHANISM_SINGLE "single-copy"

typedef struct sup_taulop_options {
    unsigned setups;  /* SUP_SETUP_…; 0: ring */
    bool cold;        /* also with buffers out of cache */
    bool rdma;        /* the network moves data without copies through shared memory */
    size_t max_bytes; /* 0: 16 MiB; less where a visit would take too long, or memory is short */
} sup_taulop_options;

/* Appends a channel for each setup (and cold buffers), in place of those of the transport that are there. SUP_ETIMEOUT:
 * something is not known yet, and is left out. */
sup_status sup_measure_taulop(sup_lab *lab, sup_session *session, const sup_taulop_options *options,
                              sup_profile *profile, sup_diag *diag);

/* The bit of a setup by its name; 0: there is none. */
unsigned sup_taulop_setup(const char *name);

/* Violations of the bounds in a table, beyond the intervals it holds. */
int64_t sup_taulop_violations(const sup_transfer *transfer);

/* Where τ is measured up to `most`: 1, 2, 3, 4, 6, 8, 12, … and `most`. Returns how many. */
int sup_taulop_taus(int most, int taus[64]);

#endif
