/* A measuring session: what all measurements (comp, pair, taulop, …) share. Stage "measure" of the flow, all terms.
 *
 *     sup_session_options o = sup_session_defaults();
 *     o.budget_s = 60.0;  o.progress = show;
 *     sup_session *s;
 *     sup_session_open(&o, diag, &s);
 *     sup_session_stage(s, 0.0, 0.4, 24.0);            computation: the first 40 % of the bar, 24 s of the budget
 *     status = sup_measure_comp(s, …);
 *     sup_session_stage(s, 0.4, 1.0, INFINITY);        the rest
 *     …
 *     sup_session_quality(s, complete, profile, diag);
 *     sup_session_close(s);
 *
 * It keeps the time that is left, asks the user's callback whether to go on, counts batches that something disturbed,
 * and collects warnings about the machine: busy (load, rejections, stolen time), frequency changed (a spin loop of
 * known length timed again and again), memory that could not be locked. One thread uses a session. */
#ifndef SUP_MEASURE_SESSION_H
#define SUP_MEASURE_SESSION_H

#include "base/clock.h"
#include "base/sampler.h"
#include "base/status.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fraction: 0 … 1 of the whole session; seconds_left: NaN unknown. Return false to stop: measurements then end with
 * SUP_EINTR and keep what they have. Called at most every 50 ms of the session's clock, and at the stage's ends. */
typedef bool (*sup_session_progress)(void *context, double fraction, const char *text, double seconds_left);

typedef struct sup_session_options {
    double budget_s;        /* 0: no limit */
    const sup_clock *clock; /* NULL: the machine's */
    sup_session_progress progress;
    void *progress_context;
    sup_watch watch;               /* begin NULL: each measurement's own; for tests */
    double (*spin)(void *context); /* seconds of the reference loop; NULL: the real one. For tests */
    void *spin_context;
    const char *root; /* put before /proc/loadavg and /proc/stat; NULL: "" */
} sup_session_options;

typedef struct sup_session sup_session;

sup_session_options sup_session_defaults(void);
/* SUP_EINVAL: a negative budget. Times the reference loop (2 ms). */
sup_status sup_session_open(const sup_session_options *options, sup_diag *diag, sup_session **out);
void sup_session_close(sup_session *session);

const sup_clock *sup_session_clock(const sup_session *session);
/* NULL: none was given, use your own. */
const sup_watch *sup_session_watch(const sup_session *session);
double sup_session_spent(const sup_session *session);
/* Of the stage, which is never more than of the session; INFINITY without a budget. */
double sup_session_left(const sup_session *session);

/* The part [from, to] of the progress bar is what follows, and it may take seconds_s (INFINITY: all that is left). */
void sup_session_stage(sup_session *session, double from, double to, double seconds);
/* fraction of the stage; text is what is being measured. SUP_EINTR: the callback said stop (now or before). */
sup_status sup_session_tick(sup_session *session, double fraction, const char *text);
bool sup_session_stopped(const sup_session *session);

/* Batches that were run and those of them that did not count because something else ran. */
void sup_session_count(sup_session *session, uint64_t batches, uint64_t rejected);
uint64_t sup_session_batches(const sup_session *session);
double sup_session_rejection_rate(const sup_session *session); /* 0 … 1; 0 with no batches */

/* Something for the user to know, kept once. The first 64 are kept; without memory a warning is lost, not the
 * measurement. about may be NULL. */
void sup_session_warn(sup_session *session, sup_warning_code code, const sup_about *about);
/* The same for one that another process had. */
void sup_session_pass_on(sup_session *session, const sup_warning *warning);
/* Takes back what was said of that kind: what it is about was measured again. */
void sup_session_forget(sup_session *session, sup_warning_code code);
const sup_warning *sup_session_warnings(const sup_session *session, size_t *count);

/* Times the reference loop again, reads the load: call it now and then (it does nothing within 1 s of the last time).
 */
void sup_session_look(sup_session *session);
/* The machine was not idle: many rejections, more runnable processes than this one, or time stolen by the host. */
bool sup_session_busy(const sup_session *session);

/* Fills the profile's quality section (made if absent; warnings that are there already stay). A last look is taken. */
sup_status sup_session_quality(sup_session *session, bool complete, sup_profile *profile, sup_diag *diag);

#endif
