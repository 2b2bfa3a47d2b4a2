/* The price of any superstep by measured exchanges: Tcomm of the model `flow`, for one process.
 *
 * An increment is what an exchange takes beyond a superstep that asks for nothing: its calls, and its sync less the
 * empty one. Increments are known at some numbers of partners and of processes that move bytes at once:
 *
 *     partners    1                       2       P − 1
 *     one way     one … couples … in      -       out (or in, at the other end)      processes at once: 1 … P − 1
 *     both ways   swap … shift            ring    all                                2 … P
 *
 * and lie between them elsewhere.
 *
 *     shared memory   each part is the work of one process: who calls; who receives or reads. Between partners it moves
 *                     the same bytes in all, what goes the other way is somebody else's work, and shapes that were not
 *                     measured for a move are priced by who works in them
 *     messages        both ends work: who has more of one way than of the other has the both-way price of the fewer,
 *                     and what the others cost more one way */
#include "model/equation/model.h"
#include "plan/defaults.h"

#include <math.h>

enum { BOTH_WAYS, OUTWARD, INWARD };

#define BETWEEN 0.15        /* half width, of the difference, half way between two measured exchanges */
#define BETWEEN_SIZES 0.06  /* half way between two sizes, of what their times differ by, relative … */
#define BETWEEN_MOST 0.15   /* … but not more */
#define LOG_TOGETHER 1024.0 /* bytes up to which messages in a log cost what their bytes cost in one */
#define FORM 0.04           /* what a superstep takes otherwise than the measured one, relative half width */
#define NO_POINTS 0.1       /* a curve without its points */
#define OTHER_MOVE 0.1      /* of a shape that was measured for another move, relative */
#define OTHER_PAIR 0.1      /* of pairs e times slower, relative */

static double all_of(sup_amount a) { return a.fixed + a.moving; }
static sup_amount scaled(sup_amount a, double f) { return (sup_amount){f * a.fixed, f * a.moving, fabs(f) * a.half}; }
static sup_amount plus(sup_amount a, sup_amount b, double f) {
    return (sup_amount){a.fixed + f * b.fixed, a.moving + f * b.moving, a.half + fabs(f) * b.half};
}
static sup_amount not_negative(sup_amount a) { return (sup_amount){fmax(0, a.fixed), fmax(0, a.moving), a.half}; }

/* ---- increments as measured ---- */

/* Where one more launch falls, relatively: by the intervals of the points around x, and by how much of what lies
 * between them is not known. */
static double uncertain_at(const sup_platform *m, const sup_file_curve *c, double x) {
    const sup_points *p = c->points;
    if (!p || !p->x_count || p->ci_count != p->x_count) return NO_POINTS;
    size_t i = 0;
    while (i + 1 < p->x_count && p->x[i + 1] <= x) i++;
    size_t j = i + 1 < p->x_count && x > p->x[i] ? i + 1 : i;
    double low = fmax(p->x[i], 1), high = fmax(p->x[j], 1), y = fmax(p->y[i], 1e-12), z = fmax(p->y[j], 1e-12);
    double share = high > low ? fmin(1, fmax(0, log(fmax(x, 1) / low) / log(high / low))) : 0;
    double ends = (1 - share) * p->ci[i] / y + share * p->ci[j] / z;
    double open = BETWEEN_SIZES * 4 * share * (1 - share) * fabs(z - y) / fmin(y, z);
    return m->widen * m->exchanges.scatter * ends + fmin(open, BETWEEN_MOST);
}

static sup_amount raw(const sup_platform *m, const sup_exchange_curves *c, int part, double bytes) {
    const sup_file_curve *f = c->part[part];
    double base = part == SUP_PART_SYNC ? m->exchanges.empty : 0, usual = 1, usual_none = 1;
    double rel = uncertain_at(m, f, bytes);
    if (m->typical) {
        usual = sup_file_curve_typical(f, bytes);
        usual_none = sup_file_curve_typical(f, 0);
    }
    double value = usual * sup_curve_at(f->curve, bytes), none = usual_none * sup_curve_at(f->curve, 0) - base;
    double all = fmax(0, value - base), fixed = fmin(all, fmax(0, none));
    if (bytes > c->top[part] && c->top[part] > 0) rel *= 1 + log2(bytes / c->top[part]); /* as curves do */
    double half = value * rel;
    if (part == SUP_PART_SYNC) { /* the empty one brings its own */
        double left = half * half - m->exchanges.d_empty * m->exchanges.d_empty;
        half = fmax(0.25 * half, sqrt(fmax(0, left)));
    }
    return (sup_amount){fixed, all - fixed, half};
}

static bool known(const sup_platform *m, int move, int shape) {
    return m->exchanges.one[move][shape].part[0] || m->exchanges.one[SUP_MOVE_PUT][shape].part[0];
}

static double both_parts(const sup_platform *m, int move, int shape, double bytes) {
    const sup_exchange_curves *c = &m->exchanges.one[move][shape];
    return all_of(raw(m, c, SUP_PART_CALLS, bytes)) + all_of(raw(m, c, SUP_PART_SYNC, bytes));
}

/* As many times longer than a shape that was measured for the move as it is for puts. */
static sup_amount like_puts(const sup_platform *m, int move, int shape, int like, int part, double bytes) {
    double puts = both_parts(m, SUP_MOVE_PUT, like, bytes);
    double times = puts > 0 ? both_parts(m, SUP_MOVE_PUT, shape, bytes) / puts : 1;
    return scaled(raw(m, &m->exchanges.one[move][like], part, bytes), times);
}

/* Of a shape: partners of a process that works in a part of it, and how many do. */
static double workers(const sup_platform *m, int move, int shape, int part, double *partners) {
    const sup_exchange *e = sup_exchange_at(shape);
    int64_t p = m->exchanges.processes, most = 0, count = 0;
    bool asks = part == SUP_PART_CALLS || sup_move_reads(move);
    for (int64_t i = 0; i < p; i++) {
        int64_t n = asks ? e->partners(p, i) : e->sources(p, i);
        count += n > 0;
        if (n > most) most = n;
    }
    *partners = (double)most;
    return (double)count;
}

static double record_more(const sup_platform *m, int move, int part, double records, double bytes);

/* Over shared memory: by the process that works in this part. It moves all its bytes itself, from or to one partner as
 * from or to many, and is held up by others that do the same at the same time: between one that works and all. */
static sup_amount by_worker(const sup_platform *m, int move, int shape, int part, double bytes) {
    const sup_exchange_curves *c = m->exchanges.one[move];
    double partners, n = workers(m, move, shape, part, &partners), p = (double)m->exchanges.processes;
    int alone = c[SUP_EXCHANGE_ONE].part[0] ? SUP_EXCHANGE_ONE : SUP_EXCHANGE_SHIFT;
    int all = c[SUP_EXCHANGE_SHIFT].part[0] ? SUP_EXCHANGE_SHIFT : SUP_EXCHANGE_ONE;
    if (!(partners > 0)) return (sup_amount){0};
    double crowd = p > 2 ? (n - 1) / (p - 1) : n > 1;
    sup_amount a = scaled(raw(m, &c[alone], part, partners * bytes), 1 - crowd);
    a = plus(a, raw(m, &c[all], part, partners * bytes), crowd);
    a.fixed += (partners - 1) * fmax(0, record_more(m, move, part, partners, bytes));
    return a;
}

/* A shape that was not measured for the move. */
static sup_amount of_move(const sup_platform *m, int move, int shape, int part, double bytes) {
    const sup_exchanges *k = &m->exchanges;
    if (k->one[move][shape].part[0]) return raw(m, &k->one[move][shape], part, bytes);
    bool one_way = shape == SUP_EXCHANGE_ONE || shape == SUP_EXCHANGE_COUPLES || shape == SUP_EXCHANGE_OUT ||
                   shape == SUP_EXCHANGE_IN || shape == SUP_EXCHANGE_ONE_FAR;
    int like = one_way && k->one[move][SUP_EXCHANGE_ONE].part[0] ? SUP_EXCHANGE_ONE : SUP_EXCHANGE_SHIFT;
    if (!k->one[move][like].part[0]) return raw(m, &k->one[SUP_MOVE_PUT][shape], part, bytes);
    /* what is sent, and little, lies in a log as what is put does; the rest is copied straight to its place */
    bool straight = sup_platform_shared_memory(m) && move != SUP_MOVE_SEND;
    if (straight && move == SUP_MOVE_HPPUT && bytes < SUP_DEFAULT_STRAIGHT_MIN)
        return raw(m, &k->one[SUP_MOVE_PUT][shape], part, bytes);
    sup_amount a = straight ? by_worker(m, move, shape, part, bytes) : like_puts(m, move, shape, like, part, bytes);
    a.half += OTHER_MOVE * all_of(a);
    return a;
}

/* ---- far pairs ---- */

static double quotient(double a, double b, double otherwise) { return b > 1e-12 ? a / b : otherwise; }

/* A class as it was measured. */
static sup_times measured_times(const sup_platform *m, int class, double bytes) {
    sup_class_cost c = m->classes[class];
    c.latency /= c.latency_f;
    c.overhead /= c.overhead_f;
    c.per_byte /= c.byte_f;
    c.latency_f = c.overhead_f = c.byte_f = 1;
    return sup_exchange_times(m, &c, bytes);
}

/* Increments that are both less than what an empty superstep is uncertain by are noise, and have no quotient. */
static double far_quotient(const sup_platform *m, int far, int near, int part, double bytes, double otherwise) {
    const sup_exchange_curves *c = m->exchanges.one[SUP_MOVE_PUT];
    double a = all_of(raw(m, &c[far], part, bytes)), b = all_of(raw(m, &c[near], part, bytes));
    double noise = part == SUP_PART_SYNC ? m->exchanges.d_empty : 0;
    return a < noise && b < noise ? 1 : quotient(a, b, otherwise);
}

/* How many times as long as the nearest pair the far one takes, while `crossing` processes of a host use it. */
static double far_times(const sup_platform *m, int part, double bytes, double crossing) {
    const sup_exchanges *k = &m->exchanges;
    double pair = measured_times(m, k->far, bytes).latency;
    double lone = far_quotient(m, SUP_EXCHANGE_ONE_FAR, SUP_EXCHANGE_ONE, part, bytes, pair);
    if (!(crossing > 1) || !(k->per_host > 1)) return lone;
    const double *share = &k->share[SUP_EXCHANGE_SHIFT * m->class_count];
    double near = 0;
    for (size_t i = 0; i < m->class_count; i++)
        if ((int)i != k->far && share[i] > 0) near += share[i] * measured_times(m, (int)i, bytes).latency;
    double times = far_quotient(m, SUP_EXCHANGE_SHIFT_FAR, SUP_EXCHANGE_SHIFT, part, bytes, 1);
    /* all = times · shift, and some of those that shift by one cross as well */
    double some = fmin(1, fmax(0, k->crossing[SUP_EXCHANGE_SHIFT] - 1) / (k->per_host - 1)), share_far = share[k->far];
    double left = 1 - share_far * some * times;
    double all = left > 0.1 ? times * (near + share_far * lone * (1 - some)) / left : times * (near + share_far * lone);
    return lone + fmin(1, (crossing - 1) / (k->per_host - 1)) * (all - lone);
}

/* Whose pairs decide: where one has to do with all, its own, or those of each of the others. */
static const double *share_of(const sup_platform *m, int move, int shape, int part) {
    bool shared = sup_platform_shared_memory(m), reads = sup_move_reads(move), others = false;
    if (shape == SUP_EXCHANGE_OUT) others = part == SUP_PART_SYNC && shared && !reads;
    if (shape == SUP_EXCHANGE_IN) others = part == SUP_PART_CALLS || (shared && reads);
    return &m->exchanges.share[(size_t)(others ? SUP_EXCHANGE_SHAPES : shape) * m->class_count];
}

/* How many times as long as 0 → 1 alone the pairs of an exchange take. */
static sup_times times_in(const sup_platform *m, int move, int shape, int part, double bytes) {
    const sup_exchanges *k = &m->exchanges;
    const double *share = share_of(m, move, shape, part);
    if (share[k->base] > 1 - 1e-9) return (sup_times){1, 1};
    sup_times t = {0};
    for (size_t i = 0; i < m->class_count; i++) {
        if (!(share[i] > 0)) continue;
        sup_times x = measured_times(m, (int)i, bytes);
        if ((int)i == k->far) x.latency = x.bytes = far_times(m, part, bytes, k->crossing[shape]);
        t.latency += share[i] * x.latency;
        t.bytes += share[i] * x.bytes;
    }
    return (sup_times){t.latency > 0 ? t.latency : 1, t.bytes > 0 ? t.bytes : 1};
}

/* As if all its pairs were like 0 → 1. */
static sup_amount increment(const sup_platform *m, int move, int shape, int part, double bytes) {
    sup_amount a = of_move(m, move, shape, part, bytes);
    sup_times t = times_in(m, move, shape, part, bytes);
    double before = all_of(a);
    a.fixed /= t.latency;
    a.moving /= t.bytes;
    if (before > 0) a.half *= all_of(a) / before;
    return a;
}

/* ---- between exchanges ---- */

typedef struct question {
    const sup_platform *m;
    int move, part;
    bool shared;
    bool apart;     /* the other end's work is in the other part */
    double at_once; /* processes of a host that do it */
} question;

typedef struct node {
    double at;
    int shape;
} node;

/* of_all: the same bytes in all, whatever the partners: what bytes cost changes with caches, which hold what a process
 * moves, not a message. */
static sup_amount between(const question *q, const node *list, int count, double x, double bytes, bool of_all) {
    int i = 0, used = 0;
    node n[4];
    for (int k = 0; k < count; k++)
        if (known(q->m, q->move, list[k].shape) && (!used || list[k].at > n[used - 1].at)) n[used++] = list[k];
    if (!used) return (sup_amount){0};
    while (i + 2 < used && n[i + 1].at < x) i++;
    sup_amount a = increment(q->m, q->move, n[i].shape, q->part, of_all ? bytes * x / n[i].at : bytes);
    if (used == 1 && of_all) a.fixed *= fmax(1, x / n[i].at); /* measured with so few only */
    if (used == 1 || x <= n[i].at) return a;
    if (x == n[i + 1].at) return increment(q->m, q->move, n[i + 1].shape, q->part, bytes);
    sup_amount b = increment(q->m, q->move, n[i + 1].shape, q->part, of_all ? bytes * x / n[i + 1].at : bytes);
    double w = (x - n[i].at) / (n[i + 1].at - n[i].at), apart = fabs(all_of(b) - all_of(a));
    sup_amount r = plus(scaled(a, 1 - w), b, w);
    if (of_all) {
        double by_log = fmin(1, log(x / n[i].at) / log(n[i + 1].at / n[i].at));
        r.moving = (1 - by_log) * a.moving + by_log * b.moving;
    }
    r = not_negative(r);
    if (w > 1 && all_of(r) < all_of(b)) r = b; /* more of it is not quicker */
    r.half = w > 1 ? b.half + 2 * BETWEEN * (w - 1) * apart
                   : (1 - w) * a.half + w * b.half + BETWEEN * 4 * w * (1 - w) * apart;
    return r;
}

/* One partner, while others are busy. */
static sup_amount to_one(const question *q, int way, double at_once, double bytes) {
    const sup_exchanges *k = &q->m->exchanges;
    double p = k->per_host;
    const node both[] = {{2, SUP_EXCHANGE_SWAP}, {fmax(p, 2), SUP_EXCHANGE_SHIFT}};
    const node apart[] = {{1, SUP_EXCHANGE_ONE},
                          {fmax(p / 2, 1), SUP_EXCHANGE_COUPLES},
                          {(double)k->processes > p ? p : p - 1, way == OUTWARD ? SUP_EXCHANGE_IN : SUP_EXCHANGE_OUT}};
    if (way == BOTH_WAYS)
        return between(q, k->processes > 2 ? both : both + 1, k->processes > 2 ? 2 : 1, at_once, bytes, false);
    return between(q, apart, q->apart ? 3 : 2, at_once, bytes, false);
}

/* Some partners, all of them of the same kind. */
static sup_amount to_some(const question *q, int way, double partners, double bytes) {
    double last = (double)q->m->exchanges.processes - 1, at_once = q->at_once;
    if (partners <= 1) return scaled(to_one(q, way, at_once, bytes), partners);
    const node both[] = {{1, SUP_EXCHANGE_SHIFT}, {2, SUP_EXCHANGE_RING}, {last, SUP_EXCHANGE_ALL}};
    const node apart[] = {{1, SUP_EXCHANGE_ONE}, {last, way == OUTWARD ? SUP_EXCHANGE_OUT : SUP_EXCHANGE_IN}};
    sup_amount a = way == BOTH_WAYS ? between(q, both, 3, partners, bytes, q->shared)
                                    : between(q, apart, 2, partners, bytes, q->shared);
    if (last < 2 && !q->shared) a = scaled(a, partners); /* measured with one only */
    double usual = way == BOTH_WAYS ? q->m->exchanges.per_host : 1;
    if (at_once == usual) return a;
    double here = all_of(to_one(q, way, at_once, bytes)), there = all_of(to_one(q, way, usual, bytes));
    double times = fmin(10, fmax(0.1, quotient(here, there, 1)));
    a.half += BETWEEN * fabs(times - 1) * all_of(a);
    return scaled(a, times);
}

/* own partners one way, other the other way. */
static sup_amount to_all(const question *q, int way, double own, double other, double bytes) {
    if (other <= 0) return to_some(q, way, own, bytes);
    if (q->shared) return to_some(q, BOTH_WAYS, own, bytes); /* the other way is somebody else's work */
    double both = fmin(own, other);
    sup_amount a = to_some(q, BOTH_WAYS, both, bytes);
    if (own <= both) return a;
    sup_amount more = to_some(q, way, own, bytes), less = to_some(q, way, both, bytes);
    sup_amount r = not_negative(plus(plus(a, more, 1), less, -1));
    r.half = a.half + fabs(more.half - less.half) + BETWEEN * fabs(all_of(more) - all_of(less));
    return r;
}

/* One message more to a partner that gets some: measured with many, less what their bytes take in one. */
static double record_more(const sup_platform *m, int move, int part, double records, double bytes) {
    const sup_exchanges *k = &m->exchanges;
    int of = k->many[move].part[0] && k->one[move][SUP_EXCHANGE_SHIFT].part[0] ? move : SUP_MOVE_PUT;
    if (!k->many[of].part[0] || !k->one[of][SUP_EXCHANGE_SHIFT].part[0]) return 0;
    const sup_curve *c = k->many[of].part[part]->curve;
    double b = fmin(bytes, c->segments[c->count - 1].x_hi), many = k->records[of];
    double more =
        all_of(raw(m, &k->many[of], part, b)) - all_of(raw(m, &k->one[of][SUP_EXCHANGE_SHIFT], part, many * b));
    more /= times_in(m, of, SUP_EXCHANGE_SHIFT, part, b).latency;
    if (more < 0 && records > many) return more / (records - 1); /* not quicker and quicker */
    return more / (many - 1);
}

/* ---- a process ---- */

static double times_of(double near, double far, double all, double far_one) {
    return all > 0 ? (near + far * far_one) / all : 1;
}

/* The classes of pairs of these partners, in place of those of the exchanges. */
static sup_amount of_classes(const sup_platform *m, int part, const sup_side *s, double bytes, double crossing,
                             sup_amount a) {
    double far = s->far_latency > 0 ? far_times(m, part, bytes, crossing) : 0;
    double latency = times_of(s->near_latency, s->far_latency, s->partners, far);
    double moving = times_of(s->near_bytes, s->far_bytes, s->bytes, far);
    double before = all_of(a);
    a.fixed *= latency;
    a.moving *= moving;
    if (before > 0 && all_of(a) > 0) {
        double f = all_of(a) / before;
        a.half = f * a.half + fmin(0.5, OTHER_PAIR * fabs(log(f))) * all_of(a);
    }
    return a;
}

/* Small unbuffered ones go through the log like others. */
static int move_of(const sup_asked *x, const sup_side *s) {
    bool several = s->messages > s->partners, small = s->bytes < SUP_DEFAULT_STRAIGHT_MIN * s->messages;
    return x->shared && x->move == SUP_MOVE_HPPUT && several && small ? SUP_MOVE_PUT : x->move;
}

/* Messages to one partner of so many bytes are moved as one of all their bytes: they lie in one log, or packet. */
static bool together(const sup_asked *x, double bytes) {
    if (x->shared) return bytes <= LOG_TOGETHER;
    return bytes < (x->move == SUP_MOVE_HPPUT ? SUP_DEFAULT_UNBUFFERED_MIN : SUP_DEFAULT_PIECE_MIN);
}

/* All messages, as many to each partner. */
static sup_amount of_messages(const question *q, const sup_asked *x, int way, const sup_side *own, double other) {
    double records = own->messages / own->partners, b = own->bytes / own->messages;
    double more = own->messages - own->partners;
    if (!(more > 0)) return to_all(q, way, own->partners, other, b);
    sup_amount a = to_all(q, way, own->partners, other, together(x, b) ? records * b : b);
    if (!together(x, b)) {
        a.moving *= records;
        a.half *= records;
    }
    a.fixed = fmax(0, a.fixed + more * record_more(q->m, q->move, q->part, records, b));
    return a;
}

static sup_amount price(const sup_platform *m, const sup_asked *x, int part, int way, const sup_side *own, double other,
                        double at_once) {
    if (!(own->partners > 0)) return (sup_amount){0};
    double each = own->bytes / own->partners;
    bool apart = part == SUP_PART_CALLS || x->shared;
    question q = {m, move_of(x, own), part, x->shared, apart, at_once};
    sup_amount a = of_messages(&q, x, way, own, other);
    if (own->largest > 1.5 * each) { /* one of them is much larger: at least that one alone */
        sup_amount alone = to_one(&q, way, at_once, own->largest);
        if (all_of(alone) > all_of(a)) a = alone;
    }
    a = of_classes(m, part, own, each, x->crossing, a);
    a.half += (m->exchanges.spread + FORM) * all_of(a);
    return a;
}

/* Over shared memory the receiver does what is left for the sync, or the reader; over messages both ends do. */
void sup_exchange_price(const sup_platform *m, const sup_asked *x, sup_amount out[SUP_PARTS]) {
    out[SUP_PART_CALLS] = price(m, x, SUP_PART_CALLS, OUTWARD, &x->out, x->in.partners, x->askers);
    if (x->shared) {
        bool reads = sup_move_reads(x->move);
        out[SUP_PART_SYNC] = reads ? price(m, x, SUP_PART_SYNC, OUTWARD, &x->out, x->in.partners, x->askers)
                                   : price(m, x, SUP_PART_SYNC, INWARD, &x->in, x->out.partners, x->asked);
        return;
    }
    double at_once = fmin(x->askers, x->asked);
    bool more_out =
        x->out.partners > x->in.partners || (x->out.partners == x->in.partners && x->out.bytes >= x->in.bytes);
    const sup_side *own = more_out ? &x->out : &x->in, *other = more_out ? &x->in : &x->out;
    out[SUP_PART_SYNC] = price(m, x, SUP_PART_SYNC, more_out ? OUTWARD : INWARD, own, other->partners, at_once);
    if (!(other->bytes > 1.5 * own->bytes)) return; /* fewer partners, but more bytes: at least those */
    sup_amount alone = price(m, x, SUP_PART_SYNC, more_out ? INWARD : OUTWARD, other, 0, at_once);
    if (all_of(alone) > all_of(out[SUP_PART_SYNC])) out[SUP_PART_SYNC] = alone;
}
