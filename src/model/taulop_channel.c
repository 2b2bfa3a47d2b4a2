/* What τ-Lop needs to know of channels, from a profile (taulop.h): for each channel number of a transport the
 * measurement that profile/channel.h prefers, and γ. Tcomm, model stage. */
#include "model/taulop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sup_channel *of(const sup_taulop_channel *c) { return c->context; }

static int transfers(const sup_taulop_channel *c, double bytes) {
    return c->number > 0 ? 1 : sup_channel_transfers(of(c), bytes); /* what TCP adds at both ends is in `ends` */
}

static double overhead(const sup_taulop_channel *c, double bytes) {
    const sup_file_curve *o = of(c)->overhead_s;
    return o && o->curve ? sup_curve_at(o->curve, bytes) : 0;
}

/* L is measured by round trips and rings of whole messages up to that size (measure/taulop.h). */
static double largest(const sup_channel *c) {
    return c->transfer && c->transfer->bytes_count ? c->transfer->bytes[c->transfer->bytes_count - 1] : 0;
}

static double transfer(const sup_taulop_channel *c, double bytes, double tau) {
    return sup_transfer_at(of(c)->transfer, bytes, tau);
}

/* ---- γ ---- */

/* Of sums of doubles, or of the first operation there is. */
static bool is_like(const sup_gamma *g, const sup_gamma *wanted) {
    return g->time_s && g->time_s->curve && !strcmp(g->operation ? g->operation : "", wanted->operation) &&
           !strcmp(g->type ? g->type : "", wanted->type);
}

static const sup_gamma *first_gamma(const sup_channel *c) {
    static char sum[] = "sum", real[] = "double";
    const sup_gamma usual = {.operation = sum, .type = real}, *any = NULL;
    for (size_t i = 0; i < c->gammas_count; i++) {
        const sup_gamma *g = &c->gammas[i];
        if (is_like(g, &usual)) return g;
        if (!any && g->time_s && g->time_s->curve && g->operation && g->type) any = g;
    }
    return any;
}

/* Over τ as L: between two on the line through them, beyond the last one the line goes on within the bounds. */
static double fold(const sup_taulop_costs *costs, double bytes, double tau) {
    const sup_channel *c = costs->context;
    const sup_gamma *first = first_gamma(c), *low = NULL, *high = NULL, *before = NULL;
    for (size_t i = 0; first && i < c->gammas_count; i++) {
        const sup_gamma *g = &c->gammas[i];
        if (!is_like(g, first)) continue;
        double t = (double)g->tau;
        if (t <= tau && (!low || g->tau > low->tau)) {
            before = low;
            low = g;
        } else if (t <= tau && (!before || g->tau > before->tau) && g->tau < low->tau) {
            before = g;
        }
        if (t > tau && (!high || g->tau < high->tau)) high = g;
    }
    if (!low) low = high;
    if (!low) return NAN;
    double at_low = sup_curve_at(low->time_s->curve, bytes), from = (double)low->tau;
    if (tau <= from) return at_low;
    if (high && high != low) {
        double at_high = sup_curve_at(high->time_s->curve, bytes);
        return at_low + (at_high - at_low) * (tau - from) / ((double)high->tau - from);
    }
    if (!before) return at_low;
    double slope = (at_low - sup_curve_at(before->time_s->curve, bytes)) / (from - (double)before->tau);
    return fmin(fmax(at_low, at_low + slope * (tau - from)), tau / from * at_low);
}

/* ---- which ---- */

/* A channel of this number: the profile with those of other numbers left out is asked. */
static const sup_channel *by_number(const sup_profile *profile, const char *transport, int64_t number,
                                    sup_channel *room) {
    sup_profile some = *profile;
    some.channels = room;
    some.channels_count = 0;
    for (size_t i = 0; i < profile->channels_count; i++)
        if (profile->channels[i].number == number) room[some.channels_count++] = profile->channels[i];
    const sup_channel *found = sup_channel_find(&some, transport, number > 0);
    size_t behind = found ? (size_t)(found - room) : 0;
    for (size_t i = 0; found && i < profile->channels_count; i++) /* the profile's own, which stays */
        if (profile->channels[i].number == number && !behind--) return &profile->channels[i];
    return NULL;
}

static bool has_number(const sup_taulop_costs *costs, int64_t number) {
    return number >= 0 && number <= SUP_EXPR_CHANNEL_MAX && sup_taulop_channel_of(costs, (int)number);
}

static int ascending(const void *a, const void *b) {
    return ((const sup_taulop_channel *)a)->number - ((const sup_taulop_channel *)b)->number;
}

static void put_channels(const sup_profile *profile, const char *transport, sup_channel *room, sup_taulop_costs *out) {
    for (size_t i = 0; i < profile->channels_count; i++) {
        const sup_channel *c = &profile->channels[i];
        if (!c->transport || strcmp(c->transport, transport) != 0 || has_number(out, c->number)) continue;
        if (c->number < 0 || c->number > SUP_EXPR_CHANNEL_MAX) continue;
        const sup_channel *found = by_number(profile, transport, c->number, room);
        if (!found) continue;
        out->channels[out->channels_count++] = (sup_taulop_channel){.number = (int)found->number,
                                                                    .segment_bytes = (double)found->segment_bytes,
                                                                    .threshold_bytes = (double)found->threshold_bytes,
                                                                    .whole_bytes = largest(found),
                                                                    .transfers = transfers,
                                                                    .overhead = overhead,
                                                                    .transfer = transfer,
                                                                    .context = found};
    }
    if (out->channels_count) qsort(out->channels, out->channels_count, sizeof *out->channels, ascending);
    const sup_taulop_channel *shared = sup_taulop_channel_of(out, 0);
    for (size_t i = 0; shared && i < out->channels_count; i++) {
        const sup_channel *c = of(&out->channels[i]);
        if (c->number > 0 && c->mechanism && !strcmp(c->mechanism, "tcp")) out->channels[i].ends = shared;
    }
}

sup_status sup_taulop_open(const sup_profile *profile, const char *transport, sup_diag *diag, sup_taulop_costs **out) {
    size_t n = profile->channels_count;
    sup_taulop_costs *costs = calloc(1, sizeof *costs);
    sup_channel *room = calloc(n + 1, sizeof *room);
    if (costs) costs->channels = calloc(n + 1, sizeof *costs->channels);
    if (!room || !costs || !costs->channels) {
        free(room);
        sup_taulop_close(costs);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    }
    put_channels(profile, transport, room, costs);
    free(room);
    if (!costs->channels_count) {
        sup_taulop_close(costs);
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                            "no \u03c4-Lop channel of %.60s is measured: superstep measure --net %.60s", transport,
                            transport);
    }
    for (size_t i = 0; i < n && !costs->fold; i++) {
        const sup_channel *c = &profile->channels[i];
        if (!c->transport || strcmp(c->transport, transport) != 0 || !first_gamma(c)) continue;
        costs->fold = fold;
        costs->context = c;
    }
    *out = costs;
    return SUP_OK;
}

void sup_taulop_close(sup_taulop_costs *costs) {
    if (!costs) return;
    free(costs->channels);
    free(costs);
}
