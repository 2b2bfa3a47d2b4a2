/* Gaps between looks at the clock (gaps.h). */
#include "measure/noise/gaps.h"

const double sup_gaps_least_s[SUP_GAP_CLASSES] = {2e-6, 1e-5, 5e-5, 2.5e-4, 1e-3, 5e-3, 2.5e-2};

enum { STUCK = 1000000 }; /* looks that all show the same time: this clock will not move */

static void count_gap(sup_gaps *sum, double gap) {
    if (gap >= sup_gaps_least_s[0]) sum->lost_s += gap;
    for (int k = 0; k < SUP_GAP_CLASSES && gap >= sup_gaps_least_s[k]; k++) sum->count[k] += 1.0;
}

double sup_gaps_watch(const sup_clock *clock, double seconds, sup_gaps *sum) {
    int64_t begin = clock->now_ns(clock->context), last = begin;
    const int64_t end = begin + (int64_t)(seconds * 1e9);
    const int64_t least = (int64_t)(sup_gaps_least_s[0] * 1e9);
    double lost = sum->lost_s;
    for (int still = 0; last < end && still < STUCK;) {
        int64_t now = clock->now_ns(clock->context);
        if (now < last) break;
        still = now == last ? still + 1 : 0;
        if (now - last >= least) count_gap(sum, sup_clock_seconds(last, now) - clock->overhead_s);
        last = now;
    }
    double watched = sup_clock_seconds(begin, last);
    sum->watched_s += watched;
    return watched > 0.0 ? (sum->lost_s - lost) / watched : 0.0;
}

void sup_gaps_add(sup_gaps *sum, const sup_gaps *more) {
    sum->watched_s += more->watched_s;
    sum->lost_s += more->lost_s;
    for (int k = 0; k < SUP_GAP_CLASSES; k++) sum->count[k] += more->count[k];
}

sup_status sup_gaps_record(const sup_gaps *all, const char *transport, int64_t processes, sup_interruptions *out) {
    double per_s[SUP_GAP_CLASSES];
    if (!(all->watched_s > 0.0)) return SUP_EINVAL;
    for (int k = 0; k < SUP_GAP_CLASSES; k++) per_s[k] = all->count[k] / all->watched_s;
    out->processes = processes;
    out->watched_s = all->watched_s;
    sup_status status = sup_record_set_string(&out->transport, transport);
    if (!status) status = sup_record_set_reals(&out->least_s, &out->least_s_count, sup_gaps_least_s, SUP_GAP_CLASSES);
    return status ? status : sup_record_set_reals(&out->per_s, &out->per_s_count, per_s, SUP_GAP_CLASSES);
}
