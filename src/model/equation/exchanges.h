/* Measured exchanges as a platform holds them (exchanges.c), and what a process of any superstep takes by them
 * (exchanges_price.c). Tcomm, and what a sync takes beyond an empty one.
 *
 * Who asks is on the `out` side: the sender of a put, the reader of a get. */
#ifndef SUP_MODEL_EQUATION_EXCHANGES_H
#define SUP_MODEL_EQUATION_EXCHANGES_H

#include "base/exchange.h"
#include "base/number/measured.h"

#include <stdbool.h>
#include <stdint.h>

/* Before everybody is there, and the sync. */
enum { SUP_PART_CALLS, SUP_PART_SYNC, SUP_PARTS };

typedef struct sup_exchange_curves {
    const sup_file_curve *part[SUP_PARTS]; /* both or none */
    double top[SUP_PARTS];                 /* that ends here */
} sup_exchange_curves;

typedef struct sup_exchanges {
    int64_t processes;                                       /* with which they were measured; 0: none */
    double per_host;                                         /* of them */
    sup_exchange_curves one[SUP_MOVES][SUP_EXCHANGE_SHAPES]; /* a message to each partner */
    sup_exchange_curves many[SUP_MOVES];                     /* several, all to the next process */
    double records[SUP_MOVES];                               /* so many */
    double empty, d_empty;                                   /* seconds of a sync that has nothing to do */
    double scatter;                                          /* interval of a point → deviation of one more launch */
    double spread; /* relative half width of what other numbers of processes leave open */
    int base, far; /* classes of pairs: of 0 → 1, of 0 → P/2 where that was measured and is another; -1 */
    int link;      /* class of pairs on different hosts, where no exchange went so far; -1 */
    /* [shape · classes + class]: of the partners of its slowest process; beyond the last shape: of who is one of many
     * partners of another */
    double *share;
    double crossing[SUP_EXCHANGE_SHAPES]; /* processes of a host that have far partners in it */
} sup_exchanges;

typedef struct sup_platform sup_platform;
typedef struct sup_class_cost sup_class_cost;

/* Takes those of the nearest number of processes. SUP_ENOMEM. */
sup_status sup_platform_exchanges(sup_platform *platform, sup_diag *diag);

/* How many times as long as that of 0 → 1, as it was measured, a pair takes: what no bytes make, and the bytes. */
typedef struct sup_times {
    double latency, bytes;
} sup_times;
sup_times sup_exchange_times(const sup_platform *platform, const sup_class_cost *cost, double bytes);

/* What a process has to do with others. near_, far_: times (above) of partners, and of bytes, added up; far_ of those
 * of class `far`, without their own. */
typedef struct sup_side {
    double partners, messages, bytes, largest;
    double near_latency, near_bytes, far_latency, far_bytes;
} sup_side;

typedef struct sup_asked {
    sup_side out, in;
    double askers, asked; /* processes of a host that ask, and that are asked, at once */
    double crossing;      /* those that have far partners */
    double pair_bytes;    /* of a message that is priced by its pair, on average over all */
    bool shared;          /* over shared memory */
    int move;
} sup_asked;

/* Seconds that no bytes make, that bytes make, and the half width of both together. */
typedef struct sup_amount {
    double fixed, moving, half;
} sup_amount;

void sup_exchange_price(const sup_platform *platform, const sup_asked *asked, sup_amount out[SUP_PARTS]);

#endif
