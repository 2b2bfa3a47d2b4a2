/* What the files of `superstep measure` share, and what `superstep report` uses of it: measure.c
 * (options), measure_run.c (stages in order), measure_file.c (the profile before and after), measure_net.c (processes
 * over a transport), measure_rank.c (one of them), measure_notes.c (what it
 * says of itself), measure_steps.c (supersteps to calibrate with), measure_bar.c
 * (progress, interrupts), measure_say.c (summary). */
#ifndef SUP_CLI_MEASURE_H
#define SUP_CLI_MEASURE_H

#include "cli/cli.h"
#include "machine/hosts.h"
#include "machine/placement.h"
#include "measure/comp.h"
#include "measure/comp_user.h"
#include "measure/session.h"
#include "profile/profile.h"
#include "trace/trace.h"

enum { SUP_MEASURE_NETS = 3 };
#define SUP_MEASURE_PATH 4128 /* of a file in the temporary folder */
#define SUP_MEASURE_PLUGINS 16
#define SUP_MEASURE_BUDGET_S 60.0
#define SUP_MEASURE_PROCESSES 4096
#define SUP_MEASURE_LEAST_S 1.0 /* of each part; less leaves nothing to trust */

typedef struct sup_measuring {
    /* asked for */
    const char *verb;    /* who speaks */
    const char *out;     /* the file that comes out of it, in whose folder temporary files go */
    const char *file;    /* the profile; NULL: only in memory */
    double budget_s;     /* 0: SUP_MEASURE_BUDGET_S */
    int processes;       /* 0: as many as can run at full speed */
    const char *nets;    /* "all", "none", "shm,openmpi"; NULL: all there are */
    const char *kernels; /* "all", "none", "daxpy,dot"; NULL: all */
    const char *plugins[SUP_MEASURE_PLUGINS];
    int plugin_count;
    const char *place;
    const char *hosts_file, *rsh; /* as for superstep run; NULL: this machine, ssh */
    const char *setups;           /* of shared transfers: "ring,ping,broadcast"; NULL: ring */
    bool cold;                    /* transfers also with buffers out of cache */
    bool rdma;                    /* the network reads and writes memory by itself */
    bool exhaustive, resume, force, quiet, json;
    /* worked out */
    char folder[SUP_MEASURE_PATH - 32]; /* temporary */
    sup_topology *topology;
    sup_usable usable;
    sup_hosts hosts; /* count 0: this machine alone */
    bool remote;     /* some of them are others */
    sup_policy policy;
    sup_placement placement;
    const char *net[SUP_MEASURE_NETS];
    bool net_asked[SUP_MEASURE_NETS]; /* by name: then it must be there */
    bool net_done[SUP_MEASURE_NETS];  /* the profile to go on with has it */
    int net_count;
    sup_comp_kernel *kernel;
    size_t kernel_count;
    sup_user_kernel plugin[SUP_MEASURE_PLUGINS];
    int plugin_loaded;
    bool comp; /* any kernels at all */
    sup_session *session;
    /* comes out */
    sup_profile *profile;
    bool interrupted, complete;
    int launch;          /* of the processes of a transport: the first is 0 */
    bool failed;         /* the last one ended badly */
    bool compare;        /* also record a run that nothing is fitted to … */
    sup_trace *compared; /* … this one; NULL: there was none */
} sup_measuring;

/* measure_run.c: exit code. With 0 the profile is there, and in the file if one was named; m->interrupted says whether
 * somebody stopped it. sup_measuring_free in any case. */
int sup_measuring_run(sup_measuring *m);
void sup_measuring_free(sup_measuring *m);

/* measure_file.c: exit codes. check: may the file be written, what is in it already; folder: can it be written. */
int sup_measuring_check(sup_measuring *m);
int sup_measuring_folder(sup_measuring *m);
int sup_measuring_begin(sup_measuring *m); /* a profile of this machine and placement, or the one to go on with */
int sup_measuring_save(sup_measuring *m);
const char *sup_measuring_path(const char *folder, const char *name, char path[SUP_MEASURE_PATH]); /* of a file in it */
void sup_measuring_remove(const sup_measuring *m, bool all); /* what a launch of processes left there, or all files */
void sup_measuring_sweep(sup_measuring *m);                  /* removes the folder */
/* Nothing is in the way of a file there: exit code, 0. `force`: an old one may be replaced. */
int sup_cli_check_out(const char *verb, const char *path, bool force);

/* measure_net.c: one transport. Exit code; 0 also if it is not to be had and nobody asked for it by name. */
int sup_measuring_nets(sup_measuring *m);
int sup_measuring_net(sup_measuring *m, int which, double from, double to, double seconds);

/* measure_notes.c: what a process beside the profile leaves in the folder, and what the tool takes of that. */
enum { SUP_NOTES_COUNTS = 1, SUP_NOTES_REMARKS = 2 }; /* batches; whether all was measured, and warnings */
sup_status sup_measuring_write_notes(const char *folder, const sup_session *session, bool complete, sup_diag *diag);
void sup_measuring_take_notes(sup_measuring *m, unsigned what);
/* Why a child ended with that status of waitpid. */
void sup_measuring_reason(const sup_measuring *m, int status, char *text, size_t size);

/* measure_steps.c: a trace of __steps becomes calibration runs. */
sup_status sup_measuring_steps(sup_measuring *m, const char *path, sup_diag *diag);

/* Files in the folder. */
#define SUP_MEASURE_IN "in.json"
#define SUP_MEASURE_OUT "out.json"
#define SUP_MEASURE_NOTES "notes"
#define SUP_MEASURE_PROGRESS "progress"
#define SUP_MEASURE_STOP "stop"
#define SUP_MEASURE_LOG "log"
#define SUP_MEASURE_TRACE "steps.json"
#define SUP_MEASURE_WHY "why"           /* somebody failed */
#define SUP_MEASURE_LAUNCHES "launches" /* stays between the launches of a transport */

/* measure_bar.c: a bar on stderr if that is a terminal. Interrupts (SIGINT, SIGTERM, SIGHUP, SIGQUIT) are counted while
 * it is open. */
void sup_bar_open(bool quiet);
void sup_bar_show(double fraction, const char *text, double seconds_left);
void sup_bar_close(void);
int sup_bar_interrupts(void);
int sup_bar_signal(void);   /* which one came first, if any did */
void sup_bar_release(void); /* in a child: signals are as they were before */
bool sup_bar_progress(void *context, double fraction, const char *text, double seconds_left); /* for a session */

/* Options that both verbs have; `m` is where in the request the sup_measuring begins: "m." or nothing. */
/* clang-format off */
#define SUP_MEASURE_WHAT(type, m)                                                                                    \
    {"budget", .value = "TIME", .kind = SUP_VALUE_TIME, SUP_TO(type, m budget_s),                                    \
     .help = "how long measuring may take: 30s, 5m (default 60s)"},                                                  \
    {.letter = 'n', .value = "P", SUP_TO(type, m processes), .low = 1, .high = SUP_MEASURE_PROCESSES,                \
     .what = "a number of processes", .help = "processes (default: as many as can run at full speed)"},              \
    {"net", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(type, m nets),                                          \
     .word = sup_cli_net, SUP_WORDS("all", "none"), .help = "transports: {words} (default: all there are)"}
#define SUP_MEASURE_OUTPUT(type, m)                                                                                  \
    SUP_FLAG("force", type, m force, "replace existing files"),                                                      \
    SUP_FLAG("json", type, m json, "the summary as JSON"),                                                           \
    SUP_FLAG("quiet", type, m quiet, "no progress, no summary")
/* clang-format on */

/* measure_run.c: frees it, and ends by the interrupt if there was one: a shell leaves its loop only then. */
int sup_measuring_end(sup_measuring *m, int code);

/* measure_say.c */
json_t *sup_measuring_json(const sup_measuring *m); /* all that follows; NULL: no memory */
void sup_measuring_summary(const sup_profile *profile, FILE *out);
/* What is least certain, and why. */
void sup_measuring_doubts(const sup_profile *profile, FILE *out);

#endif
