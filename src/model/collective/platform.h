/* A profile's transport, made ready for models of collectives: what those of the table share. Term Tcomm, model stage.
 */
#ifndef SUP_MODEL_COLLECTIVE_PLATFORM_H
#define SUP_MODEL_COLLECTIVE_PLATFORM_H

#include "model/collective/build.h"

/* Averages over pairs, as Hockney's and LogGP's models want them. */
typedef struct sup_link_average {
    bool known;
    double self, overhead, latency, per_byte, spread;
} sup_link_average;

/* How long a measured collective takes beside what τ-Lop says: the logarithm of their ratio, over bytes. */
typedef struct sup_collective_ratio {
    int operation;
    sup_choice choice;
    int64_t processes, hosts;
    size_t count;
    double *log_bytes, *log_ratio; /* [count], ascending */
    double spread;                 /* of log_ratio, where a size is taken for its neighbours; NaN: fewer than three */
} sup_collective_ratio;

struct sup_collective_platform {
    const sup_profile *profile;
    char *transport;
    sup_taulop_costs *costs;
    const sup_evaluator *evaluator;
    sup_link_average links[2]; /* inside a node, between nodes */
    double signal_s;           /* inside a node; 0: not known */
    sup_collective_ratio *ratios;
    size_t ratio_count;
    double spread; /* standard deviation of all log ratios about 0: of what nobody measured; NaN: nothing was */
};

/* collective/alone.c: by channels alone. */
sup_status sup_collective_alone(const sup_collective_platform *platform, const sup_choice *choice, const sup_job *job,
                                const sup_mapping *mapping, sup_diag *diag, double *seconds);
/* 90 % interval of a value whose logarithm has this standard deviation. */
sup_prediction sup_collective_interval(double value, double spread);
/* collective/ratio.c: measured collectives of the profile, held against sup_collective_alone. */
sup_status sup_collective_ratios_make(sup_collective_platform *platform, sup_diag *diag);
void sup_collective_ratios_free(sup_collective_platform *platform);
/* What to multiply a prediction by; *spread: standard deviation of its logarithm. */
double sup_collective_ratio_of(const sup_collective_platform *platform, const sup_choice *choice, const sup_job *job,
                               int64_t hosts, double *spread);
/* A model that prices what one rank does in a stage (messages, copies, folds); the slowest rank of each stage counts.
 */
typedef struct sup_task_pricing {
    const char *name;
    bool needs_links; /* averages over pairs; else channels */
    double (*messages)(const sup_collective_platform *platform, const sup_part *parts, size_t count, int kind);
    double (*copy)(const sup_collective_platform *platform, double bytes);
    double (*signal)(const sup_collective_platform *platform);
} sup_task_pricing;
sup_status sup_collective_by_tasks(const sup_collective_platform *platform, const sup_task_pricing *pricing,
                                   const sup_choice *choice, const sup_job *job, const sup_mapping *mapping,
                                   sup_diag *diag, sup_prediction *out);

extern const sup_collective_model sup_collective_taulop, sup_collective_taulop_alone, sup_collective_loggp,
    sup_collective_lognp, sup_collective_hockney;

#endif
