/* A campaign: a whole measurement, from what is wanted to a profile in its file. Stage "measure", all terms.
 *
 *     sup_campaign *c;
 *     status = sup_campaign_open(&options, diag, &c);       what can be wrong is found here; nothing has been measured
 *     if (!status) status = sup_campaign_run(c, diag);      generations of launches; the file is always valid
 *     … sup_campaign_profile(c) …
 *     sup_campaign_close(c);
 *
 * Targets (target.h: rates; net of each transport) are launched side by side, and measure in turns; after some time all
 * end, and a new generation is launched, several times over: what differs between launches and what changes with time
 * is then part of every number alike. After the first generation the profile is complete; every further one narrows its
 * intervals. After each the profile is made anew from all that was found, and replaces its file. */
#ifndef SUP_MEASURE_CAMPAIGN_CAMPAIGN_H
#define SUP_MEASURE_CAMPAIGN_CAMPAIGN_H

#include "machine/topology/topology.h"
#include "measure/launch/start.h"
#include "profile/profile.h"
#include "trace/trace.h"

enum { SUP_CAMPAIGN_NETS = 3, SUP_CAMPAIGN_PROCESSES = 4096 };
#define SUP_CAMPAIGN_LEAST_S 1.0   /* for computation, and for each transport; less leaves nothing to trust */
#define SUP_CAMPAIGN_UNTIL_MOST 10 /* times the usual time, where a precision is wanted and no time is given */

/* The index-th transport over which processes are measured; NULL behind the last. */
const char *sup_campaign_net(size_t index);

/* The usual time: 20 s for two processes, and 40/3 s more for each doubling (60 s for 16), for computation and two
 * transports; a third of that for each of these. */
double sup_campaign_usual_s(int processes, int transports, bool rates);

typedef struct sup_campaign_options {
    const char *tool;   /* this program; NULL: /proc/self/exe */
    const char *file;   /* the profile; NULL: only in memory */
    const char *beside; /* temporary files go beside this one */
    bool resume, force; /* go on with the file; replace it */
    double budget_s;    /* 0: the usual time */
    double until;  /* wanted half width, 0.05 for ± 5 %: ends when enough numbers are within; 0: uses all its time */
    int processes; /* 0: as many as can run at full speed, or as the file is of */
    const char *nets[SUP_CAMPAIGN_NETS];
    bool asked[SUP_CAMPAIGN_NETS]; /* by name: then it must be there */
    int net_count;
    const char *const *kernels, *const *plugins, *const *setups;
    size_t kernel_count, plugin_count, setup_count;
    const char *place;            /* NULL: compact */
    const char *hosts_file, *rsh; /* as for superstep run; NULL: this machine, ssh */
    unsigned deep;                /* sections of which all is wanted: SUP_MEASURE_… (budget.h) */
    bool exhaustive, cold, rdma;
    bool others; /* also record a run of supersteps that nothing is fitted to */
    /* Called about 20 times a second. fraction: of the time; the first signal makes it SUP_WISH_STOP, the next NOW. */
    sup_wish (*progress)(void *context, double fraction, const char *text, double seconds_left);
    void *context;
} sup_campaign_options;

typedef struct sup_campaign sup_campaign;

/* SUP_EINVAL: what is wanted makes no sense; SUP_EIO: the file is there already, or cannot be written; SUP_EPARSE, …:
 * the file to go on with, a kernel of the user; SUP_EMISMATCH: the file is of another machine, placement or version. */
sup_status sup_campaign_open(const sup_campaign_options *options, sup_diag *diag, sup_campaign **out);
/* SUP_OK also if somebody stopped it: what was found is there. SUP_ENOTSUP, …: a transport that was named is not to be
 * had; SUP_EIO: the file cannot be written. */
sup_status sup_campaign_run(sup_campaign *campaign, sup_diag *diag);
void sup_campaign_close(sup_campaign *campaign);

bool sup_campaign_interrupted(const sup_campaign *campaign);
sup_profile *sup_campaign_profile(sup_campaign *campaign);
sup_status sup_campaign_save(sup_campaign *campaign, bool last,
                             sup_diag *diag); /* after something was added to the profile */
const sup_topology *sup_campaign_topology(const sup_campaign *campaign);
const sup_trace *sup_campaign_recorded(const sup_campaign *campaign); /* of options.others; NULL: there is none */

#endif
