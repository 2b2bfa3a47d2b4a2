/* Copies of our runtime over shared memory, as a profile has them measured (copies.c). */
#ifndef SUP_MODEL_COPIES_H
#define SUP_MODEL_COPIES_H

#include "base/curve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SUP_COPY_LOG, SUP_COPY_DELIVER, SUP_COPY_PARTS };
enum { SUP_FANS_MAX = 8, SUP_CALIBRATIONS_MAX = 512 };

/* Supersteps that were measured whole, all runs of one kind together. */
typedef struct sup_copy_calibration {
    bool many; /* messages to each partner */
    double partners, bytes;
    double puts;                 /* of a process */
    double part[SUP_COPY_PARTS]; /* seconds; the sync with its barrier */
    double variance;             /* of the logarithm, between runs */
    double between;              /* square of what neighbours miss it by, as a logarithm; for half their distance */
    double runs;
} sup_copy_calibration;

typedef struct sup_fan {
    double messages;                       /* partners */
    const sup_curve *time[SUP_COPY_PARTS]; /* over bytes for each */
} sup_fan;

typedef struct sup_copies {
    sup_fan fan[SUP_FANS_MAX]; /* by messages */
    size_t fan_count;          /* 0: not measured */
    int64_t processes;         /* with which they were measured */
    double barrier;            /* inside the deliveries */
    double many;               /* records of the curves below; 0 none */
    const sup_curve *record[SUP_COPY_PARTS];
    const sup_curve *own; /* own memory to own memory; NULL */
    sup_copy_calibration calibrated[SUP_CALIBRATIONS_MAX];
    size_t calibrated_count;
    bool calibrated_many; /* some are of many messages */
} sup_copies;

/* What messages take at one end: seconds, and their half width. */
typedef struct sup_moved {
    double value, half;
} sup_moved;

typedef struct sup_platform sup_platform;

/* Fills copies; where it has any: all messages to all partners, one edge's, and the relative half width of
 * what that is off by. */
void sup_platform_copies(sup_platform *platform);
double sup_copies_time(const sup_platform *platform, int part, double partners, double bytes, double *half);
sup_moved sup_copies_edge(const sup_platform *platform, int part, double partners, double messages, double bytes);
double sup_copies_spread(const sup_platform *platform, double partners, double messages, double bytes);

#endif
