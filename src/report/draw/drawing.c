/* The machine as nested boxes (page.h): packages, memory nodes and shared caches contain each other, cores are inside
 * with the caches they have for themselves. Boxes of a page wrap where the screen is narrow, which a picture cannot. */
#include "machine/cpulist.h"
#include "machine/sizes.h"
#include "report/page/page.h"
#include "report/page/table.h"

#include <stdlib.h>

#define CORES_DRAWN 32 /* one by one; more are drawn as one box a group */

struct drawing {
    const sup_topology *t;
    FILE *out;
    sup_domain domains[SUP_DOMAIN_MAX];
    int domain_count;
};

/* The caches that the core has for itself. */
static void private_caches(const struct drawing *d, int core) {
    const char *glue = "";
    char size[32];
    fputs("<small>", d->out);
    for (const sup_level *level = d->t->levels; level; level = level->child) {
        const sup_group *group = sup_level_group(level, core);
        if (!group || group->count > 1) continue;
        fprintf(d->out, "%s%s %s", glue, level->name, sup_size_text(group->size_bytes, size, sizeof size));
        glue = " · ";
    }
    if (d->t->cores[core].cpu_count > 1) fprintf(d->out, "%s%d threads", glue, d->t->cores[core].cpu_count);
    fputs("</small>", d->out);
}

static void put_cores(const struct drawing *d, const int *cores, int count) {
    const sup_topology *t = d->t;
    fputs("<div class=\"row\">\n", d->out);
    if (t->core_count > CORES_DRAWN) {
        fprintf(d->out, "<div class=\"box core\"><b>%d core%s, each</b>", count, count == 1 ? "" : "s");
        private_caches(d, cores[0]);
        fputs("</div>\n", d->out);
    }
    for (int i = 0; i < count && t->core_count <= CORES_DRAWN; i++) {
        char list[64];
        const sup_core *core = &t->cores[cores[i]];
        fprintf(d->out, "<div class=\"box core\"><b>core %s</b>",
                sup_cpulist_format(core->cpus, core->cpu_count, list, sizeof list));
        private_caches(d, cores[i]);
        if (t->class_count > 1) {
            fputs("<small>", d->out);
            sup_html_text(t->classes[core->core_class].name, d->out);
            fputs("</small>", d->out);
        }
        fputs("</div>\n", d->out);
    }
    fputs("</div>\n", d->out);
}

/* A box of its own, or is the domain private to a core, or unknown? */
static bool is_box(const struct drawing *d, const sup_domain *domain, int core) {
    if (sup_domain_of(d->t, domain, core) < 0) return false;
    return domain->kind != SUP_DOMAIN_CACHE || sup_level_group(domain->level, core)->count > 1;
}

static void put_title(const struct drawing *d, const sup_domain *domain, int core) {
    char size[32];
    fputs("<div class=\"box\"><b>", d->out);
    if (domain->kind == SUP_DOMAIN_PACKAGE) {
        fprintf(d->out, "package %d", d->t->cores[core].package);
    } else if (domain->kind == SUP_DOMAIN_NUMA) {
        const sup_numa *node = &d->t->numas[d->t->cores[core].numa];
        fprintf(d->out, "memory node %d", node->os_index);
        if (node->memory_bytes) fprintf(d->out, ", %s", sup_size_text(node->memory_bytes, size, sizeof size));
    } else {
        const sup_group *group = sup_level_group(domain->level, core);
        fprintf(d->out, "%s %s, shared by %d cores", domain->level->name,
                sup_size_text(group->size_bytes, size, sizeof size), group->count);
    }
    fputs("</b>\n", d->out);
}

static void put_tree(const struct drawing *d, int depth, int *cores, int count) {
    if (depth == d->domain_count) {
        put_cores(d, cores, count);
        return;
    }
    const sup_domain *domain = &d->domains[depth];
    if (!is_box(d, domain, cores[0])) {
        put_tree(d, depth + 1, cores, count);
        return;
    }
    int *ends = malloc((size_t)count * sizeof *ends), parts = 0;
    if (!ends || sup_domain_split(d->t, domain, cores, count, ends, &parts)) { /* the drawing ends here */
        free(ends);
        put_cores(d, cores, count);
        return;
    }
    fputs("<div class=\"row\">\n", d->out);
    for (int p = 0; p < parts; p++) {
        int start = p ? ends[p - 1] : 0;
        put_title(d, domain, cores[start]);
        put_tree(d, depth + 1, cores + start, ends[p] - start);
        fputs("</div>\n", d->out);
    }
    fputs("</div>\n", d->out);
    free(ends);
}

void sup_report_drawing(const sup_topology *topology, FILE *out) {
    struct drawing d = {.t = topology, .out = out};
    int *cores = calloc((size_t)topology->core_count, sizeof *cores);
    char size[32];
    if (!cores) return;
    for (int c = 0; c < topology->core_count; c++) cores[c] = c;
    d.domain_count = sup_topology_domains(topology, d.domains);
    fputs("<div class=\"box\"><b>", out);
    sup_html_text(topology->cpu_model[0] ? topology->cpu_model : "machine", out);
    if (topology->arch[0]) fprintf(out, ", %s", topology->arch);
    if (topology->memory_bytes) fprintf(out, ", %s memory", sup_size_text(topology->memory_bytes, size, sizeof size));
    fputs("</b>\n", out);
    put_tree(&d, 0, cores, topology->core_count);
    fputs("</div>\n", out);
    free(cores);
}
