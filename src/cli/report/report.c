/* superstep report: measures this machine, or takes a profile, and writes one HTML file about it. The main job of the
 * product; superstep-report(1) is the manual. */
#include "base/file/file.h"
#include "base/text.h"
#include "cli/compare/compare.h"
#include "cli/machine/machine.h"
#include "cli/measure/measure.h"
#include "cli/report/recommended.h"
#include "cli/tune/tune.h"
#include "report/draw/gnuplot.h"
#include "report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "report"

struct request {
    sup_measuring m;
    const char *out, *profile, *trace, *keep;
};

/* -1: go on. */
static int parse(struct request *r, int argc, char **argv) {
    sup_measuring *m = &r->m;
    m->verb = VERB;
    int code = sup_options_parse(&sup_verb_report, r, &argc, &argv);
    if (code >= 0) return code;
    if (!r->out) return sup_cli_usage(VERB, "--out FILE is missing: where should the report go?");
    m->file = r->keep;
    if (r->profile && (r->keep || m->budget_s > 0.0 || m->nets || m->processes))
        return sup_cli_usage(VERB,
                             "with --profile nothing is measured: --keep, --budget, -n and --net have no meaning");
    return -1;
}

/* ---- writing ---- */

/* This machine's topology if the profile is of it; *own is to be freed. */
static const sup_topology *find_topology(const sup_measuring *m, sup_topology **own) {
    sup_origin here;
    *own = NULL;
    if (m->campaign) return sup_campaign_topology(m->campaign);
    if (sup_topology_load(0, NULL, own)) return NULL;
    sup_status status = sup_cli_here(*own, NULL, &here);
    if (!status) status = sup_origin_match(&m->profile->signature, &here, SUP_SIGNATURE_ANY_RUN, NULL);
    sup_record_clear(&sup_origin_record, &here);
    return status ? NULL : *own;
}

/* In memory first: figures take their time, and an interrupt meanwhile shall leave nothing. */
static int write_page(const struct request *r, sup_measuring *m, const sup_held_list *held, const sup_recommending *a,
                      bool draw, size_t *figures) {
    sup_diag diag = {0};
    char *page = NULL;
    size_t length = 0;
    sup_topology *own;
    FILE *out = open_memstream(&page, &length);
    if (!out) return sup_cli_no_memory(VERB);
    sup_report report = {.profile = m->profile,
                         .topology = find_topology(m, &own),
                         .held = held,
                         .plan = a->plan,
                         .lacks = a->lacks,
                         .plan_file = a->file,
                         .profile_file = r->profile ? r->profile : m->file,
                         .page_file = sup_file_is_stream(r->out) ? NULL : r->out,
                         .out = out,
                         .draw = draw};
    sup_status status = sup_report_write(&report, &diag, figures);
    sup_topology_free(own);
    if (fclose(out) && !status) status = sup_diag_no_memory(&diag);
    if (!status) status = sup_file_write(r->out, page, length, m->force, &diag);
    free(page);
    return status ? sup_cli_fail_diag(VERB, &diag) : 0;
}

/* ---- the verb ---- */

/* A part of the time is for sweeps over parts of data-parallel operations. */
static int measure(sup_measuring *m) {
    sup_diag diag;
    m->spare_s = NAN;
    int code = sup_measuring_run(m);
    if (code || !(m->spare_s > 0.0) || m->interrupted) return code;
    sup_bar_open(true);
    sup_tune_sample(m->profile, m->spare_s);
    m->interrupted = sup_bar_interrupts() > 0;
    sup_bar_close();
    return sup_campaign_save(m->campaign, true, &diag) ? sup_cli_fail_diag(VERB, &diag) : 0;
}

static int get_profile(const struct request *r, sup_measuring *m) {
    sup_diag diag;
    if (!r->profile) return measure(m);
    if (sup_machine_read(r->profile, &diag, &m->profile)) return sup_cli_fail_diag(VERB, &diag);
    return 0;
}

/* Predicted and measured: of the trace that was named, or of the run that followed the measurement. That one was not
 * asked for: if too little was measured to predict it, the report does without. */
static int hold(const struct request *r, sup_measuring *m, sup_held_list *out) {
    sup_diag diag;
    sup_trace *read = NULL;
    sup_status status = r->trace ? sup_trace_read(r->trace, false, &diag, &read) : SUP_OK;
    const sup_trace *trace = r->trace || !m->campaign ? read : sup_campaign_recorded(m->campaign);
    if (!status && trace) status = sup_compare_held(m->profile, trace, !r->trace, &diag, out);
    sup_trace_free(read);
    if (status && !r->trace) {
        sup_held_free(out);
        sup_text_print(stderr, "superstep report: without predictions: %s\n", diag.text);
        return 0;
    }
    return status ? sup_cli_fail_diag(VERB, &diag) : 0;
}

static int say_json(const struct request *r, const sup_measuring *m, const sup_recommending *a, size_t figures) {
    json_t *all = sup_measuring_json(m);
    if (all && r->profile) json_object_set_new(all, "profile", sup_cli_name(r->profile));
    if (all) json_object_set_new(all, "report", sup_cli_name(r->out));
    if (all) json_object_set_new(all, "figures", json_integer((json_int_t)figures));
    if (all) json_object_set_new(all, "plan", sup_cli_name(a->file));
    if (all) json_object_set_new(all, "recommended", sup_recommending_json(a));
    return sup_cli_emit(VERB, all);
}

static void say(const struct request *r, const sup_measuring *m, const sup_recommending *a, size_t figures) {
    char word[PATH_MAX + 8];
    sup_text_print(stdout, "%s: report with %zu figures\n", r->out, figures);
    if (a->file)
        sup_text_print(stdout, "%s: the plan it recommends; `superstep run --plan %s` follows it\n", a->file,
                       sup_text_word(a->file, word, sizeof word));
    if (*a->lacks) sup_text_print(stdout, "no plan is recommended: %s\n", a->lacks);
    if (m->file) sup_text_print(stdout, "%s: the profile it is made from\n", m->file);
    sup_measuring_summary(m->profile, stdout);
    sup_measuring_doubts(m->profile, stdout);
    if (m->interrupted) printf("interrupted: the report is of what was measured until then\n");
}

/* The page, and the plan it speaks of: both or none. */
static int write_all(const struct request *r, sup_measuring *m, sup_recommending *advice, bool draw, size_t *figures) {
    sup_diag diag;
    sup_held_list held = {0};
    int code = hold(r, m, &held);
    if (!code && sup_recommending_make(m->profile, m->campaign && !m->interrupted, m->quiet || m->json, &diag, advice))
        code = sup_cli_fail_diag(VERB, &diag);
    if (!code) code = write_page(r, m, &held, advice, draw, figures);
    if (!code) code = sup_recommending_write(VERB, advice);
    sup_held_free(&held);
    return code;
}

static int make_report(const struct request *r, sup_measuring *m) {
    sup_diag diag;
    sup_recommending advice;
    size_t figures = 0;
    int code = sup_cli_check_out(VERB, r->out, SUP_FILE_REPORT, m->force);
    if (code || (code = sup_recommending_open(VERB, r->out, m->force, &advice))) return code;
    bool draw = sup_gnuplot_check(&diag) == SUP_OK;
    m->out = r->out;
    m->others = !r->trace;
    if ((code = get_profile(r, m))) return code;
    code = write_all(r, m, &advice, draw, &figures);
    if (!code && !draw && !m->quiet) sup_text_print(stderr, "superstep report: without figures: %s\n", diag.text);
    if (!code && m->json)
        code = say_json(r, m, &advice, figures);
    else if (!code && !m->quiet)
        say(r, m, &advice, figures);
    sup_recommending_close(&advice);
    return code;
}

static int run_report(int argc, char **argv) {
    static struct request r;
    int code = parse(&r, argc, argv);
    if (code >= 0) return code;
    return sup_measuring_end(&r.m, make_report(&r, &r.m));
}

static const sup_option options[] = {
    SUP_FILE("out", struct request, out, "the report"),
    SUP_FILE("profile", struct request, profile, "of what this profile says, and measure nothing"),
    SUP_FILE("trace", struct request, trace,
             "hold predictions against this recorded run (default: a short run of our own, if the machine is "
             "measured)"),
    SUP_FILE("keep", struct request, keep, "also keep the profile that was measured"),
    SUP_MEASURE_WHAT(struct request, m.),
    SUP_MEASURE_OUTPUT(struct request, m.),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_report = {
    .name = VERB,
    .summary = "measure this machine and write a report about it",
    .usage = "superstep report [--budget TIME] [-n P] [--net LIST] [--keep FILE]\n"
             "                 --out FILE.html\n"
             "superstep report --profile FILE [--trace FILE] --out FILE.html",
    .about = "Measures this machine and writes a report: one HTML file that needs nothing else.",
    .more = "Figures are drawn by gnuplot; without it the report has tables only. Ends with 0, 2 if the command line "
            "is wrong, 3 if a file cannot be read or written, 5 if the system refuses.",
    .options = options,
    .run = run_report,
};
