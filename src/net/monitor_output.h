/* Output of many processes on one stdout and one stderr, line by line. Used by the monitor alone. */
#ifndef SUP_NET_MONITOR_OUTPUT_H
#define SUP_NET_MONITOR_OUTPUT_H

#include "base/status.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sup_output sup_output;

/* The ends that a process writes to: the same twice where stdout and stderr of the run are one file; -1 where the
 * process has its stdout already. */
typedef struct sup_output_ends {
    int out, err;
} sup_output_ends;

typedef struct sup_output_how {
    int first;        /* labels of the processes count from here */
    bool prefix;      /* label every line */
    bool errors_only; /* stdout goes its own way */
    const char *mark; /* lines of stderr with this in it may be reports, not output; NULL none are */
    /* gets the rest of such a line; false: it is output after all; else *shown (a part of it, or NULL) is written in
     * its place */
    bool (*take)(void *context, const char *report, const char **shown);
    void *context;
} sup_output_how;

sup_status sup_output_create(int size, const sup_output_how *how, sup_diag *diag, sup_output **out);
/* Closes everything; what is still queued is lost. */
void sup_output_free(sup_output *o);

/* Makes the pipes of `rank`. The ends are for the process to come; the caller closes them after the fork. */
sup_status sup_output_open(sup_output *o, int rank, sup_diag *diag, sup_output_ends *ends);
void sup_output_ends_close(const sup_output_ends *ends);

/* Fills fds with what to wait for (at most sup_output_poll_max) and lowers *timeout_ms (-1: for ever). */
size_t sup_output_poll_max(const sup_output *o);
size_t sup_output_poll(sup_output *o, struct pollfd *fds, int *timeout_ms);
/* Moves what poll said can be moved. */
void sup_output_move(sup_output *o, const struct pollfd *fds, size_t count);

/* One line of the monitor itself, to stderr, between the lines of the processes. */
void sup_output_say(sup_output *o, const char *line);

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
