/* Profiles: what is written comes back to the byte, a million regular processes are kilobytes, and whatever is wrong
 * with a file is said with its line. */
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Four processes on two hosts; every line is known to the tests below. */
static const char small[] = /* 1 */
    "{\"kind\": \"superstep-profile\", \"schema\": 1,\n"
    /* 2 */ " \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"superstep 0.1.0\",\n"
    /* 3 */ " \"signature\": {\"topology\": \"abc\", \"cpu\": \"Neoverse-N1\", \"cores\": 2,\n"
    /* 4 */ "  \"hosts\": 2, \"processes\": 4, \"transport\": \"shm\",\n"
    /* 5 */ "  \"placement\": [{\"host\": 0, \"hosts\": 2, \"cores\": [0, 1]}]},\n"
    /* 6 */ " \"kernels\": [{\"name\": \"daxpy\", \"unit\": \"element\", \"bytes_per_unit\": 24,\n"
    /* 7 */ "  \"rates\": [{\"active\": 1, \"unit_s\": {\"segments\": [\n"
    /* 8 */ "   {\"x_lo\": 0, \"x_hi\": 1000, \"intercept\": 1e-9, \"slope\": 0, \"residual\": 0.01, \"n\": 5},\n"
    /* 9 */ "   {\"x_lo\": 1000, \"x_hi\": 9000, \"intercept\": 2e-9, \"slope\": 0, \"residual\": 0.01, \"n\": 5}\n"
    /* 10 */ "  ]}}]}],\n"
    /* 11 */ " \"pairs\": [{\"transport\": \"shm\", \"processes\": 4,\n"
    /* 12 */ "  \"levels\": [{\"name\": \"self\", \"size\": 1, \"classes\": [0]},\n"
    /* 13 */ "   {\"name\": \"host\", \"size\": 2, \"classes\": [1]},\n"
    /* 14 */ "   {\"name\": \"all\", \"size\": 0, \"classes\": [2]}],\n"
    /* 15 */ "  \"classes\": [{\"name\": \"self\", \"overhead_s\": {\"value\": 1e-7, \"ci\": 1e-9, \"n\": 30}},\n"
    /* 16 */ "   {\"name\": \"host\", \"latency_s\": {\"value\": 2e-7, \"ci\": 1e-9, \"n\": 30, \"reruns\": 2}},\n"
    /* 17 */ "   {\"name\": \"all\"}]}]\n"
    /* 18 */ "}\n";

static sup_status parse_text(const char *text, bool strict, sup_diag *diag, sup_profile **out) {
    sup_json *doc = NULL;
    sup_status status = sup_json_parse("p.json", text, strlen(text), diag, &doc);
    if (status) return status;
    status = sup_profile_parse(doc, strict, diag, out);
    sup_json_free(doc);
    return status;
}

static char *replaced(const char *text, const char *old, const char *new) {
    const char *at = strstr(text, old);
    if (!at) fail_msg("the text has no %s", old);
    size_t before = (size_t)(at - text), size = strlen(text) + strlen(new) + 1;
    char *result = malloc(size);
    assert_non_null(result);
    snprintf(result, size, "%.*s%s%s", (int)before, text, new, at + strlen(old));
    return result;
}

static void refuse(const char *old, const char *new, int line, const char *part) {
    char *text = replaced(small, old, new);
    sup_profile *p = NULL;
    sup_diag d = {0};
    sup_status status = parse_text(text, false, &d, &p);
    if (status != SUP_EPARSE || d.line != line || !strstr(d.text, part))
        fail_msg("%s -> %s: status %d line %d: %s", old, new, status, d.line, d.text);
    assert_null(p);
    assert_string_equal(d.file, "p.json");
    free(text);
}

static void small_profile_reads(void **state) {
    (void)state;
    sup_profile *p = NULL;
    sup_diag d = {0};
    if (parse_text(small, true, &d, &p)) fail_msg("%d: %s", d.line, d.text);
    assert_int_equal(p->signature.processes, 4);
    const sup_pairs *pairs = sup_profile_pairs(p, "shm");
    assert_non_null(pairs);
    assert_null(sup_profile_pairs(p, "mpich"));
    const int expected[4][4] = {{0, 1, 2, 2}, {1, 0, 2, 2}, {2, 2, 0, 1}, {2, 2, 1, 0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) assert_int_equal(sup_pairs_class(pairs, i, j), expected[i][j]);
    assert_true(pairs->classes[1].latency_s->value == 2e-7);
    assert_int_equal(pairs->classes[1].latency_s->reruns, 2);
    assert_null(pairs->classes[1].per_byte_s);
    const sup_curve *curve = sup_profile_kernel(p, "daxpy")->rates[0].unit_s->curve;
    assert_true(sup_curve_at(curve, 500) == 1e-9);
    assert_true(sup_curve_at(curve, 5000) == 2e-9);
    int64_t host, core;
    assert_int_equal(sup_origin_place(&p->signature, 3, &host, &core), SUP_OK);
    assert_int_equal(host, 1);
    assert_int_equal(core, 1);
    assert_int_equal(sup_origin_place(&p->signature, 4, &host, &core), SUP_EINVAL);
    sup_profile_free(p);
}

static void mistakes_are_found_with_line(void **state) {
    (void)state;
    refuse("\"superstep-profile\"", "\"superstep-plan\"", 1, "this is a superstep-plan file, not a superstep-profile");
    refuse("\"kind\": \"superstep-profile\", ", "", 1, "\"kind\" is missing");
    refuse("\"schema\": 1", "\"schema\": 0", 1, "\"schema\" is 0");
    refuse("\"schema\": 1", "\"schema\": \"1\"", 1, "must be an integer");
    refuse("12:00:00Z", "12:00", 2, "\"created\" must be a time");
    refuse("\"tool\": \"superstep 0.1.0\"", "\"tool\": \"\"", 2, "\"tool\" is empty");
    refuse("\"superstep 0.1.0\"", "\"super\\u001bstep\"", 2, "control character");
    refuse("\"cores\": 2", "\"cores\": -1", 3, "\"cores\" is -1, outside 1 to 1048576");
    refuse("\"cores\": 2", "\"cores\": 2.5", 3, "must be an integer");
    refuse("\"cores\": 2", "\"cores\": 9223372036854775807", 3, "outside");
    refuse("\"cpu\": \"Neoverse-N1\", ", "", 3, "\"cpu\" is missing");
    refuse("\"processes\": 4, \"transport\"", "\"processes\": 0, \"transport\"", 4, "\"processes\" is 0");
    refuse("\"processes\": 4, \"transport\"", "\"processes\": 8, \"transport\"", 5, "the placement has 4 processes");
    refuse("\"processes\": 4, \"transport\"", "\"processes\": 3, \"transport\"", 5, "at least 4 processes");
    refuse("\"hosts\": 2, \"processes\"", "\"hosts\": 1, \"processes\"", 5, "names host 1");
    refuse("[0, 1]", "[]", 5, "\"cores\" is empty");
    refuse("[0, 1]", "[0, \"1\"]", 5, "every element of \"cores\" must be an integer");
    refuse("[0, 1]", "[0, -7]", 5, "\"cores\" is -7");
    refuse("\"placement\": [{\"host\": 0, \"hosts\": 2, \"cores\": [0, 1]}]", "\"x\": 1", 3,
           "\"placement\" is missing");
    refuse("\"bytes_per_unit\": 24", "\"bytes_per_unit\": 1e999", 6, "overflow");
    refuse("\"bytes_per_unit\": 24", "\"bytes_per_unit\": NaN", 6, "not valid JSON");
    refuse("\"bytes_per_unit\": 24", "\"bytes_per_unit\": -24", 6, "\"bytes_per_unit\" is -24");
    refuse("\"x_lo\": 1000", "\"x_lo\": 500", 7, "segment 1 begins before");
    refuse("\"intercept\": 2e-9", "\"intercept\": -2e-9", 7, "segment 1 is negative");
    refuse("\"n\": 5}\n", "\"n\": 0}\n", 9, "\"n\" is 0");
    refuse("\"active\": 1", "\"active\": 1, \"kind\": \"big\"", 7, "kind \"big\", which \"kinds\" does not name");
    refuse("\"shm\", \"processes\": 4,\n", "\"shm\", \"processes\": 8,\n", 11,
           "pairs of 8 processes in a profile of 4");
    refuse("\"classes\": [1]", "\"classes\": [3]", 13, "names class 3, there are 3");
    refuse("\"classes\": [1]", "\"classes\": [1, 1]", 13, "has 2 classes; 1 kinds");
    refuse("\"size\": 0", "\"size\": 4", 14, "must have size 0");
    refuse("\"size\": 2", "\"size\": 0", 13, "must have size 0");
    refuse("\"ci\": 1e-9, \"n\": 30}},\n", "\"ci\": -1e-9, \"n\": 30}},\n", 15, "\"ci\" is -1e-09");
    refuse("{\"name\": \"all\"}", "7", 17, "every element of \"classes\" must be an object");
    refuse("{\"name\": \"all\"}]}]", "{\"name\": \"all\"}], \"matrix\": [16, 0]}]", 11, "one of them");
    refuse("\"reruns\": 2", "\"reruns\": 2, \"reruns\": 3", 16, "duplicate");
    refuse("}]}]\n}", "}]}]\n", 19, "not valid JSON");
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    for (size_t n = 0; n + 2 < sizeof small; n++) { /* without its last brace */
        sup_json *doc = NULL;
        sup_diag d;
        assert_int_equal(sup_json_parse("p", small, n, &d, &doc), SUP_EPARSE);
    }
}

static void newer_schemas_are_refused_for_that(void **state) {
    (void)state;
    char *text = replaced(small, "\"schema\": 1,", "\"schema\": 2, \"novel\": [],");
    sup_profile *p = NULL;
    sup_diag d;
    assert_int_equal(parse_text(text, true, &d, &p), SUP_EVERSION);
    assert_string_equal(d.text, "schema version 2 is newer than this build knows (1): update superstep");
    assert_int_equal(d.status, SUP_EVERSION);
    assert_int_equal(d.line, 1);
    free(text);
}

static char *text_of(const sup_profile *p) {
    char *text = NULL;
    sup_diag d = {0};
    if (sup_record_file_text(&sup_profile_file, p, &d, &text, NULL)) fail_msg("%s", d.text);
    return text;
}

static void unknown_keys(void **state) {
    (void)state;
    char *one = replaced(small, "\"reruns\": 2", "\"rerun\": 2, \"novel\": {\"deep\": [1, null, {\"x\": 0.1}]}");
    char *text = replaced(one, "\"cores\": 2,", "\"cores\": 2, \"colour\": \"red\",");
    sup_profile *p = NULL, *q = NULL;
    sup_diag d;
    assert_int_equal(parse_text(text, true, &d, &p), SUP_EPARSE);
    assert_int_equal(d.line, 3);
    assert_string_equal(d.text, "unknown key \"colour\"");
    assert_int_equal(parse_text(one, true, &d, &p), SUP_EPARSE);
    assert_int_equal(d.line, 16);
    assert_string_equal(d.text, "unknown key \"rerun\"; did you mean \"reruns\"?");
    assert_int_equal(parse_text(text, false, &d, &p), SUP_OK);
    char *first = text_of(p);
    assert_non_null(strstr(first, "\"novel\": {\"deep\": [1, null, {\"x\": 0.1"));
    assert_non_null(strstr(first, "\"colour\": \"red\""));
    assert_int_equal(parse_text(first, false, &d, &q), SUP_OK);
    char *second = text_of(q);
    assert_string_equal(first, second);
    sup_profile_free(p);
    sup_profile_free(q);
    free(first);
    free(second);
    free(text);
    free(one);
}

static sup_number *number(double value, int64_t n) {
    sup_number *x = sup_record_make(&sup_number_record);
    assert_non_null(x);
    x->value = value;
    x->ci = value / 30;
    x->n = n;
    return x;
}

static sup_file_curve *curve(double intercept, double slope) {
    sup_file_curve *file = sup_record_make(&sup_file_curve_record);
    sup_segment segments[] = {{1, 1024, intercept, slope, 0.02, 12}, {1100, 1 << 20, 2 * intercept, slope, 0.01, 20}};
    sup_curve *c = NULL;
    assert_non_null(file);
    assert_int_equal(sup_curve_make(segments, 2, SUP_CURVE_NONDECREASING, NULL, &c), SUP_OK);
    assert_int_equal(sup_file_curve_set(file, c), SUP_OK);
    sup_curve_free(c);
    double x[] = {1, 3, 1e5}, y[] = {0.1, 1.0 / 3, 2e-300};
    int64_t n[] = {25, 26, 27};
    assert_int_equal(sup_file_curve_set_points(file, &(sup_points){.x = x, .y = y, .ci = y, .n = n}, 3), SUP_OK);
    assert_int_equal(sup_file_curve_set_points(file, &(sup_points){.x = x, .y = y, .ci = y, .n = n, .reruns = n}, 3),
                     SUP_OK);
    return file;
}

#define SET(member, text) assert_int_equal(sup_record_set_string(&(member), text), SUP_OK)
#define ADD(record, owner, list) SUP_APPEND(record, (owner)->list, (owner)->list##_count)

static sup_profile *new_profile(int64_t processes, const int *host, const int *core, int64_t hosts) {
    sup_profile *p = NULL;
    assert_int_equal(sup_profile_new(1769860800, NULL, &p), SUP_OK);
    assert_string_equal(p->created, "2026-01-31T12:00:00Z");
    SET(p->signature.topology, "0123456789abcdef");
    SET(p->signature.cpu, "Neoverse-N1");
    SET(p->signature.transport, "shm");
    p->signature.cores = 16;
    p->signature.hosts = hosts;
    assert_int_equal(sup_origin_set_placement(&p->signature, processes, host, core), SUP_OK);
    return p;
}

static void add_level(sup_pairs *pairs, const char *name, int64_t size, int64_t stride, const int64_t *classes,
                      size_t count) {
    sup_pair_level *level = ADD(&sup_pair_level_record, pairs, levels);
    assert_non_null(level);
    SET(level->name, name);
    level->size = size;
    level->stride = stride;
    assert_int_equal(sup_record_set_ints(&level->classes, &level->classes_count, classes, count), SUP_OK);
}

static void add_class(sup_pairs *pairs, const char *name, double scale) {
    sup_pair_class *class = ADD(&sup_pair_class_record, pairs, classes);
    assert_non_null(class);
    SET(class->name, name);
    class->measured = 7;
    class->overhead_s = number(scale * 1e-7, 30);
    class->latency_s = number(scale * 1e-6 / 3, 30);
    class->per_byte_s = number(scale * 1e-10, 30);
    class->time_s = curve(scale * 1e-6, scale * 1e-10);
}

static sup_pairs *add_pairs(sup_profile *p, const char *transport) {
    sup_pairs *pairs = ADD(&sup_pairs_record, p, pairs);
    assert_non_null(pairs);
    SET(pairs->transport, transport);
    pairs->processes = p->signature.processes;
    return pairs;
}

static void million_processes_are_kilobytes(void **state) {
    (void)state;
    enum { P = 1 << 20, CORES = 16 };
    int *host = malloc(P * sizeof *host), *core = malloc(P * sizeof *core);
    for (int i = 0; i < P; i++) {
        host[i] = i / CORES;
        core[i] = i % CORES;
    }
    sup_profile *p = new_profile(P, host, core, P / CORES), *q = NULL;
    sup_pairs *pairs = add_pairs(p, "shm");
    const struct {
        const char *name;
        int64_t size;
    } levels[] = {{"self", 1}, {"cache", 4}, {"host", CORES}, {"rack", CORES * 64}, {"machine", 0}};
    for (int64_t k = 0; k < 5; k++) {
        add_level(pairs, levels[k].name, levels[k].size, 1, &k, 1);
        add_class(pairs, levels[k].name, (double)(k + 1));
    }
    sup_diag d = {0};
    char path[] = "/tmp/superstep-profile-XXXXXX";
    close(mkstemp(path));
    if (sup_profile_write(p, path, &d)) fail_msg("%s", d.text);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size < 65536);
    if (sup_profile_read(path, true, &d, &q)) fail_msg("%d: %s", d.line, d.text);
    pairs = &q->pairs[0];
    uint32_t x = 7;
    for (int k = 0; k < 100000; k++) {
        int i = (int)((x = x * 1664525u + 1013904223u) % P), j = (int)((x = x * 1664525u + 1013904223u) >> 4) % P;
        if (k % 2) j = (i & ~1023) | (j & 1023);  /* same rack */
        if (k % 4 == 3) j = (i & ~15) | (j & 15); /* same host */
        int wanted = i == j ? 0 : i / 4 == j / 4 ? 1 : i / 16 == j / 16 ? 2 : i / 1024 == j / 1024 ? 3 : 4;
        assert_int_equal(sup_pairs_class(pairs, i, j), wanted);
        int64_t h, c;
        assert_int_equal(sup_origin_place(&q->signature, i, &h, &c), SUP_OK);
        assert_int_equal(h, host[i]);
        assert_int_equal(c, core[i]);
    }
    unlink(path);
    sup_profile_free(p);
    sup_profile_free(q);
    free(core);
    free(host);
}

static void add_rates(sup_profile *p) {
    sup_kernel_profile *kernel = ADD(&sup_kernel_record, p, kernels);
    SET(kernel->name, "daxpy");
    SET(kernel->unit, "element");
    kernel->bytes_per_unit = 24;
    for (int64_t active = 1; active <= 2; active++) {
        sup_kernel_rate *rate = ADD(&sup_kernel_rate_record, kernel, rates);
        SET(rate->kind, active == 1 ? "big" : "little");
        rate->active = active;
        rate->unit_s = curve(1e-9, 0);
    }
    sup_classic *classic = ADD(&sup_classic_record, p, classic);
    SET(classic->transport, "shm");
    classic->processes = 4;
    classic->flops_per_s = number(1e9, 30);
    classic->word_s = number(1e-9, 30);
    classic->sync_s = number(1e-6, 30);
}

static void add_channel(sup_profile *p) {
    sup_channel *channel = ADD(&sup_channel_record, p, channels);
    SET(channel->name, "shm");
    SET(channel->transport, "shm");
    SET(channel->setup, "ring");
    channel->threshold_bytes = 4096;
    channel->overhead_s = curve(1e-7, 0);
    channel->transfer = sup_record_make(&sup_transfer_record);
    const double bytes[] = {64, 4096, 65536}, seconds[] = {1e-7, 2e-7, 1e-6};
    assert_int_equal(sup_record_set_reals(&channel->transfer->bytes, &channel->transfer->bytes_count, bytes, 3),
                     SUP_OK);
    for (int64_t tau = 1; tau <= 4; tau *= 2) {
        sup_tau_row *row = ADD(&sup_tau_row_record, channel->transfer, rows);
        row->tau = tau;
        assert_int_equal(sup_record_set_reals(&row->seconds, &row->seconds_count, seconds, 3), SUP_OK);
        assert_int_equal(sup_record_set_reals(&row->ci, &row->ci_count, seconds, 3), SUP_OK);
    }
    sup_gamma *gamma = ADD(&sup_gamma_record, channel, gammas);
    SET(gamma->operation, "sum");
    SET(gamma->type, "double");
    gamma->time_s = curve(1e-9, 1e-10);
}

static void add_vectors_and_others(sup_profile *p) {
    sup_vector_profile *v = ADD(&sup_vector_record, p, vectors);
    SET(v->transport, "shm");
    v->scope = SUP_SCOPE_INTER;
    v->active = 2;
    const int64_t sizes[] = {1, 2, 4};
    const double six[] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(sup_record_set_ints(&v->regions, &v->regions_count, sizes, 2), SUP_OK);
    assert_int_equal(sup_record_set_ints(&v->bytes, &v->bytes_count, sizes, 3), SUP_OK);
    sup_vector_times *times = ADD(&sup_vector_times_record, v, protocols);
    SET(times->protocol, "packed");
    assert_int_equal(sup_record_set_reals(&times->seconds, &times->seconds_count, six, 6), SUP_OK);
    sup_sync_time *sync = ADD(&sup_sync_record, p, sync);
    SET(sync->transport, "shm");
    SET(sync->algorithm, "tree");
    sync->processes = 4;
    sync->time_s = number(1e-6, 30);
    sup_copy_time *copy = ADD(&sup_copy_record, p, copies);
    SET(copy->method, "memcpy");
    copy->time_s = curve(1e-8, 1e-10);
    sup_overlap *overlap = ADD(&sup_overlap_record, p, overlap);
    SET(overlap->transport, "shm");
    SET(overlap->engine, "eager");
    overlap->bytes = 1 << 20;
    overlap->share = number(0.75, 30);
    sup_tile_time *tile = ADD(&sup_tile_time_record, p, tiles);
    SET(tile->kernel, "matmul");
    SET(tile->size_class, "2^20");
    SET(tile->strategy, "contiguous");
    tile->workers = 2;
    assert_int_equal(sup_record_set_ints(&tile->shape, &tile->shape_count, sizes, 2), SUP_OK);
    tile->time_s = number(0.5, 3);
    p->quality = sup_record_make(&sup_quality_record);
    p->quality->rejection_rate = 0.1;
    p->quality->busy = true;
    p->quality->complete = false;
}

static void add_kinds(sup_profile *p) {
    p->kinds = sup_record_make(&sup_kinds_record);
    p->kinds->names = calloc(2, sizeof *p->kinds->names);
    p->kinds->names_count = 2;
    SET(p->kinds->names[0], "big");
    SET(p->kinds->names[1], "little");
    const int64_t runs[] = {1, 0, 1, 1};
    assert_int_equal(sup_record_set_ints(&p->kinds->runs, &p->kinds->runs_count, runs, 4), SUP_OK);
}

static void everything_comes_back_to_the_byte(void **state) {
    (void)state;
    const int host[] = {0, 1, 0, 1}, core[] = {0, 0, 5, 5};
    sup_profile *p = new_profile(4, host, core, 2), *q = NULL;
    add_kinds(p);
    add_rates(p);
    add_channel(p);
    add_vectors_and_others(p);
    sup_pairs *pairs = add_pairs(p, "shm");
    const int64_t self[] = {0, 0, 0, 0}, node[] = {0, 1, 1, 1}, all[] = {2, 2, 1, 0};
    for (int k = 0; k < 3; k++) add_class(pairs, "class", k + 1);
    add_level(pairs, "self", 1, 1, self, 4);
    add_level(pairs, "host", 2, 2, node, 4); /* ranks 0 and 2, 1 and 3 */
    add_level(pairs, "all", 0, 1, all, 4);
    const int64_t exceptions[] = {1, 2, 3, 2, 3, 0, 0, 1};
    assert_int_equal(sup_record_set_ints(&pairs->exceptions, &pairs->exceptions_count, exceptions, 8), SUP_OK);
    sup_diag d = {0};
    if (sup_record_check(sup_profile_file.record, p, &d)) fail_msg("%s", d.text);
    assert_int_equal(sup_record_ready(sup_profile_file.record, p, &d), SUP_OK);
    char *first = text_of(p);
    if (parse_text(first, true, &d, &q)) fail_msg("%d: %s\n%s", d.line, d.text, first);
    char *second = text_of(q);
    assert_string_equal(first, second);
    const int expected[4][4] = {{0, 2, 0, 2}, {1, 0, 2, 2}, {0, 2, 0, 2}, {1, 1, 1, 0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            assert_int_equal(sup_pairs_class(&p->pairs[0], i, j), expected[i][j]);
            assert_int_equal(sup_pairs_class(&q->pairs[0], i, j), expected[i][j]);
        }
    assert_true(q->pairs[0].classes[0].latency_s->value == 1e-6 / 3);
    assert_true(q->pairs[0].classes[0].time_s->points->y[2] == 2e-300);
    free(first);
    free(second);
    sup_profile_free(p);
    sup_profile_free(q);
}

static void irregular_machines_have_a_matrix(void **state) {
    (void)state;
    enum { P = 60 };
    uint16_t classes[P * P];
    int host[P];
    for (int i = 0; i < P; i++) {
        host[i] = 0;
        for (int j = 0; j < P; j++) classes[i * P + j] = (uint16_t)((i * 7 + j * j) % 5 / 3);
    }
    sup_profile *p = new_profile(P, host, NULL, 1), *q = NULL;
    sup_pairs *pairs = add_pairs(p, "shm");
    add_class(pairs, "near", 1);
    add_class(pairs, "far", 2);
    assert_int_equal(sup_pairs_set_matrix(pairs, P, classes), SUP_OK);
    char *text = text_of(p);
    sup_diag d = {0};
    if (parse_text(text, true, &d, &q)) fail_msg("%d: %s", d.line, d.text);
    for (int i = 0; i < P * P; i++) assert_int_equal(sup_pairs_class(&q->pairs[0], i / P, i % P), classes[i]);
    q->pairs[0].matrix[0]++;
    assert_int_equal(sup_record_check(sup_profile_file.record, q, &d), SUP_EINVAL);
    assert_non_null(strstr(d.text, "more than 60"));
    free(text);
    sup_profile_free(p);
    sup_profile_free(q);
}

static void structs_in_memory_are_held_to_the_same_rules(void **state) {
    (void)state;
    sup_profile *p = NULL;
    sup_diag d = {0};
    assert_int_equal(parse_text(small, true, &d, &p), SUP_OK);
    p->pairs[0].classes[0].overhead_s->value = NAN;
    assert_int_equal(sup_record_check(sup_profile_file.record, p, &d), SUP_EINVAL);
    assert_string_equal(d.text, "measured number: \"value\" is not a finite number");
    assert_int_equal(sup_profile_write(p, "/nonexistent/p.json", &d), SUP_EINVAL);
    p->pairs[0].classes[0].overhead_s->value = 1;
    p->kernels[0].rates[0].unit_s->segments[1].x_lo = 1;
    assert_int_equal(sup_record_check(sup_profile_file.record, p, &d), SUP_EINVAL);
    p->kernels[0].rates[0].unit_s->segments[1].x_lo = 1000;
    free(p->tool);
    p->tool = NULL;
    assert_int_equal(sup_record_check(sup_profile_file.record, p, &d), SUP_EINVAL);
    assert_string_equal(d.text, "profile: \"tool\" is missing");
    sup_profile_free(p);
}

static void files_that_are_none(void **state) {
    (void)state;
    sup_profile *p = NULL;
    sup_diag d;
    assert_int_equal(sup_profile_read("/tmp", false, &d, &p), SUP_EIO);
    assert_int_equal(sup_profile_read("/nonexistent", false, &d, &p), SUP_ENOENT);
    assert_int_equal(parse_text("[]", false, &d, &p), SUP_EPARSE);
    assert_string_equal(d.text, "the file must be one JSON object");
    assert_int_equal(parse_text("{}", false, &d, &p), SUP_EPARSE);
    assert_null(p);
}

static void check_placement(const int *host, const int *core, int count, size_t blocks) {
    sup_origin origin;
    sup_record_init(&sup_origin_record, &origin);
    assert_int_equal(sup_origin_set_placement(&origin, count, host, core), SUP_OK);
    assert_int_equal(origin.placement_count, blocks);
    for (int i = 0; i < count; i++) {
        int64_t h, c;
        assert_int_equal(sup_origin_place(&origin, i, &h, &c), SUP_OK);
        assert_int_equal(h, host[i]);
        assert_int_equal(c, core[i]);
    }
    sup_record_clear(&sup_origin_record, &origin);
}

static void placements_are_compressed(void **state) {
    (void)state;
    int host[120], core[120];
    for (int i = 0; i < 60; i++) { /* BSP table 7.1: 60 processes dealt to 8 hosts */
        host[i] = i % 8;
        core[i] = i / 8;
    }
    check_placement(host, core, 60, 2);
    for (int i = 0; i < 115; i++) { /* table 7.2: 115 in blocks of 12 */
        host[i] = i / 12;
        core[i] = i % 12;
    }
    check_placement(host, core, 115, 2);
    uint32_t x = 3;
    for (int i = 0; i < 120; i++) {
        host[i] = (int)((x = x * 1664525u + 1013904223u) >> 28);
        core[i] = (int)((x = x * 1664525u + 1013904223u) >> 29) - 1;
    }
    sup_origin origin;
    sup_record_init(&sup_origin_record, &origin);
    assert_int_equal(sup_origin_set_placement(&origin, 120, host, core), SUP_OK);
    for (int i = 0; i < 120; i++) {
        int64_t h, c;
        assert_int_equal(sup_origin_place(&origin, i, &h, &c), SUP_OK);
        assert_int_equal(h, host[i]);
        assert_int_equal(c, core[i]);
    }
    host[5] = -1;
    assert_int_equal(sup_origin_set_placement(&origin, 120, host, core), SUP_EINVAL);
    sup_record_clear(&sup_origin_record, &origin);
}

static void origins_are_compared_in_words(void **state) {
    (void)state;
    const int host[] = {0, 0}, core[] = {0, 1}, swapped[] = {1, 0};
    sup_profile *p = new_profile(2, host, core, 1);
    sup_origin here;
    sup_record_init(&sup_origin_record, &here);
    assert_int_equal(sup_record_copy(&sup_origin_record, &p->signature, &here), SUP_OK);
    sup_diag d;
    assert_int_equal(sup_origin_match(&p->signature, &here, 0, &d), SUP_OK);
    assert_int_equal(sup_origin_set_placement(&here, 2, host, swapped), SUP_OK);
    assert_int_equal(sup_origin_match(&p->signature, &here, 0, &d), SUP_EMISMATCH);
    assert_string_equal(d.text, "made for another placement: rank 0 was on host 0 core 0, now host 0 core 1");
    assert_int_equal(sup_origin_match(&p->signature, &here, SUP_SIGNATURE_ANY_RUN, &d), SUP_OK);
    SET(here.cpu, "Zen 4");
    assert_int_equal(sup_origin_match(&p->signature, &here, 0, &d), SUP_EMISMATCH);
    assert_string_equal(d.text, "made for processor Neoverse-N1, this is Zen 4");
    sup_record_clear(&sup_origin_record, &here);
    sup_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_profile_reads),
        cmocka_unit_test(mistakes_are_found_with_line),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(newer_schemas_are_refused_for_that),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(million_processes_are_kilobytes),
        cmocka_unit_test(everything_comes_back_to_the_byte),
        cmocka_unit_test(irregular_machines_have_a_matrix),
        cmocka_unit_test(structs_in_memory_are_held_to_the_same_rules),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(placements_are_compressed),
        cmocka_unit_test(origins_are_compared_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
