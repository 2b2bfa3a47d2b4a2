/* Held-out sizes against the curves of a profile that other processes measured (held_out.h). Sizes between the usual
 * ones: 3·2^k and as many at random, 1 B to 1 MiB. They are visited as everything is, round after round, and their
 * times are the same low quantile over launches. */
#include "held_out.h"

#include "../random_real.h"
#include "base/number/stats.h"
#include "measure/campaign/rounds.h"
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { SIZES = 36, PAIRS = 3 };

typedef struct sizes {
    size_t bytes[SIZES];
    int pair[PAIRS][2], pairs;
} sizes;

static sizes sizes_of(const sup_lab *lab) {
    sizes s = {.pairs = 0};
    sup_random random = {.state = 20};
    int to[PAIRS] = {1, lab->size / 2, lab->size - 1};
    for (int k = 0; k < SIZES / 2; k++) {
        s.bytes[2 * k] = (size_t)3 << k;
        s.bytes[2 * k + 1] = (size_t)exp2(20.0 * sup_random_uniform(&random));
    }
    for (int i = 0; i < PAIRS; i++)
        if (to[i] > 0 && (i == 0 || to[i] > to[i - 1])) s.pair[s.pairs][0] = 0, s.pair[s.pairs++][1] = to[i];
    return s;
}

static sup_trial trial_of(const sizes *s, int pair, int i) {
    return sup_trial_of(SUP_TRIAL_ROUND_TRIP, s->pair[pair], 1, 2, s->bytes[i]);
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    const sizes *s = context;
    for (int p = 0; p < s->pairs; p++)
        for (int i = 0; i < SIZES; i++) {
            sup_timing t;
            sup_trial trial = trial_of(s, p, i);
            sup_status status = sup_lab_ask(lab, session, "held-out sizes", &trial, diag, &t);
            if (status) return status;
        }
    return SUP_OK;
}

static const sup_file_curve *curve_of(const sup_profile *profile, const char *transport, const int pair[2]) {
    const sup_pairs *pairs = sup_profile_pairs(profile, transport);
    if (!pairs || pair[1] >= pairs->processes) return NULL;
    return pairs->classes[sup_pairs_class(pairs, pair[0], pair[1])].time_s;
}

/* Relative errors of one pair; how many sizes a curve was found for: all or none. */
static int errors_of(const sup_lab *lab, const sizes *s, int p, const sup_profile *profile, bool verbose,
                     double *error) {
    const sup_file_curve *curve = curve_of(profile, lab->transport, s->pair[p]);
    if (!curve || !curve->curve) return 0;
    for (int i = 0; i < SIZES; i++) {
        sup_timing t = {.seconds = NAN};
        sup_trial trial = trial_of(s, p, i);
        const sup_point *point = sup_store_find(lab->store, &trial);
        if (point) sup_store_say(lab->store, point, 0, &t);
        double said = sup_curve_at(curve->curve, (double)s->bytes[i]);
        error[i] = fabs(said / t.seconds - 1);
        if (verbose)
            printf("    %d-%d %8zu B: %9.3f us, curve %9.3f us, %+.1f %%\n", s->pair[p][0], s->pair[p][1], s->bytes[i],
                   1e6 * t.seconds, 1e6 * said, 100 * (said / t.seconds - 1));
    }
    return SIZES;
}

static sup_status say(const sup_lab *lab, const sizes *s, const held_out_options *o, sup_diag *diag) {
    double error[PAIRS * SIZES];
    int n = 0;
    sup_profile *profile;
    sup_status status = sup_profile_read(o->against, true, diag, &profile);
    if (status) return status;
    sup_store_settle(lab->store);
    for (int p = 0; p < s->pairs; p++) n += errors_of(lab, s, p, profile, o->verbose, error + n);
    sup_profile_free(profile);
    if (n == 0) return sup_diag_set(diag, SUP_ENOENT, o->against, 0, "no curve for messages over %s", lab->transport);
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (error[i] > error[worst]) worst = i;
    double largest = error[worst];
    printf("%s, %d processes, launch %d: %d held-out sizes: mean %.1f %%, ", lab->transport, lab->size,
           sup_store_launch(lab->store), n, 100 * sup_stats_mean(error, (size_t)n));
    printf("median %.1f %%, worst %.1f %% at %zu B\n", 100 * sup_stats_median(error, (size_t)n), 100 * largest,
           s->bytes[worst % SIZES]);
    return SUP_OK;
}

/* ---- launches ---- */

/* One more than the last that the file has seen. */
static int next_launch(const sup_profile *kept) {
    int64_t last = 0;
    for (size_t i = 0; kept && i < kept->visits_count; i++)
        for (size_t k = 0; k < kept->visits[i].found_count; k++) {
            const sup_found *f = &kept->visits[i].found[k];
            if (f->launch_count && f->launch[f->launch_count - 1] > last) last = f->launch[f->launch_count - 1];
        }
    return (int)last + 1;
}

static sup_status open_store(const held_out_options *o, const char *transport, sup_diag *diag, sup_store **out) {
    sup_profile *kept = NULL;
    struct stat there;
    sup_store *store;
    if (o->visits && stat(o->visits, &there) == 0) {
        sup_status status = sup_profile_read(o->visits, true, diag, &kept);
        if (status) return status;
    }
    sup_status status = sup_store_new(next_launch(kept), &store);
    if (!status) {
        if (kept) status = sup_store_read(store, transport, kept->visits, kept->visits_count);
        if (status) sup_store_free(store);
    }
    sup_profile_free(kept);
    if (!status) *out = store;
    return status;
}

/* A profile of nothing but visits; signed as far as a file needs it. */
static sup_status keep(const sup_lab *lab, const char *path, sup_diag *diag) {
    sup_profile *file;
    sup_status status = sup_profile_new(-1, diag, &file);
    if (status) return status;
    status = sup_store_write(lab->store, lab->transport, false, &file->visits, &file->visits_count);
    if (!status) status = sup_record_set_string(&file->signature.topology, "0000");
    if (!status) status = sup_record_set_string(&file->signature.cpu, "unknown");
    if (!status) status = sup_record_set_string(&file->signature.transport, lab->transport);
    file->signature.cores = file->signature.hosts = 1;
    int *nowhere = calloc((size_t)lab->size, sizeof *nowhere);
    if (!status) status = nowhere ? sup_origin_set_placement(&file->signature, lab->size, nowhere, NULL) : SUP_ENOMEM;
    if (!status) status = sup_profile_write(file, path, diag);
    free(nowhere);
    sup_profile_free(file);
    return status;
}

sup_status held_out(sup_lab *lab, const held_out_options *o, sup_diag *diag) {
    sup_session_options options = sup_session_defaults();
    sup_session *session;
    sup_rounds_result rounds;
    sizes s = sizes_of(lab);
    if (lab->size < 2) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "one process has nobody to send to");
    options.budget_s = o->budget_s;
    sup_status status = open_store(o, lab->transport, diag, &lab->store);
    if (status) return status;
    status = sup_session_open(&options, diag, &session);
    if (!status) {
        status = sup_rounds_run(lab, session, ask, &s, NULL, diag, &rounds);
        if (!status && !rounds.complete)
            status = sup_diag_set(diag, SUP_ETIMEOUT, NULL, 0, "%g s are too short", o->budget_s);
        if (!status && o->visits) status = keep(lab, o->visits, diag);
        if (!status) status = say(lab, &s, o, diag);
        sup_session_close(session);
    }
    sup_store_free(lab->store);
    lab->store = NULL;
    return status;
}
