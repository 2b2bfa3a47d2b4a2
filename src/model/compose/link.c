/* Tcomm between the nodes of a composed machine (compose.h): the link that another profile measured, and how the
 * transfers of a node share its link, as a channel L(m,τ) and as the classic g and l. */
#include "model/compose/compose.h"

#include "profile/channel.h"
#include "profile/composed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEGABYTE 1048576.0

/* ---- from another profile ---- */

/* The first rank that is on another host than rank 0; 0: there is none. */
static int64_t far_rank(const sup_profile *p) {
    const sup_origin *o = &p->signature;
    int64_t first, core;
    if (sup_origin_place(o, 0, &first, &core)) return 0;
    for (int64_t rank = 1; rank < o->processes; rank++) {
        int64_t host;
        if (sup_origin_place(o, rank, &host, &core)) return 0;
        if (host != first) return rank;
    }
    return 0;
}

static double share(const sup_number *n) { return n && n->value > 0 && n->ci >= 0 ? fmin(1, n->ci / n->value) : 0.1; }

static double byte_seconds(const sup_pair_class *c) {
    if (c->per_byte_s) return c->per_byte_s->value;
    if (!c->time_s || !c->time_s->curve) return NAN;
    return fmax(0, sup_curve_at(c->time_s->curve, MEGABYTE) - sup_curve_at(c->time_s->curve, 0)) / MEGABYTE;
}

/* A channel between hosts has a number above 0. */
static const sup_channel *network_of(const sup_profile *p, const char *transport) {
    for (size_t i = 0; i < p->channels_count; i++) {
        const sup_channel *c = &p->channels[i];
        if (c->number > 0 && c->transfer && !strcmp(c->transport, transport)) return c;
    }
    return NULL;
}

static const sup_pairs *pairs_of(const sup_profile *p, const char *transport) {
    if (transport) return sup_profile_pairs(p, transport);
    const sup_pairs *own = sup_profile_pairs(p, p->signature.transport);
    return own || !p->pairs_count ? own : &p->pairs[0];
}

sup_status sup_compose_link_of(const sup_profile *p, const char *name, const char *transport, sup_diag *diag,
                               sup_link *link, sup_compose_link *out) {
    sup_record_init(&sup_link_record, link);
    sup_status measured = sup_profile_measured(p, name, diag);
    if (measured) return measured;
    int64_t far = far_rank(p);
    if (!far)
        return sup_diag_set(diag, SUP_EINVAL, name, 0,
                            "is of one host, and says nothing about a link; `superstep measure --hosts FILE` on two "
                            "or more does");
    const sup_pairs *pairs = pairs_of(p, transport);
    const sup_pair_class *c = pairs ? &pairs->classes[sup_pairs_class(pairs, 0, far)] : NULL;
    double bytes = c ? byte_seconds(c) : NAN;
    if (!c || !c->latency_s || !(c->latency_s->value > 0) || !(bytes > 0))
        return sup_diag_set(diag, SUP_ENOENT, name, 0, "has no latency and bandwidth of pairs on different hosts%s%s",
                            transport ? " over " : "", transport ? transport : "");
    const sup_channel *network = network_of(p, pairs->transport);
    bool tcp = network && network->mechanism && !strcmp(network->mechanism, "tcp");
    link->kind = tcp ? SUP_LINK_TCP : SUP_LINK_RDMA;
    link->latency_s = c->latency_s->value;
    link->bandwidth_bytes_per_s = 1.0 / bytes;
    link->overhead_s = c->overhead_s ? c->overhead_s->value : 0;
    link->uncertainty = share(c->latency_s);
    link->bandwidth_uncertainty = share(c->per_byte_s);
    if (sup_record_set_string(&link->name, name) || sup_record_set_string(&link->source, "measured")) {
        sup_record_clear(&sup_link_record, link);
        return sup_diag_no_memory(diag);
    }
    *out = (sup_compose_link){.link = link, .class = c, .transfer = network ? network->transfer : NULL};
    return SUP_OK;
}

/* ---- sharing the link ---- */

static sup_status level_curve(double value, double doubt, sup_file_curve **out) {
    sup_segment s = {.x_lo = 0, .x_hi = 16 * MEGABYTE, .intercept = value, .residual = doubt / 2, .n = 3};
    sup_curve *curve = NULL;
    sup_status status = sup_curve_make(&s, 1, SUP_CURVE_NONDECREASING, NULL, &curve);
    if (status) return status;
    *out = sup_record_make(&sup_file_curve_record);
    status = *out ? sup_file_curve_set(*out, curve) : SUP_ENOMEM;
    sup_curve_free(curve);
    return status;
}

/* τ processes of a node have the link's bandwidth together, and each its latency. */
static sup_status add_row(sup_transfer *t, const sup_link *link, int64_t tau) {
    static const double bytes[] = {0, 65536, MEGABYTE, 16 * MEGABYTE};
    enum { SIZES = sizeof bytes / sizeof *bytes };
    double seconds[SIZES], ci[SIZES];
    sup_tau_row *row = SUP_APPEND(&sup_tau_row_record, t->rows, t->rows_count);
    if (!row) return SUP_ENOMEM;
    row->tau = tau;
    for (int i = 0; i < SIZES; i++) {
        seconds[i] = link->latency_s + (double)tau * bytes[i] / link->bandwidth_bytes_per_s;
        ci[i] = link->uncertainty * seconds[i];
    }
    sup_status status = sup_record_set_reals(&row->seconds, &row->seconds_count, seconds, SIZES);
    if (!status) status = sup_record_set_reals(&row->ci, &row->ci_count, ci, SIZES);
    if (!status && !t->bytes_count) status = sup_record_set_reals(&t->bytes, &t->bytes_count, bytes, SIZES);
    return status;
}

static sup_status make_transfer(const sup_compose_link *way, int64_t cores, sup_transfer *t) {
    if (way->transfer) return sup_record_copy(&sup_transfer_record, way->transfer, t);
    sup_status status = SUP_OK;
    for (int64_t tau = 1; !status && tau < cores; tau *= 2) status = add_row(t, way->link, tau);
    return status ? status : add_row(t, way->link, cores);
}

static int64_t next_number(const sup_profile *p, const char *transport) {
    int64_t number = 0;
    for (size_t i = 0; i < p->channels_count; i++)
        if (!strcmp(p->channels[i].transport, transport) && p->channels[i].number > number)
            number = p->channels[i].number;
    return number < 255 ? number + 1 : 255;
}

static sup_status add_channel(sup_profile *made, const char *transport, const sup_compose_link *way) {
    int64_t number = next_number(made, transport);
    sup_channel *c = SUP_APPEND(&sup_channel_record, made->channels, made->channels_count);
    if (!c) return SUP_ENOMEM;
    c->number = number;
    sup_status status = sup_record_set_string(&c->name, "network");
    if (!status) status = sup_record_set_string(&c->transport, transport);
    if (!status) status = sup_record_set_string(&c->setup, "ring");
    if (!status) status = sup_record_set_string(&c->mechanism, sup_link_kinds[way->link->kind]);
    if (!status) status = level_curve(way->link->overhead_s, way->link->uncertainty, &c->overhead_s);
    if (!status && !(c->transfer = sup_record_make(&sup_transfer_record))) status = SUP_ENOMEM;
    if (!status) status = make_transfer(way, made->composed->node_processes, c->transfer);
    return status;
}

static sup_status set_number(sup_number **to, double value, double doubt) {
    sup_number *n = *to ? *to : sup_record_make(&sup_number_record);
    if (!n) return SUP_ENOMEM;
    *to = n;
    n->value = value;
    n->ci = doubt * value;
    n->typical = n->bad = NAN;
    n->n = 2; /* of one sample nobody shows an interval */
    n->launches = 0;
    return SUP_OK;
}

/* Of so many processes: g while all cores of a node send to other nodes, l with a message for each doubling of nodes.
 */
static sup_status add_classic(sup_profile *made, const char *transport, const sup_link *link) {
    const sup_composed *say = made->composed;
    double messages = ceil(log2((double)say->nodes)), cores = (double)say->node_processes;
    for (size_t i = 0; i < made->classic_count; i++) {
        const sup_classic *from = &made->classic[i];
        if (strcmp(from->transport, transport) || from->processes != say->measured || !from->word_s || !from->sync_s)
            continue;
        double word = fmax(from->word_s->value, 8 * cores / link->bandwidth_bytes_per_s);
        double sync = from->sync_s->value + messages * (link->latency_s + link->overhead_s);
        sup_classic copy;
        sup_record_init(&sup_classic_record, &copy);
        sup_status status = sup_record_copy(&sup_classic_record, from, &copy);
        copy.processes = say->nodes * say->node_processes;
        if (!status) status = set_number(&copy.word_s, word, fmax(link->uncertainty, 0.2));
        if (!status) status = set_number(&copy.sync_s, sync, fmax(link->uncertainty, 0.2));
        sup_classic *c = status ? NULL : SUP_APPEND(&sup_classic_record, made->classic, made->classic_count);
        if (!c) {
            sup_record_clear(&sup_classic_record, &copy);
            return SUP_ENOMEM;
        }
        *c = copy;
        return SUP_OK;
    }
    return SUP_OK;
}

sup_status sup_compose_sharing(sup_profile *made, const char *transport, const sup_compose_link *way) {
    sup_status status = add_channel(made, transport, way);
    return status ? status : add_classic(made, transport, way->link);
}
