/* What τ-Lop expressions cost: the equations of TAU one by one, tables of profiles, the evaluators against each other
 * and against a simulation that is as simple as it is slow. */
#include "../sanitized.h"
#include "taulop_price.h"

#define S 8192.0

static const made_channel shared = {.y = 4e-7, .b = 1.3e-10, .e = 0.6, .transfers = 2};
static double L(double m, double tau) { return 4e-7 + m * 1.3e-10 * pow(tau, 0.6); }

/* ---- TAU ---- */

static void transmission(void **state) {
    (void)state;
    sup_taulop_channel c[1] = {made(0, &shared)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    BOTH(&costs, 2 * L(5000, 1), "T0(5000)"); /* (11) */
    BOTH(&costs, 2 * L(5e6, 1), "T0(5000000)");
    c->segment_bytes = S;
    BOTH(&costs, 2 * L(5000, 1), "T0(5000)");
    for (int k = 1; k < 40; k++) { /* (10), and (12): A of them */
        BOTH(&costs, 2 * L(S, 1) + (k - 1) * L(S, 2), "T0(%g)", k * S);
        BOTH(&costs, 2 * L(S, 6) + (k - 1) * L(S, 12), "6 || T0(%g)", k * S);
        BOTH(&costs, 2 * L(S, 6) + (k - 1) * L(S, 12), "T0(%g, 6)", k * S);
        BOTH(&costs, 2 * L(S, 6) + (k - 1) * L(S, 12), "T0(%g,2) || T0(%g) || 3 || T0(%g)", k * S, k * S, k * S);
    }
    BOTH(&costs, 2 * L(2.5 * S / 3, 1) + 2 * L(2.5 * S / 3, 2), "T0(%g)", 2.5 * S); /* (9): k segments of m/k */
    made_channel one = shared, three = shared;
    one.transfers = 1; /* a single copy is not cut */
    three.transfers = 3;
    c->context = &one;
    BOTH(&costs, L(5e6, 1), "T0(5000000)");
    c->context = &three;
    BOTH(&costs, 3 * L(S, 1), "T0(%g)", S);
    BOTH(&costs, 2 * L(S, 1) + 2 * L(S, 2), "T0(%g)", 2 * S);
    BOTH(&costs, 2 * L(S, 1) + 2 * L(S, 2) + 3 * L(S, 3), "T0(%g)", 5 * S);
}

static void overheads(void **state) {
    (void)state;
    made_channel with = shared;
    with.o = 2e-6;
    with.o_rendezvous = 5e-6;
    sup_taulop_channel c[1] = {made(0, &with)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    c->threshold_bytes = 4096;
    BOTH(&costs, 2e-6 + 2 * L(4095, 1), "T0(4095)");
    BOTH(&costs, 7e-6 + 2 * L(4096, 1), "T0(4K)");
    BOTH(&costs, 2e-6 + 2 * L(0, 1), "T0(0)");
    BOTH(&costs, 7e-6 + 2 * L(4096, 3), "3 || T0(4K)");
}

/* Collectives, segmented (S) and not: (13)–(18), (21). */
static void collectives(void **state) {
    (void)state;
    sup_taulop_channel c[1] = {made(0, &shared)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    double m = 6000, bin = 0, cut = 0, scatter = 0, rda = 0;
    int k = 5;
    for (int i = 0; i < 4; i++) {
        bin += 2 * L(m, 1 << i);                          /* (15) */
        cut += 2 * L(S, 1 << i) + (k - 1) * L(S, 2 << i); /* (14) */
        scatter += 2 * L(m / (2 << i), 1 << i);           /* (16), (11) */
        rda += 2 * k * (1 << i) * L(S, 16);               /* (17), (18) */
    }
    BOTH(&costs, bin, "T0(%g) + 2||T0(%g) + 4||T0(%g) + 8||T0(%g)", m, m, m, m);
    BOTH(&costs, scatter, "T0(%g) + 2||T0(%g) + 4||T0(%g) + 8||T0(%g)", m / 2, m / 4, m / 8, m / 16);
    BOTH(&costs, rda, "16||(%d*L0(8K,1)) + 16||(%d*L0(8K,1)) + 16||(%d*L0(8K,1)) + 16||(%d*L0(8K,1))", 2 * k, 4 * k,
         8 * k, 16 * k);
    BOTH(&costs, 2 * L(m, 16), "16 || 2 L(%g,1)", m);                              /* unsegmented sendrecv */
    BOTH(&costs, 2.0 * k * 15 * L(S, 16), "15 * (16 || (%d * L0(8K, 1)))", 2 * k); /* (21) */
    BOTH(&costs, k * L(S, 2 * 16), "16 || %d L(8K, 2)", k);                        /* (22) */
    c->segment_bytes = S;
    BOTH(&costs, cut, "T(%g) + 2||T(%g) + 4||T(%g) + 8||T(%g)", k * S, k * S, k * S, k * S);
}

/* Fig. 14: P = 8, k = 4, transfers of each stage of the pipeline: head, body, tail. */
static void shared_broadcast(void **state) {
    (void)state;
    sup_taulop_channel c[1] = {made(0, &shared)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    double odd = L(S, 4), even = L(S, 7);
    BOTH(&costs, even, "L(8K,2) || L(8K,4) || L(8K,1)");
    BOTH(&costs, L(S, 1) + L(S, 2) + 3 * (odd + even) + L(S, 3) + L(S, 5),
         "L(8K,1) + L(8K,2)"
         " + 3 * ((L(8K,1) || L(8K,2) || L(8K,1)) + (L(8K,2) || L(8K,4) || L(8K,1)))"
         " + (L(8K,2) || L(8K,1)) + (L(8K,4) || L(8K,1))");
}

/* L at powers of two, each between the one before it and twice that. */
typedef struct steps {
    double at[24];
} steps;
static double steps_transfer(const sup_taulop_channel *c, double bytes, double tau) {
    const steps *s = c->context;
    (void)bytes;
    return s->at[(int)lround(log2(tau))];
}

/* Scatter and recursive doubling of P·k·S bytes, transmissions by (22) or by (10). */
static void scatter_and_rda(sup_exprs *x, int stages, double k, bool by_22, const sup_expr **scatter,
                            const sup_expr **rda) {
    const sup_expr *a[24], *b[24];
    double P = ldexp(1, stages);
    for (int i = 0; i < stages; i++) {
        double segments = ldexp(P, -i - 1) * k;
        const sup_expr *both[2] = {sup_expr_times(x, 2, sup_expr_transfer(x, 0, S, 1)),
                                   segments > 1 ? sup_expr_times(x, segments - 1, sup_expr_transfer(x, 0, S, 2))
                                                : sup_expr_sequence(x, NULL, 0)};
        const sup_expr *t =
            by_22 ? sup_expr_times(x, segments, sup_expr_transfer(x, 0, S, 2)) : sup_expr_sequence(x, both, 2);
        a[i] = sup_expr_many(x, ldexp(1, i), t);
        b[i] = sup_expr_many(x, P, sup_expr_times(x, ldexp(2, i) * k, sup_expr_transfer(x, 0, S, 1)));
    }
    *scatter = sup_expr_sequence(x, a, (size_t)stages);
    *rda = sup_expr_sequence(x, b, (size_t)stages);
}

static void rda_is_twice_scatter(void **state) {
    (void)state;
    sup_random r = {.state = 3};
    int fails = 0;
    for (int round = 0; round < 300; round++) {
        sup_exprs *x = sup_exprs_new();
        steps table = {{random_share(&r) + 1e-3}};
        double how = random_share(&r);
        for (int i = 1; i < 24; i++)
            table.at[i] = table.at[i - 1] * (1 + (round % 3 == 0 ? 0 : round % 3 == 1 ? 1 : how * random_share(&r)));
        sup_taulop_channel c[1] = {
            {.number = 0, .segment_bytes = S, .threshold_bytes = -1, .transfer = steps_transfer, .context = &table}};
        sup_taulop_costs costs = {.channels = c, .channels_count = 1};
        int stages = 1 + (int)sup_random_below(&r, 20);
        double k = (double)(1 + sup_random_below(&r, 9)), P = ldexp(1, stages), sum = 0;
        const sup_expr *scatter, *rda;
        scatter_and_rda(x, stages, k, true, &scatter, &rda);
        for (int i = 0; i < stages; i++) sum += ldexp(P, -i - 1) * k * table.at[i + 1];
        const sup_evaluator *by = round % 2 ? &sup_evaluator_paper : &sup_evaluator_fluid;
        double a = cost_of(&costs, by, scatter), b = cost_of(&costs, by, rda);
        assert_near(a, sum);                                /* (23) */
        assert_near(b, 2 * k * (P - 1) * table.at[stages]); /* (24) */
        assert_true(b >= 2 * a * (1 - 1e-12));
        scatter_and_rda(x, stages, k, false, &scatter, &rda);
        fails += cost_of(&costs, by, rda) < 2 * cost_of(&costs, by, scatter) * (1 - 1e-12);
        sup_exprs_free(x);
    }
    assert_true(fails > 0);
    /* P = 2, one segment, no contention: both take 2L(S,1) with (10). */
    sup_exprs *x = sup_exprs_new();
    const steps flat = {{1, 1}};
    sup_taulop_channel c[1] = {
        {.number = 0, .segment_bytes = S, .threshold_bytes = -1, .transfer = steps_transfer, .context = &flat}};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    const sup_expr *scatter, *rda;
    scatter_and_rda(x, 1, 1, false, &scatter, &rda);
    assert_near(cost_of(&costs, &sup_evaluator_paper, scatter), 2);
    assert_near(cost_of(&costs, &sup_evaluator_paper, rda), 2);
    sup_exprs_free(x);
}

/* ---- fluid ---- */

static void remainders(void **state) {
    (void)state;
    const made_channel c0 = {.o = 1e-6, .b = 1e-9, .e = 1, .transfers = 1}, c1 = {.b = 2e-9, .transfers = 1};
    sup_taulop_channel c[2] = {made(0, &c0), made(1, &c1)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 2};
    const sup_evaluator *f = &sup_evaluator_fluid;
    assert_near(price(&costs, f, "T0(1000) || T0(3000)"), 1e-6 + 4e-6);
    assert_near(price(&costs, &sup_evaluator_paper, "T0(1000) || T0(3000)"), 2e-6 + 4e-6); /* o of what is left */
    assert_near(price(&costs, f, "T0(1000) || T1(1000)"), 2e-6);
    assert_near(price(&costs, f, "(T0(1000) + T1(1000)) || T1(5000)"), 10e-6); /* c1 is not slowed down by others */
    assert_near(price(&costs, f, "(T1(1000) + T0(1000)) || T0(4000)"), 6e-6);
    assert_near(price(&costs, f, "(W(3us) + T0(1000)) || T1(1000)"), 5e-6);
    assert_near(price(&costs, f, "3*T0(1000) || W(1us)"), 6e-6);
    assert_near(price(&costs, f, "1000000000 * T0(1000) || T1(1)"), 2e3);
    assert_near(price(&costs, f, "1000000000 * (T0(1000) + T1(1000)) || T1(1)"), 4e3);
    assert_near(price(&costs, f, "20000000 || T0(1000)"), 1e-6 + 20);
    assert_near(price(&costs, f, "(20000000 || T0(1000)) || T1(1)"), 1e-6 + 20);
    assert_near(price(&costs, f, "0 + (0) || (0)"), 0);
    assert_near(price(&costs, &sup_evaluator_paper, "0 + (0) || (0)"), 0);
}

/* Repetitions that run beside one another without end are refused, not followed for hours. */
static void endless(void **state) {
    (void)state;
    const made_channel c0 = {.o = 1e-6, .b = 1e-9, .e = 1, .transfers = 1};
    sup_taulop_channel c[2] = {made(0, &c0), made(1, &c0)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 2};
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e;
    sup_diag diag = {0};
    double seconds;
    assert_int_equal(sup_expr_read(x, "1e12*(T0(1)+T1(1)) || 1e12*(T1(2)+T0(2))", &diag, &e), SUP_OK);
    for (int k = SANITIZED; k < 2; k++) {
        assert_int_equal(sup_taulop_cost(&costs, sup_evaluators[k], e, &diag, &seconds), SUP_EINVAL);
        assert_non_null(strstr(diag.text, "too many repetitions beside one another"));
    }
    sup_exprs_free(x);
}

enum { SEQUENCES = 12, LENGTH = 6 };

/* Where each sequence is: which leaf, at its overhead or moving, what is left of it (seconds, or a share). */
typedef struct place {
    size_t at;
    bool moves;
    double left;
} place;

static double duration(const sup_taulop_costs *costs, const sup_expr *e, double tau) {
    const sup_taulop_channel *c = sup_taulop_channel_of(costs, e->channel);
    return e->kind == SUP_EXPR_SEND ? sup_taulop_moving(c, e->bytes, tau) : c->transfer(c, e->bytes, tau);
}

/* Everybody's rate anew at every event. */
static double simulated(const sup_taulop_costs *costs, const sup_expr *leaf[SEQUENCES][LENGTH], size_t sequences) {
    place p[SEQUENCES];
    double now = 0;
    for (size_t i = 0; i < sequences; i++) p[i] = (place){.left = -1};
    for (;;) {
        double rate[SEQUENCES], soonest = INFINITY;
        for (size_t i = 0; i < sequences; i++) {
            while (p[i].at < LENGTH && p[i].left <= 1e-13) { /* begins, or goes on to what follows */
                const sup_expr *e = leaf[i][p[i].at];
                bool begins = p[i].left < -0.5;
                if (!begins && !p[i].moves && e->kind == SUP_EXPR_SEND) {
                    p[i] = (place){p[i].at, true, 1};
                    continue;
                }
                if (!begins) {
                    p[i] = (place){p[i].at + 1, false, -1};
                    continue;
                }
                p[i].moves = e->kind == SUP_EXPR_TRANSFER;
                p[i].left = e->kind == SUP_EXPR_SEND   ? sup_taulop_overhead(&costs->channels[e->channel], e->bytes)
                            : e->kind == SUP_EXPR_WAIT ? e->seconds
                                                       : 1;
            }
        }
        for (size_t i = 0; i < sequences; i++) {
            if (p[i].at == LENGTH) continue;
            const sup_expr *e = leaf[i][p[i].at];
            double tau = 0;
            for (size_t k = 0; k < sequences; k++)
                if (p[k].at < LENGTH && p[k].moves && leaf[k][p[k].at]->channel == e->channel)
                    tau += leaf[k][p[k].at]->tau;
            rate[i] = p[i].moves ? 1 / duration(costs, e, tau) : 1;
            soonest = fmin(soonest, p[i].left / rate[i]);
        }
        if (soonest == INFINITY) return now;
        now += soonest;
        for (size_t i = 0; i < sequences; i++)
            if (p[i].at < LENGTH) {
                p[i].left -= soonest * rate[i];
                if (fabs(p[i].left) < 1e-11 * (p[i].moves ? 1 : 1e-6)) p[i].left = 0;
            }
    }
}

static void as_simulated(void **state) {
    (void)state;
    const made_channel kinds[3] = {{.o = 1e-6, .y = 1e-7, .b = 1e-9, .e = 0.7, .transfers = 2},
                                   {.o = 3e-6, .y = 2e-6, .b = 3e-9, .e = 1, .transfers = 1},
                                   {.o = 0, .y = 0, .b = 1e-9, .e = 0, .transfers = 1}};
    sup_taulop_channel c[3] = {made(0, &kinds[0]), made(1, &kinds[1]), made(2, &kinds[2])};
    c[0].segment_bytes = 4096;
    sup_taulop_costs costs = {.channels = c, .channels_count = 3};
    sup_random r = {.state = 5};
    for (int round = 0; round < 400; round++) {
        sup_exprs *x = sup_exprs_new();
        const sup_expr *leaf[SEQUENCES][LENGTH], *parts[SEQUENCES];
        size_t sequences = 2 + sup_random_below(&r, SEQUENCES - 1);
        for (size_t i = 0; i < sequences; i++) {
            for (size_t k = 0; k < LENGTH; k++) {
                double bytes = round % 4 ? ldexp(100, (int)sup_random_below(&r, 12)) : 1e6 * random_share(&r);
                double tau = (double)(1 + sup_random_below(&r, 3));
                int channel = (int)sup_random_below(&r, 3);
                uint64_t kind = sup_random_below(&r, 6);
                leaf[i][k] = kind == 0   ? sup_expr_wait(x, 1e-5 * random_share(&r))
                             : kind == 1 ? sup_expr_transfer(x, channel, bytes, tau)
                                         : sup_expr_send(x, channel, bytes, tau);
            }
            parts[i] = sup_expr_sequence(x, leaf[i], LENGTH);
        }
        double got = cost_of(&costs, &sup_evaluator_fluid, sup_expr_together(x, parts, sequences));
        double wanted = simulated(&costs, leaf, sequences);
        if (fabs(got / wanted - 1) > 1e-6) fail_msg("round %d: got %.9g, wanted %.9g", round, got, wanted);
        sup_exprs_free(x);
    }
}

static const sup_expr *random_part(sup_exprs *x, sup_random *r, int depth) {
    const sup_expr *parts[4];
    size_t count = 1 + sup_random_below(r, 4);
    double bytes = 1e5 * random_share(r), many = (double)(1 + sup_random_below(r, 4));
    uint64_t kind = sup_random_below(r, depth > 0 ? 7 : 3);
    if (kind == 0) return sup_expr_wait(x, 1e-5 * random_share(r));
    if (kind == 1) return sup_expr_transfer(x, (int)sup_random_below(r, 3), bytes, many);
    if (kind == 2) return sup_expr_send(x, (int)sup_random_below(r, 3), bytes, many);
    if (kind == 3) return sup_expr_times(x, many, random_part(x, r, depth - 1));
    if (kind == 4) return sup_expr_many(x, many, random_part(x, r, depth - 1));
    for (size_t i = 0; i < count; i++) parts[i] = random_part(x, r, depth - 1);
    return kind == 5 ? sup_expr_sequence(x, parts, count) : sup_expr_together(x, parts, count);
}

/* What happens at the same time takes as long as the longest by itself, and not longer than one after the other: that
 * is what the bounds of L mean. */
static void between(void **state) {
    (void)state;
    const made_channel kinds[3] = {{.o = 1e-6, .y = 1e-7, .b = 1e-9, .e = 0.7, .transfers = 2},
                                   {.o = 3e-6, .y = 2e-6, .b = 3e-9, .e = 1, .transfers = 3},
                                   {.b = 1e-9, .transfers = 1}};
    sup_taulop_channel c[3] = {made(0, &kinds[0]), made(1, &kinds[1]), made(2, &kinds[2])};
    c[0].segment_bytes = c[1].segment_bytes = 4096;
    sup_taulop_costs costs = {.channels = c, .channels_count = 3};
    sup_random r = {.state = 31};
    for (int round = 0; round < 1000; round++) {
        sup_exprs *x = sup_exprs_new();
        const sup_expr *parts[6];
        size_t count = 2 + sup_random_below(&r, 5);
        double sum = 0, most = 0;
        for (size_t i = 0; i < count; i++) {
            parts[i] = random_part(x, &r, 3);
            double alone = cost_of(&costs, &sup_evaluator_fluid, parts[i]);
            sum += alone;
            most = fmax(most, alone);
        }
        double got = cost_of(&costs, &sup_evaluator_fluid, sup_expr_together(x, parts, count));
        if (got < most * (1 - 1e-6) || got > sum * (1 + 1e-6))
            fail_msg("round %d: %g is not between %g and %g", round, got, most, sum);
        sup_exprs_free(x);
    }
}

/* More sizes than have a class of their own: still close to each by itself, and exact where L is a line through 0. */
static void many_sizes(void **state) {
    (void)state;
    const made_channel serial = {.b = 1e-9, .e = 1, .transfers = 1};
    sup_taulop_channel c[1] = {made(0, &serial)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    sup_random r = {.state = 8};
    sup_exprs *x = sup_exprs_new();
    const sup_expr *parts[3000];
    double all = 0;
    for (int i = 0; i < 3000; i++) {
        double bytes = 1 + (double)sup_random_below(&r, 1 << 20);
        parts[i] = sup_expr_send(x, 0, bytes, 1);
        all += bytes;
    }
    double got = cost_of(&costs, &sup_evaluator_fluid, sup_expr_together(x, parts, 3000));
    if (fabs(got / (all * 1e-9) - 1) > 2e-3) fail_msg("%g of %g", got, all * 1e-9);
    sup_exprs_free(x);
}

/* ---- one and the other ---- */

/* Equal sizes on one channel, in stages of different widths; any L. */
static void agree(void **state) {
    (void)state;
    sup_random r = {.state = 21};
    for (int round = 0; round < 500; round++) {
        made_channel of = {.o = random_share(&r) * 1e-6,
                           .y = random_share(&r) * 1e-6,
                           .b = random_share(&r) * 1e-9,
                           .e = random_share(&r),
                           .transfers = 1 + (int)sup_random_below(&r, 3)};
        sup_taulop_channel c[1] = {made(0, &of)};
        c->segment_bytes = round % 2 ? 1024 : -1;
        sup_taulop_costs costs = {.channels = c, .channels_count = 1};
        sup_exprs *x = sup_exprs_new();
        const sup_expr *stages[8], *parts[20];
        size_t width = 0, n = 1 + sup_random_below(&r, 8);
        double wanted = 0;
        for (size_t s = 0; s < n; s++) {
            double bytes = (double)sup_random_below(&r, 100000), outer = (double)(1 + sup_random_below(&r, 4)), tau = 0;
            width = width % 12 + 1;
            for (size_t i = 0; i < width; i++) {
                double many = (double)(1 + sup_random_below(&r, 3));
                tau += many;
                parts[i] = sup_random_below(&r, 2) ? sup_expr_send(x, 0, bytes, many)
                                                   : sup_expr_many(x, many, sup_expr_send(x, 0, bytes, 1));
            }
            stages[s] = sup_expr_many(x, outer, sup_expr_together(x, parts, width));
            if (s % 2) stages[s] = sup_expr_sequence(x, (const sup_expr *[]){stages[s], sup_expr_wait(x, 1e-6)}, 2);
            wanted += sup_taulop_send(c, bytes, outer * tau) + (s % 2 ? 1e-6 : 0);
            if (s % 2 == 0 && s + 1 < n) /* so that A1 has nothing to join */
                stages[s] = sup_expr_sequence(x, (const sup_expr *[]){stages[s], sup_expr_wait(x, 0)}, 2);
        }
        const sup_expr *e = sup_expr_sequence(x, stages, n);
        assert_near(cost_of(&costs, &sup_evaluator_paper, e), wanted);
        assert_near(cost_of(&costs, &sup_evaluator_fluid, e), wanted);
        sup_exprs_free(x);
    }
}

/* Any sizes and sequences on one channel that serves one byte after the other. */
static void agree_serial(void **state) {
    (void)state;
    const made_channel serial = {.b = 1e-9, .e = 1, .transfers = 1};
    sup_taulop_channel c[1] = {made(0, &serial)};
    sup_taulop_costs costs = {.channels = c, .channels_count = 1};
    sup_random r = {.state = 22};
    for (int round = 0; round < 300; round++) {
        sup_exprs *x = sup_exprs_new();
        const sup_expr *parts[10], *stages[5];
        size_t n = 2 + sup_random_below(&r, 9);
        double all = 0;
        for (size_t i = 0; i < n; i++) {
            size_t length = 1 + sup_random_below(&r, 5);
            for (size_t k = 0; k < length; k++) {
                double bytes = (double)(1 + sup_random_below(&r, 50)), many = (double)(1 + sup_random_below(&r, 3)),
                       times = (double)(1 + sup_random_below(&r, 3));
                stages[k] = sup_expr_times(x, times, sup_expr_many(x, many, sup_expr_send(x, 0, bytes, 1)));
                all += bytes * many * times;
            }
            parts[i] = sup_expr_sequence(x, stages, length);
        }
        const sup_expr *e = sup_expr_together(x, parts, n);
        assert_near(cost_of(&costs, &sup_evaluator_paper, e), all * 1e-9);
        assert_near(cost_of(&costs, &sup_evaluator_fluid, e), all * 1e-9);
        sup_exprs_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transmission),
        cmocka_unit_test(overheads),
        cmocka_unit_test(collectives),
        cmocka_unit_test(shared_broadcast),
        cmocka_unit_test(rda_is_twice_scatter),
        cmocka_unit_test(remainders),
        cmocka_unit_test(endless),
        cmocka_unit_test(as_simulated),
        cmocka_unit_test(between),
        cmocka_unit_test(many_sizes),
        cmocka_unit_test(agree),
        cmocka_unit_test(agree_serial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
