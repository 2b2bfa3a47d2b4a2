/* A profile of a machine that nobody has, made of parts that were measured: nodes like one of which there is a profile,
 * and a link between them. Pure: profiles and numbers in, a profile out. It is one like any other, with P = nodes ·
 * cores processes, and says in `composed` what it is made of and what was assumed.
 *
 *     ranks   0 … c−1   c … 2c−1   …      consecutive ranks fill a node
 *             levels of the node's pairs inside, the link's class between
 *
 * Memory is that of the node's profile: nothing grows with P. */
#ifndef SUP_MODEL_COMPOSE_COMPOSE_H
#define SUP_MODEL_COMPOSE_COMPOSE_H

#include "model/compose/links.h"
#include "profile/profile.h"

#define SUP_COMPOSE_CORES_MAX 65536
/* Transport of a machine whose node was measured over shared memory only: what runs between nodes is some MPI. */
#define SUP_COMPOSE_MPI "mpi"
/* Half width of an interval, relative, of what a rule says instead of a measurement. */
#define SUP_COMPOSE_DOUBT 0.5

/* The way from one node to another. */
typedef struct sup_compose_link {
    const sup_link *link;
    /* Where it was measured: all that is known of it, which otherwise is made from the numbers. NULL: borrowed. */
    const sup_pair_class *class;
    const sup_transfer *transfer;
} sup_compose_link;

typedef struct sup_compose_options {
    const char *node; /* name of the node's profile */
    int64_t nodes;
    int64_t cores;         /* processes of a node; 0: as many as were measured */
    const char *transport; /* NULL: of MPI, what was measured */
    sup_compose_link link; /* link NULL: only one node */
    int64_t now_unix_s;    /* < 0: now */
} sup_compose_options;

/* SUP_EINVAL: too many processes, no link for several nodes, a node's profile of several hosts or of none that was
 * measured. SUP_ENOENT: the transport was not measured. */
sup_status sup_compose(const sup_profile *node, const sup_compose_options *options, sup_diag *diag, sup_profile **out);

/* The link between the hosts of a profile. What `out` points to belongs to link and profile; sup_record_clear `link`.
 * SUP_EINVAL: it is of one host. SUP_EMISMATCH: it is composed itself. SUP_ENOENT: pairs on different hosts were not
 * measured. */
sup_status sup_compose_link_of(const sup_profile *profile, const char *name, const char *transport, sup_diag *diag,
                               sup_link *link, sup_compose_link *out);

/* ---- the parts, each in a file compose/NAME.c ---- */

/* Pairs of one node become those of all of them. made: the profile with its `composed`. */
sup_status sup_compose_pairs(sup_profile *made, sup_pairs *pairs, const sup_compose_link *link);
/* How transfers between nodes share the link: a channel, and the classic scalars. */
sup_status sup_compose_sharing(sup_profile *made, const char *transport, const sup_compose_link *link);
/* More cores in a node than were measured. */
sup_status sup_compose_cores(sup_profile *made);

#endif
