/* Files that an MPI leaves behind when its processes are killed: in shared memory and in the folder for temporary
 * files. Used by the monitor alone. */
#ifndef SUP_NET_LAUNCH_MONITOR_LEFTOVER_H
#define SUP_NET_LAUNCH_MONITOR_LEFTOVER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* Now, as a file that is made after it would have it. */
struct timespec sup_leftover_begin(void);

/* After the processes of a run are gone. `launcher` is the process of MPI's launcher, 0 for the process around a rank,
 * which finds in its environment what Open MPI said. Cost: two folders; a pass over all descriptors and mappings of the
 * machine, for half a second at most, if there is something to ask about. */
void sup_leftover_clear(bool openmpi, pid_t launcher, struct timespec since);

#endif
