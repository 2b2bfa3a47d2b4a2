/* Which processes are near each other by what messages cost, by topology, and where the two differ: for the report and
 * `superstep show`. The tool computes it, for a page calls no model. */
#ifndef SUP_REPORT_CLUSTERS_H
#define SUP_REPORT_CLUSTERS_H

#include "report/page/tables.h"

typedef struct sup_cluster_row {
    const char *by;      /* "cost", "topology" */
    char level[32];      /* "L3", "host"; by cost: its number, 0 the innermost */
    int64_t clusters;    /* of the level */
    int64_t least, most; /* processes of one */
    char members[160];   /* the ranks of the first clusters */
} sup_cluster_row;

/* Of one transport. */
typedef struct sup_cluster_table {
    char transport[32];
    int64_t processes;
    bool each; /* by the O of every ordered pair, else by classes of pairs */
    sup_cluster_row *rows;
    size_t rows_count;
    char (*differences)[256]; /* sentences; 0: both say the same */
    size_t differences_count;
} sup_cluster_table;

typedef struct sup_cluster_tables {
    sup_cluster_table *at;
    size_t count;
} sup_cluster_tables;

void sup_cluster_tables_free(sup_cluster_tables *tables);
void sup_cluster_tables_put(const sup_cluster_tables *tables, sup_sink *sink);

#endif
