/* Output of many processes on one stdout and one stderr, line by line. Used by the monitor alone. */
#ifndef SUP_NET_LAUNCH_MONITOR_OUTPUT_H
#define SUP_NET_LAUNCH_MONITOR_OUTPUT_H

#include "base/status.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sup_output sup_output;

/* The ends that a process writes to: the same twice where stdout and stderr of the run are one file. */
typedef struct sup_output_ends {
    int out, err;
} sup_output_ends;

/* What a line with the mark says (rank_report.h). */
typedef struct sup_output_report {
    const char *shown; /* for the user, on a line of its own; NULL nothing */
    int rank;          /* of whom so many bytes of output follow … */
    bool errors;       /* … to stderr, not to stdout */
    size_t bytes;      /* 0: none do */
} sup_output_report;

typedef struct sup_output_how {
    int first;   /* labels of the processes count from here */
    bool prefix; /* label every line */
    /* around a rank of an MPI: all goes to stderr as reports that begin with this; NULL: to stdout and stderr */
    const char *carry;
    /* around MPI's launcher, the only process: lines of its stderr with this in it may be reports, NULL none are; then
     * they may carry output of so many ranks, and what is no report the launcher has said */
    const char *mark;
    int ranks;
    bool says_out; /* it says things on stdout as well */
    /* gets the rest of a line with the mark; false: it is none after all */
    bool (*take)(void *context, const char *line, sup_output_report *report);
    /* gets what the launcher said, a line at a time, without its end; returns what is to be written, NULL nothing */
    char *(*hear)(void *context, const char *line);
    void *context;
} sup_output_how;

sup_status sup_output_create(int size, const sup_output_how *how, sup_diag *diag, sup_output **out);
/* Closes everything; what is still queued is lost. */
void sup_output_free(sup_output *o);

/* Makes the pipes of `rank`. The ends are for the process to come; the caller closes them after the fork. */
sup_status sup_output_open(sup_output *o, int rank, sup_diag *diag, sup_output_ends *ends);
/* Around a rank: its reading ends, for somebody else to read; the caller closes them. */
void sup_output_part_with(sup_output *o, int rank, int ends[2]);
/* Around MPI's launcher: takes over those of a rank; false: somebody has given some for it before. */
bool sup_output_attach(sup_output *o, int rank, const int ends[2]);
void sup_output_ends_close(const sup_output_ends *ends);

/* Fills fds with what to wait for (at most sup_output_poll_max) and lowers *timeout_ms (-1: for ever). */
size_t sup_output_poll_max(const sup_output *o);
size_t sup_output_poll(sup_output *o, struct pollfd *fds, int *timeout_ms);
/* Moves what poll said can be moved. */
void sup_output_move(sup_output *o, const struct pollfd *fds, size_t count);

/* One line of the monitor itself, to stderr, between the lines of the processes. */
void sup_output_say(sup_output *o, const char *line);

/* The same for what a rank has reported, after all that the ranks have written. */
void sup_output_say_last(sup_output *o, const char *line);

/* Takes no more from the processes; what was taken is still written. */
void sup_output_stop_reading(sup_output *o);
bool sup_output_reading(const sup_output *o); /* some process may still write */
bool sup_output_empty(const sup_output *o);   /* nothing waits to be written */
double sup_output_last_read(const sup_output *o);
double sup_output_last_written(const sup_output *o);
/* errno of the first write that failed other than by a reader who had enough; 0 none. */
int sup_output_error(const sup_output *o);
bool sup_output_reader_left(const sup_output *o);

double sup_monitor_now(void); /* monotonic seconds */
/* Shortens the timeout of a poll (-1: none) so that it ends at `when`. */
void sup_monitor_wake_at(double when, double now, int *timeout_ms);

#endif
