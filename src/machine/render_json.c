/* The JSON that `superstep topo --json` prints, schema version 1, documented in superstep-topo(1). "hierarchy" has
 * exactly the structure of CACHE §4.2.1.1 and can be read back. */
#include "machine/render.h"
#include "machine/signature.h"

#include <jansson.h>
#include <string.h>

/* Adds value (which may be NULL: out of memory) to object. Returns false on failure; value is consumed. */
static bool set(json_t *object, const char *key, json_t *value) { return !json_object_set_new(object, key, value); }

static bool append(json_t *array, json_t *value) { return !json_array_append_new(array, value); }

/* json_array/json_object that were filled or are NULL. */
static json_t *whole(json_t *value, bool ok) {
    if (ok) return value;
    json_decref(value);
    return NULL;
}

static json_t *text_or_null(const char *text) { return text[0] ? json_string(text) : json_null(); }

static json_t *size_or_null(size_t n) { return n ? json_integer((json_int_t)n) : json_null(); }

static json_t *ints(const int *list, int count) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int i = 0; ok && i < count; i++) ok = append(array, json_integer(list[i]));
    return whole(array, ok);
}

static json_t *cores_json(const sup_topology *t) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int c = 0; ok && c < t->core_count; c++) {
        const sup_core *core = &t->cores[c];
        json_t *object = json_pack("{s:o}", "cpus", ints(core->cpus, core->cpu_count));
        ok = object && set(object, "package", core->package < 0 ? json_null() : json_integer(core->package)) &&
             set(object, "numa_node", core->numa < 0 ? json_null() : json_integer(t->numas[core->numa].os_index)) &&
             set(object, "class", json_integer(core->core_class));
        object = whole(object, ok);
        ok = object && append(array, object);
    }
    return whole(array, ok);
}

static json_t *classes_json(const sup_topology *t) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int i = 0; ok && i < t->class_count; i++)
        ok = append(array, json_pack("{s:s,s:i}", "name", t->classes[i].name, "cores", t->classes[i].core_count));
    return whole(array, ok);
}

static json_t *numas_json(const sup_topology *t) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int i = 0; ok && i < t->numa_count; i++)
        ok = append(array, json_pack("{s:i,s:I,s:i}", "numa_node", t->numas[i].os_index, "memory_bytes",
                                     (json_int_t)t->numas[i].memory_bytes, "cores", t->numas[i].core_count));
    return whole(array, ok);
}

static json_t *gpus_json(const sup_topology *t) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int i = 0; ok && i < t->gpu_count; i++) {
        const sup_gpu *gpu = &t->gpus[i];
        ok = append(array, json_pack("{s:s,s:o,s:o,s:o}", "name", gpu->name, "model", text_or_null(gpu->model),
                                     "memory_bytes", size_or_null(gpu->memory_bytes), "numa_node",
                                     gpu->numa < 0 ? json_null() : json_integer(t->numas[gpu->numa].os_index)));
    }
    return whole(array, ok);
}

static json_t *caches_json(const sup_topology *t) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (const sup_level *level = t->levels; ok && level; level = level->child)
        ok = append(array,
                    json_pack("{s:s,s:I,s:I,s:i,s:i,s:b}", "name", level->name, "size_bytes",
                              (json_int_t)level->size_bytes, "line_bytes", (json_int_t)level->line_bytes, "copies",
                              level->group_count, "shared_by", level->sharing, "assumed", (int)level->assumed));
    return whole(array, ok);
}

/* Cores by the number of their first hardware thread. */
static json_t *siblings_json(const sup_topology *t, const sup_level *level) {
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int g = 0; ok && g < level->group_count; g++) {
        json_t *group = json_array();
        ok = group != NULL;
        for (int i = 0; ok && i < level->groups[g].count; i++)
            ok = append(group, json_integer(t->cores[level->groups[g].cores[i]].cpus[0]));
        group = whole(group, ok);
        ok = group && append(array, group);
    }
    return whole(array, ok);
}

static json_t *hierarchy_json(const sup_topology *t, const sup_level *level) {
    if (!level) return json_null();
    return json_pack("{s:o,s:I,s:I,s:o}", "siblings", siblings_json(t, level), "size", (json_int_t)level->size_bytes,
                     "cacheLineSize", (json_int_t)level->line_bytes, "child", hierarchy_json(t, level->child));
}

static json_t *usable_json(const sup_usable *u) {
    json_t *reasons = json_array();
    bool ok = reasons != NULL;
    for (int i = 0; ok && i < u->reason_count; i++) ok = append(reasons, json_string(u->reasons[i]));
    return json_pack("{s:o,s:i,s:o,s:i,s:o,s:b,s:o}", "cpus", ints(u->cpus, u->cpu_count), "cores", u->core_count,
                     "cpu_quota", u->cpu_quota > 0 ? json_real(u->cpu_quota) : json_null(), "processes",
                     u->process_count, "memory_bytes", size_or_null(u->memory_bytes), "less_than_machine", (int)u->less,
                     "reasons", whole(reasons, ok));
}

static json_t *placement_json(const sup_view *view) {
    const sup_placement *p = view->placement;
    char policy[512];
    json_t *places = json_array();
    bool ok = places != NULL;
    for (int i = 0; ok && i < p->count; i++) {
        const sup_place *at = &p->at[i];
        const char *host = view->hosts ? view->hosts->at[at->host].name : view->topology->host;
        ok = append(places, json_pack("{s:o,s:o}", "host", text_or_null(host), "cpu",
                                      at->cpu < 0 ? json_null() : json_integer(at->cpu)));
    }
    return json_pack("{s:s,s:i,s:b,s:b,s:o}", "policy", sup_policy_text(view->policy, policy, sizeof policy),
                     "processes", p->count, "oversubscribed", (int)p->oversubscribed, "shares_cores",
                     (int)p->shares_cores, "places", whole(places, ok));
}

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
              set(root, "packages", t->package_count ? json_integer(t->package_count) : json_null()) &&
              set(root, "cores", cores_json(t)) && set(root, "classes", classes_json(t)) &&
              set(root, "numa_nodes", numas_json(t)) && set(root, "gpus", gpus_json(t)) &&
              set(root, "caches", caches_json(t)) && set(root, "hierarchy", hierarchy_json(t, t->levels));
    if (ok && view->usable) ok = set(root, "usable", usable_json(view->usable));
    if (ok && view->placement) ok = set(root, "placement", placement_json(view));
    status = ok ? SUP_OK : SUP_ENOMEM;
    if (ok && (json_dumpf(root, out, JSON_INDENT(1)) || fputc('\n', out) == EOF)) status = SUP_EIO;
    json_decref(root);
    return status;
}
