/* No composed machine is faster than its link, nor than its nodes: barriers of all patterns, supersteps of all shapes
 * and moves, all collective algorithms; from the reference profiles, and from made ones that have barriers with as many
 * processes as the machine, or with which signals were fitted. */
#include "../sanitized.h"
#include "flow_profile.h"

#include "model/collective/collective.h"
#include "model/compose/compose.h"
#include "model/sync/sync.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct bounds {
    const sup_profile *node;
    const char *name, *transport;
    const sup_link *link;
    int64_t nodes, cores;
    sup_profile *of_all, *of_one; /* of_one NULL: nodes are single processes */
    sup_platform *all, *one;
    int compared;
} bounds;

static char slow[] = "slow", quick[] = "quick", by_hand[] = "made by hand";
static const sup_link links[] = {{slow, SUP_LINK_TCP, 1e-3, 1e9, 0, 0.1, 0.1, by_hand, NULL},
                                 {quick, SUP_LINK_RDMA, 1e-7, 2e11, 0, 0.1, 0.1, by_hand, NULL}};
enum { LINKS = sizeof links / sizeof *links };

static void at_least(bounds *b, const char *what, const char *which, double found, double bound) {
    b->compared++;
    if (!(found >= bound * (1 - 1e-9)))
        fail_msg("%s over %s, %d nodes of %d, link %s: %s %s takes %g, less than %g", b->name, b->transport,
                 (int)b->nodes, (int)b->cores, b->link->name, what, which, found, bound);
}

static sup_profile *compose(const bounds *b, int64_t nodes) {
    sup_diag diag = {0};
    sup_profile *made = NULL;
    sup_compose_options o = {.node = b->name,
                             .nodes = nodes,
                             .cores = b->cores,
                             .transport = b->transport,
                             .link = {.link = nodes > 1 ? b->link : NULL}};
    if (sup_compose(b->node, &o, &diag, &made)) fail_msg("%s: %s", b->name, diag.text);
    return made;
}

static sup_platform *opened(const sup_profile *p) {
    sup_diag diag = {0};
    sup_platform *m = NULL;
    if (sup_platform_open(p, &(sup_platform_options){0}, &diag, &m)) fail_msg("%s", diag.text);
    return m;
}

/* ---- barriers ---- */

static double barrier_of(const sup_platform *m, const sup_generator *g) {
    sup_pattern p = sup_pattern_make(g, m->processes);
    sup_prediction cost = {0};
    assert_int_equal(sup_barrier_cost(m, &p, false, NULL, &cost), SUP_OK);
    assert_true(cost.low <= cost.value && cost.value <= cost.high);
    return cost.value;
}

static void barriers(bounds *b) {
    for (size_t g = 0; sup_generators[g]; g++) {
        double all = barrier_of(b->all, sup_generators[g]);
        at_least(b, "barrier", sup_generators[g]->name, all, b->link->latency_s);
        if (b->one) at_least(b, "barrier", sup_generators[g]->name, all, barrier_of(b->one, sup_generators[g]));
    }
}

/* ---- supersteps ---- */

static double most_across; /* bytes that a node sends or receives over the link */

/* Of an exchange of all processes what the first `of` have to do with each other. */
static void fill(sup_flow *flow, int64_t of, int64_t processes, int64_t cores, int shape, int move, double bytes) {
    const sup_exchange *e = sup_exchange_at(shape);
    double *across = calloc(2 * (size_t)processes, sizeof *across);
    assert_non_null(across);
    most_across = 0;
    for (int64_t i = 0; i < processes; i++)
        for (int64_t k = 0; k < e->partners(processes, i); k++) {
            int64_t j = e->partner(processes, i, k), from = sup_move_reads(move) ? j : i, to = from == i ? j : i;
            if (i >= of || j >= of) continue;
            assert_true(sup_flow_add_edge(flow, (sup_edge){from, to, 1, bytes, 0, move}));
            if (i / cores == j / cores) continue;
            across[2 * (from / cores)] += bytes;
            across[2 * (to / cores) + 1] += bytes;
        }
    for (int64_t i = 0; i < 2 * processes; i++) most_across = fmax(most_across, across[i]);
    free(across);
}

/* shape < 0: asks for nothing. */
static double superstep_of(const sup_platform *m, int64_t processes, int64_t cores, int shape, int move, double bytes) {
    sup_program *program = sup_program_new();
    sup_program_cost c;
    sup_diag diag = {0};
    assert_non_null(program);
    sup_step *step = sup_program_add_step(program);
    step->repeat = 1;
    most_across = 0;
    if (shape >= 0) fill(sup_step_add_flow(step), m->processes, processes, cores, shape, move, bytes);
    if (sup_program_fit(program, m->processes, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find("flow"), m, program, &diag, &c)) fail_msg("%s", diag.text);
    double total = c.total.value;
    assert_true(c.typical.value >= total);
    sup_program_cost_free(&c);
    sup_program_free(program);
    return total;
}

static void supersteps(bounds *b) {
    static const double bytes[] = {8, 1e6};
    int64_t p = b->all->processes;
    /* over shared memory a node synchronises otherwise than a machine of several */
    const sup_platform *one = strcmp(b->transport, "shm") != 0 ? b->one : NULL;
    double empty = superstep_of(b->all, p, b->cores, -1, 0, 0);
    at_least(b, "superstep", "that is empty", empty, b->link->latency_s);
    if (one) at_least(b, "superstep", "that is empty", empty, superstep_of(one, p, b->cores, -1, 0, 0));
    for (int shape = 0; shape < SUP_EXCHANGE_SHAPES; shape++)
        for (int move = 0; move < SUP_MOVES; move++)
            for (int k = 0; k < 2; k++) {
                if (sup_exchange_at(shape)->least > p) continue;
                double all = superstep_of(b->all, p, b->cores, shape, move, bytes[k]);
                at_least(b, sup_move_names[move], sup_exchange_names[shape], all,
                         b->link->latency_s + most_across / b->link->bandwidth_bytes_per_s);
                if (!one) continue;
                at_least(b, sup_move_names[move], sup_exchange_names[shape], all,
                         superstep_of(one, p, b->cores, shape, move, bytes[k]));
            }
}

/* ---- collective operations ---- */

/* NaN: has no price there. */
static double collective_of(const sup_profile *p, const sup_algorithm *a, int64_t cores, int64_t bytes) {
    sup_collective_platform *c = NULL;
    sup_prediction cost = {.value = NAN};
    sup_mapping map = {SUP_MAPPING_SEQUENTIAL, p->signature.processes, cores, NULL,
                       (p->signature.processes + cores - 1) / cores};
    sup_job job = {.operation = a->operation, .processes = p->signature.processes, .bytes = bytes, .element = 8};
    sup_choice choice = {.algorithm = a, .radix = a->radix};
    if (sup_collective_open(p, NULL, NULL, &c)) return NAN;
    if (!sup_algorithm_fits(a, &job) || sup_collective_models[0]->cost(c, &choice, &job, &map, NULL, &cost))
        cost.value = NAN;
    sup_collective_close(c);
    return cost.value;
}

static void collectives(bounds *b) {
    static const int64_t bytes[] = {8, 65536};
    for (size_t i = 0; sup_algorithms[i]; i++)
        for (int k = 0; k < 2; k++) {
            const sup_algorithm *a = sup_algorithms[i];
            if (a->traits & SUP_ALGORITHM_SHARED) continue; /* not between nodes */
            double all = collective_of(b->of_all, a, b->cores, bytes[k]);
            if (isnan(all)) continue;
            at_least(b, sup_operation_names[a->operation], a->name, all, b->link->latency_s);
            /* expressions say max of channels as if networks were the slower ones */
            bool same = b->of_one && strcmp(b->transport, "shm") != 0 && b->link->name == slow;
            double one = same ? collective_of(b->of_one, a, b->cores, bytes[k]) : NAN;
            if (!isnan(one)) at_least(b, sup_operation_names[a->operation], a->name, all, one);
        }
}

/* ---- machines ---- */

static void check(const sup_profile *node, const char *name, const char *transport) {
    static const int64_t nodes[] = {2, 3, 2}, cores[] = {1, 2, 0};
    int64_t measured = node->signature.processes;
    for (size_t k = 0; k < LINKS * sizeof nodes / sizeof *nodes; k += SANITIZED ? LINKS : 1) { /* links: numbers */
        bounds b = {.node = node,
                    .name = name,
                    .transport = transport,
                    .link = &links[k % LINKS],
                    .nodes = nodes[k / LINKS],
                    .cores = cores[k / LINKS] ? cores[k / LINKS] : measured};
        b.of_all = compose(&b, b.nodes);
        b.all = opened(b.of_all);
        assert_int_equal(b.all->processes, b.nodes * b.cores);
        if (b.cores > 1) {
            b.of_one = compose(&b, 1);
            b.one = opened(b.of_one);
        }
        barriers(&b);
        supersteps(&b);
        if (b.nodes == 2) collectives(&b);
        assert_true(b.compared > 20);
        sup_platform_free(b.all);
        sup_platform_free(b.one);
        sup_profile_free(b.of_all);
        sup_profile_free(b.of_one);
    }
}

static void reference_profiles(void **state) {
    (void)state;
    static const char *const names[] = {"../../machines/neoverse-n1-2.json", "../../machines/xeon-16.json",
                                        "../golden/model/xeon-16/openmpi/4/profile.json"};
    for (size_t i = 0; i < (SANITIZED ? 1 : sizeof names / sizeof *names); i++) {
        char path[512];
        sup_diag diag = {0};
        sup_profile *p = NULL;
        snprintf(path, sizeof path, SUP_TEST_DATA "/%s", names[i]);
        if (sup_profile_read(path, false, &diag, &p)) fail_msg("%s: %s", path, diag.text);
        for (size_t t = 0; t < p->pairs_count; t++) check(p, names[i], p->pairs[t].transport);
        sup_profile_free(p);
    }
}

static void add_barrier(sup_profile *p, const char *transport, const char *algorithm, int64_t processes, double s) {
    sup_sync_time *x = SUP_APPEND(&sup_sync_record, p->sync, p->sync_count);
    sup_record_set_string(&x->transport, transport);
    sup_record_set_string(&x->algorithm, algorithm);
    x->processes = processes;
    x->time_s = sup_record_make(&sup_number_record);
    x->time_s->value = s;
    x->time_s->typical = x->time_s->bad = x->time_s->ci = NAN;
    x->time_s->n = 9;
}

/* Barriers of two and of four processes that are quicker, or slower, than messages say; nodes of one core and of two
 * make machines of as many. */
static void made_profiles(void **state) {
    (void)state;
    static const char *const transports[] = {"shm", "openmpi"};
    static const char *const barriers[] = {"linear", "dissemination"};
    for (int k = 0; k < 4; k += SANITIZED ? 3 : 1) {
        const char *transport = transports[k & 1];
        double times = k & 2 ? 0.05 : 30;
        sup_profile *p = flow_profile(
            &(flow_machine){.transport = transport, .processes = 4, .measured = 4, .group = k == 3 ? 2 : 0, .far = 3},
            true);
        for (int64_t n = 2; n <= 4; n += 2)
            for (int a = 0; a < 2; a++) add_barrier(p, transport, barriers[a], n, times * 1e-6 * (2 - a));
        check(p, "made by hand", transport);
        sup_profile_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reference_profiles), cmocka_unit_test(made_profiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
