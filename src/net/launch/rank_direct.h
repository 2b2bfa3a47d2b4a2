/* The short way from a rank that an MPI has started to the launcher, where both are on one machine: the launcher gets
 * the reading ends of what the rank writes to, and reads as if it had started the rank. What MPI's daemons carry is
 * lost when they end (MPI_Abort), and in a pipe it is not.
 *
 * The way is a socket without a file, known to the process around the rank by a variable. Who else of
 * the user connects is nobody without the secret of a rank (rank_report.h); other users are turned away. */
#ifndef SUP_NET_LAUNCH_RANK_DIRECT_H
#define SUP_NET_LAUNCH_RANK_DIRECT_H

#include <stdbool.h>
#include <stddef.h>

/* In the launcher, for what it will start. -1: there is no such way, and ranks do without. */
int sup_direct_listen(void);
/* One rank comes: what it says, and what it writes to. Returns the descriptor by which more comes from it; -1: it was
 * nobody. Waits for one that has come and not yet spoken, twenty seconds at most. */
int sup_direct_receive(int listening, char *text, size_t size, int ends[2]);
/* More from one that has come: 1; 0 nothing now, -1 it is gone. */
int sup_direct_more(int fd, char *text, size_t size);

/* Around a rank, before its program is started: takes the variable. -1: there is none, or nobody answers. */
int sup_direct_connect(void);
/* ends NULL: the text alone. False: the launcher has gone. */
bool sup_direct_send(int fd, const char *text, const int ends[2]);
/* The long way: what is written to a pipe there from now on is read in the same pieces. */
void sup_direct_packets(int fd);

#endif
