/* The middle of the flow: one profile in, one plan out, with every decision of the product in it.
 *
 * A decider is one file choose/decide_NAME.c with a const sup_decider, and a row of the table in choose/choose.c. It
 * puts what it decides into the plan, and says why in the plan's `decisions`. Three things stand before a default is
 * changed, because a plan must not make anything slower:
 *
 *     the gate   what the decider rests on is whole and was seen by three launches; else it is not asked (gate.c)
 *     intervals  the gain is beyond those of both sides (sup_choose_better)
 *     a duel     just these two, in launches of their own, say the same (duel.c) */
#ifndef SUP_CHOOSE_CHOOSE_H
#define SUP_CHOOSE_CHOOSE_H

#include "model/equation/model.h"
#include "plan/plan.h"
#include "profile/evidence.h"
#include "schedule/schedule.h"

/* ---- duels ---- */

typedef enum sup_duel_kind {
    SUP_DUEL_COLLECTIVE, /* an operation of so many bytes, by two algorithms */
    SUP_DUEL_BARRIER,    /* two patterns */
    SUP_DUEL_STEP        /* supersteps: 0 bytes ask for nothing; else they move so many and compute as long */
} sup_duel_kind;

/* One of the two. What the kind does not ask about is NULL. */
typedef struct sup_choose_side {
    sup_choice choice;               /* of a collective */
    const sup_plan_barrier *barrier; /* of a barrier */
    const char *engine, *counts;     /* of supersteps; NULL: as usual */
    const char *transport;           /* NULL: the plan's */
} sup_choose_side;

/* Two ways to do the same, measured one against the other: what a decision is for, and what holds without it. Seconds
 * and half widths are NaN where nobody could, or the time was over. */
typedef struct sup_choose_duel {
    sup_duel_kind kind;
    int operation;            /* of a collective */
    int64_t processes, bytes; /* bytes as in sup_job */
    sup_choose_side side[2];
    double seconds[2], ci[2];
    int launches;
} sup_choose_duel;

/* Measures them, in the order given as far as its time goes. A launch that fails leaves NaN. */
typedef sup_status sup_choose_duel_run(void *context, const char *transport, sup_choose_duel *duels, size_t count,
                                       sup_diag *diag);

/* ---- deciding ---- */

typedef struct sup_choosing {
    const sup_profile *profile;
    const char *transport;        /* of the plan */
    int64_t processes;            /* of the plan */
    const sup_platform *platform; /* opened for these two */
    sup_choose_duel_run *duel;    /* confirms what changes a default; NULL: nobody does */
    sup_choose_duel_run *ties;    /* settles what the model cannot; NULL: ties stay as they are without a plan */
    void *duel_context;
    bool unconfirmed; /* what nobody could confirm is taken, too */
} sup_choosing;

/* A section of the profile that a decider rests on. */
typedef struct sup_choose_rest {
    const char *section;
    bool over; /* over the plan's transport, between processes */
} sup_choose_rest;
enum { SUP_CHOOSE_RESTS = 4 };

typedef struct sup_decider {
    const char *name;                        /* `about` of its decisions */
    const char *help;                        /* what it decides, for people */
    sup_choose_rest rests[SUP_CHOOSE_RESTS]; /* section NULL after the last */
    sup_status (*decide)(const sup_choosing *choosing, sup_plan *plan, sup_diag *diag);
} sup_decider;

extern const sup_decider sup_decider_barrier, sup_decider_counts, sup_decider_engine, sup_decider_transport,
    sup_decider_processes, sup_decider_tiles, sup_decider_collectives;
extern const sup_decider *const sup_deciders[]; /* all of them, then NULL */

/* What a decider that was asked for lacks: then the plan has nothing of it, and should not be used. */
typedef struct sup_choose_lack {
    const char *decider, *section;
    bool over; /* the transport */
    sup_evidence evidence;
} sup_choose_lack;
enum { SUP_CHOOSE_LACKS = 16 };
typedef struct sup_choose_lacks {
    sup_choose_lack at[SUP_CHOOSE_LACKS];
    size_t count;
    double missing_s; /* sup_profile_missing_s of all; NaN: the profile cannot be gone on with */
    char transport[32];
} sup_choose_lacks;

typedef struct sup_choose_options {
    const char *transport;            /* NULL: that of the profile's run */
    int64_t processes;                /* 0: as many as were measured */
    const char *only;                 /* names of deciders with commas between them; NULL: all */
    sup_choose_duel_run *duel, *ties; /* as in sup_choosing */
    void *duel_context;
    bool unconfirmed;
} sup_choose_options;

/* lacks: what the profile does not have, or not surely enough; then *out has only the decisions that do not rest on it.
 * SUP_EINVAL: no such decider; SUP_EINVAL, SUP_ENOENT as sup_platform_open. */
sup_status sup_choose(const sup_profile *profile, const sup_choose_options *options, sup_diag *diag, sup_plan **out,
                      sup_choose_lacks *lacks);

/* gate.c: adds what the decider lacks of the profile. */
void sup_choose_gate(const sup_choosing *choosing, const sup_decider *decider, sup_choose_lacks *lacks);
/* "measure longer: about 24 s are missing (…)". */
#define SUP_LACKS_TEXT 640
const char *sup_choose_lacks_text(const sup_choose_lacks *lacks, char text[SUP_LACKS_TEXT]);

/* A plan of these processes in which nothing is decided yet. */
sup_status sup_choose_begin(const sup_choosing *choosing, sup_diag *diag, sup_plan **out);

/* For deciders, beside those of decide.h: a decision of the plan, with its texts; NULL: no memory. */
sup_plan_decision *sup_choose_say(sup_plan *plan, const char *about, const char *choice, const char *otherwise);

#endif
