/* Look-ups of collective algorithms: the table of a plan and the defaults give what a search row by row gives, for
 * every size near a border; rows that cannot work are passed over; wrong tables are refused. */
#include "base/number/random.h"
#include "plan/collective.h"
#include "plan/defaults.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                  \
    "{\"kind\": \"superstep-plan\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"t\",\n" \
    "\"signature\": {\"topology\": \"t\", \"cpu\": \"c\", \"cores\": 1, \"hosts\": 1, \"processes\": 8,\n"    \
    "\"transport\": \"shm\"}, \"collectives\": [\n"

static sup_status read_plan(const char *collectives, sup_diag *diag, sup_plan **out) {
    static char text[1 << 16];
    sup_json *doc = NULL;
    snprintf(text, sizeof text, "%s%s]}", HEAD, collectives);
    sup_status st = sup_json_parse("plan", text, strlen(text), diag, &doc);
    if (!st) st = sup_plan_parse(doc, true, diag, out);
    sup_json_free(doc);
    return st;
}

static sup_plan *plan_of(const char *collectives) {
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    if (read_plan(collectives, &diag, &plan)) fail_msg("%d: %s", diag.line, diag.text);
    return plan;
}

static const char *at(const sup_plan *plan, sup_choices_for what, int64_t bytes, char text[SUP_CHOICE_TEXT]) {
    sup_choices c;
    sup_plan_choices(plan, &what, &c);
    return sup_choice_text(sup_choices_at(&c, bytes), text);
}

/* ---- what is refused ---- */

static void refuses(const char *collectives, int line, const char *word) {
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    assert_int_not_equal(read_plan(collectives, &diag, &plan), SUP_OK);
    assert_null(plan);
    if (diag.line != line || !strstr(diag.text, word)) fail_msg("%s: line %d: %s", collectives, diag.line, diag.text);
}

static void hostile(void **state) {
    (void)state;
    refuses("{\"operation\":\n\"broadcats\", \"rows\": []}", 5, "no collective operation");
    refuses("{\"operation\": \"broadcast\", \"rows\": [\n{\"algorithm\": \"quantum\"}]}", 5,
            "no algorithm of broadcast");
    refuses("{\"operation\": \"allgather\", \"rows\": [\n\n{\"algorithm\": \"binomial\"}]}", 6,
            "no algorithm of allgather");
    refuses("{\"operation\": \"broadcast\", \"rows\": [{\"algorithm\":\n\"binomial/64K\"}]}", 5, "segment");
    refuses("{\"operation\": \"broadcast\", \"rows\": [{\"algorithm\": \"binomial\",\n\"segment_bytes\": 8}]}", 5,
            "has no segments");
    refuses("{\"operation\": \"broadcast\", \"rows\": [{\"algorithm\": \"pipeline/4K\",\n\"segment_bytes\": 8}]}", 5,
            "already");
    refuses("{\"operation\": \"broadcast\", \"rows\": [{\"algorithm\": \"hosts shared\"}]}", 4, "memory");
    refuses("{\"operation\": \"broadcast\", \"hosts\": 0, \"rows\": []}", 4, "hosts");
    refuses("{\"operation\": \"broadcast\", \"rows\": [{\"algorithm\": \"linear\"},\n"
            "{\"bytes_from\": 7, \"algorithm\": \"chain\"}]}",
            5, "row 1 is for some of the same processes and bytes as row 0");
    refuses("{\"operation\": \"broadcast\", \"rows\": [{\"processes_to\": 4, \"algorithm\": \"linear\"},\n"
            "{\"processes_from\": 3, \"bytes_to\":\n 1, \"algorithm\": \"chain\"}]}",
            5, "row 1");
    refuses(
        "{\"operation\": \"broadcast\", \"rows\": [{\"bytes_from\": 8, \"bytes_to\": 8, \"algorithm\": \"chain\"}]}", 4,
        "empty");
}

static void too_many(void **state) {
    char text[4096];
    (void)state;
    for (int rows = 12; rows <= 13; rows++) {
        int used = snprintf(text, sizeof text, "{\"operation\": \"broadcast\", \"rows\": [");
        for (int i = 0; i < rows; i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "%s{\"bytes_from\": %d, \"bytes_to\": %d, \"algorithm\": \"%s\"}", i ? ",\n" : "", 10 * i,
                             10 * i + 5, i % 2 ? "linear" : "chain");
        snprintf(text + used, sizeof text - (size_t)used, "]}");
        if (rows == 13) {
            refuses(text, 4, "more than 12 rows");
            continue;
        }
        sup_plan *plan = plan_of(text);
        sup_choices c;
        sup_plan_choices(plan, &(sup_choices_for){SUP_BROADCAST, 4, "shm", 1, true, false}, &c);
        assert_true(c.count >= 24 && c.count <= SUP_CHOICES_MOST);
        assert_string_equal(sup_choices_at(&c, 114)->algorithm->name, "linear");
        assert_string_equal(sup_choices_at(&c, 115)->algorithm->name, "shared");
        sup_plan_free(plan);
    }
}

/* ---- what counts ---- */

static void rows(void **state) {
    (void)state;
    char text[SUP_CHOICE_TEXT];
    sup_plan *plan =
        plan_of("{\"operation\": \"allgather\", \"transport\": \"shm\", \"rows\": [\n"
                " {\"processes_from\": 2, \"processes_to\": 9, \"bytes_to\": 1000, \"algorithm\": \"doubling\"},\n"
                " {\"processes_from\": 2, \"processes_to\": 9, \"bytes_from\": 1000, \"algorithm\": \"mpi\"}]},\n"
                "{\"operation\": \"broadcast\", \"hosts\": 2, \"rows\": [{\"algorithm\": \"hosts chain\", "
                "\"bytes_from\": 64}]},\n"
                "{\"operation\": \"broadcast\", \"rows\": [{\"algorithm\": \"pipeline\", \"segment_bytes\": 4096}]}");
    sup_choices_for four = {SUP_ALLGATHER, 4, "shm", 1, true, true};
    assert_string_equal(at(plan, four, 999, text), "doubling");
    assert_string_equal(at(plan, four, 1000, text), "mpi");
    four.mpi = false;
    assert_string_equal(at(plan, four, 1000, text), "shared");
    four.processes = 6; /* not a power of two */
    assert_string_equal(at(plan, four, 999, text), "shared");
    four.memory = false;
    assert_string_equal(at(plan, four, 999, text), "bruck");
    four.transport = "openmpi"; /* of which the plan says nothing */
    four.processes = 4;
    assert_string_equal(at(plan, four, 999, text), "doubling");
    sup_choices_for six = {SUP_BROADCAST, 6, "shm", 2, true, false};
    assert_string_equal(at(plan, six, 63, text), "hosts binomial");
    assert_string_equal(at(plan, six, 64, text), "hosts chain");
    six.memory = false;
    assert_string_equal(at(plan, six, 64, text), "binomial");
    six.hosts = 3;
    assert_string_equal(at(plan, six, 64, text), "pipeline/4K");
    sup_plan_free(plan);
}

/* Long blocks go from memory to memory where that is quicker: by the bytes of a block, and by how many there are. */
static void long_blocks(void **state) {
    (void)state;
    static const struct {
        int operation;
        int64_t processes, total;
        const char *choice;
    } all[] = {{SUP_ALLTOALL, 2, 2 * 16384 - 1, "shared"},   {SUP_ALLTOALL, 2, 2 * 16384, "direct"},
               {SUP_ALLTOALL, 16, 16 * 16384 - 1, "shared"}, {SUP_ALLTOALL, 16, 16 << 20, "direct"},
               {SUP_SCATTER, 2, 1 << 20, "direct"},          {SUP_GATHER, 2, 1 << 20, "shared"},
               {SUP_GATHER, 4, 4 * 16384, "direct"},         {SUP_ALLGATHER, 2, 2 * 65536, "direct"},
               {SUP_ALLGATHER, 4, 1 << 22, "shared"}};
    char text[SUP_CHOICE_TEXT];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sup_choices_for what = {all[i].operation, all[i].processes, "shm", 1, true, false};
        assert_string_equal(at(NULL, what, all[i].total, text), all[i].choice);
        what.memory = false; /* nobody's memory can be read */
        assert_string_not_equal(at(NULL, what, all[i].total, text), "direct");
    }
}

/* Every row of the defaults is a choice that there is, and every operation has one for every number of processes. */
static void defaults(void **state) {
    (void)state;
    for (const sup_default_choice *d = sup_default_choices; d->choice; d++) {
        sup_choice c;
        sup_diag diag = {0};
        if (sup_choice_read(d->operation, d->choice, &diag, &c)) fail_msg("%s", diag.text);
    }
    for (int op = 0; op < SUP_OPERATIONS; op++)
        for (int64_t p = 1; p <= 17; p++)
            for (int hosts = 1; hosts <= 3 && hosts <= p; hosts++)
                for (int memory = 0; memory < 2; memory++) {
                    sup_choices c;
                    sup_plan_choices(NULL, &(sup_choices_for){op, p, "shm", hosts, memory, false}, &c);
                    assert_true(c.count >= 1 && c.from[0] == 0);
                    for (int k = 0; k < c.count; k++) {
                        assert_non_null(c.choice[k].algorithm);
                        bool shared = c.choice[k].algorithm->traits & SUP_ALGORITHM_SHARED;
                        assert_true(memory ? shared == (hosts == 1) : !shared && !c.choice[k].hosts);
                    }
                }
}

/* ---- the look-up against a search ---- */

static const sup_choice *search(const sup_choices *c, int64_t bytes) {
    int k = 0;
    for (int i = 0; i < c->count; i++)
        if (c->from[i] <= bytes) k = i;
    return &c->choice[k];
}

static int64_t random_size(sup_random *r) {
    int bits = (int)sup_random_below(r, 50);
    return (int64_t)((UINT64_C(1) << bits) | (sup_random_next(r) & ((UINT64_C(1) << bits) - 1)));
}

static void check_around(const sup_choices *c, int64_t bytes) {
    for (int64_t b = bytes - 3; b <= bytes + 3; b++) assert_ptr_equal(sup_choices_at(c, b), search(c, b));
}

/* A random table of one plan, through the reader: borders where they fall, gaps, one P. */
static void random_table(sup_random *r) {
    char text[4096];
    int64_t border[24], last = -1;
    int n = 1 + (int)sup_random_below(r, 12), used = 0;
    for (int i = 0; i < 2 * n; i++) { /* ascending, near each other or far apart */
        int64_t next = sup_random_below(r, 3) ? random_size(r) : last + 1 + (int64_t)sup_random_below(r, 9);
        border[i] = last = next > last ? next : last + 1;
    }
    used = snprintf(text, sizeof text, "{\"operation\": \"broadcast\", \"rows\": [");
    static const char *const names[] = {"linear", "chain", "binary", "binomial"};
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"bytes_from\": %" PRId64 ", \"bytes_to\": %" PRId64 ", \"algorithm\": \"%s\"}",
                         i ? ", " : "", border[2 * i], border[2 * i + 1], names[sup_random_below(r, 4)]);
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    sup_plan *plan = plan_of(text);
    sup_choices c;
    sup_choices_for what = {SUP_BROADCAST, 5, "openmpi", 1, false, false};
    sup_plan_choices(plan, &what, &c);
    for (int i = 0; i < 2 * n; i++) check_around(&c, border[i]);
    for (int i = 0; i < c.count; i++) check_around(&c, c.from[i]);
    for (int bit = 0; bit < 62; bit++) check_around(&c, INT64_C(1) << bit);
    for (int i = 0; i < n; i++) { /* the plan's own word */
        sup_choice want;
        assert_int_equal(sup_choice_read(SUP_BROADCAST, plan->collectives[0].rows[i].algorithm, NULL, &want), SUP_OK);
        assert_ptr_equal(sup_choices_at(&c, border[2 * i])->algorithm, want.algorithm);
        assert_ptr_equal(sup_choices_at(&c, border[2 * i + 1] - 1)->algorithm, want.algorithm);
    }
    sup_plan_free(plan);
}

static void as_a_search(void **state) {
    (void)state;
    sup_random r = {.state = 7};

    for (int i = 0; i < 400; i++) random_table(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile),     cmocka_unit_test(too_many), cmocka_unit_test(rows),
        cmocka_unit_test(long_blocks), cmocka_unit_test(defaults), cmocka_unit_test(as_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
