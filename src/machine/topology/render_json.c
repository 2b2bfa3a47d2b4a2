/* The JSON that `superstep topo --json` prints, schema version 1, documented in superstep-topo(1). "hierarchy" has
 * exactly the structure of CACHE §4.2.1.1 and can be read back. */
#include "machine/signature.h"
#include "machine/topology/render.h"

#include <jansson.h>
#include <string.h>

static json_t *text_or_null(const char *text) { return text[0] ? json_string(text) : json_null(); }

static json_t *size_or_null(size_t n) { return n ? json_integer((json_int_t)n) : json_null(); }

static json_t *index_or_null(int i) { return i < 0 ? json_null() : json_integer(i); }

static json_t *numa_or_null(const sup_topology *t, int numa) {
    return numa < 0 ? json_null() : json_integer(t->numas[numa].os_index);
}

/* An array of what `element` makes of 0, 1, …; NULL: out of memory, of which json_pack and the others make NULL too. */
static json_t *list(int count, json_t *(*element)(const void *from, int i), const void *from) {
    json_t *array = json_array();
    for (int i = 0; array && i < count; i++) {
        if (!json_array_append_new(array, element(from, i))) continue;
        json_decref(array);
        return NULL;
    }
    return array;
}

static json_t *int_json(const void *from, int i) { return json_integer(((const int *)from)[i]); }

static json_t *core_json(const void *from, int i) {
    const sup_topology *t = from;
    const sup_core *core = &t->cores[i];
    return json_pack("{s:o,s:o,s:o,s:i}", "cpus", list(core->cpu_count, int_json, core->cpus), "package",
                     index_or_null(core->package), "numa_node", numa_or_null(t, core->numa), "class", core->core_class);
}

static json_t *class_json(const void *from, int i) {
    const sup_core_class *class = &((const sup_topology *)from)->classes[i];
    return json_pack("{s:s,s:i}", "name", class->name, "cores", class->core_count);
}

static json_t *numa_json(const void *from, int i) {
    const sup_numa *numa = &((const sup_topology *)from)->numas[i];
    return json_pack("{s:i,s:I,s:i}", "numa_node", numa->os_index, "memory_bytes", (json_int_t)numa->memory_bytes,
                     "cores", numa->core_count);
}

static json_t *gpu_json(const void *from, int i) {
    const sup_topology *t = from;
    const sup_gpu *gpu = &t->gpus[i];
    return json_pack("{s:s,s:o,s:o,s:o}", "name", gpu->name, "model", text_or_null(gpu->model), "memory_bytes",
                     size_or_null(gpu->memory_bytes), "numa_node", numa_or_null(t, gpu->numa));
}

static json_t *cache_json(const void *from, int i) {
    const sup_level *level = sup_level_get(((const sup_topology *)from)->levels, i);
    return json_pack("{s:s,s:I,s:I,s:i,s:i,s:b}", "name", level->name, "size_bytes", (json_int_t)level->size_bytes,
                     "line_bytes", (json_int_t)level->line_bytes, "copies", level->group_count, "shared_by",
                     level->sharing, "assumed", (int)level->assumed);
}

static json_t *caches_json(const sup_topology *t) {
    int levels = 0;
    while (sup_level_get(t->levels, levels)) levels++;
    return list(levels, cache_json, t);
}

struct part {
    const sup_topology *t;
    const sup_level *level;
    const int *cores; /* of a group */
};

/* Cores by the number of their first hardware thread. */
static json_t *sibling_json(const void *from, int i) {
    const struct part *p = from;
    return json_integer(p->t->cores[p->cores[i]].cpus[0]);
}

static json_t *group_json(const void *from, int i) {
    const struct part *p = from;
    const sup_group *group = &p->level->groups[i];
    return list(group->count, sibling_json, &(struct part){p->t, p->level, group->cores});
}

static json_t *hierarchy_json(const sup_topology *t, const sup_level *level) {
    if (!level) return json_null();
    return json_pack("{s:o,s:I,s:I,s:o}", "siblings",
                     list(level->group_count, group_json, &(struct part){t, level, NULL}), "size",
                     (json_int_t)level->size_bytes, "cacheLineSize", (json_int_t)level->line_bytes, "child",
                     hierarchy_json(t, level->child));
}

static json_t *reason_json(const void *from, int i) { return json_string(((const sup_usable *)from)->reasons[i]); }

static json_t *usable_json(const sup_usable *u) {
    return json_pack("{s:o,s:i,s:o,s:i,s:o,s:b,s:o}", "cpus", list(u->cpu_count, int_json, u->cpus), "cores",
                     u->core_count, "cpu_quota", u->cpu_quota > 0 ? json_real(u->cpu_quota) : json_null(), "processes",
                     u->process_count, "memory_bytes", size_or_null(u->memory_bytes), "less_than_machine", (int)u->less,
                     "reasons", list(u->reason_count, reason_json, u));
}

static json_t *place_json(const void *from, int i) {
    const sup_view *view = from;
    const sup_place *at = &view->placement->at[i];
    const char *host = view->hosts ? view->hosts->at[at->host].name : view->topology->host;
    return json_pack("{s:o,s:o}", "host", text_or_null(host), "cpu", index_or_null(at->cpu));
}

static json_t *placement_json(const sup_view *view) {
    const sup_placement *p = view->placement;
    char policy[512];
    return json_pack("{s:s,s:i,s:b,s:b,s:o}", "policy", sup_policy_text(view->policy, policy, sizeof policy),
                     "processes", p->count, "oversubscribed", (int)p->oversubscribed, "shares_cores",
                     (int)p->shares_cores, "places", list(p->count, place_json, view));
}

/* Takes value, which may be NULL: out of memory. */
static bool set(json_t *object, const char *key, json_t *value) { return !json_object_set_new(object, key, value); }

sup_status sup_render_json(const sup_view *view, FILE *out) {
    const sup_topology *t = view->topology;
    char digest[SUP_HASH_TEXT];
    sup_status status = sup_topology_digest(t, digest);
    if (status) return status;
    json_t *root =
        json_pack("{s:i,s:s,s:o,s:o,s:o,s:s}", "version", 1, "source", t->source, "host", text_or_null(t->host),
                  "cpu_model", text_or_null(t->cpu_model), "architecture", text_or_null(t->arch), "digest", digest);
    if (!root) return SUP_ENOMEM;
    bool ok = set(root, "memory_bytes", size_or_null(t->memory_bytes)) &&
              set(root, "page_bytes", size_or_null(t->page_bytes)) &&
              set(root, "packages", size_or_null((size_t)t->package_count)) &&
              set(root, "cores", list(t->core_count, core_json, t)) &&
              set(root, "classes", list(t->class_count, class_json, t)) &&
              set(root, "numa_nodes", list(t->numa_count, numa_json, t)) &&
              set(root, "gpus", list(t->gpu_count, gpu_json, t)) && set(root, "caches", caches_json(t)) &&
              set(root, "hierarchy", hierarchy_json(t, t->levels));
    if (ok && view->usable) ok = set(root, "usable", usable_json(view->usable));
    if (ok && view->placement) ok = set(root, "placement", placement_json(view));
    status = ok ? SUP_OK : SUP_ENOMEM;
    if (ok && (json_dumpf(root, out, JSON_INDENT(1)) || fputc('\n', out) == EOF)) status = SUP_EIO;
    json_decref(root);
    return status;
}
