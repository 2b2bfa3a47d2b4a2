/* Tcomm over shared memory: what the two parts of a superstep take that moves bytes through the logs of our runtime, as
 * the profile has them measured (measure/copy.h), and how far that has been from supersteps that were measured whole.
 *
 *     calls     log(n, b)                 n partners, b bytes for each
 *     sync      deliver(n, b) − barrier   so that calls + sync of a superstep like the measured ones are what was
 *                                         measured, whatever the barrier is priced with
 *
 * The curves are of one run; supersteps measured whole in other runs correct them, and their scatter is the interval.
 * Between the numbers of partners that were measured both are straight lines, beyond them too. More than one message to
 * a partner: the bytes of all of them, and what each record more took when many were measured. */
#include "model/model.h"

#include "base/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_HEAD = 8 }; /* bytes before those of a put in a log */

/* ---- taking them from the profile ---- */

static bool usable(const sup_copy_time *c, const char *method) {
    return !c->level && c->processes && !strcmp(c->method, method) && c->time_s && c->time_s->curve;
}

/* The number of processes with which deliveries (or replays) were measured, nearest to ours; 0: not measured. */
static int64_t measured_with(const sup_platform *m, const char *method) {
    int64_t found = 0;
    for (size_t i = 0; i < m->profile->copies_count; i++) {
        const sup_copy_time *c = &m->profile->copies[i];
        if (!usable(c, method)) continue;
        if (!found || llabs(c->processes - m->per_host) < llabs(found - m->per_host)) found = c->processes;
    }
    return found;
}

static const sup_curve *curve_of(const sup_platform *m, const char *method, int64_t processes, int64_t messages,
                                 bool many) {
    for (size_t i = 0; i < m->profile->copies_count; i++) {
        const sup_copy_time *c = &m->profile->copies[i];
        if (usable(c, method) && c->processes == processes && c->messages == messages && (c->records > 1) == many)
            return c->time_s->curve;
    }
    return NULL;
}

static void add_fan(sup_copies *k, int64_t messages, const sup_curve *log, const sup_curve *deliver) {
    if (!log || !deliver || k->fan_count == SUP_FANS_MAX) return;
    size_t at = k->fan_count++;
    for (; at > 0 && k->fan[at - 1].messages > (double)messages; at--) k->fan[at] = k->fan[at - 1];
    k->fan[at] = (sup_fan){(double)messages, {log, deliver}};
}

/* The barrier inside the deliveries: measured by itself, or not more than the shortest delivery. */
static double barrier_inside(const sup_platform *m, int64_t processes, const sup_copies *k) {
    double alone = sup_barrier_measured(m, SUP_PATTERN_DISSEMINATION, processes);
    return isnan(alone) ? sup_curve_at(k->fan[0].time[SUP_COPY_DELIVER], 0) : alone;
}

static void take_fans(sup_platform *m) {
    sup_copies *k = &m->copies;
    int64_t with = measured_with(m, "deliver");
    const char *arrival = with ? "deliver" : "replay"; /* profiles up to 0.1: without the barrier, to one process */
    if (!with) with = measured_with(m, arrival);
    for (size_t i = 0; i < m->profile->copies_count; i++) {
        const sup_copy_time *c = &m->profile->copies[i];
        if (!usable(c, "log") || c->processes != with) continue;
        const sup_curve *deliver = curve_of(m, arrival, with, c->messages, c->records > 1);
        if (c->records > 1 && deliver) {
            k->many = (double)c->records;
            k->record[SUP_COPY_LOG] = c->time_s->curve;
            k->record[SUP_COPY_DELIVER] = deliver;
        } else if (c->records == 1) {
            add_fan(k, c->messages, c->time_s->curve, deliver);
        }
    }
    k->processes = with;
    k->own = curve_of(m, "memcpy", with, 1, false);
    if (k->fan_count && !strcmp(arrival, "deliver")) k->barrier = barrier_inside(m, with, k);
}

/* ---- pricing ---- */

/* Checks of about so many bytes count most: an octave away e^(-1/NEAR) as much. */
#define NEAR 2.0

/* What checks of about so many bytes are off by, as a logarithm: on average, and the half width of one more of them.
 * NaN: too few were measured. */
static void checked(const sup_platform *m, double bytes, double *mean, double *half) {
    const sup_copies *k = &m->copies;
    double sum = 0, off = 0, squares = 0, weights = 0;
    *mean = 0;
    *half = NAN;
    for (size_t i = 0; i < k->check_count; i++) {
        double w = exp(-fabs(log2(fmax(bytes, 8) / fmax(k->check_bytes[i], 8))) / NEAR);
        sum += w;
        weights += w * w;
        off += w * k->check_off[i];
        squares += w * k->check_off[i] * k->check_off[i];
    }
    if (k->check_count < 3) return;
    double count = sum * sum / weights; /* as many equal ones would weigh as much */
    *mean = off / sum;
    double freedom = fmax(1, count - 1), variance = fmax(0, squares / sum - *mean * *mean) * count / freedom;
    *half = sqrt(variance * (1 + 1 / count)) * sup_student_two_sided(m->confidence, freedom);
}

/* All partners together. Curves are of one run; checks are of several, and where lines of shared memory happen to lie
 * differs from run to run, so their average corrects a curve. */
static double at_fan(const sup_platform *m, const sup_fan *f, int part, double bytes, double *half) {
    sup_prediction p = sup_curve_predict(f->time[part], bytes, m->confidence);
    double mean, unused;
    checked(m, bytes, &mean, &unused);
    *half = fmax(p.high - p.value, p.value - p.low);
    return p.value * exp(mean);
}

static double along(double a, double b, double share) { return a + share * (b - a); }

double sup_copies_time(const sup_platform *m, int part, double partners, double bytes, double *half) {
    const sup_copies *k = &m->copies;
    double base = part == SUP_COPY_DELIVER ? k->barrier : 0, d, e;
    if (k->fan_count == 1 || partners <= k->fan[0].messages) {
        const sup_fan *f = &k->fan[0];
        double t = at_fan(m, f, part, bytes, &d), times = partners / f->messages;
        *half = d * times;
        return fmax(0, t - base) * times;
    }
    size_t i = 1;
    while (i + 1 < k->fan_count && k->fan[i].messages < partners) i++;
    const sup_fan *f = &k->fan[i - 1], *g = &k->fan[i];
    double share = (partners - f->messages) / (g->messages - f->messages);
    double a = at_fan(m, f, part, bytes, &d), b = at_fan(m, g, part, bytes, &e);
    *half = fabs(along(d, e, share));
    return fmax(0, along(a, fmax(a, b), share) - base);
}

/* One record more in a log that has some: measured with many of them, less what their bytes take in one. */
static double record_more(const sup_platform *m, int part, double bytes) {
    const sup_copies *k = &m->copies;
    if (!k->record[part] || k->fan[0].messages != 1) return 0;
    const sup_curve *c = k->record[part];
    double most = c->segments[c->count - 1].x_hi, b = fmin(bytes, most);
    double all = k->many * b + (k->many - 1) * RECORD_HEAD;
    return fmax(0, sup_curve_at(c, b) - sup_curve_at(k->fan[0].time[part], all)) / (k->many - 1);
}

/* `messages` to one of `partners`, `before` bytes went to it already in this superstep. */
sup_moved sup_copies_edge(const sup_platform *m, int part, double partners, double messages, double bytes,
                          double before) {
    double d, e = 0, more = record_more(m, part, bytes / messages);
    double all = before + bytes + RECORD_HEAD * (messages - (before > 0 ? 0 : 1));
    double t = sup_copies_time(m, part, partners, all, &d), known = 0;
    if (before > 0) known = sup_copies_time(m, part, partners, before, &e);
    double records = messages - (before > 0 ? 0 : 1);
    sup_moved r = {fmax(0, t - known) / partners + records * more, fabs(d - e) / partners};
    return r;
}

/* ---- how good that is ---- */

/* Calls and sync of the superstep that a check measured, from the curves alone. */
static double whole(const sup_platform *m, const sup_check *c) {
    double half, n = (double)c->messages, b = (double)c->bytes;
    return sup_copies_time(m, SUP_COPY_LOG, n, b, &half) + sup_copies_time(m, SUP_COPY_DELIVER, n, b, &half) +
           m->copies.barrier;
}

static void take_checks(sup_platform *m) {
    sup_copies *k = &m->copies;
    double bytes[SUP_CHECKS_MAX], off[SUP_CHECKS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < m->profile->checks_count && k->fan_count && count < SUP_CHECKS_MAX; i++) {
        const sup_check *c = &m->profile->checks[i];
        if (c->algorithm || strcmp(c->transport, m->transport) != 0 || !c->time_s || !(c->time_s->value > 0)) continue;
        if (c->processes != k->processes || c->messages < 1) continue;
        bytes[count] = (double)c->bytes;
        off[count++] = log(c->time_s->value / whole(m, c));
    }
    memcpy(k->check_bytes, bytes, count * sizeof *bytes);
    memcpy(k->check_off, off, count * sizeof *off);
    k->check_count = count;
}

void sup_platform_copies(sup_platform *m) {
    m->copies = (sup_copies){0};
    if (strcmp(m->transport, "shm") != 0 && strcmp(m->transport, "self") != 0) return;
    take_fans(m);
    take_checks(m);
}

/* Where too little was checked: relative deviation that is assumed. */
#define UNCHECKED 0.12

double sup_copies_spread(const sup_platform *m, double bytes) {
    double mean, half;
    checked(m, bytes, &mean, &half);
    return isnan(half) ? UNCHECKED : half;
}
