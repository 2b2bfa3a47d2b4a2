/* Regions for a transport that has no memory of its own to share: beside it the processes of each host have a net over
 * shared memory among themselves (net/shm), of which only regions and copies are used. */
#ifndef SUP_NET_INSIDE_H
#define SUP_NET_INSIDE_H

#include "net/net.h"

/* Collective, once, over a net that has just been opened: its calls about regions and copies are those of the memory
 * that the processes of a host share. All processes of a host have it, or none: where one of them cannot map it (no
 * such files here, the tables of others' descriptors closed to it, a limit on address space) or where processes are to
 * leave each other's memory alone, the net stays as it was. */
void sup_net_inside_open(sup_net *net, const sup_launch *launch);

#endif
