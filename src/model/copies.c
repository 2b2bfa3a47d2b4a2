/* Tcomm over shared memory: what the two parts of a superstep take that moves bytes through the logs of our runtime, as
 * the profile has them measured (measure/copy.h), and how far that has been from supersteps that were measured whole.
 *
 *     calls     log(n, b)                 n partners, b bytes for each
 *     sync      deliver(n, b) − barrier   so that calls + sync of a superstep like the measured ones are what was
 *                                         measured, whatever the barrier is priced with
 *
 * Supersteps of the runtime that were measured whole at other sizes (calibration) come before the curves: what was
 * measured at sizes and partners around, on average, and the curves beyond.
 * How far runs are from each other, and sizes from what their neighbours say, is the interval. Between the numbers of
 * partners that were measured both are straight lines, beyond them too. More than one message to a partner: the bytes
 * of all of them, and what each record more took when many were measured. */
#include "model/model.h"
#include "plan/defaults.h"

#include "base/stats.h"
#include "base/student.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
    double alone = sup_barrier_measured(m, &sup_generator_dissemination, processes);
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

/* All partners together, as the curves have it. */
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
    double all = k->many * b + (k->many - 1) * SUP_WIRE_PUT_HEAD;
    return fmax(0, sup_curve_at(c, b) - sup_curve_at(k->fan[0].time[part], all)) / (k->many - 1);
}

/* `messages` of `bytes` together to one of `partners`: by the curves alone. */
static sup_moved bare_edge(const sup_platform *m, int part, double partners, double messages, double bytes) {
    double d, more = record_more(m, part, bytes / messages);
    double t = sup_copies_time(m, part, partners, bytes + SUP_WIRE_PUT_HEAD * (messages - 1), &d);
    return (sup_moved){t / partners + (messages - 1) * more, d / partners};
}

/* ---- how good that is ---- */

/* Calibration runs lie at nodes: sizes, numbers of partners, one or many messages to each. Sorted so, those of a node
 * are together. */
static int by_node(const void *x, const void *y) {
    const sup_copy_calibration *a = x, *b = y;
    if (a->many != b->many) return a->many ? 1 : -1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return a->partners < b->partners ? -1 : a->partners > b->partners;
}

static double whole(const sup_copy_calibration *c) { return c->part[SUP_COPY_LOG] + c->part[SUP_COPY_DELIVER]; }

static int by_node_and_time(const void *x, const void *y) {
    double a = whole(x), b = whole(y);
    int order = by_node(x, y);
    return order ? order : a < b ? -1 : a > b;
}

/* A run that took so many times the middle one was not left alone: somebody else had the core. */
#define DISTURBED 3.0

/* Averages over the runs of each node, in place, and their scatter. Returns how many nodes there are. */
static size_t average(sup_copy_calibration *c, size_t count) {
    size_t nodes = 0;
    for (size_t i = 0, end; i < count; i = end) {
        sup_copy_calibration n = c[i];
        double sum = 0, squares = 0, within = 0; /* within: deviations of launches from their entry */
        for (end = i + 1; end < count && by_node(&c[end], &n) == 0; end++) continue;
        double most = DISTURBED * whole(&c[i + (end - i - 1) / 2]);
        n.runs = n.part[SUP_COPY_LOG] = n.part[SUP_COPY_DELIVER] = 0;
        for (size_t k = i; k < end && whole(&c[k]) <= most; k++) {
            double x = log(whole(&c[k])), runs = c[k].runs;
            for (int p = 0; p < SUP_COPY_PARTS; p++) n.part[p] += runs * c[k].part[p];
            sum += runs * x;
            squares += runs * x * x;
            within += (runs - 1) * c[k].variance;
            n.runs += runs;
        }
        for (int p = 0; p < SUP_COPY_PARTS; p++) n.part[p] /= n.runs;
        n.variance = n.runs > 1 ? (fmax(0, squares - sum * sum / n.runs) + within) / (n.runs - 1) : 0;
        c[nodes++] = n;
    }
    return nodes;
}

typedef struct corner {
    const sup_copy_calibration *node;
    double weight;
} corner;

/* The nodes on both sides of a size (bytes NULL) or, of one size, of a number of partners; without `except`. The
 * nearest one twice where x is outside. */
static void sides(const sup_copies *k, bool many, const double *bytes, const sup_copy_calibration *except, double x,
                  double side[2]) {
    double least = INFINITY, most = -INFINITY;
    side[0] = -INFINITY;
    side[1] = INFINITY;
    for (size_t i = 0; i < k->calibrated_count; i++) {
        const sup_copy_calibration *c = &k->calibrated[i];
        if (c->many != many || (bytes && c->bytes != *bytes) || (except && c->bytes == except->bytes)) continue;
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
    return side[1] > side[0] ? fmin(1, fmax(0, (x - side[0]) / (side[1] - side[0]))) : 0;
}

static const sup_copy_calibration *node_at(const sup_copies *k, bool many, double partners, double bytes) {
    for (size_t i = 0; i < k->calibrated_count; i++) {
        const sup_copy_calibration *c = &k->calibrated[i];
        if (c->many == many && c->partners == partners && c->bytes == bytes) return c;
    }
    return NULL;
}

/* The nodes around a superstep, up to four, with weights that add up to 1; none of the size of `except`. */
static int corners(const sup_copies *k, bool many, double partners, double bytes, const sup_copy_calibration *except,
                   corner out[4]) {
    double sizes[2];
    int count = 0;
    sides(k, many, NULL, except, bytes, sizes);
    double upper = share_of(sizes, bytes);
    for (int s = 0; s < 2; s++) {
        double fans[2], weight = s ? upper : 1 - upper;
        if (!(weight > 0) || isinf(sizes[s])) continue;
        sides(k, many, &sizes[s], NULL, partners, fans);
        double more = share_of(fans, partners);
        if (more < 1) out[count++] = (corner){node_at(k, many, fans[0], sizes[s]), weight * (1 - more)};
        if (more > 0) out[count++] = (corner){node_at(k, many, fans[1], sizes[s]), weight * more};
    }
    return count;
}

/* All partners together, by the curves alone; the sync with its barrier. */
static double bare(const sup_platform *m, int part, double partners, double messages, double bytes) {
    double t = partners * bare_edge(m, part, partners, messages, messages * bytes).value;
    return part == SUP_COPY_DELIVER ? t + m->copies.barrier : t;
}

/* What the nodes say of a superstep. One outside of what calibration covers (larger, to more, more messages) takes as
 * many times longer than the nearest inside as the curves say. */
static double inside(const sup_platform *m, const corner *c, int count, int part, double partners, double messages,
                     double bytes) {
    double sum = 0;
    bool sizes = c[0].node->bytes != c[count - 1].node->bytes; /* on both sides */
    for (int i = 0; i < count; i++) {
        const sup_copy_calibration *n = c[i].node;
        bool fans = false;
        for (int k = 0; k < count; k++) fans |= c[k].node->bytes == n->bytes && c[k].node->partners != n->partners;
        double there = bare(m, part, fans ? partners : n->partners, n->puts / n->partners, sizes ? bytes : n->bytes);
        double times = there > 0 ? bare(m, part, partners, messages, bytes) / there : 1;
        sum += c[i].weight * n->part[part] * times;
    }
    return sum;
}

/* How far off a node is if the sizes on either side of it have to do: what lies between nodes is half as far away. */
static void leave_out(const sup_platform *m, sup_copy_calibration *n) {
    corner c[4];
    int count = corners(&m->copies, n->many, n->partners, n->bytes, n, c);
    double sum = 0;
    n->between = 0;
    if (!count || n->bytes < c[0].node->bytes || n->bytes > c[count - 1].node->bytes) return;
    for (int p = 0; p < SUP_COPY_PARTS; p++)
        sum += inside(m, c, count, p, n->partners, n->puts / n->partners, n->bytes);
    double off = 0.5 * log(sum / whole(n));
    n->between = isfinite(off) ? off * off : 0;
}

/* Five runs that happen to be alike, or neighbours that happen to lie on a line, do not make a node much more certain
 * than most are: what is less than the median of all nodes is raised half the way. */
static void level(sup_copies *k, size_t member) {
    double sorted[SUP_CALIBRATIONS_MAX];
    for (size_t i = 0; i < k->calibrated_count; i++)
        memcpy(&sorted[i], (char *)&k->calibrated[i] + member, sizeof *sorted);
    sup_stats_sort(sorted, k->calibrated_count);
    double middle = sorted[k->calibrated_count / 2];
    for (size_t i = 0; i < k->calibrated_count; i++) {
        double *x = (double *)(void *)((char *)&k->calibrated[i] + member);
        if (*x < middle) *x = 0.5 * (*x + middle);
    }
}

/* One more superstep like this falls so far away, relatively. NaN: too few were measured. */
static double half_of(const sup_platform *m, const corner *c, int count) {
    double variance = 0, between = 0, weights = 0, freedom = 0;
    for (int i = 0; i < count; i++) {
        const sup_copy_calibration *n = c[i].node;
        assert(n);
        variance += c[i].weight * n->variance;
        between += c[i].weight * n->between;
        weights += c[i].weight * c[i].weight / n->runs;
        freedom += n->runs - 1;
    }
    if (freedom < 2) return NAN;
    return sqrt(variance * (1 + weights) + between) * sup_student_two_sided(m->confidence, freedom);
}

static int corners_of(const sup_platform *m, double partners, double messages, double bytes, corner out[4]) {
    const sup_copies *k = &m->copies;
    return k->calibrated_count ? corners(k, messages > 1 && k->calibrated_many, partners, bytes, NULL, out) : 0;
}

/* Curves hold what they are made of; calibration holds what lies between their points, and says how far off that is. */
sup_moved sup_copies_edge(const sup_platform *m, int part, double partners, double messages, double bytes) {
    sup_moved r = bare_edge(m, part, partners, messages, bytes);
    corner c[4];
    int count = corners_of(m, partners, messages, bytes / messages, c);
    if (!count) return r;
    double all = inside(m, c, count, part, partners, messages, bytes / messages);
    if (part == SUP_COPY_DELIVER) all -= m->copies.barrier;
    return (sup_moved){fmax(0, all) / partners, r.half};
}

/* Calls and sync of a superstep that was measured; apart as the curves say, if it was not measured apart. */
static sup_copy_calibration node_of(const sup_platform *m, const sup_calibration *c) {
    double n = (double)c->messages, r = (double)c->records, b = (double)c->bytes;
    sup_copy_calibration k = {.many = r > 1, .partners = n, .bytes = b, .puts = n * r, .runs = 1};
    if (c->time_s->launches > 1) { /* earlier versions: an entry a launch */
        k.runs = (double)c->time_s->launches;
        k.variance = sup_number_scatter(c->time_s) * sup_number_scatter(c->time_s);
    }
    double calls = bare(m, SUP_COPY_LOG, n, r, b), sync = bare(m, SUP_COPY_DELIVER, n, r, b);
    calls = c->calls_s ? fmin(c->calls_s->value, c->time_s->value) : c->time_s->value * calls / (calls + sync);
    k.part[SUP_COPY_LOG] = calls;
    k.part[SUP_COPY_DELIVER] = c->time_s->value - calls;
    return k;
}

static void take_calibration(sup_platform *m) {
    sup_copies *k = &m->copies;
    size_t count = 0;
    double runs = 0;
    for (size_t i = 0; i < m->profile->calibration_count && k->fan_count && count < SUP_CALIBRATIONS_MAX; i++) {
        const sup_calibration *c = &m->profile->calibration[i];
        if (c->algorithm || strcmp(c->transport, m->transport) != 0 || !c->time_s || !(c->time_s->value > 0)) continue;
        if (c->processes != k->processes || c->messages < 1 || c->bytes < 1) continue;
        k->calibrated[count] = node_of(m, c);
        runs += k->calibrated[count++].runs;
    }
    if (runs < 3) return; /* too few to say anything */
    qsort(k->calibrated, count, sizeof *k->calibrated, by_node_and_time);
    k->calibrated_count = average(k->calibrated, count);
    k->calibrated_many = k->calibrated[k->calibrated_count - 1].many;
    if (k->calibrated[0].many) k->calibrated_count = 0; /* nothing about the commonest */
    for (size_t i = 0; i < k->calibrated_count; i++) leave_out(m, &k->calibrated[i]);
    if (!k->calibrated_count) return;
    level(k, offsetof(sup_copy_calibration, variance));
    level(k, offsetof(sup_copy_calibration, between));
}

void sup_platform_copies(sup_platform *m) {
    m->copies = (sup_copies){0};
    if (!sup_platform_shared_memory(m)) return;
    take_fans(m);
    take_calibration(m);
}

/* Where too few calibration runs are there: relative deviation that is assumed. */
#define UNCALIBRATED 0.12

double sup_copies_spread(const sup_platform *m, double partners, double messages, double bytes) {
    corner c[4];
    double half = half_of(m, c, corners_of(m, partners, messages, bytes, c));
    return isnan(half) ? UNCALIBRATED : half;
}
