/* One launch as the tool sees it: its request is written, processes of this program are started (by `superstep run`, so
 * that pinning, launchers of MPI and the end of everything are those of any run), watched, and what they leave is read.
 * Stage "measure"; child.h is the other side.
 *
 *     status = sup_order_run(&order, diag, &outcome);          from start to end
 *
 *     status = sup_running_start(&order, diag, &r);            several of them, which measure in turns (turns.h)
 *     while (sup_running_turn(r, 0.2)) …                       false: it has ended
 *     sup_running_end(&r, diag, &outcome);
 *
 * Progress and the wish to stop pass through files, which work on every transport. The processes are in a group of
 * their own: an interrupt on the terminal reaches the tool alone. They end when the tool ends, however that happens. */
#ifndef SUP_MEASURE_LAUNCH_START_H
#define SUP_MEASURE_LAUNCH_START_H

#include "measure/launch/child.h"

#include <sys/types.h>

typedef enum sup_wish { SUP_WISH_ON, SUP_WISH_STOP, SUP_WISH_NOW } sup_wish; /* go on; end soon; end at once */

/* Where launches run that time the same again and again (launches.h). */
typedef struct sup_launch_place {
    const char *tool;                     /* this program; NULL: /proc/self/exe */
    const char *beside;                   /* temporary files go beside this one; NULL: in the folder for such files */
    int processes;                        /* 2 or more */
    const char *place, *hosts_file, *rsh; /* as for superstep run; NULL */
    /* Called about 20 times a second, as that of a campaign; NULL. */
    sup_wish (*progress)(void *context, double fraction, const char *text, double seconds_left);
    void *context;
} sup_launch_place;

typedef struct sup_order {
    const char *tool;           /* the program; an absolute path */
    const char *folder;         /* for files of the launch: sup_folder */
    const char *const *options; /* of `superstep run`, NULL at the end; NULL: one process, which no transport needs */
    const char *trace;          /* NULL, or where the run is recorded */
    const sup_request *request;
    int number; /* of those that are there at the same time */
    /* Asked again and again while it runs. `text`: what rank 0 is at. */
    sup_wish (*look)(void *context, const char *text);
    void *context;
} sup_order;

typedef struct sup_outcome {
    bool done;        /* the result is there, however the processes ended */
    bool interrupted; /* they were ended at once */
    int code;         /* exit status of the processes, -1: a signal, or too late */
    char why[600];    /* not done: in words */
    double wall_s;    /* from start to end */
    sup_result result;
} sup_outcome;

/* SUP_OK also where the processes failed: outcome->done says. Clear outcome->result with sup_result_record. SUP_EIO: no
 * process could be started, or the request not be written. */
sup_status sup_order_run(const sup_order *order, sup_diag *diag, sup_outcome *outcome);

/* The processes of a launch that measures in turns. Of what the order points to only its context must stay. */
typedef struct sup_running sup_running;
/* They open what they need, and wait. As sup_order_run. */
sup_status sup_running_start(const sup_order *order, sup_diag *diag, sup_running **out);
/* Returns when they are ready for their first turn. False: they have ended, or are to: sup_running_end. */
bool sup_running_ready(sup_running *running);
/* Lets them measure for so long. False: as above. */
bool sup_running_turn(sup_running *running, double seconds);
/* Tells them that there are no more turns: first all that are there, then each is waited for. */
void sup_running_over(sup_running *running);
/* Waits for their end, and takes what they leave. */
void sup_running_end(sup_running **running, sup_outcome *outcome);

/* A folder for the files of launches, beside `beside`. Whoever ends this process, the folder goes: a process of its own
 * removes it once this one has closed it, or is no more. */
typedef struct sup_folder {
    char path[4096];
    int open; /* while this end of a pipe is open, the folder is wanted */
    pid_t keeper;
} sup_folder;

sup_status sup_folder_open(const char *beside, sup_diag *diag, sup_folder *out);
void sup_folder_close(sup_folder *folder);

#endif
