/* The table of links (links.h) and files that users have of their own. Tcomm between nodes, for machines that are
 * composed.
 *
 * What the numbers are. Latency: half a round trip of a few bytes between two MPI processes on two nodes behind one
 * switch or two. Bandwidth: what one direction of the adapter carries for messages of megabytes, which is the line rate
 * less headers. None of it was measured by us. Where a source has results of one machine, they are that machine's:
 * another switch, processor or MPI moves a latency by half, which is what the uncertainty says. */
#include "model/compose/links.h"

#include <stdio.h>
#include <string.h>

const char *const sup_link_kinds[] = {"tcp", "rdma", NULL};

#define TCP(n, latency, bandwidth, overhead, words)                                                              \
    {                                                                                                            \
        .name = (char *)(n), .kind = SUP_LINK_TCP, .latency_s = (latency), .bandwidth_bytes_per_s = (bandwidth), \
        .overhead_s = (overhead), .uncertainty = 0.5, .bandwidth_uncertainty = 0.3, .source = (char *)(words)    \
    }
#define RDMA(n, latency, bandwidth, overhead, words)                                                              \
    {                                                                                                             \
        .name = (char *)(n), .kind = SUP_LINK_RDMA, .latency_s = (latency), .bandwidth_bytes_per_s = (bandwidth), \
        .overhead_s = (overhead), .uncertainty = 0.5, .bandwidth_uncertainty = 0.15, .source = (char *)(words)    \
    }

#define KERNEL "latency borrowed: usual half round trips of MPI over the kernel's TCP, 10 to 30 us; bandwidth: "

const sup_link sup_links[] = {
    TCP("eth10g", 25e-6, 1.17e9, 4e-6, KERNEL "line rate of 10 Gbit/s less headers"),
    TCP("eth25g", 20e-6, 2.9e9, 4e-6, KERNEL "line rate of 25 Gbit/s less headers"),
    TCP("eth100g", 17e-6, 1.1e10, 4e-6, KERNEL "line rate of 100 Gbit/s less headers; needs several streams"),
    TCP("eth200g", 17e-6, 2.0e10, 4e-6, KERNEL "borrowed: four fifths of 200 Gbit/s; needs many streams"),
    TCP("eth400g", 17e-6, 3.5e10, 4e-6, KERNEL "borrowed: seven tenths of 400 Gbit/s; needs many streams"),
    RDMA("roce25g", 2.5e-6, 2.85e9, 4e-7,
         "latency borrowed from faster RoCE adapters and a slower switch; bandwidth: line rate less headers"),
    RDMA(
        "roce100g", 2.0e-6, 1.15e10, 4e-7,
        "latency borrowed: NetPIPE over Ethernet past the kernel published by Cisco (1.93 us at 40 Gbit/s); bandwidth: "
        "line rate less headers"),
    RDMA("roce200g", 2.0e-6, 2.3e10, 4e-7, "latency as roce100g; bandwidth: line rate less headers"),
    RDMA("roce400g", 2.0e-6, 4.6e10, 4e-7, "latency as roce100g; bandwidth: line rate less headers"),
    RDMA("efa100g", 1.0e-5, 1.15e10, 1e-6,
         "OSU latency between cloud nodes of type hpc6a published in a thread of aws-parallelcluster (9.9 us); "
         "bandwidth: 100 Gbit/s less headers"),
    RDMA("ib-fdr", 1.2e-6, 6.3e9, 3e-7,
         "latency: usual for that generation, from no publication; bandwidth: 54 Gbit/s after encoding, less headers"),
    RDMA("ib-edr", 1.1e-6, 1.2e10, 3e-7,
         "OSU results over UCX published by J. F. Grimm (0.90 us; 10.3 GB/s at 32 KiB) and a switch more; "
         "bandwidth: 100 Gbit/s less headers"),
    RDMA("ib-hdr", 1.3e-6, 2.4e10, 3e-7,
         "latency borrowed: OSU results over UCX published in a thread of Open MPI, whose adapter is not named (1.33 "
         "us); "
         "bandwidth: 200 Gbit/s less headers"),
    RDMA("ib-ndr", 1.3e-6, 4.8e10, 3e-7, "latency as ib-hdr, borrowed; bandwidth: 400 Gbit/s less headers"),
    RDMA("opa100", 1.2e-6, 1.23e10, 3.2e-7,
         "OSU bandwidth and message rate of an Omni-Path machine published by H. Pritchard (12.4 GB/s, 3.1 million/s); "
         "latency: usual, about 1 us and a switch more, from no publication"),
    RDMA("slingshot10", 1.9e-6, 1.15e10, 4e-7,
         "latency: usual, about 2 us, from no publication; bandwidth: 100 Gbit/s less headers"),
    RDMA("slingshot11", 2.0e-6, 2.3e10, 4e-7,
         "latency as slingshot10, borrowed; bandwidth: 200 Gbit/s an adapter, less headers"),
};
const size_t sup_links_count = sizeof sup_links / sizeof sup_links[0];

const sup_link *sup_link_find(const char *name) {
    for (size_t i = 0; i < sup_links_count; i++)
        if (!strcmp(sup_links[i].name, name)) return &sup_links[i];
    return NULL;
}

const char *sup_link_word(size_t index) { return index < sup_links_count ? sup_links[index].name : NULL; }

const char *sup_link_nearest(const char *name) {
    const char *names[sizeof sup_links / sizeof sup_links[0] + 1] = {NULL};
    for (size_t i = 0; i < sup_links_count; i++) names[i] = sup_links[i].name;
    return sup_nearest(name, names);
}

/* ---- files ---- */

static sup_status check_link(const sup_where *w, const void *object) {
    const sup_link *l = object;
    if (strlen(l->name) > 64) return sup_where_fail(w, "name", -1, "\"name\" has more than 64 letters");
    for (const char *c = l->name; *c; c++)
        if (*c == ' ') return sup_where_fail(w, "name", -1, "\"name\" must be one word");
    return SUP_OK;
}

static const sup_field link_fields[] = {
    SUP_F_STRING(sup_link, name, "name"),
    SUP_F_ENUM_OR(sup_link, kind, "kind", sup_link_kinds, SUP_LINK_RDMA),
    SUP_F_REAL(sup_link, latency_s, "latency_s", 1e-9, 10),
    SUP_F_REAL(sup_link, bandwidth_bytes_per_s, "bandwidth_bytes_per_s", 1, 1e15),
    SUP_F_REAL(sup_link, overhead_s, "overhead_s", 0, 10),
    SUP_F_REAL(sup_link, uncertainty, "uncertainty", 0, 1),
    SUP_F_REAL_MAYBE(sup_link, bandwidth_uncertainty, "bandwidth_uncertainty", 0, 1),
    SUP_F_STRING(sup_link, source, "source"),
    SUP_F_END,
};
SUP_RECORD(sup_link_record, "link", sup_link, link_fields, check_link);

typedef struct links_file {
    sup_link *links;
    size_t links_count;
    struct json_t *extra;
} links_file;

static const sup_field file_fields[] = {
    SUP_F_RECORDS(links_file, links, "links", true, &sup_link_record),
    SUP_F_END,
};
static SUP_RECORD(file_record, "file of links", links_file, file_fields, NULL);

/* The one that is asked for. */
static sup_status choose(const links_file *file, const char *name, sup_diag *diag, const sup_link **out) {
    if (!name && file->links_count == 1) {
        *out = &file->links[0];
        return SUP_OK;
    }
    if (!name)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "has %zu links: --link NAME says which", file->links_count);
    for (size_t i = 0; i < file->links_count; i++)
        if (!strcmp(file->links[i].name, name)) {
            *out = &file->links[i];
            return SUP_OK;
        }
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "has no link \"%.64s\"", name);
}

/* A mistyped member would leave a number at its default, so strangers are refused. */
static sup_status read_list(const sup_json *doc, const char *name, sup_diag *diag, sup_link *out) {
    links_file file;
    const sup_link *found = NULL;
    sup_status status = sup_record_read(&file_record, doc, sup_json_root(doc), true, diag, &file);
    if (status) return status;
    status = choose(&file, name, diag, &found);
    if (!status && sup_record_copy(&sup_link_record, found, out)) status = sup_diag_no_memory(diag);
    sup_record_clear(&file_record, &file);
    return status;
}

static sup_status read_one(const sup_json *doc, const char *name, sup_diag *diag, sup_link *out) {
    sup_status status = sup_record_read(&sup_link_record, doc, sup_json_root(doc), true, diag, out);
    if (status || !name || !strcmp(out->name, name)) return status;
    sup_record_clear(&sup_link_record, out);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "has no link \"%.64s\"", name);
}

sup_status sup_link_parse(const sup_json *doc, const char *name, sup_diag *diag, sup_link *out) {
    const json_t *root = sup_json_root(doc);
    sup_record_init(&sup_link_record, out);
    if (!json_is_object(root))
        return sup_json_error(doc, root, NULL, -1, diag, "a file of links is an object: a link, or {\"links\": [...]}");
    return (json_object_get(root, "links") ? read_list : read_one)(doc, name, diag, out);
}

sup_status sup_link_read(const char *path, const char *name, sup_diag *diag, sup_link *out) {
    sup_json *doc = NULL;
    sup_record_init(&sup_link_record, out);
    sup_status status = sup_json_load(path, diag, &doc);
    if (status) return status;
    status = sup_link_parse(doc, name, diag, out);
    if (status && diag && !diag->file[0]) snprintf(diag->file, sizeof diag->file, "%s", path);
    sup_json_free(doc);
    return status;
}

json_t *sup_links_json(const sup_link *links, size_t count) {
    json_t *list = json_array(), *one = NULL;
    for (size_t i = 0; i < count && list; i++) {
        sup_status status = sup_record_write(&sup_link_record, &links[i], NULL, &one);
        if (!status) json_object_set_new(one, "kind", json_string(sup_link_kinds[links[i].kind]));
        if (status || json_array_append_new(list, one)) {
            json_decref(list);
            return NULL;
        }
    }
    return list ? json_pack("{s:o}", "links", list) : NULL;
}
