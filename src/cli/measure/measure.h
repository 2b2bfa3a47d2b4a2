/* What the files of `superstep measure` share, and what `superstep report` uses of it: measure.c (options),
 * measure/run.c (from options to a campaign, and its end), measure/bar.c (progress, interrupts), measure/say.c
 * (summary), measure/program.c (a program instead of the machine). What is measured, and how, is in src/measure. */
#ifndef SUP_CLI_MEASURE_MEASURE_H
#define SUP_CLI_MEASURE_MEASURE_H

#include "cli/frame/cli.h"
#include "measure/campaign/campaign.h"
#include "profile/profile.h"
#include "trace/trace.h"

enum { SUP_MEASURE_PLUGINS = 16 };

typedef struct sup_measuring {
    /* asked for */
    const char *verb;    /* who speaks */
    const char *out;     /* the file that comes out of it, in whose folder temporary files go */
    const char *file;    /* the profile; NULL: only in memory */
    double budget_s;     /* 0: the usual time */
    double spare_s;      /* of that time, for what comes afterwards; NaN: a tenth, if that is enough for it */
    double until;        /* wanted half width, a share; 0: none */
    int processes;       /* 0: as many as can run at full speed */
    const char *nets;    /* "all", "none", "shm,openmpi"; NULL: all there are */
    const char *kernels; /* "all", "none", "daxpy,dot"; NULL: the usual ones */
    const char *deep;    /* "kernels,pairs", "all"; NULL: none */
    const char *plugins[SUP_MEASURE_PLUGINS];
    int plugin_count;
    const char *place;
    const char *hosts_file, *rsh; /* as for superstep run; NULL: this machine, ssh */
    const char *setups;           /* of shared transfers: "ring,ping,broadcast"; NULL: ring */
    bool cold;                    /* transfers also with buffers out of cache */
    bool rdma;                    /* the network reads and writes memory by itself */
    bool exhaustive, resume, force, quiet, json;
    const char *program, *sizes; /* a command with {n} in it, and the sizes: then only that is run; NULL */
    bool others;                 /* also record a run that nothing is fitted to */
    /* comes out */
    sup_campaign *campaign; /* NULL: nothing was measured */
    sup_profile *profile;   /* the campaign's, or the caller's own */
    bool interrupted;
} sup_measuring;

/* measure/run.c: exit code. With 0 the profile is there, and in the file if one was named; m->interrupted says whether
 * somebody stopped it. sup_measuring_end in any case: frees it, and ends by the interrupt if there was one, because a
 * shell leaves its loop only then. */
int sup_measuring_run(sup_measuring *m);
int sup_measuring_end(sup_measuring *m, int code);
/* measure/program.c: exit code. Runs a program at several sizes and adds what it computes to the profile; sections of
 * the machine stay as they are. */
int sup_measuring_program(sup_measuring *m);

/* measure/bar.c: a bar on stderr if that is a terminal. Interrupts (SIGINT, SIGTERM, SIGHUP, SIGQUIT) are counted while
 * it is open. */
void sup_bar_open(bool quiet);
void sup_bar_close(void);
int sup_bar_interrupts(void);
int sup_bar_signal(void); /* which one came first, if any did */
sup_wish sup_bar_progress(void *context, double fraction, const char *text, double seconds_left); /* of a campaign */

/* Options that both verbs have; `m` is where in the request the sup_measuring begins: "m." or nothing. */
/* clang-format off */
#define SUP_MEASURE_WHAT(type, m)                                                                                    \
    {"budget", .value = "TIME", .kind = SUP_VALUE_TIME, SUP_TO(type, m budget_s),                                    \
     .help = "how long measuring may take: 30s, 5m (default: 20s for 2 processes and 2 transports, 60s for 16)"},    \
    {.letter = 'n', .value = "P", SUP_TO(type, m processes), .low = 1, .high = SUP_CAMPAIGN_PROCESSES,               \
     .what = "a number of processes", .help = "processes (default: as many as can run at full speed)"},              \
    {"net", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(type, m nets),                                          \
     .word = sup_campaign_net, SUP_WORDS("all", "none"), .help = "transports: {words} (default: all there are)"}
#define SUP_MEASURE_OUTPUT(type, m)                                                                                  \
    SUP_FLAG("force", type, m force, "replace existing files"),                                                      \
    SUP_FLAG("json", type, m json, "the summary as JSON"),                                                           \
    SUP_FLAG("quiet", type, m quiet, "no progress, no summary")
/* clang-format on */

/* measure/say.c */
json_t *sup_measuring_json(const sup_measuring *m); /* all that follows; NULL: no memory */
void sup_measuring_summary(const sup_profile *profile, FILE *out);
/* What is least certain, and why. */
void sup_measuring_doubts(const sup_profile *profile, FILE *out);

#endif
