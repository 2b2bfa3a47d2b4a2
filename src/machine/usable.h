/* What this process may use of the machine: the affinity mask it was started with, the cpuset, cpu quota and memory
 * limit of its control group (versions 1 and 2), as containers and batch systems set them. */
#ifndef SUP_MACHINE_USABLE_H
#define SUP_MACHINE_USABLE_H

#include "machine/topology/topology.h"

#define SUP_USABLE_REASONS 8

typedef struct sup_usable {
    int cpu_count;
    int *cpus; /* OS numbers, ascending */
    int core_count;
    int *cores;          /* with at least one usable cpu, ascending */
    double cpu_quota;    /* seconds of cpu time per second; 0 no quota */
    int process_count;   /* how many processes can run at full speed, see below */
    size_t memory_bytes; /* 0 unknown */
    bool less;           /* less than the whole machine */
    int reason_count;
    char reasons[SUP_USABLE_REASONS][128]; /* "the affinity mask leaves cpus 0-3" */
} sup_usable;

/* process_count is the number of usable cores, but not more than the quota rounded down (after a tenth is added, so
 * that 1.95 counts as 2), and at least 1: a process that the quota stops in the middle of a superstep holds up all
 * others, so half a cpu more is no cpu. */

/* What the operating system says; separate from the judgement for tests. */
typedef struct sup_limits {
    int *affinity; /* NULL: no mask */
    int affinity_count;
    int *cpuset; /* NULL: none */
    int cpuset_count;
    double cpu_quota;    /* 0 none */
    size_t memory_bytes; /* 0 none */
} sup_limits;

/* Reads this process's limits. root is put before /proc and /sys paths: "" normally. What cannot be read is no limit.
 */
sup_status sup_limits_read(const char *root, sup_limits *out);
/* The control groups' limit on memory alone; 0 none. */
size_t sup_limits_memory(const char *root);
/* Whether all cpus that this process may run on are at one memory node; false if that cannot be known. */
bool sup_limits_one_node(const char *root);
void sup_limits_free(sup_limits *limits);

/* limits NULL: none (also for a description of another machine). SUP_EINVAL with diag: nothing would be left. */
sup_status sup_usable_make(const sup_topology *topology, const sup_limits *limits, sup_diag *diag, sup_usable *out);
/* The usual call: the limits of this process if topology is this machine's, none otherwise. */
sup_status sup_usable_read(const sup_topology *topology, sup_diag *diag, sup_usable *out);
void sup_usable_free(sup_usable *usable);

bool sup_usable_cpu(const sup_usable *usable, int cpu);

#endif
