/* What the files of a campaign share: campaign.c (the loop), campaign/plan.c (before anything is measured: who is
 * where, what there is to launch), campaign/turn.c (how long a generation lasts, and whose turn it is in it),
 * campaign/launch.c (launches, and if they fail), campaign/fill.c (what launches found becomes a profile),
 * campaign/file.c (the profile's file). */
#ifndef SUP_MEASURE_CAMPAIGN_WORK_H
#define SUP_MEASURE_CAMPAIGN_WORK_H

#include "machine/place/hosts.h"
#include "machine/place/placement.h"
#include "measure/campaign/campaign.h"
#include "measure/launch/target.h"
#include "measure/noise/conditions.h"

/* A subject is what a store is of, and what launches are for: a target, over a transport. */
typedef struct sup_subject {
    const sup_target_kind *kind;
    const char *transport; /* NULL: rates */
    bool asked;            /* by name */
    bool gone;             /* it is not to be had here */
    int launches, failures;
    bool complete;
    sup_running *running; /* its launch of this generation; NULL: none */
    int64_t launch;       /* the number of that */
    double used_s;        /* turns that it had */
    sup_store *store;     /* of all launches */
    sup_rank_place *places;
    bool oversubscribed;
    sup_warning *warnings; /* of its last launch, and of filling the profile */
    size_t warning_count;
    double wide; /* share of its points whose interval is wider than wanted */
    size_t points, narrow;
} sup_subject;

enum { SUP_SUBJECTS = 1 + SUP_CAMPAIGN_NETS };

struct sup_campaign {
    sup_campaign_options options;
    char tool[4096];
    double budget_s;
    bool usual; /* nobody said how long */
    int processes;
    sup_topology *topology;
    sup_usable usable;
    sup_hosts hosts; /* count 0: this machine alone */
    bool remote;     /* some of them are others */
    sup_policy policy;
    sup_placement placement;
    const char *nets[SUP_CAMPAIGN_NETS];
    bool asked[SUP_CAMPAIGN_NETS];
    int net_count;
    sup_subject subjects[SUP_SUBJECTS];
    int subject_count;
    /* while it runs */
    sup_session *session;
    sup_conditions around;
    sup_folder folder;
    int64_t launch; /* number of the last one */
    int launched;   /* this time */
    double start_s; /* what starting the processes of a generation, and ending them, has cost; 0: not known */
    double end_s;   /* ending them */
    char now[64];   /* what is being done */
    sup_wish wish;
    double glanced_s;
    /* what comes out */
    sup_profile *profile;
    sup_warning *kept; /* of the profile that it goes on with */
    size_t kept_count;
    double spent_before_s;
    bool had_unfinished; /* in what is not measured this time */
    sup_trace *recorded;
    bool over;   /* a profile that is in the file may be replaced */
    bool stream; /* the file is none: only the whole goes there */
};

/* campaign/plan.c */
sup_status sup_campaign_plan(sup_campaign *c, sup_diag *diag);     /* hosts, placement, budget */
sup_status sup_campaign_subjects(sup_campaign *c, sup_diag *diag); /* with empty stores */
void sup_campaign_budget_of(sup_campaign *c); /* the usual time, of the transports that there are */

/* campaign/turn.c. Seconds of the next generation; 0: there is no time, or everything is as narrow as wanted. */
double sup_campaign_generation_s(const sup_campaign *c);
/* Does it take part? */
bool sup_campaign_wants(const sup_campaign *c, const sup_subject *subject);
/* Of those that are running the one whose turn it is; NULL: none is. */
sup_subject *sup_campaign_turn(sup_campaign *c);
/* How long a turn is in a generation of so many seconds. */
double sup_campaign_turn_s(const sup_campaign *c, double seconds);

/* campaign/launch.c */
/* A launch of each target that takes part. */
sup_status sup_campaign_generation(sup_campaign *c, double seconds, sup_diag *diag);
sup_status sup_campaign_record(sup_campaign *c, sup_diag *diag); /* the run that nothing is fitted to */
sup_wish sup_campaign_look(void *campaign, const char *text);

/* campaign/fill.c */
sup_status sup_subject_merge(sup_campaign *c, sup_subject *subject, const sup_result *result, sup_diag *diag);
sup_status sup_campaign_fill(sup_campaign *c, sup_subject *subject, const sup_request *request, sup_diag *diag);
sup_status sup_campaign_quality(sup_campaign *c, sup_diag *diag);
bool sup_campaign_complete(const sup_campaign *c);
/* Is it one of the subject's visits? */
bool sup_subject_has(const sup_subject *subject, const sup_visited *visited);

/* campaign/file.c */
sup_status sup_campaign_check(sup_campaign *c, sup_diag *diag); /* may the file be written, what is in it */
sup_status sup_campaign_begin(sup_campaign *c, sup_diag *diag); /* a new profile, or the one to go on with */

#endif
