/* Plans: barriers that are none, partitions that leave gaps and tables that do not fit are refused; generators give the
 * patterns of the document; look-ups find the row that is meant. */
#include "plan/defaults.h"
#include "plan/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                      \
    "{\"kind\": \"superstep-plan\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"superstep " \
    "0\",\n"                                                                                                      \
    " \"signature\": {\"topology\": \"abc\", \"cpu\": \"x\", \"cores\": 2, \"hosts\": 1, \"processes\": 4, "      \
    "\"transport\": \"shm\"},\n"

static sup_status parse_text(const char *text, bool strict, sup_diag *diag, sup_plan **out) {
    sup_json *doc = NULL;
    sup_status status = sup_json_parse("plan.json", text, strlen(text), diag, &doc);
    if (status) return status;
    status = sup_plan_parse(doc, strict, diag, out);
    sup_json_free(doc);
    return status;
}

/* A plan with one more section. */
static sup_plan *plan_with(const char *section) {
    char text[4096];
    snprintf(text, sizeof text, HEAD " %s}\n", section);
    sup_plan *plan = NULL;
    sup_diag d = {0};
    if (parse_text(text, true, &d, &plan)) fail_msg("%d: %s\n%s", d.line, d.text, text);
    return plan;
}

static void refuse(const char *section, int line, const char *part) {
    char text[4096];
    snprintf(text, sizeof text, HEAD " %s}\n", section);
    sup_plan *plan = NULL;
    sup_diag d = {0};
    sup_status status = parse_text(text, true, &d, &plan);
    if (status != SUP_EPARSE || d.line != line || !strstr(d.text, part))
        fail_msg("%s: status %d line %d: %s", section, status, d.line, d.text);
    assert_null(plan);
}

static void barriers_that_are_none(void **state) {
    (void)state;
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"star\"}", 3,
           "\"algorithm\" must be one of: linear, tree, dissemination");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"star\"}", 3, ", levels, stages");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"levels\", \"levels\": [\n{\"algorithm\": \"halving\", "
           "\"size\": 0}]}",
           4, "\"algorithm\" must be one of: linear, tree, dissemination");
    refuse("\"barrier\": {\"processes\": 5, \"algorithm\": \"tree\"}", 3, "a barrier of 5 processes in a plan of 4");
    /* Arrival without release: 1 does not know of 2. */
    refuse(
        "\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\",\n \"stages\": [\n {\"signals\": [1,0, 2,0, 3,0]}]}",
        4, "this is not a barrier: process 1 may leave before process 0 has arrived");
    /* The release must come in a later stage than the arrival. */
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n"
           " {\"signals\": [0,1, 0,2, 0,3, 1,0, 2,0, 3,0]}]}",
           3, "process 1 may leave before process 2");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\"}", 3, "not a barrier");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n{\"signals\": []}]}", 4,
           "a stage without signals");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n{\"signals\": [1, 0, 2]}]}", 4,
           "pairs");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n{\"signals\": [1, 1]}]}", 4,
           "itself");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n{\"signals\": [1, 4]}]}", 4,
           "process 4 of a barrier of 4");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n{\"signals\": [1,0, 1,0]}]}", 4,
           "repeated");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"stages\": [\n{\"signals\": [2,0, 1,0]}]}", 4,
           "ascending");
    refuse("\"barrier\": {\"processes\": 5000, \"algorithm\": \"stages\", \"stages\": [{\"signals\": [1, 0]}]}", 3,
           "at most 4096");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"tree\",\n\"stages\": [{\"signals\": [1, 0]}]}", 4,
           "belong to algorithm");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"levels\"}", 3, "needs 1 to 32");
    refuse("\"barrier\": {\"processes\": 4, \"algorithm\": \"levels\", \"levels\": [\n{\"algorithm\": \"tree\", "
           "\"size\": 2}]}",
           4, "the last level must be one cluster");
}

static void expect_edges(const char *barrier, int stages, const int (*edges)[3], size_t count) {
    char section[256];
    snprintf(section, sizeof section, "\"barrier\": {\"processes\": 4, %s}", barrier);
    sup_plan *plan = plan_with(section);
    sup_pattern p;
    assert_int_equal(sup_plan_barrier_pattern(plan->barrier, &p), SUP_OK);
    assert_int_equal(p.stages, stages);
    size_t all = 0;
    for (int s = 0; s < p.stages; s++) all += sup_pattern_stage(&p, s, NULL);
    assert_int_equal(all, count);
    for (size_t k = 0; k < count; k++) {
        int64_t to[4];
        size_t i = sup_pattern_peers(&p, edges[k][0], edges[k][1], false, to);
        while (i > 0 && to[i - 1] != edges[k][2]) i--;
        if (!i) fail_msg("%s: no signal %d → %d in stage %d", barrier, edges[k][1], edges[k][2], edges[k][0]);
    }
    sup_pattern_free(&p);
    sup_plan_free(plan);
}

/* BSP §5.3 gives these patterns in full. */
static void generators_give_the_patterns_of_the_document(void **state) {
    (void)state;
    const int linear[][3] = {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {1, 0, 1}, {1, 0, 2}, {1, 0, 3}};
    const int dissemination[][3] = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 0},
                                    {1, 0, 2}, {1, 1, 3}, {1, 2, 0}, {1, 3, 1}};
    const int tree[][3] = {{0, 1, 0}, {0, 3, 2}, {1, 2, 0}, {2, 0, 2}, {3, 0, 1}, {3, 2, 3}};
    expect_edges("\"algorithm\": \"linear\"", 2, linear, 6);
    expect_edges("\"algorithm\": \"dissemination\"", 2, dissemination, 8);
    expect_edges("\"algorithm\": \"tree\"", 4, tree, 6);
    const int levels[][3] = {{0, 1, 0}, {0, 3, 2}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 2, 3}};
    expect_edges("\"algorithm\": \"levels\", \"levels\": [{\"algorithm\": \"linear\", \"size\": 2},"
                 " {\"algorithm\": \"dissemination\", \"size\": 0}]",
                 3, levels, 6);
    const int cyclic[][3] = {{0, 2, 0}, {0, 3, 1}, {1, 1, 0}, {2, 0, 1}, {3, 0, 2}, {3, 1, 3}};
    expect_edges("\"algorithm\": \"levels\", \"levels\": [{\"algorithm\": \"linear\", \"size\": 0, \"stride\": 2},"
                 " {\"algorithm\": \"linear\", \"size\": 0}]",
                 4, cyclic, 6);
    const int stages[][3] = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 0}, {1, 0, 2}, {1, 1, 3}, {1, 2, 0}, {1, 3, 1}};
    expect_edges("\"algorithm\": \"stages\", \"stages\": [{\"signals\": [0,1, 1,2, 2,3, 3,0]},"
                 " {\"signals\": [0,2, 1,3, 2,0, 3,1]}]",
                 2, stages, 8);
}

static void million_processes_stay_small(void **state) {
    (void)state;
    sup_plan *plan = NULL;
    sup_diag d = {0};
    const char text[] =
        "{\"kind\": \"superstep-plan\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"t\","
        "\"signature\": {\"topology\": \"abc\", \"cpu\": \"x\", \"cores\": 16, \"hosts\": 65536,"
        " \"processes\": 1048576, \"transport\": \"mpich\"},"
        "\"barrier\": {\"processes\": 1048576, \"algorithm\": \"levels\", \"levels\": ["
        "{\"algorithm\": \"linear\", \"size\": 16}, {\"algorithm\": \"dissemination\", \"size\": 0}]}}";
    if (parse_text(text, true, &d, &plan)) fail_msg("%s", d.text);
    sup_pattern p;
    assert_int_equal(sup_plan_barrier_pattern(plan->barrier, &p), SUP_OK);
    assert_int_equal(p.stages, 18);
    assert_int_equal(p.begin[p.stages], 2 * ((1 << 20) - 65536) + 16 * 65536);
    sup_pattern_free(&p);
    assert_int_equal(sup_plan_find_barrier(plan, &(sup_plan_set){.processes = 1 << 20}, &p), SUP_OK);
    assert_int_equal(p.stages, 18);
    sup_pattern_free(&p);
    assert_int_equal(sup_plan_find_barrier(plan, &(sup_plan_set){.processes = 5}, &p),
                     SUP_OK); /* of other processes: the default */
    assert_string_equal(p.generator->name, sup_plan_defaults.barrier->algorithm);
    assert_int_equal(p.processes, 5);
    sup_pattern_free(&p);
    sup_plan_free(plan);
}

/* ---- barriers of sets ---- */

static void hosts_that_are_none(void **state) {
    (void)state;
    static const struct {
        const char *hosts, *part;
    } cases[] = {{"[4, 0, 1]", "pairs"},
                 {"[2, 0, 1, 1]", "names 3 of 4"},
                 {"[2, 0, 3, 1]", "each of 4 members once"},
                 {"[2, 0, 0, 1, 2, 0]", "each of 4 members once"},
                 {"[2, 0, 2, 2]", "1 is next"},
                 {"[4, 1]", "0 is next"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char section[200];
        snprintf(section, sizeof section, "\"barrier\": {\"processes\": 4, \"algorithm\": \"tree\",\n\"hosts\": %s}",
                 cases[k].hosts);
        refuse(section, 4, cases[k].part);
        snprintf(section, sizeof section, "\"barriers\": [{\"processes\": 4, \"algorithm\": \"tree\",\n\"hosts\": %s}]",
                 cases[k].hosts);
        refuse(section, 4, cases[k].part);
    }
}

static void expect_word(const sup_plan *plan, const sup_plan_set *set, const char *word) {
    sup_pattern p;
    char text[SUP_PATTERN_WORD];
    assert_int_equal(sup_plan_find_barrier(plan, set, &p), SUP_OK);
    assert_int_equal(p.processes, set->processes);
    assert_string_equal(sup_pattern_kind_word((sup_pattern_kind){p.generator, p.radix}, text), word);
    sup_pattern_free(&p);
}

/* The row whose processes, transport and hosts are those of the set; the first that fits. */
static void rows_of_sets(void **state) {
    (void)state;
    sup_plan *plan =
        plan_with("\"barrier\": {\"processes\": 4, \"transport\": \"shm\", \"algorithm\": \"tree:4\"},\n"
                  "\"barriers\": [{\"processes\": 4, \"hosts\": [2, 0, 2, 1], \"algorithm\": \"dissemination:3\"},\n"
                  "{\"processes\": 4, \"hosts\": [1, 0, 1, 1, 1, 0, 1, 1], \"algorithm\": \"butterfly\"},\n"
                  "{\"processes\": 3, \"transport\": \"mpich\", \"algorithm\": \"ring\"},\n"
                  "{\"processes\": 3, \"algorithm\": \"flags\"}]");
    const int blocks[] = {0, 0, 1, 1}, dealt[] = {0, 1, 0, 1}, lonely[] = {0, 1, 1, 1}, one[] = {0, 0, 0, 0};
    expect_word(plan, &(sup_plan_set){4, "shm", NULL}, "tree:4");
    expect_word(plan, &(sup_plan_set){4, NULL, one}, "tree:4");
    expect_word(plan, &(sup_plan_set){4, "mpich", blocks}, "dissemination:3");
    expect_word(plan, &(sup_plan_set){4, "mpich", dealt}, "butterfly");
    expect_word(plan, &(sup_plan_set){4, "mpich", lonely}, "edges");
    assert_false(sup_plan_has_barrier(plan, &(sup_plan_set){4, "mpich", lonely}));
    assert_true(sup_plan_has_barrier(plan, &(sup_plan_set){4, "mpich", dealt}));
    expect_word(plan, &(sup_plan_set){4, "mpich", one}, "dissemination");
    expect_word(plan, &(sup_plan_set){3, "mpich", NULL}, "ring");
    expect_word(plan, &(sup_plan_set){3, "openmpi", NULL}, "flags");
    expect_word(plan, &(sup_plan_set){5, "openmpi", NULL}, "dissemination");
    expect_word(NULL, &(sup_plan_set){4, "shm", NULL}, "dissemination");
    sup_plan_free(plan);
}

static int log2_up(int n) {
    int k = 0;
    while (1 << k < n) k++;
    return k;
}

/* Signals between hosts go between their first members only, releases are common, everybody hears of everybody. */
static void check_over_hosts(const int *host_of, int64_t n, int hosts) {
    sup_pattern p;
    int64_t first[64], deaf, unheard;
    bool covers = false;
    assert_int_equal(sup_plan_find_barrier(NULL, &(sup_plan_set){n, "mpich", host_of}, &p), SUP_OK);
    assert_int_equal(sup_pattern_covers(&p, &covers, &deaf, &unheard), SUP_OK);
    assert_true(covers);
    for (int64_t i = n - 1; i >= 0; i--) first[host_of[i]] = i;
    int inside = n > hosts, top = log2_up(hosts);
    assert_int_equal(p.stages, hosts > 1 ? top + 2 * inside : log2_up((int)n));
    for (int s = 0; s < p.stages && hosts > 1; s++) {
        sup_pattern_edge edges[256];
        size_t count = sup_pattern_stage(&p, s, edges);
        bool at_one = hosts == 3 || hosts == 4; /* the first ones meet at the first of all */
        assert_int_equal(count, s < inside || s >= top + inside ? n - hosts : at_one ? hosts - 1 : hosts);
        for (size_t e = 0; e < count; e++) {
            int64_t from = edges[e].from, to = edges[e].to;
            bool same = host_of[from] == host_of[to], release = s >= top + inside;
            assert_int_equal(same, s < inside || release);
            assert_int_equal(edges[e].common, release);
            if (!same || release) assert_int_equal(first[host_of[from]], from);
            if (!same || !release) assert_int_equal(first[host_of[to]], to);
        }
    }
    sup_pattern_free(&p);
}

static void usual_over_hosts(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 24; n++)
        for (int hosts = 1; hosts <= n; hosts++) {
            int blocks[24], dealt[24], uneven[24], numbered = 0;
            for (int64_t i = 0; i < n; i++) {
                blocks[i] = (int)(i * hosts / n);
                dealt[i] = (int)(i % hosts);
                uneven[i] = i < hosts ? (int)i : (int)(i * i % 7 % hosts); /* sizes differ, members interleaved */
                if (uneven[i] >= numbered) numbered = uneven[i] + 1;
            }
            check_over_hosts(blocks, n, hosts);
            check_over_hosts(dealt, n, hosts);
            check_over_hosts(uneven, n, numbered);
        }
    sup_pattern p;
    assert_int_equal(sup_plan_find_barrier(NULL, &(sup_plan_set){2, NULL, (const int[]){0, 2}}, &p), SUP_EINVAL);
    assert_int_equal(sup_plan_find_barrier(NULL, &(sup_plan_set){2, NULL, (const int[]){0, -1}}, &p), SUP_EINVAL);
}

static void tables_answer(void **state) {
    (void)state;
    sup_plan *plan = plan_with(
        "\"bsp\": {\"engines\": [{\"messages_from\": 100, \"bytes_to\": 4096, \"engine\": \"bulk\"},\n"
        " {\"compute_from_s\": 0.001, \"engine\": \"eager\"}, {\"messages_to\": 3, \"engine\": \"bulk\"}],\n"
        " \"counts\": [{\"processes_to\": 64, \"algorithm\": \"map\"}, {\"algorithm\": \"direct\"}],\n"
        " \"staging\": [{\"memory\": \"foreign\", \"bytes_to\": 8192, \"method\": \"staged\"},\n"
        "  {\"memory\": \"foreign\", \"bytes_from\": 8192, \"method\": \"cma\"}], \"progress\": \"own-core\",\n"
        "  \"spin_s\": 0.0002},\n"
        " \"vectors\": [{\"transport\": \"shm\", \"scope\": \"inter\", \"protocols\": [\"blocking\", \"packed\"],\n"
        "  \"regions\": [1, 2, 4], \"bytes\": [8, 64], \"winners\": [0, 0, 1, 0, 1, 1]}],\n"
        " \"collectives\": [{\"operation\": \"broadcast\", \"rows\": [{\"bytes_to\": 1024, \"algorithm\": "
        "\"binomial\"},\n"
        "  {\"bytes_from\": 1024, \"algorithm\": \"pipeline\", \"segment_bytes\": 8192}]}],\n"
        " \"tiles\": [{\"kernel\": \"matmul\", \"size_class\": \"2^20\", \"strategy\": \"contiguous\", \"bytes\": "
        "65536,\n"
        "  \"shape\": [73, 73], \"learned\": {\"calls\": 40, \"explored\": 4, \"settled\": true, \"candidates\": [\n"
        "  {\"shape\": [256, 4], \"strategy\": \"sibling\", \"call_s\": {\"value\": 0.5, \"ci\": 0.01, \"n\": 3}}]}}]");
    assert_int_equal(sup_plan_find_engine(plan, 100, 4095, 0, SUP_PLAN_EAGER), SUP_PLAN_BULK);
    assert_int_equal(sup_plan_find_engine(plan, 100, 4096, 0.001, SUP_PLAN_BULK), SUP_PLAN_EAGER);
    assert_int_equal(sup_plan_find_engine(plan, 2, 4096, 0, SUP_PLAN_EAGER), SUP_PLAN_BULK);
    assert_int_equal(sup_plan_find_engine(plan, 3, 4096, 0, SUP_PLAN_EAGER), SUP_PLAN_EAGER);
    assert_string_equal(sup_plan_find_counts(plan, 63), "map");
    assert_string_equal(sup_plan_find_counts(plan, 64), "direct");
    sup_plan_range holds;
    assert_string_equal(sup_plan_find_staging(plan, "foreign", 8191, &holds), "staged");
    assert_true(holds.from == 0 && holds.to == 8192);
    assert_string_equal(sup_plan_find_staging(plan, "foreign", 8192, &holds), "cma");
    assert_true(holds.from == 8192 && holds.to == INT64_MAX);
    assert_string_equal(sup_plan_find_staging(plan, "heap", 1, &holds), "staged");
    assert_true(holds.from == 0 && holds.to == SUP_DEFAULT_STRAIGHT_MIN);
    assert_null(sup_plan_find_staging(plan, "disk", 1, &holds));
    assert_int_equal(sup_plan_tile_find(plan, "matmul", "2^20")->shape[1], 73);
    assert_null(sup_plan_tile_find(plan, "matmul", "2^21"));
    assert_int_equal(plan->bsp->progress, SUP_PLAN_PROGRESS_OWN);
    assert_float_equal(plan->bsp->spin_s, 0.0002, 1e-9);
    sup_plan_free(plan);
    plan = plan_with("\"ghosts\": []");
    assert_int_equal(sup_plan_find_engine(plan, 1, 1, 0, SUP_PLAN_BULK), SUP_PLAN_BULK);
    assert_string_equal(sup_plan_find_counts(plan, 4), "direct");
    assert_ptr_equal(sup_plan_find_bsp(plan), sup_plan_defaults.bsp);
    sup_plan_free(plan);
    plan = plan_with("\"bsp\": {\"spin_s\": 0.0002}"); /* what a plan does not say is the default */
    assert_int_equal(plan->bsp->progress, sup_plan_defaults.bsp->progress);
    sup_plan_free(plan);
}

/* A plan with gaps: the first row that fits counts, the defaults fill what is left. */
static void defaults_fill_gaps(void **state) {
    (void)state;
    sup_plan_range holds;
    assert_string_equal(sup_plan_find_counts(NULL, SUP_DEFAULT_DIRECT_COUNTS_MAX), "direct");
    assert_string_equal(sup_plan_find_counts(NULL, SUP_DEFAULT_DIRECT_COUNTS_MAX + 1), "reduce-scatter");
    assert_string_equal(sup_plan_find_staging(NULL, "foreign", SUP_DEFAULT_CMA_MIN - 1, &holds), "staged");
    assert_string_equal(sup_plan_find_staging(NULL, "foreign", SUP_DEFAULT_CMA_MIN, &holds), "cma");
    sup_plan *plan = plan_with(
        "\"bsp\": {\"counts\": [{\"processes_from\": 3, \"processes_to\": 5, \"algorithm\": \"map\"}],\n"
        " \"staging\": [{\"memory\": \"foreign\", \"bytes_from\": 100, \"bytes_to\": 200, \"method\": \"cma\"},\n"
        "  {\"memory\": \"foreign\", \"bytes_from\": 150, \"bytes_to\": 300, \"method\": \"staged\"}]}");
    assert_string_equal(sup_plan_find_counts(plan, 2), "direct");
    assert_string_equal(sup_plan_find_counts(plan, 3), "map");
    assert_string_equal(sup_plan_find_counts(plan, 5), "direct");
    assert_string_equal(sup_plan_find_counts(plan, 7), "reduce-scatter");
    static const struct {
        int64_t bytes, from, to;
        const char *method;
    } want[] = {
        {0, 0, 100, "staged"},
        {99, 0, 100, "staged"},
        {100, 100, 200, "cma"},
        {199, 100, 200, "cma"},
        {200, 200, 300, "staged"},
        {300, 300, SUP_DEFAULT_CMA_MIN, "staged"},
        {SUP_DEFAULT_CMA_MIN, SUP_DEFAULT_CMA_MIN, INT64_MAX, "cma"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_string_equal(sup_plan_find_staging(plan, "foreign", want[i].bytes, &holds), want[i].method);
        assert_int_equal(holds.from, want[i].from);
        assert_int_equal(holds.to, want[i].to);
    }
    sup_plan_free(plan);
}

static void tables_that_do_not_fit(void **state) {
    (void)state;
    refuse("\"bsp\": {\"engines\": [\n{\"bytes_from\": 10, \"bytes_to\": 10, \"engine\": \"bulk\"}]}", 4,
           "10 to 10 is empty");
    refuse("\"bsp\": {\"engines\": [\n{\"compute_from_s\": 2, \"compute_to_s\": 1, \"engine\": \"bulk\"}]}", 4,
           "is empty");
    refuse("\"bsp\": {\"engines\": [{\"engine\":\n\"fast\"}]}", 4, "must be one of: eager, bulk");
    refuse("\"bsp\": {\"engines\": [{\"bytes_to\":\n-1, \"engine\": \"bulk\"}]}", 4, "\"bytes_to\" is -1");
    refuse("\"bsp\": {\"engins\": []}", 3, "did you mean \"engines\"?");
    refuse("\"vectors\": [{\"transport\": \"shm\", \"scope\": \"inter\", \"protocols\": [\"a\"], \"regions\": [1],"
           " \"bytes\": [1, 2],\n\"winners\": [0]}]",
           4, "\"winners\" has 1 values where 1 · 2 belong");
    refuse("\"vectors\": [{\"transport\": \"shm\", \"scope\": \"inter\", \"protocols\": [\"a\"], \"regions\": [1],"
           " \"bytes\": [1],\n\"winners\": [1]}]",
           4, "winner 1, but there are 1");
    refuse("\"vectors\": [{\"transport\": \"shm\", \"scope\": \"inter\", \"protocols\": [\"a\"], \"regions\": [2,\n1],"
           " \"bytes\": [1], \"winners\": [0, 0]}]",
           4, "\"regions\" must ascend");
    refuse("\"tiles\": [{\"kernel\": \"k\", \"size_class\": \"s\", \"strategy\": \"t\", \"learned\": {\"calls\": 1,\n"
           "\"explored\": 2}}]",
           4, "more calls");
}

static void partitions_cover_the_square_once(void **state) {
    (void)state;
    sup_plan_free(
        plan_with("\"partitions\": [{\"kernel\": \"summa\", \"size\": 256, \"processes\": 3, \"metric\": \"beta\","
                  " \"rectangles\": [0, 0, 0.5, 0.3, 0, 0.3, 0.5, 0.7, 0.5, 0, 0.5, 1]}]"));
    refuse("\"partitions\": [{\"kernel\": \"summa\", \"size\": 256, \"processes\": 3,\n\"rectangles\": [0, 0, 1, 1]}]",
           4, "3 processes need 12");
    refuse("\"partitions\": [{\"kernel\": \"summa\", \"size\": 256, \"processes\": 2,\n"
           "\"rectangles\": [0, 0, 0.5, 1, 0.4, 0, 0.5, 1]}]",
           4, "the rectangles of processes 0 and 1 overlap");
    refuse("\"partitions\": [{\"kernel\": \"summa\", \"size\": 256, \"processes\": 2,\n"
           "\"rectangles\": [0, 0, 0.5, 1, 0.5, 0, 0.4, 1]}]",
           4, "cover 0.9");
    refuse("\"partitions\": [{\"kernel\": \"summa\", \"size\": 256, \"processes\": 2,\n"
           "\"rectangles\": [0, 0, 0.5, 1, 0.6, 0, 0.5, 1]}]",
           4, "process 1 leaves");
}

static void plans_come_back_to_the_byte(void **state) {
    (void)state;
    sup_plan *plan =
        plan_with("\"barrier\": {\"processes\": 4, \"algorithm\": \"stages\", \"predicted_s\": 0.1, \"stages\": "
                  "[{\"signals\": [0,1, 1,2, 2,3, 3,0]}, {\"signals\": [0,2, 1,3, 2,0, 3,1]}]},\n"
                  " \"ghosts\": [{\"program\": \"stencil\", \"size\": 1000, \"processes\": 4, \"depth\": 3}]");
    sup_plan *again = NULL;
    sup_diag d = {0};
    char *first = NULL, *second = NULL;
    if (sup_plan_text(plan, &d, &first, NULL)) fail_msg("%s", d.text);
    assert_int_equal(parse_text(first, true, &d, &again), SUP_OK);
    assert_int_equal(sup_plan_text(again, &d, &second, NULL), SUP_OK);
    assert_string_equal(first, second);
    again->barrier->stages[1].signals[1] = 3;
    assert_int_equal(sup_plan_write(again, "/nonexistent/x", &d), SUP_EINVAL);
    free(first);
    free(second);
    sup_plan_free(plan);
    sup_plan_free(again);
    sup_plan *fresh = NULL;
    assert_int_equal(sup_plan_new(0, &d, &fresh), SUP_OK);
    assert_string_equal(fresh->created, "1970-01-01T00:00:00Z");
    assert_int_equal(sup_plan_check(fresh, &d), SUP_EINVAL); /* no signature yet */
    sup_plan_free(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_that_are_none),
        cmocka_unit_test(generators_give_the_patterns_of_the_document),
        cmocka_unit_test(million_processes_stay_small),
        cmocka_unit_test(hosts_that_are_none),
        cmocka_unit_test(rows_of_sets),
        cmocka_unit_test(usual_over_hosts),
        cmocka_unit_test(tables_answer),
        cmocka_unit_test(defaults_fill_gaps),
        cmocka_unit_test(tables_that_do_not_fit),
        cmocka_unit_test(partitions_cover_the_square_once),
        cmocka_unit_test(plans_come_back_to_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
