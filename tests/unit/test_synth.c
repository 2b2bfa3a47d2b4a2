/* Barriers that are made for a machine: the document's construction exactly, candidates on machines made by hand whose
 * best barrier is known, and that everything offered is a barrier. Microseconds in comments. */
#include "base/number/random.h"
#include "choose/barrier/work.h"
#include "synth_machine.h"

/* ---- the document's construction ---- */

/* A hierarchy of consecutive clusters of these sizes, and their pivots on top; the last of each level is one cluster.
 */
typedef struct hand {
    sup_hierarchy h;
    sup_clusters level[3];
    int64_t of[3][64], pivot[3][64];
} hand;

static void two_levels(hand *x, const int64_t *size, int64_t count) {
    memset(x, 0, sizeof *x);
    x->h.levels = 2;
    x->h.level = x->level;
    for (int64_t c = 0; c < count; c++) {
        x->pivot[0][c] = x->h.processes;
        for (int64_t k = 0; k < size[c]; k++) x->of[0][x->h.processes++] = c;
    }
    x->level[0] = (sup_clusters){.members = x->h.processes, .count = count, .of = x->of[0], .pivot = x->pivot[0]};
    x->level[1] = (sup_clusters){.members = count, .count = 1, .of = x->of[1], .pivot = x->pivot[1]};
}

/* Kinds by the pivots that the partitions have: partitions that join nobody are not in it. */
static void spread_kinds(const sup_hierarchy *h, const sup_partitions *partitions, const sup_pattern_kind *const *kinds,
                         int64_t *cluster, sup_pattern_kind *out) {
    size_t at = 0;
    int64_t before = h->processes;
    for (size_t l = 0; l < h->levels && at < partitions->levels; l++) {
        for (int64_t i = 0; i < h->processes; i++) cluster[i] = h->level[l].of[l ? cluster[i] : i];
        bool joins = h->level[l].count < before;
        before = h->level[l].count;
        if (!joins && h->processes > 1) continue;
        for (int64_t i = 0; i < h->processes; i++)
            if (partitions->of[at][i] == i) out[(int64_t)at * h->processes + i] = kinds[l][cluster[i]];
        at++;
    }
}

/* Clusters of one level side by side, levels stacked through their pivots (BSP §7.3, steps 2 to 4). kinds[l][c]: of
 * cluster c of level l. */
static sup_status stack(const sup_hierarchy *h, const sup_pattern_kind *const *kinds, sup_pattern *out) {
    sup_participants participants = {.processes = h->processes};
    sup_partitions partitions;
    if (h->processes < 1 || h->levels > SUP_PARTITION_LEVELS) return SUP_EINVAL;
    sup_status st = sup_partitions_hierarchy(&participants, h, &partitions);
    if (st) return st;
    int64_t *cluster = malloc((size_t)h->processes * sizeof *cluster);
    sup_pattern_kind *each = calloc(partitions.levels * (size_t)h->processes, sizeof *each);
    st = cluster && each ? SUP_OK : SUP_ENOMEM;
    if (!st) {
        spread_kinds(h, &partitions, kinds, cluster, each);
        st = sup_build_stack(&partitions, each, h->processes, out);
    }
    free(cluster);
    free(each);
    sup_partitions_free(&partitions);
    return st;
}

/* And step 1: for each cluster the cheapest of linear, tree and dissemination, priced alone. */
static sup_pattern greedy(const sup_platform *m, const sup_hierarchy *h) {
    sup_participants participants;
    sup_partitions partitions;
    sup_candidates list = {0};
    sup_pattern p;
    size_t index;
    assert_int_equal(sup_participants_open(m, NULL, m->processes, &participants), SUP_OK);
    assert_int_equal(sup_partitions_hierarchy(&participants, h, &partitions), SUP_OK);
    assert_int_equal(sup_greedy_add(&list, &participants, &partitions, NULL, &index), SUP_OK);
    assert_int_equal(sup_plan_barrier_pattern(list.at[index].record, &p), SUP_OK);
    sup_candidates_free(&list);
    sup_partitions_free(&partitions);
    sup_participants_close(&participants);
    return p;
}

/* A stage as text: "1>0 2>0". */
static void assert_stage(const sup_pattern *p, int stage, const char *expected) {
    sup_pattern_edge e[256];
    char got[2048] = "";
    size_t n = sup_pattern_stage(p, stage, NULL), used = 0;
    assert_true(n <= 256);
    sup_pattern_stage(p, stage, e);
    for (size_t k = 0; k < n; k++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%d>%d", k ? " " : "", (int)e[k].from, (int)e[k].to);
    assert_string_equal(got, expected);
}

static const sup_pattern_kind L = {&sup_generator_linear, 0}, T = {&sup_generator_tree, 2},
                              D = {&sup_generator_dissemination, 2};

/* Figure 7.2: 16 processes in subsets of 4, 4 and 8 with D, L and T, and L between their representatives; the
 * acknowledgement goes back along the same paths. */
static void figure_7_2(void **state) {
    (void)state;
    hand x;
    two_levels(&x, (const int64_t[]){4, 4, 8}, 3);
    sup_pattern_kind inner[] = {D, L, T}, top[] = {L};
    const sup_pattern_kind *kinds[] = {inner, top};
    sup_pattern p;
    assert_int_equal(stack(&x.h, kinds, &p), SUP_OK);
    assert_int_equal(p.stages, 8);
    assert_stage(&p, 0, "0>1 1>2 2>3 3>0 5>4 6>4 7>4 9>8 11>10 13>12 15>14");
    assert_stage(&p, 1, "0>2 1>3 2>0 3>1 10>8 14>12");
    assert_stage(&p, 2, "12>8");
    assert_stage(&p, 3, "4>0 8>0");
    assert_stage(&p, 4, "0>4 0>8");
    assert_stage(&p, 5, "8>12");
    assert_stage(&p, 6, "0>2 1>3 2>0 3>1 8>10 12>14");
    assert_stage(&p, 7, "0>3 1>0 2>1 3>2 4>5 4>6 4>7 8>9 10>11 12>13 14>15");
    bool covers;
    int64_t deaf, unheard;
    assert_int_equal(sup_pattern_covers(&p, &covers, &deaf, &unheard), SUP_OK);
    assert_true(covers);
    sup_pattern_free(&p);
}

/* Section 7.3 with clusters of 8: arrival levels one after the other, release is its transpose; a dissemination on top
 * is not transposed. */
static void figure_7_3(void **state) {
    (void)state;
    hand x;
    two_levels(&x, (const int64_t[]){8, 8}, 2);
    sup_pattern_kind inner[] = {T, L}, linear[] = {L}, spread[] = {D};
    const sup_pattern_kind *kinds[] = {inner, linear};
    sup_pattern p;
    assert_int_equal(stack(&x.h, kinds, &p), SUP_OK);
    assert_int_equal(p.stages, 8);
    assert_stage(&p, 0, "1>0 3>2 5>4 7>6 9>8 10>8 11>8 12>8 13>8 14>8 15>8");
    assert_stage(&p, 1, "2>0 6>4");
    assert_stage(&p, 2, "4>0");
    assert_stage(&p, 3, "8>0");
    for (int s = 0; s < 4; s++) /* reversed and transposed */
        for (int64_t i = 0; i < 16; i++) {
            int64_t sent[16], got[16];
            size_t n = sup_pattern_peers(&p, s, i, false, sent), m = sup_pattern_peers(&p, 7 - s, i, true, got);
            assert_int_equal(n, m);
            for (size_t k = 0; k < n; k++) assert_int_equal(sent[k], got[k]);
        }
    sup_pattern_free(&p);
    kinds[1] = spread;
    assert_int_equal(stack(&x.h, kinds, &p), SUP_OK);
    assert_int_equal(p.stages, 7);
    assert_stage(&p, 3, "0>8 8>0");
    assert_stage(&p, 4, "0>4");
    sup_pattern_free(&p);
}

/* Which kind each cluster takes, from prices alone. Uncalibrated a signal keeps its sender busy for O/2, travels for L
 * and keeps its receiver busy for O/2. Inside (O 2, L 0.1): of two, L = T = 4.2, D 2.1. Of eight: linear 7 in turn. */
static void greedy_by_price(void **state) {
    (void)state;
    machine w = {"openmpi", 2, {4, 4}, {2e-6, 1e-7}, {1e-4, 1e-3}, false, NULL, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    hand x;
    two_levels(&x, (const int64_t[]){4, 4}, 2);
    sup_pattern g = greedy(m, &x.h), expected;
    sup_pattern_kind best = {0};
    double least = INFINITY;
    const sup_pattern_kind offered[] = {L, T, D};
    for (int k = 0; k < 3; k++) { /* the first four by themselves */
        sup_platform *four = platform_of(p, 4);
        sup_pattern alone = sup_pattern_of(offered[k], 4);
        sup_prediction r;
        assert_int_equal(sup_barrier_cost(four, &alone, false, NULL, &r), SUP_OK);
        if (r.value < least) least = r.value, best = offered[k];
        sup_platform_free(four);
    }
    assert_ptr_equal(best.generator, &sup_generator_dissemination);
    sup_pattern_kind inner[] = {best, best}, top[] = {D};
    const sup_pattern_kind *kinds[] = {inner, top};
    assert_int_equal(stack(&x.h, kinds, &expected), SUP_OK);
    assert_int_equal(g.stages, expected.stages);
    for (int s = 0; s < g.stages; s++) {
        sup_pattern_edge a[64], b[64];
        size_t n = sup_pattern_stage(&g, s, a);
        assert_int_equal(n, sup_pattern_stage(&expected, s, b));
        for (size_t k = 0; k < n; k++) assert_true(a[k].from == b[k].from && a[k].to == b[k].to);
    }
    sup_pattern_free(&g);
    sup_pattern_free(&expected);
    sup_platform_free(m);
    sup_profile_free(p);
}

/* Any clusters, any kinds: always a barrier. And hierarchies that are none are refused. */
static void any_hierarchy(void **state) {
    (void)state;
    sup_random r = {.state = 15};
    for (int turn = 0; turn < 400; turn++) {
        int64_t size[16], count = 1 + (int64_t)sup_random_below(&r, 6);
        for (int64_t c = 0; c < count; c++) size[c] = 1 + (int64_t)sup_random_below(&r, 9);
        hand x;
        two_levels(&x, size, count);
        for (int64_t i = 0; i < x.h.processes; i++) { /* mixed up: whoever is exchanged stays in its place's cluster */
            int64_t j = (int64_t)sup_random_below(&r, (uint64_t)x.h.processes), was = x.of[0][i];
            x.of[0][i] = x.of[0][j];
            x.of[0][j] = was;
        }
        for (int64_t c = 0; c < count; c++) { /* any of them is the pivot */
            int64_t nth = (int64_t)sup_random_below(&r, (uint64_t)size[c]);
            for (int64_t i = 0; i < x.h.processes; i++)
                if (x.of[0][i] == c && nth-- == 0) x.pivot[0][c] = i;
        }
        x.pivot[1][0] = (int64_t)sup_random_below(&r, (uint64_t)count);
        sup_pattern_kind inner[16], top[1];
        for (int64_t c = 0; c <= count; c++) {
            const sup_generator *g = NULL;
            while (!g || !g->barrier) g = sup_generators[sup_random_below(&r, 9)];
            int radix = g->radix ? 2 + (int)sup_random_below(&r, 7) : 0;
            *(c < count ? &inner[c] : top) = (sup_pattern_kind){g, radix};
        }
        const sup_pattern_kind *kinds[] = {inner, top};
        sup_pattern p;
        bool covers;
        int64_t deaf, unheard;
        assert_int_equal(stack(&x.h, kinds, &p), SUP_OK);
        assert_int_equal(sup_pattern_covers(&p, &covers, &deaf, &unheard), SUP_OK);
        assert_true(covers);
        for (int s = 0; s < p.stages; s++) assert_true(sup_pattern_stage(&p, s, NULL) > 0);
        sup_pattern_free(&p);
        x.of[0][0] = count;
        assert_int_equal(stack(&x.h, kinds, &p), SUP_EINVAL);
        x.of[0][0] = 0;
        x.h.levels = 1;
        if (count > 1) assert_int_equal(stack(&x.h, kinds, &p), SUP_EINVAL);
    }
}

/* ---- machines whose best barrier is known ---- */

/* Two hosts of 8, cheap inside, dear between: one message each way between them, everything else inside. */
static void two_hosts(void **state) {
    (void)state;
    machine w = {"openmpi", 2, {8, 8}, {5e-8, 1e-7}, {5e-6, 2e-5}, false, NULL, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    const sup_candidate *c = &list.at[choice_of(&list)];
    assert_non_null(strstr(c->name, " in hosts, "));
    assert_string_equal(c->record->algorithm, SUP_PLAN_LEVELS);
    assert_string_equal(c->record->transport, "openmpi");
    assert_int_equal(c->record->hosts_count, 4);
    const int64_t runs[] = {8, 0, 8, 1};
    assert_memory_equal(c->record->hosts, runs, sizeof runs);
    size_t levels = c->record->levels_count;
    assert_string_equal(c->record->levels[levels - 1].algorithm, "dissemination");
    assert_int_equal(c->record->levels[levels - 2].size, 8 / (levels > 2 ? c->record->levels[0].size : 1));
    sup_pattern b;
    int between = 0;
    assert_int_equal(sup_plan_barrier_pattern(c->record, &b), SUP_OK);
    for (int s = 0; s < b.stages; s++) {
        sup_pattern_edge e[256];
        for (size_t n = sup_pattern_stage(&b, s, e); n-- > 0;) between += e[n].from / 8 != e[n].to / 8;
    }
    assert_int_equal(between, 2);
    sup_pattern_free(&b);
    close_all(&list, m, p);
}

/* A signal inside costs its sender much, and a word that many read little: flags inside, an exchange between. */
static void flags_inside(void **state) {
    (void)state;
    static const char *const signals =
        "{\"transport\":\"openmpi\",\"class\":\"host\",\"send_s\":{\"value\":1e-6,\"ci\":0,\"n\":9},\"travel_s\":"
        "{\"value\":1e-7,\"ci\":0,\"n\":9},\"receive_s\":{\"value\":1e-8,\"ci\":0,\"n\":9},\"readers\":[1,7],"
        "\"publish_s\":[1.1e-6,1.3e-6]},{\"transport\":\"openmpi\",\"class\":\"all\",\"send_s\":{\"value\":5e-6,\"ci\":"
        "0,"
        "\"n\":9},\"travel_s\":{\"value\":2e-5,\"ci\":0,\"n\":9},\"receive_s\":{\"value\":1e-6,\"ci\":0,\"n\":9}}";
    machine w = {"openmpi", 2, {8, 8}, {5e-8, 1e-7}, {5e-6, 2e-5}, false, NULL, signals};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    assert_string_equal(list.at[0].name, "flags in hosts, dissemination between");
    assert_int_equal(list.at[0].record->levels_count, 2);
    assert_string_equal(list.at[0].record->levels[0].algorithm, "flags");
    assert_int_equal(list.at[0].record->levels[0].size, 8);
    assert_int_equal(list.at[0].crossing, 2);
    assert_int_equal(list.usual, 0); /* just that is what holds without a plan */
    assert_int_equal(choice_of(&list), 0);
    close_all(&list, m, p);
}

/* Dealt round: clusters are strides. */
static void dealt_round(void **state) {
    (void)state;
    machine w = {"openmpi", 4, {4, 4, 4, 4}, {5e-8, 1e-7}, {5e-6, 2e-5}, true, NULL, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    size_t k = 0;
    while (k < list.count && !strstr(list.at[k].name, " in hosts, ")) k++;
    assert_true(k < list.count);
    const sup_candidate *c = &list.at[k];
    assert_string_equal(c->origin, "search");
    assert_string_equal(c->record->algorithm, SUP_PLAN_LEVELS);
    assert_int_equal(c->record->levels[0].stride, 4);
    assert_int_equal(c->record->levels[0].size, 4);
    assert_int_equal(c->record->hosts_count, 32);
    assert_int_equal(c->crossing, 12); /* everybody with everybody, one of each host */
    close_all(&list, m, p);
}

/* All alike. Starting costs nothing, travelling all: one stage, everybody to everybody. */
static void cheap_gap(void **state) {
    (void)state;
    machine w = {"shm", 1, {12}, {1e-10, 1e-6}, {0, 0}, false, NULL, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    assert_string_equal(list.at[0].name, "dissemination:12");
    assert_int_equal(choice_of(&list), 0);
    assert_int_equal(list.at[0].record->hosts_count, 0);
    close_all(&list, m, p);
}

/* Signals cost their ends all, and nothing on the way: as few as possible for each in a stage. */
static void dear_receive(void **state) {
    (void)state;
    machine w = {"shm", 1, {16}, {1e-6, 1e-10}, {0, 0}, false, NULL, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    assert_int_equal(list.at[0].stages, 4);
    assert_int_equal(list.at[0].signals, 64);
    for (size_t k = 0; k < list.count; k++)
        if (!strcmp(list.at[k].name, "dissemination"))
            assert_true(fabs(list.at[k].cost.value / list.at[0].cost.value - 1) < 1e-9);
    assert_int_equal(choice_of(&list), list.usual); /* nothing to gain */
    close_all(&list, m, p);
}

/* Hosts of 3, 5 and 1: explicit stages, or whatever covers. */
static void irregular(void **state) {
    (void)state;
    machine w = {"openmpi", 3, {3, 5, 1}, {5e-8, 1e-7}, {5e-6, 2e-5}, false, NULL, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    const sup_candidate *c = &list.at[choice_of(&list)];
    const int64_t runs[] = {3, 0, 5, 1, 1, 2};
    assert_int_equal(c->record->hosts_count, 6);
    assert_memory_equal(c->record->hosts, runs, sizeof runs);
    assert_string_equal(list.at[0].record->algorithm, SUP_PLAN_STAGES);
    /* the same of some of them: two of the first host, one of each other */
    sup_candidates some;
    const int64_t ranks[] = {0, 2, 4, 8}, on[] = {2, 0, 1, 1, 1, 2};
    assert_int_equal(sup_candidates_of(m, ranks, 4, NULL, &some), SUP_OK);
    check_all(m, &some);
    for (size_t k = 0; k < some.count; k++) {
        assert_int_equal(some.at[k].record->processes, 4);
        assert_memory_equal(some.at[k].record->hosts, on, sizeof on);
    }
    sup_candidates_free(&some);
    const int64_t wrong[][2] = {{0, 0}, {3, 1}, {-1, 2}, {2, 9}};
    for (int k = 0; k < 4; k++) assert_int_equal(sup_candidates_of(m, wrong[k], 2, NULL, &some), SUP_EINVAL);
    close_all(&list, m, p);
}

/* Random machines, few and many processes. */
static void any_machine(void **state) {
    (void)state;
    sup_random r = {.state = 151};
    for (int turn = 0; turn < 24; turn++) {
        machine w = {
            turn % 3 ? "openmpi" : "shm", 1 + (int)sup_random_below(&r, 4), {0}, {0, 0}, {0, 0}, false, NULL, NULL};
        bool equal = turn % 2;
        if (turn % 3 == 0) w.hosts = 1;
        for (int h = 0; h < w.hosts; h++) w.size[h] = h && equal ? w.size[0] : 1 + (int)sup_random_below(&r, 6);
        w.cyclic = equal && turn % 4 == 1;
        w.near =
            (cost){1e-9 * (double)(1 + sup_random_below(&r, 1000)), 1e-9 * (double)(1 + sup_random_below(&r, 1000))};
        w.far = (cost){w.near.o * (double)(1 + sup_random_below(&r, 50)),
                       w.near.l * (double)(1 + sup_random_below(&r, 50))};
        sup_profile *p = profile_of(&w);
        sup_platform *m = platform_of(p, 0);
        sup_candidates list = candidates_of(m);
        check_all(m, &list);
        close_all(&list, m, p);
    }
}

static void few(void **state) {
    (void)state;
    machine w = {"shm", 1, {3}, {1e-7, 1e-7}, {0, 0}, false, NULL, NULL};
    sup_profile *p = profile_of(&w);
    for (int64_t n = 1; n <= 3; n++) {
        sup_platform *m = platform_of(p, n);
        sup_candidates list = candidates_of(m);
        check_all(m, &list);
        if (n == 1) assert_true(list.at[0].cost.value == 0 && list.at[0].stages == 0);
        if (n == 2) assert_int_equal(list.at[0].stages, 1);
        sup_candidates_free(&list);
        sup_platform_free(m);
    }
    sup_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_7_2),    cmocka_unit_test(figure_7_3),  cmocka_unit_test(greedy_by_price),
        cmocka_unit_test(any_hierarchy), cmocka_unit_test(two_hosts),   cmocka_unit_test(flags_inside),
        cmocka_unit_test(dealt_round),   cmocka_unit_test(cheap_gap),   cmocka_unit_test(dear_receive),
        cmocka_unit_test(irregular),     cmocka_unit_test(any_machine), cmocka_unit_test(few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
