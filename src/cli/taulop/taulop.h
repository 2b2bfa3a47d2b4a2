/* What the files of `superstep taulop` share: taulop.c (the command line), taulop/coll.c (one algorithm),
 * taulop/compare.c and taulop/plot.c (all of an operation, all models). */
#ifndef SUP_CLI_TAULOP_TAULOP_H
#define SUP_CLI_TAULOP_TAULOP_H

#include "cli/frame/cli.h"
#include "model/collective/collective.h"

#define SUP_TAULOP_VERB "taulop"

typedef struct sup_taulop_request {
    const char *given;    /* "broadcast:binomial", with --compare "broadcast" */
    long processes, root; /* processes 0: as the profile says */
    const char *map, *sizes, *segment, *profile, *net, *plot;
    const char *evaluator; /* NULL: all */
    bool expand, compare, simplify, force, json;
} sup_taulop_request;

/* The request, read: what is asked, on which machine. */
enum { SUP_TAULOP_SIZES = 64 };
typedef struct sup_taulop_job {
    sup_job job; /* of the first size; others differ in bytes alone */
    sup_choice choice;
    const char *choice_text; /* NULL: with --compare */
    sup_mapping mapping;
    const char *map;
    int64_t sizes[SUP_TAULOP_SIZES];
    size_t size_count;
    sup_profile *profile; /* NULL: nothing is priced */
    sup_collective_platform *platform;
    const char *transport;
} sup_taulop_job;

/* taulop/open.c. -1: go on; otherwise the exit code, and one line has said why. */
int sup_taulop_open_job(const sup_taulop_request *request, sup_taulop_job *out);
void sup_taulop_close_job(sup_taulop_job *job);
/* "64K,1M" or "1K..1M" (each twice the one before). false: it is neither. */
bool sup_taulop_read_sizes(const char *text, int64_t *sizes, size_t *count);

/* What a model says of an algorithm and a size; NaN: it cannot say. */
typedef struct sup_taulop_row {
    sup_choice choice;
    char name[SUP_CHOICE_TEXT];
    double *seconds; /* [size · models + model] */
    char why[160];   /* of the first NaN */
} sup_taulop_row;
typedef struct sup_taulop_rows {
    sup_taulop_row *at;
    size_t count, models;
} sup_taulop_rows;

/* Exit codes. */
int sup_taulop_coll(const sup_taulop_request *request);
int sup_taulop_compare(const sup_taulop_job *job, const sup_taulop_request *request);
int sup_taulop_plot(const sup_taulop_job *job, const sup_taulop_rows *rows, const char *file, bool force);

#endif
