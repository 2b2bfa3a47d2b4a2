/* What the files of `superstep barrier` share: barrier.c (the command line), barrier/open.c (which barrier is meant)
 * and a file for each of its words. */
#ifndef SUP_CLI_BARRIER_BARRIER_H
#define SUP_CLI_BARRIER_BARRIER_H

#include "base/pattern/pattern.h"
#include "cli/frame/cli.h"
#include "plan/plan.h"

#define SUP_BARRIER_VERB "barrier"
#define SUP_BARRIER_USUAL "usual" /* what holds where there is no plan */
#define SUP_BARRIER_ALL "all"

typedef struct sup_barrier_request {
    const char *what;
    char **given; /* barriers of the command line */
    int count;
    long processes;    /* 0: as the barrier, the hosts or the profile say */
    const char *hosts; /* "2,2" or a file of hosts */
    const char *profile, *net, *out, *function, *svg, *rsh, *place;
    double seconds;
    bool json, counts, mpi, shm, force;
    long drop; /* emit without the so-manieth signal; 0: with all */
} sup_barrier_request;

/* A barrier of the command line. */
typedef struct sup_barrier_given {
    char name[160];
    sup_pattern pattern;
    int *host_of;             /* [processes]; NULL: one host */
    const sup_origin *origin; /* of its plan; NULL: it has none */
    sup_plan *plan;
} sup_barrier_given;

/* barrier/open.c: by its word, from a plan, or from a text of stages. -1: go on; otherwise the exit code, and one line
 * has said why. processes 0: as it says itself. */
int sup_barrier_open(const sup_barrier_request *request, const char *given, int64_t processes, sup_barrier_given *out);
void sup_barrier_close(sup_barrier_given *given);
/* Is it a word, which is for any number of processes? */
bool sup_barrier_is_word(const char *given);
/* Host of each process, by --hosts; *processes 0: becomes as many as there are slots. *out NULL: not given. -1: go on.
 */
int sup_barrier_given_hosts(const sup_barrier_request *request, int64_t *processes, int **out);
/* Is it a barrier? -1: it is; otherwise the exit code, and one line has said who does not hear. */
int sup_barrier_check(const sup_barrier_given *given);
/* How many signals it has; the most that a process sends or receives in one stage. */
size_t sup_barrier_signals(const sup_pattern *pattern);
size_t sup_barrier_fan(const sup_pattern *pattern);
/* A text that the verb writes, to --out or standard output. Frees it. */
int sup_barrier_put(const sup_barrier_request *request, char *text, size_t length);

/* Exit codes. */
int sup_barrier_show(const sup_barrier_request *request);
int sup_barrier_verify(const sup_barrier_request *request);
int sup_barrier_prices(const sup_barrier_request *request);
int sup_barrier_synth(const sup_barrier_request *request);
int sup_barrier_emit(const sup_barrier_request *request);
int sup_barrier_bench(const sup_barrier_request *request);

#endif
