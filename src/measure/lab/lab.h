/* A lab answers what a trial costs: from what visits found so far, and where it can, by visiting it now. Stage
 * "measure". Sections ask a lab and fill a profile with the answers; so the same section decides what is to be
 * measured (in a child that can visit) and makes the profile (in the tool, from what all launches found).
 *
 *     sup_timing t;
 *     status = sup_lab_ask(lab, session, "copies", &trial, diag, &t);      t has sup_trial_values(&trial) entries
 *
 * The first visit of a trial happens when a section asks for it: when all sections have been through, the first round
 * is over, and the profile is complete. Then measure/campaign/rounds.h visits all points again and again. */
#ifndef SUP_MEASURE_LAB_LAB_H
#define SUP_MEASURE_LAB_LAB_H

#include "measure/campaign/budget.h"
#include "measure/campaign/session.h"
#include "measure/lab/trial.h"
#include "measure/store/store.h"

/* Where a process is; gathered at rank 0. */
typedef struct sup_rank_place {
    int host;     /* ranks with equal numbers share memory */
    int cpu;      /* -1 not pinned */
    int core;     /* of the host; -1 unknown, as below */
    int numa;     /* memory node */
    int package;  /* processor */
    int cache[8]; /* [d]: which copy of the cache of depth d + 1 */
    int kind;     /* of core */
} sup_rank_place;

typedef struct sup_lab sup_lab;
struct sup_lab {
    int size;
    const char *transport;        /* NULL: threads of one process */
    bool oversubscribed;          /* more processes than cores */
    const sup_rank_place *places; /* size; NULL: threads */
    sup_store *store;             /* not the lab's own */
    /* One visit: some batches, added to the point; point->repetitions and visit_s are set. NULL: it cannot visit.
     * SUP_EINTR, SUP_EPEER, SUP_ENOMEM; a point that cannot be had gets its status, and SUP_OK. */
    sup_status (*visit)(sup_lab *lab, sup_point *point, sup_diag *diag);
    /* Tells the other processes to wait for the session's next turn; NULL: there are none that wait. */
    sup_status (*rest)(sup_lab *lab, sup_diag *diag);
    double reserve_s;          /* of the session's time, for points that are known: asking visits no new ones then */
    uint64_t batches, dropped; /* counted by visits, of all kinds */
    sup_budget budget;         /* of the first round */
};

/* Is all of a section wanted? Who cannot visit takes whatever was. */
bool sup_lab_is_deep(const sup_lab *lab, unsigned section);
/* SUP_ETIMEOUT: nothing is known, and there is no time (or no way) to visit it now, or it is beyond the section's
 * share. SUP_EINTR: the user stopped it. SUP_ENOTSUP: it cannot be done here. */
sup_status sup_lab_ask(sup_lab *lab, sup_session *session, const char *text, const sup_trial *trial, sup_diag *diag,
                       sup_timing *out);
/* Warns of what was beyond the shares of sections in the last pass. */
void sup_lab_say_left_out(const sup_lab *lab, sup_session *session);
/* Visits a point again, whatever is known; not if no turn is left. Where launches measure in turns this waits for its
 * own. */
sup_status sup_lab_visit(sup_lab *lab, sup_session *session, sup_point *point, sup_diag *diag);
/* The sizes at which a trial like this one has been visited, ascending: the first `most`. */
size_t sup_lab_known_sizes(const sup_lab *lab, const sup_trial *trial, size_t *bytes, size_t most);

#endif
