/* Values of the tables of τ-Lop channels between and beyond their entries (channel.h). Term Tcomm. */
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
    if (!c->mechanism) return 2;
    if (!strcmp(c->mechanism, "rdma")) return 1;
    bool whole = c->threshold_bytes < 0 || bytes >= (double)c->threshold_bytes;
    return whole && !strcmp(c->mechanism, "single-copy") ? 1 : 2;
}
