/* Everything over a net in one call (sections.h): how the time is divided. Stage "measure", Tcomm and Tsync. */
#include "measure/sections.h"

#include "measure/classic.h"
#include "measure/copy.h"
#include "measure/launches.h"
#include "measure/sync.h"

#include <math.h>

typedef struct part {
    unsigned bit;
    double weight; /* of the time */
} part;

/* In this order; a part that needs less leaves the rest to those after it. */
static const part parts[] = {{SUP_MEASURE_SYNC, 1.0},   {SUP_MEASURE_CLASSIC, 1.0}, {SUP_MEASURE_COPIES, 8.0},
                             {SUP_MEASURE_PAIRS, 10.0}, {SUP_MEASURE_TAULOP, 8.0},  {SUP_MEASURE_CALIBRATION, 1.0}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static sup_status run_part(unsigned bit, sup_lab *lab, const sup_measure_net_options *o, sup_session *session,
                           sup_profile *profile, sup_diag *diag) {
    switch (bit) {
    case SUP_MEASURE_SYNC: return sup_measure_sync(lab, session, profile, diag);
    case SUP_MEASURE_CLASSIC: return sup_measure_classic(lab, session, profile, diag);
    case SUP_MEASURE_COPIES: return sup_measure_copies(lab, session, profile, diag);
    case SUP_MEASURE_CALIBRATION: return sup_measure_calibration(lab, session, profile, diag);
    case SUP_MEASURE_PAIRS: return sup_measure_pairs(lab, session, &o->pairs, profile, diag);
    default: return sup_measure_taulop(lab, session, &o->taulop, profile, diag);
    }
}

static double weight_from(unsigned wanted, int first) {
    double sum = 0.0;
    for (int k = first; k < PARTS; k++)
        if (wanted & parts[k].bit) sum += parts[k].weight;
    return sum;
}

sup_status sup_measure_lab(sup_lab *lab, const sup_measure_net_options *options, sup_session *session,
                           sup_profile *profile, sup_diag *diag) {
    static const sup_measure_net_options none = {0};
    const sup_measure_net_options *o = options ? options : &none;
    unsigned wanted = o->parts ? o->parts : ~0u;
    double at = 0.0, whole = weight_from(wanted, 0);
    double end = sup_session_spent(session) + sup_session_left(session);
    bool complete = true;
    sup_status status = SUP_OK;
    if (lab->oversubscribed)
        sup_session_warn(session, SUP_WARNING_SHORT_OF_CORES, &(sup_about){.transport = lab->transport});
    for (int k = 0; k < PARTS; k++) {
        if (!(wanted & parts[k].bit)) continue;
        double share = parts[k].weight / whole, left = end - sup_session_spent(session);
        sup_session_stage(session, at, at + share, left * parts[k].weight / weight_from(wanted, k));
        at += share;
        status = run_part(parts[k].bit, lab, o, session, profile, diag);
        if (status == SUP_ETIMEOUT) complete = false;
        if (status && status != SUP_ETIMEOUT) break;
        status = SUP_OK;
    }
    sup_session_stage(session, at, 1.0, fmax(0.0, end - sup_session_spent(session)));
    if (o->complete) *o->complete = complete && !status;
    return status;
}

static sup_status lead(sup_lab *lab, const sup_measure_net_options *options, sup_session *session, sup_profile *profile,
                       sup_diag *diag) {
    const char *path = options ? options->launches : NULL;
    if (path) {
        sup_status status = sup_launches_open(path, &lab->launches);
        if (status) return sup_diag_set(diag, status, path, 0, "%s", sup_status_text(status));
    }
    sup_status status = sup_measure_lab(lab, options, session, profile, diag);
    if (path && (!status || status == SUP_EINTR) && sup_launches_save(lab->launches, path))
        status = sup_diag_errno(diag, SUP_EIO, path, "cannot write");
    sup_launches_free(lab->launches);
    lab->launches = NULL;
    return status;
}

sup_status sup_measure_net(sup_net *net, const sup_measure_net_options *options, sup_session *session,
                           sup_profile *profile, sup_diag *diag) {
    sup_lab *lab;
    sup_status status = sup_lab_net_open(net, options ? &options->lab : NULL, diag, &lab);
    if (status) return status;
    if (sup_net_rank(net) > 0)
        status = sup_lab_net_serve(lab, diag);
    else
        status = lead(lab, options, session, profile, diag);
    sup_lab_net_close(lab);
    return status;
}
