/* Links between nodes of a machine that nobody has at hand: what a message from one node to another costs. Numbers of
 * the table are borrowed from what others published, each says from whom, and how far it may be off. A user's own
 * file has the same members:
 *
 *     {"name": "our-fabric", "kind": "rdma", "latency_s": 1.3e-6, "bandwidth_bytes_per_s": 2.4e10,
 *      "overhead_s": 3e-7, "uncertainty": 0.2, "source": "osu_latency and osu_bw between two of our nodes"}
 *
 * or a list of such objects, {"links": […]}. Term Tcomm. */
#ifndef SUP_MODEL_COMPOSE_LINKS_H
#define SUP_MODEL_COMPOSE_LINKS_H

#include "base/file/record.h"

/* How messages get there: through the kernel's TCP, or by an adapter that reads and writes memory by itself. */
typedef enum sup_link_kind { SUP_LINK_TCP, SUP_LINK_RDMA } sup_link_kind;
extern const char *const sup_link_kinds[]; /* NULL at the end */

typedef struct sup_link {
    char *name;
    int kind;                     /* sup_link_kind */
    double latency_s;             /* of a short message, one way, between two MPI processes: half of a round trip */
    double bandwidth_bytes_per_s; /* of one node, one direction, all its processes together */
    double overhead_s;            /* what a message keeps its sender busy with */
    double uncertainty;           /* of latency and overhead: half width of the interval, relative */
    double bandwidth_uncertainty; /* NaN: the same */
    char *source;
    struct json_t *extra;
} sup_link;

extern const sup_record sup_link_record;

/* The table. */
extern const sup_link sup_links[];
extern const size_t sup_links_count;
const sup_link *sup_link_find(const char *name); /* NULL: no such link */
const char *sup_link_word(size_t index);         /* its names; NULL: no more */
/* What was probably meant by a mistyped name; NULL: none is close. */
const char *sup_link_nearest(const char *name);

/* The link of that name (NULL: the only one) of a file. sup_record_clear it. SUP_ENOENT, SUP_EIO, SUP_EPARSE with line;
 * SUP_EINVAL: the file has several, or none of that name. */
sup_status sup_link_read(const char *path, const char *name, sup_diag *diag, sup_link *out);
/* The same of a document. */
sup_status sup_link_parse(const sup_json *doc, const char *name, sup_diag *diag, sup_link *out);

/* Some of the table as a file has them: {"links": […]}. NULL: no memory. */
json_t *sup_links_json(const sup_link *links, size_t count);

#endif
