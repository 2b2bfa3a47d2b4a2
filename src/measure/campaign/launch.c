/* One launch of a campaign: what is asked of it, what becomes of the answer, and what if there is none
 * (campaign/work.h). Stage "measure", all terms. */
#include "measure/campaign/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLANCE_S 0.5 /* between looks at whether cpus were taken away */
#define NARROW 0.05  /* what progress speaks of */
#define RECORD_S 1.0 /* for the run that nothing is fitted to */
enum { FAILURES = 2, RUN_OPTIONS = 24, FIRST_ROUNDS = 1 };

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
    double stolen = sup_around_stolen(&c->around), others = sup_around_others(&c->around);
    char share[48] = "", busy[64] = "";
    narrow_of(c, &narrow, &points);
    if (points) snprintf(share, sizeof share, "; %zu %% within ± %g %%", 100 * narrow / points, 100.0 * NARROW);
    if (stolen >= 0.005 || others >= 0.005)
        snprintf(busy, sizeof busy, "; %.0f %% stolen, %.0f %% others", 100.0 * stolen, 100.0 * others);
    snprintf(text, size, "launch %d, %s%s%.40s%s%s", c->launched, c->now, *what ? ": " : "", what, share, busy);
}

sup_wish sup_campaign_look(void *campaign, const char *what) {
    sup_campaign *c = campaign;
    char text[400];
    double spent = sup_session_spent(c->session);
    if (spent - c->glanced_s >= GLANCE_S) {
        c->glanced_s = spent;
        sup_around_glance(&c->around);
    }
    describe(c, what, text, sizeof text);
    double fraction = fmin(fmax(spent / c->budget_s, 0.0), 1.0);
    sup_wish wish = c->options.progress
                        ? c->options.progress(c->options.context, fraction, text, fmax(0.0, c->budget_s - spent))
                        : SUP_WISH_ON;
    if (wish > c->wish) c->wish = wish;
    return c->wish == SUP_WISH_ON && sup_around_cpus_taken(&c->around) ? SUP_WISH_STOP : c->wish;
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

static sup_status start(sup_campaign *c, const sup_request *request, const char *trace, sup_diag *diag,
                        sup_outcome *outcome) {
    run_options options;
    fill_options(c, request, &options);
    snprintf(c->now, sizeof c->now, "%s", request->transport ? request->transport : "computation");
    return sup_order_run(&(sup_order){.tool = c->tool,
                                      .folder = c->folder.path,
                                      .options = request->transport ? options.list : NULL,
                                      .trace = trace,
                                      .request = request,
                                      .look = sup_campaign_look,
                                      .context = c},
                         diag, outcome);
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
    const sup_about about = {.transport = what, .reason = outcome->why, .number = {(double)c->launch}};
    subject->failures++;
    if (c->wish != SUP_WISH_ON || sup_around_cpus_taken(&c->around)) return SUP_OK; /* no wonder */
    if (was_ever(c, net)) {                                                         /* what the others found is there */
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

/* ---- all of it ---- */

static sup_status take(sup_campaign *c, sup_subject *subject, sup_request *request, const sup_outcome *outcome,
                       sup_diag *diag) {
    const sup_result *r = &outcome->result;
    subject->launches++;
    subject->failures = 0;
    subject->complete = r->complete;
    subject->start_s = fmax(0.0, outcome->wall_s - r->spent_s);
    sup_session_count(c->session, (uint64_t)r->batches, (uint64_t)r->dropped);
    sup_status status = sup_subject_merge(c, subject, r, diag);
    return status ? status : sup_campaign_fill(c, subject, request, diag);
}

sup_status sup_campaign_launch(sup_campaign *c, sup_subject *subject, double seconds, sup_diag *diag) {
    sup_outcome outcome;
    c->launch++;
    c->launched++;
    sup_request request = request_of(c, subject, seconds);
    request.rounds = subject->complete ? 0 : FIRST_ROUNDS;
    sup_status status =
        sup_store_write(subject->store, subject->transport, false, &request.visits, &request.visits_count);
    if (status) return sup_diag_set(diag, status, NULL, 0, "out of memory");
    status = start(c, &request, NULL, diag, &outcome);
    free_visits(request.visits, request.visits_count);
    request.visits = NULL;
    request.visits_count = 0;
    if (status) return status;
    subject->spent_s += outcome.wall_s;
    if (outcome.done)
        status = take(c, subject, &request, &outcome, diag);
    else if (!outcome.interrupted)
        status = give_up(c, subject, &outcome, diag);
    sup_record_clear(&sup_result_record, &outcome.result);
    return status;
}

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
    sup_status status = start(c, &request, trace, diag, &outcome);
    if (status) return status;
    sup_record_clear(&sup_result_record, &outcome.result);
    return outcome.code == 0 && !outcome.interrupted ? sup_trace_read(trace, false, diag, &c->recorded) : SUP_OK;
}
