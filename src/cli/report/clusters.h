/* Clusters by cost and by topology, for the report and `superstep show`. */
#ifndef SUP_CLI_REPORT_CLUSTERS_H
#define SUP_CLI_REPORT_CLUSTERS_H

#include "profile/profile.h"
#include "report/clusters.h"

/* Of every transport whose pairs of three processes or more were measured; the others are left out. */
void sup_report_clusters(const sup_profile *profile, sup_cluster_tables *out);

#endif
