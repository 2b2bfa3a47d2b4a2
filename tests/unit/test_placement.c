/* Placement: policies as text, orders of cores on known machines, several hosts, limits, host files, pinning. */
#include "machine/place/pin.h"
#include "machine/place/placement.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TWO_PACKAGES "package:2 l3:2 l2:2 core:1 pu:1" /* cpus 01 23 | 45 67, L2 of one core, L3 of two */
#define SMT "package:2 l3:1 core:2 pu:2"               /* cores 0,1 2,3 | 4,5 6,7 */

static sup_topology *machine(const char *text) {
    sup_diag diag = {0};
    sup_topology *t = NULL;
    if (sup_topology_from_synthetic(text, &diag, &t)) fail_msg("%s: %s", text, diag.text);
    return t;
}

/* The cpus of processes as text, "host:cpu" where there are several hosts; or "error: …". */
static void place(const sup_topology *t, const sup_limits *limits, const sup_hosts *hosts, const char *text, int n,
                  sup_placement *flags, char *buf, size_t size) {
    sup_policy policy;
    sup_usable u;
    sup_placement p;
    sup_diag diag = {0};
    size_t used = 0;
    buf[0] = 0;
    assert_int_equal(sup_usable_make(t, limits, &diag, &u), SUP_OK);
    if (sup_policy_parse(text, &diag, &policy)) {
        snprintf(buf, size, "error: %.200s", diag.text);
        sup_usable_free(&u);
        return;
    }
    if (sup_placement_make(t, &u, hosts, &policy, n, &diag, &p)) {
        assert_int_equal(diag.status, SUP_EINVAL);
        snprintf(buf, size, "error: %.200s", diag.text);
    } else {
        for (int i = 0; i < p.count && used < size; i++)
            used += (size_t)(hosts ? snprintf(buf + used, size - used, " %d:%d", p.at[i].host, p.at[i].cpu)
                                   : snprintf(buf + used, size - used, " %d", p.at[i].cpu));
        if (flags) *flags = p;
        sup_placement_free(&p);
    }
    sup_policy_free(&policy);
    sup_usable_free(&u);
}

struct expectation {
    const char *policy;
    int processes;
    const char *cpus;
    bool oversubscribed, shares;
};

static void expect(const char *description, const sup_limits *limits, const struct expectation *e, size_t count) {
    sup_topology *t = machine(description);
    for (size_t i = 0; i < count; i++) {
        char text[256];
        sup_placement flags = {0};
        place(t, limits, NULL, e[i].policy, e[i].processes, &flags, text, sizeof text);
        if (strcmp(text, e[i].cpus)) fail_msg("%s on %s: got%s, not%s", e[i].policy, description, text, e[i].cpus);
        if (flags.oversubscribed != e[i].oversubscribed || flags.shares_cores != e[i].shares)
            fail_msg("%s %d on %s: flags %d %d", e[i].policy, e[i].processes, description, flags.oversubscribed,
                     flags.shares_cores);
    }
    sup_topology_free(t);
}

static void orders_on_two_packages(void **state) {
    (void)state;
    static const struct expectation e[] = {
        {"compact", 8, " 0 1 2 3 4 5 6 7", false, false},
        {"scatter", 8, " 0 4 2 6 1 5 3 7", false, false},
        {"per-cache", 8, " 0 2 4 6 1 3 5 7", false, false},
        {"per-cache:L3", 5, " 0 2 4 6 1", false, false},
        {"per-cache:l2", 3, " 0 1 2", false, false},
        {"7,0,3-5", 5, " 7 0 3 4 5", false, false},
        {"6-0", 1, "error: '6-0' is no core or range of cores, such as 3 or 4-7 or 0-14:2 (0 … 1048576)", false, false},
        {"compact", 10, " 0 1 2 3 4 5 6 7 0 1", true, true},
        {"1,2", 3, " 1 2 1", true, true},
        {"1,1", 2, " 1 1", true, true},
        {"1,1", 1, " 1", false, false},
        {"none", 3, " -1 -1 -1", false, false},
        {"none", 9, " -1 -1 -1 -1 -1 -1 -1 -1 -1", true, true},
    };
    expect(TWO_PACKAGES, NULL, e, sizeof e / sizeof e[0]);
}

static void threads_after_cores(void **state) {
    (void)state;
    static const struct expectation e[] = {
        {"compact", 4, " 0 2 4 6", false, false},
        {"compact", 6, " 0 2 4 6 1 3", false, true},
        {"scatter", 8, " 0 4 2 6 1 5 3 7", false, true},
        {"scatter", 9, " 0 4 2 6 1 5 3 7 0", true, true},
        {"0,1", 2, " 0 1", false, true},
    };
    expect(SMT, NULL, e, sizeof e / sizeof e[0]);
}

static void inside_the_limits(void **state) {
    (void)state;
    int affinity[] = {1, 3, 6, 7};
    sup_limits limits = {.affinity = affinity, .affinity_count = 4};
    static const struct expectation e[] = {
        {"compact", 4, " 1 3 6 7", false, true},
        {"scatter", 3, " 1 6 3", false, false},
        {"compact", 5, " 1 3 6 7 1", true, true},
        {"0", 1, "error: core 0 may not be used here (the affinity mask leaves cpus 1,3,6-7): usable are 1,3,6-7",
         false, false},
        {"99", 1, "error: no such core 99: usable are 1,3,6-7", false, false},
    };
    expect(SMT, &limits, e, sizeof e / sizeof e[0]);
    sup_limits quota = {.cpu_quota = 1.5};
    static const struct expectation q[] = {
        {"compact", 1, " 0", false, false},
        {"compact", 2, " 0 2", true, false}, /* each has a core, but the quota stops them */
    };
    expect(SMT, &quota, q, sizeof q / sizeof q[0]);
}

static void errors_say_what_there_is(void **state) {
    (void)state;
    static const struct expectation e[] = {
        {"per-cache:L4", 1, "error: per-cache:L4: no such cache, this machine has L3 and L2", false, false},
        {"per-cache:", 1, "error: per-cache:: expected a cache level such as L2 or L3", false, false},
        {"per-cache:L9", 1, "error: per-cache:L9: expected a cache level such as L2 or L3", false, false},
        {"compact/sideways", 1, "error: '/sideways': over hosts a placement is /block or /cyclic", false, false},
        {"compact", 0, "error: cannot place 0 processes: at least 1 is needed", false, false},
    };
    expect(TWO_PACKAGES, NULL, e, sizeof e / sizeof e[0]);
    static const char *const unknown[] = {"", "comp", "compactly", "compact:L2", "scatter:", ":", "/cyclic", "-3"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        sup_policy policy;
        sup_diag diag = {0};
        assert_int_equal(sup_policy_parse(unknown[i], &diag, &policy), SUP_EPARSE);
        assert_non_null(strstr(diag.text, "no such placement"));
    }
}

static void no_shared_cache_is_no_mistake(void **state) {
    (void)state;
    static const struct expectation e[] = {{"per-cache", 3, " 0 1 2", false, false}};
    expect("package:1 l2:4 core:1 pu:1", NULL, e, 1);
}

static void faster_cores_first(void **state) {
    (void)state;
    sup_topology *t = NULL;
    char path[1024], text[128];
    snprintf(path, sizeof path, "%s/machine/hybrid.xml", SUP_TEST_DATA);
    assert_int_equal(sup_topology_from_file(path, 0, NULL, &t), SUP_OK);
    place(t, NULL, NULL, "compact", 4, NULL, text, sizeof text);
    assert_string_equal(text, " 2 3 0 1");
    place(t, NULL, NULL, "scatter", 3, NULL, text, sizeof text);
    assert_string_equal(text, " 2 3 0");
    sup_topology_free(t);
}

/* Whatever the machine and the policy, each usable cpu comes once before one comes twice. */
static void every_order_is_a_permutation(void **state) {
    (void)state;
    static const char *const machines[] = {TWO_PACKAGES, SMT, "package:3 numa:2 l3:1 core:5 pu:4", "pu:7",
                                           "numa:2 package:1 l3:3 l2:2 core:2 pu:2"};
    static const char *const policies[] = {"compact", "scatter", "per-cache"};
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        sup_topology *t = machine(machines[m]);
        sup_usable u;
        assert_int_equal(sup_usable_make(t, NULL, NULL, &u), SUP_OK);
        for (size_t k = 0; k < 3; k++) {
            sup_policy policy;
            int *order = NULL, n = 0, seen[256] = {0};
            assert_int_equal(sup_policy_parse(policies[k], NULL, &policy), SUP_OK);
            assert_int_equal(sup_placement_order(t, &u, &policy, NULL, &order, &n), SUP_OK);
            assert_int_equal(n, t->cpu_count);
            for (int i = 0; i < n; i++) assert_int_equal(seen[order[i]]++, 0);
            for (int i = 0; i < t->core_count; i++) /* SMT last */
                for (int j = 0; j < i; j++) assert_true(t->core_of_cpu[order[i]] != t->core_of_cpu[order[j]]);
            free(order);
        }
        sup_usable_free(&u);
        sup_topology_free(t);
    }
}

/* ---- hosts ----------------------------------------------------------------------------------------------------------
 */

static sup_hosts hosts_of(const char *text) {
    sup_hosts hosts = {0};
    sup_diag diag = {0};
    if (sup_hosts_parse("hosts", text, strlen(text), &diag, &hosts)) fail_msg("%d: %s", diag.line, diag.text);
    return hosts;
}

static void host_files(void **state) {
    (void)state;
    sup_hosts h = hosts_of("# cluster\nnode1 slots=2\r\n\n  node2:3 # three\nuser@node-3.example\nnode1\n");
    assert_int_equal(h.count, 3);
    assert_string_equal(h.at[0].name, "node1");
    assert_int_equal(h.at[0].slots, 3);
    assert_int_equal(h.at[1].slots, 3);
    assert_string_equal(h.at[2].name, "user@node-3.example");
    assert_int_equal(h.at[2].slots, 1);
    sup_hosts_free(&h);
    static const struct {
        const char *text;
        int line;
        const char *reason;
    } bad[] = {
        {"", 0, "no host"},
        {"# only\n\n", 0, "no host"},
        {"a\nb slots=0\n", 2, "slots"},
        {"a slots=-1", 1, "slots"},
        {"a slots=", 1, "slots"},
        {"a slots=99999999999999999999", 1, "slots"},
        {"a:x", 1, "slots"},
        {"a:", 1, "slots"},
        {"a:2 slots=2", 1, "twice"},
        {"\n\n-oProxyCommand=x slots=1", 3, "no host name"},
        {"u@-x", 1, "no host name"},
        {"a;b", 1, "no host name"},
        {"a cpus=3", 1, "slots=N"},
        {":3", 1, "no host name"},
        {"a slots=1048576\na", 2, "more than"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sup_diag diag = {0};
        sup_status status = sup_hosts_parse("hosts", bad[i].text, strlen(bad[i].text), &diag, &h);
        if (status != SUP_EPARSE || diag.line != bad[i].line || !strstr(diag.text, bad[i].reason))
            fail_msg("'%s' gave %d, line %d: %s", bad[i].text, status, diag.line, diag.text);
    }
    sup_diag diag = {0};
    assert_int_equal(sup_hosts_load("/nonexistent/hosts", &diag, &h), SUP_ENOENT);
    assert_int_equal(sup_hosts_load("/tmp", &diag, &h), SUP_EIO);
}

/* Every name of so many hosts comes three times, far from and next to each other, with 1, 2 and 3 slots. */
static void many_hosts(void **state) {
    (void)state;
    enum { HOSTS = 100000, LINE = 32 };
    char *text = malloc((size_t)3 * HOSTS * LINE);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i < HOSTS; i++) {
        used += (size_t)snprintf(text + used, LINE, "node%d\n", i);
        if (i % 2) used += (size_t)snprintf(text + used, LINE, "node%d slots=2\n", i);
    }
    for (int k = 0; k < HOSTS; k++) {
        int i = (int)((long)k * 7919 % HOSTS);
        used += (size_t)snprintf(text + used, LINE, i % 2 ? "node%d:3\n" : "node%d:5\n", i);
    }
    sup_hosts h = hosts_of(text);
    free(text);
    assert_int_equal(h.count, HOSTS);
    for (int i = 0; i < HOSTS; i++) {
        char name[LINE];
        snprintf(name, sizeof name, "node%d", i);
        assert_string_equal(h.at[i].name, name);
        assert_int_equal(h.at[i].slots, 6);
    }
    sup_hosts_free(&h);
}

/* Who takes whom by the rule itself, a step at a time: the next host that has a slot free, and when none has, all are
 * free again. */
static void dealt_by_the_rule(const sup_hosts *h, int n, bool cyclic, int *host_of) {
    int used[16] = {0}, total = 0;
    for (int k = 0; k < h->count; k++) total += h->at[k].slots;
    for (int i = 0, at = 0; i < n; i++) {
        if (i % total == 0) {
            memset(used, 0, sizeof used);
            at = 0;
        }
        while (used[at] == h->at[at].slots) at = (at + 1) % h->count;
        host_of[i] = at;
        used[at]++;
        if (cyclic) at = (at + 1) % h->count;
    }
}

static void processes_go_to_hosts_by_the_rule(void **state) {
    (void)state;
    enum { MOST = 100 };
    static const char *const lists[] = {"a", "a:3", "a\nb\nc", "a:5\nb\nc:2\nd:9", "a\nb:7", "a:2\nb:2\nc:1\nd:4\ne:1"};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        sup_hosts h = hosts_of(lists[k]);
        int total = 0, got[MOST], want[MOST];
        for (int i = 0; i < h.count; i++) total += h.at[i].slots;
        for (int n = 1; n <= MOST; n++)
            for (int cyclic = 0; cyclic < 2; cyclic++) {
                bool wrapped;
                assert_int_equal(sup_hosts_assign(&h, n, cyclic, got, &wrapped), SUP_OK);
                dealt_by_the_rule(&h, n, cyclic, want);
                assert_memory_equal(got, want, (size_t)n * sizeof *got);
                assert_int_equal(wrapped, n > total);
            }
        sup_hosts_free(&h);
    }
}

static void block_and_cyclic(void **state) {
    (void)state;
    sup_topology *t = machine("package:1 l3:1 core:2 pu:1");
    sup_hosts h = hosts_of("a slots=2\nb slots=1\nc slots=2\n");
    static const struct {
        const char *policy, *places;
        int n;
        bool oversubscribed;
    } cases[] = {
        {"compact", " 0:0 0:1 1:0 2:0 2:1", 5, false},        {"compact/block", " 0:0 0:1 1:0", 3, false},
        {"compact/cyclic", " 0:0 1:0 2:0 0:1 2:1", 5, false}, {"none/cyclic", " 0:-1 1:-1 2:-1", 3, false},
        {"compact", " 0:0 0:1 1:0 2:0 2:1 0:0", 6, true},     {"1,0/cyclic", " 0:1 1:1 2:1 0:0 2:0 0:1 1:0", 7, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        sup_placement flags = {0};
        place(t, NULL, &h, cases[i].policy, cases[i].n, &flags, text, sizeof text);
        assert_string_equal(text, cases[i].places);
        assert_int_equal(flags.oversubscribed, cases[i].oversubscribed);
    }
    sup_hosts_free(&h);
    sup_topology_free(t);
}

static void policies_as_text(void **state) {
    (void)state;
    static const char *const texts[] = {"none",      "compact",      "scatter/cyclic",
                                        "per-cache", "per-cache:L2", "0,2,4-7/cyclic"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sup_policy policy;
        char text[64];
        assert_int_equal(sup_policy_parse(texts[i], NULL, &policy), SUP_OK);
        assert_string_equal(sup_policy_text(&policy, text, sizeof text), texts[i]);
        sup_policy_free(&policy);
    }
}

/* ---- pinning --------------------------------------------------------------------------------------------------------
 */

static void *pin_own_thread(void *argument) {
    cpu_set_t set;
    int cpu = *(int *)argument;
    if (sup_pin_self(cpu, NULL)) return (void *)1;
    if (pthread_getaffinity_np(pthread_self(), sizeof set, &set)) return (void *)2;
    return CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)cpu, &set) ? NULL : (void *)3;
}

static void pinning(void **state) {
    (void)state;
    cpu_set_t before, after;
    if (sched_getaffinity(0, sizeof before, &before)) skip();
    int cpu = 0;
    while (!CPU_ISSET((size_t)cpu, &before)) cpu++;
    sup_diag diag = {0};
    assert_int_equal(sup_pin_self(cpu, &diag), SUP_OK);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_COUNT(&after) == 1 && CPU_ISSET((size_t)cpu, &after));
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, pin_own_thread, &cpu), 0);
    pthread_join(thread, &result);
    assert_null(result);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after)); /* the other thread is not ours */
    static const int bad[] = {-1, SUP_CPU_MAX, SUP_CPU_MAX + 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sup_pin_self(bad[i], &diag), SUP_EINVAL);
        assert_true(diag.text[0]);
    }
    assert_int_equal(sup_pin_self_to(&cpu, 0, &diag), SUP_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_on_two_packages),
        cmocka_unit_test(threads_after_cores),
        cmocka_unit_test(inside_the_limits),
        cmocka_unit_test(errors_say_what_there_is),
        cmocka_unit_test(no_shared_cache_is_no_mistake),
        cmocka_unit_test(faster_cores_first),
        cmocka_unit_test(every_order_is_a_permutation),
        cmocka_unit_test(host_files),
        cmocka_unit_test(many_hosts),
        cmocka_unit_test(processes_go_to_hosts_by_the_rule),
        cmocka_unit_test(block_and_cyclic),
        cmocka_unit_test(policies_as_text),
        cmocka_unit_test(pinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
