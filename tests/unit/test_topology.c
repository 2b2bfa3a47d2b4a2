/* The machine model: the two machines of CACHE listings 12 and 13, synthetic and XML machines, hostile descriptions,
 * fallbacks where caches are unknown, limits of the process, and the exact text of `superstep topo`. */
#include "machine/cpulist.h"
#include "machine/sizes.h"
#include "machine/topology/render.h"
#include "machine/topology/topology.h"
#include "machine/usable.h"

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

static sup_topology *from_data(const char *name) {
    char path[1024];
    sup_diag diag = {0};
    sup_topology *t = NULL;
    snprintf(path, sizeof path, "%s/machine/%s", SUP_TEST_DATA, name);
    if (sup_topology_from_file(path, SUP_TOPOLOGY_DEVICES, &diag, &t)) fail_msg("%s: %s", name, diag.text);
    return t;
}

static sup_topology *synthetic(const char *text) {
    sup_diag diag = {0};
    sup_topology *t = NULL;
    if (sup_topology_from_synthetic(text, &diag, &t)) fail_msg("%s: %s", text, diag.text);
    return t;
}

static void assert_cpus(const sup_topology *t, const sup_group *group, const char *expected) {
    int cpus[64];
    char text[256];
    for (int i = 0; i < group->count; i++) cpus[i] = t->cores[group->cores[i]].cpus[0];
    assert_string_equal(sup_cpulist_format(cpus, group->count, text, sizeof text), expected);
}

static void listing_12(void **state) {
    (void)state;
    sup_topology *t = from_data("cache-listing12.json");
    assert_int_equal(t->core_count, 8);
    assert_int_equal(t->cpu_count, 8);
    const sup_level *root = sup_topology_last_level(t);
    assert_string_equal(root->name, "L3");
    assert_int_equal(root->size_bytes, 6291456);
    assert_int_equal(root->line_bytes, 64);
    assert_int_equal(root->group_count, 2);
    assert_cpus(t, &root->groups[0], "0,2,4,6");
    assert_cpus(t, &root->groups[1], "1,3,5,7");
    assert_int_equal(sup_level_get(root, 1)->size_bytes, 524288);
    assert_int_equal(sup_level_get(root, 2)->size_bytes, 65536);
    assert_null(sup_level_get(root, 3));
    assert_null(sup_level_get(root, -1));
    assert_ptr_equal(sup_level_get(root, 2), sup_topology_first_level(t));
    assert_ptr_equal(sup_level_first_shared(root), root);
    assert_null(sup_level_first_shared(root->child));
    int core0 = sup_topology_core_of(t, 0), core6 = sup_topology_core_of(t, 6), core1 = sup_topology_core_of(t, 1);
    assert_ptr_equal(sup_topology_common_level(t, core0, core6), root);
    assert_null(sup_topology_common_level(t, core0, core1));
    assert_cpus(t, sup_level_group(root, core6), "0,2,4,6");
    assert_int_equal(sup_topology_core_of(t, 8), -1);
    assert_int_equal(sup_topology_core_of(t, -1), -1);
    sup_topology_free(t);
}

static void listing_13(void **state) {
    (void)state;
    sup_topology *t = from_data("cache-listing13.json");
    assert_int_equal(t->core_count, 64);
    const sup_level *l3 = sup_topology_cache(t, 3), *l2 = sup_topology_cache(t, 2), *l1 = sup_topology_cache(t, 1);
    assert_int_equal(l3->group_count, 8);
    assert_int_equal(l3->sharing, 8);
    assert_int_equal(l2->group_count, 32);
    assert_int_equal(l2->sharing, 2);
    assert_int_equal(l1->group_count, 64);
    assert_int_equal(l1->size_bytes, 16384);
    assert_ptr_equal(sup_level_first_shared(l3), l2);
    assert_null(sup_topology_cache(t, 4));
    assert_cpus(t, sup_level_group(l2, 63), "62-63");
    sup_topology_free(t);
}

static void memory_levels_become_numa_nodes(void **state) {
    (void)state;
    sup_topology *t = from_data("memory-above-caches.json");
    assert_int_equal(t->numa_count, 2);
    assert_int_equal(t->cores[5].numa, 1);
    assert_true(t->memory_bytes == (size_t)2 * 17179869184u);
    assert_string_equal(t->levels->name, "L2");
    assert_int_equal(t->levels->line_bytes, 128);
    sup_topology_free(t);
}

static void smt_and_packages_of_xml(void **state) {
    (void)state;
    sup_topology *t = from_data("two-socket-smt.xml");
    assert_false(t->this_system);
    assert_int_equal(t->package_count, 2);
    assert_int_equal(t->numa_count, 2);
    assert_int_equal(t->core_count, 16);
    assert_int_equal(t->cpu_count, 32);
    assert_int_equal(t->cores[9].cpu_count, 2);
    assert_int_equal(t->cores[9].cpus[1], 19);
    assert_int_equal(t->cores[9].package, 1);
    assert_int_equal(sup_topology_core_of(t, 19), 9);
    assert_int_equal(sup_topology_last_level(t)->sharing, 8);
    sup_topology_free(t);
}

static void classes_and_gpus_of_xml(void **state) {
    (void)state;
    sup_topology *t = from_data("hybrid.xml");
    assert_int_equal(t->class_count, 2);
    assert_string_equal(t->classes[1].name, "IntelCore");
    assert_int_equal(t->cores[0].core_class, 0);
    assert_int_equal(t->cores[3].core_class, 1);
    sup_topology_free(t);
    t = from_data("gpu.xml");
    assert_int_equal(t->gpu_count, 1); /* the management board's picture chip is none */
    assert_string_equal(t->gpus[0].name, "cuda0");
    assert_string_equal(t->gpus[0].model, "NVIDIA H200");
    assert_int_equal(t->gpus[0].numa, 1);
    sup_topology_free(t);
}

static void levels_always_nest(void **state) {
    (void)state;
    static const char *const machines[] = {
        "package:2 l3:2 l2:2 core:2 pu:2", "numa:2 l2:1 core:4 pu:1",       "core:3 pu:4",
        "package:3 core:1 l1:2 pu:1",      "l5:1 l4:2 l3:2 l2:2 l1:2 pu:2", "pu:1"};
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        sup_topology *t = synthetic(machines[m]);
        for (const sup_level *level = t->levels; level; level = level->child) {
            int members = 0;
            assert_true(level->size_bytes > 0 && level->line_bytes > 0);
            for (int g = 0; g < level->group_count; g++) {
                assert_true(level->groups[g].count > 0);
                members += level->groups[g].count;
                for (int i = 0; i < level->groups[g].count; i++)
                    assert_int_equal(level->group_of[level->groups[g].cores[i]], g);
            }
            assert_int_equal(members, t->core_count);
        }
        sup_topology_free(t);
    }
}

static void no_caches_are_assumed_and_say_so(void **state) {
    (void)state;
    sup_topology *t = synthetic("package:2 core:4 pu:1");
    assert_true(t->levels->assumed && t->levels->child->assumed);
    assert_int_equal(t->levels->size_bytes, 4 * SUP_ASSUMED_L3);
    assert_int_equal(t->levels->group_count, 2);
    assert_int_equal(sup_topology_first_level(t)->size_bytes, SUP_ASSUMED_L1);
    sup_topology_free(t);
    t = synthetic("package:1 l2:2 core:2 pu:1"); /* no L3 and no L1: what there is is not replaced */
    assert_string_equal(t->levels->name, "L2");
    assert_false(t->levels->assumed);
    assert_null(t->levels->child);
    sup_topology_free(t);
}

static void bad_synthetic_descriptions(void **state) {
    (void)state;
    static const char *const bad[] = {"", "foo", "pu:0", "core:100000 pu:100000", "core:2(", "l1:2 l3:2 pu:2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sup_diag diag = {0};
        sup_topology *t = NULL;
        assert_int_equal(sup_topology_from_synthetic(bad[i], &diag, &t), SUP_EPARSE);
        assert_true(diag.text[0]);
        assert_null(t);
    }
}

static void bad_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        sup_status status;
    } bad[] = {{"broken.xml", SUP_EPARSE}, {"truncated.xml", SUP_EPARSE}, {"absent.json", SUP_ENOENT}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char path[1024];
        sup_diag diag = {0};
        sup_topology *t = NULL;
        snprintf(path, sizeof path, "%s/machine/%s", SUP_TEST_DATA, bad[i].name);
        assert_int_equal(sup_topology_from_file(path, 0, &diag, &t), bad[i].status);
        assert_non_null(strstr(diag.file, bad[i].name));
        assert_null(t);
    }
}

static void hostile_json(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *reason;
    } bad[] = {
        {"[]", 1, "object"},
        {"{\"size\": 1,\n \"cacheLineSize\": 64}", 1, "siblings"},
        {"{\"siblings\": [[0]],\n \"size\": -5, \"cacheLineSize\": 64}", 2, "size"},
        {"{\"siblings\": [[0]],\n \"size\": 0, \"cacheLineSize\": 64}", 2, "size"},
        {"{\"siblings\": [[0]], \"size\": 64,\n\n \"cacheLineSize\": 0}", 3, "cacheLineSize"},
        {"{\"siblings\": [[0]], \"size\": 64,\n \"cacheLineSize\": 48}", 2, "power of two"},
        {"{\"siblings\": [[0]], \"size\": 64}", 1, "no cache"},
        {"{\"siblings\": [], \"size\": 64, \"cacheLineSize\": 64}", 1, "no groups"},
        {"{\"siblings\": [[0],\n []], \"size\": 64, \"cacheLineSize\": 64}", 2, "empty"},
        {"{\"siblings\": [[0],\n [1,\n 0]], \"size\": 64, \"cacheLineSize\": 64}", 3, "already"},
        {"{\"siblings\": [[0, 0]], \"size\": 64, \"cacheLineSize\": 64}", 1, "already"},
        {"{\"siblings\": [0, 1], \"size\": 64, \"cacheLineSize\": 64}", 1, "array"},
        {"{\"siblings\": [[0.5]], \"size\": 64, \"cacheLineSize\": 64}", 1, "core number"},
        {"{\"siblings\": [[\n1048577]], \"size\": 64, \"cacheLineSize\": 64}", 2, "1048577"},
        {"{\"siblings\": [[-1]], \"size\": 64, \"cacheLineSize\": 64}", 1, "-1"},
        {"{\"siblings\": [[0]], \"size\": 64, \"cacheLineSize\": 64,\n \"child\": 3}", 2, "child"},
        {"{\"siblings\": [[0]], \"size\": 64, \"cacheLineSize\": 64,\n \"sibings\": 3}", 2, "sibings"},
        {"{\"siblings\": [[0,1],[2]], \"size\": 64, \"cacheLineSize\": 64, \"child\":\n"
         "{\"siblings\": [[0],\n[1,2]], \"size\": 64, \"cacheLineSize\": 64}}",
         3, "nest"},
        {"{\"siblings\": [[0,2]], \"size\": 64, \"cacheLineSize\": 64, \"child\":\n"
         "{\"siblings\": [[0],[1],[2]], \"size\": 64, \"cacheLineSize\": 64}}",
         2, "core 1 is not in the parent"},
        {"{\"siblings\": [[0,1]], \"size\": 64, \"cacheLineSize\": 64, \"child\":\n"
         "{\"siblings\": [[0],[1],[9]], \"size\": 64, \"cacheLineSize\": 64}}",
         2, "core 9 is not in the parent"},
        {"{\"siblings\": [[0,1]], \"size\": 64, \"cacheLineSize\": 64, \"child\":\n"
         "{\"siblings\": [[0]], \"size\": 64, \"cacheLineSize\": 64}}",
         2, "core 1"},
        {"{\"siblings\": [[0]], \"size\": 64, \"cacheLineSize\": 64, \"child\":\n"
         "{\"siblings\": [[0]], \"size\": 64}}",
         2, "memory"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sup_diag diag = {0};
        sup_json *doc = NULL;
        sup_topology *t = NULL;
        sup_status status = sup_json_parse("m.json", bad[i].text, strlen(bad[i].text), &diag, &doc);
        if (!status) status = sup_topology_from_json(doc, &diag, &t);
        if (status != SUP_EPARSE || diag.line != bad[i].line || !strstr(diag.text, bad[i].reason))
            fail_msg("%s\n gave %d, line %d: %s", bad[i].text, status, diag.line, diag.text);
        assert_null(t);
        sup_json_free(doc);
    }
}

static void too_many_levels(void **state) {
    (void)state;
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 12; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "{\"siblings\":[[0]],\"size\":64,\"cacheLineSize\":64,\"child\":");
    n += (size_t)snprintf(text + n, sizeof text - n, "null");
    for (int i = 0; i < 12; i++) n += (size_t)snprintf(text + n, sizeof text - n, "}");
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_topology *t = NULL;
    assert_int_equal(sup_json_parse("m.json", text, n, &diag, &doc), SUP_OK);
    assert_int_equal(sup_topology_from_json(doc, &diag, &t), SUP_EPARSE);
    assert_non_null(strstr(diag.text, "levels"));
    sup_json_free(doc);
}

/* ---- fallbacks and limits, in a made-up /proc and /sys -------------------------------------------------------------
 */

static char made_up_root[64];

static void write_file(const char *path, const char *text) {
    char name[512];
    int n = snprintf(name, sizeof name, "%s/%s", made_up_root, path);
    assert_true(n > 0 && (size_t)n < sizeof name);
    for (char *p = name + strlen(made_up_root) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = 0;
        mkdir(name, 0755);
        *p = '/';
    }
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_root(void **state) {
    (void)state;
    snprintf(made_up_root, sizeof made_up_root, "/tmp/sup-machine-XXXXXX");
    return mkdtemp(made_up_root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", made_up_root);
    return system(command);
}

static void sys_cache(int cpu, int index, const char *level, const char *type, const char *size, const char *shared) {
    char path[128], dir[96];
    snprintf(dir, sizeof dir, "sys/devices/system/cpu/cpu%d/cache/index%d", cpu, index);
    const char *const files[][2] = {{"level", level}, {"type", type}, {"size", size}, {"shared_cpu_list", shared}};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i][0]);
        write_file(path, files[i][1]);
    }
}

static void caches_from_sysfs(void **state) {
    (void)state;
    for (int cpu = 0; cpu < 4; cpu++) {
        char own[8];
        snprintf(own, sizeof own, "%d\n", cpu);
        sys_cache(cpu, 0, "1\n", "Data\n", "48K\n", own);
        sys_cache(cpu, 1, "1\n", "Instruction\n", "32K\n", own);
        sys_cache(cpu, 2, "2\n", "Unified\n", "1M\n", cpu < 2 ? "0-1\n" : "2-3\n");
    }
    sup_topology *t = NULL;
    assert_int_equal(sup_topology_new("hwloc", 4, 4, &t), SUP_OK);
    for (int c = 0; c < 4; c++) sup_topology_set_core(t, c, &c, 1);
    t->cpu_limit = 4;
    assert_int_equal(sup_topology_sysfs_caches(t, made_up_root), SUP_OK);
    assert_int_equal(sup_topology_finish(t, NULL), SUP_OK);
    assert_string_equal(t->levels->name, "L2");
    assert_int_equal(t->levels->group_count, 2);
    assert_int_equal(t->levels->size_bytes, 1 << 20);
    assert_int_equal(t->levels->child->size_bytes, 48 << 10);
    assert_int_equal(t->levels->child->line_bytes, 64);
    assert_false(t->levels->assumed);
    assert_null(t->levels->child->child);
    sup_topology_free(t);
}

static void control_groups_version_2(void **state) {
    (void)state;
    write_file("proc/self/cgroup", "0::/batch/job7\n");
    write_file("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
    write_file("sys/fs/cgroup/batch/job7/cpuset.cpus.effective", "0-2\n");
    write_file("sys/fs/cgroup/batch/job7/cpu.max", "max 100000\n");
    write_file("sys/fs/cgroup/batch/cpu.max", "150000 100000\n"); /* an ancestor's limit counts */
    write_file("sys/fs/cgroup/batch/job7/memory.max", "1073741824\n");
    sup_limits limits;
    assert_int_equal(sup_limits_read(made_up_root, &limits), SUP_OK);
    assert_int_equal(limits.cpuset_count, 3);
    assert_true(limits.cpu_quota > 1.49 && limits.cpu_quota < 1.51);
    assert_int_equal(limits.memory_bytes, 1 << 30);
    assert_int_equal(sup_limits_memory(made_up_root), 1 << 30);
    sup_limits_free(&limits);
}

/* Two memory nodes: all cpus that we may run on are at one of them, or all but one. */
static void memory_nodes(void **state) {
    (void)state;
    sup_limits limits;
    char ours[4096], but_one[4096];
    assert_int_equal(sup_limits_read("", &limits), SUP_OK);
    bool alone = limits.affinity_count == 1;
    write_file("sys/devices/system/node/online", "0\n");
    assert_true(sup_limits_one_node(made_up_root));
    write_file("sys/devices/system/node/online", "0-1\n");
    assert_true(sup_limits_one_node(made_up_root) == alone); /* which cpus they have is not said */
    sup_cpulist_format(limits.affinity, limits.affinity_count, ours, sizeof ours);
    sup_cpulist_format(limits.affinity, limits.affinity_count - 1, but_one, sizeof but_one);
    write_file("sys/devices/system/node/node0/cpulist", "9999\n");
    write_file("sys/devices/system/node/node1/cpulist", ours);
    assert_true(sup_limits_one_node(made_up_root));
    write_file("sys/devices/system/node/node1/cpulist", but_one);
    assert_true(sup_limits_one_node(made_up_root) == alone);
    sup_limits_free(&limits);
}

static void control_groups_version_1_in_a_container(void **state) {
    (void)state;
    write_file("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n3:cpuset:/elsewhere\n");
    write_file("proc/self/mountinfo", "31 23 0:27 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                                      "32 23 0:28 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                      "33 23 0:29 /docker/abc /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
    write_file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    write_file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    write_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("sys/fs/cgroup/cpuset/cpuset.cpus", "1,3\n");
    sup_limits limits;
    assert_int_equal(sup_limits_read(made_up_root, &limits), SUP_OK);
    assert_true(limits.cpu_quota > 1.99 && limits.cpu_quota < 2.01);
    assert_int_equal(limits.memory_bytes, 0);
    assert_int_equal(limits.cpuset_count, 2);
    assert_int_equal(limits.cpuset[1], 3);
    sup_limits_free(&limits);
}

static void what_may_be_used(void **state) {
    (void)state;
    sup_topology *t = synthetic("package:1 core:4 pu:2");
    sup_usable u;
    sup_diag diag = {0};
    assert_int_equal(sup_usable_make(t, NULL, &diag, &u), SUP_OK);
    assert_int_equal(u.core_count, 4);
    assert_int_equal(u.process_count, 4);
    assert_false(u.less);
    sup_usable_free(&u);
    int affinity[] = {1, 2, 3, 4, 99}, cpuset[] = {0, 1, 2, 3};
    sup_limits limits = {.affinity = affinity, .affinity_count = 5, .cpuset = cpuset, .cpuset_count = 4};
    assert_int_equal(sup_usable_make(t, &limits, &diag, &u), SUP_OK);
    assert_int_equal(u.cpu_count, 3);
    assert_int_equal(u.core_count, 2);
    assert_true(u.less && sup_usable_cpu(&u, 3) && !sup_usable_cpu(&u, 0) && !sup_usable_cpu(&u, 4));
    assert_int_equal(u.reason_count, 2);
    sup_usable_free(&u);
    static const struct {
        double quota;
        int processes;
    } quotas[] = {{0.5, 1}, {1.5, 1}, {1.95, 2}, {2, 2}, {3.2, 3}, {4, 4}, {6, 4}, {100, 4}};
    for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++) {
        sup_limits quota = {.cpu_quota = quotas[i].quota};
        assert_int_equal(sup_usable_make(t, &quota, &diag, &u), SUP_OK);
        assert_int_equal(u.process_count, quotas[i].processes);
        sup_usable_free(&u);
    }
    int elsewhere = 50;
    sup_limits none = {.affinity = &elsewhere, .affinity_count = 1};
    assert_int_equal(sup_usable_make(t, &none, &diag, &u), SUP_EINVAL);
    sup_topology_free(t);
}

static void this_machine(void **state) {
    (void)state;
    sup_diag diag = {0};
    sup_topology *t = NULL;
    sup_usable u;
    assert_int_equal(sup_topology_load(0, &diag, &t), SUP_OK);
    assert_true(t->core_count >= 1 && t->cpu_count >= t->core_count && t->levels);
    assert_int_equal(sup_usable_read(t, &diag, &u), SUP_OK);
    assert_true(u.cpu_count >= 1 && u.process_count >= 1 && u.process_count <= u.core_count);
    sup_usable_free(&u);
    sup_topology_free(t);
}

/* ---- text ----------------------------------------------------------------------------------------------------------
 */

static void lists_of_cpus(void **state) {
    (void)state;
    int *cpus, count;
    char text[64];
    assert_int_equal(sup_cpulist_parse("0,2,4-7,16-20:2,2", NULL, &cpus, &count), SUP_OK);
    assert_int_equal(count, 10);
    assert_string_equal(sup_cpulist_format(cpus, count, text, sizeof text), "0,2,4-7,16,18,20,2");
    free(cpus);
    assert_int_equal(sup_cpulist_parse("0-14:2", NULL, &cpus, &count), SUP_OK);
    assert_string_equal(sup_cpulist_format(cpus, count, text, sizeof text), "0-14:2");
    assert_string_equal(sup_cpulist_format(cpus, 5, text, 8), "0,2,…");
    free(cpus);
    static const char *const bad[] = {
        "", ",", "1,", "a", "3-1", "1-", "-1", "1 2", "1048577", "0-4:0", "99999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sup_diag diag = {0};
        if (sup_cpulist_parse(bad[i], &diag, &cpus, &count) != SUP_EPARSE) fail_msg("'%s' was taken", bad[i]);
        assert_true(diag.text[0]);
    }
}

static void sizes_in_words(void **state) {
    (void)state;
    char text[32];
    assert_string_equal(sup_size_text(64 << 10, text, sizeof text), "64 KB");
    assert_string_equal(sup_size_text(1310720, text, sizeof text), "1.25 MB");
    assert_string_equal(sup_size_text(1023, text, sizeof text), "1023 B");
    assert_string_equal(sup_size_text((size_t)32 << 20, text, sizeof text), "32 MB");
    assert_string_equal(sup_size_text((size_t)128 << 30, text, sizeof text), "128 GB");
}

/* tests/golden/topo holds the exact output; SUP_GOLDEN_WRITE=1 writes it anew. */
static void compare_golden(const sup_view *view, bool json, const char *name) {
    char path[1024], *text = NULL, *expected;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(json ? sup_render_json(view, out) : sup_render_text(view, out), SUP_OK);
    fclose(out);
    snprintf(path, sizeof path, "%s/../golden/topo/%s", SUP_TEST_DATA, name);
    FILE *f = fopen(path, getenv("SUP_GOLDEN_WRITE") ? "w+" : "r");
    if (!f) fail_msg("cannot open %s", path);
    if (getenv("SUP_GOLDEN_WRITE")) fputs(text, f);
    rewind(f);
    expected = calloc(1, length + 2);
    assert_non_null(expected);
    assert_true(fread(expected, 1, length + 1, f) <= length + 1);
    fclose(f);
    if (strcmp(expected, text)) fail_msg("%s differs; now it is\n%s", name, text);
    free(expected);
    free(text);
}

static void the_exact_text(void **state) {
    (void)state;
    static const struct {
        const char *file, *place;
        int processes;
        bool json;
        const char *golden;
    } cases[] = {
        {"cache-listing12.json", NULL, 0, false, "listing12.txt"},
        {"cache-listing12.json", NULL, 0, true, "listing12.json"},
        {"cache-listing13.json", NULL, 0, false, "listing13.txt"},
        {"neoverse-n1-2core.xml", "compact", 3, false, "neoverse-n1-2core.txt"},
        {"neoverse-n1-2core.xml", "compact", 3, true, "neoverse-n1-2core.json"},
        {"two-socket-smt.xml", "scatter", 18, false, "two-socket-smt.txt"},
        {"hybrid.xml", "none", 2, false, "hybrid.txt"},
        {"gpu.xml", NULL, 0, false, "gpu.txt"},
        {"memory-above-caches.json", "per-cache", 4, false, "memory-above-caches.txt"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sup_topology *t = from_data(cases[i].file);
        sup_usable u;
        sup_policy policy = {0};
        sup_placement placement = {0};
        assert_int_equal(sup_usable_make(t, NULL, NULL, &u), SUP_OK);
        sup_view view = {.topology = t, .usable = &u};
        if (cases[i].place) {
            assert_int_equal(sup_policy_parse(cases[i].place, NULL, &policy), SUP_OK);
            assert_int_equal(sup_placement_make(t, &u, NULL, &policy, cases[i].processes, NULL, &placement), SUP_OK);
            view.policy = &policy;
            view.placement = &placement;
        }
        compare_golden(&view, cases[i].json, cases[i].golden);
        sup_placement_free(&placement);
        sup_policy_free(&policy);
        sup_usable_free(&u);
        sup_topology_free(t);
    }
}

/* "hierarchy" of the JSON is a file of CACHE §4.2.1.1. */
static void hierarchy_reads_back(void **state) {
    (void)state;
    sup_topology *t = from_data("cache-listing13.json"), *again = NULL;
    sup_view view = {.topology = t};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(sup_render_json(&view, out), SUP_OK);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    char *hierarchy = json_dumps(json_object_get(root, "hierarchy"), 0);
    assert_non_null(hierarchy);
    sup_json *doc = NULL;
    assert_int_equal(sup_json_parse("h", hierarchy, strlen(hierarchy), NULL, &doc), SUP_OK);
    assert_int_equal(sup_topology_from_json(doc, NULL, &again), SUP_OK);
    assert_int_equal(again->core_count, 64);
    assert_int_equal(again->levels->child->group_count, 32);
    sup_json_free(doc);
    free(hierarchy);
    json_decref(root);
    free(text);
    sup_topology_free(again);
    sup_topology_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing_12),
        cmocka_unit_test(listing_13),
        cmocka_unit_test(memory_levels_become_numa_nodes),
        cmocka_unit_test(smt_and_packages_of_xml),
        cmocka_unit_test(classes_and_gpus_of_xml),
        cmocka_unit_test(levels_always_nest),
        cmocka_unit_test(no_caches_are_assumed_and_say_so),
        cmocka_unit_test(bad_synthetic_descriptions),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(hostile_json),
        cmocka_unit_test(too_many_levels),
        cmocka_unit_test_setup_teardown(caches_from_sysfs, make_root, remove_root),
        cmocka_unit_test_setup_teardown(control_groups_version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(memory_nodes, make_root, remove_root),
        cmocka_unit_test_setup_teardown(control_groups_version_1_in_a_container, make_root, remove_root),
        cmocka_unit_test(what_may_be_used),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(lists_of_cpus),
        cmocka_unit_test(sizes_in_words),
        cmocka_unit_test(the_exact_text),
        cmocka_unit_test(hierarchy_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
