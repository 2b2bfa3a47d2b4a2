/* Two processes that watch each other, so that neither can be killed and leave the run behind: the guard, which the
 * caller is and his shell knows, and the one that does all the work. Used by `superstep run` and by the monitor. */
#ifndef SUP_NET_LAUNCH_MONITOR_GUARD_H
#define SUP_NET_LAUNCH_MONITOR_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

struct signalfd_siginfo;

/* Goes on in a new process, of the same group; the caller stays behind as its guard and ends as it ends, without atexit
 * handlers. `name`: who speaks if that one is killed. Open streams are flushed first. Where there can be no second
 * process the caller itself goes on, unguarded. Cost: a fork. */
void sup_guard_part(const char *name, bool grouped);

/* In the new process: a descriptor that can be read when the guard is gone, the caller's to close; -1 there is no
 * guard, or it was given out already. */
int sup_guard_take(void);

/* All processes of the run are there: a signal to their group reaches this one no more, but by the guard. */
void sup_guard_leave_group(void);

/* For the guard, should this process be killed: what an MPI's launcher would leave is then cleared away. */
void sup_guard_note_launcher(bool openmpi, pid_t launcher);

/* The guard is to pass on what it has got by now, and to return the SIGURG that this sends. */
void sup_guard_ask(void);

/* Has the signal come through the guard; from the terminal, which the whole group hears? */
bool sup_guard_passed(const struct signalfd_siginfo *info, bool *terminal);

#endif
