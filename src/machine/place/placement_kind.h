/* What a kind of placement is: one object of this shape in a file of its own, place/NAME.c, and one row of the table in
 * policy.c. Nobody else asks which kind a policy has. */
#ifndef SUP_MACHINE_PLACE_PLACEMENT_KIND_H
#define SUP_MACHINE_PLACE_PLACEMENT_KIND_H

#include "machine/place/placement.h"

struct sup_placement_kind {
    const char *name;    /* the first word of a policy, and what a signature calls it */
    const char *written; /* how messages list it */
    bool unpinned;       /* the operating system decides; the order of cpus only says how many there are */
    bool names_cpus;     /* the text has cpu numbers of one machine, which mean nothing in a signature */
    /* Is this the kind's text (without what follows a slash)? NULL: if it is the name and nothing else. */
    bool (*is_written)(const char *text, size_t n);
    /* Reads such a text into depth or cpus; NULL: there is nothing to read. */
    sup_status (*parse)(const char *text, size_t n, sup_diag *diag, sup_policy *out);
    /* The text that parses to the policy; NULL: the name. */
    void (*format)(const sup_policy *policy, char *buf, size_t size);
    /* The cpus of one host in the order in which they are used: *order has *count entries and is to be freed. */
    sup_status (*order)(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                        int **order, int *count);
};

extern const sup_placement_kind sup_place_none, sup_place_scatter, sup_place_per_cache, sup_place_list;

/* The order of most kinds: the cores round robin over the parts of some domains, outermost first. */
sup_status sup_place_interleaved(const sup_topology *t, const sup_usable *u, const sup_domain *domains,
                                 int domain_count, sup_diag *diag, int **order, int *count);

#endif
