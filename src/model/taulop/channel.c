/* What τ-Lop needs to know of channels, from a profile (taulop.h): for each channel number of a transport the
 * measurement that profile/channel.h prefers, and γ. Tcomm, model stage.
 *
 * Tables of L have sizes that are far apart. Between them, times of single messages of the same pair (profile/pairs.h),
 * which were measured at more sizes, say how L goes: L(m,τ) of the table, times what messages say that L(m,1) is off.
 */
#include "model/taulop/taulop.h"

#include "model/equation/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 0.25 /* so far from the table's, at its sizes, may messages be on average that are of the same pair */

/* What a channel is priced from. */
typedef struct source {
    const sup_channel *channel;
    const sup_curve *message; /* one message by itself, up to `most` bytes; NULL: not known */
    double most;
} source;

/* What sup_taulop_open gives. */
typedef struct opened {
    sup_taulop_costs costs; /* first: the one is the other */
    source *sources;
} opened;

static const sup_channel *of(const sup_taulop_channel *c) { return ((const source *)c->context)->channel; }

static bool has_overhead(const sup_channel *c) { return c->overhead_s && c->overhead_s->curve; }

static int transfers(const sup_taulop_channel *c, double bytes) { return sup_channel_transfers(of(c), bytes); }

static double overhead(const sup_taulop_channel *c, double bytes) {
    const sup_file_curve *o = of(c)->overhead_s;
    return o && o->curve ? sup_curve_at(o->curve, bytes) : 0;
}

/* L is measured by round trips and rings of whole messages up to that size (measure/taulop/taulop.h). */
static double largest(const sup_channel *c) {
    return c->transfer && c->transfer->bytes_count ? c->transfer->bytes[c->transfer->bytes_count - 1] : 0;
}

/* How many times the table's L(m,1) it is, as messages say. */
static double off(const sup_taulop_channel *c, double bytes) {
    const source *from = c->context;
    double l = sup_transfer_at(from->channel->transfer, bytes, 1) * transfers(c, bytes);
    double seen = sup_curve_at(from->message, bytes) - overhead(c, bytes);
    return l > 0 && seen > 0 ? fmin(fmax(seen / l, 0.5), 2) : 1;
}

/* What the table lacks at a size: nothing where it has one, all that messages say in the middle between two. */
static double correction(const sup_taulop_channel *c, double bytes) {
    const source *from = c->context;
    const sup_transfer *t = from->channel->transfer;
    size_t k = 0;
    if (!from->message || bytes > from->most || bytes <= t->bytes[0]) return 1;
    while (k + 1 < t->bytes_count && t->bytes[k + 1] <= bytes) k++;
    if (k + 1 == t->bytes_count || bytes == t->bytes[k]) return 1;
    double share = log(bytes / t->bytes[k]) / log(t->bytes[k + 1] / t->bytes[k]);
    return 1 + fmin(1, 16 * share * (1 - share)) * (off(c, bytes) - 1);
}

/* By how much a message below the table's first size is less than that one, as messages say: some travel in the word
 * that says that they are there. */
static double less_below(const sup_taulop_channel *c, double bytes) {
    const source *from = c->context;
    const sup_transfer *t = from->channel->transfer;
    if (!from->message || bytes >= t->bytes[0]) return 0;
    double least = sup_transfer_at(t, bytes, 1), seen = sup_curve_at(from->message, bytes) - overhead(c, bytes);
    return fmin(fmax(least - seen / transfers(c, bytes), 0), least);
}

static double transfer(const sup_taulop_channel *c, double bytes, double tau) {
    return sup_transfer_at(of(c)->transfer, bytes, tau) * correction(c, bytes) - less_below(c, bytes);
}

/* Times of single messages through shared memory, if they are of the pair that the table is of: the first two. */
static void find_message(const sup_profile *profile, const char *transport, sup_taulop_channel *c, source *from) {
    const sup_pairs *pairs = sup_profile_pairs(profile, transport);
    if (c->number != 0 || !pairs || pairs->processes < 2) return;
    const sup_pair_class *p = &pairs->classes[sup_pairs_class(pairs, 0, 1)];
    if (!p->time_s || !p->time_s->curve || !p->time_s->segments_count || !has_overhead(from->channel)) return;
    const sup_transfer *t = from->channel->transfer;
    double sum = 0, sizes = 0;
    from->message = p->time_s->curve;
    from->most = p->time_s->segments[p->time_s->segments_count - 1].x_hi;
    for (size_t i = 0; i < t->bytes_count && t->bytes[i] <= from->most; i++, sizes++)
        sum += fabs(off(c, t->bytes[i]) - 1);
    if (!(sum < ALIKE * sizes)) from->message = NULL;
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
        } else if (t <= tau && low && (!before || g->tau > before->tau) && g->tau < low->tau) {
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

static void put_channels(const sup_profile *profile, const char *transport, sup_channel *room, opened *to) {
    sup_taulop_costs *out = &to->costs;
    for (size_t i = 0; i < profile->channels_count; i++) {
        const sup_channel *c = &profile->channels[i];
        if (!c->transport || strcmp(c->transport, transport) != 0 || has_number(out, c->number)) continue;
        if (c->number < 0 || c->number > SUP_EXPR_CHANNEL_MAX) continue;
        const sup_channel *found = by_number(profile, transport, c->number, room);
        if (!found) continue;
        source *from = &to->sources[out->channels_count];
        *from = (source){.channel = found};
        out->channels[out->channels_count] = (sup_taulop_channel){.number = (int)found->number,
                                                                  .segment_bytes = (double)found->segment_bytes,
                                                                  .threshold_bytes = (double)found->threshold_bytes,
                                                                  .whole_bytes = largest(found),
                                                                  .transfers = transfers,
                                                                  .overhead = overhead,
                                                                  .transfer = transfer,
                                                                  .context = from};
        find_message(profile, transport, &out->channels[out->channels_count++], from);
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
    opened *made = calloc(1, sizeof *made);
    sup_taulop_costs *costs = made ? &made->costs : NULL;
    sup_channel *room = calloc(n + 1, sizeof *room);
    if (made) costs->channels = calloc(n + 1, sizeof *costs->channels);
    if (made) made->sources = calloc(n + 1, sizeof *made->sources);
    if (!room || !made || !costs->channels || !made->sources) {
        free(room);
        if (made) sup_taulop_close(costs);
        return sup_diag_no_memory(diag);
    }
    put_channels(profile, transport, room, made);
    free(room);
    if (!costs->channels_count) {
        char advice[SUP_MODEL_ADVICE];
        sup_taulop_close(costs);
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "no \u03c4-Lop channel of %.60s is measured%s", transport,
                            sup_model_advice(transport, 0, advice));
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
    opened *made = (opened *)costs;
    free(made->sources);
    free(costs->channels);
    free(made);
}
