/* What of τ-Lop channels needs no machine: what the receiver sees of a message, packing, the rule beyond a table, lines
 * through times. */
#include "measure/lab/net.h"
#include "measure/lab/timing_line.h"
#include "profile/channel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double got, double wanted, double relative) {
    if (fabs(got - wanted) > relative * fabs(wanted)) {
        print_error("got %g, wanted %g within %g %%\n", got, wanted, 100.0 * relative);
        fail();
    }
}

static int64_t no_time(void *context) {
    (void)context;
    return 1;
}
static const sup_clock still = {no_time, NULL, 1e-9, 0.0};

/* ---- what is seen of a message ---- */

/* A net on which one process plays both: what was sent last is what comes, in parts. */
typedef struct parts_net {
    sup_net net;
    const unsigned char *sent; /* the sender's buffer */
    unsigned char *kept; /* as it was when message kept_of was started; NULL: it is taken from there when it comes */
    int kept_of, messages;
    unsigned char *into;
    size_t length, arrived;
    const size_t *parts; /* of the message, the last again and again */
    size_t parts_count, next;
    bool backwards;
} parts_net;

static sup_status parts_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    parts_net *n = (parts_net *)net;
    (void)peer;
    req->status = SUP_OK;
    req->done = true;
    if (tag != SUP_LAB_TAG_DATA) return SUP_OK;
    n->sent = buf;
    n->length = len;
    if (n->kept && n->messages++ == n->kept_of) memcpy(n->kept, buf, len);
    return SUP_OK;
}

static sup_status parts_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req) {
    parts_net *n = (parts_net *)net;
    (void)peer, (void)cap;
    req->status = SUP_OK;
    req->done = tag != SUP_LAB_TAG_DATA;
    if (req->done) return SUP_OK;
    n->into = buf;
    n->arrived = n->next = 0;
    return SUP_OK;
}

static sup_status parts_test(sup_net *net, sup_net_req *req) {
    parts_net *n = (parts_net *)net;
    size_t part = n->parts[n->next < n->parts_count ? n->next++ : n->parts_count - 1];
    if (part > n->length - n->arrived) part = n->length - n->arrived;
    size_t at = n->backwards ? n->length - n->arrived - part : n->arrived;
    memcpy(n->into + at, (n->kept ? n->kept : n->sent) + at, part);
    n->arrived += part;
    req->done = n->arrived == n->length;
    return SUP_OK;
}

static sup_status parts_progress(sup_net *net) {
    (void)net;
    return SUP_OK;
}

static const sup_net_ops parts_ops = {
    .name = "parts", .isend = parts_isend, .irecv = parts_irecv, .test = parts_test, .progress = parts_progress};

/* What the body says of messages of 100,000 bytes, sent and then received. */
static double seen(sup_body *body, parts_net *n) {
    static unsigned char out[100000], in[100000];
    static const int ranks[] = {0, 1};
    n->net = (sup_net){.ops = &parts_ops, .size = 2};
    sup_lab_net lab = {.net = &n->net, .clock = &still, .out = {.data = out}, .in = {.data = in}};
    double value[2];
    for (int me = 1; me >= 0; me--) {
        sup_participants p = {.lab = &lab, .trial = {.group = 2, .ranks = ranks, .bytes = sizeof out}, .me = me};
        assert_int_equal(body(&p, 3, &value[me]), SUP_OK);
    }
    return value[0] / 3.0;
}

static void segments_are_seen(void **state) {
    (void)state;
    const size_t one[] = {4000, 8192}, several[] = {8192, 24576, 16384}, whole[] = {100000}, few[] = {99999};
    assert_true(seen(sup_body_segment, &(parts_net){.parts = one, .parts_count = 2}) == 8192.0);
    assert_true(seen(sup_body_segment, &(parts_net){.parts = several, .parts_count = 3}) == 8192.0);
    assert_true(seen(sup_body_segment, &(parts_net){.parts = whole, .parts_count = 1}) == 0.0);
    assert_true(seen(sup_body_segment, &(parts_net){.parts = few, .parts_count = 1}) == 0.0);
    assert_true(seen(sup_body_segment, &(parts_net){.parts = one, .parts_count = 2, .backwards = true}) == 0.0);
}

/* The sender leaves its fifteenth message alone and then changes it. */
static void who_moves_a_message_is_seen(void **state) {
    (void)state;
    static unsigned char kept[100000];
    const size_t one[] = {4000, 8192};
    assert_true(seen(sup_body_fetch, &(parts_net){.parts = one, .parts_count = 2, .kept = kept, .kept_of = 14}) == 1.0);
    assert_true(seen(sup_body_fetch, &(parts_net){.parts = one, .parts_count = 2}) == 0.0);
}

static void packing_gathers_its_blocks(void **state) {
    (void)state;
    static char out[100 * 128], in[100 * 64];
    static const int ranks[] = {0};
    for (size_t i = 0; i < sizeof out; i++) out[i] = (char)(i / 64 % 2 ? 7 : i / 128);
    sup_lab_net lab = {.clock = &still, .out = {.data = out, .size = sizeof out}, .in = {.data = in}};
    sup_participants p = {.lab = &lab,
                          .trial = {.group = 1, .ranks = ranks, .bytes = 64 * 99 + 8, .number = 64, .stride = 128}};
    double seconds;
    assert_true(sup_body_pack_parts(&p.trial) * p.trial.bytes >= sizeof out);
    assert_int_equal(sup_body_pack(&p, 2, &seconds), SUP_OK);
    for (size_t i = 0; i < 64 * 99 + 8; i++) assert_int_equal(in[i], (char)(i / 64));
    assert_int_equal(in[64 * 99 + 8], 0);
    p.trial.stride = 1;
    assert_int_equal(sup_body_pack(&p, 1, &seconds), SUP_EINVAL);
}

/* ---- the rule beyond the table ---- */

static void tables_extend_by_rule(void **state) {
    (void)state;
    double bytes[] = {64, 256, 1024}, one[] = {1, 2, 6}, two[] = {1, 3, 10}, four[] = {1, 6, 30};
    sup_tau_row rows[] = {{.tau = 1, .seconds = one, .seconds_count = 3},
                          {.tau = 2, .seconds = two, .seconds_count = 3},
                          {.tau = 4, .seconds = four, .seconds_count = 3}};
    sup_transfer t = {.bytes = bytes, .bytes_count = 3, .rows = rows, .rows_count = 3};
    assert_near(sup_transfer_at(&t, 1, 1), 1.0, 1e-12);     /* up to the first size: the same */
    assert_near(sup_transfer_at(&t, 640, 1), 4.0, 1e-12);   /* between: the line */
    assert_near(sup_transfer_at(&t, 1792, 1), 10.0, 1e-12); /* beyond: the last slope */
    assert_near(sup_transfer_at(&t, 1024, 3), 20.0, 1e-12); /* rows likewise */
    assert_near(sup_transfer_at(&t, 1024, 0.5), 6.0, 1e-12);
    assert_near(sup_transfer_at(&t, 1024, 6), 45.0, 1e-12); /* the last slope says 50, L(6) ≤ 6/4·L(4) */
    assert_near(sup_transfer_at(&t, 64, 100), 1.0, 1e-12);
    one[2] = 1.5; /* falls: it goes on level */
    assert_near(sup_transfer_at(&t, 4096, 1), 1.5, 1e-12);
    t.rows_count = 1;
    assert_near(sup_transfer_at(&t, 256, 100), 2.0, 1e-12); /* one row: the lower bound */
    t.bytes_count = 1;
    assert_near(sup_transfer_at(&t, 256, 1), 1.0, 1e-12);
    t.rows_count = 0;
    assert_true(isnan(sup_transfer_at(&t, 64, 1)));
}

static void lines_through_times_know_their_intervals(void **state) {
    (void)state;
    double x[] = {1, 2, 4, 8};
    sup_timing t[4];
    for (int i = 0; i < 4; i++) t[i] = (sup_timing){.seconds = 3 + 2 * x[i], .typical = 4 + 3 * x[i], .bad = 20 * x[i]};
    for (int i = 0; i < 4; i++) t[i].n = 5, t[i].launches = 2, t[i].ci = 0.0;
    sup_number *intercept, *slope;
    assert_int_equal(sup_timing_line(x, t, 4, &intercept, &slope), SUP_OK);
    assert_near(intercept->value, 3.0, 1e-9);
    assert_near(slope->value, 2.0, 1e-9);
    assert_near(slope->typical, 3.0, 1e-9);
    assert_near(slope->bad, 20.0, 1e-9);
    assert_true(slope->ci == 0.0 && slope->n == 20 && slope->launches == 2);
    free(intercept);
    free(slope);
    for (int i = 0; i < 4; i++) t[i].ci = 0.01 * t[i].seconds;
    assert_int_equal(sup_timing_line(x, t, 4, NULL, &slope), SUP_OK);
    assert_true(slope->ci > 0.005 && slope->ci < 0.1);
    free(slope);
    t[2].ci = INFINITY;
    assert_int_equal(sup_timing_line(x, t, 4, NULL, &slope), SUP_OK);
    assert_true(isnan(slope->ci));
    free(slope);
    assert_int_equal(sup_timing_line(x, t, 1, NULL, &slope), SUP_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_seen),
        cmocka_unit_test(who_moves_a_message_is_seen),
        cmocka_unit_test(packing_gathers_its_blocks),
        cmocka_unit_test(tables_extend_by_rule),
        cmocka_unit_test(lines_through_times_know_their_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
