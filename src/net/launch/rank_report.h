/* What the process around each rank of a run through an MPI tells the launcher, and how the launcher tells that from
 * what the program writes.
 *
 * It goes over a socket on the launcher's own machine (rank_direct.h), and from others over standard error, the one way
 * that MPI's launchers keep open from all hosts:
 *
 *     superstep-report RANK SECRET hello PID             before there is a program; of the process around it
 *     superstep-report RANK SECRET out BYTES             so many bytes of the program's stdout follow
 *     superstep-report RANK SECRET err BYTES             … of its stderr
 *     superstep-report RANK SECRET failed STATUS AT TEXT AT: when, in microseconds; TEXT is for the user
 *     superstep-report RANK SECRET ended                 the program ended with status 0
 *     superstep-report RANK SECRET handling | handled    see monitor_request.c
 *
 * The secret is made by the process around the rank and is nowhere else: not in an environment, on a command line or in
 * a file, and its memory is closed to processes of the same user. A line with another secret is output. A second hello
 * of a rank means that one of the two is the program's: from then on everything is output.
 *
 * What this does not hold off: root, and a program that takes hold of MPI's own launcher, as a debugger could. */
#ifndef SUP_NET_LAUNCH_RANK_REPORT_H
#define SUP_NET_LAUNCH_RANK_REPORT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define SUP_RANK_REPORT_MARK "superstep-report "
#define SUP_RANK_REPORT_SECRET 32 /* letters */
#define SUP_RANK_REPORT_MOST 1024 /* bytes of a report, without output that follows */
#define SUP_RANK_REPORT_BEGIN 96  /* bytes up to the word that says what is reported, and a 0 */

/* Keeps the memory of this process, and what it has open, from other processes of its user. What it executes is open
 * again. */
void sup_rank_report_close_memory(void);

/* Around a rank, before its program is started: makes its secret, with which its reports begin; then says hello, and
 * waits until that has left this process's standard error, but not for ever. Hello can be said another way
 * (rank_direct.h). */
sup_status sup_rank_report_begin(int rank, sup_diag *diag, char begin[SUP_RANK_REPORT_BEGIN]);
void sup_rank_report_say_hello(const char *begin);

/* In the launcher: what it knows of its ranks. */
typedef struct sup_rank_reports sup_rank_reports;

typedef enum sup_rank_report_kind {
    SUP_RANK_REPORT_NONE,   /* output */
    SUP_RANK_REPORT_DOUBT,  /* output too; and nothing is a report from now on */
    SUP_RANK_REPORT_HELLO,  /* with pid */
    SUP_RANK_REPORT_OUTPUT, /* with bytes and errors; also where nothing else is believed */
    SUP_RANK_REPORT_OTHER,  /* what this rank has said before */
    SUP_RANK_REPORT_FAILED, /* with status and text */
    SUP_RANK_REPORT_ENDED,
    SUP_RANK_REPORT_HANDLING,
    SUP_RANK_REPORT_HANDLED,
} sup_rank_report_kind;

typedef struct sup_rank_report {
    sup_rank_report_kind kind;
    int rank, status, pid;
    long long at_us; /* of the machine that the rank is on, since it was started */
    const char *text;
    size_t bytes;
    bool errors;
} sup_rank_report;

sup_status sup_rank_reports_create(int ranks, sup_diag *diag, sup_rank_reports **out);
void sup_rank_reports_free(sup_rank_reports *reports);
/* `line`: from behind the mark to the end of the line. */
sup_rank_report sup_rank_reports_take(sup_rank_reports *reports, const char *line);
/* How many ranks said hello and that they ended well; 0 once nothing is believed. */
int sup_rank_reports_ended(const sup_rank_reports *reports);

#endif
