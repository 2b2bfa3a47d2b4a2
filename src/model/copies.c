/* Tcomm over shared memory: what the two parts of a superstep take that moves bytes through the logs of our runtime, as
 * the profile has them measured (measure/copy.h), and how far that has been from supersteps that were measured whole.
 *
 *     calls     log(n, b)                 n partners, b bytes for each
 *     sync      deliver(n, b) − barrier   so that calls + sync of a superstep like the measured ones are what was
 *                                         measured, whatever the barrier is priced with
 *
 * The curves are of one run and of the bare logs. Supersteps of the runtime that were recorded in other runs correct
 * them, calls and sync each by what they are off on average for sizes and partners around; their scatter is the
 * interval. Between the numbers of partners that were measured both are straight lines, beyond them too. More than one
 * message to a partner: the bytes of all of them, and what each record more took when many were measured. */
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

/* All partners together, as the curves have it: of one run, by the bare log. */
static double at_fan(const sup_platform *m, const sup_fan *f, int part, double bytes, double *half) {
    sup_prediction p = sup_curve_predict(f->time[part], bytes, m->confidence);
    *half = fmax(p.high - p.value, p.value - p.low);
    return p.value;
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

/* `messages` to one of `partners`, `before` bytes went to it already in this superstep: by the curves alone. */
static sup_moved bare_edge(const sup_platform *m, int part, double partners, double messages, double bytes,
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

/* The checks of one size and number of partners, of several runs. Sums, and sums of squares of the whole. */
typedef struct node {
    double weight, count, off[SUP_OFF_PARTS], squares;
} node;

static node node_of(const sup_copies *k, bool many, double partners, double bytes, double weight) {
    node r = {.weight = weight};
    for (size_t i = 0; i < k->check_count; i++) {
        const sup_copy_check *c = &k->check[i];
        if (c->many != many || c->partners != partners || c->bytes != bytes) continue;
        r.count++;
        for (int p = 0; p < SUP_OFF_PARTS; p++) r.off[p] += c->off[p];
        r.squares += c->off[SUP_OFF_WHOLE] * c->off[SUP_OFF_WHOLE];
    }
    return r;
}

/* Those checked at or below and at or above x; the nearest one twice where x is outside. at: which of a check. */
static void around(const sup_copies *k, bool many, const double *bytes, double x, double side[2]) {
    double least = INFINITY, most = -INFINITY;
    side[0] = -INFINITY;
    side[1] = INFINITY;
    for (size_t i = 0; i < k->check_count; i++) {
        const sup_copy_check *c = &k->check[i];
        if (c->many != many || (bytes && c->bytes != *bytes)) continue;
        double at = bytes ? c->partners : c->bytes;
        if (at <= x) side[0] = fmax(side[0], at);
        if (at >= x) side[1] = fmin(side[1], at);
        least = fmin(least, at);
        most = fmax(most, at);
    }
    if (isinf(side[0])) side[0] = least;
    if (isinf(side[1])) side[1] = most;
}

static double share_of(const double side[2], double x) {
    return side[1] > side[0] ? fmin(1, fmax(0, log(x / side[0]) / log(side[1] / side[0]))) : 0;
}

/* The four nodes around a superstep: sizes and partners on either side, in logarithms. */
static int nodes_around(const sup_copies *k, bool many, double partners, double bytes, node out[4]) {
    double sizes[2];
    int count = 0;
    around(k, many, NULL, bytes, sizes);
    double upper = share_of(sizes, bytes);
    for (int s = 0; s < 2; s++) {
        double fans[2], weight = s ? upper : 1 - upper;
        if (!(weight > 0)) continue;
        around(k, many, &sizes[s], partners, fans);
        double more = share_of(fans, partners);
        if (more < 1) out[count++] = node_of(k, many, fans[0], sizes[s], weight * (1 - more));
        if (more > 0) out[count++] = node_of(k, many, fans[1], sizes[s], weight * more);
    }
    return count;
}

/* What supersteps like this one were off by, as logarithms: on average, and the half width of one more of them. NaN:
 * too few were measured. */
static void checked(const sup_platform *m, double partners, double messages, double bytes, double off[SUP_OFF_PARTS],
                    double *half) {
    const sup_copies *k = &m->copies;
    node nodes[4];
    bool many = messages > 1 && k->check_many;
    double count = 0, weights = 0, squares = 0;
    for (int p = 0; p < SUP_OFF_PARTS; p++) off[p] = 0;
    *half = NAN;
    if (k->check_count < 3) return;
    int found = nodes_around(k, many, fmax(partners, 1), fmax(bytes, 1), nodes);
    for (int i = 0; i < found; i++) {
        const node *n = &nodes[i];
        for (int p = 0; p < SUP_OFF_PARTS; p++) off[p] += n->weight * n->off[p] / n->count;
        squares += n->weight * n->squares / n->count;
        weights += n->weight * n->weight / n->count;
    }
    count = 1 / weights; /* as many equal ones would weigh as much */
    double freedom = fmax(1, count - 1), mean = off[SUP_OFF_WHOLE];
    double variance = fmax(0, squares - mean * mean) * count / freedom;
    *half = sqrt(variance * (1 + 1 / count)) * sup_student_two_sided(m->confidence, freedom);
}

/* The curves are of one run and of bare logs; checks are of several, and of the runtime. */
sup_moved sup_copies_edge(const sup_platform *m, int part, double partners, double messages, double bytes,
                          double before) {
    sup_moved r = bare_edge(m, part, partners, messages, bytes, before);
    double off[SUP_OFF_PARTS], half, base = before > 0 || part != SUP_COPY_DELIVER ? 0 : m->copies.barrier / partners;
    checked(m, partners, messages, bytes / messages, off, &half);
    double times = exp(off[part == SUP_COPY_LOG ? SUP_OFF_CALLS : SUP_OFF_SYNC]);
    return (sup_moved){fmax(0, (r.value + base) * times - base), r.half * times};
}

/* Calls, sync and both of the superstep that a check measured, over what the curves alone say. */
static sup_copy_check held_against(const sup_platform *m, const sup_check *c) {
    double n = (double)c->messages, r = (double)c->records, b = (double)c->bytes * r, part[SUP_COPY_PARTS];
    for (int p = 0; p < SUP_COPY_PARTS; p++) part[p] = n * bare_edge(m, p, n, r, b, 0).value;
    part[SUP_COPY_DELIVER] += m->copies.barrier;
    double whole = log(c->time_s->value / (part[SUP_COPY_LOG] + part[SUP_COPY_DELIVER]));
    sup_copy_check k = {.many = r > 1, .partners = n, .bytes = (double)c->bytes, .off = {whole, whole, whole}};
    double calls = c->calls_s ? c->calls_s->value : NAN, sync = c->time_s->value - calls;
    if (calls > 0 && sync > 0 && part[SUP_COPY_LOG] > 0) {
        k.off[SUP_OFF_CALLS] = log(calls / part[SUP_COPY_LOG]);
        k.off[SUP_OFF_SYNC] = log(sync / part[SUP_COPY_DELIVER]);
    }
    return k;
}

static void take_checks(sup_platform *m) {
    sup_copies *k = &m->copies;
    size_t count = 0;
    bool many = false;
    for (size_t i = 0; i < m->profile->checks_count && k->fan_count && count < SUP_CHECKS_MAX; i++) {
        const sup_check *c = &m->profile->checks[i];
        if (c->algorithm || strcmp(c->transport, m->transport) != 0 || !c->time_s || !(c->time_s->value > 0)) continue;
        if (c->processes != k->processes || c->messages < 1 || c->bytes < 1) continue;
        k->check[count] = held_against(m, c);
        if (!isfinite(k->check[count].off[SUP_OFF_WHOLE])) continue;
        many |= k->check[count++].many;
    }
    k->check_count = count;
    k->check_many = many;
}

void sup_platform_copies(sup_platform *m) {
    m->copies = (sup_copies){0};
    if (strcmp(m->transport, "shm") != 0 && strcmp(m->transport, "self") != 0) return;
    take_fans(m);
    take_checks(m);
}

/* Where too little was checked: relative deviation that is assumed. */
#define UNCHECKED 0.12

double sup_copies_spread(const sup_platform *m, double partners, double messages, double bytes) {
    double off[SUP_OFF_PARTS], half;
    checked(m, partners, messages, bytes, off, &half);
    return isnan(half) ? UNCHECKED : half;
}
