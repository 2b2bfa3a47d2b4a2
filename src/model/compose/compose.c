/* A machine made of measured parts (compose.h): takes from the node's profile what holds for a node among others, and
 * says what that is. All terms; the parts that change are in compose/pairs.c, compose/link.c and compose/cores.c. */
#include "model/compose/compose.h"

#include "model/equation/model.h"
#include "profile/composed.h"
#include "program/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be composed ---- */

static sup_status check_node(const sup_profile *node, const sup_compose_options *o, sup_diag *diag) {
    const sup_origin *s = &node->signature;
    char advice[SUP_MODEL_ADVICE];
    if (node->composed)
        return sup_diag_set(diag, SUP_EINVAL, o->node, 0, "is composed itself; a node must be measured");
    if (s->hosts > 1)
        return sup_diag_set(diag, SUP_EINVAL, o->node, 0,
                            "is of %" PRId64 " hosts, a node is one; as --link-from it gives the link between them",
                            s->hosts);
    if (s->processes > SUP_PAIRS_MATRIX_MAX)
        return sup_diag_set(diag, SUP_EINVAL, o->node, 0, "is of %" PRId64 " processes; a node has at most %d",
                            s->processes, SUP_PAIRS_MATRIX_MAX);
    if (o->transport && !sup_profile_pairs(node, o->transport))
        return sup_diag_set(diag, SUP_ENOENT, o->node, 0, "has no pairs (O, L, B) over %s%s", o->transport,
                            sup_model_advice(o->transport, 0, advice));
    if (!node->pairs_count && s->processes > 1)
        return sup_diag_set(diag, SUP_ENOENT, o->node, 0, "has no pairs (O, L, B); `superstep measure` measures them");
    if (!node->pairs_count)
        return sup_diag_set(diag, SUP_EINVAL, o->node, 0,
                            "is of one process, and says nothing about processes of a node; `superstep measure -n 2`");
    return SUP_OK;
}

static sup_status check_options(const sup_profile *node, const sup_compose_options *o, sup_diag *diag) {
    int64_t cores = o->cores ? o->cores : node->signature.processes;
    sup_status status = check_node(node, o, diag);
    if (status) return status;
    if (o->nodes < 1) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a machine has at least one node");
    if (cores < 1 || cores > SUP_COMPOSE_CORES_MAX)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a node has 1 to %d cores", SUP_COMPOSE_CORES_MAX);
    if (o->nodes > SUP_PROGRAM_PROCESSES_MAX / cores)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "%" PRId64 " nodes of %" PRId64 " processes are too many: at most %" PRId64 " in all",
                            o->nodes, cores, SUP_PROGRAM_PROCESSES_MAX);
    if (o->nodes > 1 && !o->link.link)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%" PRId64 " nodes need a link between them", o->nodes);
    if (o->nodes > 1 && o->transport && !strcmp(o->transport, "self"))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no process reaches another over self");
    return SUP_OK;
}

/* ---- what is taken from the node ---- */

static bool is_mpi(const char *transport) { return strcmp(transport, "shm") != 0 && strcmp(transport, "self") != 0; }

static bool has_mpi(const sup_profile *node) {
    for (size_t i = 0; i < node->pairs_count; i++)
        if (is_mpi(node->pairs[i].transport)) return true;
    return false;
}

/* What a transport of the node is on the machine; NULL: it does not reach other nodes. */
static const char *becomes(const sup_profile *node, const sup_compose_options *o, const char *transport) {
    if (o->transport && strcmp(o->transport, transport) != 0) return NULL;
    if (o->nodes == 1) return transport;
    if (is_mpi(transport)) return transport;
    if (strcmp(transport, "shm") != 0 || (!o->transport && has_mpi(node))) return NULL;
    return SUP_COMPOSE_MPI;
}

/* The section without entries of transports that are no more; entries of none stay. */
static sup_status take_section(const sup_profile *node, const sup_compose_options *o, json_t *section) {
    for (size_t i = json_array_size(section); i-- > 0;) {
        json_t *entry = json_array_get(section, i);
        const char *transport = json_string_value(json_object_get(entry, "transport"));
        if (!transport) continue;
        const char *now = becomes(node, o, transport);
        if (!now)
            json_array_remove(section, i);
        else if (now != transport && json_object_set_new(entry, "transport", json_string(now)))
            return SUP_ENOMEM;
    }
    return SUP_OK;
}

static json_t *composed_json(const sup_profile *node, const sup_compose_options *o) {
    bool linked = o->nodes > 1;
    json_t *j = json_pack("{s:s, s:I, s:I, s:I}", "node", o->node, "nodes", (json_int_t)o->nodes, "node_processes",
                          (json_int_t)(o->cores ? o->cores : node->signature.processes), "measured",
                          (json_int_t)node->signature.processes);
    if (j && linked) json_object_set_new(j, "link", json_string(o->link.link->name));
    if (j && linked && !o->link.class) json_object_set_new(j, "link_source", json_string(o->link.link->source));
    return j;
}

/* r of the processor is the same over any transport. */
static sup_status keep_rate(const json_t *all, json_t *made, const char *transport) {
    json_t *classic = json_object_get(made, "classic"), *first = json_array_get(json_object_get(all, "classic"), 0);
    if (!first || (classic && json_array_size(classic))) return SUP_OK;
    json_t *one = json_copy(first);
    json_object_del(one, "word_s");
    json_object_del(one, "sync_s");
    if (json_object_set_new(one, "transport", json_string(transport)) ||
        json_object_set_new(made, "classic", json_pack("[o]", one)))
        return SUP_ENOMEM;
    return SUP_OK;
}

/* The node's profile with what a machine of such nodes keeps of it, as a file would have it: no placement, since nobody
 * placed anything, and not what the numbers were made of. */
static json_t *take(const sup_profile *node, const sup_compose_options *o, const char *transport) {
    json_t *all = NULL, *section;
    const char *key;
    if (sup_record_write(sup_profile_file.record, node, NULL, &all)) return NULL;
    json_object_del(all, "visits");
    json_object_del(all, "tiles");
    if (o->nodes > 1) json_object_del(all, "copies");
    json_t *made = json_deep_copy(all), *signature = json_object_get(made, "signature");
    sup_status status = made ? SUP_OK : SUP_ENOMEM;
    json_object_del(signature, "placement");
    json_object_del(signature, "policy");
    json_object_foreach(made, key, section) if (!status && json_is_array(section)) status =
        take_section(node, o, section);
    if (!status) status = keep_rate(all, made, transport);
    if (!status && json_object_set_new(made, "composed", composed_json(node, o))) status = SUP_ENOMEM;
    json_decref(all);
    if (!status) return made;
    json_decref(made);
    return NULL;
}

/* ---- the signature ---- */

static sup_status sign(const sup_profile *node, const char *transport, sup_profile *made) {
    sup_origin *s = &made->signature;
    const sup_composed *say = made->composed;
    char words[512], digest[128];
    s->cores = say->node_processes;
    s->hosts = say->nodes;
    s->processes = say->nodes * say->node_processes;
    const char *machine = node->signature.machine;
    snprintf(words, sizeof words, "%" PRId64 " node%s of %" PRId64 " core%s, composed%s%.300s", say->nodes,
             say->nodes == 1 ? "" : "s", say->node_processes, say->node_processes == 1 ? "" : "s",
             machine ? ", each like " : "", machine ? machine : "");
    snprintf(digest, sizeof digest, "composed-%.64s", node->signature.topology);
    sup_status status = sup_record_set_string(&s->machine, words);
    if (!status) status = sup_record_set_string(&s->topology, digest);
    if (!status) status = sup_record_set_string(&s->transport, transport);
    return status;
}

static sup_status date(int64_t now_unix_s, sup_profile *made, sup_diag *diag) {
    sup_profile *fresh = NULL;
    sup_status status = sup_profile_new(now_unix_s, diag, &fresh);
    if (status) return status;
    status = sup_record_set_string(&made->created, fresh->created);
    if (!status) status = sup_record_set_string(&made->tool, fresh->tool);
    sup_profile_free(fresh);
    return status;
}

/* ---- all of it ---- */

/* The transport that programs use unless they say otherwise. */
static const char *main_transport(const sup_profile *node, const sup_compose_options *o) {
    static const char *const wanted[] = {"openmpi", "mpich", NULL};
    if (o->transport) return becomes(node, o, o->transport);
    if (o->nodes == 1)
        return sup_profile_pairs(node, node->signature.transport) ? node->signature.transport
                                                                  : node->pairs[0].transport;
    for (size_t i = 0; wanted[i]; i++)
        if (sup_profile_pairs(node, wanted[i])) return wanted[i];
    for (size_t i = 0; i < node->pairs_count; i++)
        if (becomes(node, o, node->pairs[i].transport)) return becomes(node, o, node->pairs[i].transport);
    return NULL;
}

static sup_status say_rules(const sup_profile *node, const sup_compose_options *o, sup_profile *made) {
    sup_composed *say = made->composed;
    const sup_link *link = o->link.link;
    sup_status status = SUP_OK;
    if (say->nodes > 1) {
        status =
            sup_composed_rule(say, "consecutive ranks fill a node; all pairs on different nodes are alike, however "
                                   "far apart and however many talk at once: the network between does not crowd");
        if (!status) status = sup_composed_rule(say, "all processes of a node share the link's bandwidth");
        if (!status && !o->link.class)
            status = sup_composed_rule(
                say, "numbers of the link are borrowed: latency and overhead +- %.0f %%, bandwidth +- %.0f %%",
                100 * link->uncertainty,
                100 * (link->bandwidth_uncertainty >= 0 ? link->bandwidth_uncertainty : link->uncertainty));
        if (!status && sup_profile_pairs(made, SUP_COMPOSE_MPI) && !sup_profile_pairs(node, SUP_COMPOSE_MPI))
            status = sup_composed_rule(say, "inside a node numbers of shared memory stand for MPI's, which were not "
                                            "measured");
    }
    if (!status && (made->noise_count || made->interruptions_count))
        status = sup_composed_rule(say, "every process is disturbed as often as one of the node was");
    return status;
}

static sup_status change(const sup_profile *node, const sup_compose_options *o, const char *transport,
                         sup_profile *made, sup_diag *diag) {
    sup_status status = say_rules(node, o, made);
    for (size_t i = 0; i < made->pairs_count && !status; i++) {
        status = sup_compose_pairs(made, &made->pairs[i], &o->link);
        if (!status && o->nodes > 1) status = sup_compose_sharing(made, made->pairs[i].transport, &o->link);
    }
    if (!status) status = sup_compose_cores(made);
    if (!status) status = sign(node, transport, made);
    if (!status) status = date(o->now_unix_s, made, diag);
    return status;
}

sup_status sup_compose(const sup_profile *node, const sup_compose_options *o, sup_diag *diag, sup_profile **out) {
    void *made = NULL;
    sup_status status = check_options(node, o, diag);
    if (status) return status;
    const char *transport = main_transport(node, o);
    if (!transport)
        return sup_diag_set(diag, SUP_ENOENT, o->node, 0,
                            "has no transport that reaches other nodes, or shared memory");
    json_t *json = take(node, o, transport);
    if (!json) return sup_diag_no_memory(diag);
    made = calloc(1, sup_profile_file.record->size);
    if (!made) {
        json_decref(json);
        return sup_diag_no_memory(diag);
    }
    status = sup_record_read(sup_profile_file.record, NULL, json, false, diag, made);
    json_decref(json);
    if (!status) {
        status = change(node, o, transport, made, diag);
        if (status == SUP_ENOMEM) sup_diag_no_memory(diag);
    }
    if (!status) status = sup_profile_check(made, diag);
    if (!status) status = sup_profile_ready(made, diag);
    if (status)
        sup_profile_free(made);
    else
        *out = made;
    return status;
}
