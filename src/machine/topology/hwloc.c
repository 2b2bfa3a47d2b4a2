/* The machine model from hwloc: this machine, an XML file or a synthetic description (CACHE §4.2.1.1 from a tool the
 * document did not have). hwloc knows packages, memory nodes, caches, SMT, kinds of cores and devices; what it does not
 * know (no caches in some containers, caches without a size on some Arm boards) is filled in and marked as assumed. */
#include "base/file/file.h"
#include "machine/cpu_model.h"
#include "machine/environment.h"
#include "machine/topology/topology.h"

#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define XML_MAX ((size_t)64 << 20)
#define SYNTHETIC_MAX 16384 /* hwloc keeps bitmaps of all cpus in every object: quadratic in their number */

/* ---- cores and cpus -----------------------------------------------------------------------------------------------
 */

/* The object that stands for the core of a hardware thread: its Core, or itself where hwloc has no cores. */
static hwloc_obj_t core_object(hwloc_topology_t h, hwloc_obj_t pu) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(h, HWLOC_OBJ_CORE, pu);
    return core ? core : pu;
}

static sup_status fill_cores(hwloc_topology_t h, const char *source, hwloc_obj_t **objects, sup_topology **out) {
    int pus = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU), cores = 0;
    if (pus < 1 || pus > SUP_CPU_MAX) return SUP_EPARSE;
    hwloc_obj_t *core = calloc((size_t)pus, sizeof *core), last = NULL;
    int *cpus = malloc((size_t)pus * sizeof *cpus);
    sup_status status = SUP_ENOMEM;
    if (!core || !cpus) goto free_arrays;
    for (int i = 0; i < pus; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, (unsigned)i), c = core_object(h, pu);
        status = SUP_EPARSE;
        if (pu->os_index > SUP_CPU_MAX) goto free_arrays;
        if (c != last) core[cores++] = last = c;
    }
    sup_topology *t;
    status = sup_topology_new(source, cores, pus, &t);
    if (status) goto free_arrays;
    for (int i = 0, c = 0; i < pus; c++) {
        int n = 0;
        while (i < pus) {
            hwloc_obj_t pu = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, (unsigned)i);
            if (core_object(h, pu) != core[c]) break;
            cpus[n++] = (int)pu->os_index;
            i++;
        }
        sup_topology_set_core(t, c, cpus, n);
    }
    free(cpus);
    *objects = core;
    *out = t;
    return SUP_OK;
free_arrays:
    free(cpus);
    free(core);
    return status;
}

static void fill_packages(hwloc_topology_t h, hwloc_obj_t *objects, sup_topology *t) {
    int packages = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PACKAGE);
    t->package_count = packages > 0 ? packages : 0;
    for (int c = 0; c < t->core_count; c++) {
        hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(h, HWLOC_OBJ_PACKAGE, objects[c]);
        if (package) t->cores[c].package = (int)package->logical_index;
    }
}

static sup_status fill_numas(hwloc_topology_t h, hwloc_obj_t *objects, sup_topology *t) {
    int n = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_NUMANODE);
    if (n < 1) return SUP_OK;
    t->numas = calloc((size_t)n, sizeof *t->numas);
    if (!t->numas) return SUP_ENOMEM;
    t->numa_count = n;
    for (int i = n - 1; i >= 0; i--) { /* downwards: of several nodes local to a core the first one stays */
        hwloc_obj_t node = hwloc_get_obj_by_type(h, HWLOC_OBJ_NUMANODE, (unsigned)i);
        t->numas[i].os_index = (int)node->os_index;
        t->numas[i].memory_bytes = (size_t)node->attr->numanode.local_memory;
        if (node->attr->numanode.page_types_len > 0 && !t->page_bytes)
            t->page_bytes = (size_t)node->attr->numanode.page_types[0].size;
        for (int c = 0; c < t->core_count; c++)
            if (hwloc_bitmap_intersects(objects[c]->cpuset, node->cpuset)) t->cores[c].numa = i;
    }
    return SUP_OK;
}

/* ---- caches -------------------------------------------------------------------------------------------------------
 */

static size_t assumed_size(int depth, hwloc_obj_t cache) {
    int pus = hwloc_bitmap_weight(cache->cpuset);
    if (depth == 1) return SUP_ASSUMED_L1;
    return (depth == 2 ? SUP_ASSUMED_L2 : SUP_ASSUMED_L3) * (size_t)(pus > 0 ? pus : 1);
}

static sup_status fill_level(hwloc_topology_t h, hwloc_obj_type_t type, int depth, hwloc_obj_t *objects,
                             sup_topology *t) {
    int caches = hwloc_get_nbobjs_by_type(h, type);
    if (caches < 1) return SUP_OK;
    int *of = malloc((size_t)t->core_count * sizeof *of), *dense = malloc((size_t)caches * sizeof *dense), groups = 0;
    size_t *sizes = calloc((size_t)caches, sizeof *sizes), line = 0;
    sup_status status = SUP_ENOMEM;
    if (!of || !dense || !sizes) goto free_arrays;
    bool assumed = false;
    for (int i = 0; i < caches; i++) dense[i] = -1;
    for (int c = 0; c < t->core_count; c++) {
        hwloc_obj_t pu = objects[c]; /* from its first thread upwards: an L1 may lie below the core */
        while (pu->type != HWLOC_OBJ_PU) pu = pu->first_child;
        hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(h, type, pu);
        of[c] = -1;
        if (!cache) continue;
        int *id = &dense[cache->logical_index];
        if (*id < 0) {
            *id = groups++;
            sizes[*id] = (size_t)cache->attr->cache.size;
            if (!sizes[*id]) assumed = true;
            if (!sizes[*id]) sizes[*id] = assumed_size(depth, cache);
            if (!line) line = cache->attr->cache.linesize;
        }
        of[c] = *id;
    }
    if (groups > 0)
        status = sup_topology_add_level(t, depth, line ? line : SUP_ASSUMED_LINE, assumed, groups, of, sizes);
    else
        status = SUP_OK;
free_arrays:
    free(sizes);
    free(dense);
    free(of);
    return status;
}

static sup_status fill_levels(hwloc_topology_t h, hwloc_obj_t *objects, sup_topology *t) {
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L1CACHE};
    for (int i = 0; i < 5; i++) {
        sup_status status = fill_level(h, types[i], 5 - i, objects, t);
        if (status) return status;
    }
    return SUP_OK;
}

/* ---- classes of cores ---------------------------------------------------------------------------------------------
 */

struct kind {
    char type[40];
    long capacity, mhz;
};

static void kind_read(hwloc_topology_t h, unsigned index, struct kind *out) {
    unsigned infos = 0;
    struct hwloc_info_s *info = NULL;
    *out = (struct kind){{0}, 0, 0};
    if (hwloc_cpukinds_get_info(h, index, NULL, NULL, &infos, &info, 0) < 0) return;
    for (unsigned i = 0; i < infos; i++) {
        if (!strcmp(info[i].name, "CoreType")) snprintf(out->type, sizeof out->type, "%s", info[i].value);
        if (!strcmp(info[i].name, "LinuxCapacity")) out->capacity = strtol(info[i].value, NULL, 10);
        if (!strcmp(info[i].name, "FrequencyMaxMHz")) out->mhz = strtol(info[i].value, NULL, 10);
    }
}

/* Favoured cores that may clock a little higher are not another class: they would scatter neighbours for nothing. */
static bool kind_same(const struct kind *a, const struct kind *b) {
    if (strcmp(a->type, b->type) || a->capacity != b->capacity) return false;
    long high = a->mhz > b->mhz ? a->mhz : b->mhz, low = a->mhz > b->mhz ? b->mhz : a->mhz;
    return a->type[0] || a->capacity || (double)low >= 0.9 * (double)high;
}

static void kind_name(const struct kind *kind, char *buf, size_t size) {
    if (kind->type[0])
        snprintf(buf, size, "%s", kind->type);
    else if (kind->capacity)
        snprintf(buf, size, "capacity %ld", kind->capacity);
    else if (kind->mhz)
        snprintf(buf, size, "%ld MHz", kind->mhz);
}

/* hwloc orders kinds by efficiency, slowest first, where it knows; so do our classes. */
static sup_status fill_classes(hwloc_topology_t h, hwloc_obj_t *objects, sup_topology *t) {
    int kinds = hwloc_cpukinds_get_nr(h, 0);
    if (kinds < 2) return SUP_OK;
    struct kind *kind = calloc((size_t)kinds, sizeof *kind);
    int *class_of = calloc((size_t)kinds, sizeof *class_of), classes = 1;
    sup_core_class *list = calloc((size_t)kinds, sizeof *list);
    if (!kind || !class_of || !list) {
        free(list);
        free(class_of);
        free(kind);
        return SUP_ENOMEM;
    }
    for (int k = 0; k < kinds; k++) {
        kind_read(h, (unsigned)k, &kind[k]);
        if (k > 0) class_of[k] = kind_same(&kind[k - 1], &kind[k]) ? class_of[k - 1] : classes++;
        kind_name(&kind[k], list[class_of[k]].name, sizeof list->name);
    }
    for (int c = 0; c < t->core_count; c++) {
        int k = hwloc_cpukinds_get_by_cpuset(h, objects[c]->cpuset, 0);
        t->cores[c].core_class = k < 0 ? classes - 1 : class_of[k];
    }
    if (classes == 1) list[0].name[0] = 0;
    free(t->classes);
    t->classes = list;
    t->class_count = classes;
    free(class_of);
    free(kind);
    return SUP_OK;
}

/* ---- GPUs ---------------------------------------------------------------------------------------------------------
 */

static int osdev_rank(const char *name) {
    static const char *const order[] = {"cuda", "rsmi", "ze", "nvml", "opencl", "card"};
    for (int i = 0; i < 6; i++)
        if (!strncmp(name, order[i], strlen(order[i]))) return i;
    return 99;
}

static void osdev_describe(hwloc_obj_t dev, sup_gpu *gpu) {
    static const char *const memory[] = {"CUDAGlobalMemorySize", "RSMIVRAMSize", "OpenCLGlobalMemorySize"};
    const char *model = hwloc_obj_get_info_by_name(dev, "GPUModel");
    if (model && !gpu->model[0]) snprintf(gpu->model, sizeof gpu->model, "%s", model);
    for (int i = 0; i < 3 && !gpu->memory_bytes; i++) {
        const char *text = hwloc_obj_get_info_by_name(dev, memory[i]); /* in KiB */
        if (text) gpu->memory_bytes = (size_t)strtoull(text, NULL, 10) << 10;
    }
}

/* A display controller counts if something can compute on it: a compute driver knows it, or it is a 3D controller or
 * of a maker of GPUs. The picture chip of a server's management board does not. */
static bool pci_gpu(hwloc_obj_t pci, sup_gpu *gpu) {
    const struct hwloc_pcidev_attr_s *a = &pci->attr->pcidev;
    int best = 100;
    *gpu = (sup_gpu){.numa = -1};
    for (hwloc_obj_t dev = pci->io_first_child; dev; dev = dev->next_sibling) {
        if (dev->type != HWLOC_OBJ_OS_DEVICE || !dev->name) continue;
        osdev_describe(dev, gpu);
        int rank = osdev_rank(dev->name);
        if (rank >= best) continue;
        best = rank;
        snprintf(gpu->name, sizeof gpu->name, "%s", dev->name);
    }
    bool compute = best < 5, display = (a->class_id >> 8) == 0x03 || (a->class_id >> 8) == 0x12;
    bool maker = a->vendor_id == 0x10de || a->vendor_id == 0x1002 || a->vendor_id == 0x8086;
    if (!compute && !(display && (maker || a->class_id == 0x0302))) return false;
    if (best > 5) snprintf(gpu->name, sizeof gpu->name, "%04x:%02x:%02x.%01x", a->domain, a->bus, a->dev, a->func);
    const char *model = hwloc_obj_get_info_by_name(pci, "PCIDevice");
    if (model && !gpu->model[0]) snprintf(gpu->model, sizeof gpu->model, "%s", model);
    return true;
}

/* Where the PCI bus is hidden (containers) or absent, drivers still name their devices. One driver's devices are taken:
 * cuda0 and nvml0 would be the same GPU. */
static void driver_gpus(hwloc_topology_t h, sup_topology *t, int room) {
    int best = 5;
    for (hwloc_obj_t dev = NULL; (dev = hwloc_get_next_osdev(h, dev)) != NULL;)
        if (dev->name && dev->parent->type != HWLOC_OBJ_PCI_DEVICE && osdev_rank(dev->name) < best)
            best = osdev_rank(dev->name);
    for (hwloc_obj_t dev = NULL; best < 5 && (dev = hwloc_get_next_osdev(h, dev)) != NULL && t->gpu_count < room;) {
        if (!dev->name || dev->parent->type == HWLOC_OBJ_PCI_DEVICE || osdev_rank(dev->name) != best) continue;
        sup_gpu *gpu = &t->gpus[t->gpu_count++];
        gpu->numa = -1;
        snprintf(gpu->name, sizeof gpu->name, "%s", dev->name);
        osdev_describe(dev, gpu);
    }
}

static sup_status fill_gpus(hwloc_topology_t h, sup_topology *t) {
    int pci_count = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PCI_DEVICE);
    int os_count = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_OS_DEVICE);
    int devices = (pci_count > 0 ? pci_count : 0) + (os_count > 0 ? os_count : 0);
    if (devices < 1) return SUP_OK;
    t->gpus = calloc((size_t)devices, sizeof *t->gpus);
    if (!t->gpus) return SUP_ENOMEM;
    for (hwloc_obj_t pci = NULL; (pci = hwloc_get_next_pcidev(h, pci)) != NULL && t->gpu_count < devices;) {
        if (!pci_gpu(pci, &t->gpus[t->gpu_count])) continue;
        hwloc_obj_t ancestor = hwloc_get_non_io_ancestor_obj(h, pci);
        for (int i = t->numa_count - 1; ancestor && ancestor->nodeset && i >= 0; i--)
            if (hwloc_bitmap_isset(ancestor->nodeset, (unsigned)t->numas[i].os_index)) t->gpus[t->gpu_count].numa = i;
        t->gpu_count++;
    }
    if (!t->gpu_count) driver_gpus(h, t, devices);
    return SUP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

static void fill_names(hwloc_topology_t h, sup_topology *t) {
    hwloc_obj_t root = hwloc_get_root_obj(h), package = hwloc_get_obj_by_type(h, HWLOC_OBJ_PACKAGE, 0);
    const char *host = hwloc_obj_get_info_by_name(root, "HostName");
    const char *arch = hwloc_obj_get_info_by_name(root, "Architecture");
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model) model = hwloc_obj_get_info_by_name(root, "CPUModel");
    if (host) snprintf(t->host, sizeof t->host, "%s", host);
    if (arch) snprintf(t->arch, sizeof t->arch, "%s", arch);
    if (model) snprintf(t->cpu_model, sizeof t->cpu_model, "%s", model);
    t->memory_bytes = (size_t)root->total_memory;
    if (!t->this_system) return;
    struct utsname names;
    if (!uname(&names)) {
        snprintf(t->host, sizeof t->host, "%s", names.nodename);
        snprintf(t->arch, sizeof t->arch, "%s", names.machine);
    }
    if (!t->cpu_model[0]) sup_cpu_model_read("/proc/cpuinfo", t->cpu_model, sizeof t->cpu_model);
    t->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
}

static sup_status build(hwloc_topology_t h, const char *source, sup_diag *diag, sup_topology **out) {
    hwloc_obj_t *objects = NULL;
    sup_topology *t = NULL;
    sup_status status = fill_cores(h, source, &objects, &t);
    if (status) return sup_diag_set(diag, status, NULL, 0, "the description has no cpus, or more than %d", SUP_CPU_MAX);
    t->this_system = hwloc_topology_is_thissystem(h) != 0;
    fill_packages(h, objects, t);
    status = fill_numas(h, objects, t);
    if (!status) status = fill_levels(h, objects, t);
    if (!status) status = fill_classes(h, objects, t);
    if (!status) status = fill_gpus(h, t);
    free(objects);
    if (status)
        sup_diag_set(diag, status, NULL, 0, "cannot describe the machine: %s", sup_status_text(status));
    else {
        fill_names(h, t);
        status = sup_topology_finish(t, diag);
    }
    if (status)
        sup_topology_free(t);
    else
        *out = t;
    return status;
}

/* hwloc, and the environment as it was before it. */
typedef struct library {
    hwloc_topology_t h;
    char **aside;
} library;

static void close_hwloc(library *l) {
    if (l->h) hwloc_topology_destroy(l->h);
    sup_environment_put_back(l->aside);
}

static sup_status open_hwloc(unsigned flags, sup_diag *diag, library *out) {
    library l = {0};
    hwloc_topology_t h = NULL;
    if (sup_environment_set_aside(&l.aside)) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory to start hwloc");
    if (hwloc_topology_init(&h) < 0) {
        sup_diag_errno(diag, SUP_ENOMEM, NULL, "cannot start hwloc");
        close_hwloc(&l);
        return SUP_ENOMEM;
    }
    /* The whole machine, also what a cgroup hides: sup_usable says which part of it is ours. */
    hwloc_topology_set_flags(h, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
                                    HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
    hwloc_topology_set_all_types_filter(h, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_icache_types_filter(h, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_io_types_filter(h, flags & SUP_TOPOLOGY_DEVICES ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT
                                                                       : HWLOC_TYPE_FILTER_KEEP_NONE);
    l.h = h;
    *out = l;
    return SUP_OK;
}

sup_status sup_topology_load(unsigned flags, sup_diag *diag, sup_topology **out) {
    library l;
    sup_status status = open_hwloc(flags, diag, &l);
    if (status) return status;
    if (hwloc_topology_load(l.h) < 0)
        status = sup_diag_errno(diag, SUP_EIO, NULL, "cannot read this machine's topology");
    else
        status = build(l.h, "hwloc", diag, out);
    close_hwloc(&l);
    return status;
}

/* Product of the counts of a synthetic description, saturated: hwloc would happily build a billion cpus. */
static uint64_t synthetic_size(const char *text) {
    uint64_t product = 1;
    int nested = 0;
    for (const char *p = text; *p;) {
        if (*p == '(' || *p == '[') nested++;
        if (*p == ')' || *p == ']') nested--;
        bool count = nested <= 0 && *p >= '0' && *p <= '9' && (p == text || p[-1] == ':' || p[-1] == ' ');
        if (!count) {
            p++;
            continue;
        }
        char *end;
        uint64_t n = strtoull(p, &end, 10);
        if (n > SYNTHETIC_MAX || (n > 0 && product * n > SYNTHETIC_MAX)) return UINT64_MAX;
        if (n > 0) product *= n;
        p = end;
    }
    return product;
}

sup_status sup_topology_from_synthetic(const char *text, sup_diag *diag, sup_topology **out) {
    if (!text || !text[0]) return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "the synthetic description is empty");
    if (synthetic_size(text) > SYNTHETIC_MAX)
        return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "'%.200s' describes more than %d cpus", text, SYNTHETIC_MAX);
    library l;
    sup_status status = open_hwloc(0, diag, &l);
    if (status) return status;
    if (hwloc_topology_set_synthetic(l.h, text) < 0 || hwloc_topology_load(l.h) < 0)
        status = sup_diag_set(diag, SUP_EPARSE, NULL, 0,
                              "'%.200s' is no synthetic description, such as \"package:2 l3:1 core:8 pu:2\"", text);
    else
        status = build(l.h, "synthetic", diag, out);
    close_hwloc(&l);
    return status;
}

static sup_status from_xml(const char *path, const char *text, size_t length, unsigned flags, sup_diag *diag,
                           sup_topology **out) {
    if (length > XML_MAX) return sup_diag_set(diag, SUP_EPARSE, path, 0, "larger than %zu MB", XML_MAX >> 20);
    library l;
    sup_status status = open_hwloc(flags, diag, &l);
    if (status) return status;
    if (hwloc_topology_set_xmlbuffer(l.h, text, (int)length + 1) < 0 || hwloc_topology_load(l.h) < 0)
        status = sup_diag_set(diag, SUP_EPARSE, path, 0, "not an hwloc XML topology");
    else
        status = build(l.h, "xml", diag, out);
    if (status && diag && !diag->file[0]) snprintf(diag->file, sizeof diag->file, "%s", path);
    close_hwloc(&l);
    return status;
}

sup_status sup_topology_from_file(const char *path, unsigned flags, sup_diag *diag, sup_topology **out) {
    char *text = NULL;
    size_t length = 0;
    sup_status status = sup_file_read(path, SUP_JSON_MAX, diag, &text, &length);
    if (status) return status;
    sup_json *doc = NULL;
    if (text[strspn(text, " \t\r\n")] == '<')
        status = from_xml(path, text, length, flags, diag, out);
    else
        status = sup_json_parse(path, text, length, diag, &doc);
    if (doc) status = sup_topology_from_json(doc, diag, out);
    sup_json_free(doc);
    free(text);
    return status;
}
