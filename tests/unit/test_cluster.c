/* Clusters by cost: tables 7.1 and 7.2 of BSP exactly, also where every entry is off by up to a fifth; sockets where
 * costs say so and not where they do not; levels that fit together; platforms and what their topology says; where the
 * two differ. */
#include "../sanitized.h"
#include "model/cluster/cluster.h"

#include "base/number/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- machines ---- */

/* Processes on hosts of two sockets. By blocks: `each` consecutive ones a host; dealt: host is rank mod hosts. O as in
 * the document: signals to neighbours in the same memory 10⁻⁶ s, through gigabit Ethernet tens of them. */
typedef struct machine {
    int64_t processes, hosts, each; /* each 0: dealt */
    double core, socket, host;
} machine;

static int64_t host_of(const machine *m, int64_t p) { return m->each ? p / m->each : p % m->hosts; }
static int64_t slot_of(const machine *m, int64_t p) { return m->each ? p % m->each : p / m->hosts; }
static int64_t socket_of(const machine *m, int64_t p) {
    int64_t each = m->each ? m->each : (m->processes + m->hosts - 1) / m->hosts;
    return slot_of(m, p) / ((each + 1) / 2);
}

static double cost(const machine *m, int64_t i, int64_t j) {
    if (host_of(m, i) != host_of(m, j)) return m->host;
    return socket_of(m, i) == socket_of(m, j) ? m->core : m->socket;
}

/* Every entry for itself times 1 ± noise. */
static double *matrix_of(const machine *m, double noise, uint64_t seed) {
    int64_t n = m->processes;
    double *d = malloc((size_t)n * (size_t)n * sizeof *d);
    sup_random r = {.state = seed};
    assert_non_null(d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double u = (double)(sup_random_next(&r) >> 11) * 0x1p-53;
            d[i * n + j] = i == j ? 1e-7 : cost(m, i, j) * (1 + noise * (2 * u - 1));
        }
    return d;
}

static const machine table_1 = {60, 8, 0, 1e-6, 1.3e-6, 4e-5}, table_2 = {115, 10, 12, 1e-6, 1.3e-6, 4e-5};

static sup_hierarchy find(const machine *m, double noise, uint64_t seed) {
    sup_hierarchy h;
    double *d = matrix_of(m, noise, seed);
    assert_int_equal(sup_hierarchy_find(d, m->processes, SUP_CLUSTER_SPARSENESS, &h), SUP_OK);
    free(d);
    return h;
}

/* Levels fit: members of one are the clusters of the one inside; pivots are the first of theirs, in order. */
static void check_shape(const sup_hierarchy *h) {
    assert_true(h->levels >= 1);
    assert_int_equal(h->level[h->levels - 1].count, 1);
    for (size_t l = 0; l < h->levels; l++) {
        const sup_clusters *c = &h->level[l];
        assert_int_equal(c->members, l ? h->level[l - 1].count : h->processes);
        if (l || c->members > 1) assert_true(c->count < c->members);
        int64_t met = 0;
        for (int64_t m = 0; m < c->members; m++) {
            assert_in_range(c->of[m], 0, c->count - 1);
            if (c->of[m] == met) {
                assert_int_equal(c->pivot[met], m);
                met++;
            }
            assert_true(c->of[m] < met);
        }
        assert_int_equal(met, c->count);
    }
}

/* At the level below the top: exactly the machine's hosts. */
static void check_hosts(const machine *m, const sup_hierarchy *h) {
    int64_t of[128];
    check_shape(h);
    assert_true(h->levels >= 2);
    assert_int_equal(h->level[h->levels - 2].count, m->hosts);
    sup_hierarchy_labels(h, h->levels - 2, of);
    for (int64_t p = 0; p < m->processes; p++) assert_int_equal(of[p], host_of(m, p));
}

/* ---- the document's tables ---- */

static void test_tables(void **state) {
    (void)state;
    static const machine *const tables[] = {&table_1, &table_2};
    for (int t = 0; t < 2; t++) {
        sup_hierarchy h = find(tables[t], 0, 0);
        sup_clusters c;
        check_hosts(tables[t], &h);
        assert_int_equal(h.levels, 2);
        sup_hierarchy_free(&h);
        double *d = matrix_of(tables[t], 0, 0);
        assert_int_equal(sup_clusters_find(d, tables[t]->processes, 0.35, &c), SUP_OK);
        free(d);
        assert_int_equal(c.count, tables[t]->hosts);
        for (int64_t p = 0; p < c.members; p++) assert_int_equal(c.of[p], host_of(tables[t], p));
        for (int64_t k = 0; k < c.count; k++) assert_int_equal(c.pivot[k], t ? 12 * k : k);
        sup_clusters_free(&c);
    }
    char ranks[64];
    sup_hierarchy h = find(&table_1, 0, 0);
    assert_string_equal(sup_hierarchy_ranks(&h, 0, 4, ranks, sizeof ranks), "4,12,20,28,36,44,52");
    sup_hierarchy_free(&h);
    h = find(&table_2, 0, 0);
    assert_string_equal(sup_hierarchy_ranks(&h, 0, 9, ranks, sizeof ranks), "108-114");
    assert_int_equal(sup_hierarchy_process(&h, 1, 9), 108);
    sup_hierarchy_free(&h);
}

static void test_noise(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 20 : 250); seed++) {
        sup_hierarchy h = find(&table_1, 0.2, seed);
        check_hosts(&table_1, &h);
        assert_int_equal(h.levels, 2); /* sockets at 1.3 are not told apart */
        sup_hierarchy_free(&h);
        h = find(&table_2, 0.2, seed);
        check_hosts(&table_2, &h);
        assert_int_equal(h.levels, 2);
        sup_hierarchy_free(&h);
    }
}

/* Hosts that are only three times as far. */
static void test_near_hosts(void **state) {
    (void)state;
    machine near = {32, 4, 8, 1e-6, 1e-6, 3e-6};
    for (uint64_t seed = 1; seed <= (SANITIZED ? 20 : 200); seed++) {
        sup_hierarchy h = find(&near, 0.2, seed);
        check_hosts(&near, &h);
        sup_hierarchy_free(&h);
    }
}

/* One entry in a hundred is many times too great, on the second machine or too small: also those of pivots. */
static void test_odd_entries(void **state) {
    (void)state;
    static const machine machines[] = {{32, 4, 8, 1e-6, 1e-6, 5e-6}, {60, 8, 0, 1e-6, 1.3e-6, 4e-5}};
    for (int k = 0; k < 2; k++)
        for (uint64_t seed = 1; seed <= (SANITIZED ? 20 : 200); seed++) {
            const machine *m = &machines[k];
            int64_t cells = m->processes * m->processes;
            sup_hierarchy h;
            double *d = matrix_of(m, 0.2, seed);
            sup_random r = {.state = seed};
            for (int64_t n = 0; n < cells / 100; n++) d[sup_random_below(&r, (uint64_t)cells)] *= n % 2 || !k ? 5 : 0.1;
            d[1] *= 5;
            assert_int_equal(sup_hierarchy_find(d, m->processes, 0.35, &h), SUP_OK);
            check_hosts(m, &h);
            free(d);
            sup_hierarchy_free(&h);
        }
}

/* ---- sockets ---- */

static void test_sockets_found(void **state) {
    (void)state;
    static const machine machines[] = {{60, 8, 0, 1e-6, 2e-6, 4e-5},
                                       {115, 10, 12, 1e-6, 2e-6, 4e-5},
                                       {16, 1, 16, 5e-8, 1e-7, 1}};
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
        for (uint64_t seed = 0; seed <= (SANITIZED ? 20 : 100); seed++) {
            const machine *m = &machines[k];
            int64_t of[128], first[128][2];
            sup_hierarchy h = find(m, seed ? 0.2 : 0, seed);
            check_shape(&h);
            assert_int_equal(h.levels, m->hosts > 1 ? 3 : 2);
            if (m->hosts > 1) check_hosts(m, &h);
            sup_hierarchy_labels(&h, 0, of);
            memset(first, -1, sizeof first);
            for (int64_t p = 0; p < m->processes; p++) {
                int64_t *f = &first[host_of(m, p)][socket_of(m, p)];
                if (*f < 0) *f = p;
                assert_int_equal(of[p], of[*f]);
            }
            assert_int_equal(h.level[0].count, 2 * m->hosts);
            sup_hierarchy_free(&h);
        }
}

static void test_sockets_not_found(void **state) {
    (void)state;
    static const machine machines[] = {{60, 8, 0, 1e-6, 1.05e-6, 4e-5},
                                       {16, 1, 16, 5e-8, 5.25e-8, 1},
                                       {4, 1, 4, 1, 1.05, 1},
                                       {3, 1, 3, 1, 1.05, 1}};
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
        for (uint64_t seed = 1; seed <= (SANITIZED ? 20 : 200); seed++) {
            sup_hierarchy h = find(&machines[k], 0.2, seed);
            check_shape(&h);
            assert_int_equal(h.levels, machines[k].hosts > 1 ? 2 : 1);
            sup_hierarchy_free(&h);
        }
}

/* Racks twice as far as hosts, hosts ten times as far as cores: three levels, though 0.35 sees the hosts at once. */
static void test_racks(void **state) {
    (void)state;
    enum { P = 64 };
    double d[P * P];
    sup_random r = {.state = 4};
    for (int i = 0; i < P; i++)
        for (int j = 0; j < P; j++) {
            double u = (double)(sup_random_next(&r) >> 11) * 0x1p-53;
            d[i * P + j] = (i / 8 == j / 8 ? 1 : i / 32 == j / 32 ? 10 : 20) * (0.8 + 0.4 * u);
        }
    sup_hierarchy h;
    assert_int_equal(sup_hierarchy_find(d, P, 0.35, &h), SUP_OK);
    check_shape(&h);
    assert_int_equal(h.levels, 3);
    assert_int_equal(h.level[0].count, 8);
    assert_int_equal(h.level[1].count, 2);
    for (int p = 0; p < P; p++) assert_int_equal(h.level[0].of[p], p / 8);
    for (int k = 0; k < 8; k++) assert_int_equal(h.level[1].of[k], k / 4);
    sup_hierarchy_free(&h);
}

/* ---- odd ones ---- */

static void test_small(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 9; n++) {
        double d[81];
        sup_hierarchy h;
        sup_clusters c;
        for (int64_t k = 0; k < 81; k++) d[k] = 3;
        for (int turn = 0; turn < 2; turn++) { /* all alike, then all at one place */
            assert_int_equal(sup_hierarchy_find(d, n, 0.35, &h), SUP_OK);
            check_shape(&h);
            assert_int_equal(h.levels, 1);
            sup_hierarchy_free(&h);
            assert_int_equal(sup_clusters_find(d, n, 0.35, &c), SUP_OK);
            assert_int_equal(c.count, turn ? 1 : n);
            sup_clusters_free(&c);
            memset(d, 0, sizeof d);
        }
    }
}

static void test_refused(void **state) {
    (void)state;
    double d[4] = {0, 1, 1, 0}, bad[] = {NAN, INFINITY, -1};
    sup_hierarchy h;
    sup_clusters c;
    assert_int_equal(sup_hierarchy_find(d, 0, 0.35, &h), SUP_EINVAL);
    assert_int_equal(sup_hierarchy_find(d, SUP_CLUSTER_MATRIX_MAX + 1, 0.35, &h), SUP_EINVAL);
    assert_int_equal(sup_hierarchy_find(d, 2, 0, &h), SUP_EINVAL);
    assert_int_equal(sup_clusters_find(d, 2, NAN, &c), SUP_EINVAL);
    for (int k = 0; k < 3; k++) {
        d[1] = bad[k];
        assert_int_equal(sup_hierarchy_find(d, 2, 0.35, &h), SUP_EINVAL);
        assert_int_equal(sup_clusters_find(d, 2, 0.35, &c), SUP_EINVAL);
    }
}

/* Any matrix at all gives levels that fit together. */
static void test_random(void **state) {
    (void)state;
    sup_random r = {.state = 11};
    for (int turn = 0; turn < (SANITIZED ? 15 : 400); turn++) {
        int64_t n = 1 + (int64_t)sup_random_below(&r, 24);
        double d[24 * 24];
        for (int64_t k = 0; k < n * n; k++) d[k] = pow(4, (double)sup_random_below(&r, 1 + (uint64_t)(turn % 6)));
        sup_hierarchy h;
        assert_int_equal(sup_hierarchy_find(d, n, 0.35, &h), SUP_OK);
        check_shape(&h);
        sup_hierarchy_free(&h);
    }
}

/* As many as a matrix may have. */
static void test_large(void **state) {
    (void)state;
    if (SANITIZED) skip(); /* sixteen million numbers through the code that the others go through */
    machine m = {4096, 64, 64, 1e-6, 2e-6, 4e-5};
    sup_hierarchy h = find(&m, 0.2, 5);
    check_shape(&h);
    assert_int_equal(h.levels, 3);
    assert_int_equal(h.level[0].count, 128);
    assert_int_equal(h.level[1].count, 64);
    sup_hierarchy_free(&h);
}

/* ---- platforms ---- */

/* Levels of 2 (L2), 4 (package), 8 (host) and all, with these O; processes of them. */
static sup_profile *profile_of(const double overhead[4], int64_t processes, bool as_matrix) {
    static const char *const names[] = {"self", "L2", "package", "host", "network"};
    static const int64_t sizes[] = {1, 2, 4, 8, 0};
    sup_diag diag = {0};
    char text[2000];
    size_t used = (size_t)
        snprintf(text, sizeof text,
                 "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"t\","
                 "\"signature\":{\"topology\":\"t\",\"cpu\":\"c\",\"cores\":8,\"hosts\":%d,"
                 "\"processes\":%d,\"transport\":\"openmpi\",\"placement\":[{\"host\":0,\"hosts\":%d,"
                 "\"cores\":[0,1,2,3,4,5,6,7]}]},\"pairs\":[{\"transport\":\"openmpi\",\"processes\":%d,",
                 (int)(processes / 8), (int)processes, (int)(processes / 8), (int)processes);
    if (as_matrix) {
        used += (size_t)snprintf(text + used, sizeof text - used, "\"matrix\":[1,0");
        for (int64_t k = 1; k < processes * processes; k++) {
            int64_t i = k / processes, j = k % processes;
            int class = i == j ? 0 : i / 2 == j / 2 ? 1 : i / 4 == j / 4 ? 2 : i / 8 == j / 8 ? 3 : 4;
            used += (size_t)snprintf(text + used, sizeof text - used, ",1,%d", class);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "],");
    } else {
        for (int l = 0; l < 5; l++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s{\"name\":\"%s\",\"size\":%d,\"classes\":[%d]}",
                                 l ? "," : "\"levels\":[", names[l], (int)sizes[l], l);
        used += (size_t)snprintf(text + used, sizeof text - used, "],");
    }
    for (int l = 0; l < 5; l++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"name\":\"%s\",\"overhead_s\":{\"value\":%g,\"n\":9}%s}",
                                 l ? "," : "\"classes\":[", names[l], l ? overhead[l - 1] : 1e-8,
                                 l ? ",\"latency_s\":{\"value\":1e-6,\"n\":9},\"per_byte_s\":{\"value\":1e-9,\"n\":9}"
                                   : "");
    snprintf(text + used, sizeof text - used, "]}]}");
    sup_json *doc = NULL;
    sup_profile *profile = NULL;
    if (sup_json_parse("p", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, "p", &diag, &profile)) fail_msg("%s", diag.text);
    sup_json_free(doc);
    return profile;
}

static sup_platform *platform_of(const sup_profile *profile, int64_t processes) {
    sup_diag diag = {0};
    sup_platform *m = NULL;
    sup_platform_options o = {.processes = processes};
    if (sup_platform_open(profile, &o, &diag, &m)) fail_msg("%s", diag.text);
    return m;
}

static void check_counts(const sup_hierarchy *h, size_t levels, const int64_t *counts) {
    check_shape(h);
    assert_int_equal(h->levels, levels);
    for (size_t l = 0; l < levels; l++) assert_int_equal(h->level[l].count, counts[l]);
}

static void test_platform(void **state) {
    (void)state;
    double overhead[] = {1e-7, 1.1e-7, 3e-7, 9e-6}; /* L2s are not told apart, packages and hosts are */
    for (int form = 0; form < 3; form++) {
        int64_t n = form == 2 ? 8192 : 16;
        sup_profile *profile = profile_of(overhead, n, form == 1);
        sup_platform *m = platform_of(profile, 0);
        sup_diag diag = {0};
        sup_hierarchy costs, topology;
        assert_int_equal(sup_hierarchy_of_platform(m, 0.35, &diag, &costs), SUP_OK);
        check_counts(&costs, 3, (int64_t[]){n / 4, n / 8, 1});
        for (int64_t p = 0; p < n; p++) assert_int_equal(costs.level[0].of[p], p / 4);
        assert_int_equal(sup_hierarchy_of_topology(m, &diag, &topology), SUP_OK);
        check_counts(&topology, 4, (int64_t[]){n / 2, n / 4, n / 8, 1});
        assert_string_equal(topology.level[0].name, "L2");
        assert_string_equal(topology.level[2].name, "host");
        sup_hierarchy_free(&topology);
        sup_hierarchy_free(&costs);
        sup_platform_free(m);
        sup_profile_free(profile);
    }
}

/* O of each ordered pair counts before that of classes; what-ifs apply. */
static void test_platform_each(void **state) {
    (void)state;
    sup_profile *profile = profile_of((double[]){1e-7, 1e-7, 1e-7, 1e-7}, 16, false);
    sup_pair_each *each = profile->pairs[0].each = sup_record_make(&sup_pair_each_record);
    sup_diag diag = {0};
    sup_hierarchy h;
    assert_non_null(each);
    each->overhead_s = calloc(256, sizeof *each->overhead_s);
    each->overhead_s_count = 256;
    for (int k = 0; k < 256; k++) /* odd and even are far apart, though topology knows nothing of that */
        each->overhead_s[k] = (k / 16 + k) % 2 ? 9e-7 : 1e-7;
    for (int turn = 0; turn < 3; turn++) { /* as it is, with a what-if, and where one is not known: then by classes */
        if (turn == 2) each->overhead_s[1] = 0;
        sup_platform_options o = {.what_if = turn == 1 ? "O[0:15,0:15]*2" : NULL};
        sup_platform *m = NULL;
        if (sup_platform_open(profile, &o, &diag, &m)) fail_msg("%s", diag.text);
        assert_int_equal(sup_hierarchy_of_platform(m, 0.35, &diag, &h), SUP_OK);
        check_counts(&h, turn < 2 ? 2 : 1, turn < 2 ? (int64_t[]){2, 1} : (int64_t[]){1});
        for (int64_t p = 0; p < 16 && turn < 2; p++) assert_int_equal(h.level[0].of[p], p % 2);
        sup_hierarchy_free(&h);
        sup_platform_free(m);
    }
    sup_profile_free(profile);
}

/* A profile without pairs says where the hosts are, and nothing else; a sparseness of nothing is refused. */
static void test_platform_refused(void **state) {
    (void)state;
    static const char text[] = "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\","
                               "\"tool\":\"t\",\"signature\":{\"topology\":\"t\",\"cpu\":\"c\","
                               "\"cores\":8,\"hosts\":2,\"processes\":4,\"transport\":\"shm\",\"placement\":"
                               "[{\"host\":0,\"hosts\":2,\"cores\":[0,1],\"order\":\"cyclic\"}]}}";
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_profile *profile = NULL;
    sup_hierarchy h;
    if (sup_json_parse("p", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, "p", &diag, &profile)) fail_msg("%s", diag.text);
    sup_platform *m = platform_of(profile, 4);
    assert_int_equal(sup_hierarchy_of_platform(m, 0.35, &diag, &h), SUP_ENOENT);
    assert_non_null(strstr(diag.text, "superstep measure"));
    assert_int_equal(sup_hierarchy_of_topology(m, &diag, &h), SUP_OK);
    check_counts(&h, 2, (int64_t[]){2, 1});
    assert_int_equal(h.level[0].of[2], 0);
    sup_hierarchy_free(&h);
    assert_int_equal(sup_hierarchy_of_platform(m, 0, &diag, &h), SUP_EINVAL);
    sup_platform_free(m);
    sup_profile_free(profile);
    profile = profile_of((double[]){1e-7, 1e-7, 1e-7, 1e-7}, 16, false);
    free(profile->pairs[0].classes[3].overhead_s); /* nobody knows O between packages */
    profile->pairs[0].classes[3].overhead_s = NULL;
    m = platform_of(profile, 0);
    assert_int_equal(sup_hierarchy_of_platform(m, 0.35, &diag, &h), SUP_ENOENT);
    assert_non_null(strstr(diag.text, "0 and 4"));
    sup_platform_free(m);
    sup_json_free(doc);
    sup_profile_free(profile);
}

/* ---- where they differ ---- */

static sup_hierarchy made(int64_t processes, int levels, const int64_t label[][8], const char *const *names) {
    sup_hierarchy h;
    assert_int_equal(sup_hierarchy_start(processes, &h), SUP_OK);
    for (int l = 0; l < levels; l++) assert_int_equal(sup_hierarchy_add(&h, label[l], names ? names[l] : NULL), SUP_OK);
    assert_int_equal(sup_hierarchy_finish(&h, "machine"), SUP_OK);
    check_shape(&h);
    return h;
}

static void check_differences(const sup_hierarchy *costs, const sup_hierarchy *topology, size_t count,
                              const char *const *texts) {
    sup_cluster_difference *d = NULL;
    size_t n = 0;
    assert_int_equal(sup_hierarchy_compare(costs, topology, &d, &n), SUP_OK);
    assert_int_equal(n, count);
    for (size_t k = 0; k < n; k++) {
        char text[256];
        assert_string_equal(sup_cluster_difference_text(&d[k], text, sizeof text), texts[k]);
    }
    free(d);
}

static void test_compare(void **state) {
    (void)state;
    static const int64_t halves[][8] = {{0, 0, 0, 0, 1, 1, 1, 1}}, middle[][8] = {{0, 0, 0, 1, 1, 2, 2, 2}},
                         quarters[][8] = {{0, 0, 1, 1, 2, 2, 3, 3}, {0, 0, 0, 0, 1, 1, 1, 1}};
    static const char *const names[] = {"L2", "package"}, *const package[] = {"package"};
    sup_hierarchy flat = made(8, 0, NULL, NULL), two = made(8, 1, halves, package), cost = made(8, 1, halves, NULL),
                  odd = made(8, 1, middle, NULL), four = made(8, 2, quarters, names);
    check_differences(&cost, &two, 0, NULL);
    check_differences(&flat, &two, 1,
                      (const char *[]){
                          "processes 0-3 share one package, but cost does not tell them from others, and 1 "
                          "more such group"});
    check_differences(&cost, &flat, 1,
                      (const char *[]){"cost sets processes 0-3 apart inside one machine, and 1 more such group"});
    check_differences(&cost, &four, 1,
                      (const char *[]){
                          "processes 0-1 share one L2, but cost does not tell them from others, and 3 more "
                          "such groups"});
    check_differences(
        &odd, &two, 3,
        (const char *[]){"processes 0-3 share one package, but cost does not tell them from others, and 1 "
                         "more such group",
                         "cost sets processes 0-2 apart inside one package, and 1 more such group",
                         "cost joins processes 3-4, which do not share one package"});
    sup_cluster_difference *d;
    size_t n;
    sup_hierarchy small = made(4, 0, NULL, NULL);
    assert_int_equal(sup_hierarchy_compare(&small, &two, &d, &n), SUP_EINVAL);
    sup_hierarchy_free(&small);
    sup_hierarchy_free(&four);
    sup_hierarchy_free(&odd);
    sup_hierarchy_free(&cost);
    sup_hierarchy_free(&two);
    sup_hierarchy_free(&flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_near_hosts),
        cmocka_unit_test(test_sockets_found),
        cmocka_unit_test(test_sockets_not_found),
        cmocka_unit_test(test_racks),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_platform),
        cmocka_unit_test(test_platform_refused),
        cmocka_unit_test(test_odd_entries),
        cmocka_unit_test(test_platform_each),
        cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
