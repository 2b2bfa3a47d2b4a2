/* Campaigns (measure/campaign/campaign.h) and their launches (measure/launch/start.h) with a made-up tool: a script
 * that does what a process may do, right or wrong. */
#include "measure/campaign/campaign.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char work[] = "/tmp/test-campaign-XXXXXX";
static char tool[64], counted[80];

static void write_tool(const char *body) {
    FILE *f = fopen(tool, "w");
    assert_non_null(f);
    fprintf(f,
            "#!/bin/sh\nrequest= before=\nfor a; do [ \"$before\" = __measure ] && request=$a; before=$a; done\necho "
            "\"$*\" >>%s\n%s",
            counted, body);
    fclose(f);
    assert_int_equal(chmod(tool, 0700), 0);
    unlink(counted);
}

static int times_started(const char *with) {
    char line[4096];
    int count = 0;
    FILE *f = fopen(counted, "r");
    while (f && fgets(line, sizeof line, f)) count += strstr(line, with) != NULL;
    if (f) fclose(f);
    return count;
}

/* ---- one launch ---- */

static sup_wish wish;
static char text_seen[256];
static sup_wish look(void *context, const char *text) {
    (void)context;
    snprintf(text_seen, sizeof text_seen, "%s", text);
    return wish;
}

static sup_outcome launch(const char *body) {
    sup_folder folder;
    sup_outcome outcome;
    sup_diag diag = {0};
    char beside[128];
    write_tool(body);
    snprintf(beside, sizeof beside, "%s/x", work);
    assert_int_equal(sup_folder_open(beside, &diag, &folder), SUP_OK);
    char path[sizeof folder.path];
    snprintf(path, sizeof path, "%s", folder.path);
    sup_request request = {.target = (char *)"rates", .launch = 7, .seconds = 1.0, .until = NAN};
    assert_int_equal(sup_order_run(&(sup_order){.tool = tool, .folder = folder.path, .request = &request, .look = look},
                                   &diag, &outcome),
                     SUP_OK);
    sup_folder_close(&folder);
    assert_int_not_equal(access(path, F_OK), 0);
    return outcome;
}

static void check(const char *body, bool done, int code, const char *why) {
    sup_outcome o = launch(body);
    if (o.done != done || o.code != code || strcmp(o.why, why)) fail_msg("%d %d \"%s\"", o.done, o.code, o.why);
    if (done) assert_int_equal(o.result.launch, 7);
    sup_record_clear(&sup_result_record, &o.result);
}

#define RESULT "'{\"launch\": 7, \"complete\": true, \"rounds\": 1, \"batches\": 10, \"dropped\": 1, \"spent_s\": 0.1}'"
#define LEAVE "echo " RESULT " >$request.result\n"

static void processes_end_somehow(void **state) {
    (void)state;
    wish = SUP_WISH_ON;
    check(LEAVE, true, 0, "");
    check(LEAVE "exit 3\n", true, 3, "");
    check("grep -q '\"launch\": 7' $request || exit 9\n" LEAVE, true, 0, "");
    check("exit 0\n", false, 0, "ended with status 0");
    check("exit 5\n", false, 5, "ended with status 5");
    check("kill -9 $$\n", false, -1, "killed by signal 9");
    check("echo 'superstep run: no such MPI' >&2; exit 5\n", false, 5, "no such MPI");
    check("echo launcher: help >&2; echo one line >$request.why; exit 2\n", false, 2, "one line");
}

static void broken_results_are_explained(void **state) {
    (void)state;
    wish = SUP_WISH_ON;
    sup_outcome o = launch("echo '{\"launch\": -1}' >$request.result\n");
    assert_false(o.done);
    assert_non_null(strstr(o.why, "launch"));
    o = launch("echo '0.5 pairs' >$request.progress\nsleep 0.3\n" LEAVE);
    assert_true(o.done && !strcmp(text_seen, "pairs"));
    sup_record_clear(&sup_result_record, &o.result);
    write_tool("");
    assert_int_equal(unlink(tool), 0);
}

/* Asked to stop it stops, told to end at once it is ended; what stays after its result is ended too. */
static void processes_are_stopped(void **state) {
    (void)state;
    wish = SUP_WISH_STOP;
    check("while [ ! -e $request.stop ]; do sleep 0.01; done\n" LEAVE, true, 0, "");
    wish = SUP_WISH_NOW;
    sup_outcome o = launch("sleep 100\n");
    assert_true(!o.done && o.interrupted && o.wall_s < 60.0);
    wish = SUP_WISH_ON;
    o = launch(LEAVE "sleep 100\n");
    assert_true(o.done && o.wall_s < 60.0);
    sup_record_clear(&sup_result_record, &o.result);
}

/* ---- campaigns ---- */

static sup_wish go_on(void *context, double fraction, const char *text, double left) {
    (void)context;
    assert_true(fraction >= 0.0 && fraction <= 1.0 && text && left >= 0.0);
    return SUP_WISH_ON;
}

static sup_status run(sup_campaign_options *o, sup_diag *diag, sup_campaign **c) {
    static const char *const kernels[] = {"daxpy"};
    o->tool = tool;
    o->beside = tool;
    o->budget_s = 4.0;
    o->processes = 2;
    o->kernels = kernels;
    o->kernel_count = 1;
    o->progress = go_on;
    sup_status status = sup_campaign_open(o, diag, c);
    return status ? status : sup_campaign_run(*c, diag);
}

static bool warned(sup_campaign *c, const char *code, const char *text) {
    const sup_quality *q = sup_campaign_profile(c)->quality;
    for (size_t i = 0; i < q->warnings_count; i++)
        if (!strcmp(q->warnings[i].code, code) && strstr(q->warnings[i].text, text)) return true;
    return false;
}

#define NO_NETS "case \"$*\" in *--net*) echo 'superstep run: no MPI here' >&2; exit 5;; esac\n"
#define QUICK LEAVE "sleep 0.2\n"

/* A transport that nobody asked for is tried once, and noted; the rest has its time. */
static void transports_that_are_absent(void **state) {
    (void)state;
    sup_diag diag = {0};
    sup_campaign *c = NULL;
    sup_campaign_options o = {.nets = {"shm", "openmpi"}, .net_count = 2};
    write_tool(NO_NETS QUICK);
    assert_int_equal(run(&o, &diag, &c), SUP_OK);
    assert_true(warned(c, "not-measured", "openmpi was not measured: no MPI here"));
    assert_int_equal(times_started("--net openmpi"), 1);
    assert_int_equal(times_started("--net shm"), 1);
    assert_true(times_started("__measure") >= 4); /* of rates several */
    assert_true(sup_campaign_profile(c)->quality->complete && !sup_campaign_interrupted(c));
    sup_campaign_close(c);
    c = NULL;
    o = (sup_campaign_options){.nets = {"openmpi"}, .asked = {true}, .net_count = 1};
    write_tool(NO_NETS QUICK);
    assert_int_equal(run(&o, &diag, &c), SUP_ENOTSUP);
    assert_string_equal(diag.text, "--net openmpi: no MPI here");
    sup_campaign_close(c);
}

/* What fails once there was something is noted, and given up when it fails again. */
static void launches_that_fail(void **state) {
    (void)state;
    sup_diag diag = {0};
    sup_campaign *c = NULL;
    sup_campaign_options o = {0};
    write_tool("[ \"$(wc -l <$0.counted)\" -gt 1 ] && { echo broken >&2; exit 1; }\n" QUICK);
    assert_int_equal(run(&o, &diag, &c), SUP_OK);
    assert_true(warned(c, "launch-failed", "launch 2 of the processes failed: broken"));
    assert_true(warned(c, "launch-failed", "launch 3 of the processes failed: broken"));
    assert_int_equal(times_started("__measure"), 3);
    sup_campaign_close(c);
    c = NULL;
    write_tool("echo broken >&2; exit 1\n");
    assert_int_not_equal(run(&o, &diag, &c), SUP_OK);
    assert_string_equal(diag.text, "computation: broken");
    sup_campaign_close(c);
}

static void the_usual_time(void **state) {
    (void)state;
    assert_true(fabs(sup_campaign_usual_s(2, 2, true) - 20.0) < 1e-9);
    assert_true(fabs(sup_campaign_usual_s(16, 2, true) - 60.0) < 1e-9);
    assert_true(sup_campaign_usual_s(16, 3, true) > 60.0 && sup_campaign_usual_s(64, 2, true) > 60.0);
    assert_true(sup_campaign_usual_s(1, 0, true) > 5.0 && sup_campaign_usual_s(2, 1, false) > 5.0);
}

static int begin(void **state) {
    (void)state;
    if (!mkdtemp(work)) return -1;
    snprintf(tool, sizeof tool, "%s/tool", work);
    snprintf(counted, sizeof counted, "%s.counted", tool);
    return 0;
}

static int end(void **state) {
    (void)state;
    unlink(tool);
    unlink(counted);
    return rmdir(work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_end_somehow), cmocka_unit_test(broken_results_are_explained),
        cmocka_unit_test(processes_are_stopped), cmocka_unit_test(transports_that_are_absent),
        cmocka_unit_test(launches_that_fail),    cmocka_unit_test(the_usual_time),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
