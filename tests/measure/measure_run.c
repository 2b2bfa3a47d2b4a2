/* Measures over whatever net the program is launched on, or says how well the curves of a profile predict sizes that it
 * has not measured.
 *
 *     measure_run --part 2 --budget 10 --out a.json                       two processes over shared memory
 *     superstep run -n 2 --net openmpi measure_run --held-out a.json      other processes, other sizes
 *
 * --part P: no launcher, part into P processes. --budget S seconds. --parts N: a sum of SUP_MEASURE_… --out FILE: the
 * profile. --setups N, --cold, --exhaustive, --max-bytes N. --held-out PROFILE (held_out.h), --visits FILE: goes on
 * from what earlier launches found, --verbose. The exit status says whether it ran, never how well. */
#include "held_out.h"

#include "machine/place/pin.h"
#include "measure/campaign/rounds.h"
#include "measure/campaign/sections.h"
#include "measure/lab/net.h"
#include "net/launch/monitor.h"
#include "profile/profile.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    sup_launch launch;
    int processes;
    double budget;
    const char *out;
    held_out_options held_out;
    sup_sections_options options;
    sup_profile *scratch; /* filled while asking, and thrown away */
} run;

static int complain(const char *what) {
    fprintf(stderr, "measure_run: %s\n", what);
    return 2;
}

static int complain_diag(const sup_diag *diag) {
    char text[800];
    sup_diag_format(diag, text, sizeof text);
    return complain(text);
}

static bool flag(run *r, const char *option) {
    if (!strcmp(option, "--exhaustive"))
        r->options.pairs.exhaustive = true;
    else if (!strcmp(option, "--cold"))
        r->options.taulop.cold = true;
    else if (!strcmp(option, "--verbose"))
        r->held_out.verbose = true;
    else
        return false;
    return true;
}

static bool parse(run *r, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (flag(r, argv[i])) continue;
        const char *option = argv[i], *value = ++i < argc ? argv[i] : NULL;
        if (!value) return false;
        if (!strcmp(option, "--part"))
            r->processes = atoi(value);
        else if (!strcmp(option, "--net"))
            snprintf(r->launch.net, sizeof r->launch.net, "%s", value);
        else if (!strcmp(option, "--budget"))
            r->budget = atof(value);
        else if (!strcmp(option, "--parts"))
            r->options.parts = (unsigned)atoi(value);
        else if (!strcmp(option, "--setups"))
            r->options.taulop.setups = (unsigned)atoi(value);
        else if (!strcmp(option, "--max-bytes"))
            r->options.taulop.max_bytes = (size_t)atoll(value);
        else if (!strcmp(option, "--out"))
            r->out = value;
        else if (!strcmp(option, "--held-out"))
            r->held_out.against = value;
        else if (!strcmp(option, "--visits"))
            r->held_out.visits = value;
        else
            return false;
    }
    return true;
}

/* Enough of a signature for the file to be one. */
static sup_status sign(const sup_lab *lab, sup_origin *origin) {
    int *host = calloc((size_t)lab->size, sizeof *host), *cpu = calloc((size_t)lab->size, sizeof *cpu);
    sup_status status = host && cpu ? SUP_OK : SUP_ENOMEM;
    origin->cores = origin->hosts = 1;
    for (int i = 0; i < lab->size && !status; i++) {
        host[i] = lab->places[i].host;
        cpu[i] = lab->places[i].cpu;
        if (host[i] >= origin->hosts) origin->hosts = host[i] + 1;
    }
    if (!status) status = sup_record_set_string(&origin->topology, "0000");
    if (!status) status = sup_record_set_string(&origin->cpu, "unknown");
    if (!status) status = sup_record_set_string(&origin->transport, lab->transport);
    if (!status) status = sup_origin_set_placement(origin, lab->size, host, cpu);
    free(cpu);
    free(host);
    return status;
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    run *r = context;
    return sup_sections_ask(lab, &r->options, session, r->scratch, diag);
}

static void say(const sup_lab *lab, const sup_session *session, const sup_rounds_result *rounds) {
    size_t count;
    const sup_warning *warnings = sup_session_warnings(session, &count);
    printf("%s: %lld rounds of %zu points, %.1f s, %llu of %llu batches dropped%s\n", lab->transport,
           (long long)rounds->rounds, sup_store_count(lab->store), sup_session_spent(session),
           (unsigned long long)lab->dropped, (unsigned long long)lab->batches, rounds->complete ? "" : ", incomplete");
    for (size_t i = 0; i < count; i++) printf("  note: %s\n", warnings[i].text);
}

/* The profile from what the store has: nothing is visited any more. */
static sup_status fill(run *r, sup_lab *lab, sup_session *session, const sup_rounds_result *rounds, sup_diag *diag) {
    sup_lab known = *lab;
    sup_profile *profile;
    known.visit = NULL;
    sup_store_settle(lab->store);
    sup_status status = sup_profile_new(-1, diag, &profile);
    if (status) return status;
    status = sup_sections_ask(&known, &r->options, session, profile, diag);
    if (status == SUP_ETIMEOUT) status = SUP_OK; /* points that there was no time, or no room, for */
    if (!status) status = sup_store_write(lab->store, lab->transport, false, &profile->visits, &profile->visits_count);
    if (!status) status = sup_record_ready(sup_profile_file.record, profile, diag);
    if (!status) status = sign(lab, &profile->signature);
    if (!status) {
        say(lab, session, rounds);
        status = r->out ? sup_profile_write(profile, r->out, diag)
                        : sup_record_check(sup_profile_file.record, profile, diag);
    }
    sup_profile_free(profile);
    return status;
}

static sup_status measure(run *r, sup_lab *lab, sup_diag *diag) {
    sup_session_options o = sup_session_defaults();
    sup_rounds_result rounds = {0};
    sup_session *session;
    o.budget_s = r->budget;
    sup_status status = sup_store_new(1, &lab->store);
    if (status) return status;
    status = sup_session_open(&o, diag, &session);
    if (!status) {
        status = sup_profile_new(-1, diag, &r->scratch);
        if (!status) status = sup_rounds_run(lab, session, ask, r, NULL, diag, &rounds);
        if (!status) status = fill(r, lab, session, &rounds, diag);
        sup_profile_free(r->scratch);
        sup_session_close(session);
    }
    sup_store_free(lab->store);
    lab->store = NULL;
    return status;
}

static sup_status lead(run *r, sup_lab *lab, sup_diag *diag) {
    r->held_out.budget_s = r->budget;
    return r->held_out.against ? held_out(lab, &r->held_out, diag) : measure(r, lab, diag);
}

/* Launchers of MPI leave that to us, ours does not; what cannot be pinned is measured as it is. */
static void pin(const sup_net *net) {
    cpu_set_t set;
    if (sup_net_size(net) > (int)sysconf(_SC_NPROCESSORS_ONLN)) return;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1) sup_pin_self(sup_net_rank(net), NULL);
}

int main(int argc, char **argv) {
    run r = {.budget = 5.0};
    sup_launch_read(&r.launch);
    if (!parse(&r, argc, argv)) return complain("unknown option, or one without value");
    sup_diag diag = {0};
    int cores[256];
    for (int i = 0; i < 256; i++) cores[i] = i;
    bool pinned = r.processes <= (int)sysconf(_SC_NPROCESSORS_ONLN) && r.processes < 256;
    sup_monitor_options parts = {.size = r.processes,
                                 .cores = pinned ? cores : NULL,
                                 .oversubscribed = !pinned,
                                 .name = "measure_run"};
    if (r.processes && sup_monitor_part(&parts, &diag, &r.launch)) return complain_diag(&diag);
    sup_net *net;
    sup_lab *lab;
    if (sup_net_open(&r.launch, &diag, &net)) return complain_diag(&diag);
    if (!r.processes) pin(net);
    sup_status status = sup_lab_net_open(net, NULL, &diag, &lab);
    if (!status) {
        status = sup_net_rank(net) ? sup_lab_net_serve(lab, &diag) : lead(&r, lab, &diag);
        sup_lab_net_close(lab);
    }
    if (status) complain_diag(&diag);
    sup_net_close(net);
    return status ? 1 : 0;
}
