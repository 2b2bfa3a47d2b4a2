/* τ-Lop channels (channel.h): which one a pair of processes uses, and values of its tables between and beyond their
 * entries. Term Tcomm. */
#include "profile/channel.h"

#include <math.h>
#include <string.h>

static double row_at(const sup_transfer *t, const sup_tau_row *row, double bytes) {
    size_t n = t->bytes_count < row->seconds_count ? t->bytes_count : row->seconds_count, k = 0;
    if (n == 0) return NAN;
    if (n == 1 || bytes <= t->bytes[0]) return row->seconds[0];
    while (k + 2 < n && t->bytes[k + 1] <= bytes) k++;
    double slope = (row->seconds[k + 1] - row->seconds[k]) / (t->bytes[k + 1] - t->bytes[k]);
    if (bytes > t->bytes[k + 1]) return row->seconds[k + 1] + fmax(0.0, slope) * (bytes - t->bytes[k + 1]);
    return row->seconds[k] + slope * (bytes - t->bytes[k]);
}

double sup_transfer_at(const sup_transfer *t, double bytes, double tau) {
    size_t n = t->rows_count, k = 0;
    if (n == 0) return NAN;
    double first = row_at(t, &t->rows[0], bytes);
    if (n == 1 || tau <= (double)t->rows[0].tau) return first;
    while (k + 2 < n && (double)t->rows[k + 1].tau <= tau) k++;
    double low = row_at(t, &t->rows[k], bytes), high = row_at(t, &t->rows[k + 1], bytes);
    double from = (double)t->rows[k].tau, to = (double)t->rows[k + 1].tau;
    double value = low + (high - low) / (to - from) * (tau - from);
    return tau > to ? fmin(fmax(value, high), tau / to * high) : value;
}

int sup_channel_transfers(const sup_channel *c, double bytes) {
    if (c->number > 0) return 1; /* what TCP adds at both ends are transfers of channel 0 */
    if (!c->mechanism) return 2;
    if (!strcmp(c->mechanism, "rdma")) return 1;
    bool whole = c->threshold_bytes < 0 || bytes >= (double)c->threshold_bytes;
    return whole && !strcmp(c->mechanism, "single-copy") ? 1 : 2;
}

/* ---- which one ---- */

static bool has_overhead(const sup_channel *c) { return c->overhead_s && c->overhead_s->curve; }

static int by_number(double a, double b) { return (a > b) - (a < b); }

static int by_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

static int setup_rank(const char *setup) {
    static const char *const words[] = {"ring", "ping", "broadcast"};
    for (int k = 0; k < 3; k++)
        if (setup && !strcmp(setup, words[k])) return k;
    return 3;
}

/* Below 0: a is to be preferred. 0 only for channels that say the same. */
static int order(const sup_channel *a, const sup_channel *b) {
    int by[] = {(int)has_overhead(b) - (int)has_overhead(a),
                by_number((double)a->number, (double)b->number),
                setup_rank(a->setup) - setup_rank(b->setup),
                (int)b->cached - (int)a->cached,
                by_text(a->setup, b->setup),
                by_text(a->name, b->name),
                by_text(a->mechanism, b->mechanism),
                by_number((double)a->threshold_bytes, (double)b->threshold_bytes),
                by_number((double)a->segment_bytes, (double)b->segment_bytes),
                by_number(sup_transfer_at(a->transfer, 1, 1), sup_transfer_at(b->transfer, 1, 1)),
                by_number(sup_transfer_at(a->transfer, 1e6, 1), sup_transfer_at(b->transfer, 1e6, 1))};
    for (size_t k = 0; k < sizeof by / sizeof *by; k++)
        if (by[k]) return by[k];
    return 0;
}

const sup_channel *sup_channel_find(const sup_profile *profile, const char *transport, bool network) {
    const sup_channel *found = NULL;
    for (size_t i = 0; i < profile->channels_count; i++) {
        const sup_channel *c = &profile->channels[i];
        if (!c->transport || strcmp(c->transport, transport) != 0 || (c->number > 0) != network) continue;
        if (!c->transfer || !c->transfer->rows_count || !c->transfer->bytes_count) continue;
        if (!found || order(c, found) < 0) found = c;
    }
    return found;
}
