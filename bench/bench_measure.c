/* How the cost of measuring pairs grows with the number of processes: measurements of pairs on made-up clusters of 64
 * cores a host, 8 under a cache, up to 4096 processes, beside P(P−1)/2, the number of pairs. Twice: where pairs may be
 * measured side by side, and where they disturb each other and have to be measured one after another. */
#include "../tests/measure/sim.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>

static double cluster(const sim_model *m, int i, int j, double bytes) {
    bool same_host = i / m->per_host == j / m->per_host;
    bool same_cache = same_host && i / m->per_cache == j / m->per_cache;
    double latency = same_cache ? 200e-9 : same_host ? 500e-9 : 8e-6;
    return latency + (same_host ? 0.1e-9 : 1e-9) * bytes + (bytes < 4000 ? 0.0 : latency);
}

/* Measurements and points (those side by side count once) of a first round. */
static bool cost_of(int size, double crowd, double *measurements, double *trials) {
    sim_model model = {.size = size, .per_host = 64, .per_cache = 8, .overhead_s = 150e-9, .time = cluster};
    model.slow_rank = -1;
    model.noise = 0.01;
    model.crowd = crowd;
    sup_session_options o = sup_session_defaults();
    sup_sections_options options = {.parts = SUP_MEASURE_PAIRS};
    sup_session *session;
    sup_profile *profile;
    sup_diag diag;
    if (sup_session_open(&o, &diag, &session)) return false;
    bool ok = !sup_profile_new(0, &diag, &profile);
    if (ok) {
        sup_lab *lab = sim_lab_new(&model);
        ok = !sim_campaign(lab, &options, 1, 0, session, profile, &diag);
        *measurements = (double)sim_lab_measurements(lab);
        *trials = (double)sup_store_count(lab->store);
        sim_lab_free(lab);
        sup_profile_free(profile);
    }
    sup_session_close(session);
    return ok;
}

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "measure", argc, argv);
    if (rc >= 0) return rc;
    for (int crowded = 0; crowded < 2; crowded++) {
        double first = 0.0, last = 0.0, measurements, trials;
        const char *how = crowded ? "one by one" : "side by side";
        for (int size = 64; size <= 4096; size *= 4) {
            char name[96];
            if (!cost_of(size, crowded, &measurements, &trials)) measurements = trials = -1.0;
            if (size == 256) first = measurements;
            if (size == 4096) last = measurements;
            double pairs = size * (size - 1.0) / 2.0;
            snprintf(name, sizeof name, "P=%d, %s: pairs", size, how);
            bench_row(&b, name, bench_exact(measurements), "measurements", bench_exact(pairs), "all pairs",
                      size >= 1024 ? "<= 0.1" : NULL);
            snprintf(name, sizeof name, "P=%d, %s: time", size, how);
            bench_row(&b, name, bench_exact(trials), "trials", BENCH_ABSENT, NULL, NULL);
        }
        char name[96];
        snprintf(name, sizeof name, "growth from 256 to 4096, %s", how);
        double exponent = first > 0 && last > 0 ? log(last / first) / log(16.0) : -1.0;
        bench_row(&b, name, bench_exact(exponent), "exponent of P", bench_exact(1.0), "like P", "<= 1.1");
    }
    return bench_end(&b);
}
