/* Made-up machines for tests of measurements: what is true is known, so what is measured can be held against it.
 *
 * sim_world is a net between threads of this process with a virtual clock each: a message is there when the sender's
 * clock plus its time says so, and waiting moves the receiver's clock there. Real scheduling does not matter. sim_lab
 * answers trials from the model alone, for thousands of processes. */
#ifndef SUP_TEST_SIM_H
#define SUP_TEST_SIM_H

#include "measure/campaign/sections.h"
#include "measure/lab/lab.h"
#include "net/net.h"

typedef struct sim_model sim_model;
struct sim_model {
    int size, per_host, per_cache;
    double overhead_s;                                                  /* O of a message */
    double (*time)(const sim_model *model, int i, int j, double bytes); /* after O, until it is there */
    size_t threshold;                                                   /* H; 0: everything is eager */
    double noise;      /* relative, of every message: disturbances only add */
    int slow_rank;     /* -1 nobody: its messages take thrice */
    int bad_pair[2];   /* this one takes twice as long */
    double bad_starts; /* sim_lab: starting a message of that pair takes so many times as long; 0: 1 */
    bool one_way;      /* … in one direction only, the first's to the second */
    size_t segment;    /* sim_lab, as the two below: S; 0: messages come whole */
    double fetched;    /* share of a message that comes without its sender */
    double copy_byte;  /* seconds, of a process that copies by itself */
    double crowd;      /* sim_lab: with n groups side by side everything takes 1 + crowd·(n − 1) as long */
};

/* Runs `body` on every rank of a world, each in its own thread with its net and clock; returns when all are through. */
typedef void sim_body(sup_net *net, const sup_clock *clock, void *context);
void sim_run(const sim_model *model, sim_body *body, void *context);

/* A lab without processes, with a store of its own. Free with sim_lab_free. */
sup_lab *sim_lab_new(const sim_model *model);
void sim_lab_free(sup_lab *lab);
/* Groups that were visited, of all visits. */
int64_t sim_lab_measurements(const sup_lab *lab);

/* As if the processes had been started anew: the lab gets a store of the next launch that knows what was found. The old
 * one is freed. */
void sim_relaunch(sup_lab *lab);
/* What a campaign does, on a lab: asks, visits everything so often in each of so many launches, and fills the profile.
 */
sup_status sim_campaign(sup_lab *lab, const sup_sections_options *options, int launches, int rounds,
                        sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
