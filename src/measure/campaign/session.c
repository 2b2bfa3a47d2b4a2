/* A measuring session (session.h): time, progress, batches and warnings, for all terms of the equation. */
#include "measure/campaign/session.h"

#include <math.h>
#include <stdlib.h>

#define WARNINGS 64
#define TICK_NS INT64_C(50000000)

struct sup_session {
    sup_session_options options;
    const sup_clock *clock;
    int64_t start_ns, tick_ns;
    double turn_end_s; /* of the time that it has spent */
    bool stopped, ticked, over;
    uint64_t batches, dropped;
    sup_warning *warnings;
    size_t warning_count;
};

sup_session_options sup_session_defaults(void) { return (sup_session_options){.budget_s = 0.0}; }

static int64_t now(const sup_session *s) { return s->clock->now_ns(s->clock->context); }

sup_status sup_session_open(const sup_session_options *options, sup_diag *diag, sup_session **out) {
    if (!(options->budget_s >= 0.0) || isinf(options->budget_s))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a budget must be a number of seconds, 0 for no limit");
    sup_session *s = calloc(1, sizeof *s);
    if (!s) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    s->options = *options;
    s->clock = options->clock ? options->clock : sup_clock_system();
    s->start_ns = now(s);
    s->turn_end_s = s->options.turns ? 0.0 : INFINITY; /* the first has to be waited for, too */
    *out = s;
    return SUP_OK;
}

void sup_session_close(sup_session *s) {
    if (!s) return;
    while (s->warning_count) sup_warning_drop(s->warnings, &s->warning_count, s->warning_count - 1);
    free(s->warnings);
    free(s);
}

const sup_clock *sup_session_clock(const sup_session *s) { return s->clock; }

void sup_session_restart(sup_session *s) { s->start_ns = now(s); }

double sup_session_spent(const sup_session *s) { return sup_clock_seconds(s->start_ns, now(s)); }

double sup_session_left(const sup_session *s) {
    if (s->over) return 0.0;
    return s->options.budget_s > 0.0 ? fmax(0.0, s->options.budget_s - sup_session_spent(s)) : INFINITY;
}

sup_turns *sup_session_turns(const sup_session *s) { return s->options.turns; }

bool sup_session_turn_over(const sup_session *s) { return !s->over && sup_session_spent(s) >= s->turn_end_s; }

void sup_session_take_turn(sup_session *s) {
    int64_t from = now(s);
    double seconds = sup_turns_wait(s->options.turns, true);
    s->start_ns += now(s) - from;
    s->over = !(seconds > 0.0);
    s->turn_end_s = sup_session_spent(s) + seconds;
}

static double expected_left(const sup_session *s, double fraction) {
    if (s->options.budget_s > 0.0) return sup_session_left(s);
    return fraction > 0.02 ? sup_session_spent(s) * (1.0 - fraction) / fraction : NAN;
}

sup_status sup_session_tick(sup_session *s, double fraction, const char *text) {
    if (s->stopped) return SUP_EINTR;
    if (!s->options.progress) return SUP_OK;
    int64_t at = now(s);
    bool end = fraction >= 1.0;
    if (s->ticked && !end && at - s->tick_ns < TICK_NS) return SUP_OK;
    s->ticked = true;
    s->tick_ns = at;
    fraction = fmin(fmax(fraction, 0.0), 1.0);
    s->stopped = !s->options.progress(s->options.progress_context, fraction, text, expected_left(s, fraction));
    return s->stopped ? SUP_EINTR : SUP_OK;
}

bool sup_session_stopped(const sup_session *s) { return s->stopped; }

void sup_session_count(sup_session *s, uint64_t batches, uint64_t dropped) {
    s->batches += batches;
    s->dropped += dropped;
}

uint64_t sup_session_batches(const sup_session *s) { return s->batches; }
uint64_t sup_session_dropped(const sup_session *s) { return s->dropped; }

void sup_session_warn(sup_session *s, sup_warning_code code, const sup_about *about) {
    if (s->warning_count < WARNINGS) sup_warning_add(&s->warnings, &s->warning_count, code, about);
}

void sup_session_pass_on(sup_session *s, const sup_warning *warning) {
    if (s->warning_count < WARNINGS) sup_warning_add_copy(&s->warnings, &s->warning_count, warning);
}

void sup_session_forget(sup_session *s, sup_warning_code code) {
    for (size_t i = s->warning_count; i-- > 0;)
        if (sup_warning_kind_of(&s->warnings[i]) == &sup_warning_kinds[code])
            sup_warning_drop(s->warnings, &s->warning_count, i);
}

const sup_warning *sup_session_warnings(const sup_session *s, size_t *count) {
    *count = s->warning_count;
    return s->warnings;
}
