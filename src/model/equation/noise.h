/* From calm time to what a run sees. Models work in calm time: what things cost when nobody is in the way. This turns
 * their answer into the time that half of all runs stay below (typical), and that nine of ten
 * stay below (bad). Model stage, all terms: a pure function of a profile and a cost.
 *
 * Two things make a run longer, and each is counted once:
 *
 *   Ratios (section "noise"): typical/calm and bad/calm of a term, from batches of about SUP_NOISE_BATCH_S. They have
 *     what is shorter than a batch: timer ticks, a neighbour on the other hardware thread, caches that others use. This
 *     lasts longer than a step, so it is taken to be the same in all steps of a run.
 *   Interruptions (section "interruptions"): how often, rate(x), a process is held up for x or longer. Those of
 *     SUP_NOISE_BATCH_S and more are too rare for the middle of the batches, and are added to it.
 *
 * A superstep of T seconds of work on P processes ends with its slowest process. Rates are those of a second of work:
 * of the time that was watched, what the interruptions themselves took is none. What a process meets more than once in
 * a superstep, rate(x)·T > 1, adds up in all of them. Of what is rarer the longest counts: none of x or longer happens
 * with probability exp(−rate(x)·P·T), so the delay is above x in half of all cases where rate(x)·P·T = ln 2, in one of
 * ten where it is −ln 0.9. In a program steps are delayed one after the other: the same again, with the number of steps
 * that are delayed by x or longer in place of the number of interruptions. */
#ifndef SUP_MODEL_EQUATION_NOISE_H
#define SUP_MODEL_EQUATION_NOISE_H

#include "profile/profile.h"

#define SUP_NOISE_BATCH_S 1e-4

/* What is known about a machine, for so many processes over a transport. */
enum { SUP_NOISE_LENGTHS = 128 };
typedef struct sup_noise_model {
    int64_t processes;
    double typical[3], bad[3]; /* ratios of computation, communication, synchronisation */
    bool held_up;              /* somebody watched: */
    double length_s[SUP_NOISE_LENGTHS],
        rate[SUP_NOISE_LENGTHS]; /* so often for so long or longer, in a second of work */
    double middle,
        wide; /* deviations by which the greatest of P is above the mean in half of all cases; more in 9/10 */
} sup_noise_model;

/* Equal supersteps: how many, and what one takes in calm time. Parts add up to its time: what overlap hides is in
 * none. */
typedef struct sup_noise_steps {
    double times;
    double comp_s, comm_s, sync_s;
    double recorded_s; /* computation that was recorded: as a run saw it, not calm. Not in comp_s */
} sup_noise_steps;

typedef struct sup_seen {
    double typical_s, bad_s;
} sup_seen;

/* false: the profile knows nothing about it. */
bool sup_noise_open(const sup_profile *profile, const char *transport, int64_t processes, sup_noise_model *out);
/* A model of interruptions alone: all ratios are 1. */
void sup_noise_hold_up(const sup_interruptions *rates, int64_t processes, sup_noise_model *out);

/* A run of these steps. Of one superstep: count 1, times 1. */
sup_seen sup_noise_see(const sup_noise_model *noise, const sup_noise_steps *steps, size_t count);

/* Of that, what interruptions take. */
sup_seen sup_noise_delays(const sup_noise_model *noise, const sup_noise_steps *steps, size_t count);

/* How often in a second a process is held up for at least so long: between classes as a power of the length. */
double sup_noise_rate(const sup_interruptions *rates, double least_s);

#endif
