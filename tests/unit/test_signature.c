/* Machine signature: what changes the digest and what must not, placements as text. */
#include "machine/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_topology *machine(const char *text) {
    sup_diag diag = {0};
    sup_topology *t = NULL;
    if (sup_topology_from_synthetic(text, &diag, &t)) fail_msg("%s: %s", text, diag.text);
    return t;
}

static void digest_of(const char *text, char out[SUP_HASH_TEXT]) {
    sup_topology *t = machine(text);
    assert_int_equal(sup_topology_digest(t, out), SUP_OK);
    sup_topology_free(t);
}

static void json_digest(const char *text, char out[SUP_HASH_TEXT]) {
    sup_json *doc = NULL;
    sup_topology *t = NULL;
    assert_int_equal(sup_json_parse("m", text, strlen(text), NULL, &doc), SUP_OK);
    assert_int_equal(sup_topology_from_json(doc, NULL, &t), SUP_OK);
    sup_json_free(doc);
    assert_int_equal(sup_topology_digest(t, out), SUP_OK);
    sup_topology_free(t);
}

/* Published values of FNV-1a with 128 bits. */
static void hash_as_published(void **state) {
    (void)state;
    char text[SUP_HASH_TEXT];
    sup_hash_format(sup_hash_start(), text);
    assert_string_equal(text, "6c62272e07bb014262b821756295c58d");
    sup_hash_format(sup_hash_bytes(sup_hash_start(), "a", 1), text);
    assert_string_equal(text, "d228cb696f1a8caf78912b704e4a8964");
    sup_hash_format(sup_hash_bytes(sup_hash_start(), "foobar", 6), text);
    assert_string_equal(text, "343e1662793c64bf6f0d3597ba446f18");
}

static void numbering_does_not_matter(void **state) {
    (void)state;
    char a[SUP_HASH_TEXT], b[SUP_HASH_TEXT];
    digest_of("package:2 l3:1 core:2 pu:2", a);
    digest_of("package:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", b);
    assert_string_equal(a, b);
    json_digest("{\"siblings\":[[0,1],[2,3]],\"size\":64,\"cacheLineSize\":64}", a);
    json_digest("{\"siblings\":[[7,2],[1,9]],\"size\":64,\"cacheLineSize\":64}", b);
    assert_string_equal(a, b);
    digest_of("package:2 [numa(memory=1073741824)] core:2 pu:1", a);
    digest_of("package:2 [numa(memory=4294967296)] core:2 pu:1", b);
    assert_string_equal(a, b);
}

static void shape_matters(void **state) {
    (void)state;
    static const char *const machines[] = {
        "package:2 l3:1(size=4194304) core:2 pu:2", "package:1 l3:2(size=4194304) core:2 pu:2",
        "package:2 l3:1(size=8388608) core:2 pu:2", "package:2 l3:1(size=4194304) core:2 pu:1",
        "package:2 l3:1(size=4194304) core:4 pu:2", "package:2 l3:2(size=4194304) core:1 pu:2",
        "package:2 l2:1(size=4194304) core:2 pu:2", "numa:2 package:1 l3:1(size=4194304) core:2 pu:2"};
    enum { COUNT = sizeof machines / sizeof machines[0] };
    char digest[COUNT][SUP_HASH_TEXT];
    for (int i = 0; i < COUNT; i++) {
        digest_of(machines[i], digest[i]);
        for (int k = 0; k < i; k++)
            if (!strcmp(digest[i], digest[k])) fail_msg("%s and %s have one digest", machines[i], machines[k]);
    }
    char a[SUP_HASH_TEXT], b[SUP_HASH_TEXT];
    json_digest("{\"siblings\":[[0,1]],\"size\":64,\"cacheLineSize\":64}", a);
    json_digest("{\"siblings\":[[0,1]],\"size\":64,\"cacheLineSize\":128}", b);
    assert_string_not_equal(a, b);
}

/* A fixed value: a digest that changes makes every profile foreign, so a change must be on purpose. */
static void digest_is_stable(void **state) {
    (void)state;
    char path[1024], digest[SUP_HASH_TEXT];
    sup_topology *t = NULL;
    snprintf(path, sizeof path, "%s/machine/cache-listing12.json", SUP_TEST_DATA);
    assert_int_equal(sup_topology_from_file(path, 0, NULL, &t), SUP_OK);
    assert_int_equal(sup_topology_digest(t, digest), SUP_OK);
    assert_string_equal(digest, "a76dbb9b414822def05fd671a535b20c");
    sup_topology_free(t);
}

static void sign(const char *description, const char *place, const char *hosts_text, int n, const char *transport,
                 sup_origin *out) {
    sup_topology *t = machine(description);
    sup_usable u;
    sup_policy policy;
    sup_placement placement;
    sup_hosts hosts = {0};
    assert_int_equal(sup_usable_make(t, NULL, NULL, &u), SUP_OK);
    assert_int_equal(sup_policy_parse(place, NULL, &policy), SUP_OK);
    if (hosts_text) assert_int_equal(sup_hosts_parse("h", hosts_text, strlen(hosts_text), NULL, &hosts), SUP_OK);
    assert_int_equal(sup_placement_make(t, &u, hosts_text ? &hosts : NULL, &policy, n, NULL, &placement), SUP_OK);
    assert_int_equal(sup_origin_set(out, t, &policy, &placement, transport), SUP_OK);
    sup_placement_free(&placement);
    sup_hosts_free(&hosts);
    sup_policy_free(&policy);
    sup_usable_free(&u);
    sup_topology_free(t);
}

static void placements_as_text(void **state) {
    (void)state;
    static const struct {
        const char *machine, *place, *hosts;
        int n;
        const char *text;
    } cases[] = {
        {"l3:1 core:4 pu:1", "compact", NULL, 3, "compact 0-2"},
        {"l3:1 core:2 pu:2(indexes=0,2,1,3)", "compact", NULL, 4, "compact 0,2,1,3"},
        {"l3:1 core:2 pu:2(indexes=0,2,1,3)", "1,3", NULL, 2, "list 2-3"},
        {"l3:1 core:2 pu:2", "compact", NULL, 4, "compact 0,2,1,3"},
        {"l3:1 core:2 pu:1", "none", NULL, 4, "none"},
        {"l3:1 core:2 pu:1", "compact", "a:2\nb:2\nc:1\n", 5, "compact 2x(0-1)+1x(0)"},
        {"l3:1 core:2 pu:1", "compact/cyclic", "a:2\nb:2\n", 3, "compact/cyclic 1x(0-1)+1x(0)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sup_origin s = {0};
        sign(cases[i].machine, cases[i].place, cases[i].hosts, cases[i].n, "shm", &s);
        assert_string_equal(s.policy, cases[i].text);
        assert_int_equal(s.processes, cases[i].n);
        sup_record_clear(&sup_origin_record, &s);
    }
    sup_origin a = {0}, b = {0}; /* the same numbers per host in another order of ranks */
    sign("l3:1 core:4 pu:1", "compact", "a:2\nb:2\n", 8, "mpi", &a);
    sign("l3:1 core:4 pu:1", "compact", "a:4\nb:4\n", 8, "mpi", &b);
    assert_string_equal(b.policy, "compact 2x(0-3)");
    assert_string_not_equal(a.policy, b.policy);
    assert_non_null(strchr(a.policy, '#'));
    assert_int_equal(strspn(strchr(a.policy, '#') + 1, "0123456789abcdef"), 32);
    sup_record_clear(&sup_origin_record, &a);
    sup_record_clear(&sup_origin_record, &b);
}

static void long_placements_are_hashed(void **state) {
    (void)state;
    char list[2048] = "", other[2048];
    size_t used = 0;
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", i ? "," : "", i * 37 % 200);
    snprintf(other, sizeof other, "%s", list);
    memcpy(other, "37,0", 4); /* starts 0,37 */
    sup_origin a = {0}, b = {0};
    sign("l3:1 core:200 pu:1", list, NULL, 200, "shm", &a);
    sign("l3:1 core:200 pu:1", other, NULL, 200, "shm", &b);
    assert_true(strlen(a.policy) < 60 && strchr(a.policy, '#'));
    assert_string_not_equal(a.policy, b.policy);
    sup_record_clear(&sup_origin_record, &a);
    sup_record_clear(&sup_origin_record, &b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_as_published),  cmocka_unit_test(numbering_does_not_matter),
        cmocka_unit_test(shape_matters),      cmocka_unit_test(digest_is_stable),
        cmocka_unit_test(placements_as_text), cmocka_unit_test(long_placements_are_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
