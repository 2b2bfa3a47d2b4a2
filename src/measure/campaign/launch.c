/* Launches of a campaign: what is asked of them, what becomes of the answers, and what if there are none
 * (campaign/work.h). Stage "measure", all terms. */
#include "measure/campaign/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLANCE_S 0.5 /* between looks at whether cpus were taken away */
#define NARROW 0.05  /* what progress speaks of */
#define RECORD_S 1.0 /* for the run that nothing is fitted to */
#define AMPLE 1.3    /* times its share of a generation is what a launch may measure at most */
enum { FAILURES = 2, RUN_OPTIONS = 24 };

/* ---- progress ---- */

static void narrow_of(const sup_campaign *c, size_t *narrow, size_t *points) {
    *narrow = *points = 0;
    for (int i = 0; i < c->subject_count; i++) {
        *narrow += c->subjects[i].narrow;
        *points += c->subjects[i].points;
    }
}

/* "launch 7, shm: pairs; 62 % within ± 5 %; machine 8 % stolen, 25 % others'" */
static void describe(const sup_campaign *c, const char *what, char *text, size_t size) {
    size_t narrow, points;
    double stolen = sup_conditions_stolen(&c->around), others = sup_conditions_others(&c->around);
    char share[48] = "", busy[64] = "";
    narrow_of(c, &narrow, &points);
    if (points) snprintf(share, sizeof share, "; %zu %% within ± %g %%", 100 * narrow / points, 100.0 * NARROW);
    if (stolen >= 0.005 || others >= 0.005)
        snprintf(busy, sizeof busy, "; %.0f %% stolen, %.0f %% others", 100.0 * stolen, 100.0 * others);
    snprintf(text, size, "%s%s%.40s%s%s", c->now, *what ? ": " : "", what, share, busy);
}

sup_wish sup_campaign_look(void *campaign, const char *what) {
    sup_campaign *c = campaign;
    char text[400];
    double spent = sup_session_spent(c->session);
    if (spent - c->glanced_s >= GLANCE_S) {
        c->glanced_s = spent;
        sup_conditions_glance(&c->around);
    }
    describe(c, what, text, sizeof text);
    double fraction = fmin(fmax(spent / c->budget_s, 0.0), 1.0);
    sup_wish wish = c->options.progress
                        ? c->options.progress(c->options.context, fraction, text, fmax(0.0, c->budget_s - spent))
                        : SUP_WISH_ON;
    if (wish > c->wish) c->wish = wish;
    return c->wish == SUP_WISH_ON && sup_conditions_cpus_taken(&c->around) ? SUP_WISH_STOP : c->wish;
}

/* ---- the request ---- */

static void free_visits(sup_visited *list, size_t count) {
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
}

/* More time than usual, at once or by --resume, makes room for more points. */
static double part_of(const sup_campaign *c) {
    int live = 0;
    for (int i = 0; i < c->subject_count; i++) live += !c->subjects[i].gone;
    return (c->spent_before_s + c->budget_s) / (live > 0 ? live : 1);
}

/* Points to what others own: not to be cleared. */
static sup_request request_of(const sup_campaign *c, const sup_subject *subject, double seconds) {
    const sup_campaign_options *o = &c->options;
    static const char *const none[] = {"none"};
    bool rates = subject->kind->alone;
    return (sup_request){.target = (char *)subject->kind->name,
                         .transport = (char *)subject->transport,
                         .launch = c->launch,
                         .seconds = seconds,
                         .part_s = part_of(c),
                         .until = NAN, /* this launch cannot know what the next will find */
                         .deep = o->deep,
                         .exhaustive = o->exhaustive,
                         .cold = o->cold,
                         .rdma = o->rdma,
                         .setups = (char **)o->setups,
                         .setups_count = o->setup_count,
                         .kernels = rates ? (char **)(o->kernel_count ? o->kernels : none) : NULL,
                         .kernels_count = !rates            ? 0
                                          : o->kernel_count ? o->kernel_count
                                                            : 1,
                         .plugins = rates ? (char **)o->plugins : NULL,
                         .plugins_count = rates ? o->plugin_count : 0,
                         .kinds = c->profile->kinds};
}

/* ---- starting it ---- */

typedef struct run_options {
    char size[16];
    const char *list[RUN_OPTIONS];
} run_options;

static void fill_options(const sup_campaign *c, const sup_request *request, run_options *out) {
    int n = 0;
    snprintf(out->size, sizeof out->size, "%d", c->placement.count);
    const char *const all[][2] = {{"-n", out->size},
                                  {"--net", request->transport},
                                  {"--place", c->options.place},
                                  {"--hosts", c->options.hosts_file},
                                  {"--rsh", c->options.rsh}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2 && all[i][1]; k++) out->list[n++] = all[i][k];
    out->list[n] = NULL;
}

static void say_whose(sup_campaign *c, const char *transport, int64_t launch) {
    snprintf(c->now, sizeof c->now, "launch %lld, %s", (long long)launch, transport ? transport : "computation");
}

/* An order points to the options of its run. */
static sup_order order_of(sup_campaign *c, const sup_request *request, run_options *options) {
    fill_options(c, request, options);
    return (sup_order){.tool = c->tool,
                       .folder = c->folder.path,
                       .options = request->transport ? options->list : NULL,
                       .request = request,
                       .look = sup_campaign_look,
                       .context = c};
}

/* ---- if it fails ---- */

static sup_status status_of(int code) {
    switch (code) { /* exit codes of the tool */
    case 2: return SUP_EINVAL;
    case 3: return SUP_EIO;
    case 4: return SUP_EMISMATCH;
    default: return SUP_ENOTSUP;
    }
}

static bool was_ever(const sup_campaign *c, const char *transport) {
    for (int i = 0; i < c->subject_count; i++)
        if (c->subjects[i].launches && c->subjects[i].transport == transport) return true;
    return false;
}

static sup_status give_up(sup_campaign *c, sup_subject *subject, const sup_outcome *outcome, sup_diag *diag) {
    const char *net = subject->transport, *what = net ? net : "computation";
    const sup_about about = {.transport = what, .reason = outcome->why, .number = {(double)subject->launch}};
    subject->failures++;
    if (c->wish != SUP_WISH_ON || sup_conditions_cpus_taken(&c->around)) return SUP_OK; /* no wonder */
    if (was_ever(c, net)) { /* what the others found is there */
        sup_session_warn(c->session, SUP_WARNING_LAUNCH_FAILED, &about);
        subject->gone = subject->failures >= FAILURES;
        return SUP_OK;
    }
    if (subject->asked)
        return sup_diag_set(diag, status_of(outcome->code), NULL, 0, "%s%s: %s", net ? "--net " : "", what,
                            outcome->why);
    sup_session_warn(c->session, SUP_WARNING_NOT_MEASURED, &about);
    for (int i = 0; i < c->subject_count; i++)
        c->subjects[i].gone = c->subjects[i].gone || c->subjects[i].transport == net;
    sup_campaign_budget_of(c);
    return SUP_OK;
}

/* ---- one launch ---- */

static sup_status take(sup_campaign *c, sup_subject *subject, const sup_outcome *outcome, sup_diag *diag) {
    const sup_result *r = &outcome->result;
    sup_request request = request_of(c, subject, 0.0);
    subject->launches++;
    subject->failures = 0;
    subject->complete = r->complete;
    sup_session_count(c->session, (uint64_t)r->batches, (uint64_t)r->dropped);
    sup_status status = sup_subject_merge(c, subject, r, diag);
    return status ? status : sup_campaign_fill(c, subject, &request, diag);
}

static sup_status begin(sup_campaign *c, sup_subject *subject, double seconds, sup_diag *diag) {
    run_options options;
    c->launch++;
    c->launched++;
    subject->launch = c->launch;
    subject->used_s = 0.0;
    sup_request request = request_of(c, subject, seconds);
    sup_status status =
        sup_store_write(subject->store, subject->transport, false, &request.visits, &request.visits_count);
    if (status) return sup_diag_set(diag, status, NULL, 0, "out of memory");
    sup_order order = order_of(c, &request, &options);
    order.number = (int)(subject - c->subjects) + 1;
    status = sup_running_start(&order, diag, &subject->running);
    free_visits(request.visits, request.visits_count);
    return status;
}

static sup_status finish(sup_campaign *c, sup_subject *subject, sup_diag *diag) {
    sup_outcome outcome;
    sup_status status = SUP_OK;
    say_whose(c, subject->transport, subject->launch);
    sup_running_end(&subject->running, &outcome);
    if (outcome.done)
        status = take(c, subject, &outcome, diag);
    else if (!outcome.interrupted)
        status = give_up(c, subject, &outcome, diag);
    sup_record_clear(&sup_result_record, &outcome.result);
    return status;
}

/* ---- a generation ---- */

/* All start at the same time: some of that is waiting. */
static sup_status begin_all(sup_campaign *c, double seconds, sup_diag *diag) {
    sup_status status = SUP_OK;
    for (int i = 0; i < c->subject_count && !status; i++)
        if (sup_campaign_wants(c, &c->subjects[i])) status = begin(c, &c->subjects[i], seconds, diag);
    for (int i = 0; i < c->subject_count && !status; i++) {
        sup_subject *s = &c->subjects[i];
        if (!s->running) continue;
        say_whose(c, s->transport, s->launch);
        if (!sup_running_ready(s->running) && c->wish == SUP_WISH_ON) status = finish(c, s, diag);
    }
    return status;
}

static sup_status take_turns(sup_campaign *c, double until_s, double turn_s, sup_diag *diag) {
    sup_status status = SUP_OK;
    for (sup_subject *s; !status && sup_campaign_look(c, "") == SUP_WISH_ON && (s = sup_campaign_turn(c));) {
        double from = sup_session_spent(c->session), left = until_s - from;
        if (left < 0.5 * turn_s) break;
        say_whose(c, s->transport, s->launch);
        bool there = sup_running_turn(s->running, fmin(left, turn_s));
        s->used_s += sup_session_spent(c->session) - from;
        if (!there && c->wish == SUP_WISH_ON) status = finish(c, s, diag);
    }
    return status;
}

/* Whatever happened, none is left. */
static sup_status end_all(sup_campaign *c, sup_status status, sup_diag *diag) {
    if (status) c->wish = SUP_WISH_NOW;
    for (int i = 0; i < c->subject_count; i++)
        if (c->subjects[i].running) sup_running_over(c->subjects[i].running);
    for (int i = 0; i < c->subject_count; i++) {
        sup_diag another = {0};
        if (!c->subjects[i].running) continue;
        sup_status ended = finish(c, &c->subjects[i], status ? &another : diag);
        if (!status) status = ended;
    }
    return status;
}

sup_status sup_campaign_generation(sup_campaign *c, double seconds, sup_diag *diag) {
    double from = sup_session_spent(c->session), begun, ended;
    int count = 0;
    for (int i = 0; i < c->subject_count; i++) count += sup_campaign_wants(c, &c->subjects[i]);
    sup_status status = begin_all(c, AMPLE * seconds / count, diag);
    begun = sup_session_spent(c->session);
    double until = from + seconds - c->end_s;
    if (!status) status = take_turns(c, until, sup_campaign_turn_s(c, until - begun), diag);
    ended = sup_session_spent(c->session);
    status = end_all(c, status, diag);
    c->end_s = sup_session_spent(c->session) - ended;
    c->start_s = begun - from + c->end_s;
    return status;
}

/* ---- beside it ---- */

/* Nobody asked for it: without it the report has one section less. */
sup_status sup_campaign_record(sup_campaign *c, sup_diag *diag) {
    sup_outcome outcome;
    char trace[sizeof c->folder.path + 16];
    const sup_subject *shm = NULL;
    for (int i = 0; i < c->subject_count; i++) {
        const sup_subject *subject = &c->subjects[i];
        if (subject->transport && !strcmp(subject->transport, "shm") && subject->launches) shm = subject;
    }
    if (!shm) return SUP_OK;
    c->launched++;
    snprintf(trace, sizeof trace, "%s/trace", c->folder.path);
    sup_request request = request_of(c, shm, RECORD_S);
    request.others = true;
    run_options options;
    sup_order order = order_of(c, &request, &options);
    order.trace = trace;
    say_whose(c, shm->transport, request.launch);
    sup_status status = sup_order_run(&order, diag, &outcome);
    if (status) return status;
    sup_record_clear(&sup_result_record, &outcome.result);
    return outcome.code == 0 && !outcome.interrupted ? sup_trace_read(trace, false, diag, &c->recorded) : SUP_OK;
}
