/* Limits that the operating system puts on this process: sched_getaffinity, and its control groups.
 *
 * /proc/self/cgroup says which group we are in (one line per version 1 controller, "0::" for version 2), mountinfo says
 * where the hierarchies are mounted and which part of them is visible: in a container the path of the group may lie
 * outside what is mounted, and then the mount point itself is our group. Quotas and memory limits of every ancestor
 * apply, so the smallest counts. */
#include "base/file/file.h"
#include "machine/cpulist.h"
#include "machine/usable.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define UNLIMITED_V1 ((unsigned long long)1 << 60) /* version 1 writes "no limit" as a number near 2^63 */

/* ---- affinity -----------------------------------------------------------------------------------------------------
 */

static sup_status read_affinity(sup_limits *out) {
    for (int room = 1024; room <= 2 * SUP_CPU_MAX; room *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)room);
        if (!set) return SUP_ENOMEM;
        size_t bytes = CPU_ALLOC_SIZE((size_t)room);
        if (sched_getaffinity(0, bytes, set)) {
            bool larger = errno == EINVAL; /* the kernel's mask is larger than ours */
            CPU_FREE(set);
            if (larger) continue;
            return SUP_OK;
        }
        int count = CPU_COUNT_S(bytes, set);
        out->affinity = malloc((size_t)(count ? count : 1) * sizeof *out->affinity);
        for (int cpu = 0; out->affinity && cpu < room && out->affinity_count < count; cpu++)
            if (CPU_ISSET_S((size_t)cpu, bytes, set)) out->affinity[out->affinity_count++] = cpu;
        CPU_FREE(set);
        return out->affinity ? SUP_OK : SUP_ENOMEM;
    }
    return SUP_OK;
}

/* ---- where our group is -------------------------------------------------------------------------------------------
 */

/* A control group directory: mount point and the path under it, which is shortened to walk to the ancestors. */
struct group {
    char mount[PATH_SIZE], path[PATH_SIZE];
};

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, word, n) && (!p[n] || p[n] == ',' || p[n] == '\n')) return true;
    return false;
}

/* Path of our group in the hierarchy of a version 1 controller, or of version 2 with controller NULL. */
static bool group_path(const char *root, const char *controller, char *path) {
    char name[PATH_SIZE], line[PATH_SIZE];
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "r");
    if (!f) return false;
    bool found = false;
    while (!found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *at = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!at) continue;
        *at++ = 0;
        controllers++;
        found = controller ? has_word(controllers, controller) : !strncmp(line, "0:", 2) && !controllers[0];
        if (found) snprintf(path, PATH_SIZE, "%s", at);
    }
    fclose(f);
    return found;
}

/* mountinfo: id parent major:minor ROOT MOUNTPOINT options … - TYPE source SUPEROPTIONS */
static bool parse_mount(char *line, const char *controller, char **mount_root, char **mount_point) {
    char *dash = strstr(line, " - "), *save = NULL, *field[5] = {0};
    if (!dash) return false;
    *dash = 0;
    char *type = strtok_r(dash + 3, " \n", &save);
    char *source = type ? strtok_r(NULL, " \n", &save) : NULL, *options = source ? strtok_r(NULL, " \n", &save) : NULL;
    if (!type || strcmp(type, controller ? "cgroup" : "cgroup2")) return false;
    if (controller && !(options && has_word(options, controller))) return false;
    save = NULL;
    for (int i = 0; i < 5; i++)
        if (!(field[i] = strtok_r(i ? NULL : line, " ", &save))) return false;
    *mount_root = field[3];
    *mount_point = field[4];
    return true;
}

static bool find_group(const char *root, const char *controller, struct group *out) {
    char path[PATH_SIZE], line[PATH_SIZE], name[PATH_SIZE];
    if (!group_path(root, controller, path)) return false;
    snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *f = fopen(name, "r");
    if (!f) return false;
    bool found = false;
    char *mount_root, *mount_point;
    while (!found && fgets(line, sizeof line, f)) {
        if (!parse_mount(line, controller, &mount_root, &mount_point)) continue;
        size_t n = strcmp(mount_root, "/") ? strlen(mount_root) : 0;
        bool inside = !strncmp(path, mount_root, n) && (!path[n] || path[n] == '/') && !strstr(path, "..");
        if (snprintf(out->mount, sizeof out->mount, "%s%s", root, mount_point) >= (int)sizeof out->mount) continue;
        snprintf(out->path, sizeof out->path, "%s", inside ? path + n : "");
        found = true;
    }
    fclose(f);
    return found;
}

static bool parent(struct group *g) {
    char *slash = strrchr(g->path, '/');
    if (!slash) return false;
    *slash = 0;
    return true;
}

static bool read_file(const struct group *g, const char *file, char *buf, size_t size) {
    char name[2 * PATH_SIZE + 64];
    snprintf(name, sizeof name, "%s%s/%s", g->mount, g->path, file);
    return sup_file_first_line(name, buf, size);
}

/* ---- what it limits -----------------------------------------------------------------------------------------------
 */

static void lower_quota(sup_limits *out, double quota, double period) {
    if (quota <= 0 || period <= 0) return;
    double cpus = quota / period;
    if (out->cpu_quota <= 0 || cpus < out->cpu_quota) out->cpu_quota = cpus;
}

static void lower_memory(sup_limits *out, const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10); /* "max" is no number */
    if (end == text || n == 0 || n >= UNLIMITED_V1) return;
    if (!out->memory_bytes || n < out->memory_bytes) out->memory_bytes = (size_t)n;
}

static void read_quota(const char *root, sup_limits *out) {
    struct group g;
    char text[128], period[64];
    if (find_group(root, NULL, &g)) {
        do {
            double q, p;
            if (read_file(&g, "cpu.max", text, sizeof text) && sscanf(text, "%lf %lf", &q, &p) == 2)
                lower_quota(out, q, p);
        } while (parent(&g));
    }
    if (find_group(root, "cpu", &g)) {
        do
            if (read_file(&g, "cpu.cfs_quota_us", text, sizeof text) &&
                read_file(&g, "cpu.cfs_period_us", period, sizeof period))
                lower_quota(out, strtod(text, NULL), strtod(period, NULL)); /* -1: none */
        while (parent(&g));
    }
}

static void read_memory(const char *root, sup_limits *out) {
    struct group g;
    char text[128];
    if (find_group(root, NULL, &g)) {
        do
            if (read_file(&g, "memory.max", text, sizeof text)) lower_memory(out, text);
        while (parent(&g));
    }
    if (find_group(root, "memory", &g)) {
        do
            if (read_file(&g, "memory.limit_in_bytes", text, sizeof text)) lower_memory(out, text);
        while (parent(&g));
    }
}

/* The nearest group that states its cpus; the kernel keeps "effective" inside the ancestors'. */
static void read_cpuset(const char *root, sup_limits *out) {
    static const char *const files[] = {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"};
    char *text = malloc(1 << 16);
    if (!text) return;
    for (int version = 2; version >= 1 && !out->cpuset; version--) {
        struct group g;
        if (!find_group(root, version == 2 ? NULL : "cpuset", &g)) continue;
        do
            for (int i = 0; i < 3 && !out->cpuset; i++)
                if (read_file(&g, files[i], text, 1 << 16) &&
                    sup_cpulist_parse(text, NULL, &out->cpuset, &out->cpuset_count))
                    out->cpuset = NULL;
        while (!out->cpuset && parent(&g));
    }
    free(text);
}

/* The numbers of a list of the kernel's; 0: none, or no such file. */
static int numbers_of(const char *root, const char *file, int **out) {
    char name[PATH_SIZE], text[4096];
    int count;
    *out = NULL;
    snprintf(name, sizeof name, "%s/sys/devices/system/node/%s", root, file);
    return sup_file_first_line(name, text, sizeof text) && !sup_cpulist_parse(text, NULL, out, &count) ? count : 0;
}

static bool holds_all(const int *list, int count, const sup_limits *limits) {
    for (int i = 0; i < limits->affinity_count; i++) {
        int k = 0;
        while (k < count && list[k] != limits->affinity[i]) k++;
        if (k == count) return false;
    }
    return limits->affinity_count > 0;
}

bool sup_limits_one_node(const char *root) {
    sup_limits limits = {0};
    int *node, count = numbers_of(root, "online", &node);
    bool one = count == 1 || (read_affinity(&limits) == SUP_OK && limits.affinity_count == 1);
    for (int i = 0; i < count && !one; i++) {
        char file[64];
        snprintf(file, sizeof file, "node%d/cpulist", node[i]);
        int *cpu, cpus = numbers_of(root, file, &cpu);
        one = cpus > 0 && holds_all(cpu, cpus, &limits);
        free(cpu);
    }
    free(node);
    sup_limits_free(&limits);
    return one;
}

size_t sup_limits_memory(const char *root) {
    sup_limits limits = {0};
    read_memory(root, &limits);
    return limits.memory_bytes;
}

sup_status sup_limits_read(const char *root, sup_limits *out) {
    sup_limits limits = {0};
    sup_status status = read_affinity(&limits);
    if (status) {
        sup_limits_free(&limits);
        return status;
    }
    read_cpuset(root, &limits);
    read_quota(root, &limits);
    read_memory(root, &limits);
    *out = limits;
    return SUP_OK;
}

void sup_limits_free(sup_limits *limits) {
    if (!limits) return;
    free(limits->cpuset);
    free(limits->affinity);
    limits->cpuset = limits->affinity = NULL;
}
