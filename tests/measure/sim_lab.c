/* A lab that answers trials from a model (sim.h). */
#include "../random_real.h"
#include "sim.h"

#include "base/number/random.h"

#include <math.h>
#include <stdlib.h>

typedef struct sim_lab {
    sup_lab lab;
    const sim_model *model;
    sup_rank_place *places;
    sup_random random;
    int64_t measurements;
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

static double starts_factor(const sim_model *m, const int *ranks) {
    bool bad = (ranks[0] == m->bad_pair[0] && ranks[1] == m->bad_pair[1]) ||
               (!m->one_way && ranks[0] == m->bad_pair[1] && ranks[1] == m->bad_pair[0]);
    return bad && m->bad_starts > 0.0 ? m->bad_starts : 1.0;
}

static double seconds_of(const sim_model *m, const sup_trial *t, const int *ranks) {
    switch (t->kind) {
    case SUP_TRIAL_EMPTY: return 1e-9 * t->number;
    case SUP_TRIAL_ROUND_TRIP: return one_way(m, ranks[0], ranks[1], (double)t->bytes);
    case SUP_TRIAL_STARTS: return 3e-8 + m->overhead_s * t->number * starts_factor(m, ranks);
    case SUP_TRIAL_SYNC_SEND: return 2.0 * one_way(m, ranks[0], ranks[1], 0.0);
    case SUP_TRIAL_EAGER: return m->threshold == 0 || t->bytes < m->threshold ? 1.0 : 0.0;
    case SUP_TRIAL_RING: return slowest(m, t, ranks) * (t->number == 1 ? 2.0 : 1.0);
    case SUP_TRIAL_SYNC: return one_way(m, 0, m->size - 1, 8.0) * ceil(log2(m->size));
    case SUP_TRIAL_EXCHANGE: return 5e-6 + 1e-9 * (double)t->bytes / 8.0 * (m->size - 1);
    case SUP_TRIAL_REDUCE: return 1e-8 + 2e-10 * (double)t->bytes;
    case SUP_TRIAL_PACK: return 5e-9 + 4e-10 * (double)t->bytes * t->stride / t->number;
    case SUP_TRIAL_COPY: return m->copy_byte * (double)t->bytes;
    case SUP_TRIAL_SEGMENT: return (double)m->segment;
    case SUP_TRIAL_FETCH: return m->fetched;
    default: return slowest(m, t, ranks);
    }
}

static sup_status visit(sup_lab *base, sup_point *point, sup_diag *diag) {
    enum { BATCHES = 4 };
    sim_lab *lab = (sim_lab *)base;
    const sup_trial *t = &point->trial;
    (void)diag;
    if (t->kind == SUP_TRIAL_BROADCAST) {
        point->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    for (int g = 0; g < t->groups; g++) {
        double crowd = 1.0 + lab->model->crowd * (t->groups - 1);
        double seconds = seconds_of(lab->model, t, t->ranks + g * t->group) * crowd;
        for (int k = 0; k < BATCHES; k++) {
            double noise = lab->model->noise * fabs(sup_random_normal(&lab->random));
            if (sup_trial_kinds[t->kind].once) noise = 0.0;
            if (sup_point_add(point, g, seconds * (1.0 + noise))) return SUP_ENOMEM;
            base->batches++;
        }
    }
    point->visit_s = 1e-3;
    lab->measurements += t->groups;
    return SUP_OK;
}

static sup_store *new_store(int launch) {
    sup_store *store;
    if (sup_store_new(launch, &store)) abort();
    return store;
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
    lab->lab =
        (sup_lab){.size = model->size, .transport = "sim", .visit = visit, .places = places, .store = new_store(1)};
    lab->model = model;
    lab->places = places;
    lab->random.state = 7;
    return &lab->lab;
}

void sim_lab_free(sup_lab *base) {
    sim_lab *lab = (sim_lab *)base;
    sup_store_free(base->store);
    free(lab->places);
    free(lab);
}

int64_t sim_lab_measurements(const sup_lab *base) { return ((const sim_lab *)base)->measurements; }

void sim_relaunch(sup_lab *lab) {
    sup_visited *list = NULL;
    size_t count = 0;
    sup_store *next = new_store(sup_store_launch(lab->store) + 1);
    if (sup_store_write(lab->store, lab->transport, false, &list, &count)) abort();
    if (sup_store_read(next, lab->transport, list, count)) abort();
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
    sup_store_free(lab->store);
    lab->store = next;
}

sup_status sim_campaign(sup_lab *lab, const sup_sections_options *o, int launches, int rounds, sup_session *session,
                        sup_profile *profile, sup_diag *diag) {
    sup_status status = SUP_OK;
    for (int launch = 0; launch < launches && !status; launch++) {
        if (launch) sim_relaunch(lab);
        sup_store_settle(lab->store);
        status = sup_sections_ask(lab, o, session, profile, diag);
        for (int r = 0; r < rounds && !status; r++)
            for (size_t i = 0; i < sup_store_count(lab->store) && !status; i++) {
                sup_point *p = sup_store_at(lab->store, i);
                if (!p->status) status = sup_lab_visit(lab, session, p, diag);
            }
    }
    sup_store_settle(lab->store);
    return status ? status : sup_sections_ask(lab, o, session, profile, diag);
}
