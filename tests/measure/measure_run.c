/* Measures over whatever net the program is launched on, and says how well the curves predict sizes that were not
 * measured.
 *
 *     measure_run --part 2 --budget 10 --out a.json           two processes over shared memory
 *     mpirun -n 2 measure_run --budget 10 --against a.json
 *
 * --part P: no launcher, part into P processes. --budget S seconds. --parts N: a sum of 1 pairs, 2 sync, 4 classic, 8
 * τ-Lop, 16 copies (alone: all of them must be there). --out FILE: the profile. --held-out: times at 3·2^k and at
 * random sizes up to 1 MiB against the curve of this run (and of the profile given with --against), mean and worst
 * relative error. --setups N, --cold, --exhaustive,
 * --max-bytes N. The exit status says whether it ran, never how well. */
#include "../random_real.h"
#include "base/random.h"
#include "base/stats.h"
#include "machine/pin.h"
#include "measure/sections.h"
#include "net/monitor.h"
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    sup_launch launch;
    int processes;
    double budget;
    const char *out, *against;
    bool held_out, verbose;
    sup_measure_net_options options;
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
    if (!strcmp(option, "--held-out"))
        r->held_out = true;
    else if (!strcmp(option, "--exhaustive"))
        r->options.pairs.exhaustive = true;
    else if (!strcmp(option, "--cold"))
        r->options.taulop.cold = true;
    else if (!strcmp(option, "--verbose"))
        r->verbose = true;
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
        else if (!strcmp(option, "--against"))
            r->against = value;
        else
            return false;
    }
    return true;
}

static bool show(void *context, double fraction, const char *text, double left) {
    (void)context;
    fprintf(stderr, "%3.0f %%  %-40s %6.1f s\n", 100.0 * fraction, text, left);
    return true;
}

static const sup_file_curve *curve_of(const sup_profile *profile, const char *transport) {
    const sup_pairs *pairs = sup_profile_pairs(profile, transport);
    if (!pairs || pairs->processes < 2) return NULL;
    return pairs->classes[sup_pairs_class(pairs, 0, 1)].time_s;
}

static void compare(const run *r, const char *what, const sup_file_curve *curve, const double *x, const double *y,
                    int n) {
    double error[64], worst = 0.0, at = 0.0;
    if (!curve || !curve->curve) {
        printf("  %-22s no curve\n", what);
        return;
    }
    for (int i = 0; i < n; i++) {
        error[i] = fabs(sup_curve_at(curve->curve, x[i]) / y[i] - 1.0);
        if (error[i] > worst) worst = error[i], at = x[i];
        if (r->verbose)
            printf("    %8.0f B: %9.3f us, curve %9.3f us, %+.1f %%\n", x[i], 1e6 * y[i],
                   1e6 * sup_curve_at(curve->curve, x[i]), 100.0 * (sup_curve_at(curve->curve, x[i]) / y[i] - 1.0));
    }
    printf("  %-22s mean %.1f %%, median %.1f %%, worst %.1f %% at %.0f B (%zu points, %zu segments)\n", what,
           100.0 * sup_stats_mean(error, (size_t)n), 100.0 * sup_stats_median(error, (size_t)n), 100.0 * worst, at,
           curve->points ? curve->points->x_count : 0, curve->curve->count);
}

/* Sizes between the measured ones: 3·2^k, and as many at random. */
static sup_status held_out(const run *r, sup_lab *lab, const sup_profile *profile, sup_diag *diag) {
    double x[64], y[64];
    int n = 0, pair[2] = {0, 1};
    sup_random random = {.state = 20};
    for (int k = 0; k < 18; k++) x[n++] = 3.0 * exp2(k);
    for (int k = 0; k < 18; k++) x[n++] = floor(exp2(20.0 * sup_random_uniform(&random)));
    for (int i = 0; i < n; i++) {
        sup_timing t;
        sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, (size_t)x[i]);
        trial.max_seconds = 0.2;
        sup_status status = lab->run(lab, &trial, diag, &t);
        if (status) return status;
        y[i] = t.seconds;
    }
    printf("%s, %d processes, %d held-out sizes:\n", lab->transport, lab->size, n);
    compare(r, "this run's curve", curve_of(profile, lab->transport), x, y, n);
    if (!r->against) return SUP_OK;
    sup_profile *other;
    sup_status status = sup_profile_read(r->against, true, diag, &other);
    if (status) return status;
    compare(r, "the other run's curve", curve_of(other, lab->transport), x, y, n);
    sup_profile_free(other);
    return SUP_OK;
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

static sup_status finish(const run *r, sup_lab *lab, sup_session *session, bool complete, sup_profile *profile,
                         sup_diag *diag) {
    sup_status status = sup_session_quality(session, complete, profile, diag);
    if (!status) status = sup_record_ready(sup_profile_file.record, profile, diag);
    if (!status && r->held_out && lab->size > 1) status = held_out(r, lab, profile, diag);
    if (status) return status;
    printf("%s: %lld trials, %lld measurements, %.1f s, rejected %.1f %%%s\n", lab->transport, (long long)lab->trials,
           (long long)lab->measurements, profile->quality->spent_s, 100.0 * profile->quality->rejection_rate,
           complete ? "" : ", incomplete");
    for (size_t i = 0; i < profile->quality->warnings_count; i++)
        printf("  note: %s\n", profile->quality->warnings[i].text);
    status = sign(lab, &profile->signature);
    if (status) return status;
    if (r->options.parts == SUP_MEASURE_COPIES && lab->size > 1 && profile->copies_count < 5)
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "%zu curves of copies", profile->copies_count);
    return r->out ? sup_profile_write(profile, r->out, diag) : sup_record_check(sup_profile_file.record, profile, diag);
}

static sup_status direct(const run *r, sup_lab *lab, sup_diag *diag) {
    sup_session_options o = sup_session_defaults();
    sup_session *session;
    sup_profile *profile;
    bool complete = false;
    sup_measure_net_options options = r->options;
    o.budget_s = r->budget;
    if (r->verbose) o.progress = show;
    options.complete = &complete;
    sup_status status = sup_session_open(&o, diag, &session);
    if (status) return status;
    status = sup_profile_new(-1, diag, &profile);
    if (!status) {
        status = sup_measure_lab(lab, &options, session, profile, diag);
        if (!status) status = finish(r, lab, session, complete, profile, diag);
        sup_profile_free(profile);
    }
    sup_session_close(session);
    return status;
}

int main(int argc, char **argv) {
    run r = {.budget = 5.0};
    sup_launch_read(&r.launch);
    if (!parse(&r, argc, argv)) return complain("unknown option, or one without value");
    sup_diag diag = {0};
    int cores[256];
    for (int i = 0; i < 256; i++) cores[i] = i;
    bool pin = r.processes <= (int)sysconf(_SC_NPROCESSORS_ONLN) && r.processes < 256;
    sup_monitor_options parts = {.size = r.processes,
                                 .cores = pin ? cores : NULL,
                                 .oversubscribed = !pin,
                                 .name = "measure_run"};
    if (r.processes && sup_monitor_part(&parts, &diag, &r.launch)) return complain_diag(&diag);
    sup_net *net;
    sup_lab *lab;
    if (sup_net_open(&r.launch, &diag, &net)) return complain_diag(&diag);
    /* launchers of MPI leave that to us here; what cannot be pinned is measured as it is */
    if (!r.processes && sup_net_size(net) <= (int)sysconf(_SC_NPROCESSORS_ONLN)) sup_pin_self(sup_net_rank(net), NULL);
    sup_status status = sup_lab_net_open(net, &r.options.lab, &diag, &lab);
    if (!status) {
        status = sup_net_rank(net) ? sup_lab_net_serve(lab, &diag) : direct(&r, lab, &diag);
        sup_lab_net_close(lab);
    }
    if (status) complain_diag(&diag);
    sup_net_close(net);
    return status ? 1 : 0;
}
