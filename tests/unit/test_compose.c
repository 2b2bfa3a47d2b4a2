/* Machines composed of measured parts: which class a pair is of, how nodes share their link, rules for cores that
 * nobody measured, what is refused, and that nothing grows with the number of processes. */
#include "model/compose/compose.h"
#include "profile/channel.h"
#include "profile/composed.h"

#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double got, double wanted, double relative) {
    if (!(fabs(got - wanted) <= relative * fabs(wanted))) {
        print_error("got %g, wanted %g within %g %%\n", got, wanted, 100.0 * relative);
        fail();
    }
}

static sup_profile *read_profile(const char *name) {
    char path[512];
    sup_diag diag = {0};
    sup_profile *p = NULL;
    snprintf(path, sizeof path, SUP_TEST_DATA "/%s", name);
    if (sup_profile_read(path, false, &diag, &p)) fail_msg("%s: %s", path, diag.text);
    return p;
}

static sup_compose_options of(int64_t nodes, int64_t cores, const char *transport) {
    return (sup_compose_options){.node = "two-core",
                                 .nodes = nodes,
                                 .cores = cores,
                                 .transport = transport,
                                 .link = {.link = sup_link_find("ib-hdr")},
                                 .now_unix_s = 0};
}

static sup_profile *compose(const sup_profile *node, sup_compose_options o) {
    sup_diag diag = {0};
    sup_profile *made = NULL;
    if (sup_compose(node, &o, &diag, &made)) fail_msg("%s", diag.text);
    return made;
}

static void refuse(const sup_profile *node, sup_compose_options o, sup_status wanted, const char *why) {
    sup_diag diag = {0};
    sup_profile *made = NULL;
    assert_int_equal(sup_compose(node, &o, &diag, &made), wanted);
    if (!strstr(diag.text, why)) fail_msg("\"%s\" does not say \"%s\"", diag.text, why);
}

static const char *class_name(const sup_pairs *p, int64_t i, int64_t j) {
    return p->classes[sup_pairs_class(p, i, j)].name;
}

static bool has_rule(const sup_profile *p, const char *words) {
    for (size_t i = 0; i < p->composed->rules_count; i++)
        if (strstr(p->composed->rules[i], words)) return true;
    return false;
}

/* ---- nodes and their link ---- */

static void pairs_by_level(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json"), *p = compose(node, of(4, 0, NULL));
    const sup_link *link = sup_link_find("ib-hdr");
    assert_int_equal(p->pairs_count, 1); /* shm does not reach other nodes */
    const sup_pairs *pairs = sup_profile_pairs(p, "openmpi"), *own = sup_profile_pairs(node, "openmpi");
    assert_non_null(pairs);
    assert_int_equal(pairs->processes, 8);
    for (int64_t i = 0; i < 8; i++)
        for (int64_t j = 0; j < 8; j++)
            assert_string_equal(class_name(pairs, i, j), i / 2 == j / 2 ? class_name(own, i % 2, j % 2) : "ib-hdr");
    const sup_pair_class *c = &pairs->classes[sup_pairs_class(pairs, 1, 2)];
    assert_near(c->latency_s->value, link->latency_s, 1e-12);
    assert_near(c->latency_s->ci, 0.5 * link->latency_s, 1e-12);
    assert_near(c->per_byte_s->value, 1 / link->bandwidth_bytes_per_s, 1e-12);
    assert_near(c->per_byte_s->ci, 0.15 / link->bandwidth_bytes_per_s, 1e-12);
    assert_near(c->overhead_s->value, link->overhead_s, 1e-12);
    assert_int_equal(c->measured, 0);
    sup_profile_free(p);
    sup_profile_free(node);
}

static void says_what_it_is(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json"), *p = compose(node, of(64, 0, NULL));
    char text[SUP_COMPOSED_TEXT];
    assert_int_equal(p->signature.hosts, 64);
    assert_int_equal(p->signature.processes, 128);
    assert_string_equal(p->signature.transport, "openmpi");
    assert_int_equal(p->signature.placement_count, 0);
    assert_string_not_equal(p->signature.topology, node->signature.topology);
    assert_int_equal(p->visits_count, 0);
    assert_int_equal(p->kernels_count, node->kernels_count);
    sup_composed_text(p->composed, text, sizeof text);
    assert_non_null(strstr(text, "composed of 64 nodes like two-core (2 measured), link ib-hdr (source: "));
    assert_int_equal(sup_profile_measured(node, "x", NULL), SUP_OK);
    assert_int_equal(sup_profile_measured(p, "x", NULL), SUP_EMISMATCH);
    /* as a file: written and read, to the byte */
    char *first = NULL, *second = NULL;
    size_t length = 0;
    sup_json *doc = NULL;
    sup_profile *again = NULL;
    assert_int_equal(sup_profile_text(p, NULL, &first, &length), SUP_OK);
    assert_int_equal(sup_json_parse("composed", first, length, NULL, &doc), SUP_OK);
    assert_int_equal(sup_profile_parse(doc, true, NULL, &again), SUP_OK);
    assert_int_equal(sup_profile_text(again, NULL, &second, NULL), SUP_OK);
    assert_string_equal(first, second);
    free(first);
    free(second);
    sup_json_free(doc);
    sup_profile_free(again);
    sup_profile_free(p);
    sup_profile_free(node);
}

static const sup_channel *network(const sup_profile *p) {
    for (size_t i = 0; i < p->channels_count; i++)
        if (!strcmp(p->channels[i].name, "network")) return &p->channels[i];
    return NULL;
}

static void nodes_share_their_link(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json"), *p = compose(node, of(4, 0, NULL));
    const sup_link *link = sup_link_find("ib-hdr");
    const sup_channel *c = network(p);
    assert_non_null(c);
    assert_true(c->number > 0);
    assert_string_equal(c->transport, "openmpi");
    double m = 1 << 20;
    for (int tau = 1; tau <= 2; tau++)
        assert_near(sup_transfer_at(c->transfer, m, tau), link->latency_s + tau * m / link->bandwidth_bytes_per_s,
                    1e-9);
    sup_profile_free(p);
    sup_profile_free(node);
}

static void a_million_take_no_room(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json");
    size_t before = mallinfo2().uordblks;
    sup_profile *p = compose(node, of(524288, 0, NULL));
    size_t after = mallinfo2().uordblks;
    assert_int_equal(p->pairs[0].processes, 1 << 20);
    assert_true(after < before + (1 << 20));
    assert_string_equal(class_name(&p->pairs[0], 1048574, 1048575), class_name(&p->pairs[0], 0, 1));
    assert_string_equal(class_name(&p->pairs[0], 0, 1048575), "ib-hdr");
    sup_profile_free(p);
    sup_profile_free(node);
}

static void shared_memory_stands_for_mpi(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json"), *p = compose(node, of(4, 0, "shm"));
    assert_string_equal(p->signature.transport, SUP_COMPOSE_MPI);
    assert_non_null(sup_profile_pairs(p, SUP_COMPOSE_MPI));
    assert_null(sup_profile_pairs(p, "shm"));
    assert_true(p->sync_count > 0);
    assert_string_equal(p->sync[0].transport, SUP_COMPOSE_MPI);
    assert_true(has_rule(p, "shared memory stand for MPI"));
    sup_profile_free(p);
    p = compose(node, of(1, 0, NULL)); /* one node keeps what it has */
    assert_string_equal(p->signature.transport, "shm");
    assert_int_equal(p->pairs_count, node->pairs_count);
    assert_false(has_rule(p, "link"));
    sup_profile_free(p);
    sup_profile_free(node);
}

/* ---- cores that nobody measured ---- */

static const sup_kernel_rate *rate_of(const sup_profile *p, const char *kernel, int64_t active) {
    const sup_kernel_profile *k = sup_profile_kernel(p, kernel);
    for (size_t i = 0; k && i < k->rates_count; i++)
        if (k->rates[i].active == active) return &k->rates[i];
    return NULL;
}

/* A kernel of 16 bytes a unit whose unit takes 1 ns in caches and 2 ns beyond them, on two cores. */
static void add_kernel(sup_profile *p) {
    sup_kernel_profile *k = SUP_APPEND(&sup_kernel_record, p->kernels, p->kernels_count);
    sup_record_set_string(&k->name, "stream");
    sup_record_set_string(&k->unit, "element");
    k->bytes_per_unit = 16;
    sup_kernel_rate *r = SUP_APPEND(&sup_kernel_rate_record, k->rates, k->rates_count);
    r->active = 2;
    r->unit_s = sup_record_make(&sup_file_curve_record);
    const sup_segment s[] = {{1024, 1 << 20, 1e-9, 0, 0.01, 9}, {64 << 20, 256 << 20, 2e-9, 0, 0.01, 9}};
    sup_curve *curve = NULL;
    assert_int_equal(sup_curve_make(s, 2, 0, NULL, &curve), SUP_OK);
    assert_int_equal(sup_file_curve_set(r->unit_s, curve), SUP_OK);
    sup_curve_free(curve);
}

static void more_cores_by_rule(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json");
    add_kernel(node);
    sup_profile *p = compose(node, of(4, 8, "shm"));
    const sup_kernel_rate *r = rate_of(p, "stream", 8);
    assert_non_null(r);
    assert_near(sup_curve_at(r->unit_s->curve, 65536), 1e-9, 1e-9);
    sup_prediction inside = sup_curve_predict(r->unit_s->curve, 65536, 0.95);
    assert_true(inside.high < 1.1 * inside.value);
    /* eight cores have what two had: a quarter each */
    sup_prediction beyond = sup_curve_predict(r->unit_s->curve, 200 << 20, 0.95);
    assert_near(beyond.value, 8e-9, 1e-6);
    assert_true(beyond.high >= 1.5 * beyond.value && beyond.low <= 0.5 * beyond.value);
    assert_non_null(rate_of(p, "stream", 2)); /* what was measured is still there */
    assert_near(sup_curve_at(rate_of(p, "stream", 2)->unit_s->curve, 200 << 20), 2e-9, 1e-9);
    size_t seen = 0;
    for (size_t i = 0; i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        if (s->processes != 8) continue;
        for (size_t j = 0; j < p->sync_count; j++)
            if (p->sync[j].processes == 2 && !strcmp(p->sync[j].algorithm, s->algorithm)) {
                double times = strcmp(s->algorithm, "linear") ? 3 : 4;
                assert_near(s->time_s->value, times * p->sync[j].time_s->value, 1e-9);
                assert_true(s->time_s->ci >= 0.5 * s->time_s->value);
                seen++;
            }
    }
    assert_true(seen > 0);
    const sup_pairs *pairs = sup_profile_pairs(p, SUP_COMPOSE_MPI);
    assert_int_equal(pairs->processes, 32);
    assert_string_equal(class_name(pairs, 0, 7), class_name(pairs, 0, 1));
    assert_string_equal(class_name(pairs, 7, 8), "ib-hdr");
    const sup_number *latency = pairs->classes[sup_pairs_class(pairs, 0, 7)].latency_s;
    assert_true(latency->ci >= 0.5 * latency->value);
    assert_true(has_rule(p, "memory bandwidth") && has_rule(p, "barriers of 8"));
    sup_profile_free(p);
    sup_profile_free(node);
}

static void fewer_cores(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json"), *p = compose(node, of(3, 1, "openmpi"));
    const sup_pairs *pairs = &p->pairs[0];
    assert_int_equal(pairs->processes, 3);
    assert_string_equal(class_name(pairs, 2, 2), "self");
    assert_string_equal(class_name(pairs, 0, 1), "ib-hdr");
    sup_profile_free(p);
    sup_profile_free(node);
}

/* ---- exchanges ---- */

static void add_exchange(sup_profile *p, int shape) {
    sup_exchange_time *x = SUP_APPEND(&sup_exchange_record, p->exchanges, p->exchanges_count);
    sup_record_set_string(&x->transport, "openmpi");
    x->processes = 2;
    x->shape = shape;
    x->move = SUP_MOVE_PUT;
    x->records = 1;
    const sup_segment s = {0, 1 << 20, 1e-6, 1e-10, 0.02, 9};
    sup_curve *curve = NULL;
    assert_int_equal(sup_curve_make(&s, 1, 0, NULL, &curve), SUP_OK);
    x->calls_s = sup_record_make(&sup_file_curve_record);
    x->sync_s = sup_record_make(&sup_file_curve_record);
    assert_int_equal(sup_file_curve_set(x->calls_s, curve), SUP_OK);
    assert_int_equal(sup_file_curve_set(x->sync_s, curve), SUP_OK);
    sup_curve_free(curve);
}

static void exchanges_by_rule(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json");
    add_exchange(node, SUP_EXCHANGE_ONE);
    add_exchange(node, SUP_EXCHANGE_SHIFT);
    sup_profile *p = compose(node, of(2, 0, NULL));
    assert_int_equal(p->exchanges_count, 2);
    assert_int_equal(p->exchanges[0].processes, 2);
    sup_profile_free(p);
    p = compose(node, of(2, 8, NULL));
    assert_int_equal(p->exchanges_count, 2); /* of more processes by these */
    assert_int_equal(p->exchanges[1].processes, 2);
    assert_true(has_rule(p, "exchanges of 8 processes in a node are priced by those of 2"));
    sup_profile_free(p);
    p = compose(node, of(2, 0, "shm")); /* of another transport */
    assert_int_equal(p->exchanges_count, 0);
    sup_profile_free(p);
    sup_profile_free(node);
}

/* ---- pairs without levels, levels that do not fit ---- */

/* Pairs over openmpi become those of so many processes, of which class c(i,j) says. */
static sup_profile *with_matrix(int64_t processes, uint16_t (*class_of)(int64_t, int64_t)) {
    sup_profile *p = read_profile("profile/two-core.json");
    uint16_t *classes = calloc((size_t)(processes * processes), sizeof *classes);
    assert_non_null(classes);
    for (int64_t i = 0; i < processes * processes; i++) classes[i] = class_of(i / processes, i % processes);
    sup_pairs *pairs = &p->pairs[1];
    assert_string_equal(pairs->transport, "openmpi");
    sup_pair_class *far = SUP_APPEND(&sup_pair_class_record, pairs->classes, pairs->classes_count);
    assert_int_equal(sup_record_copy(&sup_pair_class_record, &pairs->classes[1], far), SUP_OK);
    sup_record_set_string(&far->name, "far");
    far->latency_s->value *= 3;
    for (size_t i = 0; i < pairs->levels_count; i++) sup_record_clear(&sup_pair_level_record, &pairs->levels[i]);
    free(pairs->levels);
    pairs->levels = NULL;
    pairs->levels_count = 0;
    assert_int_equal(sup_pairs_set_matrix(pairs, processes, classes), SUP_OK);
    p->signature.processes = processes;
    free(classes);
    return p;
}

static uint16_t in_twos(int64_t i, int64_t j) { return i == j ? 0 : i / 2 == j / 2 ? 1 : 2; }
static uint16_t odd_one(int64_t i, int64_t j) { return i == j ? 0 : i + j == 4 ? 2 : 1; }

static void matrices(void **state) {
    (void)state;
    sup_profile *node = with_matrix(4, in_twos), *p = compose(node, of(2, 0, "openmpi"));
    const sup_pairs *pairs = &p->pairs[0];
    assert_int_equal(pairs->matrix_count, 0);
    for (int64_t i = 0; i < 8; i++)
        for (int64_t j = 0; j < 8; j++)
            assert_int_equal(sup_pairs_class(pairs, i, j), i / 4 == j / 4 ? in_twos(i % 4, j % 4) : 3);
    sup_profile_free(p);
    p = compose(node, of(2, 3, "openmpi")); /* twos do not fill nodes of three */
    assert_string_equal(class_name(&p->pairs[0], 0, 1), "far");
    assert_string_equal(class_name(&p->pairs[0], 2, 3), "ib-hdr");
    assert_true(has_rule(p, "do not fill nodes of 3"));
    sup_profile_free(p);
    sup_profile_free(node);
    node = with_matrix(4, odd_one);
    p = compose(node, of(2, 0, "openmpi"));
    assert_string_equal(class_name(&p->pairs[0], 0, 1), "far");
    assert_string_equal(class_name(&p->pairs[0], 3, 3), "self");
    assert_true(has_rule(p, "follow no order"));
    sup_profile_free(p);
    sup_profile_free(node);
}

/* ---- links ---- */

static void link_of_a_profile(void **state) {
    (void)state;
    sup_profile *two = read_profile("model/two-hosts.json"), *node = read_profile("profile/two-core.json");
    const sup_pairs *pairs = &two->pairs[0];
    const sup_pair_class *between = &pairs->classes[sup_pairs_class(pairs, 0, 7)];
    sup_link link;
    sup_compose_options o = of(4, 0, NULL);
    sup_diag diag = {0};
    assert_int_equal(sup_compose_link_of(two, "two-hosts", NULL, &diag, &link, &o.link), SUP_OK);
    assert_near(link.latency_s, between->latency_s->value, 1e-12);
    sup_profile *p = compose(node, o);
    assert_string_equal(p->composed->link, "two-hosts");
    assert_null(p->composed->link_source);
    const sup_pairs *made = &p->pairs[0];
    const sup_pair_class *c = &made->classes[sup_pairs_class(made, 0, 2)];
    assert_near(c->latency_s->value, between->latency_s->value, 1e-12);
    assert_near(c->per_byte_s->value, between->per_byte_s->value, 1e-12);
    sup_record_clear(&sup_link_record, &link);
    sup_profile_free(p);
    assert_int_equal(sup_compose_link_of(node, "two-core", NULL, &diag, &link, &o.link), SUP_EINVAL);
    sup_profile_free(node);
    sup_profile_free(two);
}

static void table_of_links(void **state) {
    (void)state;
    for (size_t i = 0; i < sup_links_count; i++) {
        const sup_link *l = &sup_links[i];
        assert_int_equal(sup_record_check(&sup_link_record, l, NULL), SUP_OK);
        assert_ptr_equal(sup_link_find(l->name), l); /* no name twice */
        assert_true(l->uncertainty >= 0.5);          /* borrowed */
        assert_true(strlen(l->source) > 20);
    }
    assert_null(sup_link_find("carrier-pigeon"));
    assert_string_equal(sup_link_nearest("ib-hrd"), "ib-hdr");
}

/* ---- refusals ---- */

static void refusals(void **state) {
    (void)state;
    sup_profile *node = read_profile("profile/two-core.json"), *two = read_profile("model/two-hosts.json");
    refuse(node, of(0, 0, NULL), SUP_EINVAL, "at least one node");
    refuse(node, of(8388609, 0, NULL), SUP_EINVAL, "too many");
    refuse(node, of(INT64_MAX, 2, NULL), SUP_EINVAL, "too many");
    refuse(node, of(2, SUP_COMPOSE_CORES_MAX + 1, NULL), SUP_EINVAL, "cores");
    refuse(node, of(2, 0, "mpich"), SUP_ENOENT, "no pairs");
    refuse(two, of(2, 0, NULL), SUP_EINVAL, "of 2 hosts");
    sup_compose_options alone = of(2, 0, NULL);
    alone.link.link = NULL;
    refuse(node, alone, SUP_EINVAL, "need a link");
    sup_profile *made = compose(node, of(8388608, 0, NULL));
    assert_int_equal(made->signature.processes, 1 << 24);
    refuse(made, of(2, 0, NULL), SUP_EINVAL, "composed itself");
    sup_profile_free(made);
    sup_profile_free(two);
    sup_profile_free(node);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_by_level),
        cmocka_unit_test(says_what_it_is),
        cmocka_unit_test(nodes_share_their_link),
        cmocka_unit_test(a_million_take_no_room),
        cmocka_unit_test(shared_memory_stands_for_mpi),
        cmocka_unit_test(more_cores_by_rule),
        cmocka_unit_test(fewer_cores),
        cmocka_unit_test(exchanges_by_rule),
        cmocka_unit_test(matrices),
        cmocka_unit_test(link_of_a_profile),
        cmocka_unit_test(table_of_links),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
