/* What the files of `superstep taulop bench` share: taulop/bench_options.c (the command line), taulop/bench.c
 * (what is measured, and what models say of it), taulop/bench_judge.c (errors, ranks, regret), taulop/bench_file.c
 * (measured times in a file), taulop/bench_say.c (what it prints). */
#ifndef SUP_CLI_TAULOP_BENCH_H
#define SUP_CLI_TAULOP_BENCH_H

#include "measure/launch/cases.h"
#include "model/collective/collective.h"
#include "profile/profile.h"

#include <jansson.h>

#define SUP_TAULOP_BENCH_VERB "taulop"
enum { SUP_BENCH_MODELS = 8, SUP_BENCH_OPERATIONS = SUP_OPERATIONS + 1 };

/* The command line. */
typedef struct sup_taulop_bench_request {
    const char *profile, *net;
    long processes;                  /* 0: as the profile says */
    const char *operations;          /* "broadcast,message"; NULL: all */
    const char *sizes;               /* "1K,3M"; NULL: some between those of profiles */
    const char *plan;                /* whose choices are judged; NULL: the defaults */
    const char *measured;            /* a file of an earlier bench, instead of measuring; NULL */
    const char *keep;                /* measured times go there; NULL */
    const char *hosts, *rsh, *place; /* as for superstep run */
    double seconds;                  /* of measuring; 0: as long as some rounds take */
    long rounds;                     /* launches; 0: some */
    bool json, brief, force;         /* brief: without a line for each case */
} sup_taulop_bench_request;

typedef struct sup_bench_row {
    sup_collective_case of;
    double seconds, typical, ci;        /* NaN: not measured */
    double predicted[SUP_BENCH_MODELS]; /* NaN: not predicted */
} sup_bench_row;

/* What a model is worth for an operation. */
typedef struct sup_bench_score {
    double error; /* mean of |predicted / measured − 1|, of `judged` rows of 1 KB and more */
    size_t judged;
    size_t pairs, right;      /* of algorithms whose times differ by more than a tenth: in the right order? */
    double regret;            /* mean of what it would choose over the best, of `points` sizes */
    size_t points, near_best; /* … within a tenth of it */
} sup_bench_score;

typedef struct sup_bench {
    const char *transport;
    int64_t processes, *node_of; /* NULL: all on one host */
    int64_t nodes;
    sup_bench_row *rows;
    size_t count;
    const char *models[SUP_BENCH_MODELS];
    size_t model_count; /* 0: nothing is predicted */
    sup_bench_score scores[SUP_BENCH_OPERATIONS][SUP_BENCH_MODELS];
    sup_bench_score chosen[SUP_BENCH_OPERATIONS]; /* of the plan's choices: regret alone */
} sup_bench;

const char *sup_bench_operation(int operation); /* "broadcast", …, "message" */

/* taulop/bench_judge.c. choice_at: what the plan has for an operation and so many bytes in all; NULL: it is silent. */
void sup_bench_judge(sup_bench *bench, const sup_choice *(*choice_at)(void *context, int operation, int64_t total),
                     void *context);

/* taulop/bench_file.c. Strings of a bench that was read are its rows' own. */
sup_status sup_bench_save(const sup_bench *bench, const char *path, bool over, sup_diag *diag);
sup_status sup_bench_load(const char *path, sup_diag *diag, sup_bench *out);

/* taulop/bench_say.c */
void sup_bench_text(const sup_bench *bench, bool brief);
json_t *sup_bench_json(const sup_bench *bench);

/* taulop/bench_options.c: argv[0] is "bench", behind it its options. Exit code. */
int sup_cli_taulop_bench(int argc, char **argv);
/* taulop/bench.c: exit code. */
int sup_bench_run(const sup_taulop_bench_request *request);

#endif
