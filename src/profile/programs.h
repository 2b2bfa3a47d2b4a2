/* A program's own supersteps as kernels: what the computation of each call site takes over the size of the problem, as
 * `superstep measure --program` found it. Term Tcomp; joint 1 of the flow.
 *
 *     {"program": "inprod", "arguments": ["{n}", "50"], "transport": "shm", "processes": 2, "launches": 5,
 *      "sizes": [20000, 200000],
 *      "sites": [{"site": "inprod.c:27", "seconds": […], "typical": […], "ci": […], "law": "n log n",
 *                 "unit_s": 2.9e-10, "error": 0}]} */
#ifndef SUP_PROFILE_PROGRAMS_H
#define SUP_PROFILE_PROGRAMS_H

#include "base/file/record.h"

#define SUP_PROGRAM_SIZE "{n}" /* where the size stands in the arguments */
enum { SUP_PROGRAM_SIZES_LEAST = 2, SUP_PROGRAM_SIZES_MOST = 16 };

/* Units of work u(n); seconds are fixed_s + unit_s · u(n). */
typedef enum sup_growth {
    SUP_GROWTH_CONSTANT,
    SUP_GROWTH_ROOT,
    SUP_GROWTH_LINEAR,
    SUP_GROWTH_N_LOG_N,
    SUP_GROWTH_N_ROOT_N,
    SUP_GROWTH_SQUARE,
    SUP_GROWTH_CUBE,
    SUP_GROWTH_NONE, /* no law: sizes and launches tell none from another; unit_s is their geometric mean */
    SUP_GROWTHS
} sup_growth;
/* For people: "n log n", "no law". */
const char *sup_growth_text(int law);
double sup_growth_units(int law, double n);

/* Of the slowest process, per superstep, averaged over the supersteps that ended at the site. Lists have one value a
 * size. */
typedef struct sup_program_site {
    char *site;                     /* "inprod.c:27" without folders, else the function or the place */
    double *seconds, *typical, *ci; /* the least and the median of all launches; 95 % half width of one more launch */
    size_t seconds_count, typical_count, ci_count;
    int law;
    double fixed_s, unit_s;
    double error; /* of the law at the sizes, relative, the largest */
    struct json_t *extra;
} sup_program_site;

typedef struct sup_program_times {
    char *program;    /* without folders */
    char **arguments; /* one or more of them hold SUP_PROGRAM_SIZE */
    char *transport;
    int64_t processes, launches;
    int64_t *sizes; /* ascending */
    sup_program_site *sites;
    size_t arguments_count, sizes_count, sites_count;
    struct json_t *extra;
} sup_program_times;

extern const sup_record sup_program_site_record, sup_program_times_record;

/* The last part of a path. */
const char *sup_program_base(const char *path);

#endif
