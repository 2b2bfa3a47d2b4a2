/* The signature of a machine as profile and plan files hold it: which hardware, which processes, where. Topology
 * digest, placement, process count and transport say whether a file applies here; the rest says in words why it does
 * not.
 *
 * Placement is part of a measurement (BSP §5.2, §7.5), and must not cost a line a process. It is a list of blocks that
 * take ranks in order. A block covers `hosts` consecutive hosts from `host` on, each with the same list of cores, and
 * deals its ranks out host by host or core by core:
 *
 *     {"host": 0, "hosts": 2, "cores": [0, 1, 2]}                      {…, "order": "cyclic"}
 *         host 0: ranks 0 1 2   host 1: ranks 3 4 5                        host 0: 0 2 4   host 1: 1 3 5
 *
 * 2^20 processes on equal hosts are one block; 60 processes dealt to 8 hosts are two; any placement at all has one. */
#ifndef SUP_MACHINE_ORIGIN_H
#define SUP_MACHINE_ORIGIN_H

#include "base/file/record.h"
#include "machine/signature.h"

#define SUP_PROCESSES_MAX 2147483647.0

typedef enum sup_block_order { SUP_ORDER_BLOCK, SUP_ORDER_CYCLIC } sup_block_order;

typedef struct sup_place_block {
    int64_t host, hosts;
    int64_t *cores; /* OS numbers; -1: not pinned */
    size_t cores_count;
    int order; /* sup_block_order */
    struct json_t *extra;
} sup_place_block;

typedef struct sup_origin {
    char *machine;              /* in words, for people; NULL */
    char *topology;             /* digest of cores and caches */
    char *cpu;                  /* model name */
    int64_t cores;              /* of one host */
    int64_t hosts;              /* in use */
    int64_t processes;          /* P */
    char *transport;            /* "self", "shm", "openmpi", "mpich" */
    char *policy;               /* sup_placement_describe: does not depend on cpu numbers; NULL */
    sup_place_block *placement; /* NULL: not recorded */
    size_t placement_count;
    int64_t *first; /* derived: first rank of each block, and P at the end */
    struct json_t *extra;
} sup_origin;

extern const sup_record sup_origin_record;

/* The signature of a run, or of the machine alone (policy and placement NULL: one process). transport NULL: "self". */
sup_status sup_origin_set(sup_origin *origin, const sup_topology *topology, const sup_policy *policy,
                          const sup_placement *placement, const char *transport);

/* Compresses rank → host, core into blocks and sets `processes`. core may be NULL (not pinned). */
sup_status sup_origin_set_placement(sup_origin *origin, int64_t processes, const int *host, const int *core);

/* Where a rank is: O(log blocks). SUP_ENOENT: no placement recorded; SUP_EINVAL: no such rank. */
sup_status sup_origin_place(const sup_origin *origin, int64_t rank, int64_t *host, int64_t *core);

/* What may differ without being a mismatch. */
enum { SUP_SIGNATURE_ANY_RUN = 1, SUP_SIGNATURE_ANY_MODEL = 2 }; /* placement, processes, transport; cpu model */

/* Whether a file of `file` may be used by a run of `run`: SUP_EMISMATCH with the first difference that matters
 * (topology, processes, transport, placement), worded for people. A member that either side does not have is not
 * compared. */
sup_status sup_origin_match(const sup_origin *file, const sup_origin *run, unsigned ignore, sup_diag *diag);

#endif
