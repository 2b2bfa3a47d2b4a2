/* For which processes collective algorithms are chosen (stage choose, term Tcomm): the first 2, 3, 4, 6, 8, 12, …, all.
 */
#ifndef SUP_CHOOSE_COLLECTIVE_SETS_H
#define SUP_CHOOSE_COLLECTIVE_SETS_H

#include "choose/collective/collective.h"

/* More than SUP_COLL_PROCESSES_MOST processes take longer than it is worth. */
enum { SUP_COLL_SETS = 24, SUP_COLL_PROCESSES_MOST = 1024 };

typedef struct sup_coll_sets {
    int count;
    int64_t processes[SUP_COLL_SETS]; /* ascending; the plan's are the last */
    int hosts[SUP_COLL_SETS];
    sup_mapping mapping[SUP_COLL_SETS];
    int64_t *node; /* [processes of the platform] */
} sup_coll_sets;

/* SUP_ENOMEM. */
sup_status sup_coll_sets_open(const sup_platform *platform, sup_coll_sets *out);
void sup_coll_sets_free(sup_coll_sets *sets);
sup_coll_set sup_coll_set_of(const sup_coll_sets *sets, int set, int operation);

#endif
