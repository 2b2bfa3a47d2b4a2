/* Models of collectives: mappings from text; expressions of TAU (13), (16), (18), (21) and of mapped ranks (PART §5.2);
 * stages by classes as by walking all ranks, exactly; shared memory as a pipeline (TAU fig. 14); models of the table on
 * a frozen profile; corrections by measured collectives. */
#include "../sanitized.h"
#include "model/collective/build.h"
#include "model/collective/memory.h"
#include "model/collective/platform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_mapping mapping(const char *text, int64_t processes) {
    sup_mapping m;
    assert_int_equal(sup_mapping_read(text, processes, NULL, &m), SUP_OK);
    return m;
}

static sup_choice choice(int operation, const char *text) {
    sup_choice c;
    assert_int_equal(sup_choice_read(operation, text, NULL, &c), SUP_OK);
    return c;
}

/* ---- mappings ---- */

static void mapping_text(void **state) {
    (void)state;
    sup_mapping m = mapping("seq:3", 7);
    assert_int_equal(m.nodes, 3);
    assert_int_equal(sup_mapping_node(&m, 6), 2);
    m = mapping("rr:3", 7);
    assert_int_equal(sup_mapping_node(&m, 5), 2);
    assert_int_equal(sup_mapping_used(&m), 3);
    m = mapping("rr:8", 3);
    assert_int_equal(sup_mapping_used(&m), 3);
    m = mapping("one", 1 << 20);
    assert_int_equal(sup_mapping_node(&m, (1 << 20) - 1), 0);
    m = mapping("7,0,1000000,7", 4);
    assert_int_equal(m.nodes, 3);
    assert_int_equal(sup_mapping_node(&m, 0), sup_mapping_node(&m, 3));
    assert_int_equal(sup_mapping_node(&m, 2), 2);
    sup_mapping_free(&m);
    static const char *const wrong[] = {"",        "two",    "seq:",     "seq:0",
                                        "seq:-1",  "rr:x",   "rr:0",     "rr:4 ",
                                        "0,0,1",   "0,,1",   "0,0,0",    "0,0,0,0,0",
                                        "0,a,0,0", "0,0,0,", "-1,0,0,0", "seq:99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sup_diag diag = {0};
        assert_int_equal(sup_mapping_read(wrong[i], 4, &diag, &m), SUP_EINVAL);
        assert_true(diag.text[0] != 0);
    }
    assert_int_equal(sup_mapping_read("one", 0, NULL, &m), SUP_EINVAL);
}

/* ---- expressions ---- */

static void check_choice(const sup_choice *c, int64_t p, const char *map, int64_t bytes, const char *expected) {
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e, *want;
    sup_diag diag = {0};
    char text[2048], way[SUP_CHOICE_TEXT];
    sup_mapping m = mapping(map, p);
    sup_job job = {.operation = c->algorithm->operation, .processes = p, .bytes = bytes, .element = 8};
    sup_choice_text(c, way);
    if (sup_collective_expression(x, c, &job, &m, &diag, &e)) fail_msg("%s: %s", way, diag.text);
    assert_int_equal(sup_expr_read(x, expected, &diag, &want), SUP_OK);
    sup_expr_print(e, true, text, sizeof text);
    if (!sup_expr_equal(e, want))
        fail_msg("%s %s, %lld on %s, %lld bytes: %s instead of %s", sup_operation_names[job.operation], way,
                 (long long)p, map, (long long)bytes, text, expected);
    sup_exprs_free(x);
    sup_mapping_free(&m);
}

static void check(int operation, const char *way, int64_t p, const char *map, int64_t bytes, const char *expected) {
    sup_choice c = choice(operation, way);
    check_choice(&c, p, map, bytes, expected);
}

/* One node: the document's. */
static void paper_equations(void **state) {
    (void)state;
    check(SUP_BROADCAST, "binomial", 16, "one", 65536, "T0(64K) + 2||T0(64K) + 4||T0(64K) + 8||T0(64K)");
    check(SUP_BROADCAST, "binomial", 8, "one", 1000, "T0(1000) + 2||T0(1000) + 4||T0(1000)");
    /* (16): m is all of it, 8 blocks of 1 KB; who passes on blocks copies its own out of them */
    check(SUP_SCATTER, "binomial", 8, "one", 1024, "T0(4K) + 2||T0(2K) + 4||T0(1K) + 4||L0(1K)");
    check(SUP_BROADCAST, "linear", 5, "one", 100, "4*T0(100)");
    check(SUP_ALLGATHER, "doubling", 8, "one", 1024, "8||L0(1K) + 8||T0(1K) + 8||T0(2K) + 8||T0(4K)");
    check(SUP_ALLGATHER, "ring", 8, "one", 1024, "8||L0(1K) + 7*(8||T0(1K))");
}

static void mapped(void **state) {
    (void)state;
    /* the first stages cross nodes, the last do not */
    check(SUP_BROADCAST, "binomial", 8, "seq:4", 1024, "T1(1K) + T0(1K) + 2||T0(1K)");
    check(SUP_BROADCAST, "binomial", 8, "rr:2", 1024, "T0(1K) + 2||T0(1K) + 4||T1(1K)");
    /* one of a node's ranks passes on to the next node */
    check(SUP_ALLGATHER, "ring", 8, "seq:4", 1024, "4||L0(1K) + 7*(3||T0(1K) || T1(1K))");
    check(SUP_ALLGATHER, "ring", 8, "rr:2", 1024, "4||L0(1K) + 7*(4||T1(1K))");
    check(SUP_ALLGATHER, "ring", 8, "0,1,1,2,0,2,1,0", 1024, "3||L0(1K) + 7*(T0(1K) || 2||T1(1K))");
}

/* ---- classes ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* What happens in a stage, as text that does not depend on the order in which it was found. */
static void write_stage(const sup_stages *s, const sup_stage *stage, FILE *out) {
    char *crews[256];
    size_t count = 0;
    for (int64_t at = stage->first; at >= 0; at = s->stage_crews[at].next) {
        const sup_crew *crew = &s->crews[s->stage_crews[at].crew];
        char *tasks[256], *text = NULL;
        size_t length;
        FILE *all = open_memstream(&text, &length);
        for (size_t i = 0; i < crew->count; i++) {
            const sup_member *m = &s->members[crew->first + i];
            const sup_task *t = &s->tasks[m->task];
            size_t part_length;
            FILE *one = open_memstream(&tasks[i], &part_length);
            for (size_t k = 0; k < t->count; k++) {
                const sup_part *p = &s->parts[t->first + k];
                fprintf(one, "%d.%d.%d(%lld)%lld ", p->kind, p->channel, p->early, (long long)p->bytes,
                        (long long)p->count);
            }
            fprintf(one, "x%lld", (long long)m->ranks);
            fclose(one);
        }
        qsort(tasks, crew->count, sizeof *tasks, by_text);
        for (size_t i = 0; i < crew->count; i++) {
            fprintf(all, "%s; ", tasks[i]);
            free(tasks[i]);
        }
        fclose(all);
        crews[count++] = text;
    }
    qsort(crews, count, sizeof *crews, by_text);
    fprintf(out, "%lld times\n", (long long)stage->times);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %s\n", crews[i]);
        free(crews[i]);
    }
}

static char *stages_text(const sup_stages *s) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < s->stages_count; i++) write_stage(s, &s->stages[i], out);
    fclose(out);
    return text;
}

static const char *const maps[] = {"one",  "seq:1", "seq:2", "seq:3", "seq:4", "seq:5", "seq:8",
                                   "rr:2", "rr:3",  "rr:4",  "rr:5",  "rr:7",  "rr:8"};
enum { MAPS = sizeof maps / sizeof *maps };

/* One rank stands for all exactly as if all were walked, and for most algorithms that say so it does. */
static void classes_are_exact(void **state) {
    (void)state;
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        int by_class = 0;
        if (!(*a)->walk || !((*a)->traits & SUP_ALGORITHM_ALIKE)) continue;
        for (int64_t p = 1; p <= (SANITIZED ? 9 : 33); p++) {
            for (size_t k = 0; k < MAPS; k++) {
                sup_choice c = {.algorithm = *a};
                sup_job job = {.operation = (*a)->operation, .processes = p, .bytes = 408, .element = 8};
                sup_mapping m = mapping(maps[k], p);
                sup_stages walked, one;
                if ((*a)->operation == SUP_BARRIER) job.bytes = 0;
                if (!sup_algorithm_fits(*a, &job)) continue;
                sup_status status = sup_stages_alike(&c, &job, &m, NULL, &one);
                if (status == SUP_ENOTSUP) continue;
                assert_int_equal(status, SUP_OK);
                assert_int_equal(sup_stages_walk(&c, &job, &m, NULL, &walked), SUP_OK);
                char *left = stages_text(&walked), *right = stages_text(&one);
                if (strcmp(left, right) != 0)
                    fail_msg("%s %s of %lld on %s:\n%sby classes:\n%s", sup_operation_names[(*a)->operation],
                             (*a)->name, (long long)p, maps[k], left, right);
                by_class++;
                free(left);
                free(right);
                sup_stages_free(&walked);
                sup_stages_free(&one);
            }
        }
        assert_true(by_class > 0);
    }
    sup_choice c = choice(SUP_BARRIER, "dissemination");
    sup_job job = {.operation = SUP_BARRIER, .processes = 1 << 20};
    sup_mapping m = mapping("seq:8", 1 << 20);
    sup_stages s;
    assert_int_equal(sup_stages_alike(&c, &job, &m, NULL, &s), SUP_OK);
    sup_stages_free(&s);
}

/* On one node the messages of an expression are as many as those of the schedule. */
typedef struct counter {
    sup_walker walker;
    double sends;
} counter;
static sup_status count_send(sup_walker *walker, const sup_action *action) {
    ((counter *)walker)->sends += action->kind == SUP_SEND;
    return SUP_OK;
}

static double messages_of(const sup_expr *e) {
    double sum = 0;
    if (e->kind == SUP_EXPR_SEND) return e->tau;
    for (size_t i = 0; i < e->count; i++) sum += messages_of(e->parts[i]);
    return e->kind == SUP_EXPR_TIMES || e->kind == SUP_EXPR_MANY ? e->times * sum : sum;
}

static void every_message_counts(void **state) {
    (void)state;
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        for (int64_t p = 1; p <= 19 && (*a)->walk; p++) {
            sup_choice c = {.algorithm = *a, .segment_bytes = (*a)->traits & SUP_ALGORITHM_SEGMENTS ? 64 : 0};
            sup_job job = {.operation = (*a)->operation,
                           .processes = p,
                           .root = p / 3,
                           .bytes = (*a)->operation == SUP_BARRIER ? 0 : 160,
                           .element = 8,
                           .segment_bytes = c.segment_bytes};
            sup_mapping m = mapping("one", p);
            counter n = {.walker.take = count_send};
            const sup_expr *e;
            if (!sup_algorithm_fits(*a, &job)) continue;
            for (int64_t r = 0; r < p; r++) assert_int_equal((*a)->walk(&job, r, &n.walker), SUP_OK);
            sup_exprs *x = sup_exprs_new();
            assert_int_equal(sup_collective_expression(x, &c, &job, &m, NULL, &e), SUP_OK);
            if (messages_of(e) != n.sends)
                fail_msg("%s %s of %lld: %g messages of %g", sup_operation_names[job.operation], (*a)->name,
                         (long long)p, messages_of(e), n.sends);
            sup_exprs_free(x);
        }
    }
}

/* ---- shared memory ---- */

/* Sizes on both sides of where forms change (schedule/shared.h): 112 bytes go in a line, 4 KiB in a page, 512 KiB in a
 * cell. */
static void shared_vectors(void **state) {
    (void)state;
    check(SUP_BROADCAST, "shared", 4, "one", 1000, "L0(1000) + 3||L0(1000)");
    check(SUP_BROADCAST, "shared", 4, "one", 262144, "L0(32K) + 7*(4||L0(32K)) + 3||L0(32K)");
    check(SUP_BROADCAST, "shared", 2, "one", 65536, "L0(8K) + 7*(2||L0(8K)) + L0(8K)");
    check(SUP_BROADCAST, "shared/100", 4, "one", 8192, "L0(128) + 63*(4||L0(128)) + 3||L0(128)");
    check(SUP_BROADCAST, "shared", 33, "one", 64, "L0(64) + 32||L0(64)"); /* flat, unless a radix is chosen */
    check(SUP_BROADCAST, "shared:64", 64, "one", 64, "L0(64) + 63||L0(64)");
    check(SUP_BROADCAST, "shared:2/64K", 7, "one", 65536, "L0(64K) + 2||2*L0(64K) + 4||L0(64K)");
    check(SUP_BROADCAST, "shared", 1, "one", 1024, "0");
    check(SUP_ALLREDUCE, "shared", 4, "one", 112, "4||2*L0(112) + 4||3*L0(112) + 4||3*G(112)");
    check(SUP_ALLREDUCE, "shared", 16, "one", 8, "16||2*L0(8) + 16||3*L0(8) + 16||L0(32) + 16||3*L0(32) + 16||15*G(8)");
    check(SUP_ALLREDUCE, "shared", 4, "one", 2048, "4||L0(2K) + 4||3*G(2K)");
    check(SUP_ALLREDUCE, "shared", 4, "one", 2056, "4||L0(1542) + 4||3*G(514) + 4||L0(514) + 4||3*L0(514)");
    check(SUP_ALLREDUCE, "shared", 4, "one", 131072, "4||L0(96K) + 4||3*G(32K) + 4||L0(32K) + 4||3*L0(32K)");
    check(SUP_ALLREDUCE, "shared", 8, "one", 1048576,
          "4*(8||L0(224K)) + 4*(8||7*G(32K)) + 4*(8||L0(32K)) + 4*(8||7*L0(32K))");
    check(SUP_REDUCE, "shared", 4, "one", 2048, "4||L0(2K) + 3*G(2K)");
    check(SUP_REDUCE, "shared", 8, "one", 2048, "8||L0(2K) + 7*G(2K)");
    check(SUP_REDUCE, "shared", 8, "one", 4096, "8||L0(3584) + 8||7*G(512) + L0(512) + 7*L0(512)");
    check(SUP_REDUCE, "shared", 16, "one", 112, "16||L0(112) + 15*G(112)");
    check(SUP_REDUCE, "shared", 16, "one", 120, "16||L0(120) + 4||3*G(120) + L0(120) + 3*G(120)");
    check(SUP_REDUCE, "shared", 9, "one", 4096, "9||L0(4K) + 3||3*G(4K) + L0(4K) + 2*G(4K)");
    check(SUP_REDUCE, "shared", 9, "one", 8192, "9||L0(7281) + 9||8*G(911) + L0(911) + 8*L0(911)");
    check(SUP_SCAN, "shared", 3, "one", 8192, "3||L0(8K) + (L0(8K) || G(8K) || 2*G(8K))");
    check(SUP_EXSCAN, "shared", 3, "one", 8192, "3||L0(8K) + (L0(8K) || G(8K))");
    check(SUP_SCAN, "shared", 2, "one", 8, "2||L0(8) + (L0(8) || G(8))");
    check(SUP_EXSCAN, "shared", 2, "one", 8, "2||L0(8) + L0(8)");
    check(SUP_SCAN, "shared", 4, "one", 8, "L0(8) + 2*(L0(8) || G(8)) + G(8)");
    check(SUP_EXSCAN, "shared", 4, "one", 8, "L0(8) + 2*(L0(8) || G(8)) + L0(8)");
    check(SUP_SCAN, "shared", 16, "one", 4096, "L0(4K) + 14*(L0(4K) || G(4K)) + G(4K)");
    check(SUP_SCAN, "shared", 4, "one", 1048576,
          "L0(64K) + (L0(64K) || G(64K)) + (2||L0(64K) || G(64K)) + 13*(L0(64K) || 3||G(64K)) + 13*(3||L0(64K)) + "
          "3||G(64K) + 2||L0(64K) + 2||G(64K) + L0(64K) + G(64K)");
    check(SUP_SCAN, "shared", 2, "one", 1048576, "L0(64K) + 15*(L0(64K) || G(64K)) + 15*L0(64K) + G(64K)");
    check(SUP_EXSCAN, "shared/4K", 4, "one", 8192,
          "L0(4K) + (L0(4K) || G(4K)) + (2||L0(4K) || G(4K)) + G(4K) + 2||L0(4K) + L0(4K)");
    check(SUP_BROADCAST, "hosts binomial", 8, "seq:4", 1024, "T1(1K) + L0(1K) + 3||L0(1K)");
    check(SUP_ALLREDUCE, "hosts doubling", 4, "0,1,0,1", 1024,
          "2||L0(1K) + G(1K) + L0(1K) + T1(1K) + G(1K) + 2*L0(1K)");
}

/* From memory to memory by choice, also where the table of algorithms does not offer it. */
static void check_direct(int operation, int64_t p, int64_t bytes, const char *expected) {
    sup_algorithm direct = *sup_algorithm_find(SUP_GATHER, "direct");
    direct.operation = operation;
    check_choice(&(sup_choice){.algorithm = &direct}, p, "one", bytes, expected);
}

static void shared_blocks(void **state) {
    (void)state;
    check_direct(SUP_GATHER, 2, 8192, "2||L0(8K)");
    check_direct(SUP_GATHER, 2, 4096, "2||L0(4K) + L0(4K)");
    check(SUP_ALLGATHER, "shared", 4, "one", 1024, "4||2*L0(1K) + 4||3*L0(1K)");
    check(SUP_ALLGATHER, "shared", 16, "one", 8, "16||2*L0(8) + 16||3*L0(8) + 16||L0(32) + 16||3*L0(32)");
    check(SUP_ALLGATHER, "shared", 4, "one", 131072, "2*(4||2*L0(64K)) + 2*(4||3*L0(64K))");
    check_direct(SUP_ALLGATHER, 4, 131072, "4||4*L0(128K)");
    check_direct(SUP_ALLGATHER, 4, 4096, "4||2*L0(4K) + 4||3*L0(4K)");
    check(SUP_ALLTOALL, "shared", 4, "one", 1024, "4||L0(1K) + 4||L0(4K) + 4||3*L0(1K)");
    check(SUP_ALLTOALL, "shared", 4, "one", 1025, "4||L0(1025) + 2*(4||3*L0(1025))");
    check(SUP_ALLTOALL, "shared", 16, "one", 65536, "16||L0(64K) + 8*(16||15*L0(16K))");
    check(SUP_ALLTOALL, "shared", 64, "one", 65536, "64||L0(64K) + 16*(64||63*L0(8K))");
    check_direct(SUP_ALLTOALL, 4, 65536, "4||4*L0(64K)");
    check(SUP_REDUCE_SCATTER, "shared", 4, "one", 1024, "4||4*L0(1K) + 4||3*G(1K)");
    check(SUP_REDUCE_SCATTER, "shared", 4, "one", 131072, "2*(4||3*L0(64K)) + 2*(4||3*G(64K))");
    check(SUP_SCATTER, "shared", 4, "one", 1024, "L0(4K) + 4||L0(1K)");
    check(SUP_SCATTER, "shared", 3, "one", 262144, "L0(256K) + 2*L0(64K) + 3*(2||L0(64K) || 2*L0(64K)) + 2||L0(64K)");
    check(SUP_SCATTER, "shared", 4, "one", 65535, "L0(65535) + 3*L0(65535) + 3||L0(65535)");
    check(SUP_SCATTER, "shared", 4, "one", 65536, "4||L0(64K)");
    check(SUP_SCATTER, "shared/64K", 4, "one", 65536, "L0(64K) + 3*L0(64K) + 3||L0(64K)");
    check_direct(SUP_SCATTER, 2, 65536, "2||L0(64K)");
    check(SUP_GATHER, "shared", 4, "one", 4096, "4||L0(4K) + 3*L0(4K)");
    check(SUP_GATHER, "shared", 3, "one", 131072, "(2||L0(64K) || L0(128K)) + (2||L0(64K) || 2*L0(64K)) + 2*L0(64K)");
    check(SUP_GATHER, "shared", 16, "one", 16384, "16||L0(16K)");
    check(SUP_GATHER, "shared", 16, "one", 16383, "16||L0(16383) + 15*L0(16383)");
}

/* ---- models ---- */

static int two_transfers(const sup_taulop_channel *channel, double bytes) {
    (void)channel;
    (void)bytes;
    return 2;
}
static double microsecond(const sup_taulop_channel *channel, double bytes) {
    (void)bytes;
    return channel->number ? 10e-6 : 1e-6;
}
static double nanosecond(const sup_taulop_channel *channel, double bytes, double tau) {
    return (channel->number ? 10e-9 : 1e-9) * bytes * (1 + tau) / 2;
}
static double fold(const sup_taulop_costs *costs, double bytes, double tau) {
    (void)costs;
    (void)tau;
    return 0.5e-9 * bytes;
}

/* A machine of our own making: 1 µs and 1 ns a byte inside nodes, ten times as much between them. */
static sup_taulop_channel own_channels[2] = {
    {.number = 0,
     .segment_bytes = -1,
     .threshold_bytes = -1,
     .transfers = two_transfers,
     .overhead = microsecond,
     .transfer = nanosecond},
    {.number = 1,
     .segment_bytes = -1,
     .threshold_bytes = -1,
     .transfers = two_transfers,
     .overhead = microsecond,
     .transfer = nanosecond},
};
static sup_taulop_costs own_costs = {.channels = own_channels, .channels_count = 2, .fold = fold};

static sup_collective_platform platform(const sup_profile *profile) {
    static char transport[] = "shm";
    return (
        sup_collective_platform){.profile = profile,
                                 .transport = transport,
                                 .costs = &own_costs,
                                 .evaluator = sup_evaluators[0],
                                 .links = {{true, 1e-6, 2e-6, 5e-6, 1e-9, 0.1}, {true, 1e-6, 4e-6, 50e-6, 1e-8, 0.1}},
                                 .spread = NAN};
}

static const sup_collective_model *model_of(const char *name) {
    const sup_collective_model *const *m = sup_collective_models;
    while (*m && strcmp((*m)->name, name) != 0) m++;
    assert_non_null(*m);
    return *m;
}

static double price(const sup_collective_platform *c, const char *model, int operation, const char *way, int64_t p,
                    const char *map, int64_t bytes) {
    sup_choice one = choice(operation, way);
    sup_mapping m = mapping(map, p);
    sup_job job = {.operation = operation, .processes = p, .bytes = bytes, .element = 8};
    sup_prediction found = {0};
    sup_diag diag = {0};
    if (model_of(model)->cost(c, &one, &job, &m, &diag, &found)) fail_msg("%s: %s", model, diag.text);
    assert_true(found.low <= found.value && found.value <= found.high && found.low >= 0);
    return found.value;
}

static void near(double found, double expected) {
    if (!(fabs(found / expected - 1) < 1e-9)) fail_msg("%g instead of %g", found, expected);
}

/* ---- memory ---- */

/* Copies and folds of 1 ns a byte and less: what each process goes through counts, and further messages of a process
 * need a gap and their own transfer only. */
static void memory(void **state) {
    (void)state;
    sup_collective_platform c = platform(NULL);
    sup_memory_costs *m;
    c.links[0].overhead = 0.5e-6;
    assert_int_equal(sup_memory_costs_open(&c, 64000, NULL, &m), SUP_OK);
    const sup_taulop_costs *costs = sup_memory_costs_of(m);
    const sup_taulop_channel *messages = sup_taulop_channel_of(costs, 0),
                             *further = sup_taulop_channel_of(costs, SUP_CHANNEL_MORE);
    /* (1 + τ) / 2 ns a byte, whatever there is of them; two transfers, one of which is the receiver's */
    near(messages->transfer(messages, 1000, 1), 1e-6);
    near(messages->transfer(messages, 1000, 3), 2e-6);
    near(further->transfer(further, 1000, 1), 0.5e-6 + 1e-6);
    near(further->transfer(further, 1000, 3), 0.5e-6 + 2e-6);
    near(costs->fold(costs, 1000, 1), 0.5e-6);
    sup_memory_costs_close(m);
    near(price(&c, "taulop-alone", SUP_BROADCAST, "linear", 4, "one", 1000), 3e-6 + 2 * 1.5e-6);
    near(price(&c, "lognp", SUP_BROADCAST, "linear", 4, "one", 1000), 3 * 3e-6);
}

/* Beyond a cache of 4000 bytes a byte costs ten times as much: a piece of more data costs what the data do. */
static double cached(const sup_taulop_channel *channel, double bytes, double tau) {
    (void)channel;
    (void)tau;
    return (bytes > 4000 ? 10e-9 : 1e-9) * bytes;
}

static void pieces_of_more(void **state) {
    (void)state;
    sup_taulop_channel channel = own_channels[0];
    sup_taulop_costs costs = {.channels = &channel, .channels_count = 1};
    sup_collective_platform c = platform(NULL);
    sup_memory_costs *m;
    channel.transfer = cached;
    c.costs = &costs;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sup_memory_costs_open(&c, k ? 100000 : 1000, NULL, &m), SUP_OK);
        const sup_taulop_channel *own = sup_taulop_channel_of(sup_memory_costs_of(m), 0);
        near(own->transfer(own, 1000, 1), k ? 10e-6 : 1e-6);
        near(own->transfer(own, 100000, 1), 1e-3);
        sup_memory_costs_close(m);
    }
}

/* By hand: a binomial broadcast of 4 ranks, two on each node. */
static void textbook(void **state) {
    (void)state;
    sup_collective_platform c = platform(NULL);
    near(price(&c, "hockney", SUP_BROADCAST, "binomial", 4, "seq:2", 1000), 50e-6 + 1e-5 + 5e-6 + 1e-6);
    near(price(&c, "loggp", SUP_BROADCAST, "binomial", 4, "seq:2", 1001), 50e-6 + 1e-5 + 5e-6 + 1e-6);
    near(price(&c, "lognp", SUP_BROADCAST, "binomial", 4, "seq:2", 1000), 10e-6 + 2e-5 + 1e-6 + 2e-6);
    /* three messages, one after the other: LogGP lets them overlap but for a gap of 2 µs */
    near(price(&c, "hockney", SUP_BROADCAST, "linear", 4, "one", 1000), 3 * 6e-6);
    near(price(&c, "lognp", SUP_BROADCAST, "linear", 4, "one", 1000), 3 * 3e-6);
    near(price(&c, "taulop-alone", SUP_BROADCAST, "linear", 4, "one", 1000), 3 * 3e-6);
    near(price(&c, "taulop", SUP_BROADCAST, "linear", 4, "one", 1000), 3 * 3e-6);
    /* τ-Lop knows that two share the memory: L(m, 2) = 1.5 L(m, 1) */
    near(price(&c, "taulop-alone", SUP_BROADCAST, "binomial", 4, "one", 1000), (1e-6 + 2e-6) + (1e-6 + 3e-6));
    /* a reduction folds behind its messages */
    near(price(&c, "lognp", SUP_REDUCE, "linear", 2, "one", 1000) -
             price(&c, "lognp", SUP_GATHER, "linear", 2, "one", 1000),
         0.5e-6);
    c.links[1].known = false;
    sup_choice one = choice(SUP_BROADCAST, "binomial");
    sup_mapping m = mapping("seq:2", 4);
    sup_job job = {.operation = SUP_BROADCAST, .processes = 4, .bytes = 8};
    sup_prediction p;
    sup_diag diag = {0};
    assert_int_equal(model_of("hockney")->cost(&c, &one, &job, &m, &diag, &p), SUP_ENOENT);
    assert_non_null(strstr(diag.text, "between nodes"));
}

/* ---- held against what was measured ---- */

static void measured(sup_profile *p, const char *way, int64_t processes, size_t count, const int64_t *bytes,
                     const double *ratio) {
    sup_collective_platform c = platform(p);
    double seconds[8];
    sup_collective_time *t = SUP_APPEND(&sup_collective_time_record, p->collectives, p->collectives_count);
    assert_non_null(t);
    sup_record_set_string(&t->transport, "shm");
    sup_record_set_string(&t->operation, "broadcast");
    sup_record_set_string(&t->algorithm, way);
    t->processes = processes;
    t->hosts = 1;
    for (size_t i = 0; i < count; i++)
        seconds[i] = ratio[i] * price(&c, "taulop-alone", SUP_BROADCAST, way, processes, "one", bytes[i]);
    sup_record_set_ints(&t->bytes, &t->bytes_count, bytes, count);
    sup_record_set_reals(&t->seconds, &t->seconds_count, seconds, count);
}

static double ratio_at(const sup_collective_platform *c, const char *way, int64_t p, int64_t bytes) {
    return price(c, "taulop", SUP_BROADCAST, way, p, "one", bytes) /
           price(c, "taulop-alone", SUP_BROADCAST, way, p, "one", bytes);
}

static void corrected(void **state) {
    (void)state;
    sup_profile *p = NULL;
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    measured(p, "binomial", 4, 3, (const int64_t[]){1024, 4096, 65536}, (const double[]){2, 4, 1});
    measured(p, "binomial", 16, 2, (const int64_t[]){1024, 65536}, (const double[]){8, 8});
    /* one that was disturbed: it took longer than eight times as much */
    measured(p, "scatter-ring", 4, 3, (const int64_t[]){4096, 32768, 262144}, (const double[]){2, 100, 2});
    measured(p, "pipeline/64K", 4, 1, (const int64_t[]){1024}, (const double[]){3});
    measured(p, "no such algorithm", 4, 0, NULL, NULL); /* of a later version: left out */
    sup_collective_platform c = platform(p);
    assert_int_equal(sup_collective_ratios_make(&c, NULL), SUP_OK);
    near(ratio_at(&c, "binomial", 4, 1024), 2);
    near(ratio_at(&c, "binomial", 4, 65536), 1);
    near(ratio_at(&c, "binomial", 4, 2048), sqrt(8)); /* half way between 2 and 4, in logarithms */
    near(ratio_at(&c, "binomial", 4, 16384), 2);
    /* beyond: the nearest, half of which is believed three doublings further */
    near(ratio_at(&c, "binomial", 4, 128), sqrt(2));
    near(ratio_at(&c, "binomial", 4, 8), pow(2, exp2(-7.0 / 3)));
    near(ratio_at(&c, "binomial", 4, 1 << 20), 1);
    near(ratio_at(&c, "binomial", 5, 1024), 2); /* the nearest number of processes */
    near(ratio_at(&c, "binomial", 64, 1024), 8);
    near(ratio_at(&c, "pipeline/8K", 4, 1024), 3); /* other segments: better than nothing */
    near(ratio_at(&c, "scatter-ring", 4, 32768), 2);
    near(ratio_at(&c, "linear", 4, 1024), 1); /* never measured */
    /* what nobody measured is less certain than what somebody did */
    sup_choice known = choice(SUP_BROADCAST, "binomial"), other = choice(SUP_BROADCAST, "linear");
    sup_job job = {.operation = SUP_BROADCAST, .processes = 16, .bytes = 4096};
    double near_spread, far_spread, unknown;
    sup_collective_ratio_of(&c, &known, &job, 1, &near_spread);
    job.processes = 64;
    sup_collective_ratio_of(&c, &known, &job, 1, &far_spread);
    sup_collective_ratio_of(&c, &other, &job, 1, &unknown);
    assert_true(near_spread < far_spread && far_spread < unknown);
    sup_collective_ratios_free(&c);
    sup_profile_free(p);
}

/* A time that is like no other is left out, unless another size says the same. */
static void strange(void **state) {
    (void)state;
    sup_profile *p = NULL;
    const int64_t bytes[] = {64, 512, 4096, 32768, 262144, 1 << 21};
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    measured(p, "binomial", 4, 6, bytes, (const double[]){1, 1.1, 1, 0.9, 1, 1});
    measured(p, "binary", 4, 6, bytes, (const double[]){1, 1, 1.2, 1, 0.9, 1});
    measured(p, "linear", 4, 1, bytes + 2, (const double[]){40});
    measured(p, "chain", 4, 2, bytes + 2, (const double[]){40, 30});
    sup_collective_platform c = platform(p);
    assert_int_equal(sup_collective_ratios_make(&c, NULL), SUP_OK);
    near(ratio_at(&c, "binomial", 4, 512), 1.1);
    near(ratio_at(&c, "linear", 4, 4096), 1);
    near(ratio_at(&c, "chain", 4, 4096), 40);
    near(ratio_at(&c, "chain", 4, 32768), 30);
    sup_collective_ratios_free(&c);
    sup_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mapping_text),
                                       cmocka_unit_test(paper_equations),
                                       cmocka_unit_test(mapped),
                                       cmocka_unit_test(classes_are_exact),
                                       cmocka_unit_test(every_message_counts),
                                       cmocka_unit_test(shared_vectors),
                                       cmocka_unit_test(shared_blocks),
                                       cmocka_unit_test(memory),
                                       cmocka_unit_test(pieces_of_more),
                                       cmocka_unit_test(textbook),
                                       cmocka_unit_test(corrected),
                                       cmocka_unit_test(strange)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
