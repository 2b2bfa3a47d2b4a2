/* What the files of `superstep run` share: run.c (options), run/place.c (who goes where), run/mpi.c (through an MPI's
 * launcher), run/hosts.c (do the hosts answer), run/rank.c (around one rank of MPI), run/show.c (--dry-run),
 * run/linked.c (what a program is linked with), run/rights.c (has it more rights than we), run/preload.c (--mpi),
 * run/trace.c (was a trace written), run/plan.c (this machine's plan), run/local.c (who may reach what an MPI
 * listens on). */
#ifndef SUP_CLI_RUN_RUN_H
#define SUP_CLI_RUN_RUN_H

#include "cli/frame/cli.h"
#include "machine/place/placement.h"
#include "net/net.h"

#include <sys/types.h>
#include <time.h>

#define SUP_RUN_MPI_MAX (1 << 20) /* processes; more is a slip of the finger */
#define SUP_RUN_NOT_EXECUTABLE 126

typedef struct sup_run {
    int size;        /* 0: as many as this process may use cores */
    const char *net; /* as given: "auto", … */
    const char *hosts_file, *place, *rsh;
    bool prefix, dry, json;
    bool planless;      /* --plan none */
    bool mpi;           /* an MPI program that knows nothing of us, with our library before its MPI's */
    bool as_rank;       /* hidden: we are what mpirun starts, around one rank */
    sup_launch tell;    /* plan, trace, check, engine, deadlock */
    char **argv;        /* program and arguments; with as_rank only their looks, see net/launch/order.h */
    char program[4096]; /* where it is */
    /* worked out */
    sup_hosts hosts; /* count 0: this machine alone */
    bool remote;     /* some of them are others */
    sup_policy policy;
    sup_placement placement;
    bool trace_watched; /* the trace is a file of this machine … */
    ino_t trace_inode;  /* … and this one is there before the run, as it was then; 0 none */
    struct timespec trace_changed;
} sup_run;

/* run/rank.c: exit code where a program cannot be started. */
int sup_run_no_start(sup_status status);

/* run/place.c: all fill what is worked out, or say why not and return an exit code (0: go on). */
int sup_run_read_hosts(sup_run *run);
int sup_run_place(sup_run *run);
int sup_run_place_rank(sup_run *run, int *cpu);

/* run/hosts.c: exit code; names the first host that does not answer within a bounded time. */
int sup_run_probe_hosts(const sup_run *run);

/* run/mpi.c */
typedef struct sup_run_mpi {
    const char *net; /* "openmpi" or "mpich" */
    char launcher[4096];
    char **argv; /* of the launcher, to be freed with sup_run_mpi_free */
    size_t count;
    bool failed;        /* no memory */
    char preload[4096]; /* --mpi: the library, on this host; "" none */
} sup_run_mpi;
int sup_run_mpi_command(sup_run *run, sup_run_mpi *out);
const char *sup_run_mpi_name(const sup_run *run); /* which one that will be; NULL: none */
void sup_run_mpi_free(sup_run_mpi *mpi);
int sup_run_mpi_start(sup_run *run, const sup_run_mpi *mpi);

/* run/local.c: into the environment of the MPI's launcher, before it is started. */
void sup_run_local(const sup_run *run, const char *net);

/* run/linked.c: "openmpi" or "mpich", or NULL where the file does not say. */
const char *sup_run_linked_mpi(const char *program);
const char *sup_run_mpi_title(const char *net); /* as people call it */
bool sup_run_linked_bsp(const char *program);
/* Why nothing can be loaded before the libraries of this file, as the end of a sentence; NULL: it can. */
const char *sup_run_not_preloadable(const char *program);

/* run/rights.c: the exit code if this program ends well and never joins the run; 0: its own. It is for BSP programs
 * with more rights than ours, which do not hear a launcher. */
int sup_run_apart(const char *program);

/* run/preload.c: exit codes. check: can --mpi be done, in words of this program; find: where the library is on this
 * host; preload: into the environment of what this process starts. */
int sup_run_preload_check(sup_run *run);
int sup_run_preload_find(const char *net, char path[4096]);
int sup_run_preload(const char *net);

/* run/trace.c: exit codes. check: can the trace be written; verify: was it, by a run that ended with `code`. */
int sup_run_trace_check(sup_run *run);
int sup_run_trace_verify(const sup_run *run, int code);
void sup_run_say_unchecked(int code, bool began); /* of a run with --check that went well */

/* run/plan.c: before options are read; after that; when it is known who goes where. */
void sup_run_plan_leave(sup_run *run);
void sup_run_plan_asked(sup_run *run);
void sup_run_plan_find(sup_run *run, const sup_topology *topology);

/* run/rank.c */
int sup_run_rank(sup_run *run);

/* run/show.c: mpi NULL: on this machine. */
int sup_run_show(const sup_run *run, const sup_run_mpi *mpi);

#endif
