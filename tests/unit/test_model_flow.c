/* The model `flow` by exchanges: what was measured comes out as it was measured, one way is not half of both ways,
 * classes of pairs and the number of busy processes count, overlap acts, and typical times have intervals that hold. */
#include "../sanitized.h"
#include "flow_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NEAR(a, b)                                                                  \
    do {                                                                            \
        if (!(fabs((double)(a) - (double)(b)) <= 1e-6 * fabs((double)(b)) + 1e-15)) \
            fail_msg("%s = %g, not %g", #a, (double)(a), (double)(b));              \
    } while (0)

typedef struct world {
    sup_profile *profile;
    sup_platform *m;
    sup_program *program;
    sup_step *step;
    sup_flow *flow;
} world;

static world open_world(const flow_machine *w, bool all_moves, sup_platform_options o) {
    world x = {.profile = flow_profile(w, all_moves), .program = sup_program_new()};
    sup_diag diag = {0};
    assert_non_null(x.program);
    if (sup_platform_open(x.profile, &o, &diag, &x.m)) fail_msg("%s", diag.text);
    x.step = sup_program_add_step(x.program);
    x.step->repeat = 1;
    x.flow = sup_step_add_flow(x.step);
    return x;
}

static void add_edge(world *x, int64_t from, int64_t to, double messages, double bytes, int move) {
    assert_true(sup_flow_add_edge(x->flow, (sup_edge){from, to, messages, bytes, 0, move}));
}

static sup_superstep_cost cost_of(world *x) {
    sup_program_cost c;
    sup_diag diag = {0};
    if (sup_program_fit(x->program, x->m->processes, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find("flow"), x->m, x->program, &diag, &c)) fail_msg("%s", diag.text);
    sup_superstep_cost one = c.steps[0].cost;
    sup_program_cost_free(&c);
    return one;
}

static void close_world(world *x) {
    sup_program_free(x->program);
    sup_platform_free(x->m);
    sup_profile_free(x->profile);
}

static sup_superstep_cost one_edge(const flow_machine *w, sup_platform_options o, int64_t from, int64_t to,
                                   double bytes) {
    world x = open_world(w, false, o);
    add_edge(&x, from, to, 1, bytes, SUP_MOVE_PUT);
    sup_superstep_cost c = cost_of(&x);
    close_world(&x);
    return c;
}

/* ---- what was measured ---- */

/* Who has partners asks: of gets the bytes come the other way. */
static void add_exchange(world *x, int shape, int move, double records, double bytes) {
    const sup_exchange *e = sup_exchange_at(shape);
    for (int64_t i = 0; i < x->m->processes; i++)
        for (int64_t k = 0; k < e->partners(x->m->processes, i); k++) {
            int64_t j = e->partner(x->m->processes, i, k);
            bool reads = sup_move_reads(move);
            add_edge(x, reads ? j : i, reads ? i : j, records, records * bytes, move);
        }
}

static void check_exchange(const flow_machine *w, int shape, int move, int64_t records, double bytes) {
    world x = open_world(w, true, (sup_platform_options){0});
    double fixed[2], slope[2];
    for (int p = 0; p < SUP_PARTS; p++) flow_line(w, shape, move, records, p, &fixed[p], &slope[p]);
    add_exchange(&x, shape, move, (double)records, bytes);
    x.step->sync = strdup("none"); /* the empty superstep is another term */
    double comm = cost_of(&x).total.value, wanted = fixed[0] + fixed[1] - FLOW_EMPTY + bytes * (slope[0] + slope[1]);
    if (!(fabs(comm - wanted) <= 0.01 * wanted))
        fail_msg("%s %s of %g bytes, %d processes over %s: %g, not %g", sup_exchange_names[shape], sup_move_names[move],
                 bytes, (int)w->processes, w->transport, comm, wanted);
    close_world(&x);
}

static void check_machine(const flow_machine *w) {
    static const double bytes[] = {8, 4096, 200000};
    for (int s = 0; s < SUP_EXCHANGE_SHAPES; s++)
        for (int v = 0; v < SUP_MOVES; v++)
            for (int b = 0; b < 3; b++)
                if (w->processes >= sup_exchange_at(s)->least) check_exchange(w, s, v, 1, bytes[b]);
    check_exchange(w, SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, 16, 64);
}

static void measured_is_predicted(void **state) {
    (void)state;
    static const int64_t processes[] = {2, 3, 4, 8};
    for (int i = 0; i < 4; i++)
        for (int t = SANITIZED ? i % 2 : 0; t < 2; t += SANITIZED ? 2 : 1)
            check_machine(&(
                flow_machine){.transport = t ? "openmpi" : "shm", .processes = processes[i], .measured = processes[i]});
}

/* Two groups, far pairs three times as slow: exchanges that cross, too. */
static void far_exchanges(void **state) {
    (void)state;
    for (int t = SANITIZED; t < 2; t++)
        check_machine(
            &(flow_machine){.transport = t ? "openmpi" : "shm", .processes = 8, .measured = 8, .group = 4, .far = 3});
}

/* Another move than put, of a shape that was only measured for puts: as many times longer as its own shape. */
static void other_moves(void **state) {
    (void)state;
    flow_machine w = {.transport = "openmpi", .processes = 4, .measured = 4};
    world x = open_world(&w, true, (sup_platform_options){0});
    for (size_t i = 0; i < x.profile->exchanges_count; i++) { /* ring of gets is forgotten */
        sup_exchange_time *e = &x.profile->exchanges[i];
        if (e->move == SUP_MOVE_GET && e->shape == SUP_EXCHANGE_RING) e->processes = 999;
    }
    sup_platform_free(x.m);
    assert_int_equal(sup_platform_open(x.profile, &(sup_platform_options){0}, NULL, &x.m), SUP_OK);
    add_exchange(&x, SUP_EXCHANGE_RING, SUP_MOVE_GET, 1, 10000);
    double f[2], s[2], got = cost_of(&x).comm.value;
    for (int p = 0; p < SUP_PARTS; p++) flow_line(&w, SUP_EXCHANGE_RING, SUP_MOVE_GET, 1, p, &f[p], &s[p]);
    NEAR(got, f[0] + f[1] - FLOW_EMPTY + 10000 * (s[0] + s[1]));
    close_world(&x);
}

/* ---- one way, few, slow ---- */

/* Without exchanges a message costs what its pair costs: 0.2 us, 0.8 us, 1 ns a byte; no half of that. */
static void one_way_is_whole(void **state) {
    (void)state;
    flow_machine mpi = {.transport = "openmpi", .processes = 2}, shm = {.transport = "shm", .processes = 2};
    sup_platform_options none = {0};
    sup_superstep_cost c = one_edge(&mpi, none, 0, 1, 1e6);
    NEAR(c.total.value - c.sync.value, 0.2e-6 + 0.8e-6 + 1e-3);
    c = one_edge(&shm, none, 0, 1, 1e6);
    assert_true(c.total.value - c.sync.value >= 1e-3 && c.total.value - c.sync.value < 1.01e-3);
}

/* Calls of one process and deliveries of another lie one after the other. */
static void phases_add_up(void **state) {
    (void)state;
    flow_machine w = {.transport = "shm", .processes = 4, .measured = 4};
    world x = open_world(&w, false, (sup_platform_options){0});
    add_edge(&x, 0, 1, 1, 1e5, SUP_MOVE_PUT);
    sup_work *work = sup_step_add_work(x.step);
    work->units = (sup_vector){.each = calloc(4, sizeof(double)), .count = 4};
    work->units.each[0] = 1e-3;
    work->bytes.all = -1;
    sup_superstep_cost c = cost_of(&x);
    NEAR(c.total.value, 1e-3 + c.comm.value + c.sync.value);
    assert_int_equal(c.critical, 0);
    close_world(&x);
}

/* Of sixteen processes one pair is busy: what `one` took, not what all of them took. */
static void one_pair_of_sixteen(void **state) {
    (void)state;
    flow_machine w = {.transport = "shm", .processes = 16, .measured = 16, .crowd = 1};
    world x = open_world(&w, false, (sup_platform_options){0});
    for (int64_t i = 0; i < 16; i += 2) add_edge(&x, i, i + 1, 1, 1e6, SUP_MOVE_PUT);
    double all = cost_of(&x).comm.value, one = one_edge(&w, (sup_platform_options){0}, 4, 5, 1e6).comm.value;
    NEAR(one, 1e-6 + 1e-3);
    NEAR(all, 15 * (1e-6 + 1e-3));
    close_world(&x);
    x = open_world(&w, false, (sup_platform_options){0});
    for (int64_t i = 0; i < 8; i += 2) add_edge(&x, i, i + 1, 1, 1e6, SUP_MOVE_PUT);
    double half = cost_of(&x).comm.value;
    assert_true(half > 2 * one && half < all);
    close_world(&x);
}

/* A link that is a hundred times slower takes a hundred times longer, as a class and as a what-if; only who uses it. */
static void slow_link(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        flow_machine w = {.transport = t ? "openmpi" : "shm", .processes = 4, .measured = 4, .group = 2, .far = 1};
        sup_platform_options none = {0}, slow = {.what_if = "B[0:1,2:3]*100,L[0:1,2:3]*100,O[0:1,2:3]*100"};
        sup_platform_options all = {.what_if = "B*100"};
        double usual = one_edge(&w, none, 0, 2, 1e6).comm.value, near = one_edge(&w, none, 0, 1, 1e6).comm.value;
        NEAR(one_edge(&w, slow, 0, 2, 1e6).comm.value, 100 * usual);
        NEAR(one_edge(&w, slow, 0, 1, 1e6).comm.value, near);
        double bytes = one_edge(&w, all, 0, 1, 1e6).comm.value;
        assert_true(bytes > 99 * near && bytes <= 100 * near);
        w.far = 100;
        w.measured = 3; /* no far exchange: by the classes of pairs */
        NEAR(one_edge(&w, none, 0, 2, 1e6).comm.value, 100 * near);
    }
}

/* One large message among small ones takes at least what it takes alone. */
static void large_among_small(void **state) {
    (void)state;
    flow_machine w = {.transport = "shm", .processes = 8, .measured = 8};
    world x = open_world(&w, false, (sup_platform_options){0});
    add_edge(&x, 0, 1, 1, 1e6, SUP_MOVE_PUT);
    for (int64_t j = 2; j < 8; j++) add_edge(&x, 0, j, 1, 8, SUP_MOVE_PUT);
    double mixed = cost_of(&x).comm.value, alone = one_edge(&w, (sup_platform_options){0}, 0, 1, 1e6).comm.value;
    assert_true(mixed >= alone && mixed < 2 * alone);
    close_world(&x);
}

/* ---- what is not there ---- */

static void not_measured(void **state) {
    (void)state;
    flow_machine w = {.transport = "shm", .processes = 2, .matrix = "[1,0,1,3,1,1,1,0]"};
    world x = open_world(&w, false, (sup_platform_options){0});
    sup_program_cost c;
    sup_diag diag = {0};
    assert_int_equal(x.m->processes, 2);
    add_edge(&x, 0, 1, 1, 1000, SUP_MOVE_PUT);
    assert_int_equal(sup_program_fit(x.program, 2, &diag), SUP_OK);
    assert_int_equal(sup_model_program(sup_model_find("flow"), x.m, x.program, &diag, &c), SUP_ENOENT);
    assert_true(strstr(diag.text, "0 and 1") && strstr(diag.text, "superstep measure --net shm"));
    sup_platform_free(x.m);
    x.m = NULL;
    sup_platform_options four = {.processes = 4}, more = {.extend = "nodes=2"};
    assert_int_equal(sup_platform_open(x.profile, &four, &diag, &x.m), SUP_EINVAL);
    x.profile->signature.hosts = 2; /* two of two, but a matrix of one of them */
    x.profile->signature.processes = 4;
    assert_int_equal(sup_platform_open(x.profile, &four, &diag, &x.m), SUP_EINVAL);
    assert_int_equal(sup_platform_open(x.profile, &more, &diag, &x.m), SUP_EINVAL);
    close_world(&x);
}

/* The other way round of a pair may be missing. */
static void half_measured(void **state) {
    (void)state;
    flow_machine w = {.transport = "shm", .processes = 2, .matrix = "[1,0,1,1,1,3,1,0]"};
    world x = open_world(&w, false, (sup_platform_options){0});
    sup_program_cost c;
    sup_diag diag = {0};
    add_edge(&x, 1, 0, 1, 1000, SUP_MOVE_PUT);
    assert_int_equal(sup_program_fit(x.program, 2, &diag), SUP_OK);
    assert_int_equal(sup_model_program(sup_model_find("flow"), x.m, x.program, &diag, &c), SUP_ENOENT);
    assert_true(strstr(diag.text, "1 and 0") != NULL);
    close_world(&x);
}

/* Exchanges of other numbers of processes: as many times as many partners, and less is known. */
static void other_processes(void **state) {
    (void)state;
    flow_machine same = {.transport = "shm", .processes = 8, .measured = 8}, other = same;
    other.measured = 4;
    for (int shape = SUP_EXCHANGE_ONE; shape <= SUP_EXCHANGE_ALL; shape++) {
        world a = open_world(&same, false, (sup_platform_options){0});
        world b = open_world(&other, false, (sup_platform_options){0});
        add_exchange(&a, shape, SUP_MOVE_PUT, 1, 50000);
        add_exchange(&b, shape, SUP_MOVE_PUT, 1, 50000);
        sup_superstep_cost x = cost_of(&a), y = cost_of(&b);
        if (!(fabs(y.comm.value / x.comm.value - 1) < 0.25))
            fail_msg("%s: %g, not %g", sup_exchange_names[shape], y.comm.value, x.comm.value);
        double known = (x.comm.high - x.comm.low) / x.comm.value, less = (y.comm.high - y.comm.low) / y.comm.value;
        assert_true(less > known + 0.1);
        assert_true(b.m->note_count > 0);
        close_world(&a);
        close_world(&b);
    }
}

/* ---- overlap ---- */

#define SHARES(transport, eager, bulk)                                                                          \
    "[{\"transport\":\"" transport "\",\"engine\":\"eager\",\"bytes\":1000,\"share\":{\"value\":" eager         \
    ",\"n\":3}},{\"transport\":\"" transport "\",\"engine\":\"bulk\",\"bytes\":1000,\"share\":{\"value\":" bulk \
    ",\"n\":3}}]"

static double with_overlap(const flow_machine *w, const char *engine, double compute, double edge, double *hidden) {
    world x = open_world(w, false, (sup_platform_options){.engine = engine});
    assert_true(sup_flow_add_edge(x.flow, (sup_edge){0, 1, 1, 1e5, edge, SUP_MOVE_PUT}));
    assert_true(sup_flow_add_edge(x.flow, (sup_edge){1, 0, 1, 1e5, edge, SUP_MOVE_PUT}));
    sup_work *work = sup_step_add_work(x.step);
    work->units.all = 1e-3;
    work->bytes.all = -1;
    work->overlap = compute;
    sup_superstep_cost c = cost_of(&x);
    *hidden = c.hidden_s;
    NEAR(c.total.value, c.part_s[0] + c.part_s[1] + c.part_s[2] + c.part_s[3]);
    double comm = c.comm.value;
    NEAR(c.total.value, 1e-3 + comm + c.sync.value - *hidden);
    close_world(&x);
    return comm;
}

static void overlap(void **state) {
    (void)state;
    flow_machine mpi = {.transport = "openmpi",
                        .processes = 2,
                        .measured = 2,
                        .overlap = SHARES("openmpi", "0.3", "0.1")};
    flow_machine shm = {.transport = "shm", .processes = 2, .measured = 2, .overlap = SHARES("shm", "0.05", "0")};
    double hidden, comm = with_overlap(&mpi, NULL, 1, 1, &hidden);
    NEAR(hidden, 0.3 * comm);
    with_overlap(&mpi, "bulk", 1, 1, &hidden);
    NEAR(hidden, 0.1 * comm);
    with_overlap(&mpi, "eager", 1, 0.5, &hidden);
    NEAR(hidden, 0.15 * comm);
    with_overlap(&mpi, "eager", 0.01, 1, &hidden); /* only so much computation is there */
    NEAR(hidden, 1e-5);
    with_overlap(&mpi, "eager", 1, 0, &hidden);
    NEAR(hidden, 0);
    comm = with_overlap(&shm, NULL, 1, 1, &hidden);
    NEAR(hidden, 0.05 * comm);
}

/* ---- what a run usually sees ---- */

static void typical(void **state) {
    (void)state;
    flow_machine calm = {.transport = "openmpi", .processes = 4, .measured = 4}, usual = calm;
    usual.typical = 1.5;
    for (int shape = 0; shape < SUP_EXCHANGE_ONE_FAR; shape++) {
        world a = open_world(&calm, false, (sup_platform_options){0});
        world b = open_world(&usual, false, (sup_platform_options){0});
        add_exchange(&a, shape, SUP_MOVE_PUT, 1, 100000);
        add_exchange(&b, shape, SUP_MOVE_PUT, 1, 100000);
        sup_superstep_cost x = cost_of(&a), y = cost_of(&b);
        NEAR(x.typical.value, x.total.value);
        NEAR(y.total.value, x.total.value);
        double more = y.typical.value - y.sync.value, less = x.total.value - x.sync.value;
        assert_true(more > 1.45 * less && more < 1.55 * less);
        assert_true(y.typical.low < y.typical.value && y.typical.value < y.typical.high);
        /* points are known to a tenth with 95 %, of five launches: one more launch is as far away, or further */
        assert_true(y.typical.high - y.typical.value > 0.07 * y.typical.value);
        assert_true(y.typical.high - y.typical.value < 0.4 * y.typical.value);
        close_world(&a);
        close_world(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_is_predicted),
        cmocka_unit_test(far_exchanges),
        cmocka_unit_test(other_moves),
        cmocka_unit_test(one_way_is_whole),
        cmocka_unit_test(phases_add_up),
        cmocka_unit_test(one_pair_of_sixteen),
        cmocka_unit_test(slow_link),
        cmocka_unit_test(large_among_small),
        cmocka_unit_test(not_measured),
        cmocka_unit_test(half_measured),
        cmocka_unit_test(other_processes),
        cmocka_unit_test(overlap),
        cmocka_unit_test(typical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
