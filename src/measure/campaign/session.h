/* A measuring session: what all that measures (sections, rounds, labs) shares. Stage "measure" of the flow, all terms.
 *
 *     sup_session_options o = {.budget_s = 2.0, .progress = show};
 *     sup_session *s;
 *     sup_session_open(&o, diag, &s);
 *     while (sup_session_left(s) > 0.0 && !sup_session_tick(s, fraction, "pairs")) …
 *     sup_session_close(s);
 *
 * It keeps the time that is left, asks a callback whether to go on, counts batches, and collects warnings. Its clock
 * never goes back, whatever happens to the time of day. Where others measure in between (turns.h), what it waits for
 * its turn is no part of its time. One thread uses a session. */
#ifndef SUP_MEASURE_CAMPAIGN_SESSION_H
#define SUP_MEASURE_CAMPAIGN_SESSION_H

#include "base/clock.h"
#include "base/status.h"
#include "measure/campaign/turns.h"
#include "profile/warning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fraction: 0 … 1 of the whole session; seconds_left: NaN unknown. Return false to stop: what measures then ends with
 * SUP_EINTR and keeps what it has. Called at most every 50 ms of the session's clock, and at the end. */
typedef bool (*sup_session_progress)(void *context, double fraction, const char *text, double seconds_left);

typedef struct sup_session_options {
    double budget_s;        /* 0: no limit */
    const sup_clock *clock; /* NULL: the machine's */
    sup_session_progress progress;
    void *progress_context;
    sup_turns *turns; /* NULL: all of the time is its own */
} sup_session_options;

typedef struct sup_session sup_session;

sup_session_options sup_session_defaults(void);
/* SUP_EINVAL: a negative budget. */
sup_status sup_session_open(const sup_session_options *options, sup_diag *diag, sup_session **out);
void sup_session_close(sup_session *session);

/* Its time begins now: what came before (starting an MPI) is no part of it. */
void sup_session_restart(sup_session *session);

sup_turns *sup_session_turns(const sup_session *session);
/* Is it somebody else's turn now? */
bool sup_session_turn_over(const sup_session *session);
/* Waits for the next one. If there is none, no time is left. */
void sup_session_take_turn(sup_session *session);

const sup_clock *sup_session_clock(const sup_session *session);
double sup_session_spent(const sup_session *session);
double sup_session_left(const sup_session *session); /* INFINITY without a budget */

/* text is what is being measured. SUP_EINTR: the callback said stop (now or before). */
sup_status sup_session_tick(sup_session *session, double fraction, const char *text);
bool sup_session_stopped(const sup_session *session);

/* Batches that were run, and those of them that do not count because the kernel says that something else ran. */
void sup_session_count(sup_session *session, uint64_t batches, uint64_t dropped);
uint64_t sup_session_batches(const sup_session *session);
uint64_t sup_session_dropped(const sup_session *session);

/* Something for the user to know, kept once. The first 64 are kept; without memory a warning is lost, not the
 * measurement. about may be NULL. */
void sup_session_warn(sup_session *session, sup_warning_code code, const sup_about *about);
/* The same for one that another process had. */
void sup_session_pass_on(sup_session *session, const sup_warning *warning);
/* Takes back what was said of that kind: what it is about was measured again. */
void sup_session_forget(sup_session *session, sup_warning_code code);
const sup_warning *sup_session_warnings(const sup_session *session, size_t *count);

#endif
