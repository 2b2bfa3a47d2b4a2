/* Parts of Tsync that its files share: paths added to a term (sync/common.c), barriers of signals
 * (sync/shared_memory.c), the algorithms of counts (sync/counts.c), empty supersteps as they were measured
 * (sync/empty.c). sync.c puts them together; sync/meyer.c has the document's own. */
#ifndef SUP_MODEL_SYNC_SYNC_H
#define SUP_MODEL_SYNC_SYNC_H

#include "model/equation/model.h"

/* ---- sync/common.c ---- */

/* Adds a path to sync, `times` times; high: the same with values + half widths, NULL where spread (relative) says it
 * all. The pattern may be of fewer processes than the terms. */
sup_status sup_sync_add_path(const sup_platform *platform, const sup_pattern *pattern, sup_path *path, sup_path *high,
                             double spread, double times, sup_terms *terms, sup_diag *diag);
/* Tables of signals, one signal a class; free() them. */
sup_status sup_sync_tables(const sup_platform *platform, size_t tables, sup_diag *diag, sup_signal **out);
/* A message of so many bytes as a signal: O at the sender, t(bytes) on the way. high: with its half widths. */
sup_signal sup_sync_message(const sup_platform *platform, const sup_class_cost *class, double bytes, bool high);
/* Sync alone: a barrier has no other terms, and large machines no time to clear them. */
void sup_sync_clear(sup_terms *terms);
/* The process that takes longest. */
sup_prediction sup_sync_longest(const sup_terms *terms);

/* ---- sync/shared_memory.c: over shared memory ---- */
sup_status sup_sync_add_signals(const sup_platform *platform, const sup_pattern *pattern, double times,
                                sup_terms *terms, sup_diag *diag);

/* ---- sync/counts.c: over messages ---- */
/* name NULL: what the runtime takes. SUP_EINVAL: has no price. */
sup_status sup_sync_add_counts(const sup_platform *platform, const char *name, sup_terms *terms, sup_diag *diag);
sup_status sup_sync_add_map(const sup_platform *platform, sup_terms *terms, sup_diag *diag);

/* ---- sync/empty.c ---- */
/* Adds a superstep that asks for nothing, as measured, with the platform's barrier or counts. SUP_ENOENT: nobody
 * measured one over this transport; nothing was added. */
sup_status sup_sync_add_empty(const sup_platform *platform, sup_terms *terms, sup_diag *diag);

/* ---- sync/meyer.c ---- */
sup_status sup_sync_add_eq54(const sup_platform *platform, const sup_pattern *pattern, sup_terms *terms,
                             sup_diag *diag);

#endif
