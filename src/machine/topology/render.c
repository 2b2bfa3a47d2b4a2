/* The tree that `superstep topo` prints. What one core has for itself is said once per group of cores, and copies of
 * the lowest shared cache stand on one line: a machine of 64 cores fits a screen.
 *
 *     package 0
 *       L3 32 MB shared by cores 0-7
 *         4 x L2 2 MB shared by cores 0-1 | 2-3 | 4-5 | 6-7
 *           each core: L1 16 KB
 */
#include "machine/topology/render.h"

#include "machine/cpulist.h"
#include "machine/signature.h"
#include "machine/sizes.h"

#include <stdlib.h>
#include <string.h>

#define LIST_TEXT 512

struct tree {
    const sup_topology *t;
    sup_domain domains[SUP_DOMAIN_MAX];
    int domain_count;
    FILE *out;
};

static void indent(const struct tree *tree, int depth) { fprintf(tree->out, "%*s", 2 * depth, ""); }

/* The cpu numbers that stand for cores: their first hardware threads. */
static char *core_list(const sup_topology *t, const int *cores, int count, char *buf, size_t size) {
    int *cpus = malloc((size_t)(count ? count : 1) * sizeof *cpus);
    buf[0] = 0;
    if (!cpus) return buf;
    for (int i = 0; i < count; i++) cpus[i] = t->cores[cores[i]].cpus[0];
    sup_cpulist_format(cpus, count, buf, size);
    free(cpus);
    return buf;
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* Two cores have the same things of their own: class, threads, sizes of the caches from `level` down. */
static bool alike(const struct tree *tree, int first, int a, int b) {
    const sup_core *x = &tree->t->cores[a], *y = &tree->t->cores[b];
    if (x->core_class != y->core_class || x->cpu_count != y->cpu_count) return false;
    for (int d = first; d < tree->domain_count; d++) {
        if (tree->domains[d].kind != SUP_DOMAIN_CACHE) continue;
        const sup_group *g = sup_level_group(tree->domains[d].level, a),
                        *h = sup_level_group(tree->domains[d].level, b);
        if (!g != !h || (g && g->size_bytes != h->size_bytes)) return false;
    }
    return true;
}

static void print_private(const struct tree *tree, int first, const int *cores, int count, int depth) {
    const sup_topology *t = tree->t;
    const sup_core *core = &t->cores[cores[0]];
    char list[LIST_TEXT], size[32];
    indent(tree, depth);
    fprintf(tree->out, "core%s %s", plural(count), core_list(t, cores, count, list, sizeof list));
    const char *glue = count > 1 ? ", each: " : ": ";
    for (int d = first; d < tree->domain_count; d++) {
        const sup_level *level = tree->domains[d].level;
        const sup_group *g = level ? sup_level_group(level, cores[0]) : NULL;
        if (!g || g->count > 1) continue;
        fprintf(tree->out, "%s%s %s", glue, level->name, sup_size_text(g->size_bytes, size, sizeof size));
        glue = ", ";
    }
    if (core->cpu_count > 1) {
        fprintf(tree->out, "%s%d threads", glue, core->cpu_count);
        if (count == 1) fprintf(tree->out, " (%s)", sup_cpulist_format(core->cpus, core->cpu_count, list, sizeof list));
        glue = ", ";
    }
    if (t->class_count > 1 && t->classes[core->core_class].name[0])
        fprintf(tree->out, "%s%s", glue, t->classes[core->core_class].name);
    fputc('\n', tree->out);
}

/* Runs of cores that are alike, a line each. */
static void print_cores(const struct tree *tree, int first, const int *cores, int count, int depth) {
    for (int i = 0; i < count;) {
        int same = 1;
        while (i + same < count && alike(tree, first, cores[i], cores[i + same])) same++;
        print_private(tree, first, cores + i, same, depth);
        i += same;
    }
}

static bool shared_below(const struct tree *tree, int first, const int *cores, int count) {
    for (int d = first; d < tree->domain_count; d++)
        for (int i = 0; i < count && tree->domains[d].kind == SUP_DOMAIN_CACHE; i++) {
            const sup_group *g = sup_level_group(tree->domains[d].level, cores[i]);
            if (g && g->count > 1) return true;
        }
    return false;
}

static void print_head(const struct tree *tree, const sup_domain *domain, int core, int depth) {
    const sup_topology *t = tree->t;
    char size[32], list[LIST_TEXT];
    indent(tree, depth);
    if (domain->kind == SUP_DOMAIN_PACKAGE) {
        fprintf(tree->out, "package %d\n", t->cores[core].package);
    } else if (domain->kind == SUP_DOMAIN_NUMA) {
        const sup_numa *node = &t->numas[t->cores[core].numa];
        fprintf(tree->out, "NUMA node %d", node->os_index);
        if (node->memory_bytes) fprintf(tree->out, ": %s", sup_size_text(node->memory_bytes, size, sizeof size));
        fputc('\n', tree->out);
    } else {
        const sup_group *g = sup_level_group(domain->level, core);
        fprintf(tree->out, "%s %s shared by cores %s\n", domain->level->name,
                sup_size_text(g->size_bytes, size, sizeof size), core_list(t, g->cores, g->count, list, sizeof list));
    }
}

/* The lowest shared caches: "4 x L2 2 MB shared by cores 0-1 | 2-3 | …" when all parts are alike. */
static bool print_row(const struct tree *tree, int d, const int *cores, const int *ends, int parts, int depth) {
    const sup_domain *domain = &tree->domains[d];
    char list[64], size[32];
    if (parts < 2 || domain->kind != SUP_DOMAIN_CACHE || shared_below(tree, d + 1, cores, ends[parts - 1]))
        return false;
    for (int i = 1; i < ends[parts - 1]; i++)
        if (!alike(tree, d, cores[0], cores[i])) return false;
    for (int p = 1; p < parts; p++)
        if (ends[p] - ends[p - 1] != ends[0]) return false;
    indent(tree, depth);
    fprintf(tree->out, "%d x %s %s shared by cores", parts, domain->level->name,
            sup_size_text(sup_level_group(domain->level, cores[0])->size_bytes, size, sizeof size));
    for (int p = 0; p < parts; p++) {
        int start = p ? ends[p - 1] : 0;
        fprintf(tree->out, "%s %s", p ? " |" : "",
                core_list(tree->t, cores + start, ends[p] - start, list, sizeof list));
    }
    fputc('\n', tree->out);
    print_cores(tree, d + 1, cores, ends[parts - 1], depth + 1);
    return true;
}

/* Is there something to print a line for at this domain, or is it private (caches) or all there is (one node)? */
static bool worth_a_line(const sup_domain *domain, const sup_topology *t, int core) {
    if (sup_domain_of(t, domain, core) < 0) return false;
    if (domain->kind != SUP_DOMAIN_CACHE) return true;
    return sup_level_group(domain->level, core)->count > 1;
}

static sup_status print_tree(const struct tree *tree, int d, int *cores, int count, int depth) {
    const sup_topology *t = tree->t;
    if (d == tree->domain_count ||
        (tree->domains[d].kind == SUP_DOMAIN_CACHE && !shared_below(tree, d, cores, count))) {
        bool more = false; /* a memory node inside private caches is no machine we know, but must not be lost */
        for (int k = d; k < tree->domain_count; k++) more = more || tree->domains[k].kind != SUP_DOMAIN_CACHE;
        if (!more) {
            print_cores(tree, 0, cores, count, depth);
            return SUP_OK;
        }
    }
    int *ends = malloc((size_t)count * sizeof *ends), parts = 0;
    if (!ends) return SUP_ENOMEM;
    sup_status status = sup_domain_split(t, &tree->domains[d], cores, count, ends, &parts);
    if (!status && !print_row(tree, d, cores, ends, parts, depth)) {
        for (int p = 0; p < parts && !status; p++) {
            int start = p ? ends[p - 1] : 0;
            bool line = worth_a_line(&tree->domains[d], t, cores[start]);
            if (line) print_head(tree, &tree->domains[d], cores[start], depth);
            status = print_tree(tree, d + 1, cores + start, ends[p] - start, depth + line);
        }
    }
    free(ends);
    return status;
}

/* ---- the rest of the page -----------------------------------------------------------------------------------------
 */

static void print_summary(const sup_topology *t, FILE *out) {
    char size[32];
    fprintf(out, "machine");
    if (t->host[0]) fprintf(out, " %s", t->host);
    fprintf(out, ": %d core%s", t->core_count, plural(t->core_count));
    if (t->cpu_count != t->core_count) fprintf(out, ", %d threads", t->cpu_count);
    if (t->cpu_model[0]) fprintf(out, ", %s", t->cpu_model);
    if (t->arch[0]) fprintf(out, ", %s", t->arch);
    if (t->memory_bytes) fprintf(out, ", %s memory", sup_size_text(t->memory_bytes, size, sizeof size));
    if (t->page_bytes) fprintf(out, ", %s pages", sup_size_text(t->page_bytes, size, sizeof size));
    fputc('\n', out);
}

static void print_lines(const sup_topology *t, FILE *out) {
    bool same = true, assumed = false;
    for (const sup_level *level = t->levels; level; level = level->child) {
        same = same && level->line_bytes == t->levels->line_bytes;
        assumed = assumed || level->assumed;
    }
    fprintf(out, "cache lines:");
    for (const sup_level *level = t->levels; level; level = same ? NULL : level->child)
        fprintf(out, "%s %s%s%zu bytes", level == t->levels ? "" : ",", same ? "" : level->name, same ? "" : " ",
                level->line_bytes);
    fputc('\n', out);
    if (!assumed) return;
    fprintf(out, "assumed, because the system does not say:");
    for (const sup_level *level = t->levels; level; level = level->child)
        if (level->assumed) fprintf(out, " %s", level->name);
    fputc('\n', out);
}

static void print_devices(const sup_topology *t, FILE *out) {
    char size[32];
    for (int i = 0; i < t->numa_count; i++)
        if (!t->numas[i].core_count)
            fprintf(out, "NUMA node %d without cores: %s\n", t->numas[i].os_index,
                    sup_size_text(t->numas[i].memory_bytes, size, sizeof size));
    for (int i = 0; i < t->gpu_count; i++) {
        const sup_gpu *gpu = &t->gpus[i];
        fprintf(out, "GPU %s", gpu->name);
        if (gpu->model[0]) fprintf(out, ": %s", gpu->model);
        if (gpu->memory_bytes) fprintf(out, ", %s", sup_size_text(gpu->memory_bytes, size, sizeof size));
        if (gpu->numa >= 0 && t->numa_count > 1) fprintf(out, ", near NUMA node %d", t->numas[gpu->numa].os_index);
        fputc('\n', out);
    }
}

static void print_usable(const sup_topology *t, const sup_usable *u, FILE *out) {
    char list[LIST_TEXT], size[32];
    if (!u->less) return;
    fprintf(out, "this process may use:\n  %d of %d core%s: cpu%s %s\n", u->core_count, t->core_count,
            plural(t->core_count), plural(u->cpu_count), sup_cpulist_format(u->cpus, u->cpu_count, list, sizeof list));
    if (u->process_count < u->core_count)
        fprintf(out, "  %d process%s at full speed\n", u->process_count, u->process_count == 1 ? "" : "es");
    if (u->memory_bytes) fprintf(out, "  %s of memory\n", sup_size_text(u->memory_bytes, size, sizeof size));
    for (int i = 0; i < u->reason_count; i++) fprintf(out, "  because %s\n", u->reasons[i]);
}

static void print_placement(const sup_view *view, FILE *out) {
    char text[LIST_TEXT];
    const sup_placement *p = view->placement;
    fprintf(out, "placement %s of %d process%s%s%s:\n", sup_policy_text(view->policy, text, sizeof text), p->count,
            p->count == 1 ? "" : "es", p->shares_cores ? ", some share a core" : "",
            p->oversubscribed ? ", oversubscribed" : "");
    for (int i = 0; i < p->count; i++) {
        fprintf(out, "  %d:", i);
        if (view->hosts) fprintf(out, " %s", view->hosts->at[p->at[i].host].name);
        if (p->at[i].cpu < 0)
            fprintf(out, " not pinned\n");
        else
            fprintf(out, " cpu %d\n", p->at[i].cpu);
    }
}

sup_status sup_render_text(const sup_view *view, FILE *out) {
    const sup_topology *t = view->topology;
    struct tree tree = {.t = t, .out = out};
    tree.domain_count = sup_topology_domains(t, tree.domains);
    int *cores = calloc((size_t)t->core_count, sizeof *cores);
    if (!cores) return SUP_ENOMEM;
    for (int c = 0; c < t->core_count; c++) cores[c] = c;
    print_summary(t, out);
    sup_status status = print_tree(&tree, 0, cores, t->core_count, 1);
    free(cores);
    if (status) return status;
    print_devices(t, out);
    print_lines(t, out);
    if (view->usable) print_usable(t, view->usable, out);
    if (view->placement) print_placement(view, out);
    return ferror(out) ? SUP_EIO : SUP_OK;
}
