/* A lab that answers trials from a model (sim.h). */
#include "../random_real.h"
#include "sim.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

typedef struct sim_lab {
    sup_lab lab;
    const sim_model *model;
    sup_rank_place *places;
    sup_random random;
} sim_lab;

static double one_way(const sim_model *m, int i, int j, double bytes) {
    return m->overhead_s + m->time(m, i, j, bytes);
}

/* The slowest link of a group's ring. */
static double slowest(const sim_model *m, const sup_trial *t, const int *ranks) {
    double most = 0.0;
    for (int k = 0; k < t->group; k++)
        most = fmax(most, one_way(m, ranks[k], ranks[(k + 1) % t->group], (double)t->bytes));
    return most;
}

static double seconds_of(const sim_model *m, const sup_trial *t, const int *ranks) {
    switch (t->kind) {
    case SUP_TRIAL_EMPTY: return 1e-9 * t->number;
    case SUP_TRIAL_ROUND_TRIP: return one_way(m, ranks[0], ranks[1], (double)t->bytes);
    case SUP_TRIAL_STARTS: return 3e-8 + m->overhead_s * t->number;
    case SUP_TRIAL_SYNC_SEND: return 2.0 * one_way(m, ranks[0], ranks[1], 0.0);
    case SUP_TRIAL_EAGER: return m->threshold == 0 || t->bytes < m->threshold ? 1.0 : 0.0;
    case SUP_TRIAL_RING: return slowest(m, t, ranks) * (t->number == 1 ? 2.0 : 1.0);
    case SUP_TRIAL_SYNC: return one_way(m, 0, m->size - 1, 8.0) * ceil(log2(m->size)) * (t->number + 1);
    case SUP_TRIAL_EXCHANGE: return 5e-6 + 1e-9 * (double)t->bytes / 8.0 * (m->size - 1);
    case SUP_TRIAL_REDUCE: return 1e-8 + 2e-10 * (double)t->bytes;
    default: return slowest(m, t, ranks);
    }
}

static sup_status run(sup_lab *base, const sup_trial *t, sup_diag *diag, sup_timing *out) {
    sim_lab *lab = (sim_lab *)base;
    (void)diag;
    if (t->kind == SUP_TRIAL_BROADCAST || t->kind == SUP_TRIAL_LOG || t->kind == SUP_TRIAL_DELIVER) {
        out[0] = (sup_timing){.status = SUP_ENOTSUP};
        return SUP_OK;
    }
    for (int g = 0; g < t->groups; g++) {
        double noise = lab->model->noise * sup_random_normal(&lab->random) / 5.0; /* of a median of 25 */
        double crowd = 1.0 + lab->model->crowd * (t->groups - 1);
        double seconds = seconds_of(lab->model, t, t->ranks + g * t->group) * crowd;
        if (t->kind != SUP_TRIAL_EAGER) seconds *= 1.0 + noise;
        out[g] =
            (sup_timing){.seconds = seconds, .ci = 2.0 * seconds * lab->model->noise / 5.0, .n = 25, .batches = 25};
    }
    base->trials++;
    base->measurements += t->groups;
    return SUP_OK;
}

sup_lab *sim_lab_new(const sim_model *model) {
    sim_lab *lab = calloc(1, sizeof *lab);
    sup_rank_place *places = calloc((size_t)model->size, sizeof *places);
    if (!lab || !places) abort();
    for (int i = 0; i < model->size; i++) {
        int core = i % model->per_host;
        places[i] = (sup_rank_place){.host = i / model->per_host, .cpu = core, .core = core, .numa = 0, .package = 0};
        for (int d = 0; d < 8; d++) places[i].cache[d] = -1;
        places[i].cache[0] = core;
        places[i].cache[1] = core / model->per_cache;
    }
    lab->lab = (sup_lab){.size = model->size, .transport = "sim", .run = run, .places = places};
    lab->model = model;
    lab->places = places;
    lab->random.state = 7;
    return &lab->lab;
}

void sim_lab_free(sup_lab *base) {
    sim_lab *lab = (sim_lab *)base;
    free(lab->places);
    free(lab);
}
